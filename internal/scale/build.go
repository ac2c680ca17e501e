package scale

import (
	"fmt"
	"slices"

	"tabard/internal/rankfn"
	"tabard/spec"
	"tabard/trace"
)

// seen is a call as it was recorded: at a rank, in an iteration of the loops around it.
type seen struct {
	row
	class *class
	term  uint32
	sig   *trace.Signature
}

// turning tells which of the loops around a block have iterations that differ somewhere.
func (b *block) turning() []bool {
	out := make([]bool, len(b.path))
	for i := range b.seqs {
		for k, n := range b.seqs[i].real {
			out[k] = out[k] || n == nil
		}
	}
	return out
}

// iterations are the indices that stand for a sequence at a rank: where iterations are equal although they differ at
// others, the first and the last ones.
func (s *sequence) iterations(turning []bool, rank int) [][]int64 {
	out := [][]int64{s.idx}
	for k, n := range s.real {
		if n == nil || !turning[k] {
			continue
		}
		times := n.times(rank)
		var next [][]int64
		for _, idx := range out {
			for _, v := range []int64{0, 1, times - 1} {
				if v >= 0 && v < times && (v < 2 || v == times-1) {
					x := append([]int64{}, idx...)
					x[k] = v
					next = append(next, x)
				}
				if v == 1 && times == 2 {
					break
				}
			}
		}
		out = next
	}
	return out
}

// calls are all occurrences of a call that differ.
func (b *block) calls(it *item) ([]seen, error) {
	turning := b.turning()
	var out []seen
	for i := range b.seqs {
		n := it.nodes[i]
		if n == nil {
			continue
		}
		s := &b.seqs[i]
		var sig *trace.Signature
		for _, rank := range s.class.ranks {
			if sig == nil || !s.class.constant(n.term) {
				var err error
				if sig, err = s.class.signature(n.term, rank); err != nil {
					return nil, err
				}
			}
			for _, idx := range s.iterations(turning, rank) {
				out = append(out, seen{row{side: s.class.side, rank: int64(rank), idx: idx}, s.class, n.term, sig})
			}
		}
	}
	return out, nil
}

// tripTable is how often an item is executed.
func (m *maker) tripTable(b *block, it *item) *table {
	t := &table{m: m, path: b.path}
	turning := b.turning()
	for i := range b.seqs {
		s, n := &b.seqs[i], it.nodes[i]
		for _, rank := range s.class.ranks {
			v := int64(0)
			switch {
			case n == nil:
			case n.inst == nil:
				v = 1
			default:
				v = n.times(rank)
			}
			for _, idx := range s.iterations(turning, rank) {
				t.rows = append(t.rows, row{side: s.class.side, rank: int64(rank), idx: idx})
				t.vals = append(t.vals, v)
			}
		}
	}
	return t
}

// partTable is the values of an integer of a slot that is no array.
func (m *maker) partTable(b *block, calls []seen, slot, k int) *table {
	t := &table{m: m, path: b.path, rows: make([]row, len(calls)), vals: make([]int64, len(calls))}
	for i := range calls {
		t.rows[i], t.vals[i] = calls[i].row, part(&calls[i].sig.Slots[slot], k)
	}
	return t
}

// specFunc is the function of a template.
func specFunc(t *trace.Template) *spec.Func { return spec.ByID(t.Func) }

// peers looks for the partners of all calls, which tell the loops over partners.
func (m *maker) peers(b *block) {
	for _, it := range b.of {
		if !it.leaf {
			m.peers(it.sub)
			continue
		}
		it.partners, it.unknown = map[[2]int]*Expr{}, 0
		calls, err := b.calls(it)
		if err != nil || len(calls) == 0 {
			continue // nodes reports it
		}
		f := spec.ByID(calls[0].sig.Func)
		for i := range f.Slots {
			v := &calls[0].sig.Slots[i]
			if f.Slots[i].Array || v.Kind != trace.Int && v.Kind != trace.Hole || roleOf(f, i, 0) != roleRank || f.Slots[i].Codec == spec.Status {
				continue
			}
			t, ok := m.partTable(b, calls, i, 0), true
			if slices.ContainsFunc(calls, func(s seen) bool { return s.sig.Slots[i].Kind != trace.Int }) {
				t, ok = m.heldTable(b, it, calls, i, 0)
			}
			if !ok {
				continue
			}
			m.where, m.blocked, m.work, m.sign = m.place(&calls[0], i), "", 0, signOf(f, i, calls)
			m.root = i == rootSlot(f.ID)
			e := t.explain(roleRank)
			m.sign, m.root = 0, false
			if e != nil {
				it.partners[[2]int{i, 0}] = m.settle(e)
			} else {
				it.unknown++
			}
		}
	}
}

// signOf is the direction in which a result of MPI_Cart_shift lies along an axis, 0 for all else.
func signOf(f *spec.Func, slot int, calls []seen) int {
	if f.Name != "MPI_Cart_shift" {
		return 0
	}
	step := int64(0)
	for i := range f.Slots {
		if trace.SlotName(f, &f.Slots[i]) == "disp" {
			for k := range calls {
				v := &calls[k].sig.Slots[i]
				if v.Kind != trace.Int || v.N*v.N != 1 || step != 0 && v.N != step {
					return 0
				}
				step = v.N
			}
		}
	}
	if trace.SlotName(f, &f.Slots[slot]) == "rank_source" {
		step = -step
	}
	return int(step)
}

// place names a parameter for people.
func (m *maker) place(c *seen, slot int) string {
	f := spec.ByID(c.sig.Func)
	text := f.Name
	if s := siteName(c.class.side.c, c.sig.Site); s != "" {
		text += " at " + s
	}
	if slot >= 0 {
		text += ", " + trace.SlotName(f, &f.Slots[slot])
	}
	return text
}

// nodes makes the nodes of a block.
func (m *maker) nodes(b *block) (out []*Node) {
	for _, it := range b.of {
		n := &Node{Index: -1}
		var calls []seen
		if it.leaf {
			var err error
			if calls, err = b.calls(it); err != nil || len(calls) == 0 {
				m.obstacles.add(Obstacle{Reason: fmt.Sprintf("a call of the recording cannot be read: %v", err)})
				continue
			}
		}
		n.Count = m.trips(b, it, calls)
		if it.leaf {
			n.Call = m.call(b, it, calls)
		} else {
			n.Index = it.loop
			n.Body = m.nodes(it.sub)
			m.rotating(it)
		}
		out = append(out, n)
	}
	return out
}

// leaves calls f for all calls below an item, with their blocks.
func (it *item) leaves(b *block, f func(*block, *item)) {
	if it.leaf {
		f(b, it)
		return
	}
	for _, x := range it.sub.of {
		x.leaves(it.sub, f)
	}
}

// trips is how often an item is executed; nil is once.
func (m *maker) trips(b *block, it *item, calls []seen) *Expr {
	t := m.tripTable(b, it)
	m.where, m.blocked, m.work = "a loop", "", 0
	var sample *seen
	if it.leaf {
		sample = &calls[0]
	} else {
		it.leaves(b, func(x *block, l *item) {
			if sample == nil {
				if cs, err := x.calls(l); err == nil && len(cs) > 0 {
					sample = &cs[0]
				}
			}
		})
	}
	if sample != nil {
		m.where = m.place(sample, -1)
		if !it.leaf {
			m.where = "the loop over " + m.where
		}
	}
	e := m.settle(m.tripsOf(t, it, b))
	if e == nil {
		o := Obstacle{Reason: "how often it is made does not follow from rank and size", Ranks: t.differing()}
		if m.blocked != "" {
			o.Reason = m.blocked
		}
		if sample != nil {
			o.Func, o.Site = spec.ByID(sample.sig.Func).Name, siteName(sample.class.side.c, sample.sig.Site)
		}
		m.obstacles.add(o)
		return nil
	}
	if e.Op == Num && e.N == 1 {
		return nil
	}
	if it.loop >= 0 {
		m.open[int64(it.loop)] = e.UsesRank() || e.UsesSize()
	}
	if (e.UsesRank() || e.UsesSize()) && !e.condition() && !slices.ContainsFunc(m.counts, func(x *Expr) bool { return x.equal(e) }) {
		m.counts = append(m.counts, e)
	}
	return e
}

// condition tells whether an expression is one: 0 or 1.
func (e *Expr) condition() bool { return e.Op >= Eq && e.Op <= Not }

// differing are the ranks of a table, if not all have the same value.
func (t *table) differing() *trace.RankSet {
	var ranks []int
	for i := range t.rows {
		ranks = append(ranks, int(t.rows[i].rank))
	}
	return rankfn.NewSet(ranks)
}

// tripsOf looks for how often an item is executed: over how many partners it goes, if it does.
func (m *maker) tripsOf(t *table, it *item, b *block) *Expr {
	if vals, ok := t.constants(); ok {
		one := true
		for _, v := range vals {
			one = one && v == 1
		}
		if one {
			return num(1)
		}
	}
	var partners []*Expr
	it.leaves(b, func(_ *block, l *item) {
		for _, e := range l.partners {
			partners = append(partners, e)
		}
	})
	slices.SortFunc(partners, func(x, y *Expr) int { return cmpText(x.String(), y.String()) })
	r := roleLoop
	for _, p := range partners {
		if it.loop >= 0 && p.UsesIndex(it.loop) {
			r = p.tripsRole(it.loop)
			if n := p.goesRound(); n != nil && t.rounds(n) {
				m.blocked = "it goes round the ranks, and how often it does depends on their number"
				return nil
			}
			p.uses(func(x *Expr) bool {
				if x.Op == NearRank {
					m.addCourse(&Expr{Op: NearCount, Grid: x.Grid, Moves: x.Moves})
				}
				return false
			})
		}
	}
	if it.loop >= 0 {
		for _, p := range partners {
			if e := m.near(t, it, p); e != nil {
				return e
			}
		}
	}
	_, constant := t.constants()
	if !constant {
		for _, p := range partners {
			if e := t.while(p, it); e != nil {
				return e
			}
		}
	}
	return t.explain(r)
}

func cmpText(a, b string) int {
	switch {
	case len(a) != len(b):
		return len(a) - len(b)
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// tripsRole is what the trip count of a loop means whose index leads to partners in the way of e.
func (e *Expr) tripsRole(loop int) role {
	switch {
	case e.uses(func(x *Expr) bool { return x.Op == Shl && x.UsesIndex(loop) }):
		return roleSteps
	case e.uses(func(x *Expr) bool { return x.Op == Pick && x.Args[0].UsesIndex(loop) }):
		return roleFixed // as many as there are partners
	case e.goesRound() != nil:
		return roleLoop
	}
	return roleTrips
}

// goesRound is the number of ranks that e, the partner in an iteration, goes round; nil if it does not do that.
func (e *Expr) goesRound() *Expr {
	if e.Op == Mod && !e.UsesRank() && (e.Args[1].Op == Size || e.Args[1].Op == Dim) {
		return e.Args[1]
	}
	return nil
}

// rounds tells whether a loop goes round so many ranks, as a table of its trip counts has it, a whole number of times: then
// it may be that this number is given, and not how long the loop is.
func (t *table) rounds(ranks *Expr) bool {
	vals, ok := t.constants()
	if !ok {
		return false
	}
	other := map[int64]bool{}
	for s, v := range vals {
		other[v] = true
		if v%max(s.at(ranks), 1) != 0 {
			return false
		}
	}
	sizes := map[int64]bool{}
	for s := range vals {
		sizes[s.at(ranks)] = true
	}
	return len(sizes) == 1 || len(other) > 1
}

// near is the number of neighbours, if the partners of a loop are the neighbours of a rank.
func (m *maker) near(t *table, it *item, partner *Expr) (found *Expr) {
	partner.uses(func(x *Expr) bool {
		if x.Op == NearRank && x.Args[0].Op == Index && x.Args[0].N == int64(it.loop) {
			if e := (&Expr{Op: NearCount, Grid: x.Grid, Moves: x.Moves}); t.holds(e) {
				found = e
			}
		}
		return false
	})
	return found
}

// while explains a count by the iterations in which there is a partner.
func (t *table) while(partner *Expr, it *item) *Expr {
	inRange := op(And, op(Not, op(Less, partner, num(0))), op(Less, partner, sizeExpr))
	if it.leaf {
		if t.holds(inRange) {
			return inRange
		}
		return nil
	}
	most := int64(0)
	for _, v := range t.vals {
		most = max(most, v)
	}
	k := indexExpr(it.loop)
	conds := []*Expr{
		op(And, inRange, op(Eq, op(Mod, rankExpr, op(Shl, op(Add, k, num(1)))), num(0))),
		inRange,
	}
	for i, c := range conds {
		limit := most
		if i == 0 {
			limit = 62
		}
		for _, n := range []int64{limit, 62} {
			if e := (&Expr{Op: While, N: int64(it.loop), Args: []*Expr{c, num(n)}}); t.holds(e) {
				return e
			}
		}
	}
	return nil
}

// rotating refuses loops that do nothing but loop over the roots of a collective call: step after step another root, from
// the first one again after the last. Where such a round ends depends on the size, and with it the loop around it.
func (m *maker) rotating(it *item) {
	if len(it.sub.of) != 1 || it.sub.of[0].leaf {
		return
	}
	round := it.sub.of[0]
	round.leaves(it.sub, func(b *block, l *item) {
		for at, e := range l.partners {
			if !e.UsesIndex(round.loop) {
				continue
			}
			calls, err := b.calls(l)
			if err != nil || len(calls) == 0 {
				continue
			}
			if f := spec.ByID(calls[0].sig.Func); trace.SlotName(f, &f.Slots[at[0]]) == "root" {
				m.obstacle(calls, at[0], "it goes round the ranks, and how often it does depends on their number")
			}
		}
	})
}
