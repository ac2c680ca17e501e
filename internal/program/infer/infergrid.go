package infer

import (
	"fmt"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"slices"
)

// gridsFor are the grids that the recordings of a table fill.
func (m *inference) gridsFor(t *table) []*Grid {
	recordings := t.recordings()
	var out []*Grid
	for _, g := range m.grids {
		if fills(recordings, g) {
			out = append(out, g)
		}
	}
	return out
}

// fills tells whether the ranks of all recordings fill a grid.
func fills(recordings map[*recording]bool, g *Grid) bool {
	for s := range recordings {
		if s.env.Dims[g.ID] == nil {
			return false
		}
	}
	return true
}

// displacement is the step along each axis from the rank of a row to its value; an axis of two
// ranks is passed in one direction only as far as that can be seen.
func (t *table) displacement(g *Grid, i int) (by [formula.MaxAxes]int, ok bool) {
	dims := t.rows[i].recording.env.Dims[g.ID]
	var from, to [formula.MaxAxes]int64
	if !formula.Place(dims, t.rows[i].rank, &from) || !formula.Place(dims, t.vals[i], &to) {
		return by, false
	}
	for k := range dims {
		by[k] = int(to[k] - from[k])
	}
	return by, true
}

// gridShift explains ranks that are one step away along some axes, the same for all, with and
// without wrapping around.
func (t *table) gridShift(g *Grid) *Expr {
	e, axis := t.shift(g)
	if axis < 0 {
		return e
	}
	if t.m.sign != 0 {
		e.Moves[0][axis] = t.m.sign
		return e
	}
	t.m.blocked = fmt.Sprintf(
		"axis %d of the process grid has two ranks, so that both neighbours along it are the same rank", axis)
	return nil
}

// shift is the displacement, wrapping around or not, that gives all ranks of a table, nil if there
// is none. If it goes around an axis that has two ranks at all recordings, nobody can tell which
// way: axis is that axis, else -1.
func (t *table) shift(g *Grid) (e *Expr, axis int) {
	const unknown = 99
	var step [formula.MaxAxes]int // modulo the size of the axis
	var wrap [formula.MaxAxes]bool
	for k := range step {
		step[k] = unknown
	}
	var longest [formula.MaxAxes]int64
	for i := range t.rows {
		for k, d := range t.rows[i].recording.env.Dims[g.ID] {
			longest[k] = max(longest[k], d)
		}
	}
	for i := range t.rows {
		by, ok := t.displacement(g, i)
		if !ok {
			return nil, -1
		}
		for k, d := range t.rows[i].recording.env.Dims[g.ID] {
			x := by[k]
			around := false
			if d > 2 && (x == int(d)-1 || x == 1-int(d)) {
				x, around = x/(1-int(d)), true // one step back where d-1 was seen
			}
			switch {
			case x < -1 || x > 1:
				return nil, -1
			case d == 1 || d == 2 && longest[k] > 2:
				continue // another size tells
			case step[k] == unknown:
				step[k] = x
			case d == 2 && x != 0 && step[k] != 0:
				// To the other one of two: forth for one of them, and back for the other.
				wrap[k] = wrap[k] || step[k] != x
			case step[k] != x:
				return nil, -1
			}
			wrap[k] = wrap[k] || around
		}
	}
	e = &Expr{Op: Shift, Grid: g, Moves: [][]int{make([]int, g.Axes)}, Periodic: make([]bool, g.Axes)}
	moves := 0
	axis = -1
	for k := range g.Axes {
		if step[k] == unknown {
			step[k] = 0
		}
		e.Moves[0][k], e.Periodic[k] = step[k], wrap[k]
		if step[k] != 0 {
			moves++
			if wrap[k] && longest[k] == 2 && axis < 0 {
				axis = k
			}
		}
	}
	if moves == 0 || !t.holds(e) {
		return nil, -1
	}
	return e, axis
}

// near explains the neighbours that a rank has in a grid: a loop over directions that leaves out
// what is beyond a border. The order of directions must be the same at all ranks.
func (t *table) near(g *Grid, idx []*Expr) *Expr {
	loop := idx[len(idx)-1]
	type at struct {
		recording *recording
		rank      int64
	}
	lists := map[at]map[int64][formula.MaxAxes]int{}
	for i := range t.rows {
		by, ok := t.displacement(g, i)
		if !ok {
			return nil
		}
		for k := range g.Axes {
			if by[k] < -1 || by[k] > 1 {
				return nil
			}
		}
		k := t.eval(loop, i)
		w := at{t.rows[i].recording, t.rows[i].rank}
		if lists[w] == nil {
			lists[w] = map[int64][formula.MaxAxes]int{}
		}
		if old, seen := lists[w][k]; seen && old != by {
			return nil
		}
		lists[w][k] = by
	}
	// A rank that is alone with its list proves nothing.
	for i := range t.rows {
		ranks := 0
		for w := range lists {
			if w.recording == t.rows[i].recording {
				ranks++
			}
		}
		if int64(ranks) != t.rows[i].recording.size {
			return nil
		}
		break
	}
	if t.eachSimple(loop) {
		return nil
	}
	// before[a][b]: direction a comes before b.
	var all [][formula.MaxAxes]int
	before := map[[2][formula.MaxAxes]int]bool{}
	for _, l := range lists {
		for k := range int64(len(l)) {
			a, ok := l[k]
			if !ok {
				return nil
			}
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
			for j := range k {
				before[[2][formula.MaxAxes]int{l[j], a}] = true
			}
		}
	}
	for _, a := range all {
		back := a
		for k := range back {
			back[k] = -back[k]
		}
		if !slices.Contains(all, back) {
			return nil
		}
	}
	// Directions that no rank has both of come in the order of their coordinates.
	slices.SortFunc(all, func(a, b [formula.MaxAxes]int) int { return slices.Compare(a[:], b[:]) })
	e := &Expr{Op: NearRank, Grid: g, Args: []*Expr{loop}}
	for len(all) > 0 {
		first := -1
		for i, a := range all {
			free := true
			for _, b := range all {
				free = free && !before[[2][formula.MaxAxes]int{b, a}]
			}
			if free {
				first = i
				break
			}
		}
		if first < 0 {
			return nil
		}
		e.Moves = append(e.Moves, append([]int{}, all[first][:g.Axes]...))
		all = slices.Delete(all, first, first+1)
	}
	if len(e.Moves) < 2 || !t.holds(e) {
		return nil
	}
	t.m.addCourse(&Expr{Op: NearCount, Grid: g, Moves: e.Moves})
	return e
}

// eachSimple tells whether all ranks have the same number of partners, and each of them follows
// from the rank alone: then they are no neighbours of which some are missing.
func (t *table) eachSimple(loop *Expr) bool {
	parts := t.split(loop)
	for _, p := range parts {
		if p.ring(nil, false) == nil && p.xor(nil) == nil {
			return false
		}
	}
	return parts != nil
}

func (m *inference) addCourse(c *Expr) {
	for _, x := range m.courses {
		if x.Grid == c.Grid && slices.EqualFunc(x.Moves, c.Moves, slices.Equal) {
			return
		}
	}
	m.courses = append(m.courses, c)
}

// fitNearTrips explains how many neighbours there are.
func (t *table) fitNearTrips() *Expr {
	for _, c := range t.m.courses {
		if t.holds(c) {
			return c
		}
	}
	return nil
}

// fitMoves explains values by the direction of a neighbour.
func (t *table) fitMoves(course *Expr, idx []*Expr, r role) *Expr {
	if !fills(t.recordings(), course.Grid) {
		return nil
	}
	for _, k := range idx {
		move := &Expr{Op: NearMove, Grid: course.Grid, Moves: course.Moves, Args: []*Expr{k}}
		parts := t.groups(move, len(course.Moves))
		if parts == nil {
			continue
		}
		e := pickExpr(move)
		for i := range course.Moves {
			vals, same := map[*recording]int64{}, true
			if i < len(parts) {
				vals, same = parts[i].constants()
			}
			c := t.m.constant(vals, roleFixed)
			if !same || c == nil {
				e = nil
				break
			}
			e.Args = append(e.Args, c)
		}
		if t.holds(e) {
			return e
		}
	}
	return nil
}

// fitDims explains the sizes of the axes of a grid, as the elements of an array.
func (t *table) fitDims() *Expr {
	for _, g := range t.m.gridsFor(t) {
		e := pickExpr(elemExpr)
		for k := range g.Axes {
			e.Args = append(e.Args, dimExpr(g, k))
		}
		last := false
		for i := range t.rows {
			last = last || t.rows[i].elem == int64(g.Axes-1)
		}
		if last && t.holds(e) {
			return e
		}
	}
	return nil
}

// makeGrids lists the process grids that the ranks may be in: first those that the program has as
// Cartesian topologies.
func (m *inference) makeGrids() {
	var seen [][][]int64 // by recording, the shapes
	for _, s := range m.recordings {
		seen = append(seen, shapesOf(s))
	}
	add := func(g Grid, explicit bool) {
		for _, x := range m.grids {
			if x.Axes == g.Axes && x.Ascending == g.Ascending && slices.Equal(x.Fixed, g.Fixed) {
				m.explicit[x] = m.explicit[x] || explicit
				return
			}
		}
		g.ID = len(m.grids)
		fits := false
		sizes := make([][]int64, len(m.recordings))
		for i, s := range m.recordings {
			sizes[i], _ = g.Dims(s.size) // nil if they do not fill it
			fits = fits || sizes[i] != nil
		}
		if !fits {
			return
		}
		for i, s := range m.recordings {
			s.env.Dims = append(s.env.Dims, sizes[i])
		}
		m.grids = append(m.grids, &g)
		m.explicit[&g] = explicit
	}
	for i, s := range m.recordings {
		for _, dims := range seen[i] {
			g := Grid{Axes: len(dims)}
			d := formula.Balanced(s.size, len(dims))
			up := slices.Clone(d)
			slices.Reverse(up)
			switch {
			case slices.Equal(d, dims):
			case slices.Equal(up, dims):
				g.Ascending = true
			default:
				g.Fixed = slices.Clone(dims)
				g.Fixed[0] = 0
			}
			add(g, true)
		}
	}
	add(Grid{Axes: 2}, false)
	add(Grid{Axes: 2, Ascending: true}, false)
	if m.twiceSquares() {
		add(Grid{Axes: 3, Fixed: []int64{0, 0, 2}}, false)
		add(Grid{Axes: 3, Fixed: []int64{2, 0, 0}}, false)
	}
	add(Grid{Axes: 3}, false)
	add(Grid{Axes: 3, Ascending: true}, false)
	add(Grid{Axes: 1}, false)
	size := m.recordings[0].size
	for d := int64(2); d*d <= size && len(m.grids) < 24; d++ {
		if size%d == 0 {
			add(Grid{Axes: 2, Fixed: []int64{d, 0}}, false)
			add(Grid{Axes: 2, Fixed: []int64{0, d}}, false)
		}
	}
	m.possible = m.grids
}

// twiceSquares tells whether some of the recordings have twice as many ranks as a square.
func (m *inference) twiceSquares() bool {
	sizes := map[int64]bool{}
	for _, s := range m.recordings {
		if d := formula.Balanced(s.size/2, 2); s.size%2 == 0 && d[0] == d[1] {
			sizes[s.size] = true
		}
	}
	return len(sizes) > 1
}

// shapesOf are the shapes of grids of all ranks that a recording's calls speak of.
func shapesOf(s *recording) (list [][]int64) {
	seen := func(dims []int64) {
		product := int64(1)
		for _, d := range dims {
			if d < 1 || product > s.size {
				return
			}
			product *= d
		}
		known := slices.ContainsFunc(list, func(x []int64) bool { return slices.Equal(x, dims) })
		if product == s.size && len(dims) > 0 && len(dims) <= formula.MaxAxes && !known {
			list = append(list, dims)
		}
	}
	for _, d := range s.c.Classes {
		k := &class{recording: s, d: d}
		for t, id := range d.Terminals {
			f := specFunc(s.c.Templates[id])
			for i := range f.Slots {
				if p := f.Slots[i].Param; p < 0 || f.Params[p].Name != "dims" {
					continue
				}
				if sig, err := k.signature(uint32(t), d.Ranks.Min()); err == nil {
					seen(sig.Slots[i].Ints)
				}
			}
		}
	}
	return list
}

// usedGrids keeps the grids that expressions speak of, and says on what they rest.
func (m *inference) usedGrids() {
	used := map[*Grid]bool{}
	note := func(e *Expr) {
		e.Uses(func(x *Expr) bool {
			if x.Grid != nil {
				used[x.Grid] = true
			}
			return false
		})
	}
	m.model.expressions(note)
	var kept []*Grid
	for _, g := range m.grids {
		if !used[g] {
			continue
		}
		longest := make([]int64, g.Axes)
		for _, s := range m.recordings {
			for k, d := range s.env.Dims[g.ID] {
				longest[k] = max(longest[k], d)
			}
		}
		m.model.longest = append(m.model.longest, longest)
		g.ID = len(kept)
		kept = append(kept, g)
		if !m.explicit[g] && g.Axes > 1 || len(g.Fixed) > 0 {
			m.assume("the process grid has %s", g)
		}
	}
	m.model.Grids = kept
}
