package infer

import "slices"

// quantity is something that a number may be equal to.
type quantity struct {
	e    *Expr
	dims bool
	at   []int64 // its value in each recording
}

// quantityKey says what the list of quantities depends on.
type quantityKey struct {
	role    role
	related bool
	grid    *Grid
}

// quantities are those that a number with a role may be equal to.
func (m *inference) quantities(r role) []quantity {
	return m.known(quantityKey{r, false, m.grid}, func() []quantity { return m.listQuantities(r) })
}

// known is a list of quantities that is made once for each set of grids.
func (m *inference) known(k quantityKey, list func() []quantity) []quantity {
	qs, ok := m.lists[k]
	if !ok {
		qs = list()
		for i := range qs {
			for _, s := range m.recordings {
				qs[i].at = append(qs[i].at, s.quantity(qs[i].e))
			}
		}
		if m.lists == nil {
			m.lists = map[quantityKey][]quantity{}
		}
		m.lists[k] = qs
	}
	return qs
}

// quantity is the value of an expression at a recording, -1 if it has none there.
func (s *recording) quantity(e *Expr) int64 {
	if e.Uses(func(x *Expr) bool { return x.Grid != nil && s.env.Dims[x.Grid.ID] == nil }) {
		return -1
	}
	return s.at(e)
}

func (m *inference) listQuantities(r role) []quantity {
	list := []quantity{{e: sizeExpr}}
	if r == roleSize {
		list = append(list, quantity{e: half, dims: true}, quantity{e: otherHalf, dims: true})
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
			list = append(list, quantity{e: d, dims: true})
			if product != nil && k > 0 {
				list = append(list, quantity{e: op(Mul, d, product), dims: true})
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
	m.spend(16)
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
