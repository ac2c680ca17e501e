package choices

import (
	"math/rand/v2"
	"testing"
)

// A byte is a choice: all values can be had, greater bytes give greater ones, and equal bytes equal
// ones.
func TestEveryValueCanBeChosen(t *testing.T) {
	for n := 1; n <= 256; n++ {
		seen, last := map[int]bool{}, 0
		for b := range 256 {
			r := Rand([]byte{byte(b), 77})
			v := r.IntN(n)
			if again := Rand([]byte{byte(b)}).IntN(n); again != v || n&(n-1) != 0 && v < last {
				t.Fatalf("IntN(%d) of %d is %d, then %d; %d came before", n, b, v, again, last)
			}
			if next := r.Uint64(); byte(next) != 77 {
				t.Fatalf("IntN(%d) of %d takes more than a byte", n, b)
			}
			seen[v], last = true, v
		}
		if len(seen) != n {
			t.Fatalf("IntN(%d) gives %d values", n, len(seen))
		}
	}
}

// What draws until something suits it comes to an end, with and without bytes.
func TestNothingIsDrawnForEver(t *testing.T) {
	for b := range 257 {
		in := []byte{byte(b), byte(b), byte(b), byte(b)}
		if b == 256 {
			in = nil
		}
		r := Rand(in)
		for n := 1; n < 2000; n++ {
			for r.IntN(n) < n/2 {
			}
			for r.IntN(n) > n/2 {
			}
		}
		for every := range 9 { // of so many numbers, one decides whether it goes on
			for r.IntN(2) == 0 {
				for range every {
					r.Uint64()
				}
			}
		}
		for _, draw := range []func(){func() { r.ExpFloat64() }, func() { r.NormFloat64() }, func() { r.Int64N(1e12) },
			func() { r.Uint64N(3 << 61) }, func() { r.Shuffle(9, func(int, int) {}) }, func() { r.Perm(7) }} {
			for range 100 {
				draw()
			}
		}
	}
	var _ rand.Source = &source{}
}
