package clocks

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// estimator collects bounds of clocks and places the clocks between them.
type estimator struct {
	c     *Correction
	pairs map[[2]int32]*windows // by clocks, the lower number first: corrections of the first against the second
	last  time.Duration         // end of the trace

	inexact bool // some times are stored with an error, or not all bounds are kept

	partners  []int // of each clock, in pairs
	stretches int   // windows of each pair at most
	kept      int   // windows of all pairs

	firsts, thens []extreme
	slot          []int32 // of each clock in firsts or thens, plus one
	order         []int   // of placement
	parent        []int   // the clock that a clock was placed by, -1
}

// extreme is the latest or the earliest of the events of a clock.
type extreme struct {
	clock int32
	Event
}

func newEstimator(c *Correction) *estimator {
	return &estimator{c: c, pairs: map[[2]int32]*windows{}, slot: make([]int32, len(c.Clocks)),
		partners: make([]int, len(c.Clocks)), stretches: maxWindows}
}

// Limits of memory: a window takes about a kilobyte. Where many clocks exchange messages with
// many others, a few others tell enough of each, and bends are fewer.
const (
	maxPartners = 32
	maxKept     = 1 << 17
)

// windows are what is known of two clocks; nil if both have enough others.
func (e *estimator) windows(i, j int32) *windows {
	w := e.pairs[[2]int32{i, j}]
	if w == nil {
		if e.partners[i] >= maxPartners && e.partners[j] >= maxPartners {
			e.inexact = true
			return nil
		}
		e.partners[i]++
		e.partners[j]++
		w = &windows{}
		e.pairs[[2]int32{i, j}] = w
	}
	return w
}

// window is the window of a pair at a time.
func (e *estimator) window(w *windows, x time.Duration) *window {
	before := len(w.list)
	win := w.at(float64(x), e.stretches)
	e.kept += len(w.list) - before
	for e.kept > maxKept && e.stretches > 1 {
		e.stretches /= 2
		e.kept = 0
		for _, w := range e.pairs {
			for len(w.list) > e.stretches {
				w.double()
			}
			e.kept += len(w.list)
		}
		win = w.at(float64(x), e.stretches)
	}
	return win
}

func (e *estimator) measured(m Measurement) {
	if m.Clock == m.Partner {
		return
	}
	e.last = max(e.last, m.At+m.Error)
	// As if a message of this duration had gone either way at that moment.
	e.bound(int32(m.Clock), m.At, int32(m.Partner), m.At+m.Error)
	e.bound(int32(m.Partner), m.At, int32(m.Clock), m.At+m.Error)
}

// bound notes that clock i at s is before clock j at r. Of a pair, the correction of the first is
// noted as if the second needed none: as function of its time.
func (e *estimator) bound(i int32, s time.Duration, j int32, r time.Duration) {
	w := e.windows(min(i, j), max(i, j))
	switch {
	case w == nil:
	case i < j:
		e.window(w, s).upper.add(point{float64(s), float64(r - s)})
	default:
		e.window(w, r).lower.add(point{float64(r), float64(s - r)})
	}
}

// before adds the bounds that follow from some events coming before others.
func (e *estimator) before(first, then []Event) {
	e.count(first, then)
	if len(first) == 1 && len(then) == 1 {
		f, t := first[0], then[0]
		if i, j := e.clock(f), e.clock(t); i >= 0 && j >= 0 && i != j {
			e.bound(i, f.Time-f.Error, j, t.Time+t.Error)
		}
		return
	}
	// Only the latest begin and the earliest end of each clock bound anything.
	e.firsts = e.extremes(e.firsts[:0], first, 1)
	e.thens = e.extremes(e.thens[:0], then, -1)
	if len(e.firsts) == 0 || len(e.thens) == 0 {
		return
	}
	// Not all pairs of many clocks: the least with all others, and each with the next one.
	all := len(e.firsts)+len(e.thens) <= 16
	for i, f := range e.firsts {
		for k, t := range e.thens {
			if !all && i > 0 && k > 0 {
				break
			}
			e.pair(f, t)
		}
		if n := e.near(f.clock); !all && n >= 0 {
			e.pair(f, e.thens[n])
		}
	}
}

// near is the index in thens of the next higher clock, or the least.
func (e *estimator) near(clock int32) int {
	n, _ := slices.BinarySearchFunc(e.thens, clock+1, func(x extreme, c int32) int { return cmp.Compare(x.clock, c) })
	return n % len(e.thens)
}

func (e *estimator) pair(f, t extreme) {
	if f.clock != t.clock {
		e.bound(f.clock, f.Time-f.Error, t.clock, t.Time+t.Error)
	}
}

func (e *estimator) clock(ev Event) int32 {
	if uint(ev.Process) >= uint(len(e.c.clockOf)) {
		return -1
	}
	return e.c.clockOf[ev.Process]
}

// extremes are the latest (sign 1) or earliest (-1) events of each clock, in the order of clocks.
func (e *estimator) extremes(out []extreme, evs []Event, sign time.Duration) []extreme {
	for _, ev := range evs {
		n := e.clock(ev)
		if n < 0 {
			continue
		}
		if e.slot[n] == 0 {
			out = append(out, extreme{n, ev})
			e.slot[n] = int32(len(out))
		} else if x := &out[e.slot[n]-1]; sign*(ev.Time-x.Time)-ev.Error+x.Error > 0 {
			x.Event = ev
		}
	}
	for _, x := range out {
		e.slot[x.clock] = 0
	}
	slices.SortFunc(out, func(a, b extreme) int { return cmp.Compare(a.clock, b.clock) })
	return out
}

// count counts what is out of order.
func (e *estimator) count(first, then []Event) {
	for _, f := range first {
		e.last = max(e.last, f.Time)
		e.inexact = e.inexact || f.Error > 0
	}
	top := latest(first, func(ev Event) time.Duration { return ev.Time })
	for _, t := range then {
		e.last = max(e.last, t.Time)
		e.inexact = e.inexact || t.Error > 0
		if f, ok := top.other(t.Process); ok {
			e.c.Ends++
			if d := f.time - t.Time; d > 0 {
				e.c.Before.add(d)
			}
		}
	}
}

// tops are the latest event, and the latest one of any other process.
type tops struct {
	first, second moment
}

type moment struct {
	process int
	time    time.Duration
	ok      bool
}

func latest(evs []Event, at func(Event) time.Duration) (t tops) {
	for _, ev := range evs {
		m := moment{ev.Process, at(ev), true}
		switch {
		case !t.first.ok || m.time > t.first.time:
			if t.first.process != m.process {
				t.second = t.first
			}
			t.first = m
		case m.process != t.first.process && (!t.second.ok || m.time > t.second.time):
			t.second = m
		}
	}
	return t
}

// other is the latest event of another process.
func (t *tops) other(process int) (moment, bool) {
	if t.first.process != process {
		return t.first, t.first.ok
	}
	return t.second, t.second.ok
}

// toward gives the bounds of a clock that its pair with another one yields, given the other's
// correction.
func (e *estimator) toward(b *bounds, clock, other int) {
	i, j := int32(min(clock, other)), int32(max(clock, other))
	w := e.pairs[[2]int32{i, j}]
	if w == nil {
		return
	}
	o := &e.c.Clocks[other]
	if clock < other {
		// x + v is the other's time; its correction is added.
		w.all(func(p point) { b.upper = append(b.upper, point{p.x, p.v + o.value(p.x+p.v)}) },
			func(p point) { b.lower = append(b.lower, point{p.x, p.v + o.value(p.x+p.v)}) })
		return
	}
	// x is the other's time, x + v this clock's.
	w.all(func(p point) { b.lower = append(b.lower, point{p.x + p.v, o.value(p.x) - p.v}) },
		func(p point) { b.upper = append(b.upper, point{p.x + p.v, o.value(p.x) - p.v}) })
}

// fit places the clocks: first the reference, then always the one that follows with the
// least uncertainty from those that are placed.
func (e *estimator) fit() {
	n := len(e.c.Clocks)
	near := make([][]int, n)
	for key := range e.pairs {
		i, j := int(key[0]), int(key[1])
		near[i], near[j] = append(near[i], j), append(near[j], i)
	}
	for i := range near {
		slices.Sort(near[i])
	}
	e.place(near)
	for range 5 {
		if !e.violated(0) {
			break
		}
		for _, i := range e.order {
			if e.parent[i] >= 0 {
				e.line(i, near[i])
			}
		}
	}
	for _, i := range e.order {
		e.state(i)
	}
}

// place gives clocks their corrections in the order of uncertainty.
func (e *estimator) place(near [][]int) {
	n := len(e.c.Clocks)
	cost, done := make([]float64, n), make([]bool, n)
	e.parent = make([]int, n)
	for i := range cost {
		cost[i], e.parent[i] = math.Inf(1), -1
		if e.c.Clocks[i].Reference {
			cost[i] = 0
		}
	}
	for range n {
		best := -1
		for i := range n {
			if !done[i] && (best < 0 || cost[i] < cost[best]) {
				best = i
			}
		}
		done[best] = true
		e.order = append(e.order, best)
		if e.parent[best] >= 0 {
			var placed []int
			for _, o := range near[best] {
				if done[o] {
					placed = append(placed, o)
				}
			}
			e.line(best, placed)
		}
		if math.IsInf(cost[best], 1) {
			cost[best] = oneSided // apart from the others: as it is
		}
		for _, o := range near[best] {
			if q := cost[best] + e.quality(best, o); !done[o] && q < cost[o] {
				cost[o], e.parent[o] = q, best
			}
		}
	}
}

// oneSided is the cost of a pair with bounds on one side: more than any other, ns.
const oneSided = 1e18

// quality is the uncertainty of a clock by another one.
func (e *estimator) quality(from, to int) float64 {
	var b bounds
	e.toward(&b, to, from)
	if len(b.upper) == 0 || len(b.lower) == 0 {
		return oneSided
	}
	_, margin := peak(-maxSlope, maxSlope, 25, func(s float64) float64 { return b.margin(float64(e.last)/2, s) })
	return math.Abs(margin)
}

// line fits the correction of a clock between those of other clocks.
func (e *estimator) line(clock int, others []int) {
	var b bounds
	for _, o := range others {
		e.toward(&b, clock, o)
	}
	e.c.Clocks[clock].Knots = b.polyline(max(1, float64(e.last)))
}

// state says how good a clock's correction is.
func (e *estimator) state(clock int) {
	k := &e.c.Clocks[clock]
	if n := len(k.Knots); n > 1 {
		k.Drift = -1e6 * float64(k.Knots[n-1].Add-k.Knots[0].Add) / float64(k.Knots[n-1].At-k.Knots[0].At)
	}
	k.Residual, k.Best = -1, -1
	if k.Reference {
		k.Residual, k.Best = 0, 0
		return
	}
	p := e.parent[clock]
	if p < 0 || e.c.Clocks[p].Residual < 0 {
		return
	}
	var b bounds
	e.toward(&b, clock, p)
	if len(b.upper) == 0 || len(b.lower) == 0 {
		return
	}
	worst, best := 0.0, math.Inf(1)
	ks := k.Knots
	if len(ks) < 2 {
		ks = []Knot{{At: 0}, {At: max(1, e.last)}}
	}
	for i := range len(ks) - 1 {
		// How far lines between the bounds may be from ours is a convex function of time.
		from, to := float64(ks[i].At), min(float64(ks[i+1].At), float64(e.last))
		until := to
		if i == len(ks)-2 {
			until = math.Inf(1)
		}
		part := bounds{clip(b.upper, from, until), clip(b.lower, from, until)}
		if len(part.upper) == 0 || len(part.lower) == 0 {
			part = b
		}
		for _, at := range []float64{from, (from + to) / 2, to} {
			low, high := part.extremes(at)
			v := k.value(at)
			d := max(high-v, v-low, low-v, v-high, 0.5)
			worst, best = max(worst, d), min(best, d)
		}
	}
	k.Residual = e.c.Clocks[p].Residual + time.Duration(math.Ceil(worst))
	k.Best = e.c.Clocks[p].Best + time.Duration(math.Ceil(best))
}

// violated tells whether a bound between clocks is kept by less than slack. Bends may lie where
// the hulls do not tell.
func (e *estimator) violated(slack time.Duration) bool {
	if slack > 0 && slices.ContainsFunc(e.c.Clocks, func(k Clock) bool { return len(k.Knots) > 2 }) {
		return true
	}
	bad := false
	for key, w := range e.pairs {
		i, j := &e.c.Clocks[key[0]], &e.c.Clocks[key[1]]
		gap := func(p point) time.Duration {
			x, y := time.Duration(p.x), time.Duration(p.x+p.v)
			return j.at(y) - i.at(x)
		}
		w.all(func(p point) { bad = bad || gap(p) < slack }, func(p point) { bad = bad || gap(p) > -slack })
		if bad {
			return true
		}
	}
	return false
}
