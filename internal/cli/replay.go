package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/infer"
	"github.com/tabard-hpc/tabard/internal/program/replay"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/suggest"
)

const replayLong = `Make the MPI calls of a recording again, with as many ranks as it has:

  mpirun -n 4 tabard replay app.tabard

Every rank makes its calls in their order, with all parameters: the same communicators,
datatypes, windows, files, and buffers that overlap as they did, with arbitrary contents. Any
MPI will do, whichever was recorded. Nothing is expanded: loops run from the compressed file.
A replay can itself be recorded: mpirun -n 4 tabard record -o again.tabard tabard replay app.tabard

--timing=MODE says how long computation between calls takes: asap (no time at all), recorded (as long
as in the recording), or scale:X (X times as long).

--order=recorded reproduces non-deterministic outcomes as recorded: which message a receive
from MPI_ANY_SOURCE takes, which request MPI_Waitany completes, how often polls fail. With
--order=free these are left to the MPI library.

--ranks=M makes the calls that a job of M ranks would make, if they follow from rank and size. Every rank
works that out for itself: for many ranks use "tabard scale" once.

Files are read and written in a scratch directory, never in their own places. If ranks
run on several nodes and share files, give a directory that all nodes share with --scratch.

Functions that the program passed to MPI (callbacks) are replaced by empty ones. What cannot be replayed
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
	if best := suggest.Closest(s, []string{"asap", "recorded"}, 1); len(best) > 0 {
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
	ranks    int
}

var _ = reading(130, Bound{Memory: 1e9, Seconds: 60}, replayCommand)

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
	f.order = addChoice(
		cmd,
		"order",
		"whether non-deterministic outcomes are reproduced as recorded or left to the MPI library",
		"recorded",
		"free",
	)
	fl.IntVar(&f.ranks, "ranks", 0, "make the calls that a job of `M` ranks would make; see tabard scale")
	fl.StringVar(&f.scratch, "scratch", "",
		"keep files of the program in `DIR` (default: a fresh one in TMPDIR, removed at the end)")
	fl.StringVar(&f.library, "library", "",
		"make the calls with this MPI library, a `PATH` (default: that of the launcher)")
	fl.DurationVar(&f.patience, "patience", 5*time.Minute, "end the replay if a call takes longer than `TIME`, 0 never")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "do not list what is not replayed")
	must(cmd.MarkFlagDirname("scratch"))
	must(cmd.RegisterFlagCompletionFunc("timing", fixed("asap", "recorded", "scale:0.5")))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.patience < 0 {
			return usagef("--patience %v is less than 0", f.patience)
		}
		if cmd.Flags().Changed("ranks") {
			if err := atLeast("ranks", f.ranks, 1); err != nil {
				return err
			}
		}
		err := f.run(a, args[0])
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

// run makes the calls of this rank, or hands them on.
func (f *replayFlags) run(a *app, file string) error {
	x, err := a.openMPI(file)
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }()
	var image []byte
	if f.ranks > 0 {
		if image, err = scaled(x, f.ranks); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		_ = x.Close()
		if x, err = archive.OpenReader(bytes.NewReader(image), int64(len(image))); err != nil {
			return err
		}
	}
	return replay.Start(&replay.Request{File: file, Archive: x, Path: x.File(), Image: image,
		Recorded: f.order.value == "recorded", Gaps: f.timing.gaps, Scale: f.timing.scale,
		Scratch: f.scratch, Library: f.library, Patience: f.patience, Quiet: f.quiet, Stderr: a.err})
}

// scaled is the archive that a job with another number of ranks would give.
func scaled(x *archive.Archive, ranks int) ([]byte, error) {
	c, err := x.Content()
	if err != nil {
		return nil, err
	}
	if c, _, err = infer.Of(c, ranks, infer.Options{}); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = c.Write(&b)
	return b.Bytes(), err
}

// replayFeedCommand is the helper of a rank of a replay.
func replayFeedCommand() *cobra.Command {
	return &cobra.Command{
		Use: replay.FeedCommand, Hidden: true, DisableFlagParsing: true,
		Short: "Feed a rank of a replay (started by replay)",
		RunE: func(_ *cobra.Command, args []string) error {
			return replay.Feed(args, func(path string) (*archive.Archive, error) {
				arch, err := collect.OpenOutput(path, path, func(string) {})
				if err != nil {
					return nil, err
				}
				return arch.MPI()
			})
		},
	}
}
