package cli

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tabard/trace"
)

// dumpFlags are the flags of `tabard dump`.
type dumpFlags struct {
	ranks, threads rankList
	from           uint64
	limit, last    int64
	json, raw      bool
}

const dumpLong = `Print every call with all its parameters, one line each: rank and thread, number
of the call in its thread, begin in seconds since the start of the recording,
duration, and the call. Results follow the call after semicolons, its call site
after @. Ranks follow one another. Calls that had not returned when the program
ended are marked "unfinished".

--json prints one JSON object a line. --raw prints the exact text twin of the
file (docs/format.md), from which nothing is missing.`

func dumpCommand(a *app) *cobra.Command {
	f := &dumpFlags{}
	cmd := &cobra.Command{
		Use:   "dump FILE",
		Short: "Print the recorded calls",
		Long:  dumpLong,
		Example: `  tabard dump app.tabard
  tabard dump app.tabard --rank 0 --from 1000 --limit 20
  tabard dump app.tabard --last 1              # where each rank ended or hangs
  tabard dump app.tabard --json | jq -r .func | sort | uniq -c`,
		Args:              exactArgs("FILE"),
		ValidArgsFunction: completeFiles,
	}
	fl := cmd.Flags()
	fl.Var(&f.ranks, "rank", "print these ranks only, e.g. 0,4-7")
	fl.Var(&f.threads, "thread", "print these threads of each rank only")
	fl.Uint64Var(&f.from, "from", 0, "begin each thread at call number `N`")
	fl.Int64Var(&f.limit, "limit", -1, "print at most `N` calls of each thread")
	fl.Int64Var(&f.last, "last", -1, "print the last `N` calls of each thread")
	fl.BoolVar(&f.json, "json", false, "print JSON, one object a line (schema "+callSchema+")")
	fl.BoolVar(&f.raw, "raw", false, "print the text twin of the whole file")
	for _, name := range []string{"limit", "last"} {
		fl.Lookup(name).DefValue = "0" // -1, all, is not worth showing
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		archive, err := a.open(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		w := bufio.NewWriterSize(a.out, 1<<16)
		if f.raw {
			err = trace.WriteText(w, archive)
		} else {
			err = f.dump(w, archive)
		}
		// What was read before an error is worth printing.
		if e := w.Flush(); err == nil {
			err = e
		}
		return err
	}
	return cmd
}

// check rejects flags that contradict each other.
func (f *dumpFlags) check(cmd *cobra.Command) error {
	set := func(name string) bool { return cmd.Flags().Changed(name) }
	if set("limit") && f.limit < 0 {
		return usagef("--limit %d is negative", f.limit)
	}
	if set("last") && f.last < 0 {
		return usagef("--last %d is negative", f.last)
	}
	if set("last") && (set("from") || set("limit")) {
		return usagef("--last does not go with --from and --limit")
	}
	if f.raw {
		for _, name := range []string{"rank", "thread", "from", "limit", "last", "json"} {
			if set(name) {
				return usagef("--raw prints the whole file: it does not go with --%s", name)
			}
		}
	}
	return nil
}

// dump prints the selected calls.
func (f *dumpFlags) dump(w io.Writer, a *trace.Archive) error {
	any := false
	for s := range a.Streams() {
		if !f.selects(s) {
			continue
		}
		any = true
		if err := f.stream(w, s); err != nil {
			return err
		}
	}
	if !any && (f.ranks.text != "" || f.threads.text != "") {
		return fmt.Errorf("%s has no calls of %s", a.File(), f.selection())
	}
	return nil
}

// selects reports whether a stream is to be printed. A process without a rank
// never is if ranks are asked for.
func (f *dumpFlags) selects(s *trace.Stream) bool {
	if r := s.Rank().Rank; f.ranks.text != "" && (r < 0 || !f.ranks.Contains(r)) {
		return false
	}
	return f.threads.Contains(s.Thread())
}

func (f *dumpFlags) selection() string {
	switch {
	case f.ranks.text == "":
		return "thread " + f.threads.text
	case f.threads.text == "":
		return "rank " + f.ranks.text
	}
	return "rank " + f.ranks.text + ", thread " + f.threads.text
}

func (f *dumpFlags) stream(w io.Writer, s *trace.Stream) error {
	from, left := f.from, f.limit
	if f.last >= 0 {
		from = s.Calls() - min(s.Calls(), uint64(f.last))
	}
	if left == 0 {
		return nil
	}
	for c, err := range s.Iter(from) {
		if err != nil {
			return err
		}
		if err := f.call(w, s, c); err != nil {
			return err
		}
		if left--; left == 0 {
			break
		}
	}
	return nil
}

func (f *dumpFlags) call(w io.Writer, s *trace.Stream, c *trace.Call) error {
	if f.json {
		return callJSON(w, s, c)
	}
	b := make([]byte, 0, 256)
	b = fmt.Appendf(b, "%-6s %8d", streamName(s), c.Index)
	if c.Timed {
		b = fmt.Appendf(b, "  %12s %9s", seconds(c.Start), duration(c))
	}
	b = append(b, "  "...)
	b = append(b, c.Format()...)
	b = append(b, '\n')
	_, err := w.Write(b)
	return err
}

// streamName is "rank.thread", with the number of a spawned world in front of
// the rank, and "-" in place of a rank that is not known.
func streamName(s *trace.Stream) string {
	r := s.Rank()
	name := strconv.Itoa(r.Rank)
	if r.Rank < 0 {
		name = fmt.Sprintf("pid%d", r.PID)
	}
	if r.World > 0 {
		name = fmt.Sprintf("w%d:%s", r.World, name)
	}
	return name + "." + strconv.Itoa(s.Thread())
}

func seconds(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	return fmt.Sprintf("%s%d.%09d", sign, d/time.Second, d%time.Second)
}

// duration renders how long a call took with four digits.
func duration(c *trace.Call) string {
	if c.Flags&trace.Unfinished != 0 {
		return "-"
	}
	d := float64(c.Duration())
	for _, unit := range []string{"ns", "us", "ms"} {
		if d < 1000 {
			return strconv.FormatFloat(d, 'g', 4, 64) + unit
		}
		d /= 1000
	}
	return strconv.FormatFloat(d, 'f', 3, 64) + "s"
}

// callSchema names the form of the objects that --json prints.
const callSchema = "tabard.call/1"

// callJSON prints a call as one line of JSON, every line with its schema.
func callJSON(w io.Writer, s *trace.Stream, c *trace.Call) error {
	b, err := c.MarshalJSON()
	if err != nil {
		return err
	}
	line := make([]byte, 0, len(b)+64)
	line = append(line, `{"schema":"`+callSchema+`",`...)
	if world := s.Rank().World; world > 0 {
		line = fmt.Appendf(line, `"world":%d,`, world)
	}
	line = append(line, b[1:]...)
	line = append(line, '\n')
	_, err = w.Write(line)
	return err
}
