package infer

import "slices"

// quantity is something that a number may be equal to.
type quantity struct {
	e    *Expr
	dims bool
}

func (m *inference) quantities(r role) []quantity {
	list := []quantity{{e: sizeExpr}}
	if r == roleSize {
		list = append(list, quantity{half, true}, quantity{otherHalf, true})
	}
	if r == roleSteps {
		list = []quantity{{e: log2Size}, {e: sizeExpr}}
	}
	if r == roleRank || r == roleTrips || r == roleOther || r == roleLength || r == roleSize {
		list = append(list, quantity{e: log2Size})
	}
	for _, g := range m.grids {
		if g.Axes < 2 || m.grid != nil && g != m.grid {
			continue
		}
		product := (*Expr)(nil)
		for k := g.Axes - 1; k >= 0; k-- {
			d := dimExpr(g, k)
			list = append(list, quantity{d, true})
			if product != nil && k > 0 {
				list = append(list, quantity{op(Mul, d, product), true})
			}
			if product == nil {
				product = d
			} else {
				product = op(Mul, d, product)
			}
		}
	}
	return list
}

// log2Size is the number of steps in which a job of P ranks can be halved.
var log2Size = &Expr{Op: Bits, Args: []*Expr{{Op: Sub, Args: []*Expr{sizeExpr, {Op: Num, N: 1}}}}}

// half and otherHalf are the sizes of two halves.
var (
	half      = &Expr{Op: Div, Args: []*Expr{sizeExpr, {Op: Num, N: 2}}}
	otherHalf = &Expr{Op: Div, Args: []*Expr{{Op: Add, Args: []*Expr{sizeExpr, {Op: Num, N: 1}}}, {Op: Num, N: 2}}}
)

// constant is the expression for a number that is the same at all ranks of a recording: the number
// itself, or what it is equal to. nil if nothing fits.
func (m *inference) constant(vals map[*recording]int64, r role) *Expr {
	if len(vals) == 0 {
		return num(0)
	}
	equal, first := true, int64(0)
	n := 0
	for _, v := range vals {
		if n == 0 {
			first = v
		} else if v != first {
			equal = false
		}
		n++
	}
	sizes := map[int64]bool{}
	for s := range vals {
		sizes[s.size] = true
	}
	if len(sizes) > 1 {
		if equal && (r != roleStride || first < 2) {
			return num(first)
		}
		if e := m.relation(vals, r); e != nil || !equal {
			return e
		}
		return num(first)
	}
	if !equal {
		return nil
	}
	return m.single(vals, first, r)
}

// at is the value of an expression without rank and index at a recording.
func (s *recording) at(e *Expr) int64 { return e.Eval(&s.env) }

// relation explains numbers that differ between sizes.
func (m *inference) relation(vals map[*recording]int64, r role) *Expr {
	fits := func(e *Expr) bool {
		for s, v := range vals {
			if s.at(e) != v {
				return false
			}
		}
		return true
	}
	qs := m.quantities(r)
	if r == roleDims || r == roleStride {
		slices.Reverse(qs)
	}
	for _, d := range []int64{0, -1, 1, -2, 2} {
		for _, q := range qs {
			if e := op(Add, q.e, num(d)); fits(e) {
				return e
			}
		}
	}
	var some *recording
	for s := range vals {
		some = s
	}
	for _, q := range qs {
		x := some.at(q.e)
		if x != 0 && vals[some]%x == 0 {
			if e := op(Mul, q.e, num(vals[some]/x)); fits(e) {
				return e
			}
		}
		if e := op(Div, num(vals[some]*x), q.e); fits(e) {
			return e
		}
	}
	if r == roleRank {
		return nil
	}
	for _, q := range qs {
		for s, v := range vals {
			x, y := s.at(q.e), some.at(q.e)
			if x == y || (v-vals[some])%(x-y) != 0 {
				continue
			}
			a := (v - vals[some]) / (x - y)
			rest := v - a*x
			if a < 0 || len(vals) == 2 && (rest > 2*a || rest < -2*a) {
				continue
			}
			if e := op(Add, op(Mul, q.e, num(a)), num(rest)); fits(e) {
				return m.note(e, "%v, from few sizes only", e)
			}
		}
	}
	return nil
}

// single explains a number that is known for one size only. What the number means decides.
func (m *inference) single(vals map[*recording]int64, v int64, r role) *Expr {
	var s *recording
	for x := range vals {
		s = x
	}
	switch r {
	case roleRank:
		if v == s.size-1 && v > 0 {
			return m.note(op(Sub, sizeExpr, num(1)), "rank %d is the last one", v)
		}
		if v == s.size/2 && v > 1 {
			return m.note(num(v), "rank %d is the same one in jobs of other sizes", v)
		}
	case roleSize, roleLength:
		if v == s.size && v > 1 {
			return sizeExpr
		}
		for _, q := range m.quantities(r) {
			if q.dims && v > 1 && s.at(q.e) == v && r == roleSize {
				return m.note(op(Max, q.e, num(1)), "%d ranks are %v", v, q.e)
			}
		}
	case roleDims, roleStride:
		for _, q := range slices.Backward(m.quantities(r)) {
			if q.dims && s.at(q.e) == v && v > 1 {
				return q.e
			}
		}
		if v == s.size && v > 1 {
			return sizeExpr
		}
	case roleTrips:
		for _, d := range []int64{-1, 0, -2} {
			if e := op(Add, sizeExpr, num(d)); v > 1 && s.at(e) == v {
				return m.note(e, "%d partners are %v", v, e)
			}
		}
		for _, q := range m.quantities(r) {
			if x := s.at(q.e); q.dims && v > 1 && (v == x || v == x-1) {
				return m.note(num(v),
					"%d partners, in jobs of any size, although an axis of the process grid has %d ranks", v, x)
			}
		}
	case roleLoop:
		if v > 2 && (v == s.size || v == s.size-1) {
			return m.note(num(v), "%d times in jobs of any size, although there are %d ranks", v, s.size)
		}
		for _, q := range m.quantities(r) {
			if x := s.at(q.e); q.dims && v > 1 && x > 2 && v <= x && v >= x-2 {
				return m.note(num(v), "%d times in jobs of any size, although an axis of the process grid has %d ranks",
					v, x)
			}
		}
	case roleSteps:
		if s.at(log2Size) == v {
			return m.note(&Expr{Op: log2Size.Op, Args: log2Size.Args}, "%d partners are %v", v, log2Size)
		}
	case roleOther:
		// What is the same at all ranks is seldom a number of ranks. Another size tells.
		if v > 2 && (v == s.size || v == s.size-1) {
			return m.note(num(v), "%d does not depend on the number of ranks, which is %d", v, s.size)
		}
	}
	return num(v)
}
