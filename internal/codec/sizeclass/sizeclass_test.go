package sizeclass

import (
	"math/rand"
	"slices"
	"testing"
)

// TestClasses: with 1 bit of precision each octave has two classes. Every number is its class's
// least with low bits.
func TestClasses(t *testing.T) {
	var classes []uint
	for _, v := range []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 16} {
		c, _ := Of(v, 1)
		classes = append(classes, c)
	}
	if want := []uint{0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8}; !slices.Equal(classes, want) {
		t.Errorf("classes %v, want %v", classes, want)
	}
	rng := rand.New(rand.NewSource(2))
	for range 10000 {
		v, k := rng.Uint64()>>rng.Intn(64), uint(rng.Intn(12))
		c, n := Of(v, k)
		low, least := Low(c, k)
		if low != n || v < least || v-least >= 1<<low || v>>low<<low != least {
			t.Fatalf("%d, precision %d: class %d has %d low bits from %d on", v, k, c, low, least)
		}
		if next, _ := Of(v+1, k); v+1 != 0 && next != c && next != c+1 {
			t.Fatalf("%d, precision %d: classes %d and %d", v, k, c, next)
		}
	}
}
