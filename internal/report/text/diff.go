package text

import (
	"fmt"
	"io"
	"time"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Diff shows in what two recordings differ.
func Diff(w io.Writer, v *report.DiffView, r *diff.Result) {
	render.Printf(w, "A %s\nB %s\n", v.A, v.B)
	for _, n := range r.Notes {
		render.Printf(w, "note: %s\n", n)
	}
	if v.What != "time" {
		scope := fmt.Sprintf("%s, %s of A", plural(uint64(r.Ranks), "rank"), plural(r.Calls, "call"))
		if n := len(r.Differences); n > 0 {
			render.Printf(w, "%s in %s (%s)\n", plural(uint64(n), "difference"), compared(v.What), scope)
		} else if len(r.Follows) > 0 {
			render.Printf(w, "the same in %s, but for the order of arrival (%s)\n", compared(v.What), scope)
		} else {
			render.Printf(w, "the same in %s (%s)\n", compared(v.What), scope)
		}
	}
	for i, d := range r.Differences {
		if v.Limit > 0 && i == v.Limit {
			rest(w, fmt.Sprintf("and %d", len(r.Differences)-i))
			break
		}
		render.Printf(w, "%3d. %s\n", i+1, report.DifferenceText(d))
	}
	diffArrivals(w, v, r)
	diffMoved(w, v, r)
	diffOrder(w, v, r)
	if r.Times != nil {
		diffTimes(w, v, r.Times)
	} else if v.What == "time" && !v.Different(r) && len(r.Notes) == 0 {
		fmt.Fprintln(w, "no times to compare")
	}
}

// diffArrivals says where the order in which messages arrive differs first, if something else
// differs, and what is laid to that.
func diffArrivals(w io.Writer, v *report.DiffView, r *diff.Result) {
	for _, x := range r.Arrivals {
		rank := fmt.Sprintf("rank %d", x.Rank)
		if x.World > 0 {
			rank = fmt.Sprintf("world %d %s", x.World, rank)
		}
		render.Printf(w, "order of arrival and completion: first different at %s, which gets %s "+
			"instead of %s as %s of %s (call %d)\n",
			rank, report.Short(x.B), report.Short(x.A), x.Param, report.CallText(x.Call), x.CallA)
	}
	if n := len(r.Follows); n > 0 {
		render.Printf(w, "  %s after that may follow from it: all ranks together made the same calls\n",
			plural(uint64(n), "difference"))
	}
	for i, d := range r.Follows {
		if limit := 3; i == limit && v.Limit > 0 && !v.Strict {
			render.Printf(w, "  ... and %d more\n", len(r.Follows)-i)
			break
		}
		render.Printf(w, "  %s\n", report.DifferenceText(d))
	}
}

func diffMoved(w io.Writer, v *report.DiffView, r *diff.Result) {
	if len(r.Moved) == 0 {
		return
	}
	render.Printf(w, "moved: %s\n", plural(uint64(len(r.Moved)), "call site"))
	for i, m := range r.Moved {
		if limit := 5; i == limit && v.Limit > 0 && !v.Strict {
			render.Printf(w, "  ... and %d more\n", len(r.Moved)-i)
			break
		}
		render.Printf(w, "  %s: now at %s\n", report.CallText(diff.Call{Func: m.Func, Site: m.A}), m.B)
	}
}

func diffOrder(w io.Writer, v *report.DiffView, r *diff.Result) {
	if len(r.Order) == 0 {
		return
	}
	var n uint64
	for _, o := range r.Order {
		n += o.Count
	}
	render.Printf(w,
		"order: %s of what differs from run to run (completion, wildcards, polls, addresses, the machine)\n",
		plural(n, "value"))
	for i, o := range r.Order {
		if limit := 5; i == limit && v.Limit > 0 && !v.Strict {
			render.Printf(w, "  ... at %s\n", plural(uint64(len(r.Order)-i), "more place"))
			break
		}
		render.Printf(w, "  %s of %s: %s at %s\n", o.Param, report.CallText(diff.Call{Func: o.Func, Site: o.Site}),
			plural(o.Count, "time"), plural(uint64(o.Ranks), "rank"))
	}
}

func diffTimes(w io.Writer, v *report.DiffView, t *diff.Times) {
	render.Printf(w, "time: %s in all instead of %s; in calls, of all ranks together, %s instead of %s\n",
		render.Duration(t.ElapsedB), render.Duration(t.ElapsedA), render.Duration(t.CallsB), render.Duration(t.CallsA))
	limit := 5
	if v.What == "time" {
		limit = v.Limit
	}
	for i, s := range t.Sites {
		if limit > 0 && i == limit {
			render.Printf(w, "  ... and %s (--what time shows them)\n",
				plural(uint64(len(t.Sites)-i), "more call site"))
			break
		}
		render.Printf(w, "  %s: %s instead of %s (%s)\n", report.CallText(diff.Call{Func: s.Func, Site: s.Site}),
			render.Duration(s.B), render.Duration(s.A), change(s.A, s.B))
	}
	ranks := func(list []diff.RankTime, what string) {
		for i, r := range list {
			if limit > 0 && i == limit {
				render.Printf(w, "  ... and %s more\n", plural(uint64(len(list)-i), "rank"))
				break
			}
			name := fmt.Sprintf("rank %d", r.Rank)
			if r.World > 0 {
				name = fmt.Sprintf("world %d rank %d", r.World, r.Rank)
			}
			render.Printf(w, "  %s is %s outside of calls: %s instead of %s (%s)\n", name, what, render.Duration(r.B),
				render.Duration(r.A), change(r.A, r.B))
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

// compared names what was compared.
func compared(what string) string {
	switch what {
	case "params":
		return "parameters"
	case "all":
		return "structure and parameters"
	}
	return what
}
