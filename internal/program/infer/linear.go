package infer

// linear explains values by c0 + c1*f1 + ...; accept may refuse the numbers.
func (t *table) linear(features []*Expr, r role, stride bool, accept func(coef []int64) bool) *Expr {
	if !stride {
		if e := t.jointly(features, accept); e != nil {
			return e
		}
	}
	coef, known, ok := t.solve(features, false)
	if !ok || len(coef) == 0 {
		return nil
	}
	sum := (*Expr)(nil)
	for k := range len(features) + 1 {
		vals := map[*recording]int64{}
		for s, c := range coef {
			if known[s][k] {
				vals[s] = c[k]
			}
			if accept != nil && !accept(c) {
				return nil
			}
		}
		cr := roleFixed
		switch {
		case k == 0:
			cr = r
			if r == roleRank && len(features) > 0 || r == roleOther && len(features) > 0 {
				cr = roleFixed
			}
		case stride:
			cr = roleStride
		}
		t.m.factor = k > 0
		c := t.m.constant(vals, cr)
		t.m.factor = false
		if c == nil {
			return nil
		}
		term := c
		if k > 0 {
			if c.Op == Num && c.N == 0 {
				continue
			}
			term = op(Mul, c, features[k-1])
		}
		sum = plus(sum, term)
	}
	if !t.holds(sum) || !t.proved(sum) {
		return nil
	}
	return sum
}

// jointly is linear with the same numbers at all recordings, if there are several.
func (t *table) jointly(features []*Expr, accept func(coef []int64) bool) *Expr {
	if t.oneSize() {
		return nil
	}
	coef, _, ok := t.solve(features, true)
	if !ok {
		return nil
	}
	for _, c := range coef {
		if accept != nil && !accept(c) {
			return nil
		}
		var sum *Expr
		for k, f := range features {
			if c[k+1] != 0 {
				sum = plus(sum, op(Mul, num(c[k+1]), f))
			}
		}
		if sum = plus(sum, num(c[0])); t.holds(sum) && t.proved(sum) {
			return sum
		}
	}
	return nil
}

// plus is the sum of two expressions, of which the first is nil at the begin of a sum.
func plus(sum, term *Expr) *Expr {
	if sum == nil {
		return term
	}
	return op(Add, sum, term)
}
