package nest

import "math/bits"

// A print is a fingerprint of a sequence of counts: the polynomial that has them as coefficients, at a place that is
// not known to programs, modulo a prime. That of a sequence follows from those of its parts, and that of a linear
// function of all counts from theirs.
type print struct {
	sum   uint64 // of the counts, each multiplied by the base as often as counts follow it
	ones  uint64 // the same for a sequence as long that is all ones
	power uint64 // the base, multiplied by itself as often as there are counts
}

const (
	printPrime = 1<<61 - 1
	printBase  = 0x12d3a6f8c94b7e51 % printPrime
)

// one is the print of one count.
func one(count uint64) print { return print{count % printPrime, 1, printBase} }

// then is the print of a sequence and one that follows.
func (p print) then(q print) print {
	return print{modAdd(modMul(p.sum, q.power), q.sum), modAdd(modMul(p.ones, q.power), q.ones), modMul(p.power, q.power)}
}

// times is the print of a sequence, n times.
func (p print) times(n uint64) print {
	if n == 1 {
		return p
	}
	all := print{power: 1}
	for ; n > 0; n >>= 1 {
		if n&1 > 0 {
			all = all.then(p)
		}
		p = p.then(p)
	}
	return all
}

// A column is what counts have in common with all that are linear functions of them.
type column struct{ n, print uint64 }

// column is that of counts with a print, which vary.
func (c *Counts) column(p print) column {
	up := modMul(modSub(p.sum, modMul(c.min%printPrime, p.ones)), inverse((c.max-c.min)%printPrime))
	return column{c.n, min(up, modSub(p.ones, up))}
}

func modAdd(a, b uint64) uint64 {
	if s := a + b; s < printPrime {
		return s
	}
	return a + b - printPrime
}

func modSub(a, b uint64) uint64 { return modAdd(a, printPrime-b) }

func modMul(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return modAdd(low&printPrime, high<<3|low>>61)
}

// inverse is the number by which a gives 1 (P. de Fermat).
func inverse(a uint64) uint64 {
	if a == 1 {
		return 1
	}
	r := uint64(1)
	for n := uint64(printPrime - 2); n > 0; n >>= 1 {
		if n&1 > 0 {
			r = modMul(r, a)
		}
		a = modMul(a, a)
	}
	return r
}
