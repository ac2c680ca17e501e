package match

import "tabard/analysis/ops"

// ordinal names partitioned requests that match by the order in which they are made.
type ordinal struct {
	comm, peer, tag int32
	send            bool
}

// initialise takes in a call that makes a persistent request.
func (r *runner) initialise(p *proc, s *stream, op *ops.Op) {
	if op.Request < 0 {
		return
	}
	q := r.renew(p, op.Request)
	in := &initial{f: op.Func, mode: op.Mode, comm: op.Comm, peers: op.Peers()}
	q.init = in
	switch op.Kind {
	case ops.CollectiveInit:
		in.collective, in.root = true, op.Root
		in.sent, in.taken = op.Send.Bytes, op.Recv.Bytes
		in.scope = scopeOf(op)
		in.index = *p.counter(in.scope)
		r.collective(p, s, op)
		return
	case ops.SendInit:
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

// start takes in that a persistent request is started.
func (r *runner) start(p *proc, s *stream, op *ops.Op, q *request) {
	in := q.init
	if in == nil {
		return
	}
	r.abandon(q)
	at := refOf(s, op)
	if in.collective {
		in.round++
		q.coll = r.joinColl(p, collKey{in.scope, in.index, in.round}, in.f, in.root, Part{Process: p.number, Post: at, Done: Ref{Stream: -1}, Sent: in.sent, Received: in.taken})
		return
	}
	var e *end
	if in.send {
		if e = r.newSend(p, op, &at, &in.side, in.comm); e != nil {
			e.Mode = in.mode
			q.send = e
		}
	} else if e = r.newRecv(p, op, &at, &in.side, in.comm); e != nil {
		e.peers = in.peers
		q.recv = e
	}
	if e == nil {
		return
	}
	e.Func, e.key.part = in.f, in.part
	r.post(p, s, e, op.Terminal, false)
}

// mprobe takes in that a message was taken out of matching.
func (r *runner) mprobe(p *proc, s *stream, op *ops.Op) {
	if !op.Found || op.Message < 0 {
		return
	}
	at := refOf(s, op)
	e := r.newRecv(p, op, &at, &op.Recv, op.Comm)
	if e == nil {
		return
	}
	e.Probe, e.peers = &at, op.Peers()
	if p.messages == nil {
		p.messages = map[int64]*end{}
	}
	if old := p.messages[op.Message]; old != nil {
		r.unknown(old)
		r.close(old, Ref{Stream: -1})
	}
	p.messages[op.Message] = e
	r.post(p, s, e, op.Terminal, true)
}

// mrecv takes in that such a message is received.
func (r *runner) mrecv(p *proc, s *stream, op *ops.Op) {
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
	e.Post, e.Func = refOf(s, op), op.Func
	if q != nil {
		q.recv = e
		return
	}
	if op.Recv.Known {
		e.bytes = op.Recv.Bytes
		r.resolve(e, e.peers.At(op.SourceRank), op.Recv.Tag)
	}
	done := e.Post
	if unfinished(op) {
		done = Ref{Stream: -1}
	} else {
		e.Blocking = true
	}
	r.unknown(e)
	r.close(e, done)
}
