package collect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"tabard/internal/ring"
	"tabard/internal/symbol"
	"tabard/internal/timing"
	"tabard/spec"
)

// process is one traced process: its chains, symbols and streams.
type process struct {
	ahead  uint64 // see symbol.ReadAhead
	pid    int
	start  uint64
	reg    *Registration // nil if the launcher did not register it
	watch  *watch
	syms   *symbol.Process
	chains []*chain // by thread number; nil where not known yet
	timing bool
	mode   timing.Mode // how times are stored
	ticks  uint64      // a reading of the clock when p became known here, 0 for a process of elsewhere
	nanos  uint64      // CLOCK_MONOTONIC at the same time
	dir    string      // for spools; empty: none
	log    *spool      // of the journal of syms; nil: not needed yet

	consumed uint64 // raw bytes since the last checkpoint
	durable  int    // size of the last checkpoint
	gen      uint64 // of the last checkpoint
	broken   uint64 // records that could not be understood
	missing  uint64 // segments that are gone
	problems []string
	finished bool
	at       *chain   // whose record is being taken in
	panics   []string // not logged yet
	changed  bool     // since the last archive
	holding  time.Time
	upto     uint64 // see known; 0: no such time
	end      string
}

func newProcess(pid int, withTimes bool) *process {
	return &process{pid: pid, syms: symbol.NewProcess(), timing: withTimes, mode: timing.Mode{Kind: timing.Lossless}}
}

// Event implements symbol.Sink.
func (p *process) Event(thread int, e *symbol.Event) { p.chains[thread].s.event(e) }

// maxThreads bounds the thread numbers that a file name can make us believe.
const maxThreads = 1 << 16

// chain returns the chain of a thread, made if need be.
func (p *process) chain(thread int) *chain {
	for len(p.chains) <= thread {
		p.chains = append(p.chains, nil)
	}
	c := p.chains[thread]
	if c == nil {
		c = &chain{thread: thread, files: map[string]*ring.Segment{}, s: p.newStream()}
		if p.dir != "" {
			c.s.spoolTiming(filepath.Join(p.dir, spoolName(p.pid, thread)))
		}
		p.chains[thread] = c
	}
	return c
}

// addSegment makes a segment file known. A file that is not set up yet is an
// error; it will be looked at again.
func (p *process) addSegment(path string, thread int) error {
	if thread < 0 || thread >= maxThreads {
		return fmt.Errorf("%s: thread number out of range", path)
	}
	if thread < len(p.chains) && p.chains[thread] != nil && p.chains[thread].files[path] != nil {
		return nil
	}
	seg, err := ring.OpenSegment(path)
	if err != nil {
		return err
	}
	if seg.PID() != p.pid || seg.Thread() != thread {
		seg.Close()
		return fmt.Errorf("%s: belongs to thread %d of process %d", path, seg.Thread(), seg.PID())
	}
	if p.start == 0 {
		p.start = seg.PIDStart()
	}
	c := p.chain(thread)
	c.files[path] = seg
	c.tid = seg.TID()
	return nil
}

// complain remembers a problem for the archive, the first ones only.
func (p *process) complain(format string, args ...any) {
	if len(p.problems) < 16 {
		p.problems = append(p.problems, fmt.Sprintf(format, args...))
	}
}

// misfits counts the calls that a bug of ours cost.
func (p *process) misfits() uint64 {
	n := uint64(0)
	for _, c := range p.live() {
		n += c.s.misfits
	}
	return n
}

// live lists the chains that exist.
func (p *process) live() []*chain {
	return slices.DeleteFunc(slices.Clone(p.chains), func(c *chain) bool { return c == nil })
}

// drain takes in what the program has published and returns the number of
// bytes. dead says that the program writes no more.
func (p *process) drain(dead bool) int {
	before := p.consumed
	cs := p.live()
	for !p.attempt(cs, dead) {
	}
	n := int(p.consumed - before)
	if n > 0 {
		p.changed = true
	}
	return n
}

// attempt takes in what there is. If a bug of ours makes that panic, the record
// in question is given up and the result is false: neither the other records nor
// the other processes shall suffer, now or in a recovery.
func (p *process) attempt(cs []*chain, dead bool) (done bool) {
	defer func() {
		if done {
			return
		}
		cause := recover()
		p.panics = append(p.panics, fmt.Sprintf("%v\n%s", cause, debug.Stack()))
		c := p.at
		if c == nil || len(c.words()) == 0 {
			panic(cause) // not while working on a record
		}
		rec, _, err := ring.Next(c.words())
		if err != nil {
			p.cutOff(c, err)
			return
		}
		p.brokenRecord(c, fmt.Errorf("internal error of tabard: %v", cause))
		c.begun, c.skip = false, false
		p.consume(c, rec)
	}()
	p.at = nil
	if len(cs) == 1 {
		p.drainOne(cs[0], dead)
	} else if len(cs) > 1 {
		p.merge(cs, dead)
	}
	return true
}

// known is the time up to which all threads that had made a call are known.
func (p *process) known(dead bool) uint64 {
	if dead || p.upto == 0 {
		return math.MaxUint64
	}
	return p.upto
}

// drainOne takes in the records of a process with one thread, which need no ordering. It stops
// where a thread that nobody has seen yet may have made calls.
func (p *process) drainOne(c *chain, dead bool) {
	p.at = c
	upto, before := p.known(dead), p.consumed
	for {
		c.refresh()
		for {
			words := c.words()
			if len(words) == 0 {
				break
			}
			if c.raw == nil && !c.begun && p.burst(c, words, upto) {
				continue
			}
			rec, _, err := ring.Next(words)
			if err != nil {
				p.cutOff(c, err)
				break
			}
			if len(words) > symbol.ReadAhead {
				p.ahead ^= words[symbol.ReadAhead]
			}
			if rec.End() > upto {
				if p.consumed != before {
					p.holding = time.Time{}
				}
				if p.hold() {
					return
				}
				upto = math.MaxUint64
			}
			if c.begun { // its entry came while there were several threads, or before a restart
				p.half(c, rec)
				continue
			}
			if err := p.syms.Record(c.thread, rec, p); err != nil {
				p.brokenRecord(c, err)
			}
			p.consume(c, rec)
		}
		if !c.advance() {
			p.holding = time.Time{}
			return
		}
		// In time for a checkpoint: the program may be waiting for segments, which
		// it gets back long before everything has been taken in.
		if p.consumed > minCheckpoint && !dead {
			return
		}
	}
}

// burst takes in records that repeat known calls, and reports whether there were any.
func (p *process) burst(c *chain, words []uint64, upto uint64) bool {
	before := c.off
	defer func() { p.consumed += 8 * uint64(c.off-before) }()
	p.syms.Burst(c.thread, words, upto, &c.off, p)
	return c.off > before
}

// consume moves the position behind rec.
func (p *process) consume(c *chain, rec ring.Record) {
	if c.raw != nil && rec.ID() != ring.RDef { // the log has every call in full
		if full, err := p.syms.Expand(c.thread, rec); err == nil {
			c.raw.record(full)
		}
	}
	c.off += len(rec)
	p.consumed += 8 * uint64(len(rec))
}

func (p *process) brokenRecord(c *chain, err error) {
	p.broken++
	p.complain("thread %d, segment %d, word %d: %v", c.thread, c.seq, c.off, err)
}

// cutOff gives up the rest of a segment whose record lengths make no sense.
func (p *process) cutOff(c *chain, err error) {
	p.brokenRecord(c, fmt.Errorf("%w; the rest of the segment is lost", err))
	p.consumed += 8 * uint64(c.limit-c.off)
	c.off = c.limit
}

// finish takes in the calls that the process was in when it died.
func (p *process) finish() {
	if p.finished {
		return
	}
	p.finished, p.changed = true, true
	for _, c := range p.live() {
		if missing := p.skipMissing(c); missing {
			p.drain(true)
		}
		c.refresh()
		if c.entry() != nil && !c.begun {
			if err := p.syms.Begin(c.thread, c.entry(), p); err != nil {
				p.brokenRecord(c, err)
			}
		}
		if c.entry() != nil && c.raw != nil {
			if full, err := p.syms.Expand(c.thread, c.entry()); err == nil {
				c.raw.pending(full)
			}
		}
	}
	p.syms.Finish(p)
}

// skipMissing goes on behind segments that are gone, which only happens when
// somebody removed them or a checkpoint was lost.
func (p *process) skipMissing(c *chain) bool {
	n := c.first()
	if n == 0 {
		return false
	}
	p.missing += n
	p.complain("thread %d: %d segments in front of number %d are missing", c.thread, n, c.seq)
	return true
}

// timeOf is when the next thing of c's thread happened: the call at the
// position began or, if begun, returned. ok is false if there is nothing yet.
func (c *chain) timeOf() (t uint64, ok bool) {
	if w := c.words(); len(w) >= ring.RefWords {
		rec := ring.Record(w[:ring.RefWords])
		if c.begun || rec.Flags()&ring.FExit != 0 {
			return rec.End(), true
		}
		return rec.Start(), true
	} else if len(w) > 0 {
		return 0, true // broken: let it come out at once
	}
	if c.entry() != nil && !c.begun {
		return c.entry().Start(), true
	}
	return 0, false
}

// holdAtMost bounds how long one thread may hold back the others: a program
// must never wait for us because a thread of it was stopped in a bad moment.
const holdAtMost = 50 * time.Millisecond

// frontier is a time before which c's thread, which has nothing to offer, will do nothing any more.
func (c *chain) frontier(idle uint64) uint64 {
	if c.inCall && c.entry() == nil {
		return c.last // between its entry time stamp and publication
	}
	return max(idle, c.last)
}

// idleFrontier is a time that is safely in the past, in ticks of the process.
func (p *process) idleFrontier() uint64 {
	clocks := p.syms.Clocks()
	if len(clocks) == 0 {
		return 0
	}
	now, safe := uint64(0), uint64(0)
	switch clocks[len(clocks)-1].Source {
	case ring.ClockTSC:
		now, safe = ticks(), 1<<20 // 200 us at 5 GHz
	default:
		now, safe = ring.MonotonicNS(), 200_000
	}
	return now - min(now, safe)
}

// merge takes in the records of several threads in the order of time: a call
// is passed on when no other thread can come up with an earlier one.
func (p *process) merge(cs []*chain, dead bool) {
	idle := uint64(math.MaxUint64)
	if !dead {
		idle = p.idleFrontier() // before refresh: what ends later is not in question
	}
	for _, c := range cs {
		for c.refresh(); c.advance(); {
			c.refresh()
		}
	}
	for {
		best, at, bound := p.choose(cs, idle, dead)
		if best == nil {
			p.holding = time.Time{}
			return
		}
		if at > bound {
			if p.hold() {
				return
			}
			bound = at
		} else {
			p.holding = time.Time{}
		}
		if !p.step(best, bound, dead) {
			return
		}
	}
}

// hold reports whether a thread may still hold back the others.
func (p *process) hold() bool {
	now := time.Now()
	if p.holding.IsZero() {
		p.holding = now
	}
	return now.Sub(p.holding) < holdAtMost
}

// choose returns the chain with the earliest next thing, its time, and the
// time up to which it may go on before another chain has its turn.
func (p *process) choose(cs []*chain, idle uint64, dead bool) (best *chain, at, bound uint64) {
	bound = p.known(dead)
	for _, c := range cs {
		t, ok := c.timeOf()
		switch {
		case ok && (best == nil || t < at):
			if best != nil {
				bound = min(bound, at)
			}
			best, at = c, t
		case ok:
			bound = min(bound, t)
		case !dead:
			bound = min(bound, c.frontier(idle))
		}
	}
	return best, at, bound
}

// step takes in the next things of c up to the time bound. It reports whether
// the merge may go on.
func (p *process) step(c *chain, bound uint64, dead bool) bool {
	for {
		t, ok := c.timeOf()
		if !ok || t > bound {
			return true
		}
		c.last = max(c.last, t)
		words := c.words()
		if len(words) == 0 { // the entry of a call in progress
			c.begun = true
			if err := p.syms.Begin(c.thread, c.entry(), p); err != nil {
				c.skip = true
				p.brokenRecord(c, err)
			}
			continue
		}
		rec, _, err := ring.Next(words)
		if err != nil {
			p.cutOff(c, err)
		} else {
			p.half(c, rec)
		}
		for len(c.words()) == 0 && c.advance() {
			c.refresh()
		}
	}
}

// half takes in the entry or the return of rec, whichever is next.
func (p *process) half(c *chain, rec ring.Record) {
	p.at = c
	if rec.ID() < spec.FirstFunction { // the runtime's own; may come between entry and return of a call
		err := p.syms.Begin(c.thread, rec, p)
		if err == nil {
			err = p.syms.End(c.thread, rec, p)
		}
		if err != nil {
			p.brokenRecord(c, err)
		}
		p.consume(c, rec)
		return
	}
	flags := rec.Flags()
	if !c.begun && flags&ring.FExit == 0 {
		err := p.syms.Begin(c.thread, rec, p)
		if err != nil {
			c.skip = true
			p.brokenRecord(c, err)
		}
		if flags&ring.FEnter == 0 && rec.End() != rec.Start() {
			c.begun = true
			return
		}
	}
	if flags&ring.FEnter == 0 && !c.skip {
		if err := p.syms.End(c.thread, rec, p); err != nil {
			p.brokenRecord(c, err)
		}
	}
	c.begun, c.skip = false, false
	p.consume(c, rec)
}

// checkpointDue says that p's state should be made durable: when so much was
// taken in that its cost is small against that, or when a thread is about to run out of
// segments. perThread is the number of segments of a ring.
func (p *process) checkpointDue(perThread int) bool {
	if p.consumed > uint64(max(minCheckpoint, 4*p.durable)) {
		return true
	}
	for _, c := range p.chains {
		if c != nil && c.waiting() >= max(1, perThread*3/4) {
			return true
		}
	}
	return false
}

// minCheckpoint is how many raw bytes are taken in at least between two checkpoints.
const minCheckpoint = 24 << 20

// encode is the durable state of p.
func (p *process) encode() ([]byte, error) {
	e := &encoder{b: []byte(checkpointMagic)}
	e.num(uint64(p.pid))
	e.num(p.start)
	e.num(p.gen + 1)
	e.num(p.broken)
	e.num(p.missing)
	e.bit(p.timing)
	e.num(uint64(len(p.problems)))
	for _, s := range p.problems {
		e.bytes([]byte(s))
	}
	state, err := p.syms.AppendState(nil)
	if err != nil {
		return nil, err
	}
	e.bytes(state)
	log := p.journal()
	e.num(uint64(log.size))
	e.bytes(log.tail)
	cs := p.live()
	e.num(uint64(len(cs)))
	for _, c := range cs {
		e.num(uint64(c.thread))
		e.num(uint64(c.tid))
		e.num(c.seq)
		e.num(uint64(c.off))
		e.bit(c.begun)
		e.bit(c.skip)
		e.num(c.last)
		e.num(c.raw.length())
		e.stream(c.s)
	}
	return seal(e.b), nil
}

// decodeProcess is the inverse of encode. Its chains have no segments yet. Spools are in dir.
func decodeProcess(b []byte, dir string) (*process, error) {
	body, err := unseal(b)
	if err != nil {
		return nil, err
	}
	d := &decoder{b: body}
	p := newProcess(int(d.num()), false)
	p.durable = len(b)
	p.start, p.gen, p.broken, p.missing, p.timing = d.num(), d.num(), d.num(), d.num(), d.bit()
	for i, n := 0, d.count(); i < n && d.err == nil; i++ {
		p.problems = append(p.problems, string(d.bytes()))
	}
	state := d.bytes()
	size, tail := d.num(), d.bytes()
	if d.err != nil {
		return nil, d.err
	}
	if err := p.restore(state, filepath.Join(dir, journalName(p.pid)), int64(size), tail); err != nil {
		return nil, err
	}
	for i, n := 0, d.count(); i < n && d.err == nil; i++ {
		thread := d.num()
		if thread >= maxThreads {
			return nil, errCheckpoint
		}
		c := p.chain(int(thread))
		c.tid, c.seq, c.off = int(d.num()), d.num(), int(d.num())
		c.begun, c.skip, c.last = d.bit(), d.bit(), d.num()
		if n := d.num(); n > 0 {
			c.raw = &rawFile{size: int64(n)}
		}
		if c.s, err = d.stream(p, filepath.Join(dir, spoolName(p.pid, c.thread))); err != nil {
			return nil, err
		}
	}
	p.changed = true
	p.dir = dir
	return p, d.err
}

// journal brings the journal of the symbols up to date.
func (p *process) journal() *spool {
	if p.log == nil && p.dir != "" {
		p.log, _ = newSpool(filepath.Join(p.dir, journalName(p.pid)), 0, nil)
	}
	if p.log == nil {
		p.log = &spool{}
	}
	if news := p.syms.Journal(); len(news) > 0 {
		p.log.add(news)
	}
	return p.log
}

// restore makes the symbols of their state and their journal, which is size bytes of a file and tail.
func (p *process) restore(state []byte, path string, size int64, tail []byte) error {
	log, err := newSpool(path, size, bytes.Clone(tail))
	if err != nil {
		return err
	}
	all, err := io.ReadAll(log.reader())
	if err == nil {
		p.syms, err = symbol.RestoreProcess(state, all)
	}
	if err != nil {
		log.close()
		return err
	}
	p.log = log
	return nil
}

func journalName(pid int) string { return fmt.Sprintf("%d.journal", pid) }

func checkpointName(pid int) string { return fmt.Sprintf("%d.ckpt", pid) }

// checkpoint makes p's state durable in one of dirs and then hands the
// segments that it covers back to the program. If no directory can hold it, the
// segments are handed back all the same: a program that waits for ever would be worse
// than a recording that a crash of the collector shortens.
func (p *process) checkpoint(dirs []string) error {
	for _, c := range p.live() {
		if err := c.raw.flush(); err != nil && !c.rawFailed {
			c.rawFailed = true
			p.complain("the raw log is incomplete: %v", err)
		}
	}
	b, err := p.encode()
	if err == nil {
		err = p.store(dirs, b)
	}
	if err == nil {
		p.gen++
		p.durable = len(b)
	}
	p.consumed = 0
	for _, c := range p.live() {
		c.release(c.seq)
	}
	return err
}

func (p *process) store(dirs []string, b []byte) error {
	var errs []error
	for i, dir := range dirs {
		err := writeCheckpoint(filepath.Join(dir, checkpointName(p.pid)), b)
		if err == nil {
			for k, other := range dirs {
				if k != i {
					os.Remove(filepath.Join(other, checkpointName(p.pid)))
				}
			}
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// writeCheckpoint is writeFile without a sync: a state directory outlives
// processes, not the machine.
func writeCheckpoint(path string, b []byte) error {
	tmp := path + ".tmp"
	err := os.WriteFile(tmp, b, 0o600)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

// loadProcess restores the newest readable checkpoint of pid in dirs. Without
// one it returns nil; the error then says why a checkpoint that exists was not used.
func loadProcess(dirs []string, pid int) (*process, error) {
	type candidate struct {
		path string
		b    []byte
		gen  uint64
	}
	var found []candidate
	var errs []error
	for _, dir := range dirs {
		c := candidate{path: filepath.Join(dir, checkpointName(pid))}
		var err error
		if c.b, err = os.ReadFile(c.path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			c.gen, err = generation(c.b, pid)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.path, err))
			continue
		}
		found = append(found, c)
	}
	// The newest first: to restore one cuts the files beside it to its time.
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.gen, a.gen) })
	for _, c := range found {
		p, err := decodeProcess(c.b, dirs[0])
		if err == nil {
			return p, errors.Join(errs...)
		}
		errs = append(errs, fmt.Errorf("%s: %w", c.path, err))
	}
	return nil, errors.Join(errs...)
}

// generation is the number of a checkpoint of pid.
func generation(b []byte, pid int) (uint64, error) {
	body, err := unseal(b)
	if err != nil {
		return 0, err
	}
	d := &decoder{b: body}
	of, _, gen := d.num(), d.num(), d.num()
	if d.err == nil && of != uint64(pid) {
		d.fail()
	}
	return gen, d.err
}
