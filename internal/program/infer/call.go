package infer

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// call makes a call of the model.
func (m *inference) call(b *block, it *item, calls []observation) *Call {
	first := &calls[0]
	sig := first.sig
	f := spec.ByID(sig.Func)
	c := &Call{Func: f, Site: m.site(first), Flags: sig.Flags, Ret: sig.Ret}
	if sig.Flags&archive.Polls != 0 {
		m.obstacle(calls, -1, "it was made until it succeeded, and how often that was depends on the run")
	}
	m.others = nil
	for i := range f.Slots {
		if e := it.partners[[2]int{i, 0}]; e != nil && e.UsesRank() && e.Op != Rank {
			m.others = append(m.others, e)
		}
	}
	for i := range f.Slots {
		m.root = i == rootSlot(f.ID)
		c.Slots = append(c.Slots, m.slot(b, it, calls, i, c))
	}
	m.root, m.others = false, nil
	return c
}

// obstacle notes that a parameter of a call follows no rule.
func (m *inference) obstacle(calls []observation, slot int, reason string) {
	first := &calls[0]
	f := spec.ByID(first.sig.Func)
	o := Obstacle{Func: f.Name, Site: siteName(first.class.recording.c, first.sig.Site), Reason: reason}
	if slot >= 0 {
		o.Param = archive.SlotName(f, &f.Slots[slot])
	}
	var ranks []int
	for i := range calls {
		if calls[i].recording == first.recording && (len(ranks) == 0 || ranks[len(ranks)-1] != int(calls[i].rank)) {
			ranks = append(ranks, int(calls[i].rank))
		}
	}
	o.Ranks = rankfunc.NewSet(ranks)
	m.obstacles.Add(o)
}

// site is the number of the call site of a call in the model.
func (m *inference) site(s *observation) int {
	if s.sig.Site == 0 {
		return 0
	}
	c := s.class.recording.c
	site := &c.Sites[s.sig.Site-1]
	key := siteKey(c, site)
	id, ok := m.sites[key]
	if !ok {
		x := archive.Site{}
		for _, f := range site.Frames {
			if f.Module >= 0 {
				n, known := m.modules[c.Modules[f.Module]]
				if !known {
					n = len(m.model.Modules)
					m.model.Modules = append(m.model.Modules, c.Modules[f.Module])
					m.modules[c.Modules[f.Module]] = n
				}
				f.Module = n
			}
			x.Frames = append(x.Frames, f)
		}
		m.model.Sites = append(m.model.Sites, x)
		id = len(m.model.Sites)
		m.sites[key] = id
	}
	return id
}

// slot makes a parameter of a call.
func (m *inference) slot(b *block, it *item, calls []observation, i int, c *Call) Slot {
	m.begin(m.place(&calls[0], i))
	first := &calls[0].sig.Slots[i]
	for k := range calls {
		if calls[k].sig.Slots[i].Kind == archive.Hole {
			return m.columnSlot(b, it, calls, i, c)
		}
	}
	f := spec.ByID(calls[0].sig.Func)
	fm := formOf(&f.Slots[i], first)
	s := Slot{Kind: first.Kind, Mem: fm.mem, Class: first.Class, Item: fm.item}
	if s.Class == spec.NoClass {
		s.Class = f.Slots[i].Class
	}
	switch {
	case first.Kind == archive.Ints, first.Kind == archive.List && fm.item != archive.Hole:
		m.arraySlot(b, calls, i, c, &s)
		return s
	case archive.Integers(first.Kind, first.Mem) > 0:
		for k := range archive.Integers(first.Kind, first.Mem) {
			if e := it.partners[[2]int{i, k}]; e != nil {
				s.Parts = append(s.Parts, e)
				continue
			}
			s.Parts = append(s.Parts, m.fitPart(m.partTable(b, calls, i, k), roleOf(f, i, k), calls, i))
		}
		return s
	}
	for k := range calls {
		if !reflect.DeepEqual(calls[k].sig.Slots[i], *first) && !m.machine(f, i) {
			m.obstacle(calls, i, "it differs between ranks and is no number")
			break
		}
	}
	s.Const = first
	return s
}

// machine tells whether a slot says something of the machine: its value is that of the first rank.
func (m *inference) machine(f *spec.Func, i int) bool {
	return f.Op == spec.OpProcessorName || f.Slots[i].Codec == spec.StringArray
}

// fitPart explains an integer of a slot, or notes that nothing does.
func (m *inference) fitPart(t *table, r role, calls []observation, slot int) *Expr {
	m.work = 0
	if e := m.settle(t.explain(r)); e != nil {
		return e
	}
	m.obstacle(calls, slot, m.unexplained())
	return num(0)
}

// tooLong is why something was not explained that was not looked at.
const tooLong = "its values follow no rule that is found within seconds"

// unexplained says why values could not be explained.
func (m *inference) unexplained() string {
	switch {
	case m.blocked != "":
		return m.blocked + "; a recording with more ranks, or a second one, tells"
	case m.budget.left < 0:
		return tooLong
	}
	return "its values do not follow from rank, size and iteration"
}

// elements are an array as it was recorded: its length, and the integers that its elements are made
// of.
type elements struct {
	row
	n     int64
	value func(e int64, part int) int64
}

// elementsOf are those of an array of a call.
func elementsOf(c *observation, slot int) elements {
	v := &c.sig.Slots[slot]
	if v.Kind == archive.Ints {
		return elements{c.row, int64(len(v.Ints)), func(e int64, _ int) int64 { return v.Ints[e] }}
	}
	return elements{c.row, int64(len(v.List)), func(e int64, part int) int64 { return v.List[e].Integer(part).Int() }}
}

// maxElements is how many elements of the arrays of a parameter are looked at.
const maxElements = 1 << 22

// array explains an array. fit gives the expression for a table, nil if there is none: then array
// gives up.
func (m *inference) array(arrays []elements, path []int, f *spec.Func, i int, c *Call, s *Slot,
	fit func(t *table, r role) *Expr) bool {
	lengths, n := &table{m: m, path: path}, int64(0)
	for k := range arrays {
		lengths.add(arrays[k].row, arrays[k].n)
		n += arrays[k].n
	}
	if s.Len = fit(lengths, lengthRole(f, i)); s.Len == nil {
		return false
	}
	if n > maxElements {
		return false
	}
	m.open[-1] = s.Len.UsesRank() || s.Len.UsesSize()
	defer delete(m.open, -1)
	count := 1
	if s.Kind == archive.List {
		count = archive.Integers(s.Item, s.Mem)
	}
	for part := range count {
		t := lengths.like()
		for k := range arrays {
			r := arrays[k].row
			for r.elem = 0; r.elem < arrays[k].n; r.elem++ {
				t.add(r, arrays[k].value(r.elem, part))
			}
		}
		m.counted = countsOf(f, i, c)
		r := roleOf(f, i, part)
		var e *Expr
		switch {
		case s.Len.Op != Num || s.Item != archive.Stat && s.Item != archive.Ref:
			e = fit(t, r)
		case s.Item == archive.Ref:
			m.work = 0
			e = m.settle(t.explain(r))
		}
		if e == nil {
			e = t.eachElement(func(x *table) *Expr { return fit(x, r) })
		}
		m.counted = nil
		if e == nil {
			return false
		}
		s.Parts = append(s.Parts, e)
	}
	return true
}

// eachElement explains each element of arrays by itself, as those of an array of statuses are of calls that
// have nothing to do with each other.
func (t *table) eachElement(fit func(*table) *Expr) *Expr {
	parts := t.groups(elemExpr, maxPick)
	e, alike := pickExpr(elemExpr), true
	for _, p := range parts {
		x := fit(p)
		if x == nil {
			return nil
		}
		e.Args = append(e.Args, x)
		alike = alike && x.Equal(e.Args[1])
	}
	switch {
	case len(parts) == 0:
		return fit(t)
	case alike:
		return e.Args[1]
	}
	return e
}

// arraySlot explains an array that is in the signatures of all calls.
func (m *inference) arraySlot(b *block, calls []observation, i int, c *Call, s *Slot) {
	f := spec.ByID(calls[0].sig.Func)
	s.Mem, s.Class = 0, f.Slots[i].Class
	arrays := make([]elements, len(calls))
	known := false
	for k := range calls {
		arrays[k] = elementsOf(&calls[k], i)
		if v := &calls[k].sig.Slots[i]; len(v.List) > 0 && !known {
			s.Item, s.Mem, known = v.List[0].Kind, v.List[0].Mem, true
		}
	}
	if !m.array(arrays, b.path, f, i, c, s, func(t *table, r role) *Expr { return m.fitPart(t, r, calls, i) }) {
		m.obstacle(calls, i, "its arrays are too long to be looked at")
	}
}

// countsOf explains the counts that belong to an array of displacements. The slots before it are
// known. It is nil if slot i is no such array.
func countsOf(f *spec.Func, i int, c *Call) *Expr {
	name := archive.SlotName(f, &f.Slots[i])
	if !strings.HasSuffix(name, "displs") {
		return nil
	}
	for k := i - 1; k >= 0; k-- {
		other := archive.SlotName(f, &f.Slots[k])
		if !strings.HasSuffix(other, "counts") || len(name) == len("sdispls") && other[0] != name[0] {
			continue
		}
		if x := &c.Slots[k]; x.Len != nil && len(x.Parts) == 1 {
			return x.Parts[0]
		}
	}
	return nil
}

// columnSlot explains a parameter that is in columns, at least at some ranks.
func (m *inference) columnSlot(b *block, it *item, calls []observation, i int, c *Call) Slot {
	f := spec.ByID(calls[0].sig.Func)
	hole := &archive.Value{Kind: archive.Hole}
	fm := formOf(&f.Slots[i], hole)
	s := Slot{Kind: fm.kind, Item: fm.item, Class: f.Slots[i].Class}
	if it.held == nil {
		m.obstacle(calls, i, fmt.Sprintf("calls whose values vary are too many to look for rules: more than %d",
			maxHeld))
		return s
	}
	switch {
	case f.Slots[i].Array && (fm.kind == archive.Ints || fm.kind == archive.List):
		x := s
		if m.heldArray(b, it, calls, i, c, &x) {
			return x
		}
	case fm.kind == archive.Int || fm.kind == archive.Ref || fm.kind == archive.Stat:
		x := s
		if m.values(b, it, calls, i, &x) {
			return x
		}
	}
	copied, err := it.held.copies(i)
	switch {
	case err != nil:
		m.obstacle(calls, i, err.Error())
	case copied == nil:
		m.obstacle(calls, i, m.unexplained())
	default:
		s.Kind, s.Copied = archive.Hole, copied
	}
	return s
}

// values explains the numbers of a slot in columns.
func (m *inference) values(b *block, it *item, calls []observation, i int, s *Slot) bool {
	f := spec.ByID(calls[0].sig.Func)
	for p := range archive.Integers(s.Kind, 0) {
		e := it.partners[[2]int{i, p}]
		if e == nil {
			t, ok := m.heldTable(b, it, calls, i, p)
			if !ok {
				return false
			}
			e = m.settle(t.explain(roleOf(f, i, p)))
		}
		if e == nil {
			return false
		}
		s.Parts = append(s.Parts, e)
	}
	return true
}

// plain are the calls that have no columns at all.
func plain(calls []observation) (out []observation) {
	for k := range calls {
		if len(calls[k].class.recording.c.Templates[calls[k].class.d.Terminals[calls[k].term]].Columns()) == 0 {
			out = append(out, calls[k])
		}
	}
	return out
}

// heldTable is the values of part p of a slot, which are in columns at least at some ranks.
func (m *inference) heldTable(b *block, it *item, calls []observation, i, p int) (*table, bool) {
	if it.held == nil {
		return nil, false
	}
	m.work = 0
	t := &table{m: m, path: b.path}
	for k := range it.held.rows {
		r := &it.held.rows[k]
		if r.inColumns(i) {
			c, ok := r.column(i, p, false)
			if !ok || r.at >= c.r.Len() {
				return nil, false
			}
			t.add(r.row, c.r.At(r.at))
			continue
		}
		sig, err := r.class.signature(r.term, int(r.rank))
		if err != nil {
			return nil, false
		}
		t.add(r.row, sig.Slots[i].Integer(p).Int())
	}
	for _, c := range plain(calls) {
		t.add(c.row, c.sig.Slots[i].Integer(p).Int())
	}
	return t, true
}

// heldArray explains an array in columns.
func (m *inference) heldArray(b *block, it *item, calls []observation, i int, call *Call, s *Slot) bool {
	arrays, ok := it.held.arrays(i)
	if !ok {
		return false
	}
	for _, c := range plain(calls) {
		arrays = append(arrays, elementsOf(&c, i))
	}
	f := spec.ByID(calls[0].sig.Func)
	return m.array(arrays, b.path, f, i, call, s, func(t *table, r role) *Expr {
		m.work = 0
		return m.settle(t.explain(r))
	})
}
