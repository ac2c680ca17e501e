package timing

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// maxValue is above all values that have bins.
const maxValue = 1 << 62

// Bins cut the numbers below 2^62 into ranges. The middle of a range stands for all of its numbers.
// The ranges begin at integers that are the same on every machine:
//
//	v(0) = 0,  v(i+1) = v(i) + w(v(i)),  middle v(i) + (w(v(i)) - 1) div 2
//
// For an error of a part e of a value, given as a fraction of 32 bits, that is at most c, the
// coarse ranges are as wide as they can be:
//
//	w(v) = 2 * min(c, floor(v * e / 2^32)) + 1
//
// The fine ones are such that the middle of a value's own range is within the bound, and so is that
// of one of the next ranges on either side. With e' the fraction e / (1 + 2e):
//
//	w(v) = min(c, max(1, floor(v * e' / 2^32)))
//
// If there is no relative bound, w(v) is c or 2c+1 but for range 0, which stands for 0 and is
// (c+1) div 2 or c+1 wide: rounding must be able to go either way. Bins are immutable.
type bins struct {
	e, widest uint64
	fine      bool
	starts    []uint64 // of the ranges up to the first of the greatest width, or maxValue
	middles   []uint64 // what they stand for
	linear    uint64   // where that begins
	inverse   uint64   // of the greatest width, as a fraction of 64 bits
	places    []place  // by placeOf
	placed    uint64   // numbers below this have places, and no others
	crowded   bool     // a place has more than two ranges
}

// A place is numbers of like size: the range of the least of them, and where the next one begins.
type place struct {
	next  uint64
	index uint32
}

// placeBits is the precision of places: bounds of 1 % and more have at most two ranges in each.
const placeBits = 7

// placeOf is the place of a number below 2^53-1, and above all places of such numbers for others.
// It is the first bits of v+1, which the machine finds fastest in floating point.
func placeOf(v uint64) uint64 {
	return math.Float64bits(float64(int64(v+1)))>>(52-placeBits) - 1023<<placeBits
}

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

// newBins returns the bins of a bound: ppm as in Bound.PPM, cap an absolute bound in ticks; 0 is
// none. One of them is not 0.
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
		v = (b.widest + 1) / 2
		b.starts, b.middles = append(b.starts, 0), append(b.middles, 0)
	}
	for b.e != noPart && v < maxValue {
		w := b.width(v)
		if w >= b.widest {
			break
		}
		b.starts, b.middles = append(b.starts, v), append(b.middles, v+(w-1)/2)
		v += w
	}
	b.starts, b.middles = append(b.starts, v), append(b.middles, v+(b.widest-1)/2)
	b.middles[0] = 0
	b.linear = v
	b.inverse, _ = bits.Div64(1, 0, max(2, b.widest))
	if b.widest == 1 {
		b.inverse = ^uint64(0)
	}
	b.index()
}

// index makes places.
func (b *bins) index() {
	limit := min(b.linear, 1<<53-1)
	i := uint32(0)
	for k := uint(0); ; k++ {
		least, next := leastOf(k), leastOf(k+1)
		if next > limit || least >= limit {
			return
		}
		for b.starts[i+1] <= least {
			i++
		}
		b.crowded = b.crowded || int(i)+2 < len(b.starts) && b.starts[i+2] < next
		b.places = append(b.places, place{b.starts[i+1], i})
		b.placed = next
	}
}

// leastOf is the least number of a place.
func leastOf(k uint) uint64 {
	return (uint64(1<<placeBits|k&(1<<placeBits-1))<<(k>>placeBits)+1<<placeBits-1)>>placeBits - 1
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
	if v >= b.linear {
		v -= b.linear
		n, _ := bits.Mul64(v, b.inverse) // exact or one less
		if v-n*b.widest >= b.widest {
			n++
		}
		last := len(b.starts) - 1
		return uint64(last) + n, b.middles[last] + n*b.widest
	}
	if v >= b.placed {
		n, _ := slices.BinarySearch(b.starts, v+1)
		return uint64(n - 1), b.middles[n-1]
	}
	p := &b.places[placeOf(v)]
	k := uint64(p.index)
	// Not a branch, since the processor could not predict it.
	if p.next <= v {
		k++
	}
	if b.crowded {
		for b.starts[k+1] <= v {
			k++
		}
	}
	return k, b.middles[k]
}

// findAll is find for many numbers.
func (b *bins) findAll(vals, index, values []uint64) {
	index, values = index[:len(vals)], values[:len(vals)]
	places, middles := b.places, b.middles
	if b.crowded {
		places = nil
	}
	last := uint64(len(middles) - 1)
	linear, inverse, widest, far := b.linear, b.inverse, b.widest, middles[last]
	for i, v := range vals {
		if at := placeOf(v); at < uint64(len(places)) {
			p := &places[at]
			k := uint64(p.index)
			// Not a branch, since the processor could not predict it.
			if p.next <= v {
				k++
			}
			index[i], values[i] = k, middles[k]
			continue
		}
		if v < linear {
			index[i], values[i] = b.find(v)
			continue
		}
		n, _ := bits.Mul64(v-linear, inverse) // exact or one less
		if v-linear-n*widest >= widest {
			n++
		}
		index[i], values[i] = last+n, far+n*widest
	}
}

// at returns the first number and the width of bin i. Beyond 2^62 it is wrong, but harmless.
func (b *bins) at(i uint64) (start, width uint64) {
	last := uint64(len(b.starts) - 1)
	if i >= last {
		return b.linear + (i-last)*b.widest, b.widest
	}
	return b.starts[i], b.starts[i+1] - b.starts[i]
}

// middle is what bin i stands for.
func (b *bins) middle(i uint64) uint64 {
	last := uint64(len(b.middles) - 1)
	if i < last {
		return b.middles[i]
	}
	return b.middles[last] + (i-last)*b.widest
}

// limits is a bound and how it is kept: numbers below a threshold have coarse bins, others fine
// ones.
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

// choose returns the bin that v is stored as, and what that bin stands for. v is no less than the
// threshold. The bin is its own, or one of the next ones if that is within the bound and makes the
// sum of drift and the error smaller.
func (s *split) choose(v uint64, drift int64) (i, value uint64) {
	f := s.fine
	at := placeOf(v)
	if at >= uint64(len(f.places)) || f.crowded {
		return s.chooseFar(v, drift)
	}
	p := &f.places[at]
	// The processor could predict none of this, so there are no branches.
	k := uint64(p.index)
	if p.next <= v {
		k++
	}
	value = f.middles[k]
	err := int64(value - v)
	next := s.beside(k, drift+err)
	m := f.middles[next]
	other := int64(m - v)
	far := (s.allowed(v) - magnitude(other)) >> 63
	better := (magnitude(drift+other) - magnitude(drift+err)) >> 63 &^ far // 1 if it is
	return s.coarses + k - s.fines + (next-k)*better, value + (m-value)*better
}

// chooseFar is choose for numbers that have no place.
func (s *split) chooseFar(v uint64, drift int64) (i, value uint64) {
	k, value := s.fine.find(v)
	next := s.beside(k, drift+int64(value-v))
	m := s.fine.middle(next)
	if magnitude(int64(m-v)) <= s.allowed(v) && m < maxValue &&
		magnitude(drift+int64(m-v)) < magnitude(drift+int64(value-v)) {
		k, value = next, m
	}
	return s.coarses + k - s.fines, value
}

// beside is the fine bin before bin k if times are late, otherwise the one after it.
func (s *split) beside(k uint64, late int64) uint64 {
	return uint64(max(int64(k)+1+2*(-late>>63), int64(s.fines)))
}

// middle is what bin i stands for.
func (s *split) middle(i uint64) uint64 {
	if i < s.coarses || s.least == coarseOnly {
		return s.coarse.middle(i)
	}
	return s.fine.middle(i - s.coarses + s.fines)
}

// magnitude has no branch, since the processor could not predict the signs of errors.
func magnitude(v int64) uint64 {
	return uint64(v^v>>63) - uint64(v>>63)
}
