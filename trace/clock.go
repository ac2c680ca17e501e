package trace

import (
	"math"
	"math/bits"
	"sort"
	"time"
)

// timeline turns the ticks of one process into time since the start of the
// trace. Between two readings of the clocks it interpolates; before the first
// and after the last it goes on at the rate of the nearest two.
type timeline struct {
	clocks   []Clock
	num, den uint64 // ns per tick where there is only one reading
	shift    int64  // from CLOCK_MONOTONIC to time since the start of the trace
}

// nominal marks a process without clock readings: a tick counts as 1 ns.
var nominal = timeline{num: 1, den: 1}

// timelines makes the timelines of all processes. Processes of one host share
// CLOCK_MONOTONIC, so that their times compare exactly; between hosts
// CLOCK_REALTIME decides. The trace starts at the first reading of any clock.
func (a *Archive) timelines() []timeline {
	a.clockOnce.Do(func() {
		lines := make([]timeline, len(a.ranks))
		offsets := make(map[string]int64) // CLOCK_REALTIME - CLOCK_MONOTONIC of a host
		start := int64(math.MaxInt64)
		for i, r := range a.ranks {
			lines[i] = nominal
			if len(r.Clocks) == 0 {
				continue
			}
			c := r.Clocks[0]
			own := c.RealNS - c.MonoNS
			off, ok := offsets[r.Host]
			// Two boots under one host name differ by far more than a reading's error.
			if !ok || absDiff(off, own) > uint64(time.Second) {
				offsets[r.Host], off = own, own
			}
			lines[i].clocks = r.Clocks
			lines[i].shift = off
			start = min(start, c.MonoNS+off)
		}
		for i := range lines {
			if l := &lines[i]; l.clocks != nil {
				l.shift -= start
				l.num, l.den = a.rate(i)
			}
		}
		a.lines = lines
	})
	return a.lines
}

func absDiff(x, y int64) uint64 {
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// rate finds ns per tick for process i: its own, or that of a process of the
// same host, or of any: a process that was killed may have one reading only.
func (a *Archive) rate(i int) (num, den uint64) {
	if num, den, ok := rateOf(a.ranks[i].Clocks); ok {
		return num, den
	}
	if a.hostRates == nil {
		a.hostRates = map[string][2]uint64{}
		for _, r := range a.ranks {
			if num, den, ok := rateOf(r.Clocks); ok {
				a.hostRates[r.Host] = [2]uint64{num, den}
				a.anyRate = [2]uint64{num, den}
			}
		}
	}
	if f, ok := a.hostRates[a.ranks[i].Host]; ok {
		return f[0], f[1]
	}
	if a.anyRate[1] != 0 {
		return a.anyRate[0], a.anyRate[1]
	}
	return 1, 1
}

// rateOf is the rate between the first and the last reading.
func rateOf(cs []Clock) (num, den uint64, ok bool) {
	if len(cs) < 2 {
		return 0, 0, false
	}
	first, last := cs[0], cs[len(cs)-1]
	if last.Ticks <= first.Ticks || last.MonoNS <= first.MonoNS {
		return 0, 0, false
	}
	return uint64(last.MonoNS) - uint64(first.MonoNS), last.Ticks - first.Ticks, true
}

// at converts ticks.
func (l *timeline) at(ticks uint64) time.Duration {
	if len(l.clocks) == 0 {
		return time.Duration(ticks)
	}
	i := sort.Search(len(l.clocks), func(i int) bool { return l.clocks[i].Ticks > ticks }) - 1
	i = max(0, min(i, len(l.clocks)-2))
	c := l.clocks[i]
	num, den := l.num, l.den
	if n, d, ok := rateOf(l.clocks[i:min(i+2, len(l.clocks))]); ok {
		num, den = n, d
	}
	if ticks >= c.Ticks {
		return time.Duration(c.MonoNS + l.shift + scale(ticks-c.Ticks, num, den))
	}
	return time.Duration(c.MonoNS + l.shift - scale(c.Ticks-ticks, num, den))
}

// scale is x*num/den, at most math.MaxInt64.
func scale(x, num, den uint64) int64 {
	hi, lo := bits.Mul64(x, num)
	if hi >= den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, den)
	return int64(min(q, math.MaxInt64))
}
