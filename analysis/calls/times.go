package calls

import (
	"sync"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// How many calls' times are converted at once: few at first, and at most maxChunk. Where many streams are read side by
// side, their decoded blocks would take 16 bytes a call: beyond mostDecoded calls none is kept, and chunks are as long
// as mostHeld calls of all streams allow, of 8 bytes each. What is longer is decoded again for each chunk.
const (
	minChunk    = 16
	maxChunk    = 256
	block       = 1 << 14
	mostDecoded = 16 << 20
	mostHeld    = 16 << 20
)

// callTimes reads the times of calls, forwards.
type callTimes struct {
	timing  *archive.Timing // nil without times
	convert func(dst []time.Duration, ticks []uint64)
	from, n uint64 // calls in held
	// held are the begins since base, and the durations, by turns: in words of 32 bits, or if wide in two of them, the
	// lower one first.
	held   []uint32
	base   time.Duration
	wide   bool
	most   int  // words that held may have
	forget bool // decoded blocks are not kept
}

func openTimes(s *archive.Stream) (callTimes, error) {
	t, err := s.Timing()
	if t == nil || err != nil {
		return callTimes{}, err
	}
	return callTimes{timing: t, convert: s.TickTimes(), most: 4 * int(min(maxChunk, s.Calls()))}, nil
}

// Among tells a reader that so many are read side by side.
func (r *Reader) Among(streams int) {
	decoded := min(r.calls, block)
	if t := &r.times; uint64(streams)*decoded > mostDecoded {
		t.forget, t.most = true, 2*int(max(minChunk, min(decoded, mostHeld/uint64(streams))))
	}
}

// at is the begin and end of a call.
func (t *callTimes) at(s *archive.Stream, call uint64) (begin, end time.Duration, err error) {
	if call-t.from >= t.n {
		if err := t.fill(s, call); err != nil {
			return 0, 0, err
		}
	}
	i := call - t.from
	if t.wide {
		w := t.held[4*i : 4*i+4 : 4*i+4]
		begin = t.base + time.Duration(uint64(w[0])|uint64(w[1])<<32)
		return begin, begin + time.Duration(uint64(w[2])|uint64(w[3])<<32), nil
	}
	begin = t.base + time.Duration(t.held[2*i])
	return begin, begin + time.Duration(t.held[2*i+1]), nil
}

// converted are times that are put into a chunk.
type converted struct{ begins, ends [maxChunk]time.Duration }

var spare = sync.Pool{New: func() any { return new(converted) }}

// fill makes the chunk begin with a call.
func (t *callTimes) fill(s *archive.Stream, call uint64) error {
	if now := len(t.held); now < t.most {
		n := t.most
		if !t.forget {
			n = min(max(4*minChunk, 4*now), t.most)
		}
		t.held = make([]uint32, n)
	}
	from, to, err := t.decoded(s, call)
	if err != nil {
		return err
	}
	if t.from = call; !t.put(from, to) {
		t.wide = true
		t.put(from, to)
	}
	if t.forget {
		t.timing.Forget()
	}
	return nil
}

// put makes the chunk the times of as many calls as there is room for. It fails if one does not fit 32 bits, unless the
// chunk is wide.
func (t *callTimes) put(from, to []uint64) (ok bool) {
	x := spare.Get().(*converted)
	defer spare.Put(x)
	size := 2
	if t.wide {
		size = 4
	}
	n := min(len(from), len(t.held)/size)
	t.n = uint64(n)
	for at := 0; at < n; at += maxChunk {
		k := min(maxChunk, n-at)
		t.convert(x.begins[:k], from[at:at+k])
		t.convert(x.ends[:k], to[at:at+k])
		if at == 0 {
			t.base = x.begins[0]
		}
		held := t.held[size*at : size*(at+k)]
		for i := range k {
			since, d := uint64(x.begins[i]-t.base), uint64(x.ends[i]-x.begins[i])
			switch {
			case t.wide:
				held[4*i], held[4*i+1] = uint32(since), uint32(since>>32)
				held[4*i+2], held[4*i+3] = uint32(d), uint32(d>>32)
			case (since|d)>>32 != 0:
				return false
			default:
				held[2*i], held[2*i+1] = uint32(since), uint32(d)
			}
		}
	}
	return true
}

// span sets as many of begins and ends as are at hand, at least one, to the times of the calls from
// a number on, and returns how many.
func (t *callTimes) span(s *archive.Stream, call uint64, begins, ends []time.Duration) (int, error) {
	if t.forget { // a chunk is longer than what is asked for as a rule
		_, _, err := t.at(s, call)
		n := min(len(begins), int(t.from+t.n-call))
		for i := 0; i < n && err == nil; i++ {
			begins[i], ends[i], err = t.at(s, call+uint64(i))
		}
		return n, err
	}
	from, to, err := t.decoded(s, call)
	if err != nil {
		return 0, err
	}
	n := min(len(from), len(begins))
	t.convert(begins, from[:n])
	t.convert(ends, to[:n])
	return n, nil
}

// decoded are the starts and ends of the calls from a number on that are at hand, at least of one.
func (t *callTimes) decoded(s *archive.Stream, call uint64) (from, to []uint64, err error) {
	msg := "times are missing"
	if t.timing != nil {
		from, to = t.timing.Span(call)
		if err := t.timing.Err(); err != nil {
			msg = err.Error()
		} else if len(from) > 0 {
			return from, to, nil
		}
	}
	return nil, nil, &archive.FormatError{File: s.Archive().File(), Section: "timing", Offset: -1, Msg: msg,
		Hint: "the file is damaged: copy it again"}
}
