package memory

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	most := big.NewInt(1 << 58)
	for range 10000 {
		a, b := int64(rng.Uint64())>>rng.IntN(64), int64(rng.Uint64())>>rng.IntN(64)
		want := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		if want.CmpAbs(most) > 0 {
			want.Mul(most, big.NewInt(int64(want.Sign())))
		}
		if got := product(a, b); want.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("%d * %d is %d instead of %v", a, b, got, want)
		}
	}
}

// randomPlace is a displacement that may be near or far.
func randomPlace(rng *rand.Rand) int64 {
	d := []int64{0, 8, 1000, 1 << 20, 1 << 33, 1 << 40, 42 << 40}[rng.IntN(7)]
	d += rng.Int64N(1000)
	if rng.IntN(2) == 0 {
		return -d
	}
	return d
}

// A datatype has all bytes of its parts, however they are moved, repeated and put together, and its
// bounds are those of the standard.
func TestExtents(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		n := int64(1 + rng.IntN(64))
		e, bytes, lb, ub := block(n), []int64{0, n - 1}, int64(0), n
		for range 1 + rng.IntN(4) {
			switch rng.IntN(3) {
			case 0:
				d := randomPlace(rng)
				e = e.shift(d)
				for i := range bytes {
					bytes[i] += d
				}
				lb, ub = lb+d, ub+d
			case 1:
				k, stride := int64(1+rng.IntN(3)), randomPlace(rng)
				if e = e.repeat(k, stride); e.lb != lb+min(0, (k-1)*stride) || e.ub != ub+max(0, (k-1)*stride) {
					t.Fatalf("bounds %d to %d, repeated %d times with %d: %d to %d", lb, ub, k, stride, e.lb, e.ub)
				}
				lb, ub = e.lb, e.ub
				var all []int64
				for i := range k {
					for _, b := range bytes {
						all = append(all, b+i*stride)
					}
				}
				bytes = all
			case 2:
				d := randomPlace(rng)
				e = both(e, block(16).shift(d))
				bytes = append(bytes, d, d+15)
				lb, ub = min(lb, d), max(ub, d+16)
			}
		}
		if len(e.far) >= mostFar {
			continue
		}
		data := e.data()
		if !slices.IsSortedFunc(e.far, func(a, b Span) int { return int(min(1, max(-1, a.Low-b.Low))) }) {
			t.Fatalf("out of order: %v", e.far)
		}
		for _, b := range bytes {
			in := func(s Span) bool { return s.Low <= b && b < s.High }
			if b > -userSpace && b < userSpace-1 && !slices.ContainsFunc(data, in) {
				t.Fatalf("byte %d is not in %v", b, data)
			}
		}
		for _, s := range e.far {
			if s.High-s.Low > mostFar*farGap {
				t.Fatalf("too large: %v", e.far)
			}
		}
	}
}

func TestJoined(t *testing.T) {
	got := joined([]Span{{500, 510}, {0, 10}, {7, 7}, {30, 40}, {15, 20}, {-userSpace - 1, 0}, {-5, 3}}, 6)
	if want := []Span{{-5, 20}, {30, 40}, {500, 510}}; !slices.Equal(got, want) {
		t.Errorf("%v instead of %v", got, want)
	}
}
