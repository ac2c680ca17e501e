package match

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// collScope identifies the object whose collectives are counted together.
type collScope struct {
	comm   int32
	object int32
	class  spec.Class
}

// Objects of scopes that are not a communicator, window or file.
const (
	creation = -1 // of the communicator that the calls make, where they are not made on one
	startup  = -2 // MPI_Init
	shutdown = -3 // MPI_Finalize
)

// collKey is one collective.
type collKey struct {
	scope        collScope
	index, round uint64
}

// noIndex is the index of no collective.
const noIndex = 1<<64 - 1

// coll is a collective that some members have begun.
type coll struct {
	key   collKey
	f     *spec.Func
	root  int32
	mixed bool
	need  int // recorded members that may still call
	gone  int // recorded members that came to their end without
	total int
	open  int // parts that are not complete
	parts []Part
	procs []int32
	next  *coll
}

// part is where a member's part is.
type part struct {
	c *coll
	i int
}

// scopeOf is the scope of a call.
func scopeOf(op *calls.Op) collScope {
	switch {
	case op.Comm != calls.NoComm && op.Func.Op != spec.OpCommCreateGroup:
		return collScope{op.Comm, op.Object, op.Class}
	case op.Func.Op == spec.OpFinalize:
		return collScope{calls.NoComm, shutdown, spec.NoClass}
	case op.Func.Op == spec.OpInit:
		return collScope{calls.NoComm, startup, spec.NoClass}
	}
	return collScope{op.MadeComm, creation, spec.Comm}
}

// counter is the number of collectives on a scope so far.
func (p *proc) counter(s collScope) *uint64 { return p.counterOf(memberScope{s, 0}) }

// counterOf is that of a member: a process with several GPUs may be several members of a communicator.
func (p *proc) counterOf(s memberScope) *uint64 {
	if p.last != nil && p.lastScope == s {
		return p.last
	}
	if p.counters == nil {
		p.counters = map[memberScope]*uint64{}
	}
	c := p.counters[s]
	if c == nil {
		c = new(uint64)
		p.counters[s] = c
	}
	p.lastScope, p.last = s, c
	return c
}

// memberScope is a scope as one member counts on it.
type memberScope struct {
	collScope
	more int
}

func unfinished(op *calls.Op) bool { return op.Flags&archive.Unfinished != 0 }

// collective handles a collective call.
func (r *runner) collective(p *proc, s *stream, op *calls.Op) {
	var q *request
	nonblocking := op.Request >= 0 && !op.Persistent
	if nonblocking {
		q = r.renew(p, op.Request)
	}
	scope := scopeOf(op)
	if scope.object <= startup {
		scope.comm = r.world[p.index]
	}
	if scope.comm == calls.NoComm { // not a member of what is made
		return
	}
	member := memberScope{scope, 0}
	if peers := op.Peers(); op.Func.Kind != 0 && peers != nil && peers.Group() != nil {
		member.more = peers.Rank() - peers.Group().Index(int(p.number)) // 0 for the first one, or the only one
	}
	n := p.counterOf(member)
	sent, received := op.Send.Bytes, op.Recv.Bytes
	if op.Persistent { // only made, nothing moves yet
		sent, received = 0, 0
	}
	c := r.joinColl(p, s, op, collKey{scope, *n, 0}, op.Func, op.Root, sent, received)
	*n++
	switch {
	case nonblocking && !unfinished(op):
		q.coll = c
	case unfinished(op):
		r.completePart(c, nil, nil)
	default:
		r.completePart(c, s, op)
	}
}

// joinColl adds a part to a collective.
func (r *runner) joinColl(p *proc, s *stream, op *calls.Op, k collKey, f *spec.Func, root int32, sent,
	received int64) part {
	recent := &r.recent[(k.index+k.round+uint64(k.scope.comm)*7)%uint64(len(r.recent))]
	c := *recent
	if c == nil || c.key != k {
		c = r.colls[k]
		*recent = c
	}
	if c == nil {
		if c = r.freeColl; c != nil {
			r.freeColl = c.next
			*c = coll{parts: c.parts[:0], procs: c.procs[:0]}
		} else {
			c = &coll{}
		}
		c.key, c.f, c.root = k, f, root
		c.total, c.need, c.gone = r.members(k.scope)
		r.colls[k] = c
		*recent = c
	}
	if c.f != f && baseOf(c.f) != baseOf(f) {
		c.mixed = true
	}
	if c.root < 0 && root >= 0 {
		c.root = root
	}
	at := part{c, len(c.parts)}
	if c.procs = append(c.procs, p.index); at.i < cap(c.parts) {
		c.parts = c.parts[:at.i+1]
	} else {
		c.parts = append(c.parts, Part{})
	}
	in := &c.parts[at.i]
	in.Process, in.Sent, in.Received = p.number, sent, received
	in.Post.set(s, op)
	in.Done.none()
	in.Tests = Tests{}
	c.open++
	p.ahead++
	r.parts++
	if r.parts > mostWaiting+mostWaitingOfProcess*len(r.procs) && r.failure == nil {
		r.failure = r.tooMany("calls of collectives", r.parts-1)
	}
	if len(c.parts) == c.need {
		r.allHere(c)
	}
	return at
}

func baseOf(f *spec.Func) spec.ID {
	if f.LargeOf != 0 {
		return f.LargeOf
	}
	return f.ID
}

// allHere notes that all members have called, so that none is ahead of the others any more.
func (r *runner) allHere(c *coll) {
	for _, i := range c.procs {
		p := &r.procs[i]
		p.ahead--
		r.wake(p)
	}
}

// completePart notes the call that completed a member's part, nil if none was recorded.
func (r *runner) completePart(at part, s *stream, op *calls.Op) {
	c := at.c
	if op != nil {
		p := &c.parts[at.i]
		p.Done.set(s, op)
		if p.Done.Call != p.Post.Call {
			p.Tests = s.testsBefore(op)
		}
	}
	if c.open--; c.open == 0 && len(c.parts) >= c.need {
		r.emitColl(c)
	}
}

// emitColl hands out a collective.
func (r *runner) emitColl(c *coll) {
	delete(r.colls, c.key)
	r.parts -= len(c.parts)
	r.sum.Collectives++
	missing := c.gone + max(0, c.need-len(c.parts))
	if missing > 0 {
		r.sum.Incomplete++
	}
	if c.mixed {
		r.sum.Mixed++
	}
	if r.opts.Collective != nil && r.failure == nil {
		slices.SortFunc(c.parts, func(a, b Part) int { return cmp.Compare(a.Process, b.Process) })
		s := c.key.scope
		out := &Collective{Comm: s.comm, Class: s.class, Object: s.object, Index: c.key.index, Round: c.key.round,
			Func: c.f, Root: c.root, Parts: c.parts, Members: c.total, Missing: missing, Mixed: c.mixed, Count: 1}
		if r.rec != nil {
			r.rec.noteColl(out, s)
		}
		r.failure = r.opts.Collective(out)
	}
	c.key = collKey{index: noIndex} // for r.recent
	c.next = r.freeColl
	r.freeColl = c
}

// members is how many processes take part in collectives of a scope, and how many that were recorded may still call,
// and have come to their end.
func (r *runner) members(s collScope) (total, left, gone int) {
	if s.comm < 0 { // not known, but the process itself
		return 0, 1, 0
	}
	comm := r.p.Comms.Comms[s.comm]
	n, ok := r.groups[s.comm]
	if !ok {
		for _, m := range []*comms.Members{comm.Members, comm.RemoteMembers} {
			recorded, ended := r.recorded(m)
			n[0], n[1] = n[0]+recorded-ended, n[1]+ended
		}
		if n[0]+n[1] == 0 {
			n[0] = 1
		}
		r.groups[s.comm] = n
	}
	return comm.Size(), n[0], n[1]
}

// recorded counts the members of which there is a process, and those of them that have come to their end and were
// found to keep others waiting.
func (r *runner) recorded(m *comms.Members) (n, ended int) {
	if m == nil {
		return 0, 0
	}
	count := func(p *proc) {
		if n++; p.retired {
			ended++
		}
	}
	if m.Len() > 2*len(r.procs) {
		for i := range r.procs {
			if p := &r.procs[i]; m.Contains(int(p.number)) {
				count(p)
			}
		}
		return n, ended
	}
	for number := range m.All() {
		if p := r.process(int32(number)); p != nil {
			count(p)
		}
	}
	return n, ended
}

// retire lets no collective wait any longer for processes that have come to their end: the calls of such a one may have
// been lost, and those of all others would gather in memory. It is called only where no process can go on otherwise.
func (r *runner) retire() {
	if r.stayed == r.active {
		return
	}
	r.stayed = r.active
	for i := range r.procs {
		p := &r.procs[i]
		p.retired = len(p.streams) == 0
	}
	clear(r.groups)
	for _, k := range slices.SortedFunc(maps.Keys(r.colls), compareColls) {
		c := r.colls[k]
		waits := len(c.parts) < c.need
		_, c.need, c.gone = r.members(k.scope)
		for _, i := range c.procs {
			if r.procs[i].retired {
				c.need, c.gone = c.need+1, max(0, c.gone-1)
			}
		}
		if !waits || len(c.parts) < c.need {
			continue
		}
		if r.allHere(c); c.open == 0 {
			r.emitColl(c)
		}
	}
}

// worlds finds each process's MPI_COMM_WORLD.
func (r *runner) worlds() {
	r.world = make([]int32, len(r.procs))
	for i := range r.world {
		r.world[i] = calls.NoComm
	}
	for _, c := range r.p.Comms.Comms {
		if c.How != "world" {
			continue
		}
		for i := range r.procs {
			if c.Members.Contains(int(r.procs[i].number)) {
				r.world[i] = int32(c.ID)
			}
		}
	}
}
