package collect

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// process is one traced process: its chains, symbols and streams.
type process struct {
	ahead  uint64 // see symbol.ReadAhead
	id     ring.ProcessID
	reg    *Registration // nil if the launcher did not register it
	watch  *watch
	syms   *symbol.Process
	chains []*chain // by thread number; nil where not known yet
	timing bool
	mode   timing.Mode   // how times are stored
	ticks  uint64        // a reading of the clock when p became known here, 0 for a process of elsewhere
	nanos  uint64        // CLOCK_MONOTONIC at the same time
	dir    *safefile.Dir // for spools; nil: none
	log    *spool        // of the journal of syms; nil: not needed yet

	consumed  uint64        // raw bytes since the last checkpoint
	durable   int           // size of the last checkpoint
	took      time.Duration // to write it
	gen       uint64        // of the last checkpoint
	broken    uint64        // records that could not be understood
	missing   uint64        // segments that are gone
	problems  []string
	finished  bool
	heldTaken bool     // see takeHeld
	at        *chain   // whose record is being taken in
	panics    []string // not logged yet
	changed   bool     // since the last archive
	holding   time.Time
	upto      uint64 // see known; 0: no such time
	cut       uint64 // nothing that returned later is taken in; 0: no such time
	end       string
	died      time.Time // when a process that did not end in order did, if that was seen
}

func newProcess(id ring.ProcessID, withTimes bool) *process {
	return &process{id: id, syms: symbol.NewProcess(), timing: withTimes, mode: timing.Mode{Kind: timing.Lossless}}
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
		if p.dir != nil {
			c.s.spoolTiming(p.dir, spoolName(p.id, thread))
		}
		p.chains[thread] = c
	}
	return c
}

// addSegment makes a segment file known. A file that is not set up yet is an
// error; it will be looked at again.
func (p *process) addSegment(d *safefile.Dir, name string, thread int) error {
	path := d.Join(name)
	if thread < 0 || thread >= maxThreads {
		return fmt.Errorf("%s: thread number out of range", path)
	}
	if thread < len(p.chains) && p.chains[thread] != nil && p.chains[thread].files[path] != nil {
		return nil
	}
	seg, err := ring.OpenSegment(d, name)
	if err != nil {
		return err
	}
	return p.hasSegment(path, thread, seg)
}

// hasSegment makes an open segment known. It closes one that is not p's.
func (p *process) hasSegment(path string, thread int, seg *ring.Segment) error {
	if seg.Process() != p.id || seg.Thread() != thread {
		err := fmt.Errorf("%s: belongs to thread %d of process %s", path, seg.Thread(), seg.Process())
		seg.Close()
		return err
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
// the other processes shall suffer, now or in a recovery. Nor do they if a file was made shorter.
func (p *process) attempt(cs []*chain, dead bool) (done bool) {
	defer func() {
		if done {
			return
		}
		cause := recover()
		if ring.Repair(cause) {
			return
		}
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
	if p.cut != 0 {
		return p.cut
	}
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
		if p.consumed > p.pace() && !dead {
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
	for _, c := range p.live() {
		for p.skipMissing(c) {
			p.drain(true)
		}
	}
	for _, c := range p.live() {
		c.refresh() // here, a file may turn out to be gone: then all begins anew
		if c.cur != nil && c.cur.Shortened() {
			c.leave()
		}
	}
	p.finished, p.changed = true, true
	for _, c := range p.live() {
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
	p.takeHeld()
}

// closeFiles closes what p holds besides memory.
func (p *process) closeFiles() {
	p.log.close()
	for _, c := range p.live() {
		c.close()
		c.s.spool.close()
	}
}

// skipMissing goes on behind segments that are gone, which only happens when
// somebody removed them or a checkpoint was lost.
func (p *process) skipMissing(c *chain) bool {
	if c.abandoned() {
		c.leave()
		return true
	}
	n := c.first()
	if n == 0 {
		return false
	}
	p.missing += n
	p.complain("thread %d: %d segments in front of number %d are missing", c.thread, n, c.seq)
	return true
}

// holdAtMost bounds how long one thread may hold back the others: a program
// must never wait for us because a thread of it was stopped in a bad moment.
const holdAtMost = 50 * time.Millisecond

// minCheckpoint is how many raw bytes are taken in at least between two checkpoints: as long as the collector keeps up,
// the first, small segments of a ring are enough (capture/core/chain.c), and what lies there is still in a cache.
// Up to mostCheckpoint it is checkpointPrice bytes for each nanosecond that a checkpoint takes. Taking in a byte takes
// some three nanoseconds, so that checkpoints add a thirtieth.
const (
	minCheckpoint   = 256 << 10
	mostCheckpoint  = 24 << 20
	checkpointPrice = 10
)

// pace is how many raw bytes are taken in before the next checkpoint.
func (p *process) pace() uint64 {
	price := min(uint64(p.took)*checkpointPrice, mostCheckpoint)
	return max(minCheckpoint, price, 4*uint64(p.durable))
}
