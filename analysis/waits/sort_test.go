package waits

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestSorts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		mask := ^uint64(0) >> rng.UintN(64)
		all := make([]keyed, n)
		for i := range all {
			all[i] = keyed{rng.Uint64() & mask, uint32(i)}
			if rng.IntN(3) > 0 {
				all[i].key = uint64(i/3) << (n % 60)
			}
		}
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
		for k := 0; k < n; k += 1 + n/7 {
			if got := kth(k, n, func(i int) uint64 { return all[i].key }); got != want[k].key {
				t.Fatalf("number %d of %d is %d instead of %d", k, n, got, want[k].key)
			}
		}
		if got := byKey(slices.Clone(all), make([]keyed, n)); !slices.Equal(got, want) {
			t.Fatalf("%v instead of %v", got, want)
		}
		order := make([]uint32, n)
		for i := range order {
			order[i] = uint32(i)
		}
		for range rng.IntN(1 + n) {
			i, j := rng.IntN(n), rng.IntN(n)
			order[i], order[j] = order[j], order[i]
		}
		nearlySorted(order, func(a, b uint32) int { return cmp.Compare(a, b) })
		if !slices.IsSorted(order) {
			t.Fatal(order)
		}
	}
}

// TestThin: the longer half is kept, without those that are as long as one that is not; of many
// about half.
func TestThin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 310 {
		all := make([]time.Duration, 1+rng.IntN(40))
		if round >= 300 {
			all = make([]time.Duration, 10*sample)
		}
		for i := range all {
			all[i] = 1 + time.Duration(rng.Int64N(20))
			if round >= 305 && i%10 != 0 { // the sample is a poor one
				all[i] += 20
			}
		}
		sorted := slices.Sorted(slices.Values(all))
		kept := slices.Clone(all)
		var rest []time.Duration
		least := thin(&kept, func(d *time.Duration) time.Duration {
			return *d
		}, func(d *time.Duration) {
			rest = append(rest, *d)
		})
		half := sorted[len(all)-1-len(all)/2]
		if len(all) < sample && least != half || len(kept) > len(all)*3/4 ||
			slices.ContainsFunc(kept, func(d time.Duration) bool {
				return d <= least
			}) ||
			slices.ContainsFunc(rest, func(d time.Duration) bool { return d > least }) {
			t.Fatalf("of %v %v are kept and %v not, the longest of those %v", all, kept, rest, least)
		}
		if again := slices.Sorted(slices.Values(slices.Concat(kept, rest))); !slices.Equal(again, sorted) {
			t.Fatalf("%v became %v", sorted, again)
		}
	}
}

// TestBefore: from wherever the search begins.
func TestBefore(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 60 {
		l := make([]idle, n)
		for i := range l {
			l[i].from = time.Duration(rng.Int64N(80))
		}
		slices.SortFunc(l, func(a, b idle) int { return cmp.Compare(a.from, b.from) })
		waits := make([]wait, n)
		list := make([]uint32, n)
		for i := range l {
			waits[i].end, list[i] = l[i].from, uint32(i)
		}
		r := &rootFinder{waits: waits}
		for at := range n + 1 {
			for d := range time.Duration(82) {
				want, _ := slices.BinarySearchFunc(l, d, func(m idle, t time.Duration) int {
					return cmp.Compare(m.from, t)
				})
				if got := before(l, at, d); got != want {
					t.Fatalf("%d of %v are before %d, not %d (from %d)", want, l, d, got, at)
				}
				if got := r.after(list, d); len(got) != n-want {
					t.Fatalf("%d end at or after %d, not %d", n-want, d, len(got))
				}
			}
		}
	}
}

func TestSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var s slots
	var tb table[uint64]
	numbers, keys := map[int32]int32{}, map[uint64]uint32{}
	for range 20000 {
		p := int32(rng.Uint32N(1 << rng.UintN(31)))
		if n, ok := numbers[p]; !ok {
			numbers[p] = int32(len(numbers))
		} else if got := s.of(p); got != n {
			t.Fatalf("process %d is %d, was %d", p, got, n)
		}
		if got := s.of(p); got != numbers[p] || s.numbers[got] != p {
			t.Fatalf("process %d is %d instead of %d", p, got, numbers[p])
		}
		k := uint64(p) << 20
		if _, ok := keys[k]; !ok {
			keys[k] = uint32(len(keys))
		}
		if got := tb.number(k); got != keys[k] || tb.keys[got] != k {
			t.Fatalf("key %d is %d instead of %d", k, got, keys[k])
		}
	}
}
