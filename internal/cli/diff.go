package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// exitDifferent is the exit code for recordings that differ.
const exitDifferent = 1

const diffLong = `Compare two recordings: are they the same in structure, parameters, or time?

Structure is which calls are made in which order, by function and call site. Loops are compared as loops:
one that was repeated once more is one difference. Parameters are compared in calls that
correspond, constants by name, so that recordings of different MPIs and of moved or rebuilt
programs can be compared. Differences that explain others come first: those of few
ranks before those of many, arguments of a call before its results.

What varies from run to run counts as order, not as a difference: which request completes
first, who sent to MPI_ANY_SOURCE, how often a poll fails, addresses, names of hosts. The same
holds for its consequences, as long as all ranks together make the same calls: a master that
serves its workers in another order. The first difference in order is reported. (With --comm, --time, --in or --steps
nothing is attributed to order, since earlier calls are not compared.) Call sites that are at other lines of an edited source are
found by the sequence of calls in each function.
Times are shown, but count as differences only with --what time.

Memory is compared up to renaming: which block malloc returns does not matter, but the offset
of a buffer in its block does, and which buffers of a call share a block. With --ignore-sites calls are told apart by function and order, wherever they
are made. With --rerun, B may be a replay or a proxy of A: call sites are not compared
then, nor are callbacks, their state and their calls, values of attributes, arguments of
programs, and directories of files.

If the numbers of ranks differ, those that are in both are compared.

The exit code is 0 if the recordings are the same, 1 if they differ, and 2 after an error.`

// diffFlags are the flags of `tabard diff`.
type diffFlags struct {
	selectFlags
	what   *choice
	limit  int
	strict bool
	sites  bool // call sites are ignored
	rerun  bool
}

var _ = reading(120, Bound{Memory: 1e9, Seconds: 10}, diffCommand)

func diffCommand(a *app) *cobra.Command {
	f := &diffFlags{}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show in what two recordings differ",
		Long:  diffLong,
		Example: `  tabard diff good.tabard bad.tabard
  tabard diff openmpi.tabard mpich.tabard --what structure
  tabard diff before.tabard after.tabard --what time
  tabard diff original.tabard replayed.tabard --rerun
  tabard diff a.tabard b.tabard --rank 0-3 --function p2p --json
  tabard diff a.tabard b.tabard --steps 40-49 --comm cart0`,
		Args:              exactArgs("A", "B"),
		ValidArgsFunction: completeTwoFiles,
	}
	f.what = addChoice(cmd, "what", "compare only this `WHAT`: structure, params or time", "all", "structure",
		"params", "time")
	fl := cmd.Flags()
	fl.BoolVar(&f.strict, "strict", false, "count differences of order, and call sites that moved, as differences")
	fl.IntVar(&f.limit, "limit", 20, "show at most `N` differences, 0 for all")
	fl.BoolVar(&f.sites, "ignore-sites", false, "tell calls apart by function and order, wherever they are made")
	fl.BoolVar(&f.rerun, "rerun", false,
		"B repeats A from another program (replay, proxy): also leave out what that cannot have")
	f.selectFlags.add(cmd, report.DiffSchema)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		different, err := f.run(a, args)
		var usage *usageError
		switch {
		case errors.As(err, &usage):
			return err
		case err != nil: // 1 says that the recordings differ
			fmt.Fprintf(a.err, "%s: %v\n", cmd.CommandPath(), err)
			return exitCode(exitUsage)
		case different:
			return exitCode(exitDifferent)
		}
		return nil
	}
	return a.withLive(cmd)
}

// completeTwoFiles offers the archives for both arguments.
func completeTwoFiles(cmd *cobra.Command, args []string, to string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 1 {
		args = nil
	}
	return completeFiles(cmd, args, to)
}

// run compares and prints; it tells whether the recordings differ.
func (f *diffFlags) run(a *app, args []string) (different bool, err error) {
	if err := atLeast("limit", f.limit, 0); err != nil {
		return false, err
	}
	sel, err := selection.Parse(f.flags)
	if err != nil {
		return false, usagef("%v", err)
	}
	view := &report.DiffView{A: args[0], B: args[1], What: f.what.value, Limit: f.limit, Strict: f.strict}
	o := view.Options()
	o.Ranks, o.Functions, o.Comms, o.Window, o.Steps = sel.Ranks, sel.Functions, sel.Comms, sel.Window, sel.Steps
	o.Within = sel.Within
	o.IgnoreSites, o.Rerun = f.sites, f.rerun
	x, err := a.open(args[0])
	if err != nil {
		return false, err
	}
	defer x.Close()
	y := x
	if a.live || !sameRecording(args[0], args[1]) {
		if y, err = a.open(args[1]); err != nil {
			return false, err
		}
		defer y.Close()
	}
	p := a.meter("comparing", "threads", 0)
	o.Progress = p.Show
	r, err := diff.Of(x, y, o)
	p.Done()
	if err != nil {
		return false, err
	}
	return view.Different(r), a.print(answer{json: f.json,
		document: func() any { return view.Document(r) },
		text:     func(w io.Writer) error { text.Diff(w, view, r); return nil }})
}

// sameRecording tells whether two names are of one file, or of files with the same bytes. What lies beside them may
// belong to them, so that copies with parts count as different.
func sameRecording(a, b string) bool {
	x, err1 := filepath.EvalSymlinks(a)
	y, err2 := filepath.EvalSymlinks(b)
	if err1 != nil || err2 != nil {
		return a == b
	}
	if x == y {
		return true
	}
	return len(collect.Parts(a))+len(collect.Parts(b)) == 0 && sameBytes(x, y)
}

// sameBytes compares files. What cannot be read is told by whoever opens it.
func sameBytes(a, b string) bool {
	f, err1 := safefile.Open(a)
	g, err2 := safefile.Open(b)
	if err1 == nil {
		defer f.Close()
	}
	if err2 == nil {
		defer g.Close()
	}
	if err1 != nil || err2 != nil {
		return false
	}
	x, err1 := f.Stat()
	y, err2 := g.Stat()
	if err1 != nil || err2 != nil || x.Size() != y.Size() {
		return false
	}
	var p, q [1 << 16]byte
	for left := x.Size(); left > 0; {
		n := min(left, int64(len(p)))
		if _, err := io.ReadFull(f, p[:n]); err != nil {
			return false
		}
		if _, err := io.ReadFull(g, q[:n]); err != nil || !bytes.Equal(p[:n], q[:n]) {
			return false
		}
		left -= n
	}
	return true
}
