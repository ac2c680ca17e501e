package clocks

import (
	"math"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Of works out the correction of an archive from what was measured when it was recorded and from
// its messages and collectives. It goes through all calls, at least once, and twice or more if
// something is out of order: times that are stored with an error, as a rule, are. Where calls were
// left out on purpose messages cannot be told, and the measurements alone count.
func Of(a *archive.Archive) (*Correction, error) {
	p, err := calls.Open(a)
	if err != nil {
		return nil, err
	}
	return OfProgram(p, Options{})
}

// Options say how OfProgram works.
type Options struct {
	// LinesOnly leaves out what moves single events: see Input. Nothing is read then if there is
	// one clock.
	LinesOnly bool
	// Progress, if it is not nil, is called now and then with how much of the current pass is done.
	Progress func(done, total uint64)
}

// OfProgram is Of for an archive whose structure has been looked at already.
func OfProgram(p *calls.Program, o Options) (*Correction, error) {
	in := InputOf(p.Archive)
	in.LinesOnly = o.LinesOnly
	in.Source = func(func(first, then []Event)) error { return nil }
	if !p.Archive.Meta().Partial && (!o.LinesOnly || len(in.Clocks) > 1) {
		in.Source = messages(p, o.Progress)
	}
	return Correct(in)
}

// InputOf is what an archive says of clocks, without a Source.
func InputOf(a *archive.Archive) Input {
	in := Input{ClockOf: a.ProcessClocks()}
	for i, h := range a.HostClocks() {
		in.Clocks = append(in.Clocks, Clock{Host: h.Host, Processes: h.Processes, Reference: h.Reference})
		for _, s := range h.Syncs {
			in.Measured = append(in.Measured, Measurement{Clock: i, Partner: s.Partner, At: s.At, Error: s.Error})
		}
	}
	return in
}

// order tells which members of a collective wait for which.
type order uint8

const (
	noOrder  order = iota
	allToAll       // who receives waits for all that send
	fromRoot
	toRoot
	barrier // all wait for all
)

// orderOf is the order of a collective of any sort: blocking, nonblocking, persistent, with large
// counts. It is one only where the standard leaves no doubt: nobody can have the result before the
// others came. Where single pairs may exchange nothing (MPI_Alltoallv) or ranks count (MPI_Scan),
// none is assumed.
func orderOf(f *spec.Func) order {
	parts := f.Data == spec.DataParts || f.Data == spec.DataReducedParts
	switch {
	case f.IsBarrier():
		return barrier
	case f.Data == spec.DataNone:
		return noOrder
	case f.Flow == spec.FlowFromRoot:
		return fromRoot
	case f.Flow == spec.FlowToRoot:
		return toRoot
	case f.Flow == spec.FlowToAll && !(parts && f.Vector != spec.VectorNone):
		return allToAll
	}
	return noOrder
}

// source reads from the messages of an archive what must come before what.
type source struct {
	p           *calls.Program
	before      func(first, then []Event)
	first, then []Event
	orders      map[spec.ID]order
	precisions  map[int32]precision // of streams
	err         error
}

func messages(p *calls.Program, progress func(done, total uint64)) Source {
	return func(before func(first, then []Event)) error {
		s := &source{p: p, before: before, orders: map[spec.ID]order{}, precisions: map[int32]precision{}}
		_, err := match.RunProgram(p, match.Options{Message: s.message, Collective: s.collective, Progress: progress})
		return err
	}
}

// pair says that a call began before another one ended.
func (s *source) pair(sender int32, begin *match.Ref, receiver int32, end *match.Ref) {
	if !begin.Known() || !end.Known() || !begin.Timed || !end.Timed {
		return
	}
	s.first = append(s.first[:0], s.begin(sender, begin))
	s.then = append(s.then[:0], s.end(receiver, end))
	s.before(s.first, s.then)
}

func (s *source) begin(process int32, r *match.Ref) Event {
	return Event{Process: s.p.Process(process), Time: r.Begin, Error: s.precision(r.Stream).start}
}

func (s *source) end(process int32, r *match.Ref) Event {
	q := s.precision(r.Stream)
	d := q.duration
	if q.ppm > 0 {
		d = min(d, time.Duration(float64(r.End-r.Begin)*q.ppm/(1e6-q.ppm))+1)
	}
	return Event{Process: s.p.Process(process), Time: r.End, Error: q.start + d}
}

// precision is the errors of the times of a stream: at most of starts and durations, and what
// bounds a duration's in relation to it; 0 if nothing does.
type precision struct {
	start, duration time.Duration
	ppm             float64
}

func (s *source) precision(stream int32) precision {
	if q, ok := s.precisions[stream]; ok {
		return q
	}
	var q precision
	st := s.p.Archive.Stream(int(stream))
	t, err := st.Timing()
	if err != nil && s.err == nil {
		s.err = err
	}
	if t != nil {
		e, m, rate := t.Errors(), t.Mode(), tickRate(st.Rank().Clocks)
		q.start = time.Duration(math.Ceil(float64(e.Starts.Max) * rate))
		q.duration = time.Duration(math.Ceil(float64(e.Durations.Max) * rate))
		if len(m.Rules) == 0 && m.Bound.PPM < 1e6 {
			q.ppm = float64(m.Bound.PPM)
		}
	}
	s.precisions[stream] = q
	return q
}

// tickRate is the length of a tick in ns.
func tickRate(cs []archive.Clock) float64 {
	if n := len(cs); n > 1 && cs[n-1].Ticks > cs[0].Ticks && cs[n-1].MonoNS > cs[0].MonoNS {
		return float64(cs[n-1].MonoNS-cs[0].MonoNS) / float64(cs[n-1].Ticks-cs[0].Ticks)
	}
	return 1
}

func (s *source) message(m *match.Message) error {
	if m.Guessed {
		return s.err
	}
	s.pair(m.Send.Process, &m.Send.Post, m.Recv.Process, &m.Recv.Done)
	if m.Send.Mode == calls.Synchronous && m.Recv.Probe == nil {
		// It ends when the receive has begun.
		s.pair(m.Recv.Process, &m.Recv.Post, m.Send.Process, &m.Send.Done)
	}
	return s.err
}

func (s *source) collective(c *match.Collective) error {
	if c.Class != spec.Comm || c.Mixed || c.Comm < 0 || s.p.Comms.Comms[c.Comm].Inter {
		return nil
	}
	o, ok := s.orders[c.Func.ID]
	if !ok {
		o = orderOf(c.Func)
		s.orders[c.Func.ID] = o
	}
	if o == noOrder {
		return nil
	}
	s.first, s.then = s.first[:0], s.then[:0]
	for i := range c.Parts {
		p := &c.Parts[i]
		gives, takes := p.Sent > 0, p.Received > 0
		switch o {
		case barrier:
			gives, takes = true, true
		case fromRoot:
			gives = gives && p.Process == c.Root
			takes = takes && p.Process != c.Root
		case toRoot:
			takes = takes && p.Process == c.Root
		}
		if gives && p.Post.Known() && p.Post.Timed {
			s.first = append(s.first, s.begin(p.Process, &p.Post))
		}
		if takes && p.Done.Known() && p.Done.Timed {
			s.then = append(s.then, s.end(p.Process, &p.Done))
		}
	}
	if len(s.first) > 0 && len(s.then) > 0 {
		s.before(s.first, s.then)
	}
	return s.err
}
