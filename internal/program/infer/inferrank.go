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

// permuted explains ranks whose coordinates are the own ones in another order.
func (t *table) permuted(g *Grid) *Expr {
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

// conditions are what programs ask of their rank, simple questions first.
func (t *table) conditions() []*Expr {
	last := op(Sub, sizeExpr, num(1))
	list := []*Expr{
		op(Eq, rankExpr, num(0)),
		op(Eq, rankExpr, last),
		op(Eq, op(Mod, rankExpr, num(2)), num(0)),
		op(Less, rankExpr, num(2)),
		op(Less, rankExpr, op(Div, sizeExpr, num(2))),
		op(Eq, rankExpr, num(1)),
	}
	for _, k := range t.varying() {
		list = append(list, op(Eq, k, num(0)))
		if t.m.rounds {
			list = append(list, op(Eq, op(Mod, k, sizeExpr), rankExpr))
		}
		list = append(list, op(Eq, k, rankExpr))
	}
	for _, g := range t.m.gridsFor(t) {
		if g.Axes < 2 {
			continue
		}
		for k := range g.Axes {
			c := coordExpr(g, k)
			d := dimExpr(g, k)
			list = append(list, op(Eq, c, num(0)), op(Eq, c, op(Sub, d, num(1))), op(Eq, op(Mod, c, num(2)), num(0)))
		}
	}
	return list
}

// condition explains values that are 0 and 1.
func (t *table) condition() *Expr {
	if vals, ok := t.constants(); ok {
		if e := t.m.constant(vals, roleFixed); e != nil && e.Op == Num {
			return e
		}
	}
	cs := t.conditions()
	var found *Expr
	for _, c := range cs {
		e := c
		if !t.holds(e) {
			if e = op(Not, c); !t.holds(e) {
				continue
			}
		}
		if found == nil {
			found = e
			continue
		}
		if !e.Uses(func(x *Expr) bool { return x.Grid != nil }) {
			return t.m.note(found, "the condition is that %v; it could as well be that %v", found, e)
		}
	}
	every := t.every()
	strange := func(x *Expr) bool { return x.Grid != nil && !t.m.partnerGrids[x.Grid] } // nobody's partners are in it
	switch {
	case found == nil && every != nil:
		return every
	case found != nil && every != nil && found.Uses(strange):
		return t.m.note(every, "the condition is that %v, and not a place in a process grid", every)
	case found != nil:
		return found
	}
	// Two conditions together fit much by chance, unless they are the two ends of something.
	many := t.ranks(16)
	for i, a := range cs {
		for _, b := range cs[:i] {
			if !many && !ends(a, b) {
				continue
			}
			for _, e := range []*Expr{
				op(Or, a, b), op(And, op(Not, a), op(Not, b)), op(And, a, op(Not, b)), op(And, b, op(Not, a)),
				op(And, a, b),
			} {
				if t.holds(e) {
					return e
				}
			}
		}
	}
	return nil
}

// every is the condition of every so many ranks.
func (t *table) every() *Expr {
	for p := int64(2); p <= 8; p++ {
		for k := range p {
			e := op(Eq, op(Mod, rankExpr, num(p)), num(k))
			if t.ranks(int(p)+2) && t.holds(e) {
				return e
			}
			if e = op(Not, e); t.ranks(int(p)+2) && t.holds(e) {
				return e
			}
		}
	}
	return nil
}

// ends tells whether two conditions are that something is at its first place and at its last one,
// or each of two axes at one.
func ends(a, b *Expr) bool {
	if a.Op != Eq || b.Op != Eq {
		return false
	}
	x, y := a.Args[0], b.Args[0]
	return x.Op == Rank && y.Op == Rank || x.Op == Coord && y.Op == Coord && x.Grid == y.Grid
}

// fitConditions explains the values where a condition holds, and where it does not, by themselves:
// first without further conditions.
func (t *table) fitConditions(r role, depth int) *Expr {
	for deeper := maxDepth; deeper > depth; deeper -= maxDepth - depth - 1 {
		for _, c := range t.conditions() {
			yes := t.only(func(i int) bool { return t.eval(c, i) != 0 })
			if len(yes.rows) == 0 || len(yes.rows) == len(t.rows) {
				continue
			}
			a := yes.fit(r, maxDepth)
			if a == nil {
				continue
			}
			b := t.only(func(i int) bool { return t.eval(c, i) == 0 }).fit(r, deeper)
			if b == nil {
				continue
			}
			if e := op(If, c, a, b); t.holds(e) && t.proved(e) {
				return e
			}
		}
		if depth+1 == maxDepth {
			break
		}
	}
	return nil
}
