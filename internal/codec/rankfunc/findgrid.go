package rankfunc

import "slices"

// grid takes the first shape of the context, then the set of axes without
// wrap-around that comes first as a binary number, then the border -1.
func (p *problem) grid() *Formula {
	if !p.partners() {
		return nil
	}
	p.ctx.prepare()
	step := p.commonStep()
	if step == 1 {
		return nil
	}
	for _, shape := range p.ctx.grids {
		if step%shape[len(shape)-1] != 0 {
			continue
		}
		if f := p.gridOf(shape); f != nil {
			return f
		}
	}
	return nil
}

// commonStep returns the greatest number by which all differences between rank and value are the
// same, where the value is a rank; 0 stands for all numbers. The size of a grid's last axis divides
// it.
func (p *problem) commonStep() int64 {
	g, first := int64(0), p.v[p.inside]-p.r[p.inside]
	for i, v := range p.v {
		if v < 0 || v >= p.size {
			continue
		}
		if g = gcd(g, v-p.r[i]-first); g == 1 {
			break
		}
	}
	return g
}

// A gridShift is what the samples tell of the shift along one axis.
type gridShift struct {
	size        int64
	up          int64 // the shift modulo the size
	plain, back bool  // seen: that shift, and that less the size
}

// gridOf tries the grid of one shape. A sample whose value is a rank gives the
// shift along each axis modulo the axis' size; along an axis without wrap-around
// also which of the two numbers it is.
func (p *problem) gridOf(shape []int64) *Formula {
	var buf [maxAxes]gridShift
	axes := buf[:len(shape)]
	n, r, v := int64(1), p.r[p.inside], p.v[p.inside]
	for i := len(shape) - 1; i >= 0; i-- {
		d := shape[i]
		axes[i] = gridShift{size: d, up: mod(v%d-r%d, d)}
		r, v, n = r/d, v/d, n*d
	}
	if !p.all(func(i int) bool { return p.observe(axes, n, i) }) {
		return nil
	}
	return p.choosePeriods(axes)
}

// observe notes the shift of sample i, and tells whether it may belong to the grid of n ranks.
func (p *problem) observe(axes []gridShift, n int64, i int) bool {
	r, v := p.r[i], p.v[i]
	if v < 0 || v >= p.size {
		return true
	}
	if r >= n || v >= n {
		return false
	}
	for k := len(axes) - 1; k >= 0; k-- {
		x := &axes[k]
		switch v%x.size - r%x.size {
		case x.up:
			x.plain = true
		case x.up - x.size:
			x.back = true
		default:
			return false
		}
		r, v = r/x.size, v/x.size
	}
	return true
}

// choosePeriods tries the sets of axes without wrap-around.
func (p *problem) choosePeriods(shifts []gridShift) *Formula {
	f := Formula{Kind: FormulaGrid, Size: p.size, Axes: make([]GridAxis, len(shifts))}
	number := p.numberOf(shifts)
	var free []int // axes that may be without wrap-around
	for i, s := range shifts {
		x := GridAxis{Size: s.size, Shift: centred(s.up, s.size), Periodic: true}
		if s.up == 0 {
			x.Periodic = false
		} else if !s.plain || !s.back {
			free = append(free, i)
		}
		f.Axes[i] = x
	}
	for set := range 1 << len(free) {
		for bit, i := range free {
			x, s := &f.Axes[i], shifts[i]
			x.Periodic = set>>bit&1 == 0
			x.Shift = centred(s.up, s.size)
			if !x.Periodic && s.plain {
				x.Shift = s.up
			} else if !x.Periodic {
				x.Shift = s.up - s.size
			}
		}
		f.B = -1
		if f.bordered() {
			f.B = p.border()
		}
		f.number = number
		if g := p.check(f); g != nil {
			return g
		}
	}
	return nil
}

// numberOf returns one more than the number of a grid, 0 if it has none.
func (p *problem) numberOf(shifts []gridShift) int {
	sizes := make([]int64, len(shifts))
	for i, s := range shifts {
		sizes[i] = s.size
	}
	if n, ok := p.ctx.shapeNumber(sizes); ok {
		return n + 1
	}
	return 0
}

// Values of the family of coordinates are less than that in magnitude.
const maxCoordValue = 1 << 30

// coords takes the first length of a row, then the least magnitude of b, a
// positive one before a negative one.
func (p *problem) coords() *Formula {
	if p.min <= -maxCoordValue || p.max >= maxCoordValue {
		return nil
	}
	p.ctx.prepare()
	for _, q := range p.ctx.divisors {
		if a, b, ok := p.plane(q); ok {
			c := p.v[0] - a*(p.r[0]/q) - b*(p.r[0]%q)
			if f := p.check(Formula{Kind: FormulaCoords, A: a, B: b, C: c, P: q}); f != nil {
				return f
			}
		}
	}
	return nil
}

// plane returns a and b such that the values of the first samples that determine
// them are a*x + b*y + c, x and y being the row and column in rows of q ranks.
func (p *problem) plane(q int64) (a, b int64, ok bool) {
	x0, y0, v0 := p.r[0]/q, p.r[0]%q, p.v[0]
	// Sample 1 is in another place than sample 0.
	x1, y1, v1 := p.r[1]/q-x0, p.r[1]%q-y0, p.v[1]-v0
	g := gcd(x1, y1) // greatest step along the line so far, then of all samples on it
	straight := p.all(func(i int) bool {
		x, y, v := p.r[i]/q-x0, p.r[i]%q-y0, p.v[i]-v0
		if d := x1*y - y1*x; d != 0 {
			// Cramer's rule. The values are too small to overflow.
			an, bn := v1*y-y1*v, x1*v-v1*x
			if an%d == 0 && bn%d == 0 {
				a, b, ok = an/d, bn/d, true
			}
			return false
		}
		// On the line through samples 0 and 1 the value has to be linear.
		return v*x1 == v1*x && v*y1 == v1*y
	})
	if !straight {
		return a, b, ok
	}
	px, py := x1/g, y1/g
	if v1%g != 0 || px == 0 {
		return 0, 0, false // px == 0: affine in the rank, were it so
	}
	// a*px + b*py = v1/g, with b modulo px
	k := v1 / g
	if px < 0 {
		px, py, k = -px, -py, -k
	}
	b = centred(k%px*inverse(mod(py, px), px), px)
	return (k - b*py) / px, b, true
}

// inverse returns the number that times a is 1 modulo m, if a and m have no
// common divisor; 0 modulo 1.
func inverse(a, m int64) int64 {
	x, y := int64(0), int64(1)
	for r, n := m, a; n != 0; {
		k := r / n
		r, n = n, r-k*n
		x, y = y, x-k*y
	}
	return mod(x, m)
}

// permute takes the first shape of three axes of the context, and the first order.
func (p *problem) permute() *Formula {
	if p.outside >= 0 || p.size == 0 {
		return nil
	}
	p.ctx.prepare()
	if len(p.ctx.cubes) == 0 || p.r[len(p.r)-1] >= p.size {
		return nil
	}
	f := Formula{Kind: FormulaPermute, Size: p.size, Axes: make([]GridAxis, 3)}
	for _, shape := range p.ctx.cubes {
		for i, d := range shape {
			f.Axes[i].Size = d
		}
		// Two samples are mostly enough to tell that no order will do.
		if !f.reorderable(p.r[p.i1], p.v[p.i1]) || !f.reorderable(p.r[0], p.v[0]) {
			continue
		}
		if k := p.orderOf(&f); k >= 0 {
			f.A = int64(k)
			return p.check(f)
		}
	}
	return nil
}

// reorderable tells whether some order of the axes gives rank r the value v.
func (f *Formula) reorderable(r, v int64) bool {
	at, ok := f.place(r)
	if !ok {
		return false
	}
	x, y, z := f.Axes[0].Size, f.Axes[1].Size, f.Axes[2].Size
	return v == (at[0]*z+at[2])*y+at[1] || v == (at[1]*x+at[0])*z+at[2] || v == (at[1]*z+at[2])*x+at[0] ||
		v == (at[2]*x+at[0])*y+at[1] || v == (at[2]*y+at[1])*x+at[0]
}

// orderOf returns the first order of the axes of f that holds for all samples, -1 if there is none.
func (p *problem) orderOf(f *Formula) int {
	var open [len(orders)]bool
	for k := range open {
		open[k] = true
	}
	some := p.all(func(i int) bool {
		at, ok := f.place(p.r[i])
		left := false
		for k, o := range orders {
			open[k] = open[k] && ok && f.reordered(at, o) == p.v[i]
			left = left || open[k]
		}
		return left
	})
	if !some {
		return -1
	}
	return slices.Index(open[:], true)
}
