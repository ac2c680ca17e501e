package rankfunc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// testSets are sets of all kinds of regularity, by name.
func testSets(rng *rand.Rand) map[string][]int {
	sets := map[string][]int{"empty": nil, "one": {5}, "two": {0, 1 << 20}}
	for _, dims := range [][]int{{40}, {6, 6}, {9, 4}, {5, 4, 6}, {4, 4, 4, 4}} {
		for r := range product(dims) {
			name := fmt.Sprintf("%v, %d borders", dims, borders(dims, r))
			sets[name] = append(sets[name], r)
		}
	}
	for _, density := range []int{2, 3, 10, 100} {
		name := fmt.Sprintf("random, 1 in %d", density)
		for r := range 3000 {
			if rng.IntN(density) == 0 {
				sets[name] = append(sets[name], r)
			}
		}
	}
	for period := 2; period < 30; period += 3 {
		name := fmt.Sprint("pattern of period ", period)
		for r := range 1000 {
			if (r%period)*(r%period)%7 < 3 {
				sets[name] = append(sets[name], r)
			}
		}
	}
	return sets
}

// TestSet compares every method with a slice.
func TestSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, want := range testSets(rng) {
		s := NewSet(want)
		back, rest, err := ParseSet(append(s.Append(nil), 1, 2), 1<<20+1)
		if err != nil || len(rest) != 2 {
			t.Fatalf("%s: %v, %d bytes left", name, err, len(rest))
		}
		for _, s := range []*Set{s, back} {
			if got := slices.Collect(s.All()); !slices.Equal(got, want) {
				t.Fatalf("%s: has %v, want %v", name, got, want)
			}
			if s.Len() != len(want) {
				t.Fatalf("%s: Len %d, want %d", name, s.Len(), len(want))
			}
			for i, r := range want {
				if s.At(i) != r {
					t.Fatalf("%s: At(%d) = %d, want %d", name, i, s.At(i), r)
				}
			}
			for r := range 3100 {
				wantIndex, wantOK := slices.BinarySearch(want, r)
				if i, ok := s.Index(r); i != wantIndex || ok != wantOK {
					t.Fatalf("%s %v: Index(%d) = %d, %v, want %d, %v", name, s, r, i, ok, wantIndex, wantOK)
				}
			}
		}
		if !s.Equal(back) || !bytes.Equal(back.Append(nil), s.Append(nil)) {
			t.Fatalf("%s: %v is not what was written, %v", name, back, s)
		}
	}
}

// TestUnion unites parts of sets in random orders, of which each must have the same form.
func TestUnion(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, want := range testSets(rng) {
		whole := NewSet(want)
		for mode := range 4 {
			n := 1 + rng.IntN(30)
			parts := make([][]int, n)
			for i, r := range want {
				k := i * n / len(want)
				if mode >= 2 {
					k = rng.IntN(n)
				}
				parts[k] = append(parts[k], r)
				if mode == 3 { // overlapping
					k = rng.IntN(n)
					parts[k] = append(parts[k], r)
				}
			}
			u := &Set{}
			order := rng.Perm(n)
			if mode == 0 {
				slices.Sort(order)
			}
			for _, k := range order {
				u = u.Union(NewSet(parts[k]))
			}
			if !u.Equal(whole) || !bytes.Equal(u.Append(nil), whole.Append(nil)) {
				t.Fatalf("%s, mode %d: %v, want %v", name, mode, u, whole)
			}
		}
	}
}

// TestPop checks that taking back an interval restores the state before.
func TestPop(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, ranks := range testSets(rng) {
		var b builder
		for lo, hi := range NewSet(ranks).Intervals() {
			before := slices.Clone(b.of)
			b.push(lo, hi)
			after := slices.Clone(b.of)
			l, h := b.pop()
			if l != lo || h != hi || !equalRuns(b.of, before) {
				t.Fatalf("%s: pop gave %d-%d, want %d-%d, and left another state", name, l, h, lo, hi)
			}
			b.push(lo, hi)
			if !equalRuns(b.of, after) {
				t.Fatalf("%s: another state after pop and push", name)
			}
		}
	}
}

// TestSetSize checks that classes of ranks in grids take space that does not depend on the grid's
// size.
func TestSetSize(t *testing.T) {
	limits := [][]int{1: {8, 8}, 2: {10, 20, 12}, 3: {16, 60, 60, 16}}
	for _, dims := range grids() {
		classes := map[int][]int{}
		for r := range product(dims) {
			classes[borders(dims, r)] = append(classes[borders(dims, r)], r)
		}
		for k, ranks := range classes {
			s := NewSet(ranks)
			if n := len(s.Append(nil)); n > limits[len(dims)][k] {
				t.Errorf("%v, %d borders: %d bytes, want at most %d: %v", dims, k, n, limits[len(dims)][k], s)
			}
		}
	}
	// Half of all ranks at random have an entropy of a bit each.
	rng := rand.New(rand.NewPCG(9, 10))
	var ranks []int
	for r := range 1 << 16 {
		if rng.IntN(2) == 0 {
			ranks = append(ranks, r)
		}
	}
	if n := len(NewSet(ranks).Append(nil)); n > 1<<16/8*110/100 {
		t.Errorf("random set: %d bytes, want at most 10 %% above %d", n, 1<<16/8)
	}
}

func TestSetString(t *testing.T) {
	for _, c := range []struct {
		ranks []int
		want  string
	}{
		{nil, "none"},
		{[]int{3}, "3"},
		{[]int{0, 1, 2, 3, 9}, "0-3,9"},
		{[]int{0, 7, 14, 21, 28, 35}, "0-35:7"},
		{[]int{0, 1, 5, 10, 11, 15, 20, 21, 25}, "(0-1,5)+0-20:10"},
	} {
		if got := NewSet(c.ranks).String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.ranks, got, c.want)
		}
	}
}
