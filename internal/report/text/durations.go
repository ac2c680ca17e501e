package text

import (
	"fmt"
	"io"
	"math/bits"
	"time"

	"github.com/tabard-hpc/tabard/internal/render"
	"github.com/tabard-hpc/tabard/internal/report"
)

// Durations shows how long calls took.
func Durations(w io.Writer, t render.Terminal, all []report.CallDurations) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "no such calls")
		return err
	}
	for i := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := DurationsChart(&all[i]).WriteText(w, t); err != nil {
			return err
		}
		d := &all[i].Durations
		render.Printf(w, "a tenth take up to %s, half %s, all but a hundredth %s; "+
			"%s more than if all were as fast as the fastest tenth\n",
			render.Duration(d.P10), render.Duration(d.P50), render.Duration(d.P99), render.Duration(d.Excess))
	}
	return nil
}

// DurationsChart makes the chart: a bar for each power of two.
func DurationsChart(h *report.CallDurations) *render.Bars {
	b := &render.Bars{Title: h.Name, Axis: "duration", Value: "calls", Unit: render.Number, Upright: true,
		Note: fmt.Sprintf("%s, %s", plural(h.Durations.Count, "call"), render.Duration(h.Time))}
	power := func(d time.Duration) int { return bits.Len64(uint64(d)) } // durations below 1<<power
	var counts [65]uint64
	first, last := 64, 0
	for _, x := range h.Durations.Bins {
		k := power(x.From)
		counts[k] += x.Count
		first, last = min(first, k), max(last, k)
	}
	for k := first; k <= last; k++ {
		b.Bars = append(b.Bars, render.Bar{Label: "< " + render.Duration(1<<min(k, 62)),
			Values: []float64{float64(counts[k])}})
	}
	return b
}
