package selection

import (
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// Span is a stretch of the selected regions: its calls in the part's stream, which may be none, and its time: from the
// begin of the outermost region to its end, as far as Part.Range goes.
type Span struct {
	Calls      Range
	Begin, End time.Duration
}

// Spans finds the spans of a part one after the other. It is not safe for concurrent use.
type Spans struct {
	p      *Part
	whole  *archive.Stream
	timing *archive.Timing
	at     func(ticks uint64) time.Duration
	inside *inside
	begins *grammar.Weights // of regions that are spans
	kept   *grammar.Weights // events of the whole stream that the part's has
	event  uint64           // of the whole stream: where to go on
}

// Spans makes what finds the spans of a part; nil if no region is selected, or there are no times.
func (p *Part) Spans() (*Spans, error) {
	if p.r.path == nil {
		return nil, nil
	}
	of, kept := p.Stream.Whole()
	s := &Spans{p: p, whole: of, at: of.TickTime()}
	var err error
	if s.timing, err = of.Timing(); err != nil || s.timing == nil {
		return nil, err
	}
	if s.inside, err = p.r.insideOf(of); err != nil {
		return nil, err
	}
	has := make([]bool, s.inside.terms)
	for t := range has {
		has[t] = kept == nil
	}
	for _, t := range kept {
		has[t] = true
	}
	s.begins = s.inside.begins()
	s.kept = s.inside.x.Weigh(func(t uint32) bool { return has[int(t)%s.inside.terms] })
	return s, nil
}

// Next is the next span; ok is false behind the last one.
func (s *Spans) Next() (span Span, ok bool, err error) {
	for s.event < s.inside.x.Len() {
		from := s.event
		in, to := s.inside.at(from)
		if k := s.begins.Before(from + 1); k < s.begins.Len() {
			to = min(to, s.begins.Nth(k)) // one region may follow the other
		}
		s.event = to
		if !in {
			continue
		}
		calls := Range{s.p.callsBefore(s.kept.Before(from)), s.p.callsBefore(s.kept.Before(to))}
		if calls.To < s.p.Range.From || calls.From > s.p.Range.To || calls.To == s.p.Range.From && calls.Len() > 0 ||
			calls.From == s.p.Range.To && calls.Len() > 0 {
			continue
		}
		span, err = s.timed(from, to, calls)
		return span, err == nil, err
	}
	return span, false, nil
}

// timed is the span of a range of events of the whole stream.
func (s *Spans) timed(from, to uint64, calls Range) (span Span, err error) {
	first, err := s.whole.CallsBefore(from)
	if err != nil {
		return span, err
	}
	last, err := s.whole.CallsBefore(to)
	if err != nil {
		return span, err
	}
	begin, _ := s.timing.At(first)
	_, end := s.timing.At(last - 1)
	span = Span{calls, s.at(begin), s.at(end)}
	all := s.p.Range
	if calls.From < all.From || calls.To > all.To {
		own, err := s.p.Stream.Timing()
		if err != nil {
			return span, err
		}
		at := s.p.Stream.TickTime()
		if calls.From < all.From {
			_, end := own.At(all.From - 1)
			span.Calls.From, span.Begin = all.From, max(span.Begin, at(end))
		}
		if calls.To > all.To {
			_, end := own.At(all.To - 1)
			span.Calls.To, span.End = all.To, min(span.End, at(end))
		}
	}
	return span, s.timing.Err()
}

// Elapsed is how long the selected regions take, all spans together; 0 if no region is selected, or without times.
func (p *Part) Elapsed() (sum time.Duration, err error) {
	spans, err := p.Spans()
	if spans == nil || err != nil {
		return 0, err
	}
	for {
		s, ok, err := spans.Next()
		if err != nil || !ok {
			return sum, err
		}
		sum += max(0, s.End-s.Begin)
	}
}
