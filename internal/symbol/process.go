// Package symbol turns the raw records of one traced process into symbolic
// calls: handles become small reusable numbers tied to the call that made the
// object, requests become numbers that repeat from iteration to iteration,
// call sites and addresses become places in modules and segments. What
// comes out is the stream of signatures that the grammar compresses, and the
// values that vary, which go to columns.
package symbol

import (
	"encoding/binary"
	"fmt"

	"tabard/internal/ring"
	"tabard/spec"
	"tabard/trace"
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

// Module is a loaded program or library.
type Module struct {
	Path, BuildID string
	Base, Size    uint64
}

// Frame is a place in the code: a return address in a module.
type Frame struct {
	Module uint32
	Offset uint64
	Known  bool // false: the address Offset belongs to no module
}

// Clock relates ticks to time.
type Clock struct {
	Ticks, RealNS, MonoNS uint64
	Source                uint64 // ring.ClockTSC or ring.ClockGettime
}

// Process is the symbolic state of one traced process.
type Process struct {
	abi    spec.ABI
	any    empty             // wildcards of the ABI
	predef map[predefKey]int // from the process itself, where handles are addresses
	info   map[string]string
	rank   int
	size   int
	world  bool
	mods   map[uint32]Module
	stacks map[uint64][]uint64
	clocks []Clock
	lost   uint64
	ended  bool
	final  bool // reached its end after MPI_Finalize
	part   bool // see Partial

	sigs    []string
	sigIDs  map[string]uint32
	strs    []string
	strIDs  map[string]int64
	sites   [][]Frame
	siteIDs map[siteKey]uint32
	// siteWords are the words of the sites.
	siteWords []uint64

	fams     []*family
	famIDs   map[string]int
	famBuf   []byte
	places   map[placeKey]*place
	looseFns []bool // by function: values have left at some place
	due      int    // family that has grown too large, -1 none

	objs  [spec.NumClasses]objects
	reqs  requests
	gen   uint32 // changes whenever a handle other than a request changes its meaning
	cache cache

	real    [64]uint64 // see nullRequest
	plans   []*plan
	threads []*thread
	ends    []int  // of each slot's values in cols
	journal []byte // see Journal
	ahead   uint64 // see ReadAhead
	ev      Event
	hit     *entry // the entry of the call that was taken in last, if that is regular
	cols    []int64
	raws    []ring.Raw
	buf     []byte
}

type predefKey struct {
	class spec.Class
	raw   uint64
}

type siteKey struct {
	word  uint64
	stack bool
}

// thread is the state of one thread: the calls that it is in.
type thread struct {
	open []*call // outermost first; reused
	n    int     // how many are open
	last *entry  // the entry of the call before, whose successor is the first guess

	defs      ring.Defs
	redefined bool    // a number was given out twice: defs are in states, not in the journal
	short     []short // by definition
	consts    []int64 // column values that are known with a definition
}

// NewProcess returns the state of a process that has made no call yet.
func NewProcess() *Process {
	p := &Process{
		predef: map[predefKey]int{}, info: map[string]string{}, rank: -1,
		mods: map[uint32]Module{}, stacks: map[uint64][]uint64{},
		sigIDs: map[string]uint32{}, strIDs: map[string]int64{}, siteIDs: map[siteKey]uint32{},
		famIDs: map[string]int{}, places: map[placeKey]*place{}, due: -1,
		reqs: newRequests(), plans: plans(),
	}
	for i := range p.objs {
		p.objs[i].Live = map[uint64]object{}
	}
	return p
}

// Rank is the rank in MPI_COMM_WORLD and its size; ok is false before initialisation.
func (p *Process) Rank() (rank, size int, ok bool) { return p.rank, p.size, p.world }

// ABI is the process's MPI; 0 while unknown.
func (p *Process) ABI() spec.ABI { return p.abi }

// Info is what the process said of itself: exe, host, lib, ...
func (p *Process) Info() map[string]string { return p.info }

// Modules are the modules that call sites and static data refer to.
func (p *Process) Modules() map[uint32]Module { return p.mods }

// Sites are the call sites in order of first occurrence; a signature's site
// is the index plus one. A site has one frame or, with stacks, several, innermost first.
func (p *Process) Sites() [][]Frame { return p.sites }

// Clocks relate ticks to time, in order.
func (p *Process) Clocks() []Clock { return p.clocks }

// Lost is the number of calls that the runtime could not record.
func (p *Process) Lost() uint64 { return p.lost }

// Ended reports whether the process reached its end in order, and whether it
// did so after MPI_Finalize.
func (p *Process) Ended() (ended, finalized bool) { return p.ended, p.final }

// Partial reports whether calls were hidden, tracing was switched off, or a request appeared that
// no call in sight created.
func (p *Process) Partial() bool { return p.part }

// Signature is the encoded signature of a number (trace.ParseSignature).
func (p *Process) Signature(id uint32) string { return p.sigs[id] }

// Signatures is how many there are.
func (p *Process) Signatures() int { return len(p.sigs) }

// Strings is the table that string columns refer to.
func (p *Process) Strings() []string { return p.strs }

// intern numbers a signature of a family, or of none (-1).
func (p *Process) intern(fam int, sig []byte) uint32 {
	id, ok := p.sigIDs[string(sig)]
	if !ok {
		id = p.internQuietly(sig)
		p.journalText(journalSig, fam+1, p.sigs[id])
		if fam >= 0 {
			p.note(fam, id)
		}
	}
	return id
}

// internQuietly numbers a signature that the journal implies.
func (p *Process) internQuietly(sig []byte) uint32 {
	id, ok := p.sigIDs[string(sig)]
	if !ok {
		id = uint32(len(p.sigs))
		s := string(sig)
		p.sigs = append(p.sigs, s)
		p.sigIDs[s] = id
	}
	return id
}

func (p *Process) internString(s string) int64 {
	id, ok := p.strIDs[s]
	if !ok {
		id = int64(len(p.strs))
		p.strs = append(p.strs, s)
		p.strIDs[s] = id
		p.journalText(journalString, 0, s)
	}
	return id
}

func (p *Process) thread(i int) *thread {
	for i >= len(p.threads) {
		p.threads = append(p.threads, &thread{})
	}
	return p.threads[i]
}

// site numbers a call site: 0 unknown, else index + 1.
func (p *Process) site(word uint64, stack bool) uint32 {
	if word == 0 {
		return 0
	}
	k := siteKey{word, stack}
	id, ok := p.siteIDs[k]
	if !ok {
		words := []uint64{word}
		if stack {
			words = p.stacks[word]
		}
		frames := make([]Frame, 0, len(words))
		for _, w := range words {
			a := ring.ParseAddress(w)
			frames = append(frames, Frame{Module: a.ID, Offset: uint64(a.Off), Known: a.Class == ring.WModule})
		}
		p.sites = append(p.sites, frames)
		p.siteWords = append(p.siteWords, word)
		id = uint32(len(p.sites))
		p.siteIDs[k] = id
	}
	return id
}

func (p *Process) setABI(abi spec.ABI) { p.abi, p.any = abi, empties()[abi] }

// meta takes in one of the runtime's own records.
func (p *Process) meta(rec ring.Record) error {
	w := rec.Payload()
	need := func(n int) error {
		if len(w) < n {
			return fmt.Errorf("record %d of the runtime: %d words, want %d", rec.ID(), len(w), n)
		}
		return nil
	}
	switch rec.ID() {
	case ring.RPad:
	case ring.RProcess:
		list, _, err := takeList(w)
		if err != nil {
			return err
		}
		for _, it := range list {
			p.setInfo(it.Text())
		}
	case ring.RABI:
		if err := need(3); err != nil {
			return err
		}
		p.setABI(spec.ABI(w[0]))
		pairs, _, err := ring.Take(&spec.Slot{Array: true}, w[2:])
		if err != nil {
			return err
		}
		for i := 0; i+1 < pairs.N; i += 2 {
			if k := pairs.Data[i]; k < uint64(len(spec.Predefineds)) {
				p.predef[predefKey{spec.Predefineds[k].Class, pairs.Data[i+1]}] = int(k)
			}
		}
	case ring.RWorld:
		if err := need(2); err != nil {
			return err
		}
		p.rank, p.size, p.world = int(int64(w[0])), int(int64(w[1])), true
	case ring.RModule:
		return p.module(w)
	case ring.RStack:
		if err := need(2); err != nil {
			return err
		}
		frames, _, err := ring.Take(&spec.Slot{Array: true}, w[1:])
		if err != nil {
			return err
		}
		p.stacks[w[0]] = append([]uint64(nil), frames.Data...)
	case ring.RLost:
		if err := need(1); err != nil {
			return err
		}
		p.lost += w[0]
	case ring.RClock:
		if err := need(4); err != nil {
			return err
		}
		p.clocks = append(p.clocks, Clock{Ticks: w[0], RealNS: w[1], MonoNS: w[2], Source: w[3]})
	case ring.REnd:
		p.ended = true
		p.final = len(w) > 0 && w[0] != 0
	default:
		return fmt.Errorf("record of the runtime with unknown id %d", rec.ID())
	}
	return nil
}

func (p *Process) setInfo(kv string) {
	for i := range len(kv) {
		if kv[i] == '=' {
			p.info[kv[:i]] = kv[i+1:]
			return
		}
	}
}

func takeList(w []uint64) ([]ring.Raw, []uint64, error) {
	r, rest, err := ring.Take(&spec.Slot{Array: true}, w)
	if err != nil {
		return nil, nil, err
	}
	if r.Kind != ring.AList {
		return nil, nil, fmt.Errorf("list of strings expected")
	}
	return r.Items(), rest, nil
}

func (p *Process) module(w []uint64) error {
	if len(w) < 3 {
		return fmt.Errorf("module record of %d words", len(w))
	}
	str := &spec.Slot{Codec: spec.String}
	path, rest, err := ring.Take(str, w[3:])
	if err != nil {
		return err
	}
	id, _, err := ring.Take(str, rest)
	if err != nil {
		return err
	}
	p.mods[uint32(w[0])] = Module{Path: path.Text(), BuildID: id.Text(), Base: w[1], Size: w[2]}
	return nil
}

// isMeta reports whether a record is the runtime's own and not shown.
func isMeta(id spec.ID) bool {
	return id < spec.FirstFunction && id != ring.RSegAlloc && id != ring.RSegFree && id != ring.RControl
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
		p.claim(c, 1)
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
	p.claim(c, -1)
	if c.hidden() {
		return
	}
	if err := p.resolve(c); err != nil {
		return // it was decoded at its entry: cannot happen
	}
	s := c.signature(p)
	s.Flags |= trace.Unfinished
	p.ev = Event{Sig: p.intern(-1, p.encode(s)), Start: c.start, End: c.start}
	p.cols = p.cols[:0]
	for i := range c.entries { // entry values in columns
		if s.Slots[i].Kind == trace.Hole {
			p.appendCols(&c.plan.f.Slots[i], c.raws[i])
		}
	}
	p.ev.Cols = p.cols
	sink.Event(th, &p.ev)
}

func (p *Process) encode(s *trace.Signature) []byte {
	p.buf = s.Append(p.buf[:0])
	return p.buf
}

// appendKeyWord is for shapes of calls.
func appendKeyWord(b []byte, w uint64) []byte { return binary.LittleEndian.AppendUint64(b, w) }
