package cli

import (
	"bufio"
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

// loopsFlags are the flags of `tabard loops`.
type loopsFlags struct {
	ranks     rankList
	functions functionList
	depth     int
	all, json bool
	within    bool // show the functions of the program, too
	step      string
}

const loopsLong = `Show the program as loops: for each class of ranks that do the same, the nest of
loops with trip counts, and the calls in them with call sites and parameters.
The time-step loop, in which most calls are made and most time passes, is
pointed out. It reads the compressed structure only: the time it takes does not
depend on the number of calls.

A count such as 4x is how often a call or loop is repeated each time; 3-7x
differs from time to time, or by rank. Consecutive unsuccessful polls
count as one: "+ polls" marks them. A parameter with a few values lists them;
one with many is left out, and so are buffers, requests and MPI_COMM_WORLD.
Times are those of the first rank of a class, and only of the outermost loops.

After a call comes its call site, and where that function was called. A
recording with --callsites=stack shows loops also where the calls of an
iteration are deep in several functions, and a recursion as the loop that it is.

--with-functions shows functions of the program, if they were recorded: what is called in
one is indented below it, and what it called between calls of MPI is one line. Both count
as calls.

Long sequences without loops are summarised as "mixed"; --all shows every call,
unless there are tens of thousands. On a terminal the first 200 lines are
shown.`

var _ = reading(110, Bound{Memory: 1e9, Seconds: 60}, loopsCommand)

func loopsCommand(a *app) *cobra.Command {
	f := &loopsFlags{}
	cmd := &cobra.Command{
		Use:   "loops FILE",
		Short: "Show the loops of the program",
		Long:  loopsLong,
		Example: `  tabard loops app.tabard
  tabard loops app.tabard --rank 0 --depth 2
  tabard loops app.tabard --with-functions
  tabard loops app.tabard --function collective
  tabard loops app.tabard --json | jq '.classes[].ranks'`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.Var(&f.ranks, "rank", "show these ranks only, e.g. 0,4-7")
	fl.Var(&f.functions, "function",
		"show these functions and groups only (see tabard record), and the loops around them")
	fl.IntVar(&f.depth, "depth", 0, "show `N` levels of loops, of deeper ones what they call")
	addStepLoop(fl, &f.step)
	fl.BoolVar(&f.within, "with-functions", false,
		"show the functions of the program around the calls and between them")
	fl.BoolVar(&f.all, "all", false, "sum up nothing")
	fl.BoolVar(&f.json, "json", false, "print JSON (schema "+report.LoopsSchema+")")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("depth") {
			if err := atLeast("depth", f.depth, 1); err != nil {
				return err
			}
		}
		reads := a.readsCalls
		if f.within {
			reads = a.readsNested
		}
		return reads(args[0], func(arch *archive.Archive) error {
			sel, err := selection.Parse(selection.Flags{StepLoop: f.step})
			if err != nil {
				return err
			}
			if name := sel.StepLoop.Region(); name != "" {
				return usagef("--step-loop %s is neither a number of iterations nor FILE:LINE: tabard loops is "+
					"about loops", name)
			}
			classes, err := report.FindLoops(arch, &report.LoopChoice{StepLoop: sel.StepLoop, Ranks: f.ranks.text,
				HasRank: f.ranks.Contains, Functions: f.functions.selected, Depth: f.depth, All: f.all, Meter: a.meter})
			if err != nil {
				return err
			}
			return a.print(answer{json: f.json,
				document: func() any { return report.NewLoops(arch, classes) },
				text: func(io.Writer) error {
					h := a.head()
					w := bufio.NewWriter(h)
					p := a.page(w)
					text.Loops(p, arch.File(), classes)
					return h.end(a, cmp.Or(p.Flush(), w.Flush()), "--pager shows all, or choose with --rank, "+
						"--function and --depth")
				}})
		})
	}
	return a.withLive(cmd)
}
