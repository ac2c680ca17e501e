package rankfunc

import "math"

// A problem is the search for a formula: ranks in ascending order with their values.
type problem struct {
	ctx  *Context
	size int64
	r, v []int64

	killers []int // indices of samples that refuted formulas lately, to be tried first

	min, max int64 // of the values
	i1       int   // first sample whose value is not that of sample 0
	inside   int   // first sample whose value is a rank of the communicator, -1 none
	outside  int   // first sample whose value is not, -1 none
	mixed    bool  // there are several values that are not ranks
}

const maxKillers = 12

// find returns the first formula that reproduces all values, nil if there is none.
//
// For Merge to be exact every family has to be searched completely: if some formula of it holds,
// one is found. It is the first one in an order of the family's formulas that does not depend on
// the ranks (the comments tell which). A parameter that the values leave open is part of that
// order.
func find(ctx *Context, r, v []int64) *Formula { return search(ctx, r, v, false) }

// guess returns a formula of the more frequent families that reproduces all values, nil if there is
// none.
func guess(ctx *Context, r, v []int64) *Formula { return search(ctx, r, v, true) }

func search(ctx *Context, r, v []int64, quick bool) *Formula {
	p := &problem{ctx: ctx, size: int64(ctx.Size), r: r, v: v}
	if p.size < 0 || p.size > MaxRank+1 {
		p.size = 0
	}
	if f := p.constant(); f != nil {
		return f
	}
	p.look()
	if f := p.first(families); f != nil {
		return f
	}
	if !quick {
		if f := p.nearDirection(); f != nil {
			return f
		}
	}
	return p.first(limits)
}

func (p *problem) first(families []func(*problem) *Formula) *Formula {
	for _, family := range families {
		if f := family(p); f != nil {
			return f
		}
	}
	return nil
}

// families are in the order of preference. All rely on the values being different.
var families = []func(*problem) *Formula{
	(*problem).shift, (*problem).ring, (*problem).line, (*problem).xor, (*problem).affine, (*problem).near,
	(*problem).one,
	(*problem).div, (*problem).mod, (*problem).leader, (*problem).coords, (*problem).grid, (*problem).digit,
	(*problem).parent, (*problem).child, (*problem).clear, (*problem).addBit, (*problem).xorLine,
}

// limits are families that come behind nearDirection, which guesses leave out: it has the most
// formulas.
var limits = []func(*problem) *Formula{
	(*problem).atLeast, (*problem).atMost, (*problem).between, (*problem).multiple, (*problem).permute,
}

// constant is found if all values are equal.
func (p *problem) constant() *Formula {
	if len(p.v) == 0 {
		return &Formula{}
	}
	for i, v := range p.v {
		if v != p.v[0] {
			p.i1 = i
			return nil
		}
	}
	return &Formula{A: p.v[0]}
}

// look gathers facts about the values.
func (p *problem) look() {
	p.min, p.max = math.MaxInt64, math.MinInt64
	p.inside, p.outside = -1, -1
	for i, v := range p.v {
		p.min, p.max = min(p.min, v), max(p.max, v)
		switch {
		case v >= 0 && v < p.size:
			if p.inside < 0 {
				p.inside = i
			}
		case p.outside < 0:
			p.outside = i
		case v != p.v[p.outside]:
			p.mixed = true
		}
	}
}

// border returns the value of ranks without a partner, -1 if no rank is one.
func (p *problem) border() int64 {
	if p.outside < 0 {
		return -1
	}
	return p.v[p.outside]
}

// partners tells whether the values may be ranks with at most one value for those that have none.
func (p *problem) partners() bool { return p.size > 0 && p.inside >= 0 && !p.mixed }

// all calls ok for the samples, first for those that refuted others lately, until it fails.
func (p *problem) all(ok func(i int) bool) bool {
	for k, i := range p.killers {
		if !ok(i) {
			copy(p.killers[1:k+1], p.killers[:k])
			p.killers[0] = i
			return false
		}
	}
	for i := range p.r {
		if !ok(i) {
			if len(p.killers) < maxKillers {
				p.killers = append(p.killers, 0)
			}
			copy(p.killers[1:], p.killers)
			p.killers[0] = i
			return false
		}
	}
	return true
}

// check returns f if it reproduces all values.
func (p *problem) check(f Formula) *Formula {
	if !p.all(func(i int) bool { return f.at(p.r[i]) == p.v[i] }) {
		return nil
	}
	found := f
	return &found
}

func (p *problem) shift() *Formula {
	return p.check(Formula{Kind: FormulaShift, A: p.v[0] - p.r[0]})
}

func (p *problem) ring() *Formula {
	if p.size < 2 || p.outside >= 0 {
		return nil
	}
	return p.check(Formula{Kind: FormulaRing, A: centred(p.v[0]-p.r[0], p.size), Size: p.size})
}

func (p *problem) line() *Formula {
	if !p.partners() {
		return nil
	}
	return p.check(Formula{Kind: FormulaLine, A: p.v[p.inside] - p.r[p.inside], B: p.border(), Size: p.size})
}

func (p *problem) xor() *Formula {
	return p.check(Formula{Kind: FormulaXor, A: p.v[0] ^ p.r[0]})
}

func (p *problem) affine() *Formula {
	a, ok := slope(p.r[0], p.r[p.i1], p.v[0], p.v[p.i1])
	if !ok {
		return nil
	}
	return p.check(Formula{Kind: FormulaAffine, A: a, B: p.v[0] - a*p.r[0]})
}

// slope returns the integer a with a*(x1-x0) = v1-v0, less than 2^31 in magnitude, if there is one.
// So it is the only one modulo 2^64, too.
func slope(x0, x1, v0, v1 int64) (int64, bool) {
	dx, dv := x1-x0, v1-v0
	if dx == 0 || dv%dx != 0 {
		return 0, false
	}
	a := dv / dx
	return a, a > -1<<31 && a < 1<<31
}

// one takes the least rank that differs; of two ranks either may.
func (p *problem) one() *Formula {
	f := Formula{Kind: FormulaOne, A: p.v[p.i1], B: p.v[0], C: p.r[0]}
	if g := p.check(f); g != nil {
		return g
	}
	return p.check(Formula{Kind: FormulaOne, A: p.v[0], B: p.v[p.i1], C: p.r[p.i1]})
}

// div takes the least divisor.
func (p *problem) div() *Formula {
	if p.min < 0 {
		return nil
	}
	k, ok := p.divisor(0)
	if !ok {
		return nil
	}
	return p.check(Formula{Kind: FormulaDiv, P: k})
}

// divisor returns the least k > 1 with v = (r-off) div k for all samples with r >= off.
func (p *problem) divisor(off int64) (int64, bool) {
	low, high := int64(2), int64(math.MaxInt64)
	ok := p.all(func(i int) bool {
		r, v := p.r[i]-off, p.v[i]
		if r < 0 {
			return true
		}
		if v < 0 || v > r {
			return false
		}
		// v*k <= r < (v+1)*k
		low = max(low, r/(v+1)+1)
		if v > 0 {
			high = min(high, r/v)
		}
		return low <= high
	})
	return low, ok
}

// mod takes the greatest modulus.
func (p *problem) mod() *Formula {
	if p.min < 0 || p.max > MaxRank {
		return nil
	}
	g := int64(0)
	d := p.r[0] - p.v[0]
	ok := p.all(func(i int) bool {
		g = gcd(g, p.r[i]-p.v[i]-d)
		return g == 0 || g > p.max
	})
	if !ok || g < 2 {
		return nil
	}
	return p.check(Formula{Kind: FormulaMod, A: centred(-d, g), P: g})
}

// leader takes the greatest modulus.
func (p *problem) leader() *Formula {
	if p.min < 0 || p.max > MaxRank {
		return nil
	}
	g, far := int64(0), int64(0)
	ok := p.all(func(i int) bool {
		g = gcd(g, p.v[i])
		d := p.r[i] - p.v[i]
		far = max(far, d)
		return d >= 0 && (g == 0 || g > far)
	})
	if !ok || g < 2 {
		return nil
	}
	return p.check(Formula{Kind: FormulaLeader, P: g})
}

// gcd returns the greatest common divisor, not negative.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// digit takes the first pair of the context; a and c follow.
func (p *problem) digit() *Formula {
	p.ctx.prepare()
	for _, d := range p.ctx.digits {
		q, n := d[0], d[1]
		x0, x1 := p.r[0]/q%n, p.r[p.i1]/q%n
		a, ok := slope(x0, x1, p.v[0], p.v[p.i1])
		if !ok {
			continue
		}
		if f := p.check(Formula{Kind: FormulaDigit, A: a, C: p.v[0] - a*x0, P: n, Q: q}); f != nil {
			return f
		}
	}
	return nil
}

func (p *problem) xorLine() *Formula {
	if !p.partners() || p.outside < 0 {
		return nil
	}
	return p.check(Formula{Kind: FormulaXorLine, A: p.r[p.inside] ^ p.v[p.inside], B: p.border(), Size: p.size})
}

// moderate tells whether a rank can be added to and taken from values without overflow.
func (p *problem) moderate() bool { return p.min > -1<<62 && p.max < 1<<62 }

// Of the next three, the first rank is at the lower limit or there is none, and
// the last one likewise.

func (p *problem) atLeast() *Formula {
	if !p.moderate() {
		return nil
	}
	last := len(p.r) - 1
	return p.check(Formula{Kind: FormulaAtLeast, A: p.v[last] - p.r[last], B: p.v[0]})
}

func (p *problem) atMost() *Formula {
	if !p.moderate() {
		return nil
	}
	last := len(p.r) - 1
	return p.check(Formula{Kind: FormulaAtMost, A: p.v[0] - p.r[0], B: p.v[last]})
}

// between takes the least shift.
func (p *problem) between() *Formula {
	last := len(p.r) - 1
	low, high := p.v[0], p.v[last]
	if low >= high || !p.moderate() {
		return nil
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	ok := p.all(func(i int) bool {
		d := p.v[i] - p.r[i]
		switch v := p.v[i]; {
		case v == low:
			to = min(to, d)
		case v == high:
			from = max(from, d)
		case v > low && v < high:
			from, to = max(from, d), min(to, d)
		default:
			return false
		}
		return from <= to
	})
	if !ok {
		return nil
	}
	return p.check(Formula{Kind: FormulaBetween, A: from, B: low, C: high})
}
