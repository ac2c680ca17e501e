package calls

import (
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// How many calls' times are converted at once: few at first, and at most maxChunk, or fewer where streams are many, as
// one has to be open for each of them to match messages: maxChunks of all streams together.
const (
	minChunk  = 16
	maxChunk  = 256
	maxChunks = 1 << 20
)

// callTimes reads the times of calls, forwards.
type callTimes struct {
	timing       *archive.Timing // nil without times
	convert      func(dst []time.Duration, ticks []uint64)
	from, n      uint64 // calls in begins and ends
	begins, ends []time.Duration
	most         int // how long these may be
}

func openTimes(s *archive.Stream) (callTimes, error) {
	t, err := s.Timing()
	if t == nil || err != nil {
		return callTimes{}, err
	}
	most := max(minChunk, min(maxChunk, maxChunks/max(1, s.Archive().NumStreams())))
	return callTimes{timing: t, convert: s.TickTimes(), most: int(min(uint64(most), s.Calls()))}, nil
}

// at is the begin and end of a call.
func (t *callTimes) at(s *archive.Stream, call uint64) (begin, end time.Duration, err error) {
	if call-t.from >= t.n {
		if err := t.fill(s, call); err != nil {
			return 0, 0, err
		}
	}
	i := call - t.from
	return t.begins[i], t.ends[i], nil
}

// fill makes the chunk begin with a call.
func (t *callTimes) fill(s *archive.Stream, call uint64) error {
	if now := len(t.begins); now < t.most {
		n := min(max(minChunk, 4*now), t.most)
		room := make([]time.Duration, 2*n)
		t.begins, t.ends = room[:n:n], room[n:]
	}
	n, err := t.span(s, call, t.begins, t.ends)
	if err != nil {
		return err
	}
	t.from, t.n = call, uint64(n)
	return nil
}

// span sets as many of begins and ends as are at hand, at least one, to the times of the calls from
// a number on, and returns how many.
func (t *callTimes) span(s *archive.Stream, call uint64, begins, ends []time.Duration) (int, error) {
	msg := "times are missing"
	if t.timing != nil {
		from, to := t.timing.Span(call)
		err := t.timing.Err()
		n := min(len(from), len(begins))
		if err == nil && n > 0 {
			t.convert(begins, from[:n])
			t.convert(ends, to[:n])
			return n, nil
		}
		if err != nil {
			msg = err.Error()
		}
	}
	return 0, &archive.FormatError{File: s.Archive().File(), Section: "timing", Offset: -1, Msg: msg,
		Hint: "the file is damaged: copy it again"}
}
