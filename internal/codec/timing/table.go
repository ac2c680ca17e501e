package timing

import (
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/entropy/rans"
	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

// maxPrecision is the greatest precision of a table: see package sizeclass.
const maxPrecision = 11

const (
	maxScale = rans.MaxScale
	// maxRange is the greatest difference of two classes of a table.
	maxRange = 1 << 10
	// maxLevel is the greatest level of a frequency: see levelOf.
	maxLevel = 1 << 6
)

// A table is the frequencies of classes: of k bits of precision, from class lo on.
// Those of all classes add up to 2^scale.
type table struct {
	k, scale uint
	lo       uint
	counts   []uint32 // by class - lo, when encoding
	freqs    []uint16 // by class - lo
}

// levelOf and weightOf are how frequencies are stored: rounded to two significant bits.
func levelOf(n uint32) uint { l, _ := sizeclass.Of(uint64(n), 1); return l }
func weightOf(level uint) uint64 {
	_, w := sizeclass.Low(level, 1)
	return w
}

// append describes the table of t.counts, and sets its frequencies.
func (t *table) append(w *byteio.BitWriter) {
	counts := t.counts
	w.Write(uint64(t.k), 4)
	appendGolomb(w, uint64(t.lo))
	appendGolomb(w, uint64(len(counts)-1))
	t.freqs = slices.Grow(t.freqs[:0], len(counts))[:len(counts)]
	last := uint(0)
	for i := 0; i < len(counts); i++ {
		level := levelOf(counts[i])
		t.freqs[i] = uint16(level)
		appendGolomb(w, byteio.Zigzag(int64(level)-int64(last)))
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
		appendGolomb(w, uint64(run))
	}
	t.normalise()
}

// read reads the description of a table.
func (t *table) read(r *byteio.BitReader, p *byteio.Reader) {
	t.k = uint(r.Read(4))
	lo, n := golomb(r, p), golomb(r, p)+1
	if t.k > maxPrecision || n > maxRange || lo > 1<<17 {
		p.Fail("table out of range")
	}
	if p.Err != nil {
		return
	}
	t.lo = uint(lo)
	t.freqs = slices.Grow(t.freqs[:0], int(n))[:n]
	last := int64(0)
	used := false
	for i := 0; i < len(t.freqs); i++ {
		last += byteio.Unzigzag(golomb(r, p))
		if last < 0 || last > maxLevel {
			p.Fail("frequency out of range")
		}
		if p.Err != nil {
			return
		}
		t.freqs[i] = uint16(last)
		if last != 0 {
			used = true
			continue
		}
		run := golomb(r, p)
		if run >= uint64(len(t.freqs)-i) {
			p.Fail("too many classes without numbers")
			return
		}
		for ; run > 0; run-- {
			i++
			t.freqs[i] = 0
		}
	}
	if !used {
		p.Fail("table without classes")
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
	var of [maxLevel + 1]uint16 // the frequency of each level: a table has few different ones
	for i, l := range t.freqs {
		if l == 0 {
			continue
		}
		if of[l] == 0 {
			hi, lo := bits.Mul64(weightOf(uint(l)), share)
			q, _ := bits.Div64(hi, lo, sum)
			of[l] = uint16(1 + q)
		}
		t.freqs[i] = of[l]
		left -= uint64(of[l] - 1)
		if t.freqs[i] > t.freqs[top] {
			top = i
		}
	}
	t.freqs[top] += uint16(left)
}

// encode sets what encoding needs of each class from lo on.
func (t *table) encode(enc []rans.Symbol) {
	start := uint32(0)
	for i, f := range t.freqs {
		if f != 0 {
			enc[i] = rans.NewSymbol(start, uint32(f), t.scale)
			start += uint32(f)
		}
	}
}
