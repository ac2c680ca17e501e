package comms

import (
	"iter"
	"slices"
	"sort"
)

// Members is an ordered list of distinct processes, by global number (see
// Worlds). It is compact: affine runs, and equal runs at equal distances. A
// list is made once and never changes; equal lists of one Result are the same pointer.
type Members struct {
	blocks []block
	ends   []int64 // how many members the first i+1 blocks hold
}

// A block is times runs of count members: member i of run r is
// start + i*step + r*gap.
type block struct {
	start, step, count int64
	gap, times         int64
}

// Len is the number of members.
func (m *Members) Len() int {
	if m == nil || len(m.ends) == 0 {
		return 0
	}
	return int(m.ends[len(m.ends)-1])
}

// At is member i, which must be there.
func (m *Members) At(i int) int {
	k := sort.Search(len(m.ends), func(k int) bool { return m.ends[k] > int64(i) })
	b, at := m.blocks[k], int64(i)
	if k > 0 {
		at -= m.ends[k-1]
	}
	return int(b.start + at%b.count*b.step + at/b.count*b.gap)
}

// Index is the position of a member, -1 if it is none. It takes time
// proportional to the number of blocks.
func (m *Members) Index(member int) int {
	if m == nil {
		return -1
	}
	for k, b := range m.blocks {
		if at := b.index(int64(member)); at >= 0 {
			if k > 0 {
				at += m.ends[k-1]
			}
			return int(at)
		}
	}
	return -1
}

// index is the position of v in b, -1 if it is not there.
func (b *block) index(v int64) int64 {
	inRun := func(r int64) int64 {
		d := v - b.start - r*b.gap
		if d == 0 {
			return r * b.count
		}
		if b.step == 0 || d%b.step != 0 || d/b.step < 0 || d/b.step >= b.count {
			return -1
		}
		return r*b.count + d/b.step
	}
	if b.times == 1 {
		return inRun(0)
	}
	// The first members of the runs that may hold v lie within one run's extent of v.
	span := (b.count - 1) * b.step
	lo, hi := v-b.start-max(span, 0), v-b.start-min(span, 0)
	if b.gap < 0 {
		lo, hi = -hi, -lo
	}
	gap := max(b.gap, -b.gap)
	from := max(0, (max(lo, 0)+gap-1)/gap)
	for r := from; r < b.times && r*gap <= hi; r++ {
		if at := inRun(r); at >= 0 {
			return at
		}
	}
	return -1
}

// Contains tells whether a process is a member.
func (m *Members) Contains(member int) bool { return m.Index(member) >= 0 }

// All yields the members in order.
func (m *Members) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for r := range m.runs() {
			for i := range r.count {
				if !yield(int(r.start + i*r.step)) {
					return
				}
			}
		}
	}
}

// runs yields the affine runs in order: blocks with times 1.
func (m *Members) runs() iter.Seq[block] {
	return func(yield func(block) bool) {
		if m == nil {
			return
		}
		for _, b := range m.blocks {
			for r := range b.times {
				if !yield(block{start: b.start + r*b.gap, step: b.step, count: b.count, times: 1}) {
					return
				}
			}
		}
	}
}

func (m *Members) equal(o *Members) bool { return slices.Equal(m.blocks, o.blocks) }

// A listBuilder makes Members. What it makes depends only on the sequence of
// members, not on how they were added.
type listBuilder struct {
	done []block
	run  block // the run that may still grow, count 0 if none
}

// add appends a member.
func (l *listBuilder) add(v int64) {
	r := &l.run
	switch {
	case r.count == 0:
		*r = block{start: v, count: 1}
	case r.count == 1:
		r.step, r.count = v-r.start, 2
	case v == r.start+r.step*r.count:
		r.count++
	default:
		l.flush()
		*r = block{start: v, count: 1}
	}
}

// addRun appends start, start+step, ...
func (l *listBuilder) addRun(start, step, count int64) {
	for i := int64(0); i < count; i++ {
		next := start + i*step
		if r := &l.run; r.count >= 2 && r.step == step && next == r.start+r.step*r.count {
			r.count += count - i
			return
		}
		l.add(next)
	}
}

// flush ends the current run: it joins the block before if it repeats its runs.
func (l *listBuilder) flush() {
	r := l.run
	l.run = block{}
	if r.count == 0 {
		return
	}
	r.times = 1
	if n := len(l.done); n > 0 {
		b := &l.done[n-1]
		if b.step == r.step && b.count == r.count && b.count > 1 {
			if b.times == 1 && r.start != b.start {
				b.gap, b.times = r.start-b.start, 2
				return
			}
			if b.times > 1 && r.start == b.start+b.gap*b.times {
				b.times++
				return
			}
		}
	}
	l.done = append(l.done, r)
}

func (l *listBuilder) members() *Members {
	l.flush()
	m := &Members{blocks: l.done, ends: make([]int64, len(l.done))}
	n := int64(0)
	for i, b := range l.done {
		n += b.count * b.times
		m.ends[i] = n
	}
	*l = listBuilder{}
	return m
}

// NewMembers is the list of some processes.
func NewMembers(members []int) *Members {
	var l listBuilder
	for _, v := range members {
		l.add(int64(v))
	}
	return l.members()
}
