package cgen

import (
	"cmp"
	"math/bits"
	"slices"
)

// A span is bytes, relative to a buffer or to the begin of a block.
type span struct{ low, high int64 }

func (s span) move(d int64) span { return span{s.low + d, s.high + d} }

// Bounds of what datatypes reach.
const (
	mostFar   = 32      // places far away
	farGap    = 1 << 26 // places that are nearer to one another are one
	farAway   = 1 << 30 // what is nearer than that is in one piece with the block
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
func (e *extent) data() []span {
	return append([]span{{e.low, e.high}}, e.far...)
}

// setData makes a datatype have its bytes at spans.
func (e *extent) setData(data []span) {
	e.low, e.high, e.far = 0, 0, nil
	first := true
	for _, s := range data {
		switch {
		case s.low >= s.high: // nothing
		case s.low <= -farAway || s.high >= farAway:
			e.far = append(e.far, s)
		case first:
			e.low, e.high, first = s.low, s.high, false
		default:
			e.low, e.high = min(e.low, s.low), max(e.high, s.high)
		}
	}
	e.far = joined(e.far, farGap)
}

// joined is what lies in spans, in order; those with less than a gap between them become one. What
// no process has is left out.
func joined(spans []span, gap int64) []span {
	none := func(s span) bool { return s.low >= s.high || s.low < -userSpace || s.high > userSpace }
	list := slices.DeleteFunc(slices.Clone(spans), none)
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.low, b.low) })
	out := list[:1]
	for _, s := range list[1:] {
		if last := &out[len(out)-1]; s.low-last.high < gap {
			last.high = max(last.high, s.high)
		} else {
			out = append(out, s)
		}
	}
	return out[:min(len(out), mostFar)]
}
