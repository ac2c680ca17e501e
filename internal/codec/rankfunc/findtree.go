package rankfunc

import "math/bits"

// Trees: those of k children in the order of the ranks, and binomial ones as
// in MPICH's collective operations (Thakur, Rabenseifner, Gropp: Optimization of collective
// communication operations in MPICH, IJHPCA 2005).

// parent takes the least number of children. What rank 0 has is free, -1 if it is not among the
// ranks.
func (p *problem) parent() *Formula {
	k, ok := p.divisor(1)
	if !ok {
		return nil
	}
	return p.check(Formula{Kind: FormulaParent, P: k, B: p.root()})
}

// root returns the value of rank 0, -1 if there is none.
func (p *problem) root() int64 {
	if p.r[0] == 0 {
		return p.v[0]
	}
	return -1
}

// clear tries both ways to take a bit away.
func (p *problem) clear() *Formula {
	if f := p.check(Formula{Kind: FormulaClearLow, B: p.root()}); f != nil {
		return f
	}
	return p.check(Formula{Kind: FormulaClearHigh, B: p.root()})
}

// addBit tries both ways to set a bit.
func (p *problem) addBit() *Formula {
	if !p.partners() || p.outside < 0 {
		return nil
	}
	d := p.v[p.inside] - p.r[p.inside]
	if d <= 0 || d&(d-1) != 0 {
		return nil
	}
	f := Formula{Kind: FormulaAddBelow, A: int64(bits.TrailingZeros64(uint64(d))), B: p.border(), Size: p.size}
	if g := p.check(f); g != nil {
		return g
	}
	f.Kind = FormulaAddAbove
	return p.check(f)
}

// child takes the least factor a > 1. Two samples with ranks as values determine it; with one, r0,
// it must be large enough to leave the other samples without a partner.
func (p *problem) child() *Formula {
	if !p.partners() || p.outside < 0 {
		return nil
	}
	r0, v0 := p.r[p.inside], p.v[p.inside]
	least, second := int64(2), -1
	for i := range p.r {
		d, v := p.r[i]-r0, p.v[i]
		switch {
		case d == 0:
		case v >= 0 && v < p.size:
			if second < 0 {
				second = i
			}
		case d > 0:
			least = max(least, (p.size-v0+d-1)/d)
		default:
			least = max(least, v0/-d+1)
		}
	}
	if second >= 0 {
		a, ok := slope(r0, p.r[second], v0, p.v[second])
		if !ok || a < 2 {
			return nil
		}
		least = a
	}
	return p.check(Formula{Kind: FormulaChild, A: least, C: v0 - least*r0, B: p.border(), Size: p.size})
}

// multiple takes the factor a of the least magnitude, a positive one before a negative one.
func (p *problem) multiple() *Formula {
	if p.size < 2 || p.outside >= 0 {
		return nil
	}
	// a is known modulo m, a divisor of P
	a, m := int64(0), int64(1)
	ok := p.all(func(i int) bool {
		dr, dv := mod(p.r[i]-p.r[0], p.size), mod(p.v[i]-p.v[0], p.size)
		// (a + m*t) * dr = dv modulo P
		x, y := mod(m*dr, p.size), mod(dv-a*dr, p.size)
		g := gcd(x, p.size)
		if y%g != 0 {
			return false
		}
		n := p.size / g // t is known modulo n
		t := mod(y/g*inverse(x/g%n, n), n)
		a, m = mod(a+m*t, m*n), m*n
		return true
	})
	if !ok {
		return nil
	}
	a = centred(a, m)
	return p.check(Formula{Kind: FormulaMultiple, A: a, C: mod(p.v[0]-a*mod(p.r[0], p.size), p.size), Size: p.size})
}
