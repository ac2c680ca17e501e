package infer

import "github.com/tabard-hpc/tabard/internal/program/formula"

// What a rank does at corners, edges and faces of a grid of parts is often counted: which request it is, where
// in a buffer a message begins, how large that is. It may follow from where the rank is at the border in ways
// that are no sum of anything simple. But it is the same in grids of all sizes.

// fitCells explains values by where a rank is in a grid: for each axis at its begin, its end, or between. It
// is a table of values. So each place has to be seen in recordings of two sizes at least. Two values are left
// to conditions, if there is one for them.
func (t *table) fitCells() *Expr {
	if t.oneSize() {
		return nil
	}
	for _, g := range t.m.gridsFor(t) {
		if g.Axes < 2 || g.Axes > 3 {
			continue
		}
		if e := t.cells(g); e != nil {
			return e
		}
	}
	return nil
}

// cells explains values by places in one grid.
func (t *table) cells(g *Grid) *Expr {
	places := 1
	for range g.Axes {
		places *= 3
	}
	type seen struct {
		v     int64
		size  int64
		again bool
	}
	where := &Expr{Op: formula.Cell, Grid: g}
	at, values := make([]*seen, places), map[int64]bool{}
	t.m.spend(len(t.rows))
	for i, v := range t.vals {
		k, size := t.eval(where, i), t.rows[i].recording.size
		values[v] = true
		switch x := at[k]; {
		case x == nil:
			at[k] = &seen{v: v, size: size}
		case x.v != v:
			return nil
		default:
			x.again = x.again || x.size != size
		}
	}
	if len(values) < 2 || len(values) == 2 && t.with(func(i int) int64 {
		return formula.Truth(t.vals[i] == t.vals[0])
	}).condition() != nil {
		return nil
	}
	e := pickExpr(where)
	for k, n := range t.inhabited(where, places) {
		switch x := at[k]; {
		case n < 2 || x != nil && !x.again:
			return nil
		case x == nil: // those who are there have no such value
			e.Args = append(e.Args, num(0))
		default:
			e.Args = append(e.Args, num(x.v))
		}
	}
	return e
}

// inhabited is in how many recordings there are ranks at each place.
func (t *table) inhabited(where *Expr, places int) []int {
	out := make([]int, places)
	for s := range t.recordings() {
		seen := make([]bool, places)
		t.m.spend(int(s.size))
		for r := range s.size {
			s.env.Rank = r
			if k := where.Eval(&s.env); !seen[k] {
				seen[k] = true
				out[k]++
			}
		}
	}
	return out
}
