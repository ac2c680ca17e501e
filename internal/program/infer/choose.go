package infer

import (
	"fmt"
	"slices"
)

// choosePeers looks for the partners of all calls, and for the process grid that explains them
// best. There may be several, as neighbours along one axis of a grid may also be neighbours in
// another one.
func (m *inference) choosePeers(b *block) {
	m.findPeers(b)
	m.partnerGrids = map[*Grid]bool{}
	for g := range m.explicit {
		m.partnerGrids[g] = m.explicit[g]
	}
	b.partners(func(e *Expr) {
		e.Uses(func(x *Expr) bool {
			if x.Grid != nil {
				m.partnerGrids[x.Grid] = true
			}
			return false
		})
	})
	if m.budget.left < 0 {
		m.lostPartners(b)
	}
}

// lostPartners names the calls whose partners were not explained when the search had to end.
func (m *inference) lostPartners(b *block) {
	for _, it := range b.of {
		it.leaves(b, func(x *block, l *item) {
			calls, err := x.calls(l)
			if err != nil || len(calls) == 0 {
				return
			}
			for _, p := range l.lost {
				if l.partners[[2]int{p.slot, 0}] != nil {
					continue
				}
				m.obstacle(calls, p.slot, p.why)
			}
		})
	}
}

// lostBy says why a table of partners was not explained.
func (t *table) lostBy() string {
	if t.m.blocked != "" {
		return t.m.unexplained()
	}
	axis, steps := 0, 0
	for _, g := range t.m.possible {
		if k, far := t.far(g); far > 0 && (steps == 0 || far < steps) {
			axis, steps = k, far
		}
	}
	if steps > 1 {
		return fmt.Sprintf("in some calls it is %d steps away along axis %d of the process grid, "+
			"and no rule shows how far that is in other jobs", steps, axis)
	}
	return "whom it talks to follows no rule that is found within seconds"
}

// far is the axis along which all partners are in a grid, and how many steps away the farthest one is: 0 if
// there is no such axis.
func (t *table) far(g *Grid) (axis, steps int) {
	if g.Axes < 2 || !fills(t.recordings(), g) {
		return 0, 0
	}
	for i := range t.rows {
		by, ok := t.displacement(g, i)
		if !ok {
			return 0, 0
		}
		for k, d := range t.rows[i].recording.env.Dims[g.ID] {
			x := max(by[k], -by[k])
			if x = min(x, int(d)-x); x == 0 {
				continue
			}
			if steps > 0 && axis != k {
				return 0, 0
			}
			axis, steps = k, max(steps, x)
		}
	}
	return axis, steps
}

func (m *inference) findPeers(b *block) {
	m.peers(b)
	// together are grids that are each for some sizes only.
	used, together := map[*Grid]bool{}, map[[2]*Grid]bool{}
	b.partners(func(e *Expr) {
		var own []*Grid
		bySize := false
		e.Uses(func(x *Expr) bool {
			if x.Grid != nil && x.Grid.Axes > 1 && !m.explicit[x.Grid] {
				used[x.Grid] = true
				own = append(own, x.Grid)
			}
			bySize = bySize || isSquare(x)
			return false
		})
		for _, x := range own {
			for _, y := range own {
				together[[2]*Grid{x, y}] = bySize
			}
		}
	})
	all := m.grids
	if len(used) < 2 {
		few := 0
		m.use(all, func(x *Grid) bool {
			few++
			return used[x] || m.explicit[x] || x.Axes == 1 || len(used) == 0 && few <= 4
		})
		return
	}
	var best []*Grid
	least := 0
	for _, g := range all {
		if !used[g] || slices.ContainsFunc(all, func(x *Grid) bool { return x.ID < g.ID && together[[2]*Grid{x, g}] }) {
			continue
		}
		m.use(all, func(x *Grid) bool {
			return x == g || together[[2]*Grid{g, x}] || m.explicit[x] || x.Axes == 1 ||
				x.Axes == g.Axes && len(x.Fixed) == 0 && len(g.Fixed) == 0
		})
		kept := m.grids
		m.courses = nil
		m.peers(b)
		total := 1000 * b.unexplained()
		b.partners(func(e *Expr) { total += cost(e) })
		if best == nil || total < least {
			best, least = kept, total
		}
		m.grids, m.lists = all, nil
	}
	m.grids, m.courses, m.lists = best, nil, nil
	m.peers(b)
}

// use keeps some of the grids.
func (m *inference) use(all []*Grid, keep func(*Grid) bool) {
	m.grids, m.lists = nil, nil
	for _, g := range all {
		if keep(g) {
			m.grids = append(m.grids, g)
		}
	}
}

// partners calls f for the partners of all calls.
func (b *block) partners(f func(*Expr)) {
	for _, it := range b.of {
		it.leaves(b, func(_ *block, l *item) {
			for _, e := range l.partners {
				f(e)
			}
		})
	}
}

// unexplained is how many partners of calls follow no rule.
func (b *block) unexplained() int {
	n := 0
	for _, it := range b.of {
		it.leaves(b, func(_ *block, l *item) { n += l.unknown })
	}
	return n
}

// cost tells how complicated an expression is: numbers that are no neighbours' cost more.
func cost(e *Expr) int {
	n := 1
	if e.Op == Num && (e.N > 1 || e.N < -1) {
		n = 4
	}
	for _, a := range e.Args {
		n += cost(a)
	}
	return n
}
