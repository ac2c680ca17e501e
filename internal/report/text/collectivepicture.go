package text

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// CollectiveDiagram is an instance of a finding with its messages alone.
func CollectiveDiagram(f *collectives.Finding, d *report.ManualCollective) *render.SpaceTime {
	steps := f.Diagram()
	var ranks []int32
	for _, s := range steps {
		ranks = append(ranks, s.From, s.To)
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	out := &render.SpaceTime{
		Title: fmt.Sprintf("%s, %s: %s", d.Operation, d.Grade, d.Algorithm),
		Note: fmt.Sprintf("one of %s; time is in steps, not to scale: %s", plural(d.Instances, "instance"),
			plural(uint64(len(steps)), "message")),
		RowAxis: "rank",
	}
	for _, r := range ranks {
		out.Rows = append(out.Rows, fmt.Sprint(r))
	}
	for _, s := range steps {
		from, _ := slices.BinarySearch(ranks, s.From)
		to, _ := slices.BinarySearch(ranks, s.To)
		out.Flights = append(out.Flights,
			render.Flight{From: from, To: to, Start: float64(s.SentAt - 1), End: float64(s.ReceivedAt - 1),
				Color: render.Blue})
	}
	if len(steps) > 0 {
		low := slices.MinFunc(steps, func(a, b collectives.Step) int { return cmp.Compare(a.Bytes, b.Bytes) })
		high := slices.MaxFunc(steps, func(a, b collectives.Step) int { return cmp.Compare(a.Bytes, b.Bytes) })
		out.Note += " of " + byteSize(low.Bytes)
		if low.Bytes < high.Bytes {
			out.Note += " to " + byteSize(high.Bytes)
		}
	}
	return out
}
