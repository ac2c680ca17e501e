package replay

import (
	"fmt"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// Limits of what is held back while the source of a receive is looked for in later calls: words of
// values.
const (
	maxHeld   = 1 << 20
	feedChunk = 1 << 13
)

// orderSlack is how long a call of another thread must have been over to count as earlier, beyond
// the errors of recorded times: threads must not wait for each other in a circle.
const orderSlack = 4 * time.Microsecond

// feeder produces the values of a program, in the order of events.
type feeder struct {
	p      *Program
	write  func(words []uint64) error
	out    []uint64
	base   uint64 // number of words written before out
	waits  map[int64]*wait
	queue  []*wait // in order of places; those that are known stay until they are first
	timing *archive.Timing
	others []*archive.Timing // of all threads, if some calls have to wait for them
	slack  uint64            // ticks by which a call of another thread must have ended before
	start  func(uint64) time.Duration
	end    func(uint64) time.Duration
	call   uint64 // number of the next call
	last   time.Duration
	begun  bool
}

// wait is a receive whose source and tag are not known yet.
type wait struct {
	at   uint64 // of the source among all words; the tag follows
	done bool
}

// Feed writes the values that follow the tables; write must not keep the words. It takes memory
// that does not grow with the number of calls. After an error of write it ends with that error.
func (p *Program) Feed(write func(words []uint64) error) error {
	if !p.Streams {
		return nil
	}
	f := &feeder{p: p, write: write, waits: map[int64]*wait{}}
	s := p.l.s
	if p.l.o.Gaps || p.l.ordered {
		var err error
		if f.timing, err = s.Timing(); err != nil {
			return err
		}
		if f.timing == nil {
			return fmt.Errorf("stream %d has no times", s.Index())
		}
		f.start, f.end = s.TickTime(), s.TickTime()
	}
	if p.l.ordered {
		for _, x := range p.l.o.Threads {
			t, err := x.Timing()
			if err != nil {
				return err
			}
			f.others = append(f.others, t)
			errors := t.Errors()
			f.slack = max(f.slack, 2*errors.Starts.Max)
		}
		f.slack += s.Ticks(time.Second+orderSlack) - s.Ticks(time.Second)
	}
	if err := f.events(); err != nil {
		return err
	}
	f.queue = nil
	return f.flush(0)
}

func (f *feeder) events() error {
	x, err := grammar.NewIndex(f.p.tables.grammar)
	if err != nil {
		return err
	}
	cursor := x.NewCursor()
	terminals := make([]uint32, 512)
	for {
		n := cursor.Fill(terminals)
		if n == 0 {
			return nil
		}
		for _, t := range terminals[:n] {
			if err := f.event(t); err != nil {
				return fmt.Errorf("stream %d: %w", f.p.l.s.Index(), err)
			}
		}
	}
}

// event writes the values of an event of terminal t.
func (f *feeder) event(t uint32) error {
	pl := &f.p.l.plans[t]
	calls := uint64(1)
	if pl.polls != nil {
		n, err := pl.polls.next()
		if err != nil {
			return err
		}
		if n < 1 {
			return fmt.Errorf("a run of %d polls", n)
		}
		calls = uint64(n)
	}
	if f.timing != nil {
		if err := f.times(t, calls); err != nil {
			return err
		}
	}
	for _, r := range pl.readers {
		if err := r.read(&pl.vals[r.slot]); err != nil {
			return err
		}
	}
	for _, e := range pl.emit {
		f.out = e(f.out, pl.vals)
	}
	if pl.outcome != nil {
		f.out = pl.outcome(f.out, pl.vals)
		if pl.polls != nil && f.p.tables.terminals[t].outcome == outcomePolls {
			f.out = append(f.out, calls)
		}
		if pl.receive != nil {
			f.expect(pl.receive(pl.vals))
		}
	}
	if pl.complete != nil && len(f.waits) > 0 {
		pl.complete(pl.vals, f.found)
	}
	if len(f.out) >= feedChunk {
		return f.flush(feedChunk / 2)
	}
	return nil
}

// times writes what an event of so many calls needs of their times: the gap before it, and what
// other threads must have done.
func (f *feeder) times(t uint32, calls uint64) error {
	start, _ := f.timing.At(f.call)
	_, end := f.timing.At(f.call + calls - 1)
	if err := f.timing.Err(); err != nil {
		return fmt.Errorf("call %d: %w", f.call, err)
	}
	f.call += calls
	l := f.p.l
	if l.o.Gaps {
		f.gap(f.start(start), f.end(end), l.sigs[t].Flags&archive.Nested != 0)
	}
	if !l.plans[t].ordered {
		return nil
	}
	for i, x := range l.o.Threads {
		before := uint64(0)
		if x.Thread() != l.s.Thread() {
			var err error
			if before, _, err = x.EventAt(f.others[i].SeekTime(start - min(start, f.slack))); err != nil {
				return err
			}
		}
		f.out = append(f.out, before)
	}
	return nil
}

// gap writes the time between the last call and this one. Nested calls are inside the call that
// follows.
func (f *feeder) gap(from, to time.Duration, nested bool) {
	gap := time.Duration(0)
	if !nested {
		if f.begun {
			gap = max(0, from-f.last)
		}
		f.last, f.begun = max(f.last, to), true
	}
	f.out = append(f.out, uint64(float64(gap)*f.p.l.o.Scale+0.5))
}

// expect notes that the last two words are source and tag of a receive that completes later.
func (f *feeder) expect(request int64) {
	if old := f.waits[request]; old != nil {
		old.done = true // its end was out of sight
	}
	w := &wait{at: f.base + uint64(len(f.out)) - 2}
	f.waits[request] = w
	f.queue = append(f.queue, w)
}

// found sets source and tag of a receive; status is nil if they were ignored.
func (f *feeder) found(request int64, status []int64) {
	w := f.waits[request]
	if w == nil {
		return
	}
	delete(f.waits, request)
	if w.done {
		return
	}
	w.done = true
	if status == nil || status[3]>>32 != 0 { // cancelled
		return
	}
	l := f.p.l
	f.out[w.at-f.base], f.out[w.at-f.base+1] = uint64(l.number("RANK", status[0])), uint64(l.number("TAG", status[1]))
}

// flush writes all words that are settled, if they are at least some.
func (f *feeder) flush(least int) error {
	for len(f.queue) > 0 && (f.queue[0].done || len(f.out) > maxHeld) {
		f.queue[0].done = true
		f.queue = f.queue[1:]
	}
	n := len(f.out)
	if len(f.queue) > 0 {
		n = int(f.queue[0].at - f.base)
	}
	if n < least || n == 0 {
		return nil
	}
	if err := f.write(f.out[:n]); err != nil {
		return err
	}
	f.out = f.out[:copy(f.out, f.out[n:])]
	f.base += uint64(n)
	return nil
}
