package timing

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPeriods: contexts of calls that repeat themselves are those that going through all calls finds.
func TestPeriods(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var got, want contexts
	periods := 0
	for range 3000 {
		body := make([]uint32, 1+rng.IntN(1+rng.IntN(700)))
		most := 1 + rng.Uint32N(1+rng.Uint32N(100))
		for i := range body {
			body[i] = rng.Uint32N(most)
		}
		classes := make([]uint32, 1+rng.IntN(3000))
		for i := range classes {
			classes[i] = body[i%len(body)]
		}
		if rng.IntN(3) == 0 {
			classes[rng.IntN(len(classes))] = rng.Uint32N(most)
		}
		if period(classes) < len(classes) {
			periods++
		}
		got.findContexts(classes)
		want.reset(len(classes))
		want.number(classes)
		want.findSets()
		if !slices.Equal(got.ctx, want.ctx) || !slices.Equal(got.counts, want.counts) ||
			!slices.Equal(got.keys, want.keys) || !slices.Equal(got.setAt, want.setAt) || got.sets != want.sets {
			t.Fatalf("classes %v: contexts %v, %v times, want %v, %v times", classes, got.ctx, got.counts, want.ctx,
				want.counts)
		}
	}
	if periods < 500 || periods > 2500 {
		t.Errorf("%d of 3000 repeat themselves", periods)
	}
}
