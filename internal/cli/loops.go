package cli

import (
	"bufio"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"tabard/analysis/loops"
	"tabard/analysis/selection"
	"tabard/spec"
	"tabard/trace"
)

// loopsSchema names the form of what `tabard loops --json` prints.
const loopsSchema = "tabard.loops/1"

// Where tabard loops begins to leave out: nodes of a sequence, and bytes of
// stored time stamps that it loads without being asked to.
const (
	loopsNodes  = 40
	loopsTiming = selection.StepTiming
)

// loopsFlags are the flags of `tabard loops`.
type loopsFlags struct {
	ranks     rankList
	functions functionList
	depth     int
	all, json bool
}

const loopsLong = `Show the program as loops: for each class of ranks that do the same, the nest of
loops with trip counts, and the calls in them with call sites and parameters.
The time-step loop, in which most calls are made and most time passes, is
pointed out. It reads the compressed structure only: the time it takes does not
depend on the number of calls.

A count such as 4x is how often a call or loop is repeated each time; 3-7x
differs from time to time, or by rank. Unsuccessful polls in a row count as one:
"+ polls" marks where there are any. A parameter with a few values lists them;
one with many is left out, and so are buffers, requests and MPI_COMM_WORLD.
Times are those of the first rank of a class, and only of the outermost loops.

A recording with --callsites=stack shows loops also where the calls of an
iteration are in several functions, and a recursion as the loop that it is.

Long stretches without loops are summed up as "mixed"; --all shows every call of
them.`

func loopsCommand(a *app) *cobra.Command {
	f := &loopsFlags{}
	cmd := &cobra.Command{
		Use:   "loops FILE",
		Short: "Show the loops of the program",
		Long:  loopsLong,
		Example: `  tabard loops app.tabard
  tabard loops app.tabard --rank 0 --depth 2
  tabard loops app.tabard --function collective
  tabard loops app.tabard --json | jq '.classes[].ranks'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.Var(&f.ranks, "rank", "show these ranks only, e.g. 0,4-7")
	fl.Var(&f.functions, "function", "show these functions and groups only (see tabard record), and the loops around them")
	fl.IntVar(&f.depth, "depth", 0, "show `N` levels of loops, of deeper ones what they call")
	fl.BoolVar(&f.all, "all", false, "sum up nothing")
	fl.BoolVar(&f.json, "json", false, "print JSON (schema "+loopsSchema+")")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("depth") && f.depth < 1 {
			return usagef("--depth %d is less than 1", f.depth)
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		classes, err := f.classes(archive)
		if err != nil {
			return err
		}
		if f.json {
			return a.printJSON(loopsJSON(archive, classes))
		}
		w := bufio.NewWriterSize(a.out, 1<<16)
		(&loopsPrinter{w: w}).run(archive, classes)
		return w.Flush()
	}
	return cmd
}

// classes finds the loops and leaves out what is not wanted.
func (f *loopsFlags) classes(archive *trace.Archive) ([]*loops.Class, error) {
	classes, err := loops.Of(archive, loops.Options{Timing: loopsTiming, Select: func(s *trace.Stream) bool {
		r := s.Rank().Rank
		return f.ranks.text == "" || r >= 0 && f.ranks.Contains(r)
	}})
	if err != nil {
		return nil, err
	}
	if len(classes) == 0 && f.ranks.text != "" {
		return nil, fmt.Errorf("%s has no calls of rank %s", archive.File(), f.ranks.text)
	}
	found := false
	for _, c := range classes {
		c.Body = f.trim(c, c.Body)
		for i, b := range c.Blocks {
			c.Blocks[i] = f.trim(c, b)
		}
		found = found || len(c.Body) > 0
	}
	if !found && f.functions.text != "" {
		return nil, fmt.Errorf("%s has no calls of %s", archive.File(), f.functions.text)
	}
	if f.functions.text != "" {
		classes = slices.DeleteFunc(classes, func(c *loops.Class) bool { return len(c.Body) == 0 })
	}
	return classes, nil
}

func (f *loopsFlags) trim(c *loops.Class, seq []*loops.Node) []*loops.Node {
	if f.functions.selected != nil {
		seq = loops.Only(c, seq, func(fn *spec.Func) bool { return f.functions.selected.Contains(fn.ID) })
	}
	if !f.all {
		seq = loops.Condense(seq, loopsNodes)
	}
	if f.depth > 0 {
		seq = loops.Flatten(seq, f.depth)
	}
	return seq
}
