package infer

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	col "github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
)

// longLoop is the number of iterations from which a loop over the partners of a single rank stays a
// loop, with the partners in columns.
const longLoop = 33

// maxColumn bounds the values of a column that is made.
const maxColumn = 1 << 26

// classMaker makes a class.
type classMaker struct {
	*emitter
	ranks   []int
	set     *archive.RankSet
	d       *archive.ClassData
	trips   []*archive.RankFunc // of symbols whose count is the index here and tripMark
	terms   []term
	tooMany bool
	// columned are the loops whose iterations differ and that are loops all the same.
	columned map[int]bool
	err      error
}

// term is a terminal: a call in given iterations of those loops that are unrolled.
type term struct {
	call  *Call
	index []int64
	// loops are those around it.
	loops []*Node
}

func (e *emitter) class(t *Thread, ranks []int) error {
	m := &classMaker{emitter: e, ranks: ranks, set: rankfunc.NewSet(ranks), columned: map[int]bool{}}
	m.d = &archive.ClassData{Thread: t.Number, Ranks: m.set, Grammar: &archive.Grammar{Rules: [][]archive.Symbol{nil}}}
	m.v.Rank = int64(ranks[0])
	if len(ranks) == 1 {
		m.findColumned(t.Body, nil)
	}
	start := m.seq(t.Body, nil)
	if m.tooMany {
		return refusal(m.set, "more than %d calls with different parameters in a row", maxTerminals)
	}
	m.d.Grammar.Rules[0] = start
	if err := m.terminals(); err != nil {
		return err
	}
	m.d.Timing = archive.Cases[int]{Values: []int{-1}}
	e.c.Classes = append(e.c.Classes, m.d)
	return m.err
}

// findColumned chooses the loops that stay loops although their iterations differ: long ones of
// integers only.
func (m *classMaker) findColumned(nodes []*Node, around []*Node) {
	for _, n := range nodes {
		if n.Index < 0 {
			continue
		}
		inner := append(around[:len(around):len(around)], n)
		if m.turned[n] {
			if n.Count.Eval(m.v) < longLoop || !plainLoop(n.Body, n.Index) {
				continue // what is in it is unrolled, too
			}
			m.columned[n.Index] = true
		}
		m.findColumned(n.Body, inner)
	}
}

// plainLoop tells whether only integers, references and single statuses depend on an index, and no
// arrays.
func plainLoop(nodes []*Node, loop int) bool {
	for _, n := range nodes {
		if n.Count.UsesIndex(loop) || !plainLoop(n.Body, loop) {
			return false
		}
		if n.Call == nil {
			continue
		}
		for i := range n.Call.Slots {
			s := &n.Call.Slots[i]
			simple := s.Kind == archive.Int || s.Kind == archive.Ref || s.Kind == archive.Stat
			for _, p := range append([]*Expr{s.Len}, s.Parts...) {
				if p.UsesIndex(loop) && (s.Len != nil || !simple) {
					return false
				}
			}
		}
	}
	return true
}

// seq is the symbols of nodes at the first of the ranks.
func (m *classMaker) seq(nodes []*Node, loops []*Node) (out []archive.Symbol) {
	for _, n := range nodes {
		times := n.Count.Eval(m.v)
		if times <= 0 || m.tooMany {
			continue
		}
		if n.Call != nil {
			s := m.terminal(n.Call, loops)
			s.Count = uint64(times) // a condition, or the same call again
			out = append(out, s)
			continue
		}
		inner := append(loops[:len(loops):len(loops)], n)
		if m.turned[n] && !m.columned[n.Index] {
			for i := range times {
				if m.tooMany {
					break
				}
				m.v.Index[n.Index] = i
				out = append(out, m.seq(n.Body, inner)...)
			}
			m.v.Index[n.Index] = 0
			continue
		}
		body := m.seq(n.Body, inner)
		if len(body) == 0 {
			continue
		}
		var trip *archive.RankFunc
		if n.Count != nil && n.Count.UsesRank() && len(m.ranks) > 1 {
			trip = m.function(n.Count)
		}
		if times == 1 && trip == nil {
			out = append(out, body...)
			continue
		}
		s := archive.Symbol{Count: uint64(times)}
		if len(body) == 1 && body[0].Count == 1 {
			s.ID = body[0].ID
		} else {
			s.ID = 1<<31 | uint32(len(m.d.Grammar.Rules))
			m.d.Grammar.Rules = append(m.d.Grammar.Rules, body)
		}
		if trip != nil {
			if c, ok := trip.Constant(); ok {
				s.Count = uint64(c)
			} else {
				// Trip counts are sorted out when all rules are there.
				s.Count = uint64(len(m.trips)) | tripMark
				m.trips = append(m.trips, trip)
			}
		}
		out = append(out, s)
	}
	return out
}

// tripMark marks counts that are numbers of trip counts.
const tripMark = 1 << 63

// function is an expression at the ranks of the class.
func (m *classMaker) function(e *Expr) *archive.RankFunc {
	at := m.v.Rank
	vals := make([]int64, len(m.ranks))
	same := true
	for i, r := range m.ranks {
		m.v.Rank = int64(r)
		vals[i] = e.Eval(m.v)
		same = same && vals[i] == vals[0]
	}
	m.v.Rank = at
	if same {
		return archive.ConstantFunc(vals[0])
	}
	return rankfunc.Fit(m.ctx, m.set, vals)
}

// terminal makes a terminal of a call.
func (m *classMaker) terminal(c *Call, loops []*Node) archive.Symbol {
	if len(m.terms) >= maxTerminals {
		m.tooMany = true
		return archive.Symbol{Count: 1}
	}
	m.terms = append(m.terms, term{call: c, index: append([]int64{}, m.v.Index...), loops: loops})
	return archive.Symbol{ID: uint32(len(m.terms) - 1), Count: 1}
}

// columnedSlot tells whether a slot of a call differs in iterations of loops that stay loops.
func (m *classMaker) columnedSlot(t *term, s *Slot) bool {
	return slices.ContainsFunc(t.loops, func(n *Node) bool {
		return m.columned[n.Index] && slices.ContainsFunc(s.Parts, func(p *Expr) bool { return p.UsesIndex(n.Index) })
	})
}

// terminals makes templates, parameters and columns of all terminals; equal ones are one.
func (m *classMaker) terminals() error {
	known := map[string]uint32{}
	number := make([]uint32, len(m.terms))
	index := m.v.Index
	defer func() { m.v.Index = index }()
	var columns [][]archive.Cases[archive.ColumnData]
	for i := range m.terms {
		t := &m.terms[i]
		m.v.Index = t.index
		tm, params, key, err := m.template(t)
		if err != nil {
			return err
		}
		specs := tm.Columns()
		if n, ok := known[key]; ok && len(specs) == 0 {
			number[i] = n
			continue
		}
		number[i] = uint32(len(m.d.Terminals))
		known[key] = number[i]
		m.d.Terminals = append(m.d.Terminals, len(m.c.Templates))
		m.c.Templates = append(m.c.Templates, tm)
		m.d.Params = append(m.d.Params, params)
		cols, err := m.columns(t, specs)
		if err != nil {
			return err
		}
		columns = append(columns, cols)
	}
	for _, body := range m.d.Grammar.Rules {
		for k := range body {
			if !body[k].IsRule() {
				body[k].ID = number[body[k].ID]
			}
		}
	}
	// Rules and terminals are numbered by first use.
	g, order := archive.CanonicalGrammar(m.d.Grammar)
	old := m.d
	m.d = &archive.ClassData{Thread: old.Thread, Ranks: old.Ranks, Grammar: g}
	for _, t := range order {
		m.d.Terminals = append(m.d.Terminals, old.Terminals[t])
		m.d.Params = append(m.d.Params, old.Params[t])
		m.d.Columns = append(m.d.Columns, columns[t]...)
	}
	for _, body := range g.Rules {
		for k := range body {
			if n := body[k].Count; n&tripMark != 0 {
				body[k].Count = 0
				m.d.Trips = append(m.d.Trips, m.trips[n&^tripMark])
			}
		}
	}
	return nil
}

// source is where a leaf of a signature comes from: part k of an integer slot, or of element elem
// of a list; a whole array if k is negative.
type source struct {
	slot *Slot
	k    int
	elem int64
}

// template is what a terminal is made of, with what identifies it.
func (m *classMaker) template(t *term) (*archive.Template, []archive.Param, string, error) {
	sig, err := t.call.At(m.v)
	if err != nil {
		return nil, nil, "", refusal(nil, "%v", err)
	}
	for i := range t.call.Slots {
		if m.columnedSlot(t, &t.call.Slots[i]) {
			sig.Slots[i] = archive.Value{Kind: archive.Hole}
		}
	}
	tm := &archive.Template{Signature: *sig}
	var params []archive.Param
	slot, first := -1, 0 // leaf of the slot
	for i, l := range archive.Leaves(nil, &tm.Signature) {
		if l.Slot() != slot {
			slot, first = l.Slot(), i
		}
		p, open, err := m.leaf(t, &l, sourceOf(&t.call.Slots[slot], &l, i-first))
		if err != nil {
			return nil, nil, "", err
		}
		tm.Open = append(tm.Open, open)
		if open {
			params = append(params, p)
		}
	}
	key := tm.Append(nil)
	for i, open := range tm.Open {
		if open {
			key = append(key, byte(i), byte(i>>8))
		}
	}
	for i := range params {
		switch {
		case params[i].Fn != nil:
			key = params[i].Fn.Append(append(key, 1))
		case params[i].Vec != nil:
			key = params[i].Vec.Append(append(key, 2))
		}
	}
	return tm, params, string(key), nil
}

// sourceOf finds where leaf number i of a slot comes from.
func sourceOf(s *Slot, l *archive.Leaf, i int) source {
	switch {
	case s.Const != nil || l.Kind() == archive.StrLeaf:
		return source{}
	case l.Kind() == archive.VecLeaf:
		return source{slot: s, k: -1}
	case s.Len != nil:
		n := len(s.Parts)
		return source{slot: s, k: i % n, elem: int64(i / n)}
	}
	return source{slot: s, k: i}
}

// leaf is the value of a leaf at the ranks of the class; it is open if they differ. Then it is
// cleared.
func (m *classMaker) leaf(t *term, l *archive.Leaf, s source) (archive.Param, bool, error) {
	if s.slot == nil || len(m.ranks) == 1 {
		return archive.Param{}, false, nil
	}
	if s.k >= 0 {
		m.v.Elem = s.elem
		x := s.slot.Parts[s.k]
		if !x.UsesRank() {
			return archive.Param{}, false, nil
		}
		f := m.function(x)
		if _, ok := f.Constant(); ok {
			return archive.Param{}, false, nil
		}
		if s.slot.Kind == archive.Ref || s.slot.Item == archive.Ref {
			for r, v := range f.Values(m.set) {
				if v < 0 {
					return archive.Param{}, false, m.obstacle(t.call, l.Slot(), "rank %d would have object %d", r, v)
				}
			}
		}
		return archive.Param{Fn: f}, true, l.SetInt(0)
	}
	if !s.slot.Len.UsesRank() && !s.slot.Parts[0].UsesRank() {
		return archive.Param{}, false, nil
	}
	at := m.v.Rank
	defer func() { m.v.Rank = at }()
	same := true
	first := l.Vec()
	own := make([]int64, len(first))
	for _, r := range m.ranks {
		m.v.Rank = int64(r)
		if s.slot.Len.Eval(m.v) != int64(len(first)) {
			same = false
			break
		}
		s.slot.Parts[0].Fill(m.v, own)
		same = same && slices.Equal(own, first)
		if !same {
			break
		}
	}
	if same {
		return archive.Param{}, false, nil
	}
	arrays := make([][]int64, len(m.ranks))
	total := int64(0)
	for i, r := range m.ranks {
		m.v.Rank = int64(r)
		n := s.slot.Len.Eval(m.v)
		if total += max(n, 0); n < 0 || n > formula.MaxLength || total > maxColumn {
			return archive.Param{}, false, m.obstacle(t.call, l.Slot(), "its arrays would be too long")
		}
		arrays[i] = make([]int64, n)
		s.slot.Parts[0].Fill(m.v, arrays[i])
	}
	return archive.Param{Vec: rankfunc.FitVec(m.ctx, m.set, arrays)}, true, l.SetVec([]int64{}, 0)
}

// columns are those of a terminal.
func (m *classMaker) columns(t *term, specs []archive.ColumnSpec) (out []archive.Cases[archive.ColumnData], err error) {
	used := map[int]int{}
	for _, s := range specs {
		slot := &t.call.Slots[s.Slot]
		var raw []byte
		if slot.Copied != nil {
			if n := m.times(t); n != int64(slot.Copied.Values) {
				return nil, m.obstacle(t.call, s.Slot,
					"its values follow no rule, and it would be called %d times instead of %d",
					n, slot.Copied.Values)
			}
			raw = slot.Copied.Columns[used[s.Slot]]
			used[s.Slot]++
		} else {
			if n := m.times(t); n > maxColumn {
				return nil, m.obstacle(t.call, s.Slot, "it would be called %d times with different values", n)
			}
			b := col.NewBuilder()
			m.fill(b, t, slot.Parts[s.Field])
			raw = b.Encode(nil)
		}
		m.c.Columns = append(m.c.Columns, raw)
		out = append(out, archive.Cases[archive.ColumnData]{Values: []archive.ColumnData{{Blob: len(m.c.Columns) - 1}}})
	}
	return out, nil
}

// obstacle says that a parameter of a call cannot be made.
func (m *classMaker) obstacle(c *Call, slot int, format string, args ...any) error {
	f := c.Func
	o := Obstacle{Func: f.Name, Param: archive.SlotName(f, &f.Slots[slot]), Ranks: m.set,
		Reason: fmt.Sprintf(format, args...)}
	if c.Site > 0 {
		o.Site = m.c.Sites[c.Site-1].String()
	}
	return &Obstacles{List: []Obstacle{o}}
}

// times is how often a terminal occurs: the product of the loops around it that are not unrolled.
func (m *classMaker) times(t *term) int64 {
	n := int64(1)
	for _, l := range t.loops {
		if !m.turned[l] || m.columned[l.Index] {
			n *= max(l.Count.Eval(m.v), 0)
		}
		if n > maxColumn {
			break
		}
	}
	return n
}

// fill appends the values of a part of a terminal, in the order of its occurrences.
func (m *classMaker) fill(b *col.Builder, t *term, part *Expr) {
	var loop func(k int)
	loop = func(k int) {
		if k == len(t.loops) {
			b.Append(part.Eval(m.v))
			return
		}
		l := t.loops[k]
		if m.turned[l] && !m.columned[l.Index] {
			loop(k + 1)
			return
		}
		for i := range l.Count.Eval(m.v) {
			m.v.Index[l.Index] = i
			loop(k + 1)
		}
		m.v.Index[l.Index] = 0
	}
	loop(0)
}
