package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tabard/analysis/compare"
	"tabard/internal/render"
)

func (f *diffFlags) print(w io.Writer, args []string, r *compare.Result, different bool) {
	fmt.Fprintf(w, "A %s\nB %s\n", args[0], args[1])
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	if f.what.value != "time" {
		scope := fmt.Sprintf("%s, %s of A", plural(uint64(r.Ranks), "rank"), plural(r.Calls, "call"))
		if n := len(r.Differences); n > 0 {
			fmt.Fprintf(w, "%s in %s (%s)\n", plural(uint64(n), "difference"), f.diffWhat(), scope)
		} else if len(r.Follows) > 0 {
			fmt.Fprintf(w, "the same in %s, but for the order of arrival (%s)\n", f.diffWhat(), scope)
		} else {
			fmt.Fprintf(w, "the same in %s (%s)\n", f.diffWhat(), scope)
		}
	}
	for i, d := range r.Differences {
		if f.limit > 0 && i == f.limit {
			fmt.Fprintf(w, "... and %d more (--limit 0 shows all)\n", len(r.Differences)-i)
			break
		}
		fmt.Fprintf(w, "%3d. %s\n", i+1, diffText(d))
	}
	f.printArrivals(w, r)
	f.printMoved(w, r)
	f.printOrder(w, r)
	if r.Times != nil {
		f.printTimes(w, r.Times)
	} else if f.what.value == "time" && !different && len(r.Notes) == 0 {
		fmt.Fprintln(w, "no times to compare")
	}
}

// printArrivals says where the order in which messages arrive differs first, if something else differs, and what is laid to that.
func (f *diffFlags) printArrivals(w io.Writer, r *compare.Result) {
	for _, x := range r.Arrivals {
		rank := fmt.Sprintf("rank %d", x.Rank)
		if x.World > 0 {
			rank = fmt.Sprintf("world %d %s", x.World, rank)
		}
		fmt.Fprintf(w, "order of arrival and completion: first different at %s, which gets %s instead of %s as %s of %s (call %d)\n", rank, short(x.B), short(x.A), x.Param, callText(x.Call), x.CallA)
	}
	if n := len(r.Follows); n > 0 {
		fmt.Fprintf(w, "  %s after that may follow from it: all ranks together made the same calls\n", plural(uint64(n), "difference"))
	}
	for i, d := range r.Follows {
		if limit := 3; i == limit && f.limit > 0 && !f.strict {
			fmt.Fprintf(w, "  ... and %d more\n", len(r.Follows)-i)
			break
		}
		fmt.Fprintf(w, "  %s\n", diffText(d))
	}
}

func (f *diffFlags) printMoved(w io.Writer, r *compare.Result) {
	if len(r.Moved) == 0 {
		return
	}
	fmt.Fprintf(w, "moved: %s\n", plural(uint64(len(r.Moved)), "call site"))
	for i, m := range r.Moved {
		if limit := 5; i == limit && f.limit > 0 && !f.strict {
			fmt.Fprintf(w, "  ... and %d more\n", len(r.Moved)-i)
			break
		}
		fmt.Fprintf(w, "  %s: now at %s\n", callText(compare.Call{Func: m.Func, Site: m.A}), m.B)
	}
}

func (f *diffFlags) printOrder(w io.Writer, r *compare.Result) {
	if len(r.Order) == 0 {
		return
	}
	var n uint64
	for _, o := range r.Order {
		n += o.Count
	}
	fmt.Fprintf(w, "order: %s of what differs from run to run (completion, wildcards, polls, addresses, the machine)\n", plural(n, "value"))
	for i, o := range r.Order {
		if limit := 5; i == limit && f.limit > 0 && !f.strict {
			fmt.Fprintf(w, "  ... at %s\n", plural(uint64(len(r.Order)-i), "more place"))
			break
		}
		fmt.Fprintf(w, "  %s of %s: %s at %s\n", o.Param, callText(compare.Call{Func: o.Func, Site: o.Site}), plural(o.Count, "time"), plural(uint64(o.Ranks), "rank"))
	}
}

func (f *diffFlags) printTimes(w io.Writer, t *compare.Times) {
	fmt.Fprintf(w, "time: %s in all instead of %s; in calls, of all ranks together, %s instead of %s\n",
		render.Duration(t.ElapsedB), render.Duration(t.ElapsedA), render.Duration(t.CallsB), render.Duration(t.CallsA))
	limit := 5
	if f.what.value == "time" {
		limit = f.limit
	}
	for i, s := range t.Sites {
		if limit > 0 && i == limit {
			fmt.Fprintf(w, "  ... and %s (--what time shows them)\n", plural(uint64(len(t.Sites)-i), "more call site"))
			break
		}
		fmt.Fprintf(w, "  %s: %s instead of %s (%s)\n", callText(compare.Call{Func: s.Func, Site: s.Site}), render.Duration(s.B), render.Duration(s.A), change(s.A, s.B))
	}
	ranks := func(list []compare.RankTime, what string) {
		for i, r := range list {
			if limit > 0 && i == limit {
				fmt.Fprintf(w, "  ... and %s more\n", plural(uint64(len(list)-i), "rank"))
				break
			}
			name := fmt.Sprintf("rank %d", r.Rank)
			if r.World > 0 {
				name = fmt.Sprintf("world %d rank %d", r.World, r.Rank)
			}
			fmt.Fprintf(w, "  %s is %s outside of calls: %s instead of %s (%s)\n", name, what, render.Duration(r.B), render.Duration(r.A), change(r.A, r.B))
		}
	}
	ranks(t.Slower, "slower")
	ranks(t.Faster, "faster")
}

func change(a, b time.Duration) string {
	if a == 0 {
		return "new"
	}
	return fmt.Sprintf("%+.0f%%", 100*float64(b-a)/float64(a))
}

func callText(c compare.Call) string {
	if c.Site == "" {
		return c.Func
	}
	return c.Func + " at " + c.Site
}

// who is "rank 3" or "ranks 1-15:2", with world and thread where that is not the first.
func who(d *compare.Difference, verb string) string {
	text := "rank " + d.Ranks.String() + " " + verb
	if d.Ranks.Len() > 1 {
		text = "ranks " + d.Ranks.String() + " " + pluralVerb(verb)
	}
	if d.World > 0 {
		text = fmt.Sprintf("world %d %s", d.World, text)
	}
	if d.Thread > 0 {
		text = fmt.Sprintf("thread %d of %s", d.Thread, text)
	}
	return text
}

// pluralVerb is the verb of several, of the third person's.
func pluralVerb(verb string) string {
	first, rest, _ := strings.Cut(verb, " ")
	switch first {
	case "does":
		first = "do"
	case "is":
		first = "are"
	case "passes":
		first = "pass"
	default:
		first = strings.TrimSuffix(first, "s")
	}
	return strings.TrimSpace(first + " " + rest)
}

// diffText is a difference as a sentence.
func diffText(d *compare.Difference) string {
	switch d.Kind {
	case compare.Parameter:
		return parameterText(d)
	case compare.Outcome:
		return fmt.Sprintf("%s %s as %s of %s%s", who(d, "gets"), insteadOf(d), d.Param, callText(d.Call), occurrences(d))
	case compare.Trips:
		if d.Param == "" && len(d.Calls) == 1 && d.More == 0 && d.Calls[0].Count == 1 {
			return fmt.Sprintf("%s %s %s times in a row instead of %s%s%s", who(d, "calls"), callText(d.Call), d.B, d.A, times(d), where(d.Places, false))
		}
		loop := "a loop"
		if d.Step {
			loop = "the time-step loop"
		}
		if d.Param != "" {
			loop += " at " + d.Param
		}
		text := fmt.Sprintf("%s %s %s times instead of %s (%s)", who(d, "repeats"), loop, d.B, d.A, callsText(d))
		return text + times(d) + where(d.Places, true)
	case compare.Order:
		if len(d.Calls) == 2 && d.More == 0 && d.Calls[0].Count == 1 && d.Calls[1].Count == 1 {
			return fmt.Sprintf("%s %s before %s instead of after it%s%s", who(d, "calls"), callText(d.Calls[1]), callText(d.Calls[0]), times(d), where(d.Places, false))
		}
		return fmt.Sprintf("%s in another order: %s%s%s", who(d, "makes calls"), callsText(d), times(d), where(d.Places, false))
	case compare.Missing:
		return fmt.Sprintf("%s %s%s%s", who(d, "does not call"), callsText(d), times(d), where(d.Places, false))
	case compare.Extra:
		return fmt.Sprintf("%s %s, which A does not%s%s", who(d, "calls"), callsText(d), times(d), where(d.Places, false))
	case compare.Hang, compare.Stop:
		return endText(d)
	}
	return processesText(d)
}

func endText(d *compare.Difference) string {
	verb := "hangs in " + callText(d.Call)
	if d.Kind == compare.Stop {
		verb = "stops after " + callText(d.Call)
		if d.Call.Func == "" {
			verb = "stops before its first call"
		}
	}
	if d.OnlyA {
		return fmt.Sprintf("%s in A, where B went on%s%s", who(d, verb), wentOn(d, "B"), where(d.Places, false))
	}
	if strings.HasPrefix(d.A, "hangs") {
		return fmt.Sprintf("%s where A %s%s", who(d, verb), d.A, where(d.Places, false))
	}
	return fmt.Sprintf("%s where A went on%s%s", who(d, verb), wentOn(d, "A"), where(d.Places, false))
}

func wentOn(d *compare.Difference, other string) string {
	text := ""
	if d.A != "" {
		text = " with " + d.A
	}
	if d.More > 0 {
		text += fmt.Sprintf("; %s of %s were not made", plural(d.More, "call"), other)
	}
	return text
}

func processesText(d *compare.Difference) string {
	has, lacks := "A", "B"
	if !d.OnlyA {
		has, lacks = lacks, has
	}
	what := "rank " + d.Ranks.String()
	if d.Ranks.Len() > 1 {
		what = "ranks " + d.Ranks.String()
	}
	if d.World > 0 {
		what = fmt.Sprintf("%s of world %d", what, d.World)
	}
	if d.Thread > 0 {
		what = fmt.Sprintf("thread %d of %s", d.Thread, what)
	} else if d.Thread == 0 {
		what = "any calls of " + what
	}
	return fmt.Sprintf("only %s has %s; %s lacks them", has, what, lacks)
}

// parameterText says what a call was given instead.
func parameterText(d *compare.Difference) string {
	f := strings.TrimPrefix(d.Call.Func, "MPI_")
	verb := ""
	for _, v := range []struct{ functions, verb string }{
		{"Send Isend Ssend Issend Bsend Ibsend Rsend Irsend Send_init Ssend_init Bsend_init Rsend_init", "sends"},
		{"Recv Irecv Recv_init", "receives"},
	} {
		for _, name := range strings.Fields(v.functions) {
			if f == name || f == name+"_c" {
				verb = v.verb
			}
		}
	}
	what := ""
	switch {
	case verb == "":
	case d.Param == "count" && verb == "receives":
		what = "at most " + insteadOf(d)
	case d.Param == "count":
		what = insteadOf(d)
	case d.Param == "dest":
		what = "to " + insteadOf(d)
	case d.Param == "source":
		what = "from " + insteadOf(d)
	case d.Param == "tag":
		what = "with tag " + insteadOf(d)
	}
	site := d.Call.Site
	if site == "" {
		site = d.Call.Func
	}
	if what != "" {
		return fmt.Sprintf("%s %s at %s (%s of %s%s)%s", who(d, verb), what, site, d.Param, d.Call.Func, share(d), first(d))
	}
	return fmt.Sprintf("%s %s = %s to %s%s", who(d, "passes"), d.Param, insteadOf(d), callText(d.Call), occurrences(d))
}

func insteadOf(d *compare.Difference) string {
	text := short(d.B) + " instead of " + short(d.A)
	if d.Varies {
		text += ", and others"
	}
	return text
}

// short cuts long values.
func short(s string) string {
	if len(s) <= 200 {
		return s
	}
	return strings.ToValidUTF8(s[:200], "") + "..."
}

// share is how often of how many times.
func share(d *compare.Difference) string {
	if d.Of > 0 {
		return fmt.Sprintf(", %d of %s", d.Count, plural(d.Of, "time"))
	}
	return ", " + plural(d.Count, "time")
}

func occurrences(d *compare.Difference) string {
	return fmt.Sprintf(" (%s)%s", strings.TrimPrefix(share(d), ", "), first(d))
}

// first is where a parameter differs first, unless it always does.
func first(d *compare.Difference) string {
	switch {
	case d.Count == d.Of && d.Of > 1:
		return ""
	case d.FromThereOn:
		return where(d.Places, false) + ", from there on"
	case d.Count > 1 && len(d.Places) > 0:
		return ", first" + strings.TrimPrefix(where(d.Places, false), ",")
	}
	return where(d.Places, false)
}

// times is how often something that is not a parameter differs.
func times(d *compare.Difference) string {
	if d.Count <= 1 {
		return ""
	}
	return fmt.Sprintf(", %d times", d.Count)
}

// where is the iterations of loops that something is in first.
func where(places []compare.Place, outer bool) string {
	if outer && len(places) > 0 {
		places = places[:len(places)-1]
	}
	var parts []string
	for i := len(places) - 1; i >= 0; i-- {
		p := places[i]
		loop := "of the loop"
		if p.Step {
			loop = "of the time-step loop"
		}
		if p.Loop != "" {
			loop += " at " + p.Loop
		}
		parts = append(parts, fmt.Sprintf("iteration %d %s (of %d)", p.Iteration, loop, p.Iterations))
	}
	if parts == nil {
		return ""
	}
	return ", in " + strings.Join(parts, ", in ")
}

func callsText(d *compare.Difference) string {
	var parts []string
	for _, c := range d.Calls {
		text := callText(c)
		if c.Count > 1 {
			text += fmt.Sprintf(" %d times", c.Count)
		}
		parts = append(parts, text)
	}
	if d.More > 0 {
		parts = append(parts, plural(d.More, "more call"))
	}
	return strings.Join(parts, ", ")
}
