package diff

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Sets are combined as their members say.
func TestCombined(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		var lists [2][]int
		for i := range lists {
			density := r.Float64()
			for rank := range r.IntN(60) {
				if r.Float64() < density {
					lists[i] = append(lists[i], rank)
				}
			}
		}
		a, b := newSet(lists[0]), newSet(lists[1])
		var both, rest []int
		for _, x := range lists[0] {
			if slices.Contains(lists[1], x) {
				both = append(both, x)
			} else {
				rest = append(rest, x)
			}
		}
		if got := slices.Collect(intersection(a, b).All()); !slices.Equal(got, both) {
			t.Errorf("seed %d: %v and %v: %v, want %v", seed, lists[0], lists[1], got, both)
		}
		if got := slices.Collect(without(a, b).All()); !slices.Equal(got, rest) {
			t.Errorf("seed %d: %v without %v: %v, want %v", seed, lists[0], lists[1], got, rest)
		}
	}
}
