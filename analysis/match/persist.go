package match

import "github.com/tabard-hpc/tabard/analysis/calls"

// ordinal names partitioned requests that match by the order in which they are made.
type ordinal struct {
	comm, peer, tag int32
	send            bool
}

// initialise takes in a call that makes a persistent request.
func (r *runner) initialise(p *proc, s *stream, op *calls.Op) {
	if op.Request < 0 {
		return
	}
	q := r.renew(p, op.Request)
	in := &initial{f: op.Func, mode: op.Mode, comm: op.Comm, peers: op.Peers()}
	q.init = in
	switch op.Kind {
	case calls.CollectiveInit:
		in.collective, in.root = true, op.Root
		in.sent, in.received = op.Send.Bytes, op.Recv.Bytes
		in.scope = scopeOf(op)
		in.index = *p.counter(in.scope)
		r.collective(p, s, op)
		return
	case calls.SendInit:
		in.send, in.side = true, op.Send
	default:
		in.side = op.Recv
	}
	if op.Partitioned {
		o := ordinal{op.Comm, in.side.Peer, in.side.Tag, in.send}
		if p.ordinals == nil {
			p.ordinals = map[ordinal]int32{}
		}
		p.ordinals[o]++
		in.part = p.ordinals[o]
	}
}

// start takes in that a persistent request is started, the nth of its call.
func (r *runner) start(p *proc, s *stream, op *calls.Op, q *request, nth int32) {
	in := q.init
	if in == nil {
		return
	}
	r.abandon(q)
	if in.collective {
		in.round++
		q.coll = r.joinColl(p, s, op, collKey{in.scope, in.index, in.round}, in.f, in.root, in.sent, in.received)
		return
	}
	var e *end
	if in.send {
		if e = r.newSend(p, s, op, &in.side, in.comm); e != nil {
			e.Mode = in.mode
			q.send = e
		}
	} else if e = r.newRecv(p, s, op, &in.side, in.comm); e != nil {
		e.peers = in.peers
		q.recv = e
	}
	if e == nil {
		return
	}
	e.Func, e.Nth, e.key.part = in.f, nth, in.part
	r.post(p, s, e, op.Terminal, false)
}

// mprobe takes in that a message was taken out of matching.
func (r *runner) mprobe(p *proc, s *stream, op *calls.Op) {
	if !op.Found || op.Message < 0 {
		return
	}
	e := r.newRecv(p, s, op, &op.Recv, op.Comm)
	if e == nil {
		return
	}
	e.Probe, e.peers = new(Ref), op.Peers()
	e.Probe.set(s, op)
	if p.messages == nil {
		p.messages = map[int64]*end{}
	}
	if old := p.messages[op.Message]; old != nil {
		r.unknown(old)
		r.close(old)
	}
	p.messages[op.Message] = e
	r.post(p, s, e, op.Terminal, true)
}

// mrecv takes in that such a message is received.
func (r *runner) mrecv(p *proc, s *stream, op *calls.Op) {
	e := p.messages[op.Message]
	var q *request
	if op.Request >= 0 {
		q = r.renew(p, op.Request)
	}
	if e == nil {
		if op.Message < 0 {
			r.sum.ToNobody++
		}
		return
	}
	delete(p.messages, op.Message)
	e.Func = op.Func
	e.Post.set(s, op)
	if q != nil {
		q.recv = e
		return
	}
	if op.Recv.Known {
		e.bytes = op.Recv.Bytes
		r.resolve(e, e.peers.At(op.SourceRank), op.Recv.Tag)
	}
	if !unfinished(op) {
		e.Blocking = true
		e.Done.set(s, op)
	}
	r.unknown(e)
	r.close(e)
}
