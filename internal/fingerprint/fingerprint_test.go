package fingerprint

import (
	"math/rand/v2"
	"testing"
)

// TestJoin splits random data at random places.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b, other := random(r), random(r), []byte(nil)
		if got, want := Join(Of(a), Of(b), uint64(len(b))), Of(append(a[:len(a):len(a)], b...)); got != want {
			t.Fatalf("joined %x, at once %x", got, want)
		}
		xor := make([]byte, len(a))
		for i := range a {
			other = append(other, byte(r.Uint32()))
			xor[i] = a[i] ^ other[i]
		}
		if Of(a)^Of(other) != Of(xor) {
			t.Fatal("the hash of an exclusive or is not that of the hashes")
		}
	}
}

// TestIrreducible: the polynomial has no factors (Rabin's test), so that hashes are as strong as the comment says.
func TestIrreducible(t *testing.T) {
	x := uint64(2)
	for i := 1; i <= 64; i++ {
		x = times(x, x)
		if i == 32 && x == 2 {
			t.Fatal("divides x^(2^32) - x")
		}
	}
	if x != 2 {
		t.Fatal("does not divide x^(2^64) - x")
	}
	if gcd(half()) != 1 {
		t.Fatal("has a factor of degree at most 32")
	}
}

// half is x^(2^32) - x.
func half() uint64 {
	x := uint64(2)
	for range 32 {
		x = times(x, x)
	}
	return x ^ 2
}

// gcd is that of the polynomial and a.
func gcd(a uint64) uint64 {
	high, low := uint64(1), uint64(polynomial) // x^64 + polynomial
	shift := 63 - degree(a)
	low ^= a << (shift + 1)
	_ = high
	b := low
	for b != 0 && a != 0 {
		for degree(b) >= degree(a) && b != 0 {
			b ^= a << (degree(b) - degree(a))
		}
		a, b = b, a
	}
	return a | b
}

func degree(a uint64) int {
	d := -1
	for ; a != 0; a >>= 1 {
		d++
	}
	return d
}

func random(r *rand.Rand) []byte {
	b := make([]byte, r.IntN(300))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestRest: what is left of data without its beginning or its end has the hash that it should have.
func TestRest(t *testing.T) {
	data := make([]byte, 3000)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	whole := Of(data)
	for _, n := range []int{1, 8, 1000, 2999} {
		a, b := Of(data[:n]), Of(data[n:])
		if Before(whole, b, uint64(len(data)-n)) != a || After(whole, a, uint64(len(data)-n)) != b {
			t.Errorf("%d bytes", n)
		}
	}
}
