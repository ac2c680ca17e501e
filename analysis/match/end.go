package match

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/spec"
)

// end is one end of a message while it is under way.
type end struct {
	End
	key   key
	bytes int64
	proc  int32 // in runner.procs
	state state
	// Of a receive with wildcards: what it was given. key has what is known by now.
	anySource, anyTag bool
	peers             *calls.Peers
	seq               uint64 // order of posting, among the ends of a process
	epoch             uint32 // of its process, when that began to wait for the partner
	partner           *end
	ch                *channel // that it is queued in
	next              *end     // in its queue, or on the free list
}

// state is a set of facts about an end.
type state uint16

const (
	isSend    state = 1 << iota
	closed          // nothing more will be known of it: completed, or never to be
	queued          // in a channel
	inOrder         // in a receive order of its process
	resolved        // source and tag are known
	fated           // it is known that it was not cancelled
	cancelled       // it was
	toCancel        // MPI_Cancel was called for it
	counted         // its process waits for the partner
	guessed
	failed
	reported
	unresolvable // it has completed, or never will, and no status tells its source
)

func (e *end) is(s state) bool { return e.state&s == s }

// key names a channel: messages of one do not overtake each other.
type key struct {
	comm, source, dest, tag int32
	// part is 0, or 1 + the number of the partitioned request among those with
	// the other fields equal: these match when they are made.
	part int32
}

// admits tells whether an unresolved receive may take what k carries.
func (e *end) admits(k *key) bool {
	return e.key.comm == k.comm && e.key.part == k.part && (e.anySource || e.key.source == k.source) &&
		(e.anyTag || e.key.tag == k.tag)
}

// covers tells whether e admits all that o does.
func (e *end) covers(o *end) bool {
	return e.key.comm == o.key.comm && (e.anySource || !o.anySource && e.key.source == o.key.source) &&
		(e.anyTag || !o.anyTag && e.key.tag == o.key.tag)
}

// queue is a first-in first-out list of ends.
type queue struct{ first, last *end }

func (q *queue) push(e *end) {
	e.next = nil
	if q.last == nil {
		q.first = e
	} else {
		q.last.next = e
	}
	q.last = e
}

func (q *queue) pop() *end {
	e := q.first
	if q.first = e.next; q.first == nil {
		q.last = nil
	}
	e.next = nil
	return e
}

// channel holds the ends of one key that have no partner yet.
type channel struct{ sends, recvs queue }

// Ends of messages in memory, of some 200 bytes each, and calls of collectives are bounded by these: so many in all,
// and more of each process.
// No program has as many messages under way, but one whose receiver was killed, and a file may claim it.
var mostWaiting = 1 << 21

const mostWaitingOfProcess = 1 << 10

// alloc makes an end.
func (r *runner) alloc(proc int32, s *stream, op *calls.Op) *end {
	e := r.free
	if e == nil {
		block := make([]end, min(8+r.live, 128))
		for i := range block {
			block[i].next = r.free
			r.free = &block[i]
		}
		e = r.free
	}
	r.free = e.next
	// Field by field: a composite literal would be made elsewhere and copied.
	e.Process, e.Func = r.procs[proc].number, op.Func
	e.Post.set(s, op)
	e.Done.none()
	e.Mode, e.Nth, e.Wild, e.Blocking, e.Freed, e.Tests = 0, 0, false, false, false, Tests{}
	e.proc, e.state = proc, 0
	e.anySource, e.anyTag, e.epoch, e.seq = false, false, 0, r.seq
	e.next = nil
	r.seq++
	if r.live++; r.live > r.sum.Waiting {
		if r.sum.Waiting = r.live; r.live > mostWaiting+mostWaitingOfProcess*len(r.procs) && r.failure == nil {
			r.failure = r.tooMany("sends and receives", r.live-1)
		}
	}
	return e
}

// tooMany is the error for more than most of something in memory.
func (r *runner) tooMany(what string, most int) error {
	return r.p.Archive.Errorf("more than %d %s are under way at once, which are too many to be matched", most, what)
}

func (r *runner) release(e *end) {
	r.live--
	e.partner, e.Probe, e.peers, e.ch = nil, nil, nil, nil
	e.next = r.free
	r.free = e
}

// set makes r the call of an operation, field by field: to read as a whole what was just written in
// parts is slow.
func (r *Ref) set(s *stream, op *calls.Op) {
	r.Stream, r.Terminal, r.Call, r.Begin, r.End, r.Timed = s.number, op.Terminal, op.Call, op.Begin, op.End, op.Timed
}

// none makes r no call.
func (r *Ref) none() {
	r.Stream, r.Terminal, r.Call, r.Begin, r.End, r.Timed = -1, 0, 0, 0, 0, false
}

// request is what a process's request stands for now.
type request struct {
	send, recv *end
	coll       part
	init       *initial
}

// initial is a persistent request.
type initial struct {
	f              *spec.Func
	mode           calls.Mode
	send           bool
	collective     bool
	comm           int32
	side           calls.Side
	peers          *calls.Peers
	part           int32
	scope          collScope
	index          uint64 // of a collective: the number of its initialisation
	round          uint64
	sent, received int64
	root           int32
}
