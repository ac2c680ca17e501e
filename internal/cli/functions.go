package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/functions"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

const functionsLong = `Show which functions of the program were called, and how often. It needs a recording with
function calls: see tabard record --events.

Times are shown if the recording has them (--function-times): of the functions below which
calls of MPI or others were made, and with "all" also of the outermost of the others.
--tree shows which function called which, and below which; --graph the same as a graph in
the language of Graphviz. --at RANK:CALL, or RANK.THREAD:CALL, shows the functions around a
call, by the number that tabard dump shows.
--sequence prints the calls of each thread in their order: on a terminal the first 200 lines,
unless --limit says how many of each thread; in a pipe or a file all are.`

// functionFlags are the flags of `tabard functions`.
type functionFlags struct {
	flags             selection.Flags
	limit, depth      int
	tree, graph, json bool
	sequence          bool
	each              int // calls of each thread in a sequence; 0 for all, -1 if nobody asked for a number
	at                string
}

var _ = reading(66, Bound{Memory: 1e9, PerRank: 20e3, Seconds: 60}, functionsCommand)

func functionsCommand(a *app) *cobra.Command {
	f := &functionFlags{}
	cmd := &cobra.Command{
		Use:   "functions FILE",
		Short: "Show which functions of the program were called",
		Long:  functionsLong,
		Example: `  tabard functions app.tabard
  tabard functions app.tabard --tree --depth 5
  tabard functions app.tabard --graph | dot -Tsvg > calls.svg
  tabard functions app.tabard --at 3:1200
  tabard functions app.tabard --sequence --rank 0 --limit 1000`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.IntVar(&f.limit, "limit", 40, "show at most `N` functions, or calls of each thread in a sequence, 0 for all")
	fl.BoolVar(&f.tree, "tree", false, "show which function called which, nested")
	fl.IntVar(&f.depth, "depth", 0, "of the nest, show `N` levels only (default: all)")
	fl.BoolVar(&f.graph, "graph", false, "print the graph of calls for Graphviz")
	fl.BoolVar(&f.sequence, "sequence", false, "print every call in its order, indented")
	fl.StringVar(&f.at, "at", "", "show the functions around `CALL`, e.g. 3:1200")
	cmd.MarkFlagsMutuallyExclusive("tree", "graph", "sequence", "at")
	fl.Var(&selectValue{&f.flags.Ranks, true, "LIST", parsed(selection.ParseRanks)}, "rank",
		"these ranks only, e.g. 0,4-7")
	fl.BoolVar(&f.json, "json", false, "print JSON (schema "+report.FunctionsSchema+")")
	cmd.MarkFlagsMutuallyExclusive("sequence", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for name, n := range map[string]int{"limit": f.limit, "depth": f.depth} {
			if err := atLeast(name, n, 0); err != nil {
				return err
			}
		}
		if f.each = f.limit; !cmd.Flags().Changed("limit") {
			f.each = -1
		}
		return a.reads(args[0], func(arch *archive.Archive) error { return f.run(a, arch) })
	}
	return a.withLive(cmd)
}

func (f *functionFlags) run(a *app, arch *archive.Archive) error {
	chosen, err := report.Resolve(arch, f.flags)
	if err != nil {
		return err
	}
	if f.sequence {
		return f.printSequence(a, chosen)
	}
	r, err := functions.Of(arch, chosen)
	if err != nil {
		return err
	}
	d, whole := report.NewFunctions(arch, f.flags.Ranks, r), true
	switch {
	case f.graph:
		d.AddGraph(r)
	case f.tree:
		whole = d.AddNest(r, f.depth)
	case f.at != "":
		if err := f.addStack(arch, d); err != nil {
			return err
		}
	}
	return a.print(answer{json: f.json, document: func() any { return d }, text: func(w io.Writer) error {
		switch {
		case f.graph:
			d.WriteDOT(w)
		case f.tree:
			text.FunctionNest(w, d, whole)
		case f.at != "":
			text.FunctionStack(w, d)
		default:
			text.Functions(w, d, f.limit)
		}
		return nil
	}})
}

// addStack finds the call that --at names.
func (f *functionFlags) addStack(arch *archive.Archive, d *report.Functions) error {
	who, number, ok := strings.Cut(f.at, ":")
	rankText, threadText, threaded := strings.Cut(who, ".")
	rank, err1 := strconv.Atoi(rankText)
	thread, err2 := 0, error(nil)
	if threaded {
		thread, err2 = strconv.Atoi(threadText)
	}
	call, err3 := strconv.ParseUint(number, 10, 64)
	if !ok || err1 != nil || err2 != nil || err3 != nil {
		return usagef("--at %s: give the rank and the number of a call, e.g. 3:1200 or 3.1:1200", f.at)
	}
	for s := range arch.Streams() {
		if s.WorldRank() != rank || s.Thread() != thread {
			continue
		}
		if call >= s.Calls() {
			return fmt.Errorf("rank %d, thread %d has %d calls; they are numbered from 0", rank, thread, s.Calls())
		}
		c, err := functions.At(arch, s, call)
		if err == nil {
			d.AddStack(c)
		}
		return err
	}
	return fmt.Errorf("nothing was recorded of rank %d, thread %d", rank, thread)
}

// printSequence prints the calls of each thread in their order.
func (f *functionFlags) printSequence(a *app, chosen *selection.Resolved) error {
	h := a.head()
	if f.each >= 0 {
		h.left = -1
	}
	w := bufio.NewWriter(h)
	p := a.page(w)
	// What was read before an error is worth printing.
	return h.end(a, cmp.Or(f.sequences(p, chosen), p.Flush(), w.Flush()),
		"--pager shows all, or choose with --rank and --limit")
}

func (f *functionFlags) sequences(w io.Writer, chosen *selection.Resolved) error {
	none := true
	for part, err := range chosen.Parts() {
		if err != nil {
			return err
		}
		n, err := f.threadSequence(w, part.Stream)
		if err != nil {
			return err
		}
		none = none && n == 0
	}
	if none {
		text.NoFunctions(w)
	}
	return nil
}

// threadSequence prints the calls of a thread and says how many are left out. n is how many there are at least.
func (f *functionFlags) threadSequence(w io.Writer, s *archive.Stream) (n uint64, err error) {
	who := fmt.Sprintf("%d.%d  ", s.WorldRank(), s.Thread())
	var failed error
	err = functions.Each(s.Archive(), s, func(depth int, name string, _ bool) bool {
		n++
		_, failed = fmt.Fprintf(w, "%s%s%s\n", who, strings.Repeat("  ", depth), name)
		return failed == nil && (f.each <= 0 || n < uint64(f.each))
	})
	if err = cmp.Or(err, failed); err != nil || f.each <= 0 || n < uint64(f.each) {
		return n, err
	}
	all, err := functions.Ordered(s.Archive(), s)
	if err == nil && all > n {
		text.RestOfCalls(w, who, all-n)
	}
	return n, err
}
