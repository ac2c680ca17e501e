// Package symbol turns the raw records of one traced process into symbolic
// calls: handles become small reusable numbers tied to the call that made the
// object, requests become numbers that repeat from iteration to iteration,
// call sites and addresses become places in modules and segments. What
// comes out is the stream of signatures that the grammar compresses, and the
// values that vary, which go to columns.
//
// # Why handles are resolved here and addresses are not
//
// Only the program knows which block of memory an address lies in: malloc and free must be seen,
// in order, among all threads. So the runtime writes segments and offsets. Handles need reference
// counts, rules of completion and reuse. That is bookkeeping which can fail, so handles travel
// raw and are replaced here.
//
// # Requests
//
// A request gets its number from a pool that belongs to what creates it (function, call site,
// communicator, peer), the smallest free number first. So the iterations of a loop use the same
// numbers, in whatever order requests complete. Both MPIs return one handle for all sends that
// completed at once; equal handles therefore mean different requests, the oldest first, of those that the thread made.
//
// # Repeated calls
//
// A call is recognised by its raw words. The cache keeps the calls seen so far with the meaning
// that their handles had, and compares a call first with the one that followed its predecessor
// last time. When an object is made or freed, entries check their handles again, and nothing
// more.
//
// # Values that vary
//
// Signatures that differ in values only form a family. A family of more than 32 members gives up
// its most variable parameters to columns, for all outcomes of that call site at once: the call
// must still be recognised by the words that are left. What was recorded before is replayed
// through the grammar with the new signature (package collect), so that the moment of the
// decision does not show. Ranks that decide at different moments stay equal. Streams of more than
// four million events keep their old signatures for what has been.
//
// # Polls
//
// A poll that was not successful keeps its flag and nothing else: the standard leaves the rest
// undefined. A run of equal polls is one terminal, with its length in a column; each poll keeps
// its times.
package symbol

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// Event is one call in symbols.
type Event struct {
	// Sig is the number of the call's signature: see Process.Signature.
	Sig uint32
	// Poll marks an unsuccessful poll. Its signature stands for a whole run
	// of such polls; the run's length is the first column, which the receiver supplies.
	Poll bool
	// Cols are the values of the signature's columns in order, the elements of
	// an array following its number of elements, the fields of an element together.
	// Valid during the call of Sink.Event only.
	Cols []int64
	// Start and End are in ticks.
	Start, End uint64
}

// Sink receives the events of a process.
type Sink interface {
	Event(thread int, e *Event)
}

// Process is the symbolic state of one traced process.
type Process struct {
	facts    // what the process says of itself
	interned // signatures, strings and call sites
	families // signatures that differ in values only
	handles  // what its handles mean, but for requests
	reqs     requests
	cache    cache
	plans    []*plan
	threads  []*thread

	// Of the call that is taken in.
	ev   Event
	hit  *entry  // the entry of the call that was taken in last, if that is regular
	cols []int64 // values of columns
	ends []int   // of each slot's values in cols
	raws []ring.Raw

	ahead uint64 // see ReadAhead
}

// NewProcess returns the state of a process that has made no call yet.
func NewProcess() *Process {
	p := &Process{
		facts:    newFacts(),
		interned: newInterned(),
		handles:  newHandles(),
		reqs:     newRequests(),
		plans:    plans(),
	}
	p.families = newFamilies(&p.interned)
	return p
}

// thread is the state of one thread: the calls that it is in.
type thread struct {
	number int32
	open   []*call // outermost first; reused
	n      int     // how many are open
	last   *entry  // the entry of the call before, whose successor is the first guess

	defs      ring.Defs
	redefined bool    // a number was given out twice: defs are in states, not in the journal
	short     []short // by definition
	consts    []int64 // column values that are known with a definition
}

// intern numbers a signature of a family, or of none (-1). It keeps s, which must not be changed
// any more.
func (p *Process) intern(fam int, s *archive.Signature) uint32 {
	id, known := p.number(s)
	if !known {
		p.journalText(journalSig, fam+1, string(p.encoded))
		if fam >= 0 {
			p.note(fam, id)
		}
	}
	return id
}

func (p *Process) thread(i int) *thread {
	for i >= len(p.threads) {
		p.threads = append(p.threads, &thread{number: int32(len(p.threads))})
	}
	return p.threads[i]
}

// meta takes in one of the runtime's own records.
func (p *Process) meta(rec ring.Record) error {
	switch rec.ID() {
	case ring.RABI:
		return p.setABI(rec.Payload())
	case ring.RTree:
		return p.defineTree(rec.Payload())
	}
	return p.learnFact(rec)
}

// isMeta reports whether a record is the runtime's own and not shown.
func isMeta(id spec.ID) bool {
	return id < spec.FirstFunction && spec.ByID(id) == nil
}

// Record takes in a complete record of a process whose records need no
// ordering among threads (there is one thread). An error means that the record is
// broken; the process goes on with the next.
func (p *Process) Record(thread int, rec ring.Record, sink Sink) error {
	t := p.thread(thread)
	if rec.Flags()&ring.FRef == 0 {
		if p.direct(thread, t, rec, sink) {
			return nil
		}
		return p.record(thread, t, rec, sink)
	}
	full, err := t.defs.Expand(rec)
	if err != nil {
		return err
	}
	p.hit = nil
	err = p.record(thread, t, full, sink)
	if err == nil && p.hit != nil {
		p.learn(t, rec, p.hit)
	}
	return err
}

func (p *Process) record(thread int, t *thread, rec ring.Record, sink Sink) error {
	if rec.Flags()&ring.FExit == 0 {
		if err := p.enter(thread, t, rec, sink, rec.Flags()&ring.FEnter != 0); err != nil {
			return err
		}
	}
	if rec.Flags()&ring.FEnter == 0 {
		return p.leave(thread, t, rec, sink)
	}
	return nil
}

// Expand gives a record that refers to a definition in full, others as they
// are. It is valid until the next record of the thread.
func (p *Process) Expand(thread int, rec ring.Record) (ring.Record, error) {
	return p.thread(thread).defs.Expand(rec)
}

// Begin takes in the entry of a call. With several threads, Begin and End of
// all calls must come in the order of entry and return times: what a handle means
// depends on it. rec may be a pending record. Records of the runtime itself are taken in here.
func (p *Process) Begin(th int, rec ring.Record, sink Sink) error {
	t := p.thread(th)
	rec, err := t.defs.Expand(rec)
	if err != nil {
		return err
	}
	return p.enter(th, t, rec, sink, true)
}

// enter is Begin; keep says that rec will be gone when the call returns.
func (p *Process) enter(th int, t *thread, rec ring.Record, sink Sink, keep bool) error {
	id := rec.ID()
	if id == ring.RDef {
		return p.define(th, t, rec)
	}
	if isMeta(id) {
		return p.meta(rec)
	}
	pl := p.planOf(id)
	if pl == nil {
		return fmt.Errorf("record of unknown function %d", id)
	}
	// By longjmp or an exception out of a callback. Tabard's own pseudo calls come
	// inside others without a mark.
	if t.n > 0 && rec.Flags()&ring.FNested == 0 && id >= spec.FirstFunction {
		p.abandon(th, t, sink)
	}
	if t.n == len(t.open) {
		t.open = append(t.open, &call{})
	}
	c := t.open[t.n]
	t.n++
	if err := p.begin(t, c, pl, rec, keep); err != nil {
		t.n--
		return err
	}
	if keep {
		c.keep()
		p.reqs.claim(c, 1)
	}
	return nil
}

// End takes in the return of the innermost call that the thread is in.
func (p *Process) End(th int, rec ring.Record, sink Sink) error {
	t := p.thread(th)
	rec, err := t.defs.Expand(rec)
	if err != nil {
		return err
	}
	return p.leave(th, t, rec, sink)
}

func (p *Process) leave(th int, t *thread, rec ring.Record, sink Sink) error {
	if isMeta(rec.ID()) {
		return nil
	}
	for t.n > 0 && t.open[t.n-1].plan.f.ID != rec.ID() {
		p.unfinished(th, t, sink)
	}
	if t.n == 0 {
		return fmt.Errorf("return of a call that did not begin: function %d", rec.ID())
	}
	t.n--
	return p.end(th, t, t.open[t.n], rec, sink)
}

// Finish says that the process is gone: calls that it was in are reported as
// unfinished.
func (p *Process) Finish(sink Sink) {
	for i := range p.threads {
		p.abandon(i, p.threads[i], sink)
	}
}

func (p *Process) abandon(th int, t *thread, sink Sink) {
	for t.n > 0 {
		p.unfinished(th, t, sink)
	}
}

// unfinished reports the innermost call of a thread as one that never returned.
func (p *Process) unfinished(th int, t *thread, sink Sink) {
	t.n--
	c := t.open[t.n]
	p.settle(c.freed, true)
	p.reqs.claim(c, -1)
	if c.hidden() {
		return
	}
	if err := p.resolve(c); err != nil {
		return // it was decoded at its entry: cannot happen
	}
	s := c.signature(p)
	s.Flags |= archive.Unfinished
	p.ev = Event{Sig: p.intern(-1, s), Start: c.start, End: c.start}
	p.cols = p.cols[:0]
	for i := range c.entries { // entry values in columns
		if s.Slots[i].Kind == archive.Hole {
			p.appendCols(&c.plan.f.Slots[i], c.raws[i])
		}
	}
	p.ev.Cols = p.cols
	sink.Event(th, &p.ev)
}

// Last is when the event that was taken in last returned.
func (p *Process) Last() uint64 { return p.ev.End }
