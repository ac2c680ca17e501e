package calls

import (
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// Untimed makes a reader that has not read anything yet leave out all times: its events are not
// Timed.
func (r *Reader) Untimed() { r.times = callTimes{} }

// Event is the number of the event that Next gives, Call that of its first call.
func (r *Reader) Event() uint64 { return r.event }

// Call is the number of the first call of the event that Next gives.
func (r *Reader) Call() uint64 { return r.call }

// Terminals is the number of terminals.
func (r *Reader) Terminals() int { return len(r.terms) }

// Grammar is the index of the grammar whose word is the events.
func (r *Reader) Grammar() *grammar.Index { return r.x }

// Fixed tells whether all events of a terminal do the same, until the meaning of an object changes
// (see Until). For that, none of the parameters that matter may be in columns, and the events must
// not be runs of polls.
func (r *Reader) Fixed(terminal uint32) (bool, error) {
	t, err := r.term(terminal)
	if err != nil {
		return false, err
	}
	return t.polls == nil && len(t.in) == 0 && len(t.out) == 0, nil
}

// Kind is what the calls of a terminal do.
func (r *Reader) Kind(terminal uint32) (Kind, archive.Flags, error) {
	t, err := r.term(terminal)
	if err != nil {
		return Other, 0, err
	}
	return t.op.Kind, t.op.Flags, nil
}

// Until is the event up to which the objects of a terminal's calls keep the meaning that they had
// when it was last read.
func (r *Reader) Until(terminal uint32) uint64 {
	if t := r.terms[terminal]; t != nil {
		return t.to
	}
	return 0
}

// Skip passes over events that are one call each and whose terminals are Fixed.
func (r *Reader) Skip(events uint64) {
	r.event += events
	r.call += events
	r.cursor.Seek(r.event)
}

// Times sets begins and ends, of the same length, to the times of the calls from a number on.
func (r *Reader) Times(from uint64, begins, ends []time.Duration) error {
	for len(begins) > 0 {
		n, err := r.times.span(r.stream, from, begins, ends)
		if err != nil {
			return err
		}
		begins, ends = begins[n:], ends[n:]
		from += uint64(n)
	}
	return nil
}
