package render

import (
	"math"
	"strconv"
)

// Scale says how values become colours and lengths.
type Scale uint8

// Scales.
const (
	Auto   Scale = iota // Log if the values above 0 span more than a factor of 100, else Linear
	Linear              // from 0 (or the least value, if negative) to the greatest
	Log                 // from the least value above 0 to the greatest
)

// axis maps values to 0..1.
type axis struct {
	log    bool
	lo, hi float64
	unit   Unit
}

// newAxis makes the axis for values between least and most; positive is the
// least value above 0 (0 if there is none).
func newAxis(s Scale, unit Unit, least, positive, most float64) axis {
	a := axis{unit: unit, lo: math.Min(least, 0), hi: most}
	if s == Log || s == Auto && least >= 0 && positive > 0 && most/positive > 100 {
		if positive > 0 {
			a.log, a.lo = true, positive
		}
	}
	if !(a.hi > a.lo) { // one value only, or none
		if a.log {
			a.lo = a.hi / 10
		} else {
			a.hi = a.lo + 1
		}
	}
	return a
}

// at is where v lies, from 0 to 1; NaN stays NaN.
func (a *axis) at(v float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	t := (v - a.lo) / (a.hi - a.lo)
	if a.log {
		if v <= 0 {
			return 0
		}
		t = (math.Log(v) - math.Log(a.lo)) / (math.Log(a.hi) - math.Log(a.lo))
	}
	return math.Max(0, math.Min(1, t))
}

// tick is a mark on an axis.
type tick struct {
	at   float64 // 0..1
	text string
}

// ticks are at most about n marks at round values.
func (a *axis) ticks(n int) []tick {
	if a.log {
		return a.logTicks(n)
	}
	step, base := a.step(n), 0.0
	if a.lo < 0 {
		base = math.Floor(a.lo/step) * step
	}
	var out []tick
	for i := 0; ; i++ {
		v := base + float64(i)*step
		if v > a.hi*(1+1e-9) || i > 100 {
			return out
		}
		if v >= a.lo-1e-9*step {
			out = append(out, tick{a.at(v), tickText(a.unit, v, step)})
		}
	}
}

// withEnds are ticks and the two ends of the axis; a tick that is nearer than
// gap to an end gives way to it.
func (a *axis) withEnds(n int, gap float64) []tick {
	out := []tick{{0, a.unit.Format(a.lo)}}
	for _, t := range a.ticks(n) {
		if t.at > gap && t.at < 1-gap {
			out = append(out, t)
		}
	}
	return append(out, tick{1, a.unit.Format(a.hi)})
}

// round extends a linear axis to the next tick of about n.
func (a *axis) round(n int) {
	if !a.log {
		step := a.step(n)
		a.hi = math.Ceil(a.hi/step-1e-9) * step
	}
}

// step is the distance of ticks: 1, 2 or 5 times a power of ten; of bytes a
// power of two where that is no fraction of a byte.
func (a *axis) step(n int) float64 {
	raw := (a.hi - a.lo) / float64(max(n, 1))
	if (a.unit == Bytes || a.unit == Rate) && raw >= 1 {
		return math.Exp2(math.Ceil(math.Log2(raw) - 1e-9))
	}
	step := niceStep(raw)
	if a.unit == Number {
		step = math.Max(step, 1)
	}
	return step
}

// niceStep rounds up to 1, 2 or 5 times a power of ten.
func niceStep(raw float64) float64 {
	if !(raw > 0) || math.IsInf(raw, 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= raw*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// logTicks are powers of ten or, of bytes, of two; if the values span little, some between.
func (a *axis) logTicks(n int) []tick {
	base := 10.0
	if a.unit == Bytes || a.unit == Rate {
		base = 2
	}
	lo, hi := math.Log(a.lo)/math.Log(base), math.Log(a.hi)/math.Log(base)
	every := math.Max(1, math.Ceil((hi-lo)/float64(max(n, 1))))
	if base == 2 && every > 2 { // powers of 1024 and what divides them evenly
		for _, e := range []float64{5, 10, 20, 30, 60} {
			if e >= every {
				every = e
				break
			}
		}
	}
	var out []tick
	for e := math.Ceil(lo/every-1e-9) * every; e <= hi+1e-9; e += every {
		v := math.Pow(base, e)
		out = append(out, tick{a.at(v), tickText(a.unit, v, v)})
	}
	if len(out) < 2 { // less than two powers: the ends
		out = []tick{{0, a.unit.Format(a.lo)}, {1, a.unit.Format(a.hi)}}
	}
	return out
}

// tickText renders a round value that is a multiple of step without needless digits.
func tickText(u Unit, v, step float64) string {
	switch u {
	case Bytes, Rate:
		s := sizeTick(v)
		if u == Rate {
			s += "/s"
		}
		return s
	case Nanos:
		return nanosTick(v, step)
	case Share:
		return trimNumber(100*v, 100*step) + "%"
	case Number:
		if math.Abs(v) >= 10_000 {
			k, e := 0, math.Abs(v)
			for e >= 1000 && k < 6 {
				e, k = e/1000, k+1
			}
			f := math.Pow(1000, float64(k))
			return trimNumber(v/f, step/f) + "kMGTPE"[k-1:k]
		}
	}
	return trimNumber(v, step)
}

func sizeTick(v float64) string {
	const units = " KMGTPE"
	k := 0
	for math.Abs(v) >= 1024 && k < len(units)-1 {
		v, k = v/1024, k+1
	}
	s := strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	if v < 1 {
		s = significant(v, 2)
	}
	if k == 0 {
		return s + " B"
	}
	return s + " " + units[k:k+1] + "iB"
}

// nanosTick renders a time in the unit that suits it; 0 has none.
func nanosTick(v, step float64) string {
	if v == 0 {
		return "0"
	}
	for _, u := range []struct {
		ns   float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}} {
		if math.Abs(v) >= u.ns*(1-1e-9) {
			return trimNumber(v/u.ns, step/u.ns) + " " + u.name
		}
	}
	return trimNumber(v, step) + " ns"
}

// trimNumber renders v with as many decimals as step needs.
func trimNumber(v, step float64) string {
	digits := 0
	for s := math.Abs(step); digits < 12 && math.Abs(s-math.Round(s)) > 1e-6*math.Max(s, 1e-300); digits++ {
		s *= 10
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
