package clocks

import (
	"math"
	"slices"
	"time"
)

// bounds are the limits between which a clock's correction has to lie.
type bounds struct{ upper, lower []point }

// line is the correction v0 + slope*(x-x0).
type line struct{ x0, v0, slope float64 }

func (l line) at(x float64) float64 { return l.v0 + l.slope*(x-l.x0) }

// maxSlope is the largest drift that is believed: twice what NTP may correct.
const maxSlope = 1e-3

// gap is the least upper and the greatest lower bound of v0 for lines of a slope.
func (b *bounds) gap(x0, slope float64) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	for _, p := range b.upper {
		high = min(high, p.v-slope*(p.x-x0))
	}
	for _, p := range b.lower {
		low = max(low, p.v-slope*(p.x-x0))
	}
	return low, high
}

// margin is the distance of a slope's middle line from the bounds, negative if no line of that
// slope fits.
func (b *bounds) margin(x0, slope float64) float64 {
	low, high := b.gap(x0, slope)
	return (high - low) / 2
}

// best is the line that stays as far from all bounds as possible, and how far. The margin is
// concave in the slope. Where many slopes are as good, the middle of them is taken, or the one
// nearest to 0 if that has no end.
func (b *bounds) best(x0 float64) (line, float64) {
	top, margin := peak(-maxSlope, maxSlope, 70, func(s float64) float64 { return b.margin(x0, s) })
	enough := margin - max(0.5, math.Abs(margin)/100)
	first, last := b.reach(x0, top, -maxSlope, enough), b.reach(x0, top, maxSlope, enough)
	slope := (first + last) / 2
	if first == -maxSlope || last == maxSlope {
		slope = max(first, min(last, 0))
	}
	low, high := b.gap(x0, slope)
	return line{x0, (low + high) / 2, slope}, margin
}

// reach is how far the slope may move towards another one while the margin is large enough.
func (b *bounds) reach(x0, from, to, enough float64) float64 {
	if b.margin(x0, to) >= enough {
		return to
	}
	for range 60 {
		if mid := (from + to) / 2; b.margin(x0, mid) >= enough {
			from = mid
		} else {
			to = mid
		}
	}
	return from
}

// shift is the least constant that a bound on one side asks for.
func (b *bounds) shift() line {
	low, high := b.gap(0, 0)
	return line{v0: max(low, min(high, 0))}
}

// extremes are the least and the greatest value at x of the lines between the bounds.
func (b *bounds) extremes(x float64) (low, high float64) {
	// v0 at x itself: low and high are convex and concave in the slope.
	l, _ := b.best(x)
	from, to := b.reach(x, l.slope, -maxSlope, 0), b.reach(x, l.slope, maxSlope, 0)
	_, low = peak(from, to, 60, func(s float64) float64 { v, _ := b.gap(x, s); return -v })
	_, high = peak(from, to, 60, func(s float64) float64 { _, v := b.gap(x, s); return v })
	return -low, high
}

// peak is the maximum of a concave function, and where it is. Each step takes a third of the range
// away.
func peak(lo, hi float64, steps int, f func(float64) float64) (at, top float64) {
	for range steps {
		m1, m2 := lo+(hi-lo)/3, hi-(hi-lo)/3
		if f(m1) < f(m2) {
			lo = m1
		} else {
			hi = m2
		}
	}
	at = (lo + hi) / 2
	return at, f(at)
}

// maxBends is how often the time is halved: into stretches as long as the windows of hulls.
const maxBends = 5

// polyline is the correction with as few bends as possible: where one line does not fit, each half
// of the time has its own, and so on. It goes through the mean where two lines meet.
func (b *bounds) polyline(end float64) []Knot {
	switch {
	case len(b.upper) == 0 && len(b.lower) == 0:
		return nil
	case len(b.upper) == 0 || len(b.lower) == 0:
		return lineKnots([]stretch{{0, end, b.shift()}}, end)
	}
	l, margin := b.best(end / 2)
	one := lineKnots([]stretch{{0, end, l}}, end)
	if margin >= 0 {
		return one
	}
	whole := firstWindow * maxWindows
	for whole <= end {
		whole *= 2
	}
	// Bends have to pay.
	if many := lineKnots(b.split(nil, 0, whole, maxBends), end); b.violation(many) < b.violation(one)/2 {
		return many
	}
	return one
}

// violation is by how much a correction is outside the bounds at most.
func (b *bounds) violation(ks []Knot) (worst float64) {
	c := Clock{Knots: ks}
	for _, p := range b.upper {
		worst = max(worst, c.value(p.x)-p.v)
	}
	for _, p := range b.lower {
		worst = max(worst, p.v-c.value(p.x))
	}
	return worst
}

// stretch is the line of a part of the time.
type stretch struct {
	from, to float64
	line
}

// split appends the lines of a stretch of time. Where there are no bounds on both sides there is
// none.
func (b *bounds) split(out []stretch, from, to float64, bends int) []stretch {
	part := bounds{clip(b.upper, from, to), clip(b.lower, from, to)}
	if len(part.upper) == 0 || len(part.lower) == 0 {
		return out
	}
	l, margin := part.best((from + to) / 2)
	if margin >= 0 || bends == 0 {
		return append(out, stretch{from, to, l})
	}
	mid := (from + to) / 2
	return part.split(part.split(out, from, mid, bends-1), mid, to, bends-1)
}

// lineKnots joins lines.
func lineKnots(lines []stretch, end float64) []Knot {
	var ks []Knot
	knot := func(at, v float64) {
		ks = append(ks, Knot{time.Duration(math.Round(at)), time.Duration(math.Round(v))})
	}
	if len(lines) == 0 {
		return nil
	}
	knot(0, lines[0].at(0))
	for i := 1; i < len(lines); i++ {
		x := (lines[i-1].to + lines[i].from) / 2
		knot(x, (lines[i-1].at(x)+lines[i].at(x))/2)
	}
	knot(end, lines[len(lines)-1].at(end))
	for i := range len(ks) - 1 { // time does not go back, whatever the lines
		ks[i+1].Add = max(ks[i+1].Add, ks[i].Add-(ks[i+1].At-ks[i].At)/2)
	}
	return simplify(ks)
}

// clip is the points of a stretch of time. Times before the start of the trace belong to the first
// one.
func clip(ps []point, from, to float64) (out []point) {
	for _, p := range ps {
		if (p.x >= from || from <= 0) && p.x <= to {
			out = append(out, p)
		}
	}
	return out
}

// simplify leaves out knots that lie on the line between others.
func simplify(ks []Knot) []Knot {
	out := ks[:1:1]
	for i := 1; i < len(ks); i++ {
		if i+1 < len(ks) {
			c := Clock{Knots: []Knot{out[len(out)-1], ks[i+1]}}
			if d := c.at(ks[i].At) - ks[i].At - ks[i].Add; d >= -1 && d <= 1 {
				continue
			}
		}
		if ks[i].At > out[len(out)-1].At {
			out = append(out, ks[i])
		}
	}
	if !slices.ContainsFunc(out, func(k Knot) bool { return k.Add != 0 }) {
		return nil
	}
	return out
}
