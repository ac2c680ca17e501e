package collect

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"tabard/internal/grammar"
	"tabard/internal/ring"
	"tabard/internal/timing"
	"tabard/spec"
	"tabard/trace"
)

// A spool holds what only grows in a file (the complete blocks of a stream's timing, the journal of a process), so that
// neither memory nor the cost of a checkpoint grows with the number of calls.
// What a full disk refuses stays in memory.
type spool struct {
	f    *os.File
	size int64  // of the file
	tail []byte // what comes after it
}

func spoolName(pid, thread int) string { return fmt.Sprintf("%d.%d.times", pid, thread) }

// newSpool makes the file at path hold size bytes, which it must have already.
func newSpool(path string, size int64, tail []byte) (*spool, error) {
	s := &spool{size: size, tail: tail}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		if size == 0 {
			return s, nil // all in memory
		}
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.Size() < size {
		err = fmt.Errorf("%s: %d bytes, %w: it had %d", path, st.Size(), errCheckpoint, size)
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	s.f = f
	return s, nil
}

// add is the sink of a timing.Builder.
func (s *spool) add(block []byte) {
	s.tail = append(s.tail, block...)
	if s.f == nil {
		return
	}
	n, err := s.f.WriteAt(s.tail, s.size)
	if err != nil {
		// Written in part, or not at all: memory has it, the next block tries again.
		return
	}
	s.size += int64(n)
	s.tail = s.tail[:0]
}

// reader reads all blocks.
func (s *spool) reader() io.Reader {
	tail := bytes.NewReader(s.tail)
	if s.f == nil {
		return tail
	}
	return io.MultiReader(io.NewSectionReader(s.f, 0, s.size), tail)
}

func (s *spool) close() {
	if s != nil && s.f != nil {
		s.f.Close()
		s.f = nil
	}
}

// spoolTiming makes the blocks of s go to a file in dir. Without a directory they stay in memory.
func (s *stream) spoolTiming(path string) {
	if s.timing == nil {
		return
	}
	sp, err := newSpool(path, 0, nil)
	if err != nil {
		return
	}
	s.spool = sp
	s.timing.SetSink(sp.add)
}

// times encodes the timing for an archive whose grammar is g.
func (s *stream) times(g *grammar.Grammar) ([]byte, error) {
	g, order := trace.CanonicalGrammar(g)
	classes := make([]uint32, len(order))
	for i, t := range order {
		classes[i] = s.classes[t]
	}
	var b []byte
	var err error
	if s.spool == nil {
		b = s.timing.Encode(nil, classes)
	} else if b, err = s.timing.EncodeSpooled(nil, classes, s.spool.reader()); err != nil {
		return nil, err
	}
	if s.p.mode.Kind != timing.Published {
		return b, nil
	}
	keys := s.classKeys()
	function := func(class uint32) string { return spec.ByID(keys[class].fn).Name }
	return timing.Transcode(b, &eventWalk{s: s, g: g, order: order}, s.p.mode, s.p.rate(), function)
}

// eventWalk walks the calls of a stream as the grammar and the columns have them: a timing.Walker.
type eventWalk struct {
	s     *stream
	g     *grammar.Grammar
	order []uint32 // the stream's terminals, by those of g

	cursor *grammar.Cursor
	runs   []*colCursor // of terminals that are runs of polls
	at     uint64       // the next call
	term   uint32
	left   uint64 // calls of term before the cursor's
}

// Terminals is the number of terminals.
func (w *eventWalk) Terminals() int { return len(w.order) }

// Walk sets dst to the terminals of calls from index from on. It goes forwards best.
func (w *eventWalk) Walk(from uint64, dst []uint32) error {
	if w.cursor == nil || from < w.at {
		w.cursor, w.at, w.left = w.g.NewCursor(), 0, 0
		w.runs = make([]*colCursor, len(w.order))
	}
	for len(dst) > 0 {
		if w.left == 0 {
			var ok bool
			if w.term, ok = w.cursor.Next(); !ok {
				return fmt.Errorf("timing of more calls than the %d of the grammar", w.at)
			}
			w.left = w.calls()
		}
		n := w.left
		if w.at < from {
			n = min(n, from-w.at)
		} else {
			n = min(n, uint64(len(dst)))
			for i := range dst[:n] {
				dst[i] = w.term
			}
			dst = dst[n:]
		}
		w.at += n
		w.left -= n
	}
	return nil
}

// calls is how many calls the next event of w.term has.
func (w *eventWalk) calls() uint64 {
	t := w.s.list[w.order[w.term]]
	if !t.polls {
		return 1
	}
	c := w.runs[w.term]
	if c == nil {
		c = newColCursor(t.cols[0])
		w.runs[w.term] = c
	}
	if w.s.run == t && c.done() {
		return uint64(w.s.runN)
	}
	return uint64(c.next())
}

// rate is the rate of the clock of p's times, measured since p is known.
func (p *process) rate() timing.Rate {
	clocks := p.syms.Clocks()
	if len(clocks) == 0 || clocks[len(clocks)-1].Source != ring.ClockTSC {
		return timing.Rate{NS: 1, Ticks: 1}
	}
	if p.ticks == 0 { // not here: all that is known are the readings of the program
		first, last := clocks[0], clocks[len(clocks)-1]
		return timing.Rate{NS: last.MonoNS - first.MonoNS, Ticks: last.Ticks - first.Ticks}
	}
	// 20 ms keep the error of the rate below a ten-thousandth.
	if known := time.Duration(ring.MonotonicNS() - p.nanos); known < 20*time.Millisecond {
		time.Sleep(20*time.Millisecond - known)
	}
	return timing.Rate{NS: ring.MonotonicNS() - p.nanos, Ticks: ticks() - p.ticks}
}

func (e *encoder) times(s *stream) {
	e.bytes(s.timing.AppendState(nil))
	e.bit(s.spool != nil)
	if s.spool != nil {
		e.num(uint64(s.spool.size))
		e.bytes(s.spool.tail)
	} else {
		e.bytes(s.timing.Sealed())
	}
}

func (d *decoder) times(s *stream, path string) (err error) {
	state := d.bytes()
	if !d.bit() {
		blocks := d.bytes()
		if d.err == nil {
			s.timing, err = timing.Restore(state, s.p.rate, nil, blocks)
		}
		return err
	}
	size, tail := d.num(), d.bytes()
	if d.err != nil {
		return d.err
	}
	if s.spool, err = newSpool(path, int64(size), bytes.Clone(tail)); err != nil {
		return err
	}
	if s.timing, err = timing.Restore(state, s.p.rate, s.spool.add, nil); err == nil && s.timing.SealedBytes() != int64(size)+int64(len(tail)) {
		err = errCheckpoint
	}
	if err != nil {
		s.spool.close()
	}
	return err
}
