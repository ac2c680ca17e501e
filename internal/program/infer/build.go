package infer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// observation is a call as it was recorded: at a rank, in an iteration of the loops around it.
type observation struct {
	row
	class *class
	term  uint32
	sig   *archive.Signature
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

// iterations are the indices that stand for a sequence at a rank. Where the iterations are equal at
// this rank but differ at others, these are the first and the last ones.
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
func (b *block) calls(it *item) ([]observation, error) {
	turning := b.turning()
	var out []observation
	type place struct {
		class *class
		term  uint32
		rank  int
	}
	known := map[place]*archive.Signature{} // of calls that many sequences have
	for i := range b.seqs {
		n := it.nodes[i]
		if n == nil {
			continue
		}
		s := &b.seqs[i]
		for _, rank := range s.class.ranks {
			at := place{s.class, n.term, rank}
			if s.class.constant(n.term) {
				at.rank = 0
			}
			sig := known[at]
			if sig == nil {
				var err error
				if sig, err = s.class.signature(n.term, rank); err != nil {
					return nil, err
				}
				known[at] = sig
			}
			for _, idx := range s.iterations(turning, rank) {
				out = append(out, observation{row{recording: s.class.recording, rank: int64(rank), idx: idx}, s.class,
					n.term, sig})
			}
		}
	}
	return out, nil
}

// tripTable is how often an item is executed.
func (m *inference) tripTable(b *block, it *item) *table {
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
				t.add(row{recording: s.class.recording, rank: int64(rank), idx: idx}, v)
			}
		}
	}
	return t
}

// partTable is the values of an integer of a slot that is no array.
func (m *inference) partTable(b *block, calls []observation, slot, k int) *table {
	t := &table{m: m, path: b.path}
	for i := range calls {
		t.add(calls[i].row, calls[i].sig.Slots[slot].Integer(k).Int())
	}
	return t
}

// specFunc is the function of a template.
func specFunc(t *archive.Template) *spec.Func { return spec.ByID(t.Func) }

// peers looks for the partners of all calls, which tell the loops over partners.
func (m *inference) peers(b *block) {
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
			if f.Slots[i].Array || f.Slots[i].Codec == spec.Status || roleOf(f, i, 0) != roleRank ||
				v.Kind != archive.Int && v.Kind != archive.Hole {
				continue
			}
			t, ok := m.partTable(b, calls, i, 0), true
			if slices.ContainsFunc(calls, func(s observation) bool { return s.sig.Slots[i].Kind != archive.Int }) {
				t, ok = m.heldTable(b, it, calls, i, 0)
			}
			if !ok {
				continue
			}
			m.begin(m.place(&calls[0], i))
			m.sign = signOf(f, i, calls)
			m.root = i == rootSlot(f.ID)
			looked := m.budget.left >= 0
			e := t.explain(roleRank)
			m.sign, m.root = 0, false
			if e != nil {
				it.partners[[2]int{i, 0}] = m.settle(e)
				continue
			}
			it.unknown++
			// With fewer grids, others are lost that had an explanation.
			if looked && len(m.grids) == len(m.possible) {
				it.lost = append(it.lost, lostPartner{i, t.lostBy()})
			}
		}
	}
}

// signOf is the direction in which a result of MPI_Cart_shift lies along an axis, 0 for all else.
func signOf(f *spec.Func, slot int, calls []observation) int {
	if f.Op != spec.OpCartShift {
		return 0
	}
	step := int64(0)
	for i := range f.Slots {
		if archive.SlotName(f, &f.Slots[i]) == "disp" {
			for k := range calls {
				v := &calls[k].sig.Slots[i]
				if v.Kind != archive.Int || v.N*v.N != 1 || step != 0 && v.N != step {
					return 0
				}
				step = v.N
			}
		}
	}
	if archive.SlotName(f, &f.Slots[slot]) == "rank_source" {
		step = -step
	}
	return int(step)
}

// place names a parameter for people.
func (m *inference) place(c *observation, slot int) string {
	f := spec.ByID(c.sig.Func)
	text := f.Name
	if s := siteName(c.class.recording.c, c.sig.Site); s != "" {
		text += " at " + s
	}
	if slot >= 0 {
		text += ", " + archive.SlotName(f, &f.Slots[slot])
	}
	return text
}

// nodes makes the nodes of a block.
func (m *inference) nodes(b *block) (out []*Node) {
	for _, it := range b.of {
		n := &Node{Index: -1}
		var calls []observation
		if it.leaf {
			var err error
			if calls, err = b.calls(it); err != nil || len(calls) == 0 {
				m.obstacles.Add(Obstacle{Reason: fmt.Sprintf("a call of the recording cannot be read: %v", err)})
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

// trips is how often an item is executed; nil means once.
func (m *inference) trips(b *block, it *item, calls []observation) *Expr {
	t := m.tripTable(b, it)
	m.begin("a loop")
	var sample *observation
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
		o := Obstacle{Reason: howOften, Ranks: t.differing()}
		switch {
		case m.blocked != "":
			o.Reason = m.blocked
		case m.budget.left < 0:
			o.Reason = tooLong
		}
		if sample != nil {
			o.Func, o.Site = spec.ByID(sample.sig.Func).Name, siteName(sample.class.recording.c, sample.sig.Site)
		}
		m.obstacles.Add(o)
		return nil
	}
	if e.Op == Num && e.N == 1 {
		return nil
	}
	if it.loop >= 0 {
		m.open[int64(it.loop)] = e.UsesRank() || e.UsesSize()
	}
	if (e.UsesRank() || e.UsesSize()) && !e.IsCondition() && !slices.ContainsFunc(m.counts, e.Equal) {
		m.counts = append(m.counts, e)
	}
	return e
}

// differing are the ranks of a table, if not all have the same value.
func (t *table) differing() *archive.RankSet {
	var ranks []int
	for i := range t.rows {
		ranks = append(ranks, int(t.rows[i].rank))
	}
	return rankfunc.NewSet(ranks)
}

// tripsOf looks for how often an item is executed: over how many partners it goes, if it does.
func (m *inference) tripsOf(t *table, it *item, b *block) *Expr {
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
	slices.SortFunc(partners, func(x, y *Expr) int {
		a, b := x.String(), y.String()
		return cmp.Or(len(a)-len(b), cmp.Compare(a, b))
	})
	r := roleLoop
	for _, p := range partners {
		if it.loop >= 0 && p.UsesIndex(it.loop) {
			r = tripsRole(p, it.loop)
			if n := goesRound(p); n != nil && t.rounds(n) {
				m.blocked = "it goes round the ranks, and how often it does depends on their number"
				return nil
			}
			p.Uses(func(x *Expr) bool {
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

// tripsRole is what the trip count of a loop means whose index leads to partners in the way of e.
func tripsRole(e *Expr, loop int) role {
	switch {
	case e.Uses(func(x *Expr) bool { return x.Op == Shl && x.UsesIndex(loop) }):
		return roleSteps
	case e.Uses(func(x *Expr) bool { return x.Op == Pick && x.Args[0].UsesIndex(loop) }):
		return roleFixed // as many as there are partners
	case goesRound(e) != nil:
		return roleLoop
	}
	return roleTrips
}

// goesRound is the number of ranks that the partner e goes round from iteration to iteration, nil
// if it does not go round.
func goesRound(e *Expr) *Expr {
	if e.Op == Mod && !e.UsesRank() && (e.Args[1].Op == Size || e.Args[1].Op == Dim) {
		return e.Args[1]
	}
	return nil
}

// rounds tells whether a loop goes round so many ranks a whole number of times, by the table of its
// trip counts. Then the program may have been given the number of rounds, and not the length of the
// loop.
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
func (m *inference) near(t *table, it *item, partner *Expr) (found *Expr) {
	partner.Uses(func(x *Expr) bool {
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

// rotating refuses loops that do nothing but rotate the root of a collective call: each step has
// the next root, and the first one follows the last. Where such a round ends depends on the size,
// and so does the loop around it.
func (m *inference) rotating(it *item) {
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
			if f := spec.ByID(calls[0].sig.Func); archive.SlotName(f, &f.Slots[at[0]]) == "root" {
				m.obstacle(calls, at[0], "it goes round the ranks, and how often it does depends on their number")
			}
		}
	})
}
