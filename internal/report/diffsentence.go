package report

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/render"
)

// CallText names a call, and where it is made if that is known.
func CallText(c diff.Call) string {
	switch c.Func {
	case "function_close":
		return "a return"
	case "function_open", "function_calls", "function_inside", "function_counted":
		return "function " + c.Site
	}
	if c.Site == "" {
		return c.Func
	}
	return c.Func + " at " + c.Site
}

// who is "rank 3" or "ranks 1-15:2", with world and thread where that is not the first.
func who(d *diff.Difference, verb string) string {
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

// DifferenceText is a difference as a sentence.
func DifferenceText(d *diff.Difference) string {
	switch d.Kind {
	case diff.Parameter:
		return parameterText(d)
	case diff.Outcome:
		return fmt.Sprintf("%s %s as %s of %s%s", who(d, "gets"), insteadOf(d), d.Param, CallText(d.Call),
			occurrences(d))
	case diff.Trips:
		if d.Param == "" && len(d.Calls) == 1 && d.More == 0 && d.Calls[0].Count == 1 {
			return fmt.Sprintf("%s %s %s times in a row instead of %s%s%s", who(d, "calls"), CallText(d.Call), d.B,
				d.A, times(d), where(d.Places, false))
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
	case diff.Order:
		if len(d.Calls) == 2 && d.More == 0 && d.Calls[0].Count == 1 && d.Calls[1].Count == 1 {
			return fmt.Sprintf("%s %s before %s instead of after it%s%s", who(d, "calls"), CallText(d.Calls[1]),
				CallText(d.Calls[0]), times(d), where(d.Places, false))
		}
		return fmt.Sprintf("%s in another order: %s%s%s", who(d, "makes calls"), callsText(d), times(d),
			where(d.Places, false))
	case diff.Missing:
		return fmt.Sprintf("%s %s%s%s", who(d, "does not call"), callsText(d), times(d), where(d.Places, false))
	case diff.Extra:
		return fmt.Sprintf("%s %s, which A does not%s%s", who(d, "calls"), callsText(d), times(d),
			where(d.Places, false))
	case diff.Hang, diff.Stop:
		return endText(d)
	case diff.Inside:
		return fmt.Sprintf("%s %s in %s%s%s", who(d, "calls"), insteadOf(d), d.Param, times(d), where(d.Places, false))
	}
	return processesText(d)
}

func endText(d *diff.Difference) string {
	verb := "hangs in " + CallText(d.Call)
	if d.Kind == diff.Stop {
		verb = "stops after " + CallText(d.Call)
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

func wentOn(d *diff.Difference, other string) string {
	text := ""
	if d.A != "" {
		text = " with " + d.A
	}
	if d.More > 0 {
		text += fmt.Sprintf("; %s of %s were not made", render.Plural(d.More, "call"), other)
	}
	return text
}

func processesText(d *diff.Difference) string {
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
func parameterText(d *diff.Difference) string {
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
		return fmt.Sprintf("%s %s at %s (%s of %s%s)%s", who(d, verb), what, site, d.Param, d.Call.Func, share(d),
			first(d))
	}
	return fmt.Sprintf("%s %s = %s to %s%s", who(d, "passes"), d.Param, insteadOf(d), CallText(d.Call), occurrences(d))
}

func insteadOf(d *diff.Difference) string {
	text := Short(d.B) + " instead of " + Short(d.A)
	if d.Varies {
		text += ", and others"
	}
	return text
}

// Short cuts long values.
func Short(s string) string {
	if len(s) <= 200 {
		return s
	}
	return strings.ToValidUTF8(s[:200], "") + "..."
}

// share is how often of how many times.
func share(d *diff.Difference) string {
	if d.Of > 0 {
		return fmt.Sprintf(", %d of %s", d.Count, render.Plural(d.Of, "time"))
	}
	return ", " + render.Plural(d.Count, "time")
}

func occurrences(d *diff.Difference) string {
	return fmt.Sprintf(" (%s)%s", strings.TrimPrefix(share(d), ", "), first(d))
}

// first is where a parameter differs first, unless it always does.
func first(d *diff.Difference) string {
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
func times(d *diff.Difference) string {
	if d.Count <= 1 {
		return ""
	}
	return fmt.Sprintf(", %d times", d.Count)
}

// where is the iterations of loops that something is in first.
func where(places []diff.Place, outer bool) string {
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

func callsText(d *diff.Difference) string {
	var parts []string
	for _, c := range d.Calls {
		text := CallText(c)
		if c.Count > 1 {
			text += fmt.Sprintf(" %d times", c.Count)
		}
		parts = append(parts, text)
	}
	if d.More > 0 {
		parts = append(parts, render.Plural(d.More, "more call"))
	}
	return strings.Join(parts, ", ")
}
