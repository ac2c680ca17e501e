package column

import (
	"sort"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// A Reader gives access to the values of an encoded column. It decodes a block
// when a value of it is asked for, and keeps the latest one. It is not safe for
// concurrent use.
type Reader struct {
	in       []byte
	begin    int // of the first segment
	n        uint64
	segments []segment

	cached int     // segment whose block or pattern is in vals, -1 none
	vals   []int64 // of the cached segment
	at     int     // the segment used last
	err    error
}

type segment struct {
	first  uint64 // index of the first value
	offset int    // of the header
	body   int    // offset of the block or pattern
	size   int    // of it
	values int    // in it
	base   int64
	step   int64
	period uint64 // of ramps
	move   int64
	kind   byte
}

// Open checks the frame of a column that a Builder encoded, which must be all of
// in, and returns a reader of it. The reader refers to in. It takes at most 64
// bytes of memory per byte of in, and 64 KiB.
//
// The content of a block is checked when it is decoded: Err and Check tell.
func Open(in []byte) (*Reader, error) {
	p := open(in, 0)
	r := &Reader{in: in, cached: -1}
	r.n = p.Uvarint()
	r.begin = p.Pos
	for first := uint64(0); first < r.n && p.Err == nil; {
		s, n := parseSegment(p, first, r.n-first)
		first += n
		r.segments = append(r.segments, s)
	}
	if p.Err == nil && p.Left() > 0 {
		p.Fail("bytes after the last value")
	}
	if p.Err != nil {
		return nil, p.Err
	}
	return r, nil
}

// parseSegment reads the header of the segment that begins with value first, with left values left.
func parseSegment(p *byteio.Reader, first, left uint64) (s segment, n uint64) {
	s = segment{first: first, offset: p.Pos}
	tag := p.Byte()
	s.kind = tag&segmentBlock | tag&segmentHigh>>1
	n = left
	if tag > segmentToEnd|segmentHigh || s.kind > segmentRamps {
		p.Fail("unknown kind of segment")
	}
	if tag&segmentToEnd == 0 {
		n = p.Uvarint() + 1
		if n == 0 || n >= left {
			p.Fail("segment is longer than the column")
		}
	}
	size := uint64(0)
	switch s.kind {
	case segmentConstant:
		s.base = p.Varint()
	case segmentAffine:
		s.base = p.Varint()
		s.step = p.Varint()
	case segmentRamps:
		if s.period = p.Uvarint(); s.period == 0 {
			p.Fail("period out of range")
		}
		s.base, s.step, s.move = p.Varint(), p.Varint(), p.Varint()
	case segmentPeriodic:
		period := p.Uvarint()
		if period == 0 || period > maxBlock {
			p.Fail("period out of range")
		}
		s.values = int(period)
		s.step = p.Varint()
		size = p.Uvarint()
	case segmentBlock:
		if n > maxBlock {
			p.Fail("block of too many values")
		}
		s.values = int(n)
		size = uint64(p.Left())
		if tag&segmentToEnd == 0 {
			size = p.Uvarint()
		}
	}
	s.body = p.Pos
	s.size = len(p.Bytes(size))
	return s, n
}

// Len returns the number of values.
func (r *Reader) Len() uint64 { return r.n }

// Err returns the first error that decoding met; all values of such a block are 0.
func (r *Reader) Err() error { return r.err }

// Check decodes all blocks and returns the first error.
func (r *Reader) Check() error {
	for i, s := range r.segments {
		if s.values > 0 {
			r.load(i)
		}
	}
	return r.err
}

// At returns value i. It is 0 if i is not below Len, or after an error.
func (r *Reader) At(i uint64) int64 {
	if i >= r.n {
		return 0
	}
	k := r.find(i)
	return r.value(k, i-r.segments[k].first)
}

// value returns the i-th value of segment k.
func (r *Reader) value(k int, i uint64) int64 {
	s := &r.segments[k]
	switch s.kind {
	case segmentConstant:
		return s.base
	case segmentAffine:
		return s.base + s.step*int64(i)
	case segmentPeriodic:
		period := uint64(s.values)
		return r.load(k)[i%period] + s.step*int64(i/period)
	case segmentRamps:
		return s.base + s.step*int64(i%s.period) + s.move*int64(i/s.period)
	}
	return r.load(k)[i]
}

// end returns the index behind the last value of segment k.
func (r *Reader) end(k int) uint64 {
	if k+1 < len(r.segments) {
		return r.segments[k+1].first
	}
	return r.n
}

// find returns the segment with value i.
func (r *Reader) find(i uint64) int {
	if r.segments[r.at].first <= i {
		if i < r.end(r.at) {
			return r.at
		}
		if r.at++; i < r.end(r.at) {
			return r.at
		}
	}
	r.at = sort.Search(len(r.segments), func(k int) bool { return r.segments[k].first > i }) - 1
	return r.at
}

// Read decodes the values from index from on into dst, and returns how many there are.
func (r *Reader) Read(from uint64, dst []int64) int {
	done := 0
	for done < len(dst) && from < r.n {
		k := r.find(from)
		n := int(min(r.end(k)-from, uint64(len(dst)-done)))
		r.readSegment(k, from-r.segments[k].first, dst[done:done+n])
		done += n
		from += uint64(n)
	}
	return done
}

// readSegment fills dst with values of segment k, from its i-th on.
func (r *Reader) readSegment(k int, i uint64, dst []int64) {
	s := &r.segments[k]
	switch s.kind {
	case segmentConstant, segmentAffine:
		v := r.value(k, i)
		for j := range dst {
			dst[j] = v
			v += s.step
		}
	case segmentPeriodic, segmentRamps:
		var p *periodic
		if s.kind == segmentRamps {
			p = newRamps(s.period, s.base, s.step, s.move, i)
		} else {
			p = newPeriodic(r.load(k), s.step, i)
		}
		v := p.next()
		for j := range dst {
			dst[j] = v
			v = p.turn()
		}
	case segmentBlock:
		copy(dst, r.load(k)[i:])
	}
}

// load returns the decoded block or pattern of segment k.
func (r *Reader) load(k int) []int64 {
	if r.cached == k {
		return r.vals
	}
	s := &r.segments[k]
	if cap(r.vals) < s.values {
		r.vals = make([]int64, s.values)
	}
	r.vals, r.cached = r.vals[:s.values], k
	p := open(r.in[:s.body+s.size], s.body)
	sc := scratches.Get().(*scratch)
	sc.decodeBlock(p, r.vals)
	scratches.Put(sc)
	if p.Err == nil && p.Left() > 0 {
		p.Fail("bytes after the last value of a block")
	}
	if p.Err != nil {
		clear(r.vals)
		if r.err == nil {
			r.err = p.Err
		}
	}
	return r.vals
}
