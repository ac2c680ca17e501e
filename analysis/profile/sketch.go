package profile

import "math/bits"

// sketch is the distribution of durations in nanoseconds: bins of which 32 divide each power of
// two, so that a quantile, the middle of a bin, is off by at most 1/64 of it.
type sketch struct {
	bins []uint64
	n    uint64
}

const subBits = 5

func binOf(v uint64) int {
	if v < 1<<subBits {
		return int(v)
	}
	e := bits.Len64(v) - 1 - subBits
	return e<<subBits + int(v>>e)
}

// middle is the number that stands for those of a bin.
func middle(bin int) uint64 {
	if bin < 2<<subBits {
		return uint64(bin)
	}
	e := bin>>subBits - 1
	return uint64(bin-e<<subBits)<<e + 1<<e/2
}

func (s *sketch) add(v, n uint64) {
	b := binOf(v)
	if b >= len(s.bins) {
		s.bins = append(s.bins, make([]uint64, b+1-len(s.bins))...)
	}
	s.bins[b] += n
	s.n += n
}

func (s *sketch) merge(o *sketch) {
	if len(o.bins) > len(s.bins) {
		s.bins = append(s.bins, make([]uint64, len(o.bins)-len(s.bins))...)
	}
	for b, n := range o.bins {
		s.bins[b] += n
	}
	s.n += o.n
}

func (s *sketch) quantile(q float64) uint64 {
	if s.n == 0 {
		return 0
	}
	left := uint64(q * float64(s.n-1))
	for b, n := range s.bins {
		if left < n {
			return middle(b)
		}
		left -= n
	}
	return middle(len(s.bins) - 1)
}
