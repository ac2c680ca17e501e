package whatif

import (
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
)

// change is what differs from the recorded run; nil functions change nothing.
type change struct {
	// gap is the computation before event i of a stream, in place of the recorded one.
	gap func(s *stream, i int) time.Duration
	// drop tells that a call does not wait for something.
	drop func(s *stream, i int, d *dep) bool
	// anyOrder is the calls of a process that take messages in the order in which they come.
	anyOrder func(s *stream, i int) bool
	// gone is calls that are left out, late those that are made after the computation that follows them.
	gone, late func(s *stream, i int) bool
}

// run is a run in thought.
type run struct {
	*Graph
	change
	state []progress
	hubs  []hubState
	queue []int32
}

type progress struct {
	next    int // event
	begun   bool
	now     time.Duration
	begins  []time.Duration
	waiters map[int][]int32 // streams that wait for the begin of an event
	queued  bool
	taken   []int         // of a batch of receives in any order: which event's message each of them takes
	batch   int           // where it begins
	due     time.Duration // when the latest of the calls that are made late ends
}

type hubState struct {
	left    int
	begin   time.Duration
	waiters []int32
}

// simulate is how long the run takes with a change; ok is false if it would not come to its end.
func (g *Graph) simulate(c change) (elapsed time.Duration, ok bool) {
	r := &run{Graph: g, change: c, state: make([]progress, len(g.streams)), hubs: make([]hubState, len(g.hubs))}
	for i := range r.hubs {
		r.hubs[i].left = g.hubs[i].members
	}
	for i, s := range g.streams {
		r.state[i] = progress{now: s.begin, begins: make([]time.Duration, 0, len(s.events)), waiters: map[int][]int32{}}
		r.wake(int32(i))
	}
	for len(r.queue) > 0 {
		i := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.state[i].queued = false
		r.advance(i)
	}
	for i, s := range g.streams {
		if r.state[i].next < len(s.events) {
			return 0, false
		}
	}
	return g.elapsed(func(i int) time.Duration { return r.state[i].now }), true
}

func (r *run) wake(i int32) {
	if !r.state[i].queued {
		r.state[i].queued = true
		r.queue = append(r.queue, i)
	}
}

// advance goes on with a stream until it waits for another one.
func (r *run) advance(i int32) {
	s, p := r.streams[i], &r.state[i]
	for p.next < len(s.events) {
		k := p.next
		if !p.begun {
			gap := s.gap(k)
			if r.gap != nil {
				gap = r.gap(s, k)
			}
			late := r.late != nil && r.late(s, k)
			if !late {
				gap, p.due = max(gap, p.due-p.now), 0
			}
			p.now += gap
			p.begins = append(p.begins, p.now)
			p.begun = true
			r.begin(i, k)
		}
		from := k
		if r.anyOrder != nil && r.anyOrder(s, k) {
			var ok bool
			if from, ok = r.taking(i, k); !ok {
				return
			}
		}
		end, ok := r.ending(i, k, from)
		if !ok {
			return
		}
		if p.begun = false; r.late != nil && r.late(s, k) {
			p.due = max(p.due, end)
		} else {
			p.now = end
		}
		p.next++
	}
}

// begin tells those who wait for it that an event has begun.
func (r *run) begin(i int32, k int) {
	p := &r.state[i]
	for _, w := range p.waiters[k] {
		r.wake(w)
	}
	delete(p.waiters, k)
	for _, x := range r.streams[i].postsOf(k) {
		h := &r.hubs[x.hub]
		h.begin = max(h.begin, p.now)
		if h.left--; h.left == 0 {
			for _, w := range h.waiters {
				r.wake(w)
			}
		}
	}
}

// ending is when event k ends if it takes the message of event from, which is itself but for receives in any order.
func (r *run) ending(i int32, k, from int) (time.Duration, bool) {
	s, p := r.streams[i], &r.state[i]
	e := &s.events[from]
	ready, recorded := p.begins[k], e.begin
	if r.gone != nil && r.gone(s, k) {
		return ready, true
	}
	deps := s.depsOf(from)
	for x := range deps {
		d := &deps[x]
		if then := r.recorded(d); then > recorded {
			recorded = then
		}
		if r.drop != nil && r.drop(s, k, d) {
			continue
		}
		t, ok := r.known(i, d)
		if !ok {
			return 0, false
		}
		ready = max(ready, t)
	}
	return ready + max(0, e.end-recorded), true
}

// recorded is when what is waited for began in the recording.
func (r *run) recorded(d *dep) time.Duration {
	if d.stream < 0 {
		return r.Graph.hubs[d.at].begin
	}
	return r.streams[d.stream].events[d.at].begin
}

// known is when what is waited for has begun; not ok if it has not: then the stream is told once it has.
func (r *run) known(i int32, d *dep) (time.Duration, bool) {
	if d.stream < 0 {
		h := &r.hubs[d.at]
		if h.left > 0 {
			h.waiters = append(h.waiters, i)
		}
		return h.begin, h.left == 0
	}
	o := &r.state[d.stream]
	if int(d.at) < len(o.begins) {
		return o.begins[d.at], true
	}
	o.waiters[int(d.at)] = append(o.waiters[int(d.at)], i)
	return 0, false
}

// taking is the event whose message event k takes, of receives in any order: those that follow one another, from
// different processes, or what a process has sent before a message that is received earlier.
func (r *run) taking(i int32, k int) (int, bool) {
	s, p := r.streams[i], &r.state[i]
	if len(p.taken) > 0 && k < p.batch+len(p.taken) {
		return p.taken[k-p.batch], true
	}
	type arrival struct {
		event int
		at    time.Duration
	}
	var all []arrival
	from := map[int32]int32{} // the latest sends, by stream
	for n := k; n < len(s.events) && s.keys[s.events[n].terminal] == s.keys[s.events[k].terminal]; n++ {
		deps := s.depsOf(n)
		if len(deps) != 1 || deps[0].stream < 0 {
			break
		}
		if sent, ok := from[deps[0].stream]; !ok {
			from[deps[0].stream] = deps[0].at
		} else if deps[0].at > sent {
			break
		}
		t, ok := r.known(i, &deps[0])
		if !ok {
			return 0, false
		}
		all = append(all, arrival{n, t})
	}
	if len(all) == 0 {
		return k, true
	}
	slices.SortStableFunc(all, func(a, b arrival) int { return int(a.at - b.at) })
	p.batch, p.taken = k, nil
	for _, a := range all {
		p.taken = append(p.taken, a.event)
	}
	return p.taken[0], true
}

// WithoutLateness is how long the run takes if a process computes no longer than the others do on the average: before
// each call that others make as well, as often, at each occurrence; before calls that they make less or more often,
// than their mean.
func (g *Graph) WithoutLateness(process int32) (time.Duration, bool) {
	type sums struct {
		at     []time.Duration // by occurrence
		counts []int
		all    time.Duration
		n      int
	}
	others := map[efficiency.Key]*sums{}
	for _, s := range g.streams {
		if !s.main || s.process == process {
			continue
		}
		seen := map[efficiency.Key]int{}
		for i := range s.events {
			key := s.keys[s.events[i].terminal]
			x := others[key]
			if x == nil {
				x = &sums{}
				others[key] = x
			}
			n := seen[key]
			seen[key]++
			if n == len(x.at) {
				x.at, x.counts = append(x.at, 0), append(x.counts, 0)
			}
			gap := s.gap(i)
			x.at[n] += gap
			x.counts[n]++
			x.all += gap
			x.n++
		}
	}
	seen := map[efficiency.Key]int{}
	return g.simulate(change{gap: func(s *stream, i int) time.Duration {
		gap := s.gap(i)
		if s.process != process || !s.main {
			return gap
		}
		key := s.keys[s.events[i].terminal]
		n := seen[key]
		seen[key]++
		x := others[key]
		switch {
		case x == nil:
			return gap
		case n < len(x.at) && x.counts[n] == x.counts[0]:
			return min(gap, x.at[n]/time.Duration(x.counts[n]))
		}
		return min(gap, x.all/time.Duration(x.n))
	}})
}

// WithoutWaiting is how long the run takes if receives from a call site find their messages, as if what sends them had
// been done before; receiver is for sends that find their receives.
func (g *Graph) WithoutWaiting(at efficiency.Key, receiver bool) (time.Duration, bool) {
	return g.simulate(change{drop: func(s *stream, i int, d *dep) bool {
		return d.receiver == receiver && d.stream >= 0 && s.keys[s.events[i].terminal] == at
	}})
}

// InAnyOrder is how long the run takes if receives from a call site take messages in the order in which they come.
func (g *Graph) InAnyOrder(at efficiency.Key) (time.Duration, bool) {
	return g.simulate(change{anyOrder: func(s *stream, i int) bool { return s.keys[s.events[i].terminal] == at }})
}

// UsualFor is how long the run takes if all processes compute no longer than usual before the calls of some part of it:
// before the same call in the rest of it, by the median. In tells which calls are in the part.
func (g *Graph) UsualFor(in func(stream int, call uint64) bool) (time.Duration, bool) {
	usual := map[*stream]map[efficiency.Key]time.Duration{}
	inside := map[*stream][]bool{}
	for n, s := range g.streams {
		of := map[efficiency.Key][]time.Duration{}
		inside[s] = make([]bool, len(s.events))
		for i := range s.events {
			key := s.keys[s.events[i].terminal]
			if inside[s][i] = in(n, s.events[i].call); !inside[s][i] {
				of[key] = append(of[key], s.gap(i))
			}
		}
		usual[s] = map[efficiency.Key]time.Duration{}
		for key, gaps := range of {
			slices.Sort(gaps)
			usual[s][key] = gaps[len(gaps)/2]
		}
	}
	return g.simulate(change{gap: func(s *stream, i int) time.Duration {
		if u, ok := usual[s][s.keys[s.events[i].terminal]]; ok && inside[s][i] {
			return min(s.gap(i), u)
		}
		return s.gap(i)
	}})
}
