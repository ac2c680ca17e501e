package infer

import "slices"

// around explains a loop over neighbours both ways along several axes, some of which have only two
// ranks. Along these both neighbours are the same rank. They come in the order of the neighbours
// along the other axes.
func (t *table) around(g *Grid, loop *Expr) *Expr {
	if t.m.isOpen(loop) {
		return nil
	}
	parts := t.split(loop)
	if len(parts) < 4 {
		return nil
	}
	e := pickExpr(loop)
	first := 0                // direction that comes first along axes that tell
	places := map[int][]int{} // the shifts along an axis that does not
	for k, p := range parts {
		x, axis := p.shift(g)
		if x == nil && p.holds(rankExpr) { // along an axis of one rank
			e.Args = append(e.Args, rankExpr)
			continue
		}
		if x == nil {
			return nil
		}
		along := -1
		for a, by := range x.Moves[0] {
			if by != 0 && along >= 0 {
				return nil
			}
			if by != 0 {
				along = a
			}
		}
		switch {
		case axis >= 0:
			places[axis] = append(places[axis], k+1)
		case first == 0:
			first = x.Moves[0][along]
		}
		e.Args = append(e.Args, x)
	}
	if first == 0 || len(places) == 0 {
		return nil
	}
	for axis, at := range places {
		if len(at) != 2 {
			return nil
		}
		e.Args[at[0]].Moves[0][axis], e.Args[at[1]].Moves[0][axis] = first, -first
	}
	if !t.holds(e) {
		return nil
	}
	return t.m.note(e, "the two neighbours along an axis of two ranks, which are the same rank, "+
		"come in the order of those along other axes")
}

// split is the table of each value of an index, nil unless these are 0, 1, 2, ... with as many rows
// each.
func (t *table) split(loop *Expr) []*table {
	parts := t.groups(loop, maxPick)
	if slices.ContainsFunc(parts, func(p *table) bool { return len(p.rows) != len(parts[0].rows) }) {
		return nil
	}
	return parts
}
