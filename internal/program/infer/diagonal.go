package infer

// In a multi-partition each rank of a square grid has one cell in each step of a sweep, so that all ranks
// have work: its place moves along a diagonal. Sizes and tags then follow from places that are sums and
// differences of the rank's coordinates and the step, modulo the size of an axis.

// fitDiagonals explains values by such places, one or two of them. It takes recordings of several sizes,
// each of which is a square.
func (t *table) fitDiagonals(idx []*Expr, r role) *Expr {
	if t.oneSize() || r == roleRank || r == roleSize || r == roleTrips || r == roleSteps || r == roleRequests {
		return nil
	}
	for _, g := range t.m.gridsFor(t) {
		if g.Axes != 2 || len(g.Fixed) > 0 || !t.square(g) {
			continue
		}
		for _, k := range idx {
			if e := t.movingCells(g, k, r); e != nil {
				return t.m.note(e, "the process grid has as many rows as columns, as in all recordings")
			}
		}
	}
	return nil
}

// square tells whether a grid has as many rows as columns in all recordings.
func (t *table) square(g *Grid) bool {
	for s := range t.recordings() {
		if d := s.env.Dims[g.ID]; d[0] != d[1] {
			return false
		}
	}
	return true
}

// movingCells explains values by the places of cells that move with index k.
func (t *table) movingCells(g *Grid, k *Expr, r role) *Expr {
	s := t.byCell(g, k)
	if s == nil {
		return nil
	}
	ways := diagonals(g, k)
	for i, a := range ways {
		if u := s.byPlace(a); u != nil {
			if e := u.sizesAlong(near2, a); e != nil {
				return e
			}
		}
		for _, b := range ways[:i] {
			u := s.byPlace(b, a)
			if u == nil {
				continue
			}
			if e := u.numbered(r, b, a); e != nil {
				return e
			}
			if e := u.sizesAlong(near2, b, a); e != nil {
				return e
			}
		}
	}
	return nil
}

// near2 are the places that an axis may begin at: that of a cell in some step is known but for that.
var near2 = []int64{0, -1, 1, -2, 2}

// byCell is the table of one row for each rank and value of an index, nil if that is not all that values
// depend on.
func (t *table) byCell(g *Grid, k *Expr) *table {
	type cell struct {
		of      *recording
		rank, k int64
	}
	t.m.spend(len(t.rows))
	s, seen := t.like(), map[cell]int64{}
	for i, r := range t.rows {
		c := cell{r.recording, r.rank, t.eval(k, i)}
		old, ok := seen[c]
		if ok && old != t.vals[i] {
			return nil
		}
		if !ok {
			seen[c] = t.vals[i]
			s.add(r, t.vals[i])
		}
	}
	return s
}

// diagonals are the places that move with index k, each in one direction.
func diagonals(g *Grid, k *Expr) (out []coordinate) {
	row, column, of := coordExpr(g, 0), coordExpr(g, 1), dimExpr(g, 0)
	for _, at := range []*Expr{
		k, op(Add, row, k), op(Sub, row, k), op(Add, column, k), op(Sub, column, k),
		op(Add, row, column), op(Sub, row, column),
		op(Add, op(Add, row, column), k), op(Sub, op(Add, row, column), k),
		op(Add, op(Sub, row, column), k), op(Sub, op(Sub, row, column), k),
	} {
		out = append(out, coordinate{op(Mod, at, of), of})
	}
	return out
}

// numbered explains values by two places, either way along each axis, as cells are numbered.
func (t *table) numbered(r role, a, b coordinate) *Expr {
	for _, x := range bothWays(a) {
		for _, y := range bothWays(b) {
			if e := t.linear([]*Expr{x, y}, roleFixed, true, nil); e != nil {
				return e
			}
		}
	}
	return nil
}

// bothWays are the places that start near a coordinate's, and go with it or the other way.
func bothWays(c coordinate) (out []*Expr) {
	back := coordinate{op(Mod, op(Sub, num(0), c.at), c.of), c.of}
	for _, by := range near2 {
		out = append(out, c.moved(by).at, back.moved(by).at)
	}
	return out
}
