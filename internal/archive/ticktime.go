package archive

import (
	"math"
	"sort"
	"time"
)

// TickTime returns the function that turns the ticks of the stream's process into time since the
// start of the trace, as Iter gives it. It is fastest for ticks in ascending order. One goroutine
// at a time may use it.
func (s *Stream) TickTime() func(ticks uint64) time.Duration {
	return (&tickTime{timeline: s.a.timeline(s.Rank())}).at
}

// tickTime is a timeline that remembers between which two readings of the clocks it was asked last.
type tickTime struct {
	timeline
	from, span uint64 // ticks: the first one, and how many; 0 for none
	mono       int64  // at from
	num, den   uint64
}

func (t *tickTime) at(ticks uint64) time.Duration {
	if ticks-t.from >= t.span && !t.find(ticks) {
		return t.timeline.at(ticks)
	}
	return t.domain.since(t.mono + far(ticks-t.from, t.num, t.den))
}

// find makes ticks one of those that are remembered, if they come after a reading.
func (t *tickTime) find(ticks uint64) bool {
	cs := t.clocks
	i := sort.Search(len(cs), func(i int) bool { return cs[i].Ticks > ticks }) - 1
	if i < 0 {
		return false
	}
	last := uint64(math.MaxUint64)
	t.num, t.den = t.timeline.num, t.timeline.den
	if i+1 < len(cs) {
		last = cs[i+1].Ticks - 1
		if rate, ok := rateOf(cs[i : i+2]); ok {
			t.num, t.den = rate[0], rate[1]
		}
	}
	t.from, t.span, t.mono = cs[i].Ticks, last-cs[i].Ticks, cs[i].MonoNS
	return ticks-t.from < t.span
}
