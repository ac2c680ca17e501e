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

// clocks is what the times of all processes have in common.
type clocks struct {
	start int64 // first reading of any clock, in CLOCK_REALTIME
	hosts map[string]*hostClocks
	rate  [2]uint64 // ns and ticks, of any process; 0 if none has two readings
}

// hostClocks is the clocks of one host.
type hostClocks struct {
	offsets []int64 // CLOCK_REALTIME - CLOCK_MONOTONIC, of each boot
	rate    [2]uint64
}

// sameBoot is how far two readings of the difference of the clocks of a host may be apart:
// two boots under one host name differ by far more than a reading's error.
const sameBoot = uint64(time.Second)

// offset is the difference of the clocks that all processes of a boot share.
func (h *hostClocks) offset(own int64) int64 {
	for _, off := range h.offsets {
		if absDiff(off, own) <= sameBoot {
			return off
		}
	}
	h.offsets = append(h.offsets, own)
	return own
}

// readClocks goes through all clocks once. Processes of one host share
// CLOCK_MONOTONIC, so that their times compare exactly; between hosts
// CLOCK_REALTIME decides. The trace starts at the first reading of any clock.
func (a *Archive) readClocks() *clocks {
	a.clockOnce.Do(func() {
		cs := &a.clocks
		cs.start, cs.hosts = math.MaxInt64, map[string]*hostClocks{}
		for _, g := range a.groups {
			if v, ok := g.Clocks.Constant(); ok && len(v) == 0 {
				continue
			}
			for rank := range g.Ranks.All() {
				cs.add(g, rank)
			}
		}
	})
	return &a.clocks
}

func (cs *clocks) add(g *Group, rank int) {
	readings := ParseClocks(facts(g.Clocks, rank))
	if len(readings) == 0 {
		return
	}
	host := g.Host
	if !g.Unranked {
		host, _ = caseAt(&g.Hosts, g.Ranks, rank)
	}
	h := cs.hosts[host]
	if h == nil {
		h = &hostClocks{}
		cs.hosts[host] = h
	}
	c := readings[0]
	cs.start = min(cs.start, c.MonoNS+h.offset(c.RealNS-c.MonoNS))
	if num, den, ok := rateOf(readings); ok {
		h.rate = [2]uint64{num, den}
		cs.rate = h.rate
	}
}

// timeline is the timeline of a process.
func (a *Archive) timeline(r *RankData) timeline {
	if len(r.Clocks) == 0 {
		return nominal
	}
	cs := a.readClocks()
	h := cs.hosts[r.Host]
	c := r.Clocks[0]
	off := c.RealNS - c.MonoNS
	for _, o := range h.offsets {
		if absDiff(o, off) <= sameBoot {
			off = o
			break
		}
	}
	l := timeline{clocks: r.Clocks, shift: off - cs.start, num: 1, den: 1}
	// A process that was killed may have one reading only.
	if num, den, ok := rateOf(r.Clocks); ok {
		l.num, l.den = num, den
	} else if h.rate[1] != 0 {
		l.num, l.den = h.rate[0], h.rate[1]
	} else if cs.rate[1] != 0 {
		l.num, l.den = cs.rate[0], cs.rate[1]
	}
	return l
}

func absDiff(x, y int64) uint64 {
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
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
