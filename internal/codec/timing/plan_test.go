package timing

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

// classed counts numbers by class of precision k: from the first class to the last, and how many low bits they have.
func classed(vals []uint64, k uint) (counts []uint32, lo uint, low int) {
	least, _ := sizeclass.Of(slices.Min(vals), k)
	most, _ := sizeclass.Of(slices.Max(vals), k)
	counts = make([]uint32, most-least+1)
	for _, v := range vals {
		class, _ := sizeclass.Of(v, k)
		counts[class-least]++
		bits, _ := sizeclass.Low(class, k)
		low += int(bits)
	}
	return counts, least, low
}

// TestCoarsen: joining neighbouring classes gives what counting the numbers again with a bit less precision does, from
// the greatest precision down to none.
func TestCoarsen(t *testing.T) {
	rng := rand.New(rand.NewSource(21))
	for range 500 {
		base, spread := rng.Uint64()>>(40+rng.Intn(22)), 1+rng.Int63n(1<<(1+rng.Intn(9)))
		vals := make([]uint64, 1+rng.Intn(100))
		for i := range vals {
			vals[i] = base + uint64(rng.Int63n(spread))
		}
		k := uint(maxPrecision)
		counts, lo, low := classed(vals, k)
		for k > 0 && len(counts) <= maxRange {
			k--
			want, first, lowBits := classed(vals, k)
			got, gotFirst, more, sum, used := coarsen(make([]uint32, len(counts)), counts, k, lo)
			if !slices.Equal(got, want) || gotFirst != first {
				t.Fatalf("precision %d: %v from %d, want %v from %d", k, got, gotFirst, want, first)
			}
			if low+more != lowBits {
				t.Fatalf("precision %d: %d low bits and %d more, want %d", k, low, more, lowBits)
			}
			wantSum, wantUsed := float32(0), 0
			for _, c := range want {
				if c != 0 {
					wantSum, wantUsed = wantSum+nlogs[c], wantUsed+1
				}
			}
			if used != wantUsed || sum < wantSum*0.9999-1e-3 || sum > wantSum*1.0001+1e-3 {
				t.Fatalf("precision %d: %d classes, sum %g, want %d and %g", k, used, sum, wantUsed, wantSum)
			}
			counts, lo, low = got, gotFirst, lowBits
		}
	}
}

// chosen is the table for some numbers.
func chosen(vals []uint64) *table {
	k := uint(maxPrecision)
	counts, lo, _ := classed(vals, k)
	for len(counts) > maxRange {
		k--
		counts, lo, _ = classed(vals, k)
	}
	t := &table{}
	t.choose(new(levels), counts, k, lo, uint32(len(vals)))
	return t
}

// TestChoose: precision costs a description of more classes, and is worth that where it tells numbers apart that
// occur often from those that do not.
func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewSource(22))
	numbers := func(n int, f func() uint64) []uint64 {
		vals := make([]uint64, n)
		for i := range vals {
			vals[i] = f()
		}
		return vals
	}
	same := chosen(numbers(1000, func() uint64 { return 1500 }))
	if len(same.counts) != 1 || same.k != maxPrecision { // no bit is spent on any number
		t.Errorf("one number: %d classes of precision %d", len(same.counts), same.k)
	}
	pair := chosen(numbers(1000, func() uint64 { return 1500 + uint64(rng.Intn(2)) }))
	// 1500 and 1501 are two classes, or their common class has a low bit.
	if low, _ := sizeclass.Low(pair.lo, pair.k); low != 0 {
		if len(pair.counts) != 1 || low != 1 {
			t.Errorf("two numbers: %d classes of precision %d, %d low bits", len(pair.counts), pair.k, low)
		}
	}
	flat := chosen(numbers(1000, func() uint64 { return 1024 + uint64(rng.Intn(1024)) }))
	if len(flat.counts) > 8 { // all low bits are as good as random: nothing is gained by classes for them
		t.Errorf("numbers of the same likelihood: %d classes of precision %d", len(flat.counts), flat.k)
	}
	spikes := chosen(numbers(4000, func() uint64 { return 1024 + 100*uint64(rng.Intn(8)) }))
	used := 0
	for _, c := range spikes.counts {
		if c != 0 {
			used++
		}
	}
	if used != 8 {
		t.Errorf("8 numbers far apart: %d classes of precision %d", used, spikes.k)
	}
}

// TestChooseKeeps: whatever precision is chosen, each number is counted in its class.
func TestChooseKeeps(t *testing.T) {
	rng := rand.New(rand.NewSource(23))
	for range 300 {
		vals := make([]uint64, 1+rng.Intn(300))
		width := 1 + rng.Intn(40)
		for i := range vals {
			vals[i] = rng.Uint64() >> (63 - rng.Intn(width))
		}
		got := chosen(vals)
		want, lo, _ := classed(vals, got.k)
		if !slices.Equal(got.counts, want) || got.lo != lo {
			t.Fatalf("precision %d: %v from %d, want %v from %d", got.k, got.counts, got.lo, want, lo)
		}
	}
}

// planned is the tables for numbers of a single class of calls.
func planned(vals []uint64) (contexts, layout) {
	var x contexts
	var pl plan
	var l layout
	x.findContexts(make([]uint32, len(vals)))
	pl.make(&x, vals, &l)
	return x, l
}

// TestPlan: where the size of a number follows from that of the one before, numbers after small ones and numbers after
// large ones have tables of their own; where it does not, they share one.
func TestPlan(t *testing.T) {
	rng := rand.New(rand.NewSource(24))
	turns, chance := make([]uint64, 8000), make([]uint64, 8000)
	for i := range turns {
		turns[i] = 16 + uint64(rng.Intn(16))
		if i%2 == 1 {
			turns[i] = 1<<20 + uint64(rng.Intn(1<<20))
		}
		chance[i] = turns[i]
	}
	rng.Shuffle(len(chance), func(i, k int) { chance[i], chance[k] = chance[k], chance[i] })
	for _, c := range []struct {
		what   string
		vals   []uint64
		tables int
	}{{"by turns", turns, 2}, {"by chance", chance, 1}} {
		_, l := planned(c.vals)
		// All calls are of one context, which has a set of its own: set 0, of what is rare, has no table.
		if !slices.Equal(l.ofSet, []uint32{0, 0, uint32(c.tables)}) {
			t.Errorf("%s: tables %v, want %d", c.what, l.ofSet, c.tables)
		}
	}
	// The first number counts as one after 0. What follows small numbers, of 5 bits, ends before those of 21 bits.
	if _, l := planned(turns); l.tables[0].limit < 5 || l.tables[0].limit > 20 {
		t.Errorf("the first table is for numbers after those of up to %d bits", l.tables[0].limit)
	}
}

// TestPlanHolds: with the tables that are planned for a block, all its numbers have classes, none is missed, and the
// tables cover each bucket once.
func TestPlanHolds(t *testing.T) {
	rng := rand.New(rand.NewSource(25))
	for range 60 {
		n := minOwn + rng.Intn(4000)
		classes, vals := make([]uint32, n), make([]uint64, n)
		kinds, width := 1+rng.Intn(12), 1+rng.Intn(30)
		for i := range vals {
			classes[i] = uint32(rng.Intn(kinds))
			vals[i] = (uint64(classes[i])*7919 + 1) << rng.Intn(3) * (1 + uint64(rng.Intn(width)))
			if rng.Intn(500) == 0 {
				vals[i] <<= rng.Intn(20)
			}
		}
		var x contexts
		var pl plan
		var l layout
		x.findContexts(classes)
		pl.make(&x, vals, &l)
		if len(l.ofSet) != x.sets+1 || int(l.ofSet[x.sets]) != len(l.tables) {
			t.Fatalf("%d sets, tables of sets %v, %d tables", x.sets, l.ofSet, len(l.tables))
		}
		sets := make([]uint32, x.sets)
		pooled := false
		for i := range sets {
			sets[i] = uint32(i)
			for k, s := range l.tables[l.ofSet[i]:l.ofSet[i+1]] {
				if k > 0 && s.limit <= l.tables[int(l.ofSet[i])+k-1].limit {
					t.Fatalf("limits of set %d do not ascend: %+v", i, l.tables)
				}
			}
		}
		for c := range x.setAt {
			pooled = pooled || x.setAt[c] == 0
		}
		if s := splitAll(t, &x, &l, sets, vals, pooled); s.missed {
			t.Fatalf("a number is in no window of %+v", l)
		}
	}
}

// splitAll splits numbers with the tables of a layout, and checks that classes and low bits give them back.
func splitAll(t *testing.T, x *contexts, l *layout, sets []uint32, vals []uint64, pooled bool) *series {
	t.Helper()
	s := &series{}
	if !s.arrange(l, sets, pooled) {
		t.Fatalf("a set has no tables: %+v", l)
	}
	s.begin(x.setAt, len(vals))
	var low lowPart
	for from := 0; from < len(vals); from += splitPart {
		part := vals[from:min(from+splitPart, len(vals))]
		s.split(x.ctx[from:from+len(part)], part, from, &low, l)
		for i, v := range part {
			at := s.syms[from+i]
			if at == uint32(len(s.hist))-1 {
				continue // in no window
			}
			w := s.tables[slices.IndexFunc(s.tables, func(w window) bool { return w.at <= at && at < w.at+w.n })]
			width, least := sizeclass.Low(uint(at-w.at+w.base), uint(w.k))
			if uint8(width) != low.widths[i] || least+low.bits[i] != v {
				t.Fatalf("%d is %d and the low bits %d, %d of them", v, least, low.bits[i], low.widths[i])
			}
		}
	}
	return s
}

// TestMissed: a number that no table has room for makes the block fail, but widens the tables, so that they do in the
// next try.
func TestMissed(t *testing.T) {
	vals := make([]uint64, 2*minOwn)
	for i := range vals {
		vals[i] = 1 << 12
	}
	x, l := planned(vals)
	sets := []uint32{0, 1}
	vals[77] = 1 << 50
	s := splitAll(t, &x, &l, sets, vals, false)
	if !s.missed || s.trim() {
		t.Fatal("a number far from all others is not missed")
	}
	s.widen(&l)
	if s = splitAll(t, &x, &l, sets, vals, false); s.missed {
		t.Fatalf("missed again: %+v", l)
	}
	if !s.trim() {
		t.Error("the classes that are used do not fit into a table")
	}
	if len(s.tables) != 1 || s.tables[0].n < 2 || s.hist[s.tables[0].at] == 0 ||
		s.hist[s.tables[0].at+s.tables[0].n-1] == 0 {
		t.Errorf("classes without numbers at the ends: %+v", s.tables)
	}
}

// TestArrangeRefuses: a block cannot use the tables of one before if one of its sets has none there.
func TestArrangeRefuses(t *testing.T) {
	l := layout{ofSet: []uint32{0, 0, 1}, tables: []shape{{limit: buckets - 1, k: 2, lo: 9, n: 4}}}
	var s series
	if !s.arrange(&l, []uint32{0, 1}, false) {
		t.Error("a block without rare contexts needs no tables for them")
	}
	if s.arrange(&l, []uint32{0, 1}, true) {
		t.Error("rare contexts have no tables")
	}
}
