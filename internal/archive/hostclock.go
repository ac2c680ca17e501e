package archive

import (
	"cmp"
	"container/heap"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// InfoClockSync is the key in RankData.Info under which a process keeps what it measured of clocks:
// see ParseClockSyncs.
const InfoClockSync = "clock_sync"

// ClockSync is one measurement of the clock of another host.
type ClockSync struct {
	// Partner is the rank in MPI_COMM_WORLD of the process whose clock was measured.
	Partner int
	// MonoNS is CLOCK_MONOTONIC of the process that measured, at that time.
	MonoNS int64
	// Offset is by how many nanoseconds CLOCK_MONOTONIC of the partner is ahead, with an error of
	// at most half of RoundTrip.
	Offset, RoundTrip int64
}

// ParseClockSyncs reads the measurements in the text of InfoClockSync, and leaves out what is not
// one: separated by semicolons, each with four decimal numbers, which are the fields of ClockSync.
func ParseClockSyncs(text string) (syncs []ClockSync) {
	for part := range strings.SplitSeq(text, ";") {
		var n [4]int64
		f := strings.Fields(part)
		ok := len(f) == len(n)
		for i := 0; ok && i < len(n); i++ {
			v, err := strconv.ParseInt(f[i], 10, 64)
			n[i], ok = v, err == nil && absDiff(v, 0) < 1<<61
		}
		if ok && n[0] >= 0 && n[0] < 1<<31 && n[3] >= 0 {
			syncs = append(syncs, ClockSync{int(n[0]), n[1], n[2], n[3]})
		}
	}
	return syncs
}

// HostClock is a clock that processes share: CLOCK_MONOTONIC of a host since it was booted.
type HostClock struct {
	Host string
	// Processes is how many processes with a reading of it there are.
	Processes int
	// Reference is set for the clock that the times of the archive are in: that of the least rank.
	Reference bool
	// Measured is set if the clock was measured against the reference, by way of other clocks
	// maybe. Times are corrected then. Otherwise they rest on CLOCK_REALTIME being the same
	// everywhere.
	Measured bool
	// Ahead is by how much CLOCK_REALTIME of this host was ahead of that of the reference when it
	// was measured last.
	Ahead time.Duration
	// Drift is how much faster it runs than the reference, in parts per million, if it was measured
	// more than once.
	Drift float64
	// Residual bounds the error of times of this host in relation to the reference, when it was
	// measured last.
	Residual time.Duration
	// Syncs are the measurements that its times rest on.
	Syncs []HostSync
}

// HostSync is a measurement of one clock against another.
type HostSync struct {
	// At is the time of the measurement since the start of the trace.
	At time.Duration
	// Partner is the number of the other clock in HostClocks.
	Partner int
	// Error bounds by how much corrected times of the two clocks differ at that time.
	Error time.Duration
}

// ClocksMeasured tells whether clocks of hosts were measured against each other. It looks at no
// single process.
func (a *Archive) ClocksMeasured() bool { return len(a.clockSyncs()) > 0 }

// HostClocks lists the clocks of the archive in the order of their least processes.
func (a *Archive) HostClocks() []HostClock {
	cs := a.readClocks()
	list := make([]HostClock, len(cs.domains))
	for i, d := range cs.domains {
		h := &list[i]
		*h = HostClock{Host: d.host, Processes: d.processes, Reference: i == cs.reference, Measured: d.from != nil}
		if d.from == nil {
			continue
		}
		first, last := d.knots[0], d.knots[len(d.knots)-1]
		h.Ahead = time.Duration(d.offset - cs.domains[cs.reference].offset - last.ahead)
		if span := float64(last.mono - first.mono); span > 0 {
			h.Drift = -1e6 * float64(last.ahead-first.ahead) / span
		}
		h.Residual = time.Duration(d.residual)
		for _, s := range d.from.syncs {
			h.Syncs = append(
				h.Syncs,
				HostSync{At: d.since(s.MonoNS), Partner: d.from.to, Error: time.Duration(s.RoundTrip+1) / 2},
			)
		}
	}
	return list
}

// HostClock is the number in HostClocks of the clock of a process, -1 if it has none.
func (a *Archive) HostClock(r *RankData) int {
	if len(r.Clocks) == 0 {
		return -1
	}
	return a.readClocks().domainOf(r.Host, r.Clocks[0].RealNS-r.Clocks[0].MonoNS)
}

// ProcessClocks is HostClock of all processes, by number.
func (a *Archive) ProcessClocks() []int32 {
	cs := a.readClocks()
	list := make([]int32, a.NumRanks())
	for i := range a.realms {
		r := &a.realms[i]
		for _, n := range r.groups {
			g := a.groups[n]
			for host, ranks := range g.byHost() {
				for rank := range ranks.All() {
					at, ok := r.ranks.Index(rank)
					if !ok {
						continue
					}
					list[r.first+at] = -1
					if c := facts(g.Clocks, rank); len(c) >= 3 {
						list[r.first+at] = int32(cs.domainOf(host, c[2]))
					}
				}
			}
		}
	}
	return list
}

// domain is what is known of a HostClock.
type domain struct {
	host      string
	offset    int64     // CLOCK_REALTIME - CLOCK_MONOTONIC
	first     int64     // least reading of CLOCK_MONOTONIC
	rate      [2]uint64 // ns and ticks between low and high; 0 if no process has two readings
	low, high Clock     // the readings that are farthest apart
	processes int

	from     *clockEdge // how it was measured; nil: it was not, or is the reference
	knots    []knot     // what leads from it to the reference's CLOCK_MONOTONIC
	residual int64      // bound of the error of that
	shift    int64      // what leads from there to the start of the trace
}

// knot says that the reference is ahead at a time of CLOCK_MONOTONIC. Between knots it changes
// linearly; before the first and after the last it goes on like that.
type knot struct{ mono, ahead int64 }

// since is the time since the start of the trace.
func (d *domain) since(mono int64) time.Duration {
	return time.Duration(mono + ahead(d.knots, mono) + d.shift)
}

func ahead(ks []knot, mono int64) int64 {
	switch len(ks) {
	case 0:
		return 0
	case 1:
		return ks[0].ahead
	}
	i, _ := slices.BinarySearchFunc(ks[1:len(ks)-1], mono, func(k knot, m int64) int { return cmp.Compare(k.mono, m) })
	p, q := ks[i], ks[i+1]
	rate := float64(q.ahead-p.ahead) / float64(q.mono-p.mono)
	return p.ahead + int64(math.Round(rate*float64(mono-p.mono)))
}

// clockEdge is measurements of one clock against another, in order of time.
type clockEdge struct {
	own, to int // numbers of domains
	syncs   []ClockSync
}

func (e *clockEdge) residual() int64 { return (e.syncs[len(e.syncs)-1].RoundTrip + 1) / 2 }

// reverse is the same measurements as the other side sees them.
func (e *clockEdge) reverse() *clockEdge {
	r := &clockEdge{own: e.to, to: e.own}
	for _, s := range e.syncs {
		r.syncs = append(r.syncs, ClockSync{MonoNS: s.MonoNS + s.Offset, Offset: -s.Offset, RoundTrip: s.RoundTrip})
	}
	return r
}

// relate relates clocks to the reference along measurements, over the paths with the
// least bounds of the error. at says which clock each rank of MPI_COMM_WORLD that takes part has.
func (cs *clocks) relate(measured map[int][]ClockSync, at map[int]int) {
	edges := make([][]*clockEdge, len(cs.domains))
	for _, rank := range slices.Sorted(maps.Keys(measured)) { // in order, see clockPath.number
		syncs := measured[rank]
		slices.SortFunc(syncs, func(x, y ClockSync) int { return cmp.Compare(x.MonoNS, y.MonoNS) })
		syncs = slices.CompactFunc(syncs, func(x, y ClockSync) bool { return x.MonoNS == y.MonoNS })
		own, ok := at[rank]
		to, ok2 := at[syncs[0].Partner]
		if !ok || !ok2 || own == to ||
			slices.ContainsFunc(syncs, func(s ClockSync) bool { return s.Partner != syncs[0].Partner }) {
			continue
		}
		e := &clockEdge{own, to, syncs}
		edges[to] = append(edges[to], e)
		edges[own] = append(edges[own], e.reverse())
	}
	done := make([]bool, len(cs.domains))
	h := &clockPaths{{residual: 0, domain: cs.reference}}
	paths := 0
	for h.Len() > 0 {
		p := heap.Pop(h).(clockPath)
		if done[p.domain] {
			continue
		}
		done[p.domain] = true
		d := cs.domains[p.domain]
		if d.from = p.edge; p.edge != nil {
			d.residual = p.residual
			for _, s := range p.edge.syncs {
				d.knots = append(
					d.knots,
					knot{s.MonoNS, s.Offset + ahead(cs.domains[p.edge.to].knots, s.MonoNS+s.Offset)},
				)
			}
		}
		for _, e := range edges[p.domain] {
			paths++
			heap.Push(h, clockPath{p.residual + e.residual(), e.own, paths, e})
		}
	}
}

// clockPath is a way to the reference, whose first step is edge.
type clockPath struct {
	residual int64
	domain   int
	number   int // of equal ones the first counts
	edge     *clockEdge
}

type clockPaths []clockPath

func (h clockPaths) Len() int { return len(h) }
func (h clockPaths) Less(i, j int) bool {
	return cmp.Or(
		cmp.Compare(h[i].residual, h[j].residual),
		cmp.Compare(h[i].domain, h[j].domain),
		cmp.Compare(h[i].number, h[j].number),
	) < 0
}
func (h clockPaths) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *clockPaths) Push(x any)   { *h = append(*h, x.(clockPath)) }
func (h *clockPaths) Pop() any {
	old := *h
	p := old[len(old)-1]
	*h = old[:len(old)-1]
	return p
}
