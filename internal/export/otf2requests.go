package export

import (
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/spec"
)

// follow notes the requests that a call begins, and what their receives get.
func (s *otf2Stream) follow(op *calls.Op, notes []note) {
	if op.Persistent && op.Kind != calls.Start {
		s.inits[op.Request] = clone(op)
		return
	}
	notes = slices.Clone(notes)
	if op.Kind != calls.Start {
		s.begins(op.Request, op, &notes)
		return
	}
	for _, lane := range op.Requests {
		if init := s.inits[lane]; init != nil {
			s.begins(lane, init, &notes)
		}
	}
}

// begins notes a request of the call op, and takes what its receive gets from notes.
func (s *otf2Stream) begins(lane int64, op *calls.Op, notes *[]note) {
	r := &otf2Request{op: *op}
	r.op.Requests, r.op.Done = nil, nil // the next event has their memory
	id := func() uint64 {
		s.next++
		return s.next
	}
	switch op.Kind {
	case calls.Send, calls.SendInit:
		r.send = id()
	case calls.Recv, calls.RecvInit, calls.Mrecv:
		r.recv = id()
	case calls.SendRecv:
		r.send, r.recv = id(), id()
	case calls.Collective, calls.CollectiveInit:
		r.coll = id()
	}
	if r.recv > 0 {
		fits := func(n note) bool {
			side := &op.Recv
			return n.value&1 == 0 && (op.Kind == calls.Mrecv || (side.Peer < 0 || side.Peer == n.source) &&
				(side.Tag < 0 || side.Tag == n.tag) && op.Comm == n.comm)
		}
		if i := slices.IndexFunc(*notes, fits); i >= 0 {
			r.got = &message{}
			*r.got = (*notes)[i].message
			*notes = slices.Delete(*notes, i, i+1)
		}
	}
	s.lanes[lane] = r
}

// post writes that a request begins.
func (s *otf2Stream) post(r *otf2Request, t uint64) error {
	if r == nil {
		return nil
	}
	if m, ok := s.sent(&r.op); ok && r.send > 0 {
		r.sent = true
		if err := s.ev.Isend(t, &m, r.send); err != nil {
			return err
		}
	}
	return s.postReceive(r, t)
}

// postReceive writes that a receive or a collective begins.
func (s *otf2Stream) postReceive(r *otf2Request, t uint64) error {
	if r.posted {
		return nil
	}
	r.posted = true
	if r.recv > 0 && r.op.Recv.Peer != calls.ProcNull {
		return s.ev.IrecvRequest(t, r.recv)
	}
	if r.coll > 0 {
		if _, ok := s.nonblocking(r); ok {
			return s.ev.CollectiveRequest(t, r.coll)
		}
	}
	return nil
}

// nonblocking is what the event of a nonblocking collective's end has.
func (s *otf2Stream) nonblocking(r *otf2Request) (otf2.Collective, bool) {
	op, ok := collectiveOp(r.op.Func)
	if !ok || r.op.Comm < 0 {
		return otf2.Collective{}, false
	}
	return s.collective(&r.op, op), true
}

// drop forgets requests that are freed.
func (s *otf2Stream) drop(op *calls.Op) {
	for _, lane := range op.Requests {
		delete(s.lanes, lane)
		delete(s.inits, lane)
	}
}

// complete ends the requests that a call completed, and writes that if it is selected.
func (s *otf2Stream) complete(op *calls.Op, t uint64, write bool) error {
	for i := range op.Done {
		d := &op.Done[i]
		r := s.lanes[d.Request]
		if r == nil {
			continue
		}
		delete(s.lanes, d.Request)
		if !write || d.Failed {
			continue
		}
		if err := s.completed(r, d, t); err != nil {
			return err
		}
	}
	return nil
}

// completed writes the end of a request.
func (s *otf2Stream) completed(r *otf2Request, d *calls.Done, t uint64) error {
	if r.send > 0 && r.sent {
		end := s.ev.IsendComplete
		if d.Cancelled {
			end = s.ev.Cancelled
		}
		if err := end(t, r.send); err != nil {
			return err
		}
	}
	if r.io != nil {
		bytes := r.io.bytes
		if d.Status && r.op.Func.Op == spec.OpRead {
			bytes = size(d.Bytes)
		}
		return s.ev.IOComplete(t, r.io.handle, bytes, r.io.id)
	}
	if r.coll > 0 {
		coll, ok := s.nonblocking(r)
		if !ok {
			return nil
		}
		if err := s.postReceive(r, t); err != nil {
			return err
		}
		return s.ev.CollectiveComplete(t, &coll, r.coll)
	}
	if r.recv == 0 || r.op.Recv.Peer == calls.ProcNull {
		return nil
	}
	if d.Cancelled {
		if !r.posted {
			return nil
		}
		return s.ev.Cancelled(t, r.recv)
	}
	m, ok := s.gotten(r, d)
	if !ok {
		return nil
	}
	if err := s.postReceive(r, t); err != nil {
		return err
	}
	return s.ev.Irecv(t, &m, r.recv)
}

// gotten is the message of a receive: as it was matched, else as its status or the call has it.
func (s *otf2Stream) gotten(r *otf2Request, d *calls.Done) (otf2.Message, bool) {
	if r.got != nil {
		return s.message(r.got)
	}
	op := &r.op
	m := message{op.Recv.Peer, op.Comm, op.Recv.Tag, op.Recv.Bytes}
	if peers := op.Peers(); d.Status && peers != nil {
		m.source, m.tag, m.bytes = peers.At(d.Source), d.Tag, d.Bytes
	}
	return s.message(&m)
}

// rank is the rank of a process in a communicator, as comms defines it.
func (s *otf2Stream) rank(comm, process int32) (rank uint32, ok bool) {
	if comm < 0 || process < 0 {
		return 0, false
	}
	key := int64(comm)<<32 | int64(process)
	if rank, ok = s.ranks[key]; ok {
		return rank, rank != otf2.Undefined
	}
	c := s.program.Comms.Comms[comm]
	rank = otf2.Undefined
	if c.Members != nil {
		if i := c.Members.Index(int(process)); i >= 0 {
			rank = uint32(i)
		} else if c.Inter && c.RemoteMembers != nil {
			if i := c.RemoteMembers.Index(int(process)); i >= 0 {
				rank = uint32(c.Members.Len() + i)
			}
		}
	}
	s.ranks[key] = rank
	return rank, rank != otf2.Undefined
}

// sent is the message that a call sends, if it sends one.
func (s *otf2Stream) sent(op *calls.Op) (otf2.Message, bool) {
	return s.message(&message{op.Send.Peer, op.Comm, op.Send.Tag, op.Send.Bytes})
}

// message is a message in the words of OTF2, ok is false if there is none.
func (s *otf2Stream) message(m *message) (found otf2.Message, ok bool) {
	if m.source == calls.ProcNull || m.source == calls.NoPeer {
		return otf2.Message{}, false
	}
	rank, ok := s.rank(m.comm, m.source)
	if !ok {
		s.pathless++
		return otf2.Message{}, false
	}
	return otf2.Message{Peer: rank, Comm: uint32(m.comm), Tag: uint32(m.tag), Bytes: size(m.bytes)}, true
}

// size is a number of bytes, which may not be known.
func size(n int64) uint64 {
	if n < 0 {
		return otf2.Undefined64
	}
	return uint64(n)
}

// collective is what the end of a collective has.
func (s *otf2Stream) collective(op *calls.Op, what otf2.CollectiveOp) otf2.Collective {
	c := otf2.Collective{Op: what, Comm: uint32(op.Comm), Root: otf2.RootNone, Sent: size(op.Send.Bytes),
		Received: size(op.Recv.Bytes)}
	if rank, ok := s.rank(op.Comm, op.Root); ok {
		c.Root = rank
	}
	return c
}

// window is the number of a call's window.
func (s *otf2Stream) window(op *calls.Op) uint32 {
	key := [2]int32{op.Comm, op.Object}
	id, ok := s.windows[key]
	if !ok {
		id = uint32(len(s.windows))
		s.windows[key] = id
	}
	return id
}

// access writes a one-sided call. It is complete at the next synchronisation of its window.
func (s *otf2Stream) access(op *calls.Op, t uint64) error {
	peer := op.Send.Peer
	if op.Kind == calls.Get {
		peer = op.Recv.Peer
	}
	if peer == calls.ProcNull {
		return nil
	}
	rank, ok := s.rank(op.Comm, peer)
	if !ok {
		s.pathless++
		return nil
	}
	w := s.window(op)
	r := s.remote[w]
	if r == nil {
		r = &[2]uint64{}
		s.remote[w] = r
	}
	id := r[1]
	r[1]++
	switch op.Kind {
	case calls.Put:
		return s.ev.Put(t, w, rank, size(op.Send.Bytes), id)
	case calls.Get:
		return s.ev.Get(t, w, rank, size(op.Recv.Bytes), id)
	}
	return s.ev.Atomic(t, w, rank, size(op.Send.Bytes), size(op.Recv.Bytes), id)
}

// synchronised completes what was done to a window before.
func (s *otf2Stream) synchronised(op *calls.Op, t uint64) error {
	if op.Comm < 0 {
		return nil
	}
	w := s.window(op)
	r := s.remote[w]
	if r == nil {
		return nil
	}
	for ; r[0] < r[1]; r[0]++ {
		if err := s.ev.Complete(t, w, r[0]); err != nil {
			return err
		}
	}
	return nil
}
