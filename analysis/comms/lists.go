package comms

import "hash/maphash"

// maxExpanded is how many members one operation on groups looks at singly at
// most. Groups of regular members are far below it whatever their size: they
// are handled by runs.
const maxExpanded = 1 << 26

// lists makes every list once, and every operation on the same lists: all
// ranks of a program do the same with the same groups.
type lists struct {
	seed   maphash.Seed
	byHash map[uint64][]*Members
	done   map[operation]*Members
}

// operation identifies what was done with lists. Arrays of ranks are
// identified by place: signatures are shared between the streams of an archive.
type operation struct {
	op     kind
	a, b   *Members
	ranks  *int64
	length int
}

func newLists() *lists {
	return &lists{seed: maphash.MakeSeed(), byHash: map[uint64][]*Members{}, done: map[operation]*Members{}}
}

// make gives the one list that l has built.
func (t *lists) make(l *listBuilder) *Members {
	m := l.members()
	var h maphash.Hash
	h.SetSeed(t.seed)
	for i := range m.blocks {
		maphash.WriteComparable(&h, m.blocks[i])
	}
	sum := h.Sum64()
	for _, o := range t.byHash[sum] {
		if o.equal(m) {
			return o
		}
	}
	t.byHash[sum] = append(t.byHash[sum], m)
	return m
}

// span is the list of count processes from start on.
func (t *lists) span(start, count int) *Members {
	var l listBuilder
	l.addRun(int64(start), 1, int64(count))
	return t.make(&l)
}

// of is the list of some processes.
func (t *lists) of(members []int) *Members {
	var l listBuilder
	for _, v := range members {
		l.add(int64(v))
	}
	return t.make(&l)
}

// append is a followed by b.
func (t *lists) append(a, b *Members) *Members {
	var l listBuilder
	for _, m := range []*Members{a, b} {
		for r := range m.runs() {
			l.addRun(r.start, r.step, r.count)
		}
	}
	return t.make(&l)
}

// combine is the union, intersection or difference of groups, in the order
// that the standard prescribes: that of a, then for a union what only b has.
// It is nil if the lists are too large.
func (t *lists) combine(op kind, a, b *Members) *Members {
	key := operation{op: op, a: a, b: b}
	if m, ok := t.done[key]; ok {
		return m
	}
	m := t.combineNew(op, a, b)
	t.done[key] = m
	return m
}

func (t *lists) combineNew(op kind, a, b *Members) *Members {
	switch {
	case a == b && op != groupDifference:
		return a
	case a == b || a.Len() == 0 && op != groupUnion || b.Len() == 0 && op == groupIntersection:
		return t.of(nil)
	case b.Len() == 0:
		return a
	case a.Len() == 0:
		return b
	case a.Len() > maxExpanded || b.Len() > maxExpanded:
		return nil
	}
	var l listBuilder
	inB := finder(b)
	for v := range a.All() {
		if op == groupUnion || inB(v) == (op == groupIntersection) {
			l.add(int64(v))
		}
	}
	if op == groupUnion {
		inA := finder(a)
		for v := range b.All() {
			if !inA(v) {
				l.add(int64(v))
			}
		}
	}
	return t.make(&l)
}

// finder tells quickly whether a process is a member.
func finder(m *Members) func(int) bool {
	if len(m.blocks) <= 8 {
		return m.Contains
	}
	set := make(map[int]bool, m.Len())
	for v := range m.All() {
		set[v] = true
	}
	return func(v int) bool { return set[v] }
}

// pick is the group of some ranks of m, or with excl of all others. triples
// tells that ranks are ranges: first, last, stride. It is nil if a rank does
// not exist or the list would be too large.
func (t *lists) pick(op kind, m *Members, ranks []int64) *Members {
	key := operation{op: op, a: m, length: len(ranks)}
	if len(ranks) > 0 {
		key.ranks = &ranks[0]
	}
	if r, ok := t.done[key]; ok {
		return r
	}
	r := t.pickNew(op, m, ranks)
	t.done[key] = r
	return r
}

func (t *lists) pickNew(op kind, m *Members, ranks []int64) *Members {
	n := int64(m.Len())
	var chosen listBuilder // of ranks
	total := int64(0)
	triples := op == groupRangeIncl || op == groupRangeExcl
	for i := 0; i < len(ranks); {
		first, last, stride := ranks[i], ranks[i], int64(1)
		if i++; triples {
			if i+2 > len(ranks) || ranks[i+1] == 0 {
				return nil
			}
			last, stride = ranks[i], ranks[i+1]
			i += 2
		}
		count := (last-first)/stride + 1
		if (last-first)/stride < 0 || last-first > 0 != (stride > 0) && last != first {
			count = 0
		}
		if count > 0 && (first < 0 || first >= n || first+(count-1)*stride < 0 || first+(count-1)*stride >= n) {
			return nil
		}
		if total += count; total > n { // ranks must differ
			return nil
		}
		chosen.addRun(first, stride, count)
	}
	by := chosen.members()
	if op == groupIncl || op == groupRangeIncl {
		return t.sub(m, by)
	}
	if n > maxExpanded {
		return nil
	}
	var rest listBuilder
	out := finder(by)
	for i := range int(n) {
		if !out(i) {
			rest.add(int64(i))
		}
	}
	return t.sub(m, rest.members())
}

// sub is the members of m at the given positions, nil if these are too many.
func (t *lists) sub(m, at *Members) *Members {
	var l listBuilder
	for r := range at.runs() {
		if len(m.blocks) == 1 && m.blocks[0].times == 1 {
			b := m.blocks[0]
			l.addRun(b.start+r.start*b.step, r.step*b.step, r.count)
			continue
		}
		if r.count > maxExpanded {
			return nil
		}
		for i := range r.count {
			l.add(int64(m.At(int(r.start + i*r.step))))
		}
	}
	return t.make(&l)
}
