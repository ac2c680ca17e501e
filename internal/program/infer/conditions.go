package infer

// conditions are what programs ask of their number of ranks and their rank, simple questions first.
func (t *table) conditions() []*Expr {
	last := op(Sub, sizeExpr, num(1))
	list := append(t.squares(),
		op(Eq, rankExpr, num(0)),
		op(Eq, rankExpr, last),
		op(Eq, op(Mod, rankExpr, num(2)), num(0)),
		op(Less, rankExpr, num(2)),
		op(Less, rankExpr, op(Div, sizeExpr, num(2))),
		op(Eq, rankExpr, num(1)))
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

// squares is the condition that the number of ranks is a square, if it is at several recordings and is
// not at several others.
func (t *table) squares() []*Expr {
	for _, g := range t.m.gridsFor(t) {
		if g.Axes != 2 || len(g.Fixed) > 0 {
			continue
		}
		e := op(Eq, dimExpr(g, 0), dimExpr(g, 1))
		seen := [2]map[int64]bool{{}, {}}
		for s := range t.recordings() {
			seen[s.at(e)][s.size] = true
		}
		if len(seen[0]) > 1 && len(seen[1]) > 1 {
			return []*Expr{e}
		}
	}
	return nil
}

// isSquare tells whether an expression is such a condition.
func isSquare(e *Expr) bool {
	return e.Op == Eq && e.Args[0].Op == Dim && e.Args[1].Op == Dim
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
	many := t.ranks(16) && t.exceptions() > 3
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

// A parting is the rows of a table where a condition holds, and where it does not, with what explains them; nil if
// nothing does.
type parting struct {
	yes, no   *table // nil if one of them would have no rows
	a, b      *Expr
	tried     bool // whether yes was explained
	triedDeep int  // up to which depth no was
}

// part parts the rows by a condition. Conditions that part them alike have the same parting.
func (t *table) part(c *Expr, known map[string]*parting) *parting {
	holds, n := make([]byte, len(t.rows)), 0
	t.m.spend(len(t.rows))
	for i := range t.rows {
		if t.eval(c, i) != 0 {
			holds[i] = 1
			n++
		}
	}
	p := known[string(holds)]
	if p == nil {
		if p = (&parting{triedDeep: -1}); n > 0 && n < len(t.rows) {
			p.yes = t.only(func(i int) bool { return holds[i] == 1 })
			p.no = t.only(func(i int) bool { return holds[i] == 0 })
		}
		known[string(holds)] = p
	}
	return p
}

// explain explains both parts, the second one with conditions of a depth, and tells whether it can.
func (p *parting) explain(r role, depth int) bool {
	if p.yes == nil {
		return false
	}
	if !p.tried {
		p.a, p.tried = p.yes.fit(r, maxDepth), true
	}
	if p.a != nil && p.triedDeep != depth {
		p.b, p.triedDeep = p.no.fit(r, depth), depth
	}
	return p.a != nil && p.b != nil
}

// fitConditions explains the values where a condition holds, and where it does not, by themselves:
// first without further conditions.
func (t *table) fitConditions(r role, depth int) *Expr {
	known := map[string]*parting{}
	whole := t.with(func(i int) int64 { return t.vals[i] }) // holds puts rows in another order, and known goes by them
	for deeper := maxDepth; deeper > depth; deeper -= maxDepth - depth - 1 {
		for _, c := range t.conditions() {
			p := t.part(c, known)
			if !p.explain(r, deeper) {
				continue
			}
			if e := op(If, c, p.a, p.b); whole.holds(e) && whole.proved(e) && !whole.rare(e) {
				return t.oneSided(e, p.yes)
			}
		}
		if depth+1 == maxDepth {
			break
		}
	}
	return nil
}

// oneSided notes if a part of an expression with a condition shows at one size only, as other numbers of
// ranks may be in it. yes are the rows where the condition holds.
func (t *table) oneSided(e *Expr, yes *table) *Expr {
	all := len(t.recordings())
	if all < 2 || isSquare(e.Args[0]) {
		return e
	}
	no := t.only(func(i int) bool { return t.eval(e.Args[0], i) == 0 })
	for i, n := range []int{len(yes.recordings()), len(no.recordings())} {
		if part := e.Args[1+i]; n == 1 && part.Op == Num && part.N*part.N > 1 {
			return t.m.note(e, "that it is %v, if %v is %v, shows with one number of ranks only", part, e.Args[0],
				i == 0)
		}
	}
	return e
}
