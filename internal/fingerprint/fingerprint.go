// Package fingerprint is the algebra of the hashes that `tabard record --payload` notes of messages
// (capture/mpi/fingerprint.c makes them): what is known of the hash of data from the hashes of its parts, and of sums.
//
// The hash of bytes is the remainder of a polynomial over GF(2), of degree 64, by a random irreducible one: two
// different messages of n bytes have the same hash with a probability below n / 2^60. It follows from those of parts
// (Join), and that of an exclusive or from those of its operands (exclusive or itself).
//
// The sum of integers is modulo 2^64, and follows from parts (JoinSums); that of an elementwise sum is the sum.
// So is that of reals, whose Wave is a coefficient of their Fourier transform, up to what rounding makes of it.
package fingerprint

import (
	"math"
	"math/bits"
	"sync"
)

// polynomial is that of capture/mpi/fingerprint.c without x^64, as are base and turn.
const (
	polynomial = 0x6aaa90f9fa25c7b1
	base       = 0x9e3779b97f4a7c15
	turn       = 0x4f1bbcdcbfa53e0b
)

// times is the product of two remainders.
func times(a, b uint64) uint64 {
	p := uint64(0)
	for ; b != 0; b >>= 1 {
		if b&1 != 0 {
			p ^= a
		}
		carry := a >> 63
		a = a<<1 ^ carry*polynomial
	}
	return p
}

// xTo8 is x^(8n).
func xTo8(n uint64) uint64 { return power(1<<8, n) }

// Join is the hash of data with hash a followed by n bytes with hash b.
func Join(a, b, n uint64) uint64 { return times(a, xTo8(n)) ^ b }

// Before is the hash of what comes before n bytes with hash b, in data with hash whole; After that of the n bytes after
// data with hash a.
func Before(whole, b, n uint64) uint64 { return times(whole^b, back(n)) }

// After is described with Before.
func After(whole, a, n uint64) uint64 { return whole ^ times(a, xTo8(n)) }

// back is x^(-8n).
func back(n uint64) uint64 { return power(inverse(), n) }

// inverse is x^-8: x^(2^64-1) is 1.
var inverse = sync.OnceValue(func() uint64 {
	x := power(2, math.MaxUint64-1)
	return power(x, 8)
})

func power(x, n uint64) uint64 {
	r := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = times(r, x)
		}
		x = times(x, x)
	}
	return r
}

// Of is the hash of bytes.
func Of(data []byte) uint64 {
	h := uint64(0)
	for _, b := range data {
		h ^= uint64(b) << 56
		for range 8 {
			h = h<<1 ^ h>>63*polynomial
		}
	}
	return h
}

// JoinSums is the sum of integers with sum a followed by n with sum b.
func JoinSums(a, b, n uint64) uint64 {
	r, square := uint64(1), uint64(base)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r *= square
		}
		square *= square
	}
	return a*r + b
}

// A Wave is what is known of reals: a Fourier coefficient, and the sum of their amounts.
type Wave struct{ Re, Im, Size float64 }

// Join is the wave of n reals followed by others.
func (w Wave) Join(n uint64, v Wave) Wave {
	sin, cos := math.Sincos(2 * math.Pi * float64(int64(n*turn)) / (1 << 63) / 2)
	return Wave{w.Re + v.Re*cos - v.Im*sin, w.Im + v.Re*sin + v.Im*cos, w.Size + v.Size}
}

// Add is the wave of an elementwise sum; its Size is an upper bound.
func (w Wave) Add(v Wave) Wave { return Wave{w.Re + v.Re, w.Im + v.Im, w.Size + v.Size} }

// Near tells whether two waves, of n reals of so many bytes each, can be of the same reals, summed in another order
// in as many steps: they differ by rounding alone.
func (w Wave) Near(v Wave, n uint64, width int64, steps int) bool {
	unit := 0x1p-53
	if width == 4 {
		unit = 0x1p-24
	}
	bound := (float64(steps)*unit + float64(8+bits.Len64(n))*0x1p-53) * max(w.Size, v.Size) * 2
	return math.Hypot(w.Re-v.Re, w.Im-v.Im) <= bound
}
