package diff

import (
	"bytes"
	"runtime"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

// columns compares the parameters that are in columns. These belong to terminals that are otherwise
// equal, and to pairs (differ) of which one has a column.
func (g *group) columns(u, v *word, differ bool) error {
	h := &holes{g: g, u: u, v: v}
	for i, k := range []*class{g.ka, g.kb} {
		h.open[i] = make([]bool, len(k.terms))
		for t := range k.terms {
			h.open[i][t] = g.keeps(&k.terms[t]) && k.terms[t].holes
		}
	}
	if h.none() {
		return nil
	}
	wholly := g.whole && len(g.steps) == 1 && g.steps[0].a+g.steps[0].b == 0 && g.steps[0].kind == same && !differ &&
		u.len() == v.len() && common(u, 0, v, 0, u.len()) == u.len()
	if wholly {
		equal, err := g.sameClassColumns(u, v)
		if equal || err != nil {
			return err
		}
	} else if err := h.settle(); err != nil || h.none() {
		return err
	}
	sparse, calls, err := h.sparse()
	if err != nil {
		return err
	}
	var read, unread []int
	for rank := range g.ranks.All() {
		if wholly {
			equal, err := g.sameColumns(u, v, g.ka.Stream(rank), g.kb.Stream(rank))
			if err != nil {
				return err
			}
			if equal {
				continue
			}
		}
		if left := g.c.o.Calls - min(g.c.calls, g.c.o.Calls); calls > left {
			unread = append(unread, rank)
			continue
		}
		if !sparse {
			g.c.calls += agreed(g.steps)
			read = append(read, rank)
		} else if err := h.values(rank); err != nil {
			return err
		}
	}
	if unread != nil {
		g.c.unread = g.c.unread.Union(without(newSet(unread), g.c.unread))
	}
	return g.values(read)
}

// sameClassColumns tells whether all columns that count are the same functions of the rank, without
// a look at each rank. False says nothing.
func (g *group) sameClassColumns(u, v *word) (bool, error) {
	if !g.ka.Ranks().Equal(g.kb.Ranks()) {
		return false, nil
	}
	firstB, at := make([]int, len(g.kb.terms)), map[print]int{}
	n := 0
	for t := range g.kb.terms {
		x := &g.kb.terms[t]
		firstB[t] = n
		n += len(x.sig.Columns())
		if g.keeps(x) && x.holes {
			if _, twice := at[v.letters[t]]; twice {
				return false, nil
			}
			at[v.letters[t]] = t
		}
	}
	n = 0
	met := 0
	for t := range g.ka.terms {
		x := &g.ka.terms[t]
		first := n
		n += len(x.sig.Columns())
		if !g.keeps(x) || !x.holes {
			continue
		}
		o, ok := at[u.letters[t]]
		if !ok {
			return false, nil
		}
		met++
		if equal, err := g.sameTerminal(uint32(t), uint32(o), first, firstB[o]); !equal || err != nil {
			return false, err
		}
	}
	return met == len(at), nil
}

// sameCases tells whether a column is the same function of the rank in both classes.
func (g *group) sameCases(t, o uint32, col archive.ColumnSpec, a, b *archive.Cases[archive.ColumnData]) (bool, error) {
	if len(a.Values) != len(b.Values) || len(a.Sets) != len(b.Sets) {
		return false, nil
	}
	for i := range a.Sets {
		if !a.Sets[i].Equal(b.Sets[i]) {
			return false, nil
		}
	}
	for i := range a.Values {
		x, y := &a.Values[i], &b.Values[i]
		if x.Blob < 0 && y.Blob < 0 {
			if !slices.Equal(x.Shape, y.Shape) || !slices.EqualFunc(x.Params, y.Params,
				func(p, q archive.Param) bool { return bytes.Equal(encodeParam(&p), encodeParam(&q)) }) {
				return false, nil
			}
			continue
		}
		if x.Blob < 0 || y.Blob < 0 {
			return false, nil
		}
		rank := a.Ranks(g.ka.Ranks(), i).Min()
		ca, err := g.ka.Stream(rank).Column(t, col.Slot, col.Field)
		if err != nil {
			return false, err
		}
		cb, err := g.kb.Stream(rank).Column(o, col.Slot, col.Field)
		if err != nil || ca == nil || cb == nil || !equalColumns(ca, cb) {
			return false, err
		}
	}
	return true, nil
}

// sameColumns tells whether all columns that count are encoded equally.
func (g *group) sameColumns(u, v *word, sa, sb *archive.Stream) (bool, error) {
	at := map[print]uint32{}
	for t := range g.kb.terms {
		if x := &g.kb.terms[t]; g.keeps(x) && x.holes {
			if _, twice := at[v.letters[t]]; twice {
				return false, nil
			}
			at[v.letters[t]] = uint32(t)
		}
	}
	used := map[print]bool{}
	for t := range g.ka.terms {
		x := &g.ka.terms[t]
		if !g.keeps(x) || !x.holes {
			continue
		}
		o, ok := at[u.letters[t]]
		if !ok || used[u.letters[t]] {
			return false, nil
		}
		used[u.letters[t]] = true
		for _, col := range x.sig.Columns() {
			if col.Slot < 0 || x.soft[col.Slot] {
				continue
			}
			ca, err := sa.Column(uint32(t), col.Slot, col.Field)
			if err != nil {
				return false, err
			}
			cb, err := sb.Column(o, col.Slot, col.Field)
			if err != nil {
				return false, err
			}
			if ca == nil || cb == nil || !equalColumns(ca, cb) {
				return false, nil
			}
			// numbers of strings mean something in their stream only
			if s := x.f.Slots[col.Slot]; s.Codec == spec.String {
				return false, nil
			}
		}
	}
	return len(used) == len(at), nil
}

// equalColumns tells whether two columns have the same values.
func equalColumns(a, b *archive.Column) bool {
	if a.SameEncoding(b) {
		return true
	}
	if a.Len() != b.Len() || a.Len() > 1<<24 {
		return false
	}
	var x, y [1024]int64
	for i := uint64(0); i < a.Len(); {
		n := a.Read(i, x[:])
		if n == 0 || b.Read(i, y[:n]) != n || a.Err() != nil || b.Err() != nil {
			return false
		}
		for k := range n {
			if x[k] != y[k] {
				return false
			}
		}
		i += uint64(n)
	}
	return true
}

// reads tells whether a parameter in columns is compared. Addresses always are, with one another.
func (k *class) reads(t uint32, slot int) bool {
	x := &k.terms[t]
	switch x.f.Slots[slot].Codec {
	case spec.Address, spec.Displacement:
		return true
	}
	return !x.soft[slot]
}

// arrays tells whether arrays are read from columns. They may take much memory.
func (k *class) arrays() bool {
	for t := range k.terms {
		for _, column := range k.terms[t].sig.Columns() {
			if column.Array && column.Field >= 0 && k.reads(uint32(t), column.Slot) {
				return true
			}
		}
	}
	return false
}

// values compares the calls of ranks one by one where columns are, several ranks at a time.
func (g *group) values(ranks []int) error {
	steps := g.steps
	for len(steps) > 0 && steps[len(steps)-1].kind == missing { // of what is missing at the end nothing is read
		steps = steps[:len(steps)-1]
	}
	if len(steps) == 0 {
		return nil
	}
	last := &steps[len(steps)-1]
	n := max(last.times, 1)
	endA, endB := last.a+n*last.na, last.b+n*last.nb
	beforeA, beforeB := g.eventAt(0, endA), g.eventAt(1, endB)
	all := make([]*values, len(ranks))
	most := runtime.GOMAXPROCS(0)
	if g.ka.arrays() || g.kb.arrays() {
		most = 1
	}
	err := workers.AtOnce(most, len(ranks), func(i int) error {
		v := g.newValues(ranks[i])
		all[i] = v
		defer func() { v.a, v.b, v.found = nil, nil, nil }() // of many ranks they are too much
		defer v.a.open(g.ka.Stream(v.rank), endA, beforeA)()
		defer v.b.open(g.kb.Stream(v.rank), endB, beforeB)()
		if err := v.a.skip(steps[0].a); err != nil {
			return err
		}
		if err := v.b.skip(steps[0].b); err != nil {
			return err
		}
		return v.steps(steps)
	})
	if err != nil {
		return err
	}
	for _, v := range all {
		v.finish()
	}
	return nil
}

func (g *group) newValues(rank int) *values {
	return &values{g: g, rank: rank, a: &reader{g: g, k: g.ka}, b: &reader{g: g, k: g.kb}, found: map[site]*Difference{}}
}

// eventAt is an event that all calls of a side before a letter are before, 0 if none is known.
func (g *group) eventAt(side int, letter uint64) uint64 {
	if g.selected[side] != nil {
		return 0
	}
	return []*word{g.wa, g.wb}[side].before(letter).events
}

func (v *values) finish() {
	for _, d := range v.order {
		v.g.differs(d, d.callA, d.callB, newSet([]int{v.rank}))
	}
}

// site is a parameter of a terminal of A.
type site struct {
	t    uint32
	slot int
}

// values compares the calls of a rank.
type values struct {
	g     *group
	rank  int
	pairs uint64 // compared
	a, b  *reader
	found map[site]*Difference
	order []*Difference
}

func (v *values) steps(list []step) error {
	for i := range list {
		s := &list[i]
		switch s.kind {
		case missing:
			if err := v.a.skip(s.na); err != nil {
				return err
			}
			if err := v.b.skip(s.nb); err != nil {
				return err
			}
		case same:
			for range s.na {
				if err := v.compare(); err != nil {
					return err
				}
			}
		default:
			for range s.times {
				if err := v.steps(s.body); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (v *values) compare() error {
	x, err := v.a.call()
	if err != nil {
		return err
	}
	y, err := v.b.call()
	if err != nil {
		return err
	}
	v.pair(x, y)
	return nil
}

// pair compares two calls that are aligned.
func (v *values) pair(x, y *archive.Call) {
	if v.pairs++; v.pairs%manyCalls == 0 {
		v.g.c.tell()
	}
	ta, tb := &v.a.k.terms[x.Terminal], &v.b.k.terms[y.Terminal]
	if i, a, b, ok := aliased(ta.f, x.Slots, y.Slots); ok && !ta.soft[i] &&
		(hasHole(&ta.sig.Slots[i]) || hasHole(&tb.sig.Slots[i])) {
		v.note(x, ta, i, a, b)
	}
	for i := range x.Slots {
		if !hasHole(&ta.sig.Slots[i]) && !hasHole(&tb.sig.Slots[i]) || ta.soft[i] || tb.soft[i] ||
			addresses(&x.Slots[i], &y.Slots[i]) {
			continue
		}
		if i >= ta.f.NumIn && (x.Flags|y.Flags)&(archive.Unfinished|archive.Failed) != 0 {
			continue
		}
		if v.g.c.equalNumbers(&x.Slots[i], &y.Slots[i]) {
			continue
		}
		a, b := v.a.text(ta.f, i, &x.Slots[i]), v.b.text(tb.f, i, &y.Slots[i])
		if a == b {
			continue
		}
		v.note(x, ta, i, a, b)
	}
}

// note notes that a parameter of a call of A is a there and b in B.
func (v *values) note(c *archive.Call, t *term, i int, a, b string) {
	key := site{c.Terminal, i}
	if d := v.found[key]; d != nil {
		d.Count++
		d.Varies = d.Varies || d.A != a || d.B != b
		return
	}
	kind := Parameter
	if i >= t.f.NumIn {
		kind = Outcome
	}
	d := &Difference{Kind: kind, Call: Call{t.f.Name, t.site, 1}, Param: archive.SlotName(t.f, &t.f.Slots[i]), A: a,
		B:     b,
		Count: 1, callA: v.a.pos - 1, callB: v.b.pos - 1}
	v.found[key] = d
	v.order = append(v.order, d)
}
