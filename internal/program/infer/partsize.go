package infer

import "slices"

// Parts of an array that is spread over a process grid have a size along each axis: a share of the
// whole, less at the border of the grid, and more with what overlaps. Faces, and parts as a whole, are
// products of them. All of that are sums of products of one over the size of an axis and of whether
// the caller is at its begin or its end, with the same whole numbers at jobs of all sizes.

// fitPartSizes explains values by sizes of parts along one axis of a process grid, or by products of
// those along two. It takes recordings of several sizes.
func (t *table) fitPartSizes(r role) *Expr {
	if t.oneSize() || r == roleRank || r == roleTrips || r == roleSteps || r == roleRequests {
		return nil
	}
	for _, g := range t.m.gridsFor(t) {
		if g.Axes < 2 || g.Axes > 3 || len(g.Fixed) > 0 {
			continue
		}
		for k := range g.Axes {
			if e := t.alongAxes(g, k); e != nil {
				return e
			}
		}
		for k := range g.Axes {
			for j := range k {
				if e := t.alongAxes(g, j, k); e != nil {
					return e
				}
			}
		}
	}
	return nil
}

// alongAxes explains values that depend on one axis of a grid only, or on two.
func (t *table) alongAxes(g *Grid, axes ...int) *Expr {
	var along []coordinate
	for _, k := range axes {
		along = append(along, coordinate{coordExpr(g, k), dimExpr(g, k)})
	}
	s := t.byPlace(along...)
	if s == nil {
		return nil
	}
	return s.sizesAlong(beside, along...)
}

// A coordinate is a place from 0 on, and how many there are.
type coordinate struct{ at, of *Expr }

// moved is so many places further, around the end.
func (c coordinate) moved(by int64) coordinate {
	if by == 0 {
		return c
	}
	return coordinate{op(Mod, op(Add, c.at, num(by)), c.of), c.of}
}

// beside are the caller, and those beside it.
var beside = []int64{0, -1, 1}

// sizesAlong explains values by sizes along one coordinate or two: those at the caller, or at some steps from
// it.
func (t *table) sizesAlong(steps []int64, along ...coordinate) *Expr {
	var all [][][]product // for each choice of whose sizes they are
	for _, by := range steps {
		a := along[0].moved(by)
		if len(along) == 1 {
			if t.byEnds(a) {
				all = append(all, t.axisSize(a).sets())
			}
			continue
		}
		for _, by := range steps {
			if b := along[1].moved(by); t.byEnds(a, b) {
				all = append(all, products(t.axisSize(a), t.axisSize(b)))
			}
		}
	}
	for k := 0; len(all) > 0 && k < len(all[0]); k++ {
		for _, sets := range all {
			if e := t.jointTerms(sets[k]); e != nil {
				return e
			}
		}
	}
	return nil
}

// byEnds tells whether values of a recording depend on nothing but whether places are at the begin, at the end
// or between them.
func (t *table) byEnds(along ...coordinate) bool {
	type class struct {
		of *recording
		at [2]int
	}
	t.m.spend(len(t.rows))
	seen := map[class]int64{}
	for i := range t.rows {
		v, c := t.env(i), class{of: t.rows[i].recording}
		for k, a := range along {
			switch a.at.Eval(v) {
			case 0:
				c.at[k] = 1
			case a.of.Eval(v) - 1:
				c.at[k] = 2
			}
		}
		if old, ok := seen[c]; ok && old != t.vals[i] {
			return false
		}
		seen[c] = t.vals[i]
	}
	return true
}

// place is where a row is along two axes.
type place struct{ at, of [2]int64 }

// byPlace is the table of one row for each place along some axes, nil if values differ at the same place.
func (t *table) byPlace(along ...coordinate) *table {
	t.m.spend(len(t.rows))
	s, seen := t.like(), map[place]int64{}
	for i := range t.rows {
		v := t.env(i)
		var p place
		for k, a := range along {
			p.at[k], p.of[k] = a.at.Eval(v), a.of.Eval(v)
		}
		old, ok := seen[p]
		if ok && old != t.vals[i] {
			return nil
		}
		if !ok {
			seen[p] = t.vals[i]
			s.add(t.rows[i], t.vals[i])
		}
	}
	return s
}

// product is a product of conditions and of one over sizes of axes.
type product struct {
	// whole is such that it can be divided by dims everywhere in the recordings.
	whole int64
	dims  []*Expr
	conds []*Expr
}

// product of two terms.
func (a product) times(b product) product {
	return product{a.whole * b.whole, slices.Concat(a.dims, b.dims), slices.Concat(a.conds, b.conds)}
}

// by is c times the product.
func (a product) by(c int64) *Expr {
	e := num(c * a.whole)
	if len(a.dims) > 0 {
		d := a.dims[0]
		for _, x := range a.dims[1:] {
			d = op(Mul, d, x)
		}
		e = op(Div, e, d)
	}
	for _, x := range a.conds {
		e = op(Mul, e, x)
	}
	return e
}

// jointTerms explains values by a sum of terms, with the same numbers at all recordings.
func (t *table) jointTerms(terms []product) *Expr {
	if len(t.rows) <= len(terms)+1 {
		return nil // any numbers are such a sum
	}
	var features []*Expr
	for _, x := range terms {
		features = append(features, x.by(1))
	}
	t.m.spend(len(t.rows) * len(features))
	coef, known, ok := t.solve(features, true)
	if !ok {
		return nil
	}
	var sum *Expr
	for s, c := range coef {
		for k, x := range terms {
			if !known[s][k+1] || c[k+1] == 0 {
				return nil // fewer terms do
			}
			sum = plus(sum, x.by(c[k+1]))
		}
		sum = op(Add, sum, num(c[0]))
	}
	if sum == nil || !t.holds(sum) || !t.proved(sum) {
		return nil
	}
	return sum
}

// axisSize is what the size of a part along an axis may consist of.
type axisSize struct {
	// share is one over the size of the axis; nil if that is the same everywhere.
	share             *product
	first, last, ends product // whether the caller is at the begin, or the end; both together
}

// maxWhole bounds the numbers that shares are taken of.
const maxWhole = 1 << 20

// axisSize are those at a place of an axis.
func (t *table) axisSize(c coordinate) *axisSize {
	first, last := op(Eq, c.at, num(0)), op(Eq, c.at, op(Sub, c.of, num(1)))
	cond := func(e *Expr) product { return product{whole: 1, conds: []*Expr{e}} }
	a := &axisSize{first: cond(first), last: cond(last), ends: cond(op(Add, first, last))}
	whole, sizes := int64(1), map[int64]bool{}
	for s := range t.recordings() {
		n := s.at(c.of)
		whole, sizes[n] = leastCommonMultiple(whole, n), true
		if whole > maxWhole {
			return a
		}
	}
	if len(sizes) > 1 {
		a.share = &product{whole: whole, dims: []*Expr{c.of}}
	}
	return a
}

// sets are the sets of terms that sizes along the axis may consist of, few first.
func (a *axisSize) sets() [][]product {
	out := [][]product{{a.ends}, {a.first, a.last}}
	if a.share == nil {
		return out
	}
	s := *a.share
	return append([][]product{{s}, {s, a.ends}, {s, a.first}, {s, a.last}, {s, a.first, a.last}}, out...)
}

// products are the sets of terms that products of sizes along two axes consist of.
func products(a, b *axisSize) (out [][]product) {
	if a.share == nil || b.share == nil {
		return nil
	}
	x, y := *a.share, *b.share
	for _, sets := range [][2][]product{
		{{x}, {y}},
		{{x, a.ends}, {y}},
		{{x}, {y, b.ends}},
		{{x, a.ends}, {y, b.ends}},
		{{x, a.first, a.last}, {y, b.first, b.last}},
	} {
		var both []product
		for _, u := range sets[0] {
			for _, v := range sets[1] {
				both = append(both, u.times(v))
			}
		}
		out = append(out, both, slices.Concat(both, sets[0]), slices.Concat(both, sets[1]),
			slices.Concat(both, sets[0], sets[1]))
	}
	return out
}

func leastCommonMultiple(a, b int64) int64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / max(x, 1) * b
}
