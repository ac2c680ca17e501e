package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/report/text"
)

// dumpFlags are the flags of `tabard dump`.
type dumpFlags struct {
	selectFlags
	threads     rankList
	from        uint64
	limit, last int64
	raw, own    bool
}

const dumpLong = `Print every call with all its parameters, one line each: rank and thread, number
of the call in its thread, begin in seconds since the start of the recording,
duration, and the call. Results follow the call after semicolons, its call site
after @. Ranks follow each other. Calls that had not returned when the program
ended are marked "unfinished". Calls inside a region are indented. On a terminal the first 200 lines are shown, unless
--limit or --last says how many; in a pipe or a file all are.

Numbers are skipped where Tabard has records of its own between the calls, such as
where the memory of heap#3 begins. --own shows them; with --json
they are there, with the flag "own". --limit and --last do not count them.

--json prints one JSON object a line. --raw prints the exact text twin of the
file (docs/format.md), from which nothing is missing.`

var _ = reading(100, Bound{Memory: 400e6, Seconds: 60}, dumpCommand)

func dumpCommand(a *app) *cobra.Command {
	f := &dumpFlags{}
	cmd := &cobra.Command{
		Use:   "dump FILE",
		Short: "Print the recorded calls",
		Long:  dumpLong + "\n\n" + selectHelp,
		Example: `  tabard dump app.tabard
  tabard dump app.tabard --rank 0 --from 1000 --limit 20
  tabard dump app.tabard --rank 3 --steps 17 --function p2p
  tabard dump app.tabard --last 1              # where each rank ended or hangs
  tabard dump app.tabard --json | jq -r .func | sort | uniq -c`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.Var(&f.threads, "thread", "print these threads of each rank only")
	fl.Uint64Var(&f.from, "from", 0, "begin each thread at call number `N`")
	fl.Int64Var(&f.limit, "limit", -1, "print at most `N` calls of each thread")
	fl.Int64Var(&f.last, "last", -1, "print the last `N` calls of each thread")
	fl.BoolVar(&f.own, "own", false, "print Tabard's own records, too")
	fl.BoolVar(&f.raw, "raw", false, "print the text twin of the whole file")
	f.add(cmd, report.CallSchema)
	fl.Lookup("json").Usage = "print JSON, one object a line (schema " + report.CallSchema + ")"
	for _, name := range []string{"limit", "last"} {
		fl.Lookup(name).DefValue = "0" // -1, all, is not worth showing
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		return a.reads(args[0], func(arch *archive.Archive) error {
			h := a.head()
			if f.raw || f.json || f.limit >= 0 || f.last >= 0 {
				h.left = -1
			}
			if f.json {
				h.w = render.NewJSONCleaner(a.raw)
			}
			w := bufio.NewWriterSize(h, 1<<16)
			var err error
			if f.raw {
				err = archive.WriteText(w, arch)
			} else {
				p := a.page(w)
				err = cmp.Or(f.dump(p, arch), p.Flush())
			}
			// What was read before an error is worth printing.
			if e := w.Flush(); err == nil {
				err = e
			}
			return h.end(a, err, "--pager shows all, or choose with --rank, --from, --limit and --last")
		})
	}
	return a.withLive(cmd)
}

// check rejects flags that contradict each other.
func (f *dumpFlags) check(cmd *cobra.Command) error {
	set := func(name string) bool { return cmd.Flags().Changed(name) }
	if set("limit") {
		if err := notNegative("limit", f.limit); err != nil {
			return err
		}
	}
	if set("last") {
		if err := notNegative("last", f.last); err != nil {
			return err
		}
	}
	if set("last") && (set("from") || set("limit")) {
		return usagef("--last does not go with --from and --limit")
	}
	if f.raw {
		for _, name := range []string{"rank", "function", "comm", "time", "in", "steps", "thread", "from", "limit",
			"last", "json", "own"} {
			if set(name) {
				return usagef("--raw prints the whole file: it does not go with --%s", name)
			}
		}
	}
	return nil
}

// dump prints the selected calls.
func (f *dumpFlags) dump(w io.Writer, a *archive.Archive) error {
	chosen, err := report.Resolve(a, f.flags)
	if err != nil {
		return err
	}
	any := false
	for s := range a.Streams() {
		if !f.threads.Contains(s.Thread()) {
			continue
		}
		part, err := chosen.Part(s)
		if err != nil {
			return err
		}
		if part == nil {
			continue
		}
		any = true
		if f.partly() {
			err = f.part(w, part)
		} else {
			err = f.stream(w, s)
		}
		if err != nil {
			return err
		}
	}
	if !any && (f.flags.Ranks != "" || f.threads.text != "") {
		return fmt.Errorf("%s has no calls of %s", a.File(), f.selection())
	}
	return nil
}

// partly tells whether some calls of a thread are selected, and not all.
func (f *dumpFlags) partly() bool {
	other := f.flags
	other.Ranks, other.StepLoop = "", ""
	return other != selection.Flags{}
}

func (f *dumpFlags) selection() string {
	switch {
	case f.flags.Ranks == "":
		return "thread " + f.threads.text
	case f.threads.text == "":
		return "rank " + f.flags.Ranks
	}
	return "rank " + f.flags.Ranks + ", thread " + f.threads.text
}

// part prints the selected calls of a thread. Of the last ones as many lines are kept as are asked for.
func (f *dumpFlags) part(w io.Writer, p *selection.Part) error {
	var kept [][]byte
	var line []byte
	left := f.limit
	for c, err := range p.Calls {
		if err != nil {
			return err
		}
		if c.Index < f.from || c.Func.Own() && !f.json && !f.own {
			continue
		}
		if left == 0 || f.last == 0 {
			break
		}
		left--
		if f.last >= 0 {
			line = nil // it is kept
		}
		if f.json {
			if line, err = report.AppendCall(line[:0], p.Stream, c); err != nil {
				return err
			}
		} else {
			line = text.AppendCall(line[:0], p.Stream, c, 0)
		}
		if f.last < 0 {
			if _, err := w.Write(line); err != nil {
				return err
			}
			continue
		}
		if kept = append(kept, line); int64(len(kept)) > f.last {
			kept = kept[1:]
		}
		if err := p.Stream.Archive().Hopeless(uint64(f.limit-left), p.Range.To-c.Index); err != nil {
			return err
		}
	}
	for _, line := range kept {
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func (f *dumpFlags) stream(w io.Writer, s *archive.Stream) error {
	from, left := f.from, f.limit
	if f.last >= 0 {
		var err error
		if from, err = lastCalls(s, uint64(f.last)); err != nil {
			return err
		}
	}
	if left == 0 {
		return nil
	}
	var line []byte
	depth, err := text.DepthAt(s, from)
	if err != nil {
		return err
	}
	for c, err := range s.Iter(from) {
		if err != nil {
			return err
		}
		own, at := c.Func.Own(), depth.Next(c)
		if left == 0 && !own {
			break
		}
		if own && !f.json && !f.own {
			continue
		}
		if f.json {
			line, err = report.AppendCall(line[:0], s, c)
		} else {
			line = text.AppendCall(line[:0], s, c, at)
		}
		if err == nil {
			_, err = w.Write(line)
		}
		if err != nil {
			return err
		}
		if !own {
			left--
		}
	}
	return nil
}

// lastCalls is where the last n calls of a stream begin, with Tabard's own records in front of them.
func lastCalls(s *archive.Stream, n uint64) (uint64, error) {
	all := s.Calls()
	for back := n; n > 0; back = 2*back + 64 {
		from, calls := all-min(all, back), uint64(0)
		for c, err := range s.Iter(from) {
			if err != nil {
				return 0, err
			}
			if !c.Func.Own() {
				calls++
			}
		}
		if calls < n && from > 0 {
			continue
		}
		for c, err := range s.Iter(from) {
			if err != nil {
				return 0, err
			}
			if calls <= n {
				return c.Index, nil
			}
			if !c.Func.Own() {
				calls--
			}
		}
		break // there are no calls at all
	}
	return all, nil
}
