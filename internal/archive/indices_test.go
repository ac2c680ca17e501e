package archive

import (
	"math/rand/v2"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Listed indices are those that Index finds, of few sets and many, also where some ranks are in none.
func TestIndices(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	listed := 0
	for range 50 {
		var ranks []int
		for r := range 500 {
			if rnd.IntN(3) > 0 {
				ranks = append(ranks, r)
			}
		}
		all := rankfunc.NewSet(ranks)
		sets := make([][]int, 1+rnd.IntN(100))
		for _, r := range ranks {
			if k := rnd.IntN(len(sets) + 1); k < len(sets) {
				sets[k] = append(sets[k], r)
			}
		}
		c := &Cases[int]{}
		for k, s := range sets {
			c.Sets, c.Values = append(c.Sets, rankfunc.NewSet(s)), append(c.Values, k)
		}
		list := c.indices(all)
		if list != nil {
			listed++
		}
		for k, r := range ranks {
			if list != nil && int(list[k]) != c.Index(all, r) {
				t.Fatalf("rank %d: %d, want %d", r, list[k], c.Index(all, r))
			}
		}
	}
	if listed < 10 {
		t.Errorf("%d are listed", listed)
	}
}
