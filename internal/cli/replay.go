package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tabard/internal/collect"
	"tabard/internal/replay"
	"tabard/trace"
)

const replayLong = `Make the MPI calls of a recording again, with as many ranks as it has:

  mpirun -n 4 tabard replay app.tabard

Every rank makes its calls in their order, with all parameters: the same communicators,
datatypes, windows, files, and buffers that overlap as they did, with arbitrary contents. Any
MPI will do, whichever recorded it. Nothing is expanded: loops run from the compressed file.
A replay can itself be recorded: mpirun -n 4 tabard record -o again.tabard tabard replay app.tabard

--timing=MODE says how long computation between calls takes: asap (no time at all), recorded (as long
as in the recording), or scale:X (X times as long).

--order=recorded makes everything that could come out otherwise come out as recorded: which message a
receive from MPI_ANY_SOURCE takes, which request MPI_Waitany completes, how often polls fail. With
--order=free it is left to the MPI library.

Files are read and written in a scratch directory, never in their own places. If ranks
run on several nodes and share files, give a directory that all nodes share with --scratch.

Functions that the program passed to MPI are replaced by ones that do nothing. What cannot be replayed
is listed at the start, with the reason. A call that takes longer than --patience ends the replay with a
report of where each rank stands.`

// replayTiming is the value of --timing of replay.
type replayTiming struct {
	text  string
	gaps  bool
	scale float64
}

// Set accepts asap, recorded, or scale:X.
func (f *replayTiming) Set(s string) error {
	switch {
	case s == "asap":
		*f = replayTiming{s, false, 0}
		return nil
	case s == "recorded":
		*f = replayTiming{s, true, 1}
		return nil
	}
	number, ok := strings.CutPrefix(s, "scale:")
	if x, err := strconv.ParseFloat(number, 64); ok && err == nil && x >= 0 && x <= math.MaxInt32 {
		*f = replayTiming{s, true, x}
		return nil
	}
	msg := "want asap, recorded or scale:X, e.g. scale:0.5"
	if best := closest(s, []string{"asap", "recorded"}, 1); len(best) > 0 {
		msg = "did you mean " + best[0] + "? " + msg
	}
	return errors.New(msg)
}

// String returns the current value.
func (f *replayTiming) String() string { return f.text }

// Type is what help prints as the flag's argument.
func (f *replayTiming) Type() string { return "MODE" }

// replayFlags are the flags of `tabard replay`.
type replayFlags struct {
	timing   replayTiming
	order    *choice
	scratch  string
	library  string
	patience time.Duration
	quiet    bool
}

func replayCommand(a *app) *cobra.Command {
	f := &replayFlags{timing: replayTiming{text: "asap"}}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Make the MPI calls of a recording again",
		Long:  replayLong,
		Example: `  mpirun -n 4 tabard replay app.tabard
  mpirun -n 4 tabard replay app.tabard --timing=recorded
  mpirun -n 4 tabard replay app.tabard --order=free --timing=scale:0.5
  mpirun -n 4 tabard record -o again.tabard tabard replay app.tabard`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.Var(&f.timing, "timing", "how long computation takes: asap, recorded, or scale:X")
	f.order = addChoice(cmd, "order", "what could come out otherwise comes out as recorded, or is left free", "recorded", "free")
	fl.StringVar(&f.scratch, "scratch", "", "keep files of the program in `DIR` (default: a fresh one in TMPDIR, removed at the end)")
	fl.StringVar(&f.library, "library", "", "make the calls with this MPI library, a `PATH` (default: that of the launcher)")
	fl.DurationVar(&f.patience, "patience", 5*time.Minute, "end the replay if a call takes longer than `TIME`, 0 never")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "do not list what is not replayed")
	if err := cmd.MarkFlagDirname("scratch"); err != nil {
		panic(err)
	}
	modes := []cobra.Completion{"asap", "recorded", "scale:0.5"}
	if err := cmd.RegisterFlagCompletionFunc("timing", cobra.FixedCompletions(modes, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.patience < 0 {
			return usagef("--patience %v is less than 0", f.patience)
		}
		x, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer x.Close()
		err = replay.Start(&replay.Request{File: args[0], Archive: x, Path: x.File(), Recorded: f.order.value == "recorded", Gaps: f.timing.gaps, Scale: f.timing.scale,
			Scratch: f.scratch, Library: f.library, Patience: f.patience, Quiet: f.quiet, Stderr: a.err})
		var place *replay.PlaceError
		switch {
		case errors.As(err, &place) && place.Msg == "":
			return exitCode(exitUsage)
		case errors.As(err, &place):
			fmt.Fprintf(a.err, "%s: %v\n", cmd.CommandPath(), place)
			return exitCode(exitUsage)
		}
		return err
	}
	return cmd
}

// replayFeedCommand is the helper of a rank of a replay.
func replayFeedCommand() *cobra.Command {
	return &cobra.Command{
		Use: replay.FeedCommand, Hidden: true, DisableFlagParsing: true,
		Short: "Feed a rank of a replay (started by replay)",
		RunE: func(_ *cobra.Command, args []string) error {
			return replay.Feed(args, func(path string) (*trace.Archive, error) {
				return collect.OpenOutput(path, path, func(string) {})
			})
		},
	}
}
