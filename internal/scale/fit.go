package scale

import (
	"fmt"
	"slices"

	mathbits "math/bits"

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

// quantity is something that a number may be equal to.
type quantity struct {
	e    *Expr
	dims bool
}

func (m *maker) quantities(r role) []quantity {
	list := []quantity{{e: sizeExpr}}
	if r == roleSize {
		list = append(list, quantity{half, true}, quantity{otherHalf, true})
	}
	if r == roleSteps {
		list = []quantity{{e: log2Size}, {e: sizeExpr}}
	}
	if r == roleRank || r == roleTrips || r == roleOther || r == roleLength || r == roleSize {
		list = append(list, quantity{e: log2Size})
	}
	for _, g := range m.grids {
		if g.Axes < 2 || m.grid != nil && g != m.grid {
			continue
		}
		product := (*Expr)(nil)
		for k := g.Axes - 1; k >= 0; k-- {
			d := &Expr{Op: Dim, Grid: g, N: int64(k)}
			list = append(list, quantity{d, true})
			if product != nil && k > 0 {
				list = append(list, quantity{op(Mul, d, product), true})
			}
			if product == nil {
				product = d
			} else {
				product = op(Mul, d, product)
			}
		}
	}
	return list
}

// log2Size is the number of steps in which a job of P ranks can be halved.
var log2Size = &Expr{Op: Bits, Args: []*Expr{{Op: Sub, Args: []*Expr{sizeExpr, {Op: Num, N: 1}}}}}

// half and otherHalf are the sizes of two halves.
var (
	half      = &Expr{Op: Div, Args: []*Expr{sizeExpr, {Op: Num, N: 2}}}
	otherHalf = &Expr{Op: Div, Args: []*Expr{{Op: Add, Args: []*Expr{sizeExpr, {Op: Num, N: 1}}}, {Op: Num, N: 2}}}
)

// constant is the expression for a number that is the same at all ranks of a side: the number itself, or what it is
// equal to. nil if nothing fits.
func (m *maker) constant(vals map[*side]int64, r role) *Expr {
	if len(vals) == 0 {
		return num(0)
	}
	equal, first := true, int64(0)
	n := 0
	for _, v := range vals {
		if n == 0 {
			first = v
		} else if v != first {
			equal = false
		}
		n++
	}
	sizes := map[int64]bool{}
	for s := range vals {
		sizes[s.size] = true
	}
	if len(sizes) > 1 {
		if equal && (r != roleStride || first < 2) {
			return num(first)
		}
		if e := m.relation(vals, r); e != nil || !equal {
			return e
		}
		return num(first)
	}
	if !equal {
		return nil
	}
	return m.single(vals, first, r)
}

// at is the value of an expression without rank and index at a side.
func (s *side) at(e *Expr) int64 { return e.Eval(&s.env) }

// relation explains numbers that differ between sizes.
func (m *maker) relation(vals map[*side]int64, r role) *Expr {
	fits := func(e *Expr) bool {
		for s, v := range vals {
			if s.at(e) != v {
				return false
			}
		}
		return true
	}
	qs := m.quantities(r)
	if r == roleDims || r == roleStride {
		slices.Reverse(qs)
	}
	for _, d := range []int64{0, -1, 1, -2, 2} {
		for _, q := range qs {
			if e := op(Add, q.e, num(d)); fits(e) {
				return e
			}
		}
	}
	var some *side
	for s := range vals {
		some = s
	}
	for _, q := range qs {
		x := some.at(q.e)
		if x != 0 && vals[some]%x == 0 {
			if e := op(Mul, q.e, num(vals[some]/x)); fits(e) {
				return e
			}
		}
		if e := op(Div, num(vals[some]*x), q.e); fits(e) {
			return e
		}
	}
	if r == roleRank {
		return nil
	}
	for _, q := range qs {
		for s, v := range vals {
			x, y := s.at(q.e), some.at(q.e)
			if x == y || (v-vals[some])%(x-y) != 0 {
				continue
			}
			a := (v - vals[some]) / (x - y)
			rest := v - a*x
			if a < 0 || len(vals) == 2 && (rest > 2*a || rest < -2*a) {
				continue
			}
			if e := op(Add, op(Mul, q.e, num(a)), num(rest)); fits(e) {
				return m.note(e, "%v, from few sizes only", e)
			}
		}
	}
	return nil
}

// single explains a number that is known for one size only: what it means decides.
func (m *maker) single(vals map[*side]int64, v int64, r role) *Expr {
	var s *side
	for x := range vals {
		s = x
	}
	switch r {
	case roleRank:
		if v == s.size-1 && v > 0 {
			return m.note(op(Sub, sizeExpr, num(1)), "rank %d is the last one", v)
		}
		if v == s.size/2 && v > 1 {
			return m.note(num(v), "rank %d is the same one in jobs of other sizes", v)
		}
	case roleSize, roleLength:
		if v == s.size && v > 1 {
			return sizeExpr
		}
		for _, q := range m.quantities(r) {
			if q.dims && v > 1 && s.at(q.e) == v && r == roleSize {
				return m.note(op(Max, q.e, num(1)), "%d ranks are %v", v, q.e)
			}
		}
	case roleDims, roleStride:
		for _, q := range slices.Backward(m.quantities(r)) {
			if q.dims && s.at(q.e) == v && v > 1 {
				return q.e
			}
		}
		if v == s.size && v > 1 {
			return sizeExpr
		}
	case roleTrips:
		for _, d := range []int64{-1, 0, -2} {
			if e := op(Add, sizeExpr, num(d)); v > 1 && s.at(e) == v {
				return m.note(e, "%d partners are %v", v, e)
			}
		}
		for _, q := range m.quantities(r) {
			if x := s.at(q.e); q.dims && v > 1 && (v == x || v == x-1) {
				return m.note(num(v), "%d partners, in jobs of any size, although an axis of the process grid has %d ranks", v, x)
			}
		}
	case roleSteps:
		if s.at(log2Size) == v {
			return m.note(&Expr{Op: log2Size.Op, Args: log2Size.Args}, "%d partners are %v", v, log2Size)
		}
	case roleOther:
		for _, e := range m.counts {
			if !e.UsesRank() && !e.uses(func(x *Expr) bool { return x.Op == Index || x.Op == Elem }) && v > 2 && s.at(e) == v {
				return m.note(&Expr{Op: e.Op, N: e.N, Args: e.Args, Grid: e.Grid, Moves: e.Moves, Periodic: e.Periodic}, "%d is the number of partners, %v", v, e)
			}
		}
		if v > 2 && (v == s.size || v == s.size-1) {
			return m.note(num(v), "%d does not depend on the number of ranks, which is %d", v, s.size)
		}
	}
	return num(v)
}

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
		vals := map[*side]int64{}
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
		c := t.m.constant(vals, cr)
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
		if sum == nil {
			sum = term
		} else {
			sum = op(Add, sum, term)
		}
	}
	if !t.holds(sum) || !t.proved(sum) {
		return nil
	}
	return sum
}

// jointly is linear with the same numbers at all sides, if there are several.
func (t *table) jointly(features []*Expr, accept func(coef []int64) bool) *Expr {
	sizes := map[int64]bool{}
	for i := range t.rows {
		sizes[t.rows[i].side.size] = true
		if len(sizes) > 1 {
			break
		}
	}
	if len(sizes) < 2 {
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
			term := op(Mul, num(c[k+1]), f)
			switch {
			case c[k+1] == 0:
			case sum == nil:
				sum = term
			default:
				sum = op(Add, sum, term)
			}
		}
		if sum == nil {
			sum = num(c[0])
		} else {
			sum = op(Add, sum, num(c[0]))
		}
		if t.holds(sum) && t.proved(sum) {
			return sum
		}
	}
	return nil
}

// proved tells whether there are more ranks than an expression has numbers and conditions to choose: otherwise
// one can be found for any values.
func (t *table) proved(e *Expr) bool {
	free := e.freedom(map[int64]bool{})
	if free <= 3 {
		return true
	}
	ranks := map[int64]bool{}
	for i := range t.rows {
		ranks[t.rows[i].rank] = true
	}
	return free <= len(ranks)/3
}

// freedom is how many numbers and conditions of an expression could be others.
func (e *Expr) freedom(seen map[int64]bool) int {
	n := 0
	switch e.Op {
	case Num:
		if e.N < -1 || e.N > 1 && !seen[e.N] {
			seen[e.N] = true
			n = 1
		}
	case LowBit, HighBit, Bits:
		n = 1
	case If:
		if c := e.Args[0]; c.Op != Eq || c.Args[0].Op != Rank {
			n = 1
		}
	}
	for _, a := range e.Args {
		n += a.freedom(seen)
	}
	return n
}

func indexExpr(loop int) *Expr { return &Expr{Op: Index, N: int64(loop)} }

func log2(n int64) int64 { return int64(mathbits.Len64(uint64(n))) }

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
