package arith

import (
	"math"
	"math/rand/v2"
	"testing"
)

// roundTrip codes numbers, every third one with a model of its own, and reads them again.
func roundTrip(t testing.TB, vals []int64) []byte {
	t.Helper()
	run := func(c *Coder, see func(i int, v int64)) {
		var models [3]Number
		for i, v := range vals {
			if c.Decoding() {
				v = 0
			}
			see(i, c.Number(&models[i%3], v))
		}
	}
	enc := NewEncoder()
	run(enc, func(i int, v int64) {
		if v != vals[i] {
			t.Fatalf("value %d: %d instead of %d while encoding", i, v, vals[i])
		}
	})
	out := enc.Bytes()
	run(NewDecoder(out), func(i int, v int64) {
		if v != vals[i] {
			t.Fatalf("value %d: %d instead of %d", i, v, vals[i])
		}
	})
	return out
}

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	roundTrip(t, nil)
	roundTrip(t, []int64{0, -1, 1, math.MaxInt64, math.MinInt64, 1 << 40, -(1 << 40)})
	for range 300 {
		vals := make([]int64, rng.IntN(200))
		shift := rng.IntN(64)
		for i := range vals {
			vals[i] = int64(rng.Uint64()) >> shift
			if rng.IntN(3) == 0 && i > 0 {
				vals[i] = vals[i-1]
			}
		}
		roundTrip(t, vals)
	}
}

// TestSize checks that what is coded takes about its information.
func TestSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, test := range []struct {
		name string
		next func() int64
		bits float64 // of each
	}{
		{"constant", func() int64 { return 123456 }, 0.2},
		{"eight values", func() int64 { return rng.Int64N(8) }, 3.1},
		{"bytes of doubles", func() int64 { return 8 * (1 + rng.Int64N(1000)) }, 10.5},
		{"any", func() int64 { return int64(rng.Uint64()) }, 65.3},
	} {
		vals := make([]int64, 3000)
		for i := range vals {
			vals[i] = test.next()
		}
		if got := 8 * float64(len(roundTrip(t, vals))) / float64(len(vals)); got > test.bits {
			t.Errorf("%s: %.2f bits each, want at most %.2f", test.name, got, test.bits)
		}
	}
}

// FuzzNumbers codes any numbers, and reads any bytes.
func FuzzNumbers(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255, 0, 0, 7})
	f.Fuzz(func(t *testing.T, in []byte) {
		vals := make([]int64, len(in))
		for i, b := range in {
			vals[i] = (int64(int8(b)) << (b % 57)) + int64(i%3)
		}
		roundTrip(t, vals)
		c, m := NewDecoder(in), Number{}
		for range 64 {
			c.Number(&m, 0)
		}
	})
}
