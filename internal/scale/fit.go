package scale

import (
	"fmt"
	"slices"

	"tabard/trace"
)

// role is what a number means, as far as that decides what it may depend on.
type role uint8

const (
	roleOther    role = iota
	roleRank          // a rank of a communicator
	roleSize          // a number of ranks
	roleLength        // the length of an array with an element for each rank
	roleDims          // the size of an axis of a grid
	roleTrips         // how often a loop over partners is repeated
	roleSteps         // how often a loop over partners is repeated whose distance doubles
	roleRequests      // a number of requests
	roleStride        // a factor of a coordinate
	roleFixed         // a tag, an address, the number of an object: nothing that is likely to be a size
)

// maker infers a Model.
type maker struct {
	sides []*side
	grids []*Grid
	// counts are those of loops that depend on the rank or the size, which other numbers may depend on, too.
	counts []*Expr
	// courses are the orders of neighbours that were found.
	courses []*Expr
	// open are the loops, and with number -1 the array, whose length follows from rank or size: a list of values for
	// its indices would end.
	open map[int64]bool
	// grid1st prefers neighbours on a process grid to ranks that differ in a bit.
	grid1st bool
	work    int // see maxWork
	notes   map[string]bool
	remarks []remark
	where   string
	loops   int
	// grid is the one that factors of coordinates are to be taken from, if it is not nil.
	grid *Grid
	// explicit are the grids that the program has as Cartesian topologies, or asked for.
	explicit map[*Grid]bool
	// blocked says why something cannot be known, if that came up.
	blocked   string
	obstacles *Obstacles
	model     *Model
	sites     map[string]int
	modules   map[trace.Module]int
}

// remark is what an expression rests on without evidence.
type remark struct {
	e    *Expr
	text string
}

// note remarks that e was chosen without evidence. It counts if e becomes part of the model.
func (m *maker) note(e *Expr, format string, args ...any) *Expr {
	m.remarks = append(m.remarks, remark{e, m.where + ": " + fmt.Sprintf(format, args...)})
	return e
}

// settle lists the remarks on the parts of an expression that was chosen, and forgets the others.
func (m *maker) settle(e *Expr) *Expr {
	for _, r := range m.remarks {
		if e.uses(func(x *Expr) bool { return x == r.e }) {
			m.notes[r.text] = true
		}
	}
	m.remarks = m.remarks[:0]
	return e
}

func indexExpr(loop int) *Expr { return &Expr{Op: Index, N: int64(loop)} }

// varying are the indices that are not the same in all rows.
func (t *table) varying() (list []*Expr) {
	for k, l := range t.path {
		for i := range t.rows {
			if t.rows[i].idx[k] != t.rows[0].idx[k] {
				list = append(list, indexExpr(l))
				break
			}
		}
	}
	for i := range t.rows {
		if t.rows[i].elem != t.rows[0].elem {
			list = append(list, elemExpr)
			break
		}
	}
	return list
}

// maxDepth bounds how conditions nest.
const maxDepth = 2

// manyRows is from how many rows on a few are looked at first.
const manyRows = 10_000

// explain is the first expression that explains a table, nil if there is none. In large tables the
// innermost loop is what matters most.
func (t *table) explain(r role) *Expr {
	if len(t.rows) <= manyRows {
		return t.fit(r, 0)
	}
	few := t.only(func(i int) bool {
		idx := t.rows[i].idx
		for k := range idx {
			if k < len(idx)-1 && idx[k] > 2 {
				return i%97 == 0
			}
		}
		return true
	})
	for len(few.rows) > 4*manyRows {
		few = few.only(func(i int) bool { return few.rows[i].rank%4 != 3 })
	}
	if e := few.fit(r, 0); t.holds(e) {
		return e
	}
	return nil
}

// fit is the first expression that explains a table, nil if there is none.
func (t *table) fit(r role, depth int) *Expr {
	if len(t.rows) == 0 {
		return num(0)
	}
	if t.m.work > maxWork {
		return nil
	}
	idx := t.varying()
	if r == roleRequests {
		if e := t.fitRequests(); e != nil {
			return e
		}
	}
	if vals, ok := t.constants(); ok && (r != roleDims || len(idx) == 0) {
		if e := t.m.constant(vals, r); e != nil {
			return e
		}
	}
	if r == roleDims {
		if e := t.fitDims(); e != nil {
			return e
		}
	}
	if r == roleRank {
		if e := t.fitRank(idx, depth); e != nil {
			return e
		}
		if t.m.blocked != "" {
			return nil
		}
	}
	if r == roleTrips {
		if e := t.fitNearTrips(); e != nil {
			return e
		}
	}
	if r == roleSize {
		// Ranks of different communicators are more likely than sizes that grow with the rank.
		if depth >= maxDepth {
			return nil
		}
		if e := t.fitConditions(r, depth); e != nil {
			return e
		}
	}
	if t.yesNo() {
		if e := t.condition(); e != nil {
			return e
		}
	}
	if r != roleRank && r != roleTrips && r != roleSteps {
		for _, k := range idx {
			if e := t.linear([]*Expr{k}, r, false, nil); e != nil {
				return e
			}
		}
		if e := t.pickNumbers(idx); e != nil {
			return e
		}
	}
	for _, f := range t.features(idx) {
		if r != roleRank && r != roleTrips && slices.ContainsFunc(f, func(x *Expr) bool { return x.Op == LowBit || x.Op == HighBit }) {
			continue // bits are for partners in trees
		}
		if e := t.linear(f, r, false, nil); e != nil {
			return e
		}
	}
	for _, c := range t.m.courses {
		if e := t.fitMoves(c, idx, r); e != nil {
			return e
		}
	}
	if e := t.fitCoords(idx, r); e != nil {
		return e
	}
	if e := t.fitModulo(idx); e != nil {
		return e
	}
	if depth >= maxDepth {
		return nil
	}
	if e := t.fitPick(idx, r, depth); e != nil || t.m.blocked != "" {
		return e
	}
	return t.fitConditions(r, depth)
}

// yesNo tells whether all values are 0 or 1, with some of both.
func (t *table) yesNo() bool {
	seen := [2]bool{}
	for _, v := range t.vals {
		if v < 0 || v > 1 {
			return false
		}
		seen[v] = true
	}
	return seen[0] && seen[1]
}

// fitRequests explains a number of requests by the numbers of partners.
func (t *table) fitRequests() *Expr {
	for _, c := range t.m.counts {
		if c.uses(func(x *Expr) bool { return x.Op == Index }) {
			continue
		}
		for a := int64(1); a <= 4; a++ {
			if e := op(Mul, num(a), c); t.holds(e) {
				return e
			}
		}
	}
	return nil
}

// features are the sets of what a value may depend on in a linear way, simple ones first.
func (t *table) features(idx []*Expr) [][]*Expr {
	out := [][]*Expr{{rankExpr}}
	for _, k := range idx {
		out = append(out, []*Expr{k})
	}
	for _, k := range idx {
		out = append(out, []*Expr{rankExpr, k})
	}
	if len(idx) > 1 {
		out = append(out, idx, append([]*Expr{rankExpr}, idx...))
	}
	for _, c := range t.m.counts {
		out = append(out, append([]*Expr{c}, idx...))
	}
	for _, k := range idx {
		out = append(out, []*Expr{op(Shl, k)}, []*Expr{rankExpr, op(Shl, k)}, []*Expr{rankExpr, op(Shl, op(Add, k, op(Bits, rankExpr)))})
	}
	for _, k := range idx {
		// Displacements of parts whose sizes ascend.
		out = append(out, []*Expr{k, op(Div, op(Mul, k, op(Add, k, num(1))), num(2))})
	}
	return append(out, []*Expr{op(LowBit, rankExpr)}, []*Expr{op(HighBit, rankExpr)},
		[]*Expr{rankExpr, op(LowBit, rankExpr)}, []*Expr{rankExpr, op(HighBit, rankExpr)})
}

// fitModulo explains values that repeat with the rank or an index.
func (t *table) fitModulo(idx []*Expr) *Expr {
	low, high := t.vals[0], t.vals[0]
	for _, v := range t.vals {
		low, high = min(low, v), max(high, v)
	}
	if high-low > 64 {
		return nil
	}
	for _, x := range append([]*Expr{rankExpr}, idx...) {
		for p := high - low + 1; p <= 2*(high-low+1); p++ {
			if p < 2 {
				continue
			}
			if e := t.linear([]*Expr{op(Mod, x, num(p))}, roleFixed, false, nil); e != nil {
				return e
			}
		}
		for p := int64(2); p <= 64; p++ {
			if e := t.linear([]*Expr{op(Div, x, num(p))}, roleFixed, false, nil); e != nil {
				return e
			}
		}
	}
	return nil
}

// maxPick is how many different expressions there may be for an index.
const maxPick = 64

// fitPick explains each iteration, or element, by itself. There have to be as many at all sides.
func (t *table) fitPick(idx []*Expr, r role, depth int) *Expr {
	for _, k := range slices.Backward(idx) {
		if t.m.isOpen(k) {
			continue
		}
		parts := map[int64]*table{}
		sides := map[int64]map[*side]bool{}
		all := map[*side]bool{}
		for i := range t.rows {
			v := t.eval(k, i)
			if v < 0 || v >= maxPick {
				parts = nil
				break
			}
			p := parts[v]
			if p == nil {
				p = &table{m: t.m, path: t.path}
				parts[v], sides[v] = p, map[*side]bool{}
			}
			p.rows, p.vals = append(p.rows, t.rows[i]), append(p.vals, t.vals[i])
			sides[v][t.rows[i].side], all[t.rows[i].side] = true, true
		}
		e := &Expr{Op: Pick, Args: []*Expr{k}}
		for v := range int64(len(parts)) {
			p := parts[v]
			if p == nil || len(sides[v]) != len(all) || len(p.rows) != len(parts[0].rows) {
				e = nil
				break
			}
			x := p.fit(r, depth+1)
			if x == nil {
				e = nil
				break
			}
			e.Args = append(e.Args, x)
		}
		if e != nil && len(e.Args) > 1 && t.holds(e) {
			return e
		}
	}
	return nil
}

// pickNumbers explains values that depend on one index only, and are the same at all ranks, of which there are several.
func (t *table) pickNumbers(idx []*Expr) *Expr {
	for _, k := range idx {
		if t.m.isOpen(k) {
			continue
		}
		vals := map[int64]int64{}
		rows := map[int64]int{}
		ranks := map[int64]bool{}
		ok := true
		for i, v := range t.vals {
			x := t.eval(k, i)
			old, seen := vals[x]
			if ok = x >= 0 && x < maxPick && (!seen || old == v); !ok {
				break
			}
			vals[x] = v
			rows[x]++
			ranks[t.rows[i].rank] = true
		}
		t.m.work += len(t.rows)
		if !ok || len(ranks) < 2 {
			continue
		}
		e := &Expr{Op: Pick, Args: []*Expr{k}}
		for x := range int64(len(vals)) {
			if rows[x] != rows[0] {
				e = nil
				break
			}
			e.Args = append(e.Args, num(vals[x]))
		}
		if t.holds(e) {
			return e
		}
	}
	return nil
}

// isOpen tells whether an index has no fixed end.
func (m *maker) isOpen(k *Expr) bool {
	if k.Op == Elem {
		return m.open[-1]
	}
	return m.open[k.N]
}
