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

// entries are the outermost times that a stream is in the regions of a path.
type entries struct {
	stream, whole *archive.Stream
	inside        *inside
	begins        *grammar.Weights // what begins them
	has           []bool           // which terminals of the whole stream the stream has
	kept          *grammar.Weights // its events
}

func (r *Resolved) entries(s *archive.Stream) (*entries, error) {
	of, kept := s.Whole()
	e := &entries{stream: s, whole: of}
	var err error
	if e.inside, err = r.insideOf(of); err != nil {
		return nil, err
	}
	e.has = make([]bool, e.inside.terms)
	for t := range e.has {
		e.has[t] = kept == nil
	}
	for _, t := range kept {
		e.has[t] = true
	}
	e.begins = e.inside.begins()
	e.kept = e.inside.x.Weigh(func(t uint32) bool { return e.has[int(t)%e.inside.terms] })
	return e, nil
}

// in is how many events of the stream are inside.
func (e *entries) in() uint64 {
	return e.inside.x.Weigh(func(t uint32) bool { return e.has[int(t)%e.inside.terms] && e.inside.has(t) }).Len()
}

// events are those of entry k in the whole stream.
func (e *entries) events(k uint64) Range {
	from := e.begins.Nth(k)
	_, to := e.inside.at(from)
	if k+1 < e.begins.Len() {
		to = min(to, e.begins.Nth(k+1)) // one may follow the other
	}
	return Range{from, to}
}

// calls are those of the stream in a range of events of the whole stream.
func (e *entries) calls(r Range) (calls Range, err error) {
	if calls.From, err = e.stream.CallsBefore(e.kept.Before(r.From)); err != nil {
		return calls, err
	}
	calls.To, err = e.stream.CallsBefore(e.kept.Before(r.To))
	return calls, err
}

// Spans finds the spans of a part one after the other. It is not safe for concurrent use.
type Spans struct {
	*entries
	part   *Part
	timing *archive.Timing
	at     func(ticks uint64) time.Duration
	next   uint64 // entry
}

// Spans makes what finds the spans of a part; nil if no region is selected, or there are no times.
func (p *Part) Spans() (*Spans, error) {
	if p.r.path == nil {
		return nil, nil
	}
	of, _ := p.Stream.Whole()
	s := &Spans{part: p, at: of.TickTime()}
	var err error
	if s.timing, err = of.Timing(); err != nil || s.timing == nil {
		return nil, err
	}
	s.entries, err = p.r.entries(p.Stream)
	return s, err
}

// Next is the next span; ok is false behind the last one.
func (s *Spans) Next() (span Span, ok bool, err error) {
	for ; s.next < s.begins.Len(); s.next++ {
		events := s.events(s.next)
		calls, err := s.calls(events)
		if err != nil {
			return span, false, err
		}
		if all := s.part.Range; calls.To < all.From || calls.From > all.To ||
			calls.Len() > 0 && (calls.To == all.From || calls.From == all.To) {
			continue
		}
		s.next++
		span, err = s.timed(events, calls)
		return span, err == nil, err
	}
	return span, false, nil
}

// timed is the span of a range of events of the whole stream.
func (s *Spans) timed(events, calls Range) (span Span, err error) {
	first, err := s.whole.CallsBefore(events.From)
	if err != nil {
		return span, err
	}
	last, err := s.whole.CallsBefore(events.To)
	if err != nil {
		return span, err
	}
	begin, _ := s.timing.At(first)
	_, end := s.timing.At(last - 1)
	span = Span{calls, s.at(begin), s.at(end)}
	all := s.part.Range
	if calls.From < all.From || calls.To > all.To {
		own, err := s.stream.Timing()
		if err != nil {
			return span, err
		}
		at := s.stream.TickTime()
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
