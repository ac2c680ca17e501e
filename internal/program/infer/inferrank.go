package infer

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/program/formula"
)

// inside tells whether a value may be a rank.
func (t *table) inside(i int) bool {
	return t.vals[i] >= 0 && t.vals[i] < t.rows[i].recording.size
}

// ranks tells whether a table has rows of so many ranks at least.
func (t *table) ranks(n int) bool { return t.observations(rankExpr, n) >= n }

// largest is the number of ranks of the largest recording that has rows.
func (t *table) largest() int64 {
	n := int64(0)
	for i := range t.rows {
		n = max(n, t.rows[i].recording.size)
	}
	return n
}

// fitRank explains ranks, among which there may be one value that is none, such as MPI_PROC_NULL.
func (t *table) fitRank(idx []*Expr, depth int) *Expr {
	in := t.only(t.inside)
	if len(in.rows) == 0 {
		return nil
	}
	out := t.only(func(i int) bool { return !t.inside(i) })
	border, single := out.constants()
	if !single {
		return nil
	}
	var beyond *Expr
	if len(out.rows) > 0 {
		if beyond = t.m.constant(border, roleFixed); beyond == nil {
			return nil
		}
	}
	list := in.partners(idx)
	if t.m.blocked != "" {
		return nil
	}
	for _, e := range list {
		x := e
		if beyond != nil {
			// Most often there is no partner where the formula gives no rank.
			exists := op(And, op(Not, op(Less, e, num(0))), op(Less, e, sizeExpr))
			if e.Op == Shift || e.Op == NearRank {
				exists = op(Not, op(Less, e, num(0)))
			}
			x = op(If, exists, e, beyond)
		}
		if t.holds(x) {
			return x
		}
	}
	if beyond == nil || depth >= maxDepth {
		return nil
	}
	c := t.with(func(i int) int64 { return formula.Truth(t.inside(i)) }).condition()
	if c == nil {
		return nil
	}
	for _, e := range list {
		if x := op(If, c, e, beyond); t.holds(x) {
			return x
		}
	}
	return nil
}

// near1 accepts a rank less or more than one's own by at most one.
func near1(c []int64) bool { return c[1] == 1 && c[0] >= -1 && c[0] <= 1 }

// partners are the formulas that give all values, which are ranks; the more likely ones first.
func (t *table) partners(idx []*Expr) (list []*Expr) {
	add := func(e *Expr) {
		if e != nil {
			list = append(list, e)
		}
	}
	if t.holds(rankExpr) {
		return []*Expr{rankExpr}
	}
	if t.largest() == 2 {
		t.m.blocked = "with two ranks there is one partner only, whoever it is"
		return nil
	}
	grids := t.m.gridsFor(t)
	if t.m.rounds && t.m.root {
		if e := t.round(idx, grids); e != nil {
			return []*Expr{e}
		}
	}
	for _, k := range idx {
		for _, g := range grids {
			if e := t.around(g, k); e != nil {
				return []*Expr{e}
			}
		}
	}
	for _, g := range grids {
		if t.m.explicit[g] {
			add(t.gridShift(g))
		}
	}
	if t.m.blocked != "" && len(list) == 0 {
		return nil
	}
	add(t.linear([]*Expr{rankExpr}, roleRank, false, near1))
	add(t.ring(nil, true))
	for _, g := range grids {
		if !t.m.explicit[g] {
			add(t.gridShift(g))
		}
	}
	// Nobody said that there is a grid.
	twoSided := t.m.blocked != "" && len(list) == 0
	t.m.blocked = ""
	if !t.m.policy.grid && t.ranks(2) {
		for _, k := range idx {
			add(t.xor(op(Shl, k)))
			add(t.halving(k))
		}
	}
	if len(idx) > 0 {
		// Beside one another on a line is simpler than at a corner of a grid.
		for _, g := range slices.SortedStableFunc(slices.Values(grids), func(a, b *Grid) int {
			return cmp.Compare(t.m.simple(b), t.m.simple(a))
		}) {
			add(t.near(g, idx))
		}
	}
	if len(list) > 0 {
		return list
	}
	add(t.linear([]*Expr{rankExpr}, roleFixed, false, func(c []int64) bool { return c[1] == 1 }))
	steady := func(c []int64) bool { return c[1] == 1 }
	for _, k := range idx {
		add(t.linear([]*Expr{rankExpr, k}, roleFixed, false, steady))
		add(t.linear([]*Expr{rankExpr, op(Shl, k)}, roleFixed, false, steady))
	}
	add(t.ring(nil, false))
	for _, k := range idx {
		add(t.ring(k, false))
		add(t.ring(op(Shl, k), false))
	}
	if e := t.xor(nil); e != nil {
		if twoSided {
			t.m.note(e, "the partner has another bit in its rank; "+
				"it could as well be a neighbour on a process grid with two ranks along an axis")
		}
		add(e)
	}
	for _, k := range idx {
		add(t.xor(k))
		add(t.xor(op(Shl, k)))
	}
	add(t.halves())
	for _, g := range grids {
		if g.Axes > 1 {
			add(t.permuted(g))
		}
	}
	for _, f := range t.features(idx) {
		add(t.linear(f, roleFixed, false, nil))
	}
	for p := int64(2); p <= 8; p++ {
		parent := []*Expr{op(Div, op(Sub, rankExpr, num(1)), num(p))}
		add(t.linear(parent, roleFixed, false, func(c []int64) bool { return c[0] == 0 && c[1] == 1 }))
		add(t.linear([]*Expr{op(Div, rankExpr, num(p))}, roleFixed, false, nil))
	}
	return list
}

// simple is 1 for a line, unless it is known that there is a grid.
func (m *inference) simple(g *Grid) int64 {
	for _, known := range m.explicit {
		if known {
			return 0
		}
	}
	return formula.Truth(g.Axes == 1)
}

// round explains ranks that go round all ranks, or those of an axis of a process grid, from
// iteration to iteration.
func (t *table) round(idx []*Expr, grids []*Grid) *Expr {
	sizes := []*Expr{sizeExpr}
	for _, g := range grids {
		for k := range g.Axes {
			if g.Axes > 1 {
				sizes = append(sizes, dimExpr(g, k))
			}
		}
	}
	for _, k := range idx {
		first, at := int64(0), int64(-1)
		for i := range t.rows {
			if v := t.eval(k, i); at < 0 || v < at {
				first, at = t.vals[i], v
			}
		}
		for _, n := range sizes {
			for _, by := range []int64{0, first} {
				e := op(Mod, op(Add, k, num(by)), n)
				if !t.holds(e) {
					continue
				}
				for i := range t.rows {
					if t.eval(k, i)+by >= t.eval(n, i) {
						return e
					}
				}
				return t.m.note(e, "that it goes round all ranks, %v, did not show in so few iterations", e)
			}
		}
	}
	return nil
}

// ring explains (r + a*f + b) mod P. With small, only neighbours.
func (t *table) ring(f *Expr, small bool) *Expr {
	for i := range t.rows {
		if t.rows[i].recording.size < 3 {
			return nil
		}
	}
	centred := func(v, p int64) int64 {
		v = formula.FloorMod(v, p)
		if v > p/2 {
			v -= p
		}
		return v
	}
	shift := t.with(func(i int) int64 { return centred(t.vals[i]-t.rows[i].rank, t.rows[i].recording.size) })
	var sum *Expr
	if f == nil {
		vals, ok := shift.constants()
		if !ok {
			return nil
		}
		for s, v := range vals {
			if small && (v < -1 || v > 1) {
				return nil
			}
			if 2*v == s.size {
				vals[s] = v
			}
		}
		if sum = t.m.constant(vals, roleFixed); sum == nil {
			return nil
		}
	} else {
		// From the smallest values of the index, as the others may have wrapped around.
		return t.ringAlong(f, shift)
	}
	e := op(Mod, op(Add, rankExpr, sum), sizeExpr)
	if !t.holds(e) {
		return nil
	}
	return e
}

// ringAlong explains (r + a*f + b) mod P, given the displacements. Of three ranks, the second next
// one is the one before, and of four it is as far either way.
func (t *table) ringAlong(f *Expr, shift *table) *Expr {
	// From the smallest values of the index, as the others may have wrapped around.
	most := t.largest()
	few := shift.only(func(i int) bool { return t.eval(f, i) <= 1 && t.rows[i].recording.size == most })
	for _, back := range []bool{false, true} {
		s := few.with(func(i int) int64 {
			if v := few.vals[i]; !back || 2*v != most {
				return v
			}
			return -most / 2
		})
		sum := s.linear([]*Expr{f}, roleFixed, false, func(c []int64) bool { return c[1] >= -2 && c[1] <= 2 })
		if sum == nil {
			continue
		}
		if e := op(Mod, op(Add, rankExpr, sum), sizeExpr); t.holds(e) {
			return e
		}
	}
	return nil
}

// xor explains r xor (a*f + b).
func (t *table) xor(f *Expr) *Expr {
	other := t.with(func(i int) int64 { return t.vals[i] ^ t.rows[i].rank })
	var with *Expr
	if f == nil {
		vals, ok := other.constants()
		if !ok {
			return nil
		}
		with = t.m.constant(vals, roleFixed)
	} else {
		with = other.linear([]*Expr{f}, roleFixed, false, nil)
	}
	if with == nil {
		return nil
	}
	e := op(Xor, rankExpr, with)
	if !t.holds(e) {
		return nil
	}
	return e
}

// halving explains r xor N/2, r xor N/4, ..., where N is the number of ranks, or of those along an axis.
func (t *table) halving(k *Expr) *Expr {
	if !t.ranks(4) {
		return nil
	}
	for _, q := range t.m.quantities(roleDims) { // the number of ranks is the first of them
		e := op(Xor, rankExpr, op(Div, q.e, op(Shl, op(Add, k, num(1)))))
		if slices.Min(q.at) > 0 && t.holds(e) && t.proved(e) {
			return e
		}
	}
	return nil
}

// halves explains ranks among every other one.
func (t *table) halves() *Expr {
	e := op(Div, rankExpr, num(2))
	if !t.holds(e) || !t.proved(e) {
		return nil
	}
	for _, g := range t.m.gridsFor(t) {
		if g.Axes > 1 && t.holds(coordExpr(g, 0)) {
			return t.m.note(e, "it is %v, and not the place in a process grid with two columns", e)
		}
	}
	return e
}

// permuted explains ranks whose coordinates are the own ones in another order, in a grid whose axes
// are in that order, or which are somewhere else on the same lines.
func (t *table) permuted(g *Grid) *Expr {
	for _, order := range [][]int{{1, 0}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		if len(order) != g.Axes {
			continue
		}
		e := coordExpr(g, order[0])
		for _, k := range order[1:] {
			e = op(Add, op(Mul, e, dimExpr(g, k)), coordExpr(g, k))
		}
		if t.holds(e) && t.proved(e) {
			return e
		}
	}
	var coords []*Expr
	for k := range g.Axes {
		coords = append(coords, coordExpr(g, k))
	}
	t.m.grid = g
	defer func() { t.m.grid = nil }()
	return t.linear(coords, roleFixed, true, func(c []int64) bool { return c[0] == 0 })
}

// fitCoords explains values by coordinates.
func (t *table) fitCoords(idx []*Expr, r role) *Expr {
	for _, g := range t.m.gridsFor(t) {
		if g.Axes < 2 {
			continue
		}
		var coords []*Expr
		for k := range g.Axes {
			c := coordExpr(g, k)
			coords = append(coords, c)
			if e := t.linear([]*Expr{c}, roleFixed, false, nil); e != nil {
				return e
			}
			// The next one on a ring of ranks along the axis.
			d := dimExpr(g, k)
			for _, by := range []int64{1, -1} {
				if e := op(Mod, op(Add, c, num(by)), d); r == roleRank && t.holds(e) {
					return e
				}
			}
		}
		t.m.grid = g
		e := t.linear(coords, roleFixed, true, nil)
		t.m.grid = nil
		if e != nil {
			return e
		}
		for _, k := range idx {
			if e := t.linear(append([]*Expr{k}, coords...), roleFixed, false, nil); e != nil {
				return e
			}
		}
	}
	return nil
}
