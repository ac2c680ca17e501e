package collect

import (
	"fmt"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// times encodes the timing for an archive whose grammar is g.
func (s *stream) times(g *grammar.Grammar) ([]byte, error) {
	g, order := archive.CanonicalGrammar(g)
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
