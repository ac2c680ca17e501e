package match

import (
	"cmp"
	"slices"
	"time"
)

// snapshot is what is under way when all processes are paused.
type snapshot struct {
	// state encodes everything that later matches depend on. Call numbers are relative to the
	// process's base.
	state []int64
	ends  []*end // under way, each once
	bases []base // in the order of processes
	sum   Summary
	tries int
	// The matches from here on until the next snapshot.
	messages []repeatedMessage
	colls    []repeatedCollective
}

// base is where a process is.
type base struct {
	proc        int32
	event, call uint64
	counters    []counter
}

// count is how many collectives a process had made on a scope.
func (s *snapshot) count(p *proc, scope collScope) uint64 {
	i, ok := slices.BinarySearchFunc(s.bases, p.index, func(b base, n int32) int { return cmp.Compare(b.proc, n) })
	if !ok {
		return 0
	}
	at := p.counters[memberScope{scope, 0}]
	for _, c := range s.bases[i].counters {
		if c.at == at {
			return c.n
		}
	}
	return 0
}

// counter is how many collectives there were on a scope.
type counter struct {
	at *uint64
	n  uint64
}

// unknownCall stands in a state for a call that does not exist.
const unknownCall = -1 << 62

// mostRepeated is how many ends of each process under way, and a share of what may wait in all, are looked at: of a
// snapshot they take as much memory again.
const mostRepeated = 64

// snapshot records what is under way. It is false if something under way makes iterations differ, or if it is too much.
func (r *runner) snapshot() (*snapshot, bool) {
	s := &snapshot{sum: r.sum}
	if len(r.pool) > 0 || len(r.colls) > 0 || r.live > mostWaiting/4+mostRepeated*len(r.procs) {
		return nil, false
	}
	events := uint64(0)
	for i := range r.procs {
		p := &r.procs[i]
		if p.where != inPaused {
			continue
		}
		if len(p.messages) > 0 || !p.regular() {
			return nil, false
		}
		b := base{proc: p.index, event: p.streams[0].Event(), call: p.streams[0].Call()}
		for _, c := range p.counters {
			b.counters = append(b.counters, counter{c, *c})
		}
		s.bases = append(s.bases, b)
		if events += p.size; events > maxTogether {
			return nil, false
		}
	}
	r.looked += uint64(r.live)
	seen := map[*end]bool{}
	for _, b := range s.bases {
		p := &r.procs[b.proc]
		s.state = append(s.state, int64(b.proc))
		for k := range p.requests {
			q := &p.requests[k]
			if q.init != nil {
				s.state = append(s.state, int64(k), int64(q.init.round))
			}
			for _, e := range [...]*end{q.send, q.recv} {
				if e == nil {
					continue
				}
				s.state = append(s.state, int64(k))
				if !r.under(s, seen, e) || e.partner != nil && !r.under(s, seen, e.partner) {
					return nil, false
				}
			}
		}
	}
	var keys []key
	for k, ch := range r.channels {
		if ch.sends.first != nil || ch.recvs.first != nil {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, compareKeys)
	for _, k := range keys {
		ch := r.channels[k]
		s.state = append(s.state, int64(k.comm), int64(k.source), int64(k.dest), int64(k.tag), int64(k.part))
		for _, q := range [...]*queue{&ch.sends, &ch.recvs} {
			for e := q.first; e != nil; e = e.next {
				if !r.under(s, seen, e) {
					return nil, false
				}
			}
		}
	}
	return s, len(s.ends) == r.live
}

// regular tells whether iterations of a process cannot differ because of what is under way.
func (p *proc) regular() bool {
	// they may belong to the next call
	if s := p.streams[0]; s.tests.Calls > 0 && s.tests.Call+s.tests.Calls == s.Call() {
		return false
	}
	for _, g := range p.receiveOrders {
		if !g.empty() {
			return false
		}
	}
	for _, q := range p.far {
		if q.send != nil || q.recv != nil || q.coll.c != nil {
			return false
		}
	}
	return true
}

// under adds an end to a snapshot; false if iterations with it may differ.
func (r *runner) under(s *snapshot, seen map[*end]bool, e *end) bool {
	if e.state&(inOrder|toCancel|cancelled|failed|guessed|reported|unresolvable) != 0 || !e.is(resolved) ||
		e.Probe != nil || e.Tests.Calls > 0 {
		return false
	}
	done := int64(unknownCall)
	if e.Done.Known() {
		done = r.relative(e, &e.Done)
	}
	bits := (int64(e.Func.ID)<<8|int64(e.Mode))<<24 | int64(e.state&^counted)<<1
	if e.Wild {
		bits |= 1
	}
	s.state = append(s.state, int64(e.proc), int64(e.Post.Stream), r.relative(e, &e.Post), int64(e.Post.Terminal), done,
		bits, e.bytes, int64(e.key.comm), int64(e.key.source), int64(e.key.dest), int64(e.key.tag))
	if !seen[e] {
		seen[e] = true
		s.ends = append(s.ends, e)
	}
	return true
}

// relative is the number of a call relative to the current position of its process.
func (r *runner) relative(e *end, c *Ref) int64 {
	p := &r.procs[e.proc]
	if p.where != inPaused { // it has come to its end
		return int64(c.Call)
	}
	return int64(c.Call - p.streams[0].Call())
}

// repeat handles n iterations that match like the one between two snapshots. The second snapshot
// was just made.
func (r *runner) repeat(before, now *snapshot, n uint64) {
	if err := r.handOut(before, now, n); err != nil {
		r.failure = err
		return
	}
	a, b := before.sum, r.sum
	add := func(to *uint64, a, b uint64) { *to += (b - a) * n }
	add(&r.sum.Messages, a.Messages, b.Messages)
	add(&r.sum.Bytes, a.Bytes, b.Bytes)
	add(&r.sum.UnknownSizes, a.UnknownSizes, b.UnknownSizes)
	add(&r.sum.ToNobody, a.ToNobody, b.ToNobody)
	add(&r.sum.Failed, a.Failed, b.Failed)
	add(&r.sum.Collectives, a.Collectives, b.Collectives)
	for k := range now.bases {
		p := &r.procs[now.bases[k].proc]
		size := p.size
		was := map[*uint64]uint64{}
		for _, c := range before.bases[k].counters {
			was[c.at] = c.n
		}
		for _, c := range now.bases[k].counters {
			*c.at += (c.n - was[c.at]) * n
		}
		p.streams[0].Skip(n * size)
		r.done += n * size
		r.repeated += n * size
	}
	for _, e := range now.ends {
		p := &r.procs[e.proc]
		if p.where != inPaused {
			continue
		}
		for _, c := range [...]*Ref{&e.Post, &e.Done} {
			if !c.Known() {
				continue
			}
			c.Call += n * p.size
			if c.Timed {
				var begin, end [1]time.Duration
				if err := p.streams[0].Times(c.Call, begin[:], end[:]); err != nil {
					r.failure = err
					return
				}
				c.Begin, c.End = begin[0], end[0]
			}
		}
	}
}
