package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tabard-hpc/tabard/bench/internal/programs"
)

const legend = `Bytes are per call. A call has a duration and a gap, the time between its begin and the end of the
call before; they are stored alone or both. HIST is the smaller one of hist with K = 3 and with K =
8 at the same bound. Errors are against the recorded times, greatest and mean; starts are rebuilt
from gaps and durations. PSNR is 20 log10(range / root mean square error), in dB. Speed is in
millions of values, two a call, per second of one core's time.
`

// print writes the table of a program.
func (res *result) print(w io.Writer) {
	fmt.Fprintf(w, `
**%s**, %d ranks, %s calls

| mode | bound | durations | gaps | both | times smaller than HIST | duration error | gap error | start error | PSNR durations / gaps | encode | decode |
|---|---|---|---|---|---|---|---|---|---|---|---|
`, res.program.Name, res.program.Ranks, programs.Commas(res.calls))
	for i := range res.rows {
		fmt.Fprintln(w, res.line(&res.rows[i]))
	}
}

func (res *result) line(r *row) string {
	per := func(bytes int64) string { return fmt.Sprintf("%.3f", float64(bytes)/float64(res.calls)) }
	cells := []string{r.mode.name, r.mode.bound, per(r.durations), per(r.gaps), "**" + per(r.whole) + "**", "-"}
	if hist := res.hist(r.mode.relative); hist != nil {
		cells[5] = fmt.Sprintf("%.2f", float64(hist.whole)/float64(r.whole))
	}
	switch exact := r.durationErrors.MaxAbs == 0 && r.startErrors.MaxAbs == 0; {
	case !r.decoded:
		cells = append(cells, "-", "-", "-", "-")
	case exact:
		cells = append(cells, "0", "0", "0", "exact")
	default:
		cells = append(cells, res.errors(&r.durationErrors, true), res.errors(&r.gapErrors, true),
			res.errors(&r.startErrors, false),
			decibels(&r.durationErrors)+" / "+decibels(&r.gapErrors))
	}
	cells = append(cells, r.speed(r.encodeTime.Seconds()), r.speed(r.decodeTime.Seconds()))
	return "| " + strings.Join(cells, " | ") + " |"
}

// hist is the smaller one of the rows of hist with a bound; nil without.
func (res *result) hist(bound float64) *row {
	if bound == 0 {
		return nil
	}
	var least *row
	for _, name := range []string{"hist", "hist, k=8"} {
		for _, r := range likes(res.rows, name, bound) {
			if least == nil || r.whole < least.whole {
				least = &r
			}
		}
	}
	return least
}

// errors writes the greatest error, relative if that means something, and the mean one.
func (res *result) errors(e *valueErrors, relative bool) string {
	s := nanoseconds(float64(e.MaxAbs)*res.nsPerTick) + ", " + nanoseconds(e.Mean()*res.nsPerTick)
	if relative && e.MaxRel <= 1 {
		s = fmt.Sprintf("%.2f %%, ", e.MaxRel*100) + s
	}
	return s
}

// nanoseconds writes a time with three digits.
func nanoseconds(ns float64) string {
	units := []string{"ns", "us", "ms", "s"}
	for i, unit := range units {
		if ns < 999.5 || i == len(units)-1 {
			return fmt.Sprintf("%.3g %s", ns, unit)
		}
		ns /= 1000
	}
	return ""
}

func decibels(e *valueErrors) string {
	if p := e.PSNR(); !math.IsInf(p, 0) {
		return fmt.Sprintf("%.1f", p)
	}
	return "exact"
}

func (r *row) speed(seconds float64) string {
	if seconds <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(r.values)/seconds/1e6)
}
