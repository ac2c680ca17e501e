package match

import "github.com/tabard-hpc/tabard/analysis/calls"

// post makes an end take part in matching.
func (r *runner) post(p *proc, s *stream, e *end, terminal uint32, blocking bool) {
	if e == nil {
		return
	}
	if blocking || !p.cancels {
		e.state |= fated
	}
	if e.key.comm < 0 {
		r.unmatched(e, CommUnknown)
		return
	}
	if e.is(resolved) && !r.partner(e) {
		return
	}
	if !e.is(isSend) {
		if g := p.receiveOrder(e.key.comm); g != nil && !g.empty() || !e.is(resolved) {
			if g == nil {
				g = &receiveOrder{}
				if p.receiveOrders == nil {
					p.receiveOrders = map[int32]*receiveOrder{}
				}
				p.receiveOrders[e.key.comm] = g
			}
			if !e.is(resolved) || g.holds(e) {
				e.state |= inOrder
				g.list = append(g.list, e)
				return
			}
		}
	}
	r.enqueue(s.channel(r, &e.key, 2*int(terminal)+int(e.state&isSend)), e)
}

// partner tells whether the other process can have made the other call; if not, it reports the end.
func (r *runner) partner(e *end) bool {
	other := e.key.source
	if e.is(isSend) {
		other = e.key.dest
	}
	switch {
	case other < 0:
		r.unmatched(e, CommUnknown)
	case r.process(other) == nil:
		r.unmatched(e, NotRecorded)
	default:
		return true
	}
	return false
}

// channel is the channel of a key, from the cache of what a terminal used last if it is there.
func (s *stream) channel(r *runner, k *key, slot int) *channel {
	if slot >= len(s.cache) {
		s.cache = append(s.cache, make([]cached, slot+1-len(s.cache)+8)...)
	}
	c := &s.cache[slot]
	if c.ch == nil || c.gen != r.gen || c.key != *k {
		ch := r.channel(k)
		*c = cached{*k, r.gen, ch}
	}
	return c.ch
}

// channel finds or makes the channel of a key. Channels that are empty are removed now and then.
func (r *runner) channel(k *key) *channel {
	if ch := r.channels[*k]; ch != nil {
		return ch
	}
	if len(r.channels) >= r.sweep {
		for k, ch := range r.channels {
			if ch.sends.first == nil && ch.recvs.first == nil {
				delete(r.channels, k)
			}
		}
		r.gen++
		r.sweep = max(1024, 2*len(r.channels))
	}
	ch := &channel{}
	r.channels[*k] = ch
	return ch
}

// enqueue adds an end to its channel.
func (r *runner) enqueue(ch *channel, e *end) {
	e.state &^= inOrder
	if ch.meet(e) {
		if e.is(isSend) {
			r.join(e, ch.recvs.pop(), false)
		} else {
			r.join(ch.sends.pop(), e, true)
		}
		r.pair(ch)
		return
	}
	e.state |= queued
	e.ch = ch
	if e.is(isSend) {
		ch.sends.push(e)
		r.procs[e.proc].ahead++
	} else {
		ch.recvs.push(e)
		r.await(e)
	}
	r.pair(ch)
}

// meet tells whether the partner of an end that is not in the channel yet already waits there.
func (ch *channel) meet(e *end) bool {
	mine, other := &ch.recvs, ch.sends.first
	if e.is(isSend) {
		mine, other = &ch.sends, ch.recvs.first
	}
	const both = fated | cancelled | failed
	return other != nil && mine.first == nil && e.state&both == fated && other.state&both == fated
}

// await notes that a receive has completed and its send has not been read. The process waits for
// that send.
func (r *runner) await(e *end) {
	p := &r.procs[e.proc]
	if e.state&(closed|queued|counted|cancelled|failed) == closed|queued && e.partner == nil &&
		e.key.source != e.key.dest {
		e.state |= counted
		e.epoch = p.epoch
		p.missing++
	}
}

// forget is the reverse of await.
func (r *runner) forget(e *end) {
	if !e.is(counted) {
		return
	}
	if p := &r.procs[e.proc]; e.epoch == p.epoch {
		p.missing--
		r.wake(p)
	}
	e.state &^= counted
}

// pair joins what is at the head of a channel's queues.
func (r *runner) pair(ch *channel) {
	for {
		s, v := ch.sends.first, ch.recvs.first
		switch {
		case s != nil && s.state&(cancelled|failed) != 0:
			r.behind(s)
			r.drop(ch.sends.pop())
			continue
		case v != nil && v.state&(cancelled|failed) != 0:
			r.drop(ch.recvs.pop())
			continue
		case s == nil || v == nil || !s.is(fated) || !v.is(fated):
			return
		}
		r.join(ch.sends.pop(), ch.recvs.pop(), true)
	}
}

// behind notes that a send no longer waits.
func (r *runner) behind(s *end) {
	p := &r.procs[s.proc]
	p.ahead--
	r.wake(p)
}

// join combines two ends into a message. ahead tells whether the send counts as one that its
// process is ahead of others.
func (r *runner) join(s, v *end, ahead bool) {
	s.partner, v.partner = v, s
	s.state &^= queued
	v.state &^= queued
	if ahead {
		r.behind(s)
	}
	r.forget(v)
	if s.is(closed) && v.is(closed) {
		r.emit(s, v)
	}
}

// drop ends an end that was cancelled or has failed. It is in no list.
func (r *runner) drop(e *end) {
	e.state &^= queued | inOrder
	r.forget(e)
	if !e.is(reported) {
		e.state |= reported
		if e.is(cancelled) {
			r.sum.Cancelled++
		} else {
			r.sum.Failed++
		}
	}
	if e.is(closed) {
		r.release(e)
	}
}

// close notes that an end is complete: after e.Done, nothing more will be learned of it.
func (r *runner) close(e *end) {
	e.state |= closed | fated
	switch {
	case e.is(reported):
		r.release(e)
	case e.partner != nil:
		if e.partner.is(closed) {
			if e.is(isSend) {
				r.emit(e, e.partner)
			} else {
				r.emit(e.partner, e)
			}
		}
	case e.is(queued):
		if !e.is(isSend) {
			r.await(e)
		}
		if ch := e.ch; ch.sends.first != nil && ch.recvs.first != nil || ch.sends.first == e || ch.recvs.first == e {
			r.pair(ch)
		}
	}
}

// emit hands out a message.
func (r *runner) emit(s, v *end) {
	bytes := s.bytes
	if bytes < 0 {
		bytes = v.bytes
	}
	r.sum.Messages++
	if bytes < 0 {
		bytes = calls.UnknownBytes
		r.sum.UnknownSizes++
	} else {
		r.sum.Bytes += uint64(bytes)
	}
	if v.is(guessed) {
		r.sum.Guessed++
	}
	if r.opts.Message != nil && r.failure == nil {
		m := &r.msg
		m.Count = 1
		m.Comm, m.Tag, m.Bytes, m.Send, m.Recv, m.Guessed = s.key.comm, s.key.tag, bytes, &s.End, &v.End, v.is(guessed)
		if r.rec != nil {
			r.rec.note(m)
		}
		r.failure = r.opts.Message(m)
	}
	r.release(s)
	r.release(v)
}

// unmatched reports an end without a partner. It stays until it is closed.
func (r *runner) unmatched(e *end, why Reason) {
	e.state |= reported
	if e.is(isSend) {
		r.sum.UnmatchedSends++
	} else {
		r.sum.UnmatchedRecvs++
	}
	if r.opts.Unmatched == nil || r.failure != nil {
		return
	}
	u := Unmatched{End: e.End, Send: e.is(isSend), Comm: e.key.comm, Peer: e.key.source, Tag: e.key.tag, Bytes: e.bytes,
		Reason: why}
	if u.Send {
		u.Peer = e.key.dest
	}
	r.failure = r.opts.Unmatched(&u)
}

// process is the recorded process with a number, nil if there is none.
func (r *runner) process(number int32) *proc {
	if uint(number) < uint(len(r.byNumber)) {
		if i := r.byNumber[number]; i > 0 {
			return &r.procs[i-1]
		}
		return nil
	}
	if i, ok := r.index[number]; ok {
		return &r.procs[i]
	}
	return nil
}
