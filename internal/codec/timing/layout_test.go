package timing

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

// shifting is a loop whose calls become slower, and at times much slower; every fourth block it has
// other calls.
func shifting(rng *rand.Rand, n int) *program {
	p := loopProgram(rng, n, 12)
	now := p.calls[0].Start
	before := p.calls[0].End
	for i := range p.calls {
		c := &p.calls[i]
		gap, duration := c.Start-before, c.End-c.Start
		before = c.End
		if i == 0 {
			gap = 0
		}
		scale := uint64(8 + i>>15)
		if rng.Intn(5000) == 0 {
			scale <<= rng.Intn(25)
		}
		c.Start = now + gap*scale/64
		c.End = c.Start + duration*scale/64
		now = c.End
		if i>>16&1 != 0 {
			p.terms[i] = uint32(rng.Intn(12))
		}
	}
	return p
}

// TestLayouts compares blocks that use the tables' shapes again with blocks that are planned each
// for itself.
func TestLayouts(t *testing.T) {
	rng := rand.New(rand.NewSource(11))
	p := shifting(rng, 24*blockCalls)
	for _, text := range []string{"lossless", "lossy:1%,1us", "lossy:1%"} {
		m, err := ParseMode(text)
		if err != nil {
			t.Fatal(err)
		}
		sizes := [2]int64{}
		again := 0
		for i := range sizes {
			b := New(m, nil)
			for k, c := range p.calls {
				if b.n == 0 && i > 0 {
					b.layouts.age = 0
				}
				b.Append(c.Start, c.End, p.class(k))
				if b.n == 0 && b.layouts.age > 1 {
					again++
				}
			}
			sizes[i] = b.SealedBytes()
			if got := decodeAll(t, p.open(t, b.Encode(nil, p.classes))); m.Kind == Lossless &&
				!slices.Equal(got, p.calls) {
				t.Fatal("calls differ")
			}
		}
		if again < 8 {
			t.Errorf("%s: %d of 48 blocks use shapes again", m, again)
		}
		if float64(sizes[0]) > 1.015*float64(sizes[1]) {
			t.Errorf("%s: %d bytes, %d if all blocks are planned", m, sizes[0], sizes[1])
		}
	}
}

// TestWiden widens shapes by any numbers: they must be in the window then, and so must all numbers
// from before.
func TestWiden(t *testing.T) {
	rng := rand.New(rand.NewSource(12))
	for range 3000 {
		k := uint(rng.Intn(maxPrecision + 1))
		first := rng.Uint64() >> (2 + rng.Intn(62))
		lo, _ := sizeclass.Of(first, k)
		s := shape{k: uint8(k), lo: uint32(lo), n: 1}
		all := []uint64{first}
		for range 1 + rng.Intn(6) {
			v := rng.Uint64() >> (2 + rng.Intn(62))
			s.widen(v)
			all = append(all, v)
			w := s.window(uint32(rng.Intn(2 * maxRange)))
			if s.n > maxRange || w.n >= 2*maxRange || uint(s.k) > k {
				t.Fatalf("%d classes of precision %d, from %d, and a window of %d", s.n, s.k, k, w.n)
			}
			for _, v := range all {
				if class, _ := sizeclass.Of(v, uint(w.k)); uint32(class)-w.base >= w.n {
					t.Fatalf("%d is not in the window %+v of %+v", v, w, s)
				}
			}
		}
	}
}

// TestMostLow: windows of a low precision go on far beyond all numbers; low bits need no room for
// that.
func TestMostLow(t *testing.T) {
	l := layout{ofSet: []uint32{0, 1}, tables: []shape{{limit: buckets - 1, k: 0, lo: 3, n: 2}}}
	var s series
	if !s.arrange(&l, []uint32{0}, true) || s.tables[0].n <= 64 || s.mostLow != 63 {
		t.Errorf("%d low bits in windows %+v", s.mostLow, s.tables)
	}
}

func TestPairTable(t *testing.T) {
	rng := rand.New(rand.NewSource(13))
	var x pairTable
	for range 20 {
		x.reset()
		want := map[uint64]uint16{}
		for range rng.Intn(20_000) {
			key := uint64(rng.Intn(150))<<32 | uint64(rng.Intn(150))*uint64(1+rng.Intn(2)*(MaxClass/150))
			if got := x.find(key); got != want[key] {
				t.Fatalf("key %x: %d, want %d", key, got, want[key])
			}
			if want[key] == 0 {
				want[key] = uint16(len(want) + 1)
				x.add(key, want[key])
			}
		}
	}
}

// TestFindAll compares the quick search of bins with the definition.
func TestFindAll(t *testing.T) {
	rng := rand.New(rand.NewSource(14))
	for _, c := range []struct {
		ppm uint32
		cap uint64
	}{{10_000, 0}, {10_000, 2000}, {MinPPM, 0}, {MaxPPM, 0}, {0, 1}, {0, 200}, {100_000, 7}, {300_000, 10_000}} {
		for _, fine := range []bool{false, true} {
			b := newBins(c.ppm, c.cap, fine)
			vals := make([]uint64, 3000)
			for i := range vals {
				vals[i] = rng.Uint64() >> (2 + rng.Intn(62))
			}
			index, values := make([]uint64, len(vals)), make([]uint64, len(vals))
			b.findAll(vals, index, values)
			for i, v := range vals {
				start, width := b.at(index[i])
				if v < start || v-start >= width || values[i] != b.middle(index[i]) {
					t.Fatalf("%+v, fine %t: %d is put into bin %d, from %d on, %d wide, which stands for %d", c, fine,
						v, index[i], start, width, values[i])
				}
			}
		}
	}
}
