package match

import "github.com/tabard-hpc/tabard/analysis/calls"

// receiveOrder keeps the receives of a process on a communicator in the order in which they were
// posted. It begins with the first receive whose message is not known yet. Later receives may have
// to wait until it is, because that receive may take a message that they could match as well.
type receiveOrder struct {
	list []*end
	from int
}

func (g *receiveOrder) empty() bool { return g.from == len(g.list) }

// holds tells whether a receive that is posted now must wait for an earlier one.
func (g *receiveOrder) holds(e *end) bool {
	for _, w := range g.list[g.from:] {
		if !w.is(resolved) && w.admits(&e.key) {
			return true
		}
	}
	return false
}

// remove takes out an end.
func (g *receiveOrder) remove(e *end) {
	for i := g.from; i < len(g.list); i++ {
		if g.list[i] == e {
			copy(g.list[g.from+1:i+1], g.list[g.from:i])
			g.list[g.from] = nil
			g.from++
			break
		}
	}
	g.trim()
}

func (g *receiveOrder) trim() {
	switch {
	case g.from == len(g.list):
		g.list, g.from = g.list[:0], 0
	case g.from > len(g.list)/2 && g.from > 64:
		n := copy(g.list, g.list[g.from:])
		clear(g.list[n:])
		g.list, g.from = g.list[:n], 0
	}
}

// flush releases the receives that no longer wait for an earlier one.
func (r *runner) flush(g *receiveOrder) {
	var blockers []*end // with different patterns
	kept := make([]*end, 0, 8)
	i := g.from
	var free []*end
scan:
	for ; i < len(g.list); i++ {
		e := g.list[i]
		if !e.is(resolved) {
			kept = append(kept, e)
			known := false
			for _, b := range blockers {
				known = known || b.covers(e)
			}
			if !known {
				blockers = append(blockers, e)
			}
			if e.anySource && e.anyTag {
				i++
				break scan
			}
			continue
		}
		held := false
		for _, b := range blockers {
			held = held || b.admits(&e.key)
		}
		if held {
			kept = append(kept, e)
		} else {
			free = append(free, e)
		}
	}
	start := i - len(kept)
	copy(g.list[start:i], kept)
	clear(g.list[g.from:start])
	g.from = start
	g.trim()
	for _, e := range free {
		e.state &^= inOrder
		switch {
		case e.state&(cancelled|failed) != 0:
			r.drop(e)
		case r.partner(e):
			r.enqueue(r.channel(&e.key), e)
		case e.is(closed):
			r.release(e)
		}
	}
}

// resolve notes what a receive with wildcards has received.
func (r *runner) resolve(e *end, source, tag int32) {
	if e.is(resolved) {
		return
	}
	g := r.procs[e.proc].receiveOrders[e.key.comm]
	first := g == nil || g.empty() || g.list[g.from] == e || g.list[g.from].is(resolved) || !g.list[g.from].covers(e)
	if e.anySource {
		e.key.source = source
	}
	if e.anyTag {
		e.key.tag = tag
	}
	e.state |= resolved
	if g != nil && e.is(inOrder) && first {
		r.flush(g)
	}
}

// leave removes a receive from its receive order. It has received nothing, or what it received will
// never be known.
func (r *runner) leave(e *end) {
	if !e.is(inOrder) {
		return
	}
	e.state &^= inOrder
	g := r.procs[e.proc].receiveOrders[e.key.comm]
	g.remove(e)
	r.flush(g)
}

// maxPool is how many receives of unknown source are kept. When there are more, their sends are
// guessed.
const maxPool = 1 << 16

// unknown notes that the recording does not tell what a receive with wildcards has received.
func (r *runner) unknown(e *end) {
	if e.is(resolved) || e.state&(unresolvable|reported) != 0 {
		return
	}
	e.state |= unresolvable
	r.leave(e)
	r.pool = append(r.pool, e)
	if len(r.pool) >= r.maxPool {
		r.guess()
		r.maxPool = max(maxPool, 2*len(r.pool))
	}
}

// complete handles a call that has completed a request.
func (r *runner) complete(p *proc, s *stream, op *calls.Op, d *calls.Done) {
	q := p.request(d.Request)
	if op.Kind == calls.Query {
		if q.recv != nil && d.Status && !d.Cancelled {
			r.resolve(q.recv, q.recv.peers.At(d.Source), d.Tag)
		}
		return
	}
	send, recv, c := q.send, q.recv, q.coll
	q.send, q.recv, q.coll = nil, nil, part{}
	if recv != nil {
		r.completeRecv(recv, d, s, op)
	}
	if send != nil {
		if d.Status && d.Cancelled && recv == nil {
			r.cancel(send)
		}
		send.Done.set(s, op)
		send.Tests = s.testsBefore(op)
		r.close(send)
	}
	if c.c != nil {
		r.completePart(c, s, op)
	}
}

func (r *runner) completeRecv(e *end, d *calls.Done, s *stream, op *calls.Op) {
	switch {
	case d.Cancelled || !d.Status && e.is(toCancel):
		r.cancel(e)
	case d.Failed:
		if e.partner == nil && !e.is(reported) {
			e.state |= failed
			r.depart(e)
		}
	case d.Status:
		e.bytes = d.Bytes
		if !e.is(resolved) {
			r.resolve(e, e.peers.At(d.Source), d.Tag)
		}
	default:
		r.unknown(e)
	}
	e.Done.set(s, op)
	e.Tests = s.testsBefore(op)
	r.close(e)
}

// cancel notes that an end was cancelled.
func (r *runner) cancel(e *end) {
	if e.partner == nil && !e.is(reported) {
		e.state |= cancelled
		r.depart(e)
	}
}

// depart removes an end that was cancelled or has failed from its receive order. An end in a
// channel is removed when it reaches the head.
func (r *runner) depart(e *end) {
	if e.is(queued) {
		return
	}
	r.leave(e)
	r.drop(e)
}
