package calls

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// Reader goes through the events of a stream. It is not safe for concurrent
// use. It takes memory for each terminal of the stream (about 450 bytes) and for each column that
// matters (2 KiB, and 64 KiB if its values are irregular), not for each call.
type Reader struct {
	p      *Program
	pr     *process
	stream *archive.Stream
	terms  []*term
	x      *grammar.Index
	cursor *grammar.Cursor
	times  callTimes
	event  uint64
	call   uint64
	calls  uint64
}

// Reader makes a reader that begins with the first event of a stream.
func (p *Program) Reader(s *archive.Stream) (*Reader, error) {
	x, err := s.GrammarIndex()
	if err != nil {
		return nil, err
	}
	n, err := s.Terminals()
	if err != nil {
		return nil, err
	}
	r := &Reader{p: p, pr: &p.processes[s.Process()], stream: s, terms: make([]*term, n), x: x,
		cursor: x.NewCursor(), calls: s.Calls()}
	if r.times, err = openTimes(s); err != nil {
		return nil, err
	}
	return r, nil
}

// Stream is the stream that is read.
func (r *Reader) Stream() *archive.Stream { return r.stream }

// Next gives the next event, nil at the end of the stream. The Op is valid until Next is called
// again.
func (r *Reader) Next() (*Op, error) {
	k, ok := r.cursor.Next()
	if !ok {
		return nil, nil
	}
	t := r.terms[k]
	if t == nil {
		var err error
		if t, err = r.term(k); err != nil {
			return nil, err
		}
	}
	op := &t.op
	op.Event, op.Call = r.event, r.call
	r.event++
	if t.polls != nil {
		n := t.polls.next()
		if t.polls.err != nil {
			return nil, t.polls.err
		}
		if n < 1 || uint64(n) > r.calls-r.call {
			return nil, broken(r.stream, op.Func, "a run of %d polls", n)
		}
		op.Calls = uint64(n)
	}
	r.call += op.Calls
	if err := r.evaluate(t); err != nil {
		return nil, err
	}
	if op.Timed {
		var err error
		if op.Begin, op.End, err = r.times.at(r.stream, op.Call); err == nil && op.Calls > 1 {
			_, op.End, err = r.times.at(r.stream, op.Call+op.Calls-1)
		}
		if err != nil {
			return nil, err
		}
	}
	return op, nil
}

// Hopeless is an error if it takes hours to go on one by one up to a call: see archive.Archive.Hopeless.
func (r *Reader) Hopeless(to uint64) error {
	if r.event&(1<<16-1) != 0 || to < r.call {
		return nil
	}
	return r.stream.Archive().Hopeless(r.event, min(to, r.calls)-r.call)
}

// term is a terminal, compiled.
func (r *Reader) term(k uint32) (*term, error) {
	if t := r.terms[k]; t != nil {
		return t, nil
	}
	t, err := r.compile(k)
	if err != nil {
		return nil, err
	}
	r.terms[k] = t
	return t, nil
}

// evaluate brings the operation of a terminal up to date.
func (r *Reader) evaluate(t *term) error {
	if len(t.in) > 0 {
		if err := t.read(t.in); err != nil {
			return err
		}
		r.entry(t)
	} else if t.op.Event >= t.to {
		if r.entry(t); t.to == forever && len(t.out) == 0 {
			t.v, t.a = nil, nil // the operation is the same from now on
		}
	}
	if len(t.out) > 0 {
		if err := t.read(t.out); err != nil {
			return err
		}
		r.returned(t)
	}
	return nil
}
