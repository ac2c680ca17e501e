package diff

import (
	"math/bits"
	"math/rand/v2"
	"sync"
)

// print is a fingerprint of a word: two polynomials modulo 2^61-1 in bases that are
// drawn anew in each process, so that no archive can be made to deceive it.
type print [2]uint64

const prime = 1<<61 - 1

// powers has the base to the n, 2n, ... for each of the bytes of a number, from the lowest on.
var powers = sync.OnceValue(func() *[8][256]print {
	var t [8][256]print
	base := print{1<<32 + rand.Uint64N(prime-1<<33), 1<<32 + rand.Uint64N(prime-1<<33)}
	for i := range t {
		t[i][0] = print{1, 1}
		for n := 1; n < 256; n++ {
			t[i][n] = t[i][n-1].mul(base)
		}
		base = t[i][255].mul(base)
	}
	return &t
})

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduce(lo&prime + (hi<<3 | lo>>61))
}

func reduce(x uint64) uint64 {
	x = x&prime + x>>61
	if x >= prime {
		x -= prime
	}
	return x
}

func (a print) mul(b print) print { return print{mulMod(a[0], b[0]), mulMod(a[1], b[1])} }
func (a print) add(b print) print { return print{reduce(a[0] + b[0]), reduce(a[1] + b[1])} }
func (a print) sub(b print) print {
	return print{reduce(a[0] + prime - b[0]), reduce(a[1] + prime - b[1])}
}

// power is the base to the n.
func power(n uint64) print {
	t := powers()
	p := t[0][n&255]
	for i := 1; n > 255; i++ {
		n >>= 8
		p = p.mul(t[i][n&255])
	}
	return p
}

// then is the fingerprint of a followed by a word of length n with fingerprint b.
func (a print) then(b print, n uint64) print { return a.mul(power(n)).add(b) }

// repeated is the fingerprint of count times a word of length n.
func (a print) repeated(n, count uint64) print {
	var out print
	for p, len := a, n; count > 0; count >>= 1 {
		if count&1 != 0 {
			out = out.then(p, len)
		}
		if count > 1 {
			p = p.then(p, len)
			len *= 2
		}
	}
	return out
}
