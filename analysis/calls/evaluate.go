package calls

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// number is the number of a dynamic object, -1 for null and predefined ones.
func number(ref int64) int64 {
	if !isDynamic(ref) {
		return -1
	}
	return (ref - 2) / 2
}

// entry works out what follows from the parameters on entry.
func (r *Reader) entry(t *term) {
	op := &t.op
	t.to = forever
	if t.has(rOn) {
		t.scope, t.to = r.p.scopeOf(r.pr, t.act.class, t.v[rOn], r.stream.Index(), op.Event)
		op.Comm, op.Object, op.peers = t.scope.comm, t.scope.object, t.scope.Peers
	}
	switch op.Kind {
	case Send, SendInit:
		r.sendSide(t)
	case Recv, RecvInit, Probe, Mprobe:
		r.recvSide(t)
	case SendRecv:
		r.sendSide(t)
		r.recvSide(t)
	case Mrecv:
		op.Recv = Side{Peer: AnySource, Tag: AnyTag}
		r.amount(t, &op.Recv, rRecvCount, rRecvType)
		op.Message = number(t.v[rMessage])
	case Collective, CollectiveInit:
		r.collective(t)
	case Put, Get, Accumulate:
		op.Send.Peer, op.Recv.Peer = r.peer(t, rSendPeer), NoPeer
		r.sided(t, &op.Send, rSendCount, rSendType)
		r.sided(t, &op.Recv, rRecvCount, rRecvType)
		op.Recv.Peer = op.Send.Peer
	case RMASync:
		if t.has(rSendPeer) {
			op.Send.Peer = r.peer(t, rSendPeer)
		}
		if t.has(rGroup) {
			members, to := r.p.Comms.Group(r.stream.Process(), t.v[rGroup], r.stream.Index(), op.Event)
			op.Group, t.to = members, min(t.to, to)
		}
	case Read, Write:
		r.sided(t, &op.Send, rSendCount, rSendType)
		r.sided(t, &op.Recv, rRecvCount, rRecvType)
	}
	r.given(t)
	t.void = op.Flags&archive.Failed != 0 && !r.consumed(t)
	op.Void = t.void
	if len(t.out) == 0 {
		r.returned(t)
	}
}

// consumed tells whether a call that failed has received a message nevertheless: it was too long.
func (r *Reader) consumed(t *term) bool {
	switch t.op.Kind {
	case Recv, SendRecv, Mrecv, Complete:
		return t.op.Kind == Complete || r.p.errorClass(int64(t.ret)) == r.p.consts.truncate
	}
	return false
}

// errorClass is the class of an error code.
func (p *Program) errorClass(code int64) int64 {
	if p.abi == spec.MPICH { // the class is in the low bits
		return code & 0x7f
	}
	return code
}

// peer is the process that a rank among the parameters means.
func (r *Reader) peer(t *term, role int) int32 {
	if !t.has(role) {
		return UnknownPeer
	}
	v, c := t.v[role], &r.p.consts
	switch {
	case v == c.procNull:
		return ProcNull
	case v == c.anySource:
		return AnySource
	case v < 0 || v > math.MaxInt32:
		return UnknownPeer
	}
	return t.scope.At(int32(v))
}

func (r *Reader) tag(t *term, role int) int32 {
	v := t.v[role]
	if v == r.p.consts.anyTag || v != int64(int32(v)) {
		return AnyTag
	}
	return int32(v)
}

func (r *Reader) sendSide(t *term) {
	s := &t.op.Send
	*s = Side{Peer: r.peer(t, rSendPeer), Tag: r.tag(t, rSendTag)}
	r.amount(t, s, rSendCount, rSendType)
}

func (r *Reader) recvSide(t *term) {
	s := &t.op.Recv
	*s = Side{Peer: r.peer(t, rRecvPeer), Tag: r.tag(t, rRecvTag), Bytes: UnknownBytes}
	t.sourceWild, t.tagWild = s.Peer == AnySource, s.Tag == AnyTag
	s.Wild = s.Peer == AnySource || s.Tag == AnyTag
	if t.act.recvCount >= 0 {
		r.amount(t, s, rRecvCount, rRecvType)
	}
}

// sided is amount for sides that a function may lack.
func (r *Reader) sided(t *term, s *Side, count, typ int) {
	if !t.has(count) && !t.has(typ) {
		*s = Side{Peer: s.Peer, Tag: AnyTag}
		return
	}
	peer := s.Peer
	*s = Side{Peer: peer, Tag: AnyTag}
	if !t.has(count) { // MPI_Fetch_and_op
		s.Count, s.Bytes = 1, r.size(t, typ)
		return
	}
	r.amount(t, s, count, typ)
}

// amount sets number and bytes of the elements of a side.
func (r *Reader) amount(t *term, s *Side, count, typ int) {
	s.Count = t.v[count]
	if t.has(rParts) {
		s.Count = times(s.Count, t.v[rParts])
	}
	s.Bytes = times(s.Count, r.size(t, typ))
}

// size is the size of the datatype in a role.
func (r *Reader) size(t *term, role int) int64 {
	if !t.has(role) {
		return UnknownBytes
	}
	return r.sizeOf(t, t.v[role])
}

func (r *Reader) sizeOf(t *term, ref int64) int64 {
	size, to := r.p.sizeOf(r.pr, ref, r.stream.Index(), t.op.Event)
	t.to = min(t.to, to)
	return size
}

// given sets the requests that a call was given.
func (r *Reader) given(t *term) {
	op := &t.op
	op.Requests = op.Requests[:0]
	switch {
	case t.has(rRequests):
		op.Requests = append(op.Requests, number(t.v[rRequests]))
	case t.hasArray(aRequests):
		for _, ref := range t.a[aRequests] {
			op.Requests = append(op.Requests, number(ref))
		}
	}
}

// returned works out what follows from the results of a call.
func (r *Reader) returned(t *term) {
	op := &t.op
	if t.has(rRequest) && t.act.request >= 0 {
		op.Request = number(t.v[rRequest])
	}
	if t.has(rNewComm) {
		op.MadeComm = NoComm
		if ref := t.v[rNewComm]; ref != 0 {
			sc, to := r.p.commScope(r.pr, ref, r.stream.Index(), op.Event)
			op.MadeComm, t.to = sc.comm, min(t.to, to)
		}
	}
	switch op.Kind {
	case Recv, SendRecv, Mrecv:
		r.received(t)
	case Probe, Mprobe:
		op.Found = !t.failed && op.Flags&(archive.Unfinished|archive.Polls) == 0 &&
			(!t.has(rFlag) && t.act.flag < 0 || t.has(rFlag) && t.v[rFlag] != 0)
		op.Recv.Bytes = UnknownBytes
		if op.Found {
			r.received(t)
		}
		if op.Message = -1; op.Kind == Mprobe && op.Found {
			op.Message = number(t.v[rMessage])
		}
	case Complete, Query:
		r.completed(t)
	case RMASync:
		op.Found = !t.has(rFlag) || t.v[rFlag] != 0
	case Read:
		if t.has(rBytes) {
			op.Recv.Bytes = t.v[rBytes]
		}
	}
}

// received takes in the status of a receive.
func (r *Reader) received(t *term) {
	s := &t.op.Recv
	if !t.has(rBytes) {
		return
	}
	s.Bytes = t.v[rBytes]
	if t.op.Kind == Mrecv {
		s.Known, t.op.SourceRank, s.Tag = true, int32(t.v[rSource]), int32(t.v[rTag])
		return
	}
	if s.Wild {
		s.Known = true
		if t.has(rSource) && t.sourceWild {
			s.Peer = t.scope.source(t.v[rSource], &r.p.consts)
		}
		if t.has(rTag) && t.tagWild {
			s.Tag = int32(t.v[rTag])
		}
	}
}

// source is the process that a status names.
func (s *scope) source(rank int64, c *constants) int32 {
	switch {
	case rank == c.procNull:
		return ProcNull
	case rank < 0 || rank > math.MaxInt32:
		return UnknownPeer
	}
	return s.At(int32(rank))
}

// completed lists the requests that a call completed (MPI 4.0, 3.7.5).
func (r *Reader) completed(t *term) {
	op := &t.op
	op.Done = op.Done[:0]
	if op.Flags&(archive.Unfinished|archive.Polls) != 0 {
		return
	}
	if t.failed {
		r.completedDespite(t)
		return
	}
	a := t.act
	if a.flag >= 0 && (!t.has(rFlag) || t.v[rFlag] == 0) {
		return
	}
	switch {
	case a.indices >= 0:
		for k, i := range t.array(aIndices) {
			r.done(t, i, k)
		}
	case a.index >= 0:
		if t.has(rIndex) {
			r.done(t, t.v[rIndex], 0)
		}
	default:
		for i := range op.Requests {
			r.done(t, int64(i), i)
		}
	}
}

// done adds request i, which status k is about.
func (r *Reader) done(t *term, i int64, k int) {
	op := &t.op
	if i < 0 || i >= int64(len(op.Requests)) || op.Requests[i] < 0 {
		return
	}
	d := Done{Request: op.Requests[i]}
	switch {
	case t.hasArray(aErrors):
		if k < len(t.a[aErrors]) {
			d.status(t.a[aSources][k], t.a[aTags][k], t.a[aBytes][k], t.a[aErrors][k])
		}
	case t.has(rError):
		d.status(t.v[rSource], t.v[rTag], t.v[rBytes], t.v[rError])
	}
	if c := &r.p.consts; t.ignored && d.Status && !d.Cancelled && int64(d.Source) == c.anySource &&
		int64(d.Tag) == c.anyTag && d.Bytes == 0 {
		d = Done{Request: d.Request} // of a request whose status is not kept
	}
	op.Done = append(op.Done, d)
}

func (d *Done) status(source, tag, bytes, err int64) {
	d.Status, d.Source, d.Tag, d.Bytes, d.Cancelled = true, int32(source), int32(tag), bytes, err>>32 != 0
}

// completedDespite lists the requests that a call completed although it returned an error. These
// are the requests that are null afterwards, and persistent ones whose status does not say that
// they are still pending.
func (r *Reader) completedDespite(t *term) {
	op, a := &t.op, t.act
	if op.Kind == Query {
		return
	}
	var left []int64
	one := [1]int64{t.v[rAfter]}
	if t.has(rAfter) {
		left = one[:]
	} else {
		left = t.array(aAfter)
	}
	position := map[int64]int{}
	for k, i := range t.array(aIndices) {
		position[i] = k
	}
	for i := range op.Requests {
		if op.Requests[i] < 0 {
			continue
		}
		k, told := i, a.indices < 0
		if p, ok := position[int64(i)]; ok && a.indices >= 0 {
			k, told = p, true
		}
		gone := i < len(left) && left[i] == 0
		err, known := int64(0), false
		switch {
		case told && t.hasArray(aErrors) && k < len(t.a[aErrors]):
			err, known = t.a[aErrors][k]&math.MaxUint32, true
		case a.index >= 0 && t.has(rIndex):
			known = t.v[rIndex] == int64(i)
			err = int64(t.ret)
		}
		pending := known && r.p.errorClass(err) == r.p.consts.pending
		if !gone && (!known || pending || a.index >= 0) {
			continue
		}
		r.done(t, int64(i), k)
		d := &op.Done[len(op.Done)-1]
		if !told {
			*d = Done{Request: d.Request}
		}
		if !known {
			err = int64(t.ret)
		}
		d.Failed = err != 0 && r.p.errorClass(err) != r.p.consts.truncate
	}
}
