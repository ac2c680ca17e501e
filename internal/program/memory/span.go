package memory

import (
	"cmp"
	"math/bits"
	"slices"
)

// A Span is bytes, relative to a buffer or to the begin of a block.
type Span struct{ Low, High int64 }

func (s Span) move(d int64) Span { return Span{s.Low + d, s.High + d} }

// Far are places far from a block; those near to one another are one.
func Far(spans []Span) []Span { return joined(spans, farGap) }

// Bounds of what datatypes reach. What is nearer to a block than FarAway is in one piece with it.
const (
	mostFar   = 32      // places far away
	farGap    = 1 << 26 // places that are nearer to one another are one
	FarAway   = 1 << 30
	userSpace = 1 << 47 // no address of a process is larger
)

// product is a * b, bounded so that a few sums of such numbers are in range.
func product(a, b int64) int64 {
	const most = 1 << 58
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi > 0 || lo > most {
		lo = most
	}
	if (a < 0) != (b < 0) {
		return -int64(lo)
	}
	return int64(lo)
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// data is where a datatype has its bytes: first those near its begin.
func (e *extent) data() []Span {
	return append([]Span{e.Span}, e.far...)
}

// setData makes a datatype have its bytes at spans.
func (e *extent) setData(data []Span) {
	e.Low, e.High, e.far = 0, 0, nil
	first := true
	for _, s := range data {
		switch {
		case s.Low >= s.High: // nothing
		case s.Low <= -FarAway || s.High >= FarAway:
			e.far = append(e.far, s)
		case first:
			e.Low, e.High, first = s.Low, s.High, false
		default:
			e.Low, e.High = min(e.Low, s.Low), max(e.High, s.High)
		}
	}
	e.far = joined(e.far, farGap)
}

// joined is what lies in spans, in order; those with less than a gap between them become one. What
// no process has is left out.
func joined(spans []Span, gap int64) []Span {
	none := func(s Span) bool { return s.Low >= s.High || s.Low < -userSpace || s.High > userSpace }
	list := slices.DeleteFunc(slices.Clone(spans), none)
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b Span) int { return cmp.Compare(a.Low, b.Low) })
	out := list[:1]
	for _, s := range list[1:] {
		if last := &out[len(out)-1]; s.Low-last.High < gap {
			last.High = max(last.High, s.High)
		} else {
			out = append(out, s)
		}
	}
	return out[:min(len(out), mostFar)]
}
