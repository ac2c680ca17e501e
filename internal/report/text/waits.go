package text

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/findings"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Waits shows who waits for whom, with at most limit lines of each table, 0 for all.
func Waits(w io.Writer, r *waits.Result, limit int) {
	render.Printf(w, "%s waiting in %s, %s of the time of all processes\n", render.Duration(r.Total.Time),
		plural(r.Total.Count, "call"), timeShare(r.Total.Time, r.Elapsed))
	if r.Short.Count > 0 {
		render.Printf(w, "%s of that, in waits of up to %s, without a search for causes: there are too many\n",
			render.Duration(r.Short.Time), render.Duration(r.Longest))
	}
	if r.Backwards.Count > 0 {
		render.Printf(w, "%s received before they are sent, by up to %s: the clocks differ\n",
			plural(r.Backwards.Count, "message"), render.Duration(r.Backwards.Max))
	}
	if r.Total.Count == 0 {
		return
	}
	fmt.Fprintln(w)
	t := render.NewTable("pattern", ">waits", ">time", ">share", ">longest")
	for k, s := range r.Kinds {
		if s.Count > 0 {
			t.Row(waits.Kind(k).String(), count(s.Count), render.Duration(s.Time), timeShare(s.Time, r.Elapsed),
				render.Duration(s.Max))
		}
	}
	t.WriteText(w)
	waitRoots(w, r, limit)
	waitGroups(w, r, limit)
	waitProcesses(w, r, limit)
	waitSteps(w, r, limit)
	waitQueues(w, r, limit)
}

func waitRoots(w io.Writer, r *waits.Result, limit int) {
	fmt.Fprintln(w, "\nCauses: who came late, where, and how much waiting goes back to that")
	t := render.NewTable("process", "comes late to", ">waiting", ">share", ">waits", ">steps", ">worst step")
	n := limited(len(r.Roots), limit)
	for i := range r.Roots[:n] {
		x := &r.Roots[i]
		steps, worst := "-", "-"
		if x.Worst >= 0 {
			steps = count(uint64(x.Steps))
			worst = fmt.Sprintf("%d (%s)", x.Worst, render.Duration(x.WorstTime))
		}
		t.Row(findings.ProcessName(r.Worlds, x.Process), report.PlaceText(x.Late.Func, x.Late.Site),
			render.Duration(x.Time), timeShare(x.Time, r.Total.Time), count(x.Waits), steps, worst)
	}
	t.WriteText(w)
	restOf(w, n, len(r.Roots))
}

func waitGroups(w io.Writer, r *waits.Result, limit int) {
	fmt.Fprintln(w, "\nWhere they wait")
	t := render.NewTable("pattern", "waiting in", "for", ">waits", ">time", ">longest", "most")
	n := limited(len(r.Groups), limit)
	for i := range r.Groups[:n] {
		g := &r.Groups[i]
		most := ""
		if len(g.Waiters) > 0 && len(g.Causers) > 0 {
			most = fmt.Sprintf("%s for %s", findings.ProcessName(r.Worlds, g.Waiters[0].Process),
				findings.ProcessName(r.Worlds, g.Causers[0].Process))
		}
		t.Row(g.Kind.String(), report.PlaceText(g.Waiting.Func, g.Waiting.Site),
			report.PlaceText(g.Late.Func, g.Late.Site),
			count(g.Count), render.Duration(g.Time), render.Duration(g.Max), most)
	}
	t.WriteText(w)
	restOf(w, n, len(r.Groups))
}

func waitProcesses(w io.Writer, r *waits.Result, limit int) {
	fmt.Fprintln(w, "\nProcesses, by the waiting that goes back to them")
	n := limited(len(r.Processes), limit)
	all := greatest(r.Processes, n, func(p *waits.Process) time.Duration { return p.Root })
	t := render.NewTable("process", ">waits", ">others wait for it", ">goes back to it")
	for _, p := range all {
		t.Row(findings.ProcessName(r.Worlds, p.Process), render.Duration(p.Total()), render.Duration(p.Caused),
			render.Duration(p.Root))
	}
	t.WriteText(w)
	restOf(w, n, len(r.Processes))
}

// greatest are the n elements with the greatest values, the greatest first, and equal ones in
// order.
func greatest[T any](all []T, n int, value func(*T) time.Duration) []*T {
	of := make([]*T, 0, min(len(all), n+1))
	order := func(a, b *T) int { return cmp.Compare(value(b), value(a)) }
	if n > 100 {
		for i := range all {
			of = append(of, &all[i])
		}
		slices.SortStableFunc(of, order)
		return of[:min(n, len(of))]
	}
	for i := range all {
		x := &all[i]
		k := len(of)
		for k > 0 && order(x, of[k-1]) < 0 {
			k--
		}
		if k < n {
			of = slices.Insert(of, k, x)
			of = of[:min(n, len(of))]
		}
	}
	return of
}

func waitQueues(w io.Writer, r *waits.Result, limit int) {
	if len(r.Queues) == 0 {
		return
	}
	fmt.Fprintln(w, "\nMessages that lay there before they were received, when there were most")
	t := render.NewTable("from", "to", ">messages", ">size", "sent in", "received in", ">blocked")
	n := limited(len(r.Queues), limit)
	for i := range r.Queues[:n] {
		q := &r.Queues[i]
		t.Row(findings.ProcessName(r.Worlds, q.From), findings.ProcessName(r.Worlds, q.To), count(uint64(q.Most)),
			byteSize(q.Bytes), report.PlaceText(q.Sent.Func, q.Sent.Site),
			report.PlaceText(q.Received.Func, q.Received.Site), render.Duration(q.Blocked.Time))
	}
	t.WriteText(w)
	restOf(w, n, len(r.Queues))
}

func waitSteps(w io.Writer, r *waits.Result, limit int) {
	if len(r.Steps) == 0 {
		return
	}
	fmt.Fprintln(w, "\nTime steps with the most waiting")
	n := limited(len(r.Steps), limit)
	all := greatest(r.Steps, n, func(s *waits.Step) time.Duration { return s.Time })
	t := render.NewTable(">step", ">waiting", "mostly because")
	for _, s := range all {
		why := ""
		if s.Root >= 0 {
			x := &r.Roots[s.Root]
			why = fmt.Sprintf("%s comes late to %s (%s)", findings.ProcessName(r.Worlds, x.Process),
				report.PlaceText(x.Late.Func, x.Late.Site), render.Duration(s.RootTime))
		}
		t.Row(fmt.Sprint(s.Step), render.Duration(s.Time), why)
	}
	t.WriteText(w)
	restOf(w, n, len(r.Steps))
}
