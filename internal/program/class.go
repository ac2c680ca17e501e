package program

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Class is a class of streams whose columns are looked at as a whole, rank by rank.
type Class struct {
	*archive.Class
	// Index is the number of the class in the archive.
	Index int

	streams map[int]*archive.Stream // recently used ones, by rank
	values  map[Column][]int64      // recently read ones
	size    int                     // of them together
}

// Column is a column of a terminal at a rank.
type Column struct {
	Terminal          uint32
	Slot, Field, Rank int
}

// Bounds of columns: how many values one may have, and how many are kept.
const (
	maxColumn = 1 << 24
	maxRecent = 1 << 22
)

// Stream is the stream of a rank; it keeps what it has read.
func (c *Class) Stream(rank int) *archive.Stream {
	if s := c.streams[rank]; s != nil {
		return s
	}
	if len(c.streams) >= 512 || c.streams == nil {
		c.streams = map[int]*archive.Stream{}
	}
	s := c.Class.Stream(rank)
	c.streams[rank] = s
	return s
}

// Values are those of a column, nil if there is none.
func (c *Class) Values(k Column) ([]int64, error) {
	if vals, ok := c.values[k]; ok {
		return vals, nil
	}
	col, err := c.Stream(k.Rank).Column(k.Terminal, k.Slot, k.Field)
	if err != nil || col == nil {
		return nil, err
	}
	n := col.Len()
	if n > maxColumn {
		return nil, fmt.Errorf("a parameter has %d different values at rank %d: that is too much for a source file", n,
			k.Rank)
	}
	vals := make([]int64, n)
	col.Read(0, vals)
	if c.size += len(vals); c.size > maxRecent || c.values == nil {
		c.values, c.size = map[Column][]int64{}, len(vals)
	}
	c.values[k] = vals
	return vals, nil
}

// IsObject tells whether a code is that of an object of the program.
func IsObject(code int64) bool { return code > 0 && code%2 == 0 }

// IsAddress tells whether a plain number can only be an address.
func IsAddress(n int64) bool { return n >= leastAddress || n <= -leastAddress }
