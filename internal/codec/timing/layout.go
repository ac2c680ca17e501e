package timing

import (
	"encoding/binary"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

// A shape is a table before anything is counted.
type shape struct {
	limit uint8  // the last bucket that it is for, in its set
	k     uint8  // precision
	lo, n uint32 // classes to expect
}

// A layout is the tables of a series.
type layout struct {
	ofSet  []uint32 // the first table of each set, then the number of tables
	tables []shape
}

// Layouts are the tables of a block. The next block of the same stream mostly does as well with
// tables of the same shapes, which takes half the time that planning does.
type layouts struct {
	keys            []uint64 // of each set from 1 on, the context
	gaps, durations layout
	size            int // of the block that was planned, in bytes
	age             int // blocks since then, the planned one included; 0 if there are no layouts
}

// longestUse is the greatest number of blocks that have the same layouts.
const longestUse = 32

// usable reports whether one more block may have these layouts.
func (l *layouts) usable() bool { return l != nil && l.age > 0 && l.age < longestUse }

// used notes how large a block was. A block that is much larger than the planned one is the last
// with these layouts.
func (l *layouts) used(size int, planned bool) {
	if planned {
		l.size, l.age = size, 0
	}
	if l.age++; size > l.size+l.size/32 {
		l.age = longestUse
	}
}

// match returns, for each set of a block's contexts, the set of l with the same context. It fails
// if one is not there.
func (l *layouts) match(dst []uint32, x *contexts) ([]uint32, bool) {
	dst = append(dst[:0], 0)
	next := 0
	for c, at := range x.setAt {
		if at == 0 {
			continue
		}
		// Mostly they come in the same order.
		if next == len(l.keys) || l.keys[next] != x.keys[c] {
			if next = slices.Index(l.keys, x.keys[c]); next < 0 {
				return dst, false
			}
		}
		next++
		dst = append(dst, uint32(next))
	}
	return dst, true
}

// note sets the contexts of sets.
func (l *layouts) note(x *contexts) {
	l.keys = l.keys[:0]
	for c, at := range x.setAt {
		if at != 0 {
			l.keys = append(l.keys, x.keys[c])
		}
	}
}

func (l *layouts) memory() int {
	return 8*cap(l.keys) + 4*(cap(l.gaps.ofSet)+cap(l.durations.ofSet)) +
		12*(cap(l.gaps.tables)+cap(l.durations.tables))
}

// append writes l for a builder's state.
func (l *layouts) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(l.age))
	if !l.usable() {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(l.size))
	dst = binary.AppendUvarint(dst, uint64(len(l.keys)))
	last := uint64(0)
	for _, k := range l.keys {
		dst = byteio.AppendVarint(dst, int64(k-last))
		last = k
	}
	for _, s := range []*layout{&l.gaps, &l.durations} {
		for i := range len(s.ofSet) - 1 {
			tables := s.tables[s.ofSet[i]:s.ofSet[i+1]]
			dst = binary.AppendUvarint(dst, uint64(len(tables)))
			for _, t := range tables {
				dst = append(dst, t.limit, t.k)
				dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(t.lo)), uint64(t.n))
			}
		}
	}
	return dst
}

// read reads what append wrote.
func (l *layouts) read(p *byteio.Reader) {
	l.age = int(min(p.Uvarint(), longestUse))
	if !l.usable() {
		return
	}
	l.size = int(min(p.Uvarint(), 1<<40))
	last, n := uint64(0), p.Count()
	if n > blockCalls/minOwn {
		p.Fail("too many sets of tables")
		return
	}
	for range n {
		last += uint64(p.Varint())
		l.keys = append(l.keys, last)
	}
	for _, s := range []*layout{&l.gaps, &l.durations} {
		for range len(l.keys) + 1 {
			s.ofSet = append(s.ofSet, uint32(len(s.tables)))
			s.readTables(p)
			if p.Err != nil {
				return
			}
		}
		s.ofSet = append(s.ofSet, uint32(len(s.tables)))
	}
}

// readTables reads the tables of a set.
func (l *layout) readTables(p *byteio.Reader) {
	n, last := p.Count(), -1
	for range n {
		limit, k, lo, n := p.Byte(), p.Byte(), p.Uvarint(), p.Uvarint()
		if int(limit) <= last || limit >= buckets || k > maxPrecision || lo > 1<<17 || n == 0 || n > maxRange {
			p.Fail("broken table")
			return
		}
		if low, _ := sizeclass.Low(uint(lo+n-1), uint(k)); low+uint(k) >= buckets-1 {
			p.Fail("table out of range")
			return
		}
		last = int(limit)
		l.tables = append(l.tables, shape{limit, k, uint32(lo), uint32(n)})
	}
}
