package efficiency

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
)

// spans are the stretches of a stream in the selected region, one after the other.
type spans struct {
	of      *selection.Spans
	now     selection.Span // the one that calls are in, or come to
	open    bool           // now has begun
	more    bool           // there is now
	started bool           // now is set
}

// spans asks the selection under a lock, as it is not safe for concurrent use.
func (j *job) spans(p *selection.Part) (*spans, error) {
	j.stepsMu.Lock()
	defer j.stepsMu.Unlock()
	of, err := p.Spans()
	if of == nil || err != nil {
		return nil, err
	}
	return &spans{of: of}, nil
}

// enter goes on to the span of a call, and tells whether it is in one. The time of spans that are passed counts as
// computation as far as no call has it.
func (w *walker) enter(call uint64) (in bool, err error) {
	s := w.spans
	if s == nil {
		return true, nil
	}
	for {
		if !s.started {
			if s.now, s.more, err = s.of.Next(); err != nil {
				return false, err
			}
			s.started, s.open = true, false
			if c := w.j.opts.Clock; c != nil && s.more {
				n := w.l.Process.Process
				s.now.Begin, s.now.End = c(n, s.now.Begin), c(n, s.now.End)
			}
		}
		if !s.more || call < s.now.Calls.From {
			return false, nil
		}
		if !s.open {
			s.open = true
			w.resume(s.now.Begin)
		}
		if call < s.now.Calls.To {
			return true, nil
		}
		w.l.End = max(w.l.End, s.now.End)
		w.last = max(w.last, s.now.End)
		s.started = false
	}
}

// resume goes on at a time: what lies before it is outside of what is selected.
func (w *walker) resume(at time.Duration) {
	if !w.started {
		w.started, w.last, w.l.Begin, w.l.End = true, at, at, at
		return
	}
	w.l.Outside += max(0, at-w.last)
	w.last = max(w.last, at)
	w.l.End = max(w.l.End, w.last)
}
