package timing

import (
	"math/bits"
	"sync"
)

// maxValue is above all values that have bins.
const maxValue = 1 << 62

// Bins cut the numbers below 2^62 into ranges, each of which is stood for by its
// middle. The ranges begin at integers that are the same on every machine:
//
//	v(0) = 0,  v(i+1) = v(i) + w(v(i)),  middle v(i) + (w(v(i)) - 1) div 2
//
// For an error of a part e of a value, given as a fraction of 32 bits, that is at most c, the coarse ranges are as wide as they can be:
//
//	w(v) = 2 * min(c, floor(v * e / 2^32)) + 1
//
// and the fine ones such that not only the middle of a value's own range is within the bound, but one of
// the next ones on either side, too, e' being the fraction e / (1 + 2e):
//
//	w(v) = min(c, max(1, floor(v * e' / 2^32)))
//
// If there is no relative bound, w(v) is c or 2c+1 but for range 0, which stands for 0 and is
// (c+1) div 2 or c+1 wide: rounding must be able to go either way. Bins are immutable.
type bins struct {
	e, widest uint64
	fine      bool
	starts    []uint64 // up to the first of a range of the greatest width, or maxValue
	first     []uint32 // by class of precision binPrecision: the range of the class's least number
}

const binPrecision = 7

type binsKey struct {
	e, cap uint64
	fine   bool
}

var allBins sync.Map // binsKey to *bins

// noPart marks that there is no relative bound.
const noPart = 1 << 32

// part is a relative bound as a fraction of 32 bits: of errors, and of the width of fine bins.
func part(ppm uint32, fine bool) uint64 {
	p := uint64(ppm)
	switch {
	case ppm == 0:
		return noPart
	case fine:
		return p << 32 / (1_000_000 + 2*p)
	}
	return min(p<<32/1_000_000, noPart-1)
}

// newBins returns the bins of a bound: ppm as in Bound.PPM, cap an absolute bound in ticks; 0 is none.
// One of them is not 0.
func newBins(ppm uint32, cap uint64, fine bool) *bins {
	if cap == 0 || cap > maxValue {
		cap = maxValue
	}
	key := binsKey{part(ppm, fine), cap, fine}
	if b, ok := allBins.Load(key); ok {
		return b.(*bins)
	}
	b := &bins{e: key.e, widest: cap, fine: fine}
	if !fine {
		b.widest = 2*cap + 1
	}
	b.build()
	got, _ := allBins.LoadOrStore(key, b)
	return got.(*bins)
}

// build makes the tables.
func (b *bins) build() {
	v := uint64(0)
	if b.e == noPart {
		b.starts = append(b.starts, 0)
		v = (b.widest + 1) / 2
	}
	for b.e != noPart && v < maxValue {
		w := b.width(v)
		if w >= b.widest {
			break
		}
		b.starts = append(b.starts, v)
		v += w
	}
	b.starts = append(b.starts, v)
	i := uint32(0)
	for class := uint(0); ; class++ {
		low, base := lowBits(class, binPrecision)
		if low > 62 || base >= v {
			break
		}
		for int(i)+1 < len(b.starts) && b.starts[i+1] <= base {
			i++
		}
		b.first = append(b.first, i)
	}
}

func (b *bins) width(v uint64) uint64 {
	hi, lo := bits.Mul64(v, b.e)
	w := hi<<32 | lo>>32
	if !b.fine {
		return min(b.widest, 2*w+1)
	}
	return min(b.widest, max(1, w))
}

// find returns the bin of v, and what it stands for.
func (b *bins) find(v uint64) (i, middle uint64) {
	last := uint64(len(b.starts) - 1)
	if from := b.starts[last]; v >= from {
		n := (v - from) / b.widest
		return last + n, from + n*b.widest + (b.widest-1)/2
	}
	class, _ := classOf(v, binPrecision)
	k := b.first[class]
	for b.starts[k+1] <= v {
		k++
	}
	if k == 0 {
		return 0, 0
	}
	return uint64(k), b.starts[k] + (b.starts[k+1]-b.starts[k]-1)/2
}

// at returns the first number and the width of bin i. Beyond 2^62 it is wrong, but harmless.
func (b *bins) at(i uint64) (start, width uint64) {
	last := uint64(len(b.starts) - 1)
	if i >= last {
		return b.starts[last] + (i-last)*b.widest, b.widest
	}
	return b.starts[i], b.starts[i+1] - b.starts[i]
}

// middle is what bin i stands for.
func (b *bins) middle(i uint64) uint64 {
	if i == 0 {
		return 0
	}
	start, width := b.at(i)
	return start + (width-1)/2
}

// limits is a bound and how it is kept: numbers below a threshold have coarse bins, others fine ones.
type limits struct {
	bound        Bound
	cap          uint64 // Bound.NS in ticks, 0 none
	part         uint64 // the relative error, of 32 bits
	coarse, fine *bins
}

func newLimits(b Bound, r Rate) limits {
	l := limits{bound: b, cap: r.ticks(b.NS), part: part(b.PPM, false)}
	l.coarse, l.fine = newBins(b.PPM, l.cap, false), newBins(b.PPM, l.cap, true)
	if l.cap == 0 {
		l.cap = maxValue
	}
	return l
}

// allowed is the greatest error of v.
func (l *limits) allowed(v uint64) uint64 {
	if l.part == noPart {
		return l.cap
	}
	hi, lo := bits.Mul64(v, l.part)
	return min(l.cap, hi<<32|lo>>32)
}

// A split is limits with a threshold: coarse bins up to number coarse, which begins at least, and
// then the fine ones from number fine on.
type split struct {
	*limits
	least, coarses, fines uint64
}

// coarseOnly is a threshold above all numbers.
const coarseOnly = 1 << 63

// at splits at the coarse bin that threshold is in.
func (l *limits) at(threshold uint64) split {
	s := split{limits: l, least: coarseOnly}
	if threshold < maxValue {
		s.coarses, _ = l.coarse.find(threshold)
		s.least, _ = l.coarse.at(s.coarses)
		s.fines, _ = l.fine.find(s.least)
	}
	return s
}

// choose returns the bin that v is stored as and what it stands for. Among fine ones it
// is its own or the next one, if that is within the bound and makes the sum of drift and of the error smaller.
func (s *split) choose(v uint64, drift int64) (i, value uint64) {
	if v < s.least {
		return s.coarse.find(v)
	}
	i, value = s.fine.find(v)
	err := int64(value - v)
	switch {
	case drift+err > 0 && i > s.fines:
		if m := s.fine.middle(i - 1); v-m <= s.allowed(v) && magnitude(drift+int64(m-v)) < magnitude(drift+err) {
			i, value = i-1, m
		}
	case drift+err < 0:
		if m := s.fine.middle(i + 1); m < maxValue && m-v <= s.allowed(v) && magnitude(drift+int64(m-v)) < magnitude(drift+err) {
			i, value = i+1, m
		}
	}
	return s.coarses + i - s.fines, value
}

// middle is what bin i stands for.
func (s *split) middle(i uint64) uint64 {
	if i < s.coarses || s.least == coarseOnly {
		return s.coarse.middle(i)
	}
	return s.fine.middle(i - s.coarses + s.fines)
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
