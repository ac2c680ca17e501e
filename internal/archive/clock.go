package archive

import (
	"iter"
	"math"
	"math/bits"
	"sort"
	"time"
)

// timeline turns the ticks of one process into time since the start of the
// trace. Between two readings of the clocks it interpolates. Before the first
// and after the last it goes on at the rate of the host: a process that was killed may have
// readings of its first moments only, which are too close to each other to tell the rate.
type timeline struct {
	clocks   []Clock
	num, den uint64  // ns per tick before the first reading and after the last
	domain   *domain // nil without readings
}

// nominal marks a process without clock readings: a tick counts as 1 ns.
var nominal = timeline{num: 1, den: 1}

// clocks is what the times of all processes have in common.
type clocks struct {
	domains   []*domain
	hosts     map[string][]int // numbers of domains
	reference int
	rate      [2]uint64 // ns and ticks, of any process; 0 if none has two readings
}

// sameBoot is how far two readings of the difference of the clocks of a host may be apart:
// two boots under one host name differ by far more than a reading's error.
const sameBoot = uint64(time.Second)

// domainOf is the number of the domain of a process, whose clocks differ by offset; -1 if there is
// none.
func (cs *clocks) domainOf(host string, offset int64) int {
	for _, i := range cs.hosts[host] {
		if absDiff(cs.domains[i].offset, offset) <= sameBoot {
			return i
		}
	}
	return -1
}

// readClocks goes through all clocks once. Processes of one host share CLOCK_MONOTONIC, so that
// their times compare exactly. Between hosts, measurements decide. Where there are none,
// CLOCK_REALTIME does. The trace starts at the first reading of any clock.
func (a *Archive) readClocks() *clocks {
	a.clockOnce.Do(func() {
		cs := &a.clocks
		cs.hosts = map[string][]int{}
		measured := a.clockSyncs()
		at := map[int]int{} // domains of the ranks that measured or were measured
		for rank, syncs := range measured {
			at[rank], at[syncs[0].Partner] = -1, -1
		}
		least := math.MaxInt
		for _, g := range a.groups {
			if v, ok := g.Clocks.Constant(); ok && len(v) == 0 {
				continue
			}
			for host, ranks := range g.byHost() {
				for rank := range ranks.All() {
					n := cs.add(host, ParseClocks(facts(g.Clocks, rank)))
					if n < 0 || g.World != 0 || g.Unranked {
						continue
					}
					if rank < least {
						least, cs.reference = rank, n
					}
					if _, ok := at[rank]; ok {
						at[rank] = n
					}
				}
			}
		}
		for rank, n := range at {
			if n < 0 {
				delete(at, rank)
			}
		}
		if len(cs.domains) > 0 {
			cs.relate(measured, at)
			cs.begin()
		}
	})
	return &a.clocks
}

// byHost yields the hosts of a group with the ranks on each.
func (g *Group) byHost() iter.Seq2[string, *RankSet] {
	return func(yield func(string, *RankSet) bool) {
		if g.Unranked {
			yield(g.Host, g.Ranks)
			return
		}
		for i, host := range g.Hosts.Values {
			if !yield(host, g.Hosts.Ranks(g.Ranks, i)) {
				return
			}
		}
	}
}

// clockSyncs collects what ranks of the launched MPI_COMM_WORLD measured.
func (a *Archive) clockSyncs() map[int][]ClockSync {
	measured := map[int][]ClockSync{}
	for _, g := range a.groups {
		if g.World != 0 || g.Unranked {
			continue
		}
		for _, k := range g.Info {
			if k.Key != InfoClockSync {
				continue
			}
			for i, v := range k.Values.Values {
				if syncs := ParseClockSyncs(v.Text); v.Present && len(syncs) > 0 {
					measured[k.Values.Ranks(g.Ranks, i).Min()] = syncs
				}
			}
		}
	}
	return measured
}

// add takes in the readings of a process and returns the number of its domain, -1 if there are
// none.
func (cs *clocks) add(host string, readings []Clock) int {
	if len(readings) == 0 {
		return -1
	}
	c := readings[0]
	n := cs.domainOf(host, c.RealNS-c.MonoNS)
	if n < 0 {
		n = len(cs.domains)
		cs.hosts[host] = append(cs.hosts[host], n)
		cs.domains = append(cs.domains, &domain{host: host, offset: c.RealNS - c.MonoNS, first: c.MonoNS})
	}
	d := cs.domains[n]
	d.processes++
	d.first = min(d.first, c.MonoNS)
	if d.learn(readings) {
		cs.rate = d.rate
	}
	return n
}

// learn has the rate of a host follow from the readings that are farthest apart, of all its processes: they share the
// clock of the time stamps, unless what they say of its rate shows that they do not.
func (d *domain) learn(readings []Clock) bool {
	own, ok := rateOf(readings)
	if !ok || d.rate[1] != 0 && !sameClock(own, d.rate) {
		return false
	}
	low, high := readings[0], readings[len(readings)-1]
	if d.rate[1] != 0 && d.low.Ticks < low.Ticks {
		low = d.low
	}
	if d.rate[1] != 0 && d.high.Ticks > high.Ticks {
		high = d.high
	}
	if all, ok := rateOf([]Clock{low, high}); ok && sameClock(own, all) {
		d.low, d.high, d.rate = low, high, all
	}
	return d.rate[1] != 0
}

// sameClock tells whether two rates are of one clock: readings may have been interrupted, and clocks are slewed.
func sameClock(a, b [2]uint64) bool {
	const most = 0.01
	x, y := float64(a[0])/float64(a[1]), float64(b[0])/float64(b[1])
	return math.Abs(x-y) <= most*min(x, y)
}

// begin finds the start of the trace.
func (cs *clocks) begin() {
	start := int64(math.MaxInt64)
	for i, d := range cs.domains {
		d.shift = d.offset
		if i == cs.reference || d.from != nil {
			d.shift = cs.domains[cs.reference].offset
		}
		start = min(start, int64(d.since(d.first)))
	}
	for _, d := range cs.domains {
		d.shift -= start
	}
}

// timeline is the timeline of a process.
func (a *Archive) timeline(r *RankData) timeline {
	n := a.HostClock(r)
	if n < 0 {
		return nominal
	}
	d := a.clocks.domains[n]
	l := timeline{clocks: r.Clocks, domain: d, num: 1, den: 1}
	own, ok := rateOf(r.Clocks)
	switch {
	case d.rate[1] != 0 && (!ok || sameClock(own, d.rate)):
		l.num, l.den = d.rate[0], d.rate[1]
	case ok:
		l.num, l.den = own[0], own[1]
	case a.clocks.rate[1] != 0:
		l.num, l.den = a.clocks.rate[0], a.clocks.rate[1]
	}
	return l
}

func absDiff(x, y int64) uint64 {
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// rateOf is the rate between the first and the last reading, in ns and ticks.
func rateOf(cs []Clock) (rate [2]uint64, ok bool) {
	if len(cs) < 2 {
		return rate, false
	}
	first, last := cs[0], cs[len(cs)-1]
	if last.Ticks <= first.Ticks || last.MonoNS <= first.MonoNS {
		return rate, false
	}
	return [2]uint64{uint64(last.MonoNS) - uint64(first.MonoNS), last.Ticks - first.Ticks}, true
}

// at converts ticks.
func (l *timeline) at(ticks uint64) time.Duration {
	if len(l.clocks) == 0 {
		return time.Duration(ticks)
	}
	i := sort.Search(len(l.clocks), func(i int) bool { return l.clocks[i].Ticks > ticks }) - 1
	num, den := l.num, l.den
	if i >= 0 && i < len(l.clocks)-1 {
		if rate, ok := rateOf(l.clocks[i : i+2]); ok {
			num, den = rate[0], rate[1]
		}
	}
	c := l.clocks[max(i, 0)]
	if ticks >= c.Ticks {
		return l.domain.since(c.MonoNS + far(ticks-c.Ticks, num, den))
	}
	return l.domain.since(c.MonoNS - far(c.Ticks-ticks, num, den))
}

// far is how far away in time ticks are: at most some 70 years, which can be added to any time.
func far(ticks, num, den uint64) int64 { return min(scale(ticks, num, den), math.MaxInt64/4) }

// scale is x*num/den, at most math.MaxInt64.
func scale(x, num, den uint64) int64 {
	hi, lo := bits.Mul64(x, num)
	if hi >= den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, den)
	return int64(min(q, math.MaxInt64))
}
