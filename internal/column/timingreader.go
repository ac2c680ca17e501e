package column

import (
	"iter"
	"sort"
)

// A TimingReader gives access to encoded starts and ends of calls. It decodes a
// block when a call of it is asked for, and keeps the latest one. It is not safe
// for concurrent use.
type TimingReader struct {
	in      []byte
	n       uint64
	shift   uint
	entries []timingBlock

	cached       int // block in starts and ends, -1 none
	starts, ends []uint64
	err          error
}

type timingBlock struct {
	timingEntry
	offset int
	before uint64 // greatest end of all calls before
}

// OpenTiming checks the frame of what a TimingBuilder encoded, which must be all of
// in, and returns a reader of it. The reader refers to in. It takes at most 32
// bytes of memory per byte of in, and 256 KiB.
//
// The content of a block is checked when it is decoded: Err and Check tell.
func OpenTiming(in []byte) (*TimingReader, error) {
	p := &input{in: in}
	r := parseTiming(p)
	r.place(p, false)
	if p.err != nil {
		return nil, p.err
	}
	return r, nil
}

// parseTiming reads the frame up to the first block.
func parseTiming(p *input) *TimingReader {
	r := &TimingReader{in: p.in, cached: -1}
	r.n = p.uvarint()
	if r.n == 0 || p.err != nil {
		return r
	}
	r.shift = uint(p.byte())
	if r.shift != timingShift {
		p.fail("unknown size of blocks")
	}
	latest, before := uint64(0), uint64(0)
	for left := r.n; left > 0 && p.err == nil; {
		var e timingBlock
		e.first = latest + uint64(p.varint())
		e.latest = e.first + p.uvarint()
		e.before = before
		latest = e.latest
		before = max(before, latest)
		if left >= timingCalls {
			size := p.uvarint()
			if size > 1<<40 {
				p.fail("block of calls is too large")
			}
			e.size = int(size)
		}
		r.entries = append(r.entries, e)
		left -= min(left, timingCalls)
	}
	return r
}

// place finds the blocks behind the frame. With elsewhere set, only the last one
// is there, if it is not full.
func (r *TimingReader) place(p *input, elsewhere bool) {
	for i := range r.entries {
		e := &r.entries[i]
		e.offset = p.pos
		switch {
		case r.callsOf(i) < timingCalls:
			e.size = p.left()
			p.bytes(uint64(e.size))
		case !elsewhere:
			p.bytes(uint64(e.size))
		}
	}
	if p.err == nil && p.left() > 0 {
		p.fail("bytes after the last call")
	}
}

func (r *TimingReader) callsOf(block int) int {
	return int(min(r.n-uint64(block)<<timingShift, timingCalls))
}

// Len returns the number of calls.
func (r *TimingReader) Len() uint64 { return r.n }

// Err returns the first error that decoding met; all times of such a block are 0.
func (r *TimingReader) Err() error { return r.err }

// Check decodes all blocks and returns the first error.
func (r *TimingReader) Check() error {
	for i := range r.entries {
		r.load(i)
	}
	return r.err
}

// At returns the start and end of call i, in ticks. They are 0 if i is not below
// Len, or after an error.
func (r *TimingReader) At(i uint64) (start, end uint64) {
	if i >= r.n {
		return 0, 0
	}
	r.load(int(i >> timingShift))
	i &= timingCalls - 1
	return r.starts[i], r.ends[i]
}

// A Span is the start and end of a call, in ticks.
type Span struct{ Start, End uint64 }

// Range returns an iterator over the calls from index from up to, but not including, to.
func (r *TimingReader) Range(from, to uint64) iter.Seq2[uint64, Span] {
	return func(yield func(uint64, Span) bool) {
		for i := from; i < min(to, r.n); i++ {
			start, end := r.At(i)
			if !yield(i, Span{start, end}) {
				return
			}
		}
	}
}

// SeekTime returns the first call that ends at or after t, or Len if there is
// none. It decodes one block.
func (r *TimingReader) SeekTime(t uint64) uint64 {
	k := sort.Search(len(r.entries), func(k int) bool {
		return max(r.entries[k].before, r.entries[k].latest) >= t
	})
	if k == len(r.entries) {
		return r.n
	}
	r.load(k)
	for i, end := range r.ends {
		if end >= t {
			return uint64(k)<<timingShift + uint64(i)
		}
	}
	// Only if the index lies; the block behind it is the best answer.
	return min(uint64(k+1)<<timingShift, r.n)
}

// Blocks returns the number of blocks that the calls are stored in.
func (r *TimingReader) Blocks() int { return len(r.entries) }

// Block tells, without decoding it, which calls block k holds, the start of the
// first of them and the latest end.
func (r *TimingReader) Block(k int) (from, to, start, end uint64) {
	from = uint64(k) << timingShift
	return from, from + uint64(r.callsOf(k)), r.entries[k].first, r.entries[k].latest
}

// load decodes block k into starts and ends, and returns the starts.
func (r *TimingReader) load(k int) []uint64 {
	if r.cached == k {
		return r.starts
	}
	n := r.callsOf(k)
	if cap(r.starts) < n {
		r.starts, r.ends = make([]uint64, n), make([]uint64, n)
	}
	r.cached, r.starts, r.ends = k, r.starts[:n], r.ends[:n]
	e := r.entries[k]
	p := &input{in: r.in[:e.offset+e.size], pos: e.offset}
	sc := scratches.Get().(*scratch)
	sc.decodeCalls(p, e.first, r.starts, r.ends)
	scratches.Put(sc)
	if p.err == nil && p.left() > 0 {
		p.fail("bytes after the last call of a block")
	}
	if p.err != nil {
		clear(r.starts)
		clear(r.ends)
		if r.err == nil {
			r.err = p.err
		}
	}
	return r.starts
}
