package infer

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
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
	roleLoop          // how often any other loop is repeated
	roleSteps         // how often a loop over partners is repeated whose distance doubles
	roleRequests      // a number of requests
	roleStride        // a factor of a coordinate
	roleFixed         // a tag, an address, the number of an object: nothing that is likely to be a size
)

// inference infers a Model.
type inference struct {
	recordings []*recording
	// grids are those that explanations may speak of, possible all that the ranks may be in.
	grids, possible []*Grid
	// counts are those of loops that depend on the rank or the size, which other numbers may depend
	// on, too.
	counts []*Expr
	// courses are the orders of neighbours that were found.
	courses []*Expr
	// blocks are the forms of sizes of parts that were found.
	blocks []blockSize
	// open are the loops whose length follows from rank or size, and with number -1 the array. A
	// list of values for their indices would end too early in larger jobs.
	open map[int64]bool
	policy
	work    int // see maxWork
	budget  *budget
	scratch elimination
	lists   map[quantityKey][]quantity
	notes   map[assumption]bool
	remarks []remark
	where   string
	loops   int
	// grid is the one that factors of coordinates are to be taken from, if it is not nil.
	grid *Grid
	// partnerGrids are the grids that partners of calls are neighbours in.
	partnerGrids map[*Grid]bool
	// explicit are the grids that the program has as Cartesian topologies, or asked for.
	explicit map[*Grid]bool
	// others are the partners of the call, which its other parameters may depend on; root tells
	// that what is explained is the root of a collective.
	others []*Expr
	root   bool
	// factor tells that what is explained is a factor in a sum, and no number that was recorded.
	factor bool
	// counted are the counts that belong to an array of displacements.
	counted *Expr
	// sign is the direction along an axis that the meaning of a parameter tells, 0 if it does not.
	sign int
	// blocked says why something cannot be known, if that came up.
	blocked   string
	obstacles *Obstacles
	model     *Model
	sites     map[string]int
	modules   map[archive.Module]int
}

// remark is what an expression rests on without evidence.
type remark struct {
	e *Expr
	assumption
}

// begin turns to another parameter or loop.
func (m *inference) begin(where string) { m.where, m.blocked, m.work = where, "", 0 }

// note remarks that e was chosen without evidence. It counts if e becomes part of the model.
func (m *inference) note(e *Expr, format string, args ...any) *Expr {
	m.remarks = append(m.remarks, remark{e, assumption{fmt.Sprintf(format, args...), m.where}})
	return e
}

// assume notes what is decided of the job as a whole.
func (m *inference) assume(format string, args ...any) {
	m.notes[assumption{what: fmt.Sprintf(format, args...)}] = true
}

// settle lists the remarks on the parts of an expression that was chosen, and forgets the others.
func (m *inference) settle(e *Expr) *Expr {
	for _, r := range m.remarks {
		if e.Uses(func(x *Expr) bool { return x == r.e }) {
			m.notes[r.assumption] = true
		}
	}
	m.remarks = m.remarks[:0]
	return e
}

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

// manyRows is the number of rows from which a few are looked at first.
const manyRows = 10_000

// explain is the first expression that explains a table, nil if there is none. In large tables the
// innermost loop is what matters most.
func (t *table) explain(r role) *Expr {
	var e *Expr
	s := t.steady()
	if s == nil || len(t.rows) <= manyRows {
		e = t.explained(r)
	}
	if e == nil && s != nil && t.m.blocked == "" {
		t.m.work = 0
		e = s.explained(r)
	}
	if e != nil && t.weak(e) {
		t.m.note(e, "that it is %v rests on few values", e)
	}
	return e
}

// steady is the table of the first iteration only, if all others have the same values at each rank,
// and nil if they do not or there are no others.
func (t *table) steady() *table {
	type place struct {
		of         *recording
		rank, elem int64
	}
	seen := map[place]int64{}
	s := t.like()
	for i, r := range t.rows {
		at := place{r.recording, r.rank, r.elem}
		v, ok := seen[at]
		if ok && v != t.vals[i] {
			return nil
		}
		if !ok {
			seen[at] = t.vals[i]
			s.add(r, t.vals[i])
		}
	}
	if len(s.rows) == len(t.rows) {
		return nil
	}
	return s
}

func (t *table) explained(r role) *Expr {
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
	if len(few.rows) > 4*manyRows {
		few = few.only(func(i int) bool { return few.rows[i].rank%4 != 3 })
	}
	for len(few.rows) > 4*manyRows {
		few = few.only(func(i int) bool { return i%2 == 0 })
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
	if t.m.tired() {
		return nil
	}
	idx := t.varying()
	if t.m.counted != nil && depth == 0 {
		if e := t.fitDisplacements(); e != nil {
			return e
		}
	}
	if r == roleRequests {
		if e := t.fitRequests(); e != nil {
			return e
		}
	}
	if vals, ok := t.constants(); ok && (r != roleDims || len(idx) == 0) {
		if e := t.m.constant(vals, r); e != nil {
			return e
		}
		if !t.oneSize() && t.severalRanks() {
			if r == roleOther || r == roleFixed {
				return t.m.first(vals, r, blocks)
			}
			return nil // what does not depend on the rank does not do so in larger jobs
		}
	}
	if r == roleDims {
		if e := t.fitDims(); e != nil {
			return e
		}
	}
	if r == roleRank {
		if len(idx) == 1 && idx[0].Op == Elem { // the first and the last one, say
			if e := t.pickNumbers(idx, r); e != nil && (!lists(e) || !t.oneSize()) {
				return e
			}
		}
		if e := t.fitRank(idx, depth); e != nil {
			return e
		}
		if t.m.blocked != "" {
			return nil
		}
		// Values such as MPI_ROOT and MPI_PROC_NULL are no numbers to reckon with.
		if slices.ContainsFunc(t.vals, func(v int64) bool { return v < 0 }) {
			return t.choose(idx, r, depth)
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
		if e := t.pickNumbers(idx, r); e != nil {
			return e
		}
	}
	for _, f := range t.features(idx) {
		bit := func(x *Expr) bool { return x.Op == LowBit || x.Op == HighBit }
		if r != roleRank && r != roleTrips && slices.ContainsFunc(f, bit) {
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
	if e := t.fitPartSizes(r); e != nil {
		return e
	}
	if e := t.fitCoords(idx, r); e != nil {
		return e
	}
	if e := t.fitDiagonals(idx, r); e != nil {
		return e
	}
	if r != roleRank {
		if e := t.fitCells(); e != nil {
			return e
		}
	}
	if e := t.fitModulo(idx, r); e != nil {
		return e
	}
	return t.choose(idx, r, depth)
}

// choose explains the values of each iteration, or where conditions hold, by themselves.
func (t *table) choose(idx []*Expr, r role, depth int) *Expr {
	if depth >= maxDepth {
		return nil
	}
	if e := t.fitPick(idx, r, depth); e != nil || t.m.blocked != "" {
		return e
	}
	return t.fitConditions(r, depth)
}

// fitDisplacements explains displacements by the counts of what comes before, in elements or in
// bytes. Formulas that are simpler, such as one for equal counts, are found without.
func (t *table) fitDisplacements() *Expr {
	if c := t.m.counted; c.Uses(func(x *Expr) bool { return x.Op == Elem || x.Op == Index }) || c.UsesRank() {
		for _, a := range []int64{1, 2, 4, 8, 16} {
			if e := (&Expr{Op: Sum, Args: []*Expr{op(Mul, num(a), c)}}); t.holds(e) {
				return e
			}
		}
	}
	return nil
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
		if c.Uses(func(x *Expr) bool { return x.Op == Index }) {
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
	for _, c := range t.m.others {
		out = append(out, []*Expr{c})
	}
	for _, c := range t.m.counts {
		out = append(out, append([]*Expr{c}, idx...))
	}
	for _, k := range idx {
		out = append(out, []*Expr{op(Shl, k)}, []*Expr{rankExpr, op(Shl, k)},
			[]*Expr{rankExpr, op(Shl, op(Add, k, op(Bits, rankExpr)))})
	}
	for _, k := range idx {
		// Displacements of parts whose sizes ascend.
		out = append(out, []*Expr{k, op(Div, op(Mul, k, op(Add, k, num(1))), num(2))})
	}
	return append(out, []*Expr{op(LowBit, rankExpr)}, []*Expr{op(HighBit, rankExpr)},
		[]*Expr{rankExpr, op(LowBit, rankExpr)}, []*Expr{rankExpr, op(HighBit, rankExpr)})
}

// maxPick is how many different expressions there may be for an index.
const maxPick = 64

// fitPick explains each iteration, or element, by itself. There have to be as many at all
// recordings.
func (t *table) fitPick(idx []*Expr, r role, depth int) *Expr {
	all := len(t.recordings())
	for _, k := range slices.Backward(idx) {
		if t.m.isOpen(k) {
			continue
		}
		parts := t.groups(k, maxPick)
		e := pickExpr(k)
		for _, p := range parts {
			var x *Expr
			if len(p.rows) == len(parts[0].rows) && len(p.recordings()) == all {
				x = p.fit(r, depth+1)
			}
			if x == nil {
				e = nil
				break
			}
			e.Args = append(e.Args, x)
		}
		if e != nil && len(parts) > 0 && t.holds(e) && !(r == roleRank && t.oneSize() && lists(e)) {
			return e
		}
	}
	return nil
}

// oneSize tells whether all rows are of jobs of one size.
func (t *table) oneSize() bool {
	return !slices.ContainsFunc(t.rows, func(r row) bool { return r.recording.size != t.rows[0].recording.size })
}

// lists tells whether a Pick gives three or more different numbers: of ranks, that is what was
// seen, and no rule.
func lists(e *Expr) bool {
	seen := map[int64]bool{}
	for _, a := range e.Args[1:] {
		if a.Op == Num && a.N >= 0 {
			seen[a.N] = true
		}
	}
	return len(seen) > 2
}

// pickNumbers explains values that depend on one index only, and are the same at all ranks, of
// which there are several for each.
func (t *table) pickNumbers(idx []*Expr, r role) *Expr {
	for _, k := range idx {
		if t.m.isOpen(k) {
			continue
		}
		t.m.spend(len(t.rows))
		parts := t.groups(k, maxPick)
		e := pickExpr(k)
		for _, p := range parts {
			var c *Expr
			if vals, same := p.constants(); same && len(p.rows) == len(parts[0].rows) && p.severalRanks() {
				c = t.m.constant(vals, r)
			}
			if c == nil {
				e = nil
				break
			}
			e.Args = append(e.Args, c)
		}
		if len(parts) > 0 && t.holds(e) {
			return e
		}
	}
	return nil
}

// severalRanks tells whether not all rows are of one rank.
func (t *table) severalRanks() bool {
	return slices.ContainsFunc(t.rows, func(r row) bool { return r.rank != t.rows[0].rank })
}

// isOpen tells whether an index has no fixed end.
func (m *inference) isOpen(k *Expr) bool {
	if k.Op == Elem {
		return m.open[-1]
	}
	return m.open[k.N]
}
