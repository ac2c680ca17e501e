package scale

import (
	"reflect"
	"strings"

	"tabard/internal/rankfn"
	"tabard/spec"
	"tabard/trace"
)

// call makes a call of the model.
func (m *maker) call(b *block, it *item, calls []seen) *Call {
	first := &calls[0]
	sig := first.sig
	f := spec.ByID(sig.Func)
	c := &Call{Func: f, Site: m.site(first), Flags: sig.Flags, Ret: sig.Ret}
	if sig.Flags&trace.Polls != 0 {
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
func (m *maker) obstacle(calls []seen, slot int, reason string) {
	first := &calls[0]
	f := spec.ByID(first.sig.Func)
	o := Obstacle{Func: f.Name, Site: siteName(first.class.side.c, first.sig.Site), Reason: reason}
	if slot >= 0 {
		o.Param = trace.SlotName(f, &f.Slots[slot])
	}
	var ranks []int
	for i := range calls {
		if calls[i].side == first.side && (len(ranks) == 0 || ranks[len(ranks)-1] != int(calls[i].rank)) {
			ranks = append(ranks, int(calls[i].rank))
		}
	}
	o.Ranks = rankfn.NewSet(ranks)
	m.obstacles.add(o)
}

// site is the number of the call site of a call in the model.
func (m *maker) site(s *seen) int {
	if s.sig.Site == 0 {
		return 0
	}
	c := s.class.side.c
	site := &c.Sites[s.sig.Site-1]
	key := siteKey(c, site)
	id, ok := m.sites[key]
	if !ok {
		x := trace.Site{}
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
func (m *maker) slot(b *block, it *item, calls []seen, i int, c *Call) Slot {
	m.where, m.blocked, m.work = m.place(&calls[0], i), "", 0
	first := &calls[0].sig.Slots[i]
	for k := range calls {
		if calls[k].sig.Slots[i].Kind == trace.Hole {
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
	case first.Kind == trace.Ints, first.Kind == trace.List && fm.item != trace.Hole:
		m.array(b, calls, i, c, &s)
		return s
	case parts(first.Kind, first.Mem) > 0:
		for k := range parts(first.Kind, first.Mem) {
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
func (m *maker) machine(f *spec.Func, i int) bool {
	return f.Name == "MPI_Get_processor_name" || f.Slots[i].Codec == spec.StringArray
}

// fitPart explains an integer of a slot, or notes that nothing does.
func (m *maker) fitPart(t *table, r role, calls []seen, slot int) *Expr {
	m.work = 0
	if e := m.settle(t.explain(r)); e != nil {
		return e
	}
	reason := "its values do not follow from rank, size and iteration"
	if m.blocked != "" {
		reason = m.blocked + "; a recording with more ranks, or a second one, tells"
	}
	m.obstacle(calls, slot, reason)
	return num(0)
}

// array explains an array.
func (m *maker) array(b *block, calls []seen, i int, c *Call, s *Slot) {
	f := spec.ByID(calls[0].sig.Func)
	length := func(v *trace.Value) int64 {
		if v.Kind == trace.Ints {
			return int64(len(v.Ints))
		}
		return int64(len(v.List))
	}
	lengths := &table{m: m, path: b.path}
	s.Mem, s.Class = 0, f.Slots[i].Class
	n := 0
	for k := range calls {
		v := &calls[k].sig.Slots[i]
		lengths.rows, lengths.vals = append(lengths.rows, calls[k].row), append(lengths.vals, length(v))
		if length(v) > 0 && n == 0 && v.Kind == trace.List {
			s.Item, s.Mem = v.List[0].Kind, v.List[0].Mem
		}
		n += int(length(v))
	}
	s.Len = m.fitPart(lengths, lengthRole(f, i), calls, i)
	m.open[-1] = s.Len.UsesRank() || s.Len.UsesSize()
	defer delete(m.open, -1)
	if n > maxElements {
		m.obstacle(calls, i, "its arrays are too long to be looked at")
		return
	}
	count := 1
	if s.Kind == trace.List {
		count = parts(s.Item, s.Mem)
	}
	for p := range count {
		t := &table{m: m, path: b.path}
		for k := range calls {
			v := &calls[k].sig.Slots[i]
			for e := range length(v) {
				r := calls[k].row
				r.elem = e
				t.rows = append(t.rows, r)
				if v.Kind == trace.Ints {
					t.vals = append(t.vals, v.Ints[e])
				} else {
					t.vals = append(t.vals, part(&v.List[e], p))
				}
			}
		}
		m.counted = countsOf(f, i, c)
		s.Parts = append(s.Parts, m.fitPart(t, roleOf(f, i, p), calls, i))
		m.counted = nil
	}
}

// countsOf is what explains the counts that belong to an array of displacements, the slots before it being known; nil if
// slot i is no such array.
func countsOf(f *spec.Func, i int, c *Call) *Expr {
	name := trace.SlotName(f, &f.Slots[i])
	if !strings.HasSuffix(name, "displs") {
		return nil
	}
	for k := i - 1; k >= 0; k-- {
		other := trace.SlotName(f, &f.Slots[k])
		if !strings.HasSuffix(other, "counts") || len(name) == len("sdispls") && other[0] != map[byte]byte{'s': 's', 'r': 'r'}[name[0]] {
			continue
		}
		if x := &c.Slots[k]; x.Len != nil && len(x.Parts) == 1 {
			return x.Parts[0]
		}
	}
	return nil
}

// maxElements is how many elements of the arrays of a parameter are looked at.
const maxElements = 1 << 22

// columnSlot explains a parameter that is in columns, at least at some ranks.
func (m *maker) columnSlot(b *block, it *item, calls []seen, i int, c *Call) Slot {
	f := spec.ByID(calls[0].sig.Func)
	hole := &trace.Value{Kind: trace.Hole}
	fm := formOf(&f.Slots[i], hole)
	s := Slot{Kind: fm.kind, Item: fm.item, Class: f.Slots[i].Class}
	if it.held == nil || it.held.copied {
		m.obstacle(calls, i, "it has too many different values")
		return s
	}
	switch {
	case f.Slots[i].Array && (fm.kind == trace.Ints || fm.kind == trace.List):
		x := s
		if m.heldArray(b, it, calls, i, c, &x) {
			return x
		}
	case fm.kind == trace.Int || fm.kind == trace.Ref || fm.kind == trace.Stat:
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
		m.obstacle(calls, i, "its values do not follow from rank, size and iteration")
	default:
		s.Kind, s.Copied = trace.Hole, copied
	}
	return s
}

// values explains the numbers of a slot in columns.
func (m *maker) values(b *block, it *item, calls []seen, i int, s *Slot) bool {
	f := spec.ByID(calls[0].sig.Func)
	for p := range parts(s.Kind, 0) {
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

// heldColumn opens the column with a field of a slot of an occurrence.
func (r *heldRow) column(slot, field int, elements bool) (column, bool) {
	sig := &r.class.side.c.Templates[r.class.d.Terminals[r.term]].Signature
	n := number(sig, slot, field)
	if n < 0 {
		return column{}, false
	}
	c, err := r.class.column(int(r.rank), r.class.start[r.term]+n, elements, r.class.occurrences(int(r.rank))[r.term])
	return c, err == nil
}

// inColumns tells whether a slot of an occurrence is in columns.
func (r *heldRow) inColumns(slot int) bool {
	return r.class.side.c.Templates[r.class.d.Terminals[r.term]].Slots[slot].Kind == trace.Hole
}

// plain are the calls that have no columns at all.
func plain(calls []seen) (out []seen) {
	for k := range calls {
		if len(calls[k].class.side.c.Templates[calls[k].class.d.Terminals[calls[k].term]].Columns()) == 0 {
			out = append(out, calls[k])
		}
	}
	return out
}

// heldTable is the values of part p of a slot, which are in columns at least at some ranks.
func (m *maker) heldTable(b *block, it *item, calls []seen, i, p int) (*table, bool) {
	if it.held == nil || it.held.copied {
		return nil, false
	}
	m.work = 0
	t := &table{m: m, path: b.path}
	for k := range it.held.rows {
		r := &it.held.rows[k]
		v := int64(0)
		if r.inColumns(i) {
			c, ok := r.column(i, p, false)
			if !ok || r.at >= c.r.Len() {
				return nil, false
			}
			v = c.r.At(r.at)
		} else {
			sig, err := r.class.signature(r.term, int(r.rank))
			if err != nil {
				return nil, false
			}
			v = part(&sig.Slots[i], p)
		}
		t.rows, t.vals = append(t.rows, r.row), append(t.vals, v)
	}
	for _, c := range plain(calls) {
		t.rows, t.vals = append(t.rows, c.row), append(t.vals, part(&c.sig.Slots[i], p))
	}
	return t, true
}

// heldArray explains an array in columns.
func (m *maker) heldArray(b *block, it *item, calls []seen, i int, call *Call, s *Slot) bool {
	f := spec.ByID(calls[0].sig.Func)
	count := 1
	if s.Kind == trace.List {
		count = parts(s.Item, s.Mem)
	}
	lengths := &table{m: m, path: b.path}
	elements := make([]*table, count)
	for p := range elements {
		elements[p] = &table{m: m, path: b.path}
	}
	add := func(at row, n int64, value func(e int64, p int) int64) bool {
		if int64(len(elements[0].rows))+n > maxElements {
			return false
		}
		lengths.rows, lengths.vals = append(lengths.rows, at), append(lengths.vals, n)
		for e := range n {
			at.elem = e
			for p, t := range elements {
				t.rows, t.vals = append(t.rows, at), append(t.vals, value(e, p))
			}
		}
		return true
	}
	type stream struct {
		class *class
		rank  int64
		term  uint32
	}
	before := map[stream]uint64{}
	for k := range it.held.rows {
		r := &it.held.rows[k]
		if !r.inColumns(i) {
			return false
		}
		c, ok := r.column(i, -1, false)
		if !ok || r.at >= c.r.Len() {
			return false
		}
		n := c.r.At(r.at)
		w := stream{r.class, r.rank, r.term}
		first := before[w]
		before[w] += uint64(n)
		if n < 0 || r.at == 0 && first != 0 || !add(r.row, n, func(e int64, p int) int64 {
			c, good := r.column(i, p, true)
			ok = ok && good
			if !good {
				return 0
			}
			return c.r.At(first + uint64(e))
		}) || !ok {
			return false
		}
	}
	for _, c := range plain(calls) {
		v := &c.sig.Slots[i]
		n := int64(len(v.Ints))
		if v.Kind == trace.List {
			n = int64(len(v.List))
		}
		if !add(c.row, n, func(e int64, p int) int64 {
			if v.Kind == trace.Ints {
				return v.Ints[e]
			}
			return part(&v.List[e], p)
		}) {
			return false
		}
	}
	if s.Len = m.settle(lengths.explain(lengthRole(f, i))); s.Len == nil {
		return false
	}
	m.open[-1] = s.Len.UsesRank() || s.Len.UsesSize()
	defer delete(m.open, -1)
	for p, t := range elements {
		m.counted, m.work = countsOf(f, i, call), 0
		e := m.settle(t.explain(roleOf(f, i, p)))
		m.counted = nil
		if e == nil {
			return false
		}
		s.Parts = append(s.Parts, e)
	}
	return true
}

// occurrences is how often each terminal occurs at a rank.
func (k *class) occurrences(rank int) []uint64 {
	if len(k.d.Trips) == 0 {
		rank = k.ranks[0]
	}
	if k.occ == nil {
		k.occ = map[int][]uint64{}
	}
	n, ok := k.occ[rank]
	if !ok {
		n = k.d.Occurrences(rank)
		k.occ[rank] = n
	}
	return n
}
