package clocks

import (
	"math"
	"slices"
	"sort"
	"time"
)

// amortisation is a pass over all events of which one must come before another. It moves events
// that come too early.
type amortisation struct {
	c     *Correction
	count bool       // count fitted
	found Violations // with the moves so far
	// fitted is what is out of order without moves.
	fitted Violations
}

func (a *amortisation) before(first, then []Event) {
	c := a.c
	if a.count {
		at := func(ev Event) time.Duration {
			return ev.Time + time.Duration(math.Round(c.base(ev.Process, ev.Time)))
		}
		top := latest(first, at)
		for _, t := range then {
			if f, ok := top.other(t.Process); ok && f.time > at(t) {
				a.fitted.add(f.time - at(t))
			}
		}
	}
	top := latest(first, func(ev Event) time.Duration { return c.At(ev.Process, ev.Time) })
	for _, t := range then {
		f, ok := top.other(t.Process)
		if !ok {
			continue
		}
		d := f.time - c.At(t.Process, t.Time)
		if d <= 0 {
			continue
		}
		a.found.add(d)
		r := c.ramps[t.Process]
		if r == nil {
			r = &ramps{rate: catchUp}
			c.ramps[t.Process] = r
		}
		r.raise(t.Time, float64(f.time-t.Time)-c.base(t.Process, t.Time))
	}
}

// catchUp is by how much a process runs slower until it has made up for a move.
const catchUp = 0.01

// maxRamps is how many moves a process has at most. If more are needed it catches up more slowly,
// so that one move stands for several.
const maxRamps = 4096

// ramp moves a process by add ns at one moment, and by less and less after it.
type ramp struct {
	at  time.Duration
	add float64
}

// then is what is left of the move at a later time.
func (p ramp) then(t time.Duration, rate float64) float64 {
	return max(0, p.add-rate*float64(t-p.at))
}

// ramps are the moves of a process, in order of time. A move that an earlier one exceeds is left
// out, so that at any time the last move before it counts.
type ramps struct {
	list []ramp
	rate float64
}

// at is by how much a time is moved.
func (r *ramps) at(t time.Duration) float64 {
	i := sort.Search(len(r.list), func(i int) bool { return r.list[i].at > t }) - 1
	if i < 0 {
		return 0
	}
	return r.list[i].then(t, r.rate)
}

// raise moves t by at least add.
func (r *ramps) raise(t time.Duration, add float64) {
	if r.at(t) >= add {
		return
	}
	i := sort.Search(len(r.list), func(i int) bool { return r.list[i].at >= t })
	k, p := i, ramp{t, add}
	for k < len(r.list) && p.then(r.list[k].at, r.rate) >= r.list[k].add {
		k++
	}
	r.list = slices.Replace(r.list, i, k, p)
	for len(r.list) > maxRamps {
		r.slower()
	}
}

// slower halves the speed of catching up.
func (r *ramps) slower() {
	r.rate /= 2
	if r.rate < 1e-12 {
		r.rate = 0
	}
	out := r.list[:0]
	for _, p := range r.list {
		if n := len(out); n == 0 || out[n-1].then(p.at, r.rate) < p.add {
			out = append(out, p)
		}
	}
	r.list = out
}
