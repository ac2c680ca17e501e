package timing

import (
	"math/bits"
	"slices"

	"tabard/internal/wire"
)

// A range asymmetric numeral system (J. Duda, "Asymmetric numeral systems",
// arXiv:1311.2540, 2013) codes the classes. Its state is 32 bits wide and is kept at
// or above ransLow by moving 16 bits at a time.
const (
	ransLow  = 1 << 15
	maxScale = 12
	// maxRange is the greatest difference of two classes of a table.
	maxRange = 1 << 10
)

// A table is the frequencies of classes: of k bits of precision, from class lo on.
// Those of all classes add up to 2^scale.
type table struct {
	k, scale uint
	lo       uint
	counts   []uint32 // by class - lo, when encoding
	freqs    []uint16 // by class - lo
}

type encoded struct {
	limit      uint32 // from here on the state gives 16 bits away first
	reciprocal uint32
	bias       uint32
	complement uint16
	shift      uint8
}

// levelOf and weightOf are how frequencies are stored: rounded to two significant bits.
func levelOf(n uint32) uint { l, _ := classOf(uint64(n), 1); return l }
func weightOf(level uint) uint64 {
	_, w := lowBits(level, 1)
	return w
}

// append describes the table of t.counts, and sets its frequencies.
func (t *table) append(w *bitWriter) {
	counts := t.counts
	w.write(uint64(t.k), 4)
	w.golomb(uint64(t.lo))
	w.golomb(uint64(len(counts) - 1))
	t.freqs = slices.Grow(t.freqs[:0], len(counts))[:len(counts)]
	last := uint(0)
	for i := 0; i < len(counts); i++ {
		level := levelOf(counts[i])
		t.freqs[i] = uint16(level)
		w.golomb(wire.Zigzag(int64(level) - int64(last)))
		last = level
		if level != 0 {
			continue
		}
		run := 0
		for i+1 < len(counts) && counts[i+1] == 0 {
			i++
			run++
			t.freqs[i] = 0
		}
		w.golomb(uint64(run))
	}
	t.normalise()
}

// read reads the description of a table.
func (t *table) read(r *bitReader, p *input) {
	t.k = uint(r.Read(4))
	lo, n := r.golomb(p), r.golomb(p)+1
	if t.k > maxPrecision || n > maxRange || lo > 1<<17 {
		p.fail("table out of range")
	}
	if p.err != nil {
		return
	}
	t.lo = uint(lo)
	t.freqs = slices.Grow(t.freqs[:0], int(n))[:n]
	last := int64(0)
	used := false
	for i := 0; i < len(t.freqs); i++ {
		last += wire.Unzigzag(r.golomb(p))
		if last < 0 || last > 1<<6 {
			p.fail("frequency out of range")
		}
		if p.err != nil {
			return
		}
		t.freqs[i] = uint16(last)
		if last != 0 {
			used = true
			continue
		}
		run := r.golomb(p)
		if run >= uint64(len(t.freqs)-i) {
			p.fail("too many classes without numbers")
			return
		}
		for ; run > 0; run-- {
			i++
			t.freqs[i] = 0
		}
	}
	if !used {
		p.fail("table without classes")
		return
	}
	t.normalise()
}

// normalise turns levels into frequencies that add up to a power of two: each
// class has one and a share of the rest in proportion to its weight, rounded down;
// what is left is given to the first of the most frequent ones.
func (t *table) normalise() {
	used, sum := uint64(0), uint64(0)
	for _, l := range t.freqs {
		if l != 0 {
			used++
			sum += weightOf(uint(l))
		}
	}
	t.scale = min(maxScale, uint(bits.Len64(used-1))+5)
	share := uint64(1)<<t.scale - used
	if used == 1 {
		t.scale, share = 0, 0
	}
	left, top := share, 0
	for i, l := range t.freqs {
		if l == 0 {
			continue
		}
		hi, lo := bits.Mul64(weightOf(uint(l)), share)
		q, _ := bits.Div64(hi, lo, sum)
		t.freqs[i] = uint16(1 + q)
		left -= q
		if t.freqs[i] > t.freqs[top] {
			top = i
		}
	}
	t.freqs[top] += uint16(left)
}

// A reciprocal takes the place of a division by a frequency (R. Alverson, "Integer
// division using reciprocals", ARITH 1991): a product with factor is shifted.
type reciprocal struct {
	factor uint32
	shift  uint8
}

var reciprocals = func() (t [1<<maxScale + 1]reciprocal) {
	for f := 2; f < len(t); f++ {
		s := bits.Len(uint(f - 1))
		t[f] = reciprocal{uint32((1<<(s+31) + f - 1) / f), uint8(s + 31)}
	}
	return t
}()

// encode sets what encoding needs of each class from lo on.
func (t *table) encode(enc []encoded) {
	start := uint32(0)
	for i, f16 := range t.freqs {
		f := uint32(f16)
		if f == 0 {
			continue
		}
		e := encoded{limit: f << (31 - t.scale), complement: uint16(1<<t.scale - f), reciprocal: ^uint32(0), shift: 32, bias: start}
		if f < 2 {
			e.bias += 1<<t.scale - 1
		} else {
			r := &reciprocals[f&(2<<maxScale-1)]
			e.reciprocal, e.shift = r.factor, r.shift
		}
		enc[i] = e
		start += f
	}
}
