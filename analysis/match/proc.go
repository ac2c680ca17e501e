package match

import (
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// proc is a process while its streams are read.
type proc struct {
	index, number   int32
	whole           bool // all its calls were recorded
	cancels         bool // it calls MPI_Cancel
	where           place
	prev, following int32 // in its list: 1 + index
	streams         []*stream
	started         bool
	retired         bool // it came to its end, and others would wait for it

	missing int // receives that have completed and wait for their send
	epoch   uint32
	ahead   int // sends and collectives that wait for others
	limit   int

	requests      []request
	far           map[int64]*request // those with large numbers
	messages      map[int64]*end
	receiveOrders map[int32]*receiveOrder // by communicator
	counters      map[memberScope]*uint64
	lastScope     memberScope
	last          *uint64
	ordinals      map[ordinal]int32

	loops []loop
	size  uint64 // events of the iterations that count as one
	loop  int    // the next one or that in which the process is
	pause uint64 // the event before which it waits for the others
	retry uint64 // the first event before which it may
	back  uint64 // how many earlier iterations have calls that still matter
	tries uint   // pauses in the loop that did not help
}

// stream is one thread of a process.
type stream struct {
	*calls.Reader
	number int32
	thread int
	op     *calls.Op // the next one, where threads have to be put in order
	cache  []cached
	timed  bool
	tests  Tests   // the latest ones
	tested []int64 // the requests that they were for
}

// cached is the channel that a terminal used last.
type cached struct {
	key key
	gen uint32
	ch  *channel
}

// take is the next operation of the process. Threads are merged by the begin of their calls or,
// without times, by call number.
func (p *proc) take() (*stream, *calls.Op, error) {
	if len(p.streams) == 1 {
		s := p.streams[0]
		op, err := s.Next()
		return s, op, err
	}
	if !p.started {
		p.started = true
		for _, s := range p.streams {
			var err error
			if s.op, err = s.Next(); err != nil {
				return nil, nil, err
			}
		}
	} else if s := p.streams[0]; s.op != nil { // the one taken last
		var err error
		if s.op, err = s.Next(); err != nil {
			return nil, nil, err
		}
	}
	best := -1
	for i, s := range p.streams {
		if s.op != nil && (best < 0 || before(s, p.streams[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil, nil
	}
	p.streams[0], p.streams[best] = p.streams[best], p.streams[0]
	return p.streams[0], p.streams[0].op, nil
}

// before tells whether the next call of s comes before that of t.
func before(s, t *stream) bool {
	if s.op.Timed && t.op.Timed && s.op.Begin != t.op.Begin {
		return s.op.Begin < t.op.Begin
	}
	if s.op.Timed && t.op.Timed || s.op.Call == t.op.Call {
		return s.thread < t.thread
	}
	return s.op.Call < t.op.Call
}

// near is how many requests are kept in a slice.
const near = 1 << 16

// request is the slot of a request's number.
func (p *proc) request(n int64) *request {
	if n < int64(len(p.requests)) {
		return &p.requests[n]
	}
	if n < near {
		p.requests = append(p.requests, make([]request,
			max(int(n)+1-len(p.requests), min(len(p.requests), near-len(p.requests)), 16))...)
		return &p.requests[n]
	}
	if p.far == nil {
		p.far = map[int64]*request{}
	}
	q := p.far[n]
	if q == nil {
		q = &request{}
		p.far[n] = q
	}
	return q
}

// receiveOrder is that of a communicator, nil if the process never needed one.
func (p *proc) receiveOrder(comm int32) *receiveOrder {
	if len(p.receiveOrders) == 0 {
		return nil
	}
	return p.receiveOrders[comm]
}

// renew is the slot of a request that a call makes. If the slot is in use, the end of the earlier
// request was not recorded.
func (r *runner) renew(p *proc, n int64) *request {
	q := p.request(n)
	r.abandon(q)
	*q = request{}
	return q
}

// abandon closes the operation of a request whose completion was not recorded.
func (r *runner) abandon(q *request) {
	send, recv, c := q.send, q.recv, q.coll
	q.send, q.recv, q.coll = nil, nil, part{}
	if send != nil {
		r.close(send)
	}
	if recv != nil {
		if recv.is(toCancel) {
			r.cancel(recv)
		} else {
			r.unknown(recv)
		}
		r.close(recv)
	}
	if c.c != nil {
		r.completePart(c, nil, nil)
	}
}

// handle takes in an operation.
func (r *runner) handle(p *proc, s *stream, op *calls.Op) {
	if op.Void {
		switch op.Kind {
		case calls.Send, calls.Recv, calls.SendRecv, calls.Mrecv, calls.Collective:
			r.sum.Failed++
			return
		case calls.Complete, calls.Query:
		default:
			return
		}
	}
	switch op.Kind {
	case calls.Other, calls.Put, calls.Get, calls.Accumulate, calls.Read, calls.Write:
		if op.Request >= 0 {
			r.renew(p, op.Request)
		}
	case calls.Send, calls.Recv, calls.SendRecv:
		r.begin(p, s, op)
	case calls.SendInit, calls.RecvInit, calls.CollectiveInit:
		r.initialise(p, s, op)
	case calls.Start:
		for i, n := range op.Requests {
			if n >= 0 {
				r.start(p, s, op, p.request(n), int32(i))
			}
		}
	case calls.Mprobe:
		r.mprobe(p, s, op)
	case calls.Mrecv:
		r.mrecv(p, s, op)
	case calls.Complete, calls.Query:
		if op.Kind == calls.Complete && op.Flags&archive.Polls != 0 {
			s.tests = Tests{op.Call, op.Calls, op.Begin, op.End}
			s.tested = append(s.tested[:0], op.Requests...)
			return
		}
		for i := range op.Done {
			r.complete(p, s, op, &op.Done[i])
		}
	case calls.FreeRequest:
		if n := op.Requests; len(n) == 1 && n[0] >= 0 && op.Flags&archive.Unfinished == 0 {
			q := p.request(n[0])
			for _, e := range []*end{q.send, q.recv} {
				if e != nil {
					e.Freed = true
				}
			}
			r.abandon(q)
			*q = request{}
		}
	case calls.Cancel:
		if n := op.Requests; len(n) == 1 && n[0] >= 0 {
			if e := p.request(n[0]).recv; e != nil {
				e.state |= toCancel
			}
		}
	case calls.Collective:
		r.collective(p, s, op)
	}
}

// testsBefore are the unsuccessful tests directly before a call that completes requests.
func (s *stream) testsBefore(op *calls.Op) Tests {
	if s.tests.Calls == 0 || s.tests.Call+s.tests.Calls != op.Call || op.Kind != calls.Complete ||
		!slices.Equal(s.tested, op.Requests) {
		return Tests{}
	}
	return s.tests
}

// begin takes in a send or receive.
func (r *runner) begin(p *proc, s *stream, op *calls.Op) {
	var send, recv *end
	if op.Kind != calls.Recv {
		if send = r.newSend(p, s, op, &op.Send, op.Comm); send != nil {
			send.Mode = op.Mode
		}
	}
	if op.Kind != calls.Send {
		recv = r.newRecv(p, s, op, &op.Recv, op.Comm)
	}
	if op.Request >= 0 {
		q := r.renew(p, op.Request)
		q.send, q.recv = send, recv
		q.init = nil
		if recv != nil {
			recv.peers = op.Peers()
		}
		r.post(p, s, send, op.Terminal, false)
		r.post(p, s, recv, op.Terminal, false)
		return
	}
	if send != nil {
		r.blocking(p, s, op, send)
	}
	if recv != nil {
		r.blocking(p, s, op, recv)
	}
}

// blocking handles an end that is complete when its call returns.
func (r *runner) blocking(p *proc, s *stream, op *calls.Op, e *end) {
	e.Blocking = true
	if !unfinished(op) {
		e.Done.set(s, op)
	}
	r.post(p, s, e, op.Terminal, true)
	if e.state&(isSend|resolved) == 0 && e.Wild {
		r.unknown(e)
	}
	r.close(e)
}

// newSend makes the sending end of an operation; nil if it goes nowhere.
func (r *runner) newSend(p *proc, s *stream, op *calls.Op, side *calls.Side, comm int32) *end {
	if side.Peer == calls.ProcNull {
		r.sum.ToNobody++
		return nil
	}
	e := r.alloc(p.index, s, op)
	e.state = isSend | resolved
	e.key.comm, e.key.source, e.key.dest, e.key.tag, e.key.part = comm, p.number, side.Peer, side.Tag, 0
	e.bytes = side.Bytes
	return e
}

// newRecv makes the receiving end of an operation; nil if it comes from nowhere.
func (r *runner) newRecv(p *proc, s *stream, op *calls.Op, side *calls.Side, comm int32) *end {
	if side.Peer == calls.ProcNull && !(side.Wild && side.Known) {
		r.sum.ToNobody++
		return nil
	}
	e := r.alloc(p.index, s, op)
	e.key.comm, e.key.source, e.key.dest, e.key.tag, e.key.part = comm, side.Peer, p.number, side.Tag, 0
	e.bytes = side.Bytes
	e.Wild = side.Wild
	e.state = resolved
	if side.Wild && !side.Known {
		e.state = 0
		e.anySource, e.anyTag = side.Peer == calls.AnySource, side.Tag == calls.AnyTag
	}
	return e
}
