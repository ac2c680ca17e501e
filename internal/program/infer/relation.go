package infer

import "slices"

// related are the quantities that numbers of several sizes may follow from: besides those that a
// number may be equal to, what parts and exchanges of larger jobs go by.
func (m *inference) related(r role) []quantity {
	return m.known(quantityKey{r, true, m.grid}, func() []quantity {
		qs := slices.Clone(m.quantities(r))
		if r == roleDims || r == roleStride {
			slices.Reverse(qs)
			return qs
		}
		if r == roleRank {
			return qs
		}
		add := func(e *Expr) {
			if !slices.ContainsFunc(qs, func(q quantity) bool { return q.e.Equal(e) }) {
				qs = append(qs, quantity{e: e})
			}
		}
		dims := m.quantities(roleDims)
		steps := func() {
			for _, q := range dims {
				add(log2(q.e))
			}
		}
		if r == roleSteps {
			plain := qs[1:]
			qs = slices.Clip(qs[:1])
			steps()
			qs = append(qs, plain...)
		}
		for _, q := range dims {
			add(q.e)
		}
		steps()
		add(op(Mul, sizeExpr, sizeExpr))
		return qs
	})
}

// log2 is the number of steps in which so many ranks can be halved.
func log2(e *Expr) *Expr {
	if e.Op == Size {
		return log2Size
	}
	return &Expr{Op: Bits, Args: []*Expr{op(Sub, e, num(1))}}
}

// points are numbers that are known for several recordings, with the values of a quantity there.
type points struct{ q, v []int64 }

// all tells whether f holds for all points.
func (p *points) all(f func(q, v int64) bool) bool {
	for i := range p.v {
		if !f(p.q[i], p.v[i]) {
			return false
		}
	}
	return true
}

// ends are two points at which the quantity differs, the first one and the next that does.
func (p *points) ends() (a, b int, ok bool) {
	b = slices.IndexFunc(p.q, func(q int64) bool { return q != p.q[0] })
	return 0, b, b > 0
}

// few tells whether the quantity has two values only: a line goes through any two points.
func (p *points) few() bool {
	a, b, ok := p.ends()
	return !ok || p.all(func(q, _ int64) bool { return q == p.q[a] || q == p.q[b] })
}

// family is a family of formulas of a quantity: the one that gives all numbers, nil if none does.
type family func(m *inference, q *Expr, p *points) *Expr

// relation explains numbers that differ between sizes, the simplest formula first: a quantity, or
// one near to it; a multiple of one, or a part of a whole; then both with something added; then
// sums of its powers, as areas of parts and what several of them have are.
func (m *inference) relation(vals map[*recording]int64, r role) *Expr {
	families := []family{nearTo, multiple}
	if r != roleRank {
		families = append(families, straight, share, powers)
	}
	return m.first(vals, r, families...)
}

// first is the first formula of some families that gives all numbers.
func (m *inference) first(vals map[*recording]int64, r role, families ...family) *Expr {
	p, at := m.pointsOf(vals)
	qs := append(m.repeated(), m.related(r)...)
	for _, f := range families {
		for _, q := range qs {
			for k, i := range at {
				p.q[k] = q.at[i]
			}
			m.spend(len(at))
			if !p.all(func(q, _ int64) bool { return q >= 0 }) {
				continue
			}
			if e := f(m, q.e, p); e != nil {
				return e
			}
		}
	}
	return nil
}

// pointsOf are numbers of recordings, and which recordings these are.
func (m *inference) pointsOf(vals map[*recording]int64) (p *points, at []int) {
	p = &points{}
	for i, s := range m.recordings {
		if v, ok := vals[s]; ok {
			at, p.v = append(at, i), append(p.v, v)
		}
	}
	p.q = make([]int64, len(at))
	return p, at
}

// repeated are how often loops are repeated that depend on the size only: what else depends on it may well
// follow from these.
func (m *inference) repeated() (list []quantity) {
	if m.grid != nil {
		return nil
	}
	for _, e := range m.counts {
		if e.UsesRank() || e.Op == Size || e.Op == Dim || e.Uses(func(x *Expr) bool { return x.Op == Index }) {
			continue
		}
		q := quantity{e: e}
		for _, s := range m.recordings {
			q.at = append(q.at, s.quantity(e))
		}
		list = append(list, q)
	}
	return list
}

func nearTo(_ *inference, q *Expr, p *points) *Expr {
	d := p.v[0] - p.q[0]
	if d < -2 || d > 2 || !p.all(func(q, v int64) bool { return v == q+d }) {
		return nil
	}
	return op(Add, q, num(d))
}

func multiple(_ *inference, q *Expr, p *points) *Expr {
	if p.q[0] <= 0 {
		return nil
	}
	if a := p.v[0] / p.q[0]; a != 0 && p.all(func(q, v int64) bool { return v == a*q }) {
		return op(Mul, q, num(a))
	}
	whole := p.v[0] * p.q[0]
	if whole == 0 || q.Op == Bits || !p.all(func(q, v int64) bool { return q > 0 && v*q == whole }) {
		return nil
	}
	if whole < 0 {
		return op(Mul, num(-1), op(Div, num(-whole), q))
	}
	return op(Div, num(whole), q)
}

func straight(m *inference, q *Expr, p *points) *Expr {
	i, k, ok := p.ends()
	if !ok || (p.v[k]-p.v[i])%(p.q[k]-p.q[i]) != 0 {
		return nil
	}
	a := (p.v[k] - p.v[i]) / (p.q[k] - p.q[i])
	rest := p.v[i] - a*p.q[i]
	if a <= 0 || p.few() && (rest > 2*a || rest < -2*a) || !p.all(func(q, v int64) bool { return v == a*q+rest }) {
		return nil
	}
	return m.fewNoted(op(Add, op(Mul, q, num(a)), num(rest)), p)
}

func share(m *inference, q *Expr, p *points) *Expr {
	i, k, ok := p.ends()
	if !ok || !p.all(func(q, _ int64) bool { return q > 0 }) {
		return nil
	}
	whole := (p.v[i] - p.v[k]) * p.q[i] * p.q[k]
	if whole%(p.q[k]-p.q[i]) != 0 {
		return nil
	}
	whole /= p.q[k] - p.q[i]
	rest := p.v[i] - whole/p.q[i]
	least := whole / slices.Max(p.q)
	if whole <= 0 || p.few() && (q.Op == Bits || 3*rest > least || 3*rest < -least) ||
		!p.all(func(q, v int64) bool { return whole%q == 0 && v == whole/q+rest }) {
		return nil
	}
	return m.fewNoted(op(Add, op(Div, num(whole), q), num(rest)), p)
}

// fewNoted notes a formula with two numbers that no third value has confirmed.
func (m *inference) fewNoted(e *Expr, p *points) *Expr {
	if p.few() {
		if m.factor {
			return nil // it would be any two numbers
		}
		return m.note(e, "%v, from few sizes only", e)
	}
	return e
}
