package archive

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// Timing is the time stamps of a stream, with random access by call and by time, and summaries of
// any resolution. TimingMode, TimingErrors and the others are what its methods return; times are in
// ticks of the process.
type (
	Timing        = timing.Reader
	TimingMode    = timing.Mode
	TimingBound   = timing.Bound
	TimingErrors  = timing.Errors
	TimingSummary = timing.Summary
	ClassSummary  = timing.ClassSummary
	// Aggregates are the times of a stream without its calls.
	Aggregates = timing.Aggregates
	// Distribution is a sum, extremes, and how many numbers are in each of some ranges.
	Distribution = timing.Distribution
	// ClassPair is a call and the one before it, by their timing classes.
	ClassPair = timing.Pair
)

// Kinds of TimingMode.
const (
	TimingLossless  = timing.Lossless
	TimingLossy     = timing.Lossy
	TimingAggregate = timing.Aggregate
	TimingPublished = timing.Published
)

// Timing opens the time stamps, nil if there are none of single calls. Entry i belongs to call
// i; times are in the ticks of the process (see RankData.Clocks).
func (s *Stream) Timing() (*Timing, error) {
	t, err := s.openTiming()
	if t != nil && !t.PerCall() {
		return nil, err
	}
	return t, err
}

// Aggregates are what is known of the times of the stream without its calls: stored instead of
// them, or made of them in the time that reading them all takes. They are nil without timing. Their
// classes are those of TimingClass.
func (s *Stream) Aggregates() (*Aggregates, error) {
	t, err := s.openTiming()
	if t == nil || err != nil {
		return nil, err
	}
	a, err := t.Aggregates()
	if err != nil {
		return nil, s.a.broken("timing", -1, "stream %d: %v", s.index, err)
	}
	return a, nil
}

// TimingClass is the class that the timing of the stream has for each terminal: terminals of one
// function, call site and outcome have the same class. It is nil if there is one class, 0, or no
// timing.
func (s *Stream) TimingClass() ([]uint32, error) {
	t, err := s.openTiming()
	if t == nil || err != nil {
		return nil, err
	}
	return t.Classes(), nil
}

// openTiming opens what is stored of times.
func (s *Stream) openTiming() (*Timing, error) {
	l, err := s.open()
	if err != nil {
		return nil, err
	}
	n := s.times(l)
	if n < 0 {
		return nil, nil
	}
	if s.a.projection != nil {
		return s.openProjected(l)
	}
	t, err := timing.Open(s.a.blobSource(&s.a.timings, uint32(n)), &timingWalk{s: s, l: l})
	if err != nil {
		return nil, within(s.a.broken("timing", -1, "%v", err), "item %d", n)
	}
	if t.Len() != l.call {
		return nil, s.a.broken(
			"timing",
			-1,
			"item %d has %d entries, but stream %d has %d calls",
			n,
			t.Len(),
			s.index,
			l.call,
		)
	}
	if t.Mode().Kind == TimingPublished && t.Len() > uint64(s.a.maxSection/20) {
		return nil, &FormatError{File: s.a.file, Section: "timing", Offset: -1, Hint: hintLimit,
			Msg: fmt.Sprintf("%d calls by %s take more memory than allowed", t.Len(), t.Mode().Method)}
	}
	return t, nil
}

// timingWalk tells a Timing which terminals the calls of a stream have.
type timingWalk struct {
	s     *Stream
	l     *layout
	r     *reader
	polls []bool // of each terminal: it is runs of polls
	term  uint32 // that r has read last
	more  uint64 // of it to come before r.cursor
}

// Terminals is the number of terminals.
func (w *timingWalk) Terminals() int { return len(w.l.tms) }

// Walk sets dst to the terminals of calls from index from on.
func (w *timingWalk) Walk(from uint64, dst []uint32) error {
	if w.r == nil {
		w.r = &reader{
			s:      w.s,
			l:      w.l,
			cursor: w.l.x.NewCursor(),
			cols:   make([]*colReader, len(w.l.Columns)),
			occ:    make([]uint64, len(w.l.tms)),
		}
		w.polls = make([]bool, len(w.l.tms))
		for _, t := range w.l.polls {
			w.polls[t] = true
		}
	}
	r := w.r
	if from != r.index {
		w.more = 0
		if err := r.seek(from); err != nil {
			return err
		}
	}
	if len(w.l.polls) == 0 {
		n := r.cursor.Fill(dst)
		if r.index += uint64(n); n < len(dst) {
			return r.fail("%d calls are missing", len(dst)-n)
		}
		return nil
	}
	for len(dst) > 0 {
		n := min(r.pollLeft, uint64(len(dst)))
		if n > 0 {
			r.pollLeft -= n
		} else if w.more == 0 {
			if w.term, w.more = r.cursor.NextRun(uint64(len(dst))); w.more == 0 {
				return r.fail("%d calls are missing", len(dst))
			}
		}
		if n == 0 {
			if n = w.more; w.polls[w.term] {
				if err := w.poll(); err != nil {
					return err
				}
				continue
			}
			w.more = 0
		}
		for i := range dst[:n] {
			dst[i] = w.term
		}
		dst = dst[n:]
		r.index += n
	}
	return nil
}

// poll begins the next run of polls of w.term.
func (w *timingWalk) poll() error {
	r := w.r
	n, err := r.value(w.l.first[w.term], r.occ[w.term])
	if err != nil {
		return err
	}
	if n < 1 || uint64(n) <= r.skip {
		return r.fail("a run of %d polls", n)
	}
	r.pollLeft, r.skip = uint64(n)-r.skip, 0
	r.occ[w.term]++
	w.more--
	return nil
}
