// Package quantile sums up durations, without keeping them, so that it can tell their quantiles.
// All commands that print a median or another quantile of calls take it from a Sketch. So they
// agree.
//
// A Sketch counts numbers in bins. Each power of two is divided into 32 bins, and each number below
// 64 has a bin of its own. A quantile is the middle of the bin that holds the number of that rank,
// but no less than the least number and no more than the greatest. It is off by at most Error of
// its value. Sketches of parts can be merged, in any order, into that of the whole. The idea is
// that of DDSketch (Masson, Rim, Lee, PVLDB 12, 2019), with bins that cost no logarithm.
package quantile

import (
	"iter"
	"math/bits"
)

// Error is the greatest error of a quantile, as a part of it.
const Error = 1.0 / 64

// subBits is the binary logarithm of the bins of a power of two.
const subBits = 5

// A Sketch is the distribution of numbers, which may be of any unit. The zero value is that of
// none.
type Sketch struct {
	counts      Counts
	n           uint64
	least, most uint64
}

// Add counts a number.
func (s *Sketch) Add(v uint64) {
	if !s.AddNear(v) {
		s.AddAll(v, 1)
	}
}

// AddNear counts a number if it lies among those that were counted before, as most do. It is for loops, which the
// compiler puts it into.
func (s *Sketch) AddNear(v uint64) (counted bool) {
	i := bin(v) - s.counts.first
	if uint(i) >= uint(len(s.counts.n)) || v < s.least || v > s.most {
		return false
	}
	s.n++
	s.counts.n[i]++
	return true
}

// AddSpans counts by how much numbers exceed others, those that do not as 0: of each step-th from the first one on, as
// many as both slices have.
func AddSpans[T ~int64](s *Sketch, from, to []T, step int) {
	for i := 0; i < len(from); i += step {
		// As long as numbers lie among those before, nothing but counts changes.
		n, first, least, most, begun := s.counts.n, s.counts.first, s.least, s.most, i
		v := uint64(0)
		for ; i < len(from); i += step {
			v = uint64(max(to[i]-from[i], 0))
			at := bin(v) - first
			if uint(at) >= uint(len(n)) || v < least || v > most {
				break
			}
			n[at]++
		}
		s.n += uint64((i - begun + step - 1) / step)
		if i < len(from) {
			s.Add(v)
		}
	}
}

// AddAll counts a number n times.
func (s *Sketch) AddAll(v, n uint64) {
	s.Widen(v, v)
	s.n += n
	s.counts.Add(bin(v), n)
}

// Widen says that there are numbers as small as least and as great as most. It is for counts in
// which a number stands for others.
func (s *Sketch) Widen(least, most uint64) {
	if s.n == 0 && s.most == 0 {
		s.least, s.most = least, most
	}
	s.least, s.most = min(s.least, least), max(s.most, most)
}

// Merge adds the numbers of another sketch.
func (s *Sketch) Merge(o *Sketch) {
	if o.n == 0 {
		return
	}
	s.Widen(o.least, o.most)
	s.n += o.n
	s.counts.Merge(&o.counts)
}

// Count is how many numbers there are.
func (s *Sketch) Count() uint64 { return s.n }

// Quantile is the number that a part q, 0 to 1, of all do not exceed, within Error of it. It is the
// one of rank floor(q*(Count-1)), where ranks count from 0 in ascending order. It is 0 if there are
// no numbers.
func (s *Sketch) Quantile(q float64) uint64 {
	if s.n == 0 {
		return 0
	}
	return s.value(s.counts.At(uint64(min(max(q, 0), 1) * float64(s.n-1))))
}

// value is what stands for the numbers of a bin: its middle, if that is not beyond all numbers.
func (s *Sketch) value(bin int) uint64 {
	from, to := span(bin)
	return min(max(from+(to-from)/2, s.least), s.most)
}

// Above is by how much the numbers above v exceed it, in all.
func (s *Sketch) Above(v uint64) uint64 {
	sum := uint64(0)
	for b, n := range s.counts.All() {
		if x := s.value(b); x > v {
			sum += n * (x - v)
		}
	}
	return sum
}

// A Bin is the numbers from From up to, but not including, To.
type Bin struct{ From, To, Count uint64 }

// Bins lists the bins that are not empty, with the given number of bins for a power of two: 32 at
// most, and a power of two itself.
func (s *Sketch) Bins(each int) (list []Bin) {
	for b, n := range s.counts.All() {
		from, to := span(b)
		if from >= uint64(2*each) {
			wide := uint64(1) << (bits.Len64(from) - bits.Len(uint(each)))
			from = from &^ (wide - 1)
			to = from + wide
		}
		if k := len(list) - 1; k >= 0 && list[k].From == from {
			list[k].Count += n
		} else {
			list = append(list, Bin{from, to, n})
		}
	}
	return list
}

// bin is the number of the bin of v.
func bin(v uint64) int {
	if v < 1<<subBits {
		return int(v)
	}
	e := bits.Len64(v) - 1 - subBits
	return e<<subBits + int(v>>e)
}

// span is the numbers of a bin: from up to, but not including, to, which is modulo 2^64.
func span(bin int) (from, to uint64) {
	if bin < 2<<subBits {
		return uint64(bin), uint64(bin) + 1
	}
	e := bin>>subBits - 1
	from = uint64(bin-e<<subBits) << e
	return from, from + 1<<e
}

// Counts says how many numbers are in each of some bins. It suits bins in use that lie close
// together. The caller knows what a bin stands for.
type Counts struct {
	n     []uint64 // by bin - first
	first int
}

// Add counts n numbers in a bin.
func (c *Counts) Add(bin int, n uint64) {
	i := uint(bin - c.first)
	if i >= uint(len(c.n)) {
		i = c.grow(bin)
	}
	c.n[i] += n
}

// grow makes room for a bin and returns its index. Growing downwards takes more than is needed,
// since it copies.
func (c *Counts) grow(bin int) uint {
	if len(c.n) == 0 {
		c.first = bin
	}
	if bin < c.first {
		more := min(c.first, max(c.first-bin, len(c.n)/2))
		c.n = append(make([]uint64, more, more+len(c.n)), c.n...)
		c.first -= more
	}
	for len(c.n) <= bin-c.first {
		c.n = append(c.n, 0)
	}
	return uint(bin - c.first)
}

// Merge adds what another one has.
func (c *Counts) Merge(o *Counts) {
	for b, n := range o.All() {
		c.Add(b, n)
	}
}

// All are the bins that are not empty, in ascending order, and how many numbers each has.
func (c *Counts) All() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		for i, n := range c.n {
			if n != 0 && !yield(c.first+i, n) {
				return
			}
		}
	}
}

// At is the bin of the number of a rank, which begins at 0; the last bin if there are no more.
func (c *Counts) At(rank uint64) (bin int) {
	for b, n := range c.All() {
		if bin = b; rank < n {
			break
		}
		rank -= n
	}
	return bin
}

// Room is how many bins there is memory for.
func (c *Counts) Room() int { return cap(c.n) }
