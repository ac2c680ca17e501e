package calls

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// column reads a column forwards. After the end and after an error it gives 0, and err is set.
type column struct {
	buf    []int64
	i      int
	col    *archive.Column
	at     uint64
	stream *archive.Stream
	f      *spec.Func
	err    error
}

// maxBuffer is how many values of a column are read ahead, at most.
const maxBuffer = 256

func openColumn(s *archive.Stream, t uint32, slot, field int) (*column, error) {
	sig, err := s.Signature(t)
	if err != nil {
		return nil, err
	}
	c := &column{stream: s, f: spec.ByID(sig.Func)}
	if c.col, err = s.Column(t, slot, field); err != nil {
		return nil, err
	}
	if c.col == nil {
		return nil, broken(s, c.f, "terminal %d has no column for a value that is not in its signature", t)
	}
	return c, nil
}

// next is the next value.
func (c *column) next() int64 {
	if c.i < len(c.buf) {
		v := c.buf[c.i]
		c.i++
		return v
	}
	return c.refill()
}

func (c *column) refill() int64 {
	c.i = 0
	n := min(2*cap(c.buf), maxBuffer)
	if n < 8 {
		n = 8
	}
	if left := c.col.Len() - c.at; left < uint64(n) {
		n = int(left)
	}
	if cap(c.buf) < n {
		c.buf = make([]int64, n)
	}
	c.buf = c.buf[:n]
	c.buf = c.buf[:c.col.Read(c.at, c.buf)]
	c.at += uint64(len(c.buf))
	if err := c.col.Err(); err != nil {
		c.err, c.buf = broken(c.stream, c.f, "%v", err), c.buf[:0]
	} else if len(c.buf) == 0 && c.err == nil {
		c.err = broken(c.stream, c.f, "a column has %d values and one more is needed", c.col.Len())
	}
	if c.err != nil || len(c.buf) == 0 {
		return 0
	}
	c.i = 1
	return c.buf[0]
}

// maxElements is how many elements an array in columns may have.
const maxElements = 1 << 26

// appendNext appends the next n values.
func (c *column) appendNext(dst []int64, n int64) []int64 {
	if n < 0 || n > maxElements || uint64(n) > c.col.Len() {
		c.err = broken(c.stream, c.f, "an array of %d elements", n)
		return dst
	}
	for range n {
		dst = append(dst, c.next())
	}
	return dst
}
