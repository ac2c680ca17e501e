package rankfunc

import (
	"github.com/tabard-hpc/tabard/internal/codec/column"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// Kinds of runs in an encoded set.
const (
	kindInterval = iota
	kindPoints
	kindCopies
	kindBody
)

const (
	maxDepth = 40 // of runs in runs; each level at least doubles the members
	// A set of more runs is tried as two columns.
	manyRuns = 32
	// An encoding as columns has at most this many intervals per byte, so that a few bytes cannot
	// fill the memory.
	intervalsPerByte = 64
)

// Append appends the encoding of s to dst.
func (s *Set) Append(dst []byte) []byte {
	s = s.canonical()
	s.enc.once.Do(func() { s.enc.b = s.encode() })
	return append(dst, s.enc.b...)
}

func (s *Set) encode() []byte {
	b := appendRuns(appendUvarint(nil, 2*len(s.list.of)), s.list.of, true)
	if len(s.list.of) > manyRuns {
		if c, ok := s.appendColumns(nil); ok && len(c) < len(b) {
			return c
		}
	}
	return b
}

func appendRuns(dst []byte, of []run, outer bool) []byte {
	end := 0
	for i := range of {
		r := &of[i]
		if outer || i > 0 {
			dst = appendUvarint(dst, r.lo-end)
		}
		end = r.end()
		switch {
		case r.isInterval():
			dst = appendUvarint(dst, r.count<<2|kindInterval)
		case r.body == nil:
			dst = appendUvarint(dst, r.count<<2|kindPoints)
			dst = appendUvarint(dst, r.stride-2)
		case len(r.body.of) == 1:
			dst = appendUvarint(dst, r.count<<2|kindCopies)
			dst = appendRuns(dst, r.body.of, false)
			dst = appendUvarint(dst, r.stride-r.span()-1)
		default:
			dst = appendUvarint(dst, r.count<<2|kindBody)
			dst = appendUvarint(dst, len(r.body.of)-2)
			dst = appendRuns(dst, r.body.of, false)
			dst = appendUvarint(dst, r.stride-r.span()-1)
		}
	}
	return dst
}

// appendColumns encodes the intervals as columns, unless that takes suspiciously little space.
func (s *Set) appendColumns(dst []byte) ([]byte, bool) {
	gaps, lengths := column.NewBuilder(), column.NewBuilder()
	n, end := 0, 0
	for lo, hi := range s.Intervals() {
		gaps.Append(int64(lo - end))
		lengths.Append(int64(hi - lo - 1))
		end = hi
		n++
	}
	dst = appendUvarint(dst, 2*n+1)
	g, l := encodeColumn(gaps), encodeColumn(lengths)
	dst = byteio.AppendSized(byteio.AppendSized(dst, g), l)
	return dst, n <= intervalsPerByte*(len(g)+len(l))
}

// ParseSet parses a set whose members are less than limit at the beginning of b, and
// returns what follows it. Memory is bounded by a multiple of the length of b.
func ParseSet(b []byte, limit int) (*Set, []byte, error) {
	p := open(b)
	s := p.set(min(limit, MaxRank+1))
	if p.Err != nil {
		return nil, nil, p.Err
	}
	return s, b[p.Pos:], nil
}

func (p *input) set(limit int) *Set {
	head := p.Uvarint()
	var of []run
	if head&1 == 0 {
		of = p.runs(head>>1, limit, true, 0)
	} else {
		of = p.columns(head>>1, limit)
	}
	if p.Err != nil {
		return nil
	}
	return &Set{list: newRuns(of), loose: true}
}

// runs reads n runs, all of whose members are less than limit.
func (p *input) runs(n uint64, limit int, outer bool, depth int) []run {
	if depth > maxDepth || n > uint64(p.Left()) {
		p.Fail("too many runs")
		return nil
	}
	of := make([]run, 0, n)
	end := 0
	for i := range int(n) {
		r := run{lo: end}
		if outer || i > 0 {
			r.lo += p.upTo(limit-1-end, "rank")
		}
		p.run(&r, limit, depth)
		if p.Err != nil {
			return nil
		}
		end = r.end()
		of = append(of, r)
	}
	return of
}

// run reads the rest of a run whose first member is known.
func (p *input) run(r *run, limit, depth int) {
	at := p.Uvarint()
	room := limit - r.lo // for members
	if at>>2 == 0 || at>>2 > uint64(max(room, 0)) {
		p.Fail("ranks out of range")
		return
	}
	r.count = int(at >> 2)
	r.stride = 1
	switch at & 3 {
	case kindInterval:
		return
	case kindPoints:
		r.stride = p.upTo(room, "distance") + 2
	default:
		n := uint64(1)
		if at&3 == kindBody {
			n = uint64(p.upTo(maxBody-2, "length of a body")) + 2
		}
		of := p.runs(n, room, false, depth+1)
		if p.Err != nil {
			return
		}
		r.body = &body{runs: newRuns(of), hash: hashRuns(of)}
		r.stride = p.upTo(room, "distance") + 1 + r.span()
	}
	if r.count < 2 || r.count-1 > (room-r.span())/r.stride {
		p.Fail("copies out of range")
	}
}

// columns reads n intervals from two columns.
func (p *input) columns(n uint64, limit int) []run {
	gaps, _ := p.column()
	lengths, _ := p.column()
	if p.Err != nil {
		return nil
	}
	if n > uint64(intervalsPerByte)*uint64(p.Pos) || gaps.Len() != n || lengths.Len() != n {
		p.Fail("wrong number of intervals")
		return nil
	}
	of := make([]run, 0, n)
	end := 0
	for i := range n {
		gap, size := gaps.At(i), lengths.At(i)
		if gap < 0 || gap >= int64(limit-end) || size < 0 || size >= int64(limit-end)-gap {
			p.Fail("ranks out of range")
			return nil
		}
		lo := end + int(gap)
		of = append(of, run{lo: lo, stride: 1, count: int(size) + 1})
		end = lo + int(size) + 1
	}
	return of
}

// column reads a column, all of which it checks, and returns its bytes, too.
func (p *input) column() (r *column.Reader, in []byte) {
	at := p.Pos
	in = p.Sized()
	if p.Err != nil {
		return nil, nil
	}
	r, err := column.Open(in)
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		p.Stop(&Error{What: what, Offset: int64(at), Reason: err.Error()})
		return nil, nil
	}
	return r, in
}
