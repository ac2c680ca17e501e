package infer

// fitModulo explains values that repeat with the rank, an index or a coordinate, or with a sum of
// two of them.
func (t *table) fitModulo(idx []*Expr, r role) *Expr {
	type value struct {
		of *recording
		v  int64
	}
	seen, of, values := map[value]bool{}, map[*recording]int64{}, int64(0)
	for i, v := range t.vals {
		at := value{t.rows[i].recording, v}
		if seen[at] {
			continue
		}
		seen[at] = true
		of[at.of]++
		if values = max(values, of[at.of]); values > 64 {
			return nil
		}
	}
	for k, x := range t.turning(idx) {
		most := 2 * values
		if k > len(idx) {
			if most = values + 1; values > 16 || r == roleRank {
				break
			}
		}
		for p := max(values, 2); p <= most; p++ {
			if e := t.linear([]*Expr{op(Mod, x, num(p))}, roleFixed, false, nil); e != nil {
				return e
			}
		}
	}
	for _, x := range append([]*Expr{rankExpr}, idx...) {
		for p := int64(2); p <= 64; p++ {
			if e := t.linear([]*Expr{op(Div, x, num(p))}, roleFixed, false, nil); e != nil {
				return e
			}
		}
	}
	return nil
}

// turning are what values may repeat with: the rank, an index, a coordinate, and sums of two of
// them.
func (t *table) turning(idx []*Expr) []*Expr {
	single := append([]*Expr{rankExpr}, idx...)
	for _, g := range t.m.gridsFor(t) {
		for k := range g.Axes {
			if g.Axes > 1 && len(g.Fixed) == 0 && !g.Ascending {
				single = append(single, coordExpr(g, k))
			}
		}
	}
	out := single
	for _, x := range single {
		out = append(out, op(Mul, num(2), x))
	}
	for _, k := range idx {
		for _, x := range single {
			if x != k {
				out = append(out, op(Add, x, k), op(Sub, x, k), op(Add, x, op(Mul, num(2), k)),
					op(Add, op(Mul, num(2), x), k), op(Mul, num(2), op(Add, x, k)))
			}
		}
	}
	return out
}
