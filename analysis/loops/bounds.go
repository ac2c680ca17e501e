package loops

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

// A program without order has as many parts as calls. These bound the nodes that Of makes, whatever
// the recording is: what does not fit is summed up in Mixed nodes. A class has at most classNodes,
// all classes together have allNodes, and fewNodes for each that comes then.
const (
	classNodes = 1 << 15
	allNodes   = 1 << 17
	fewNodes   = 16
)

// leastLoop is the share of a class's events that a loop has to have to be kept where others are
// summed up; of other parts it is minKept.
const leastLoop = 0.001

// size is how many nodes the tree has.
func (t *tree) size() int {
	n := t.sk.sizeOf(t.body)
	for _, b := range t.blocks {
		n = min(n+t.sk.sizeOf(b), maxSize)
	}
	return n
}

// summary sums up what a tree has too many of.
type summary struct {
	tree   *tree
	blocks []histogram
	sets   []*nest.Set // of shapes
	total  uint64
}

// histogram is how many calls of each shape something has.
type histogram map[int32]uint64

// sumUp leaves at most about limit nodes of the tree, and no blocks. Each call stays in the loop that it
// is in, if that is kept, so that iterations remain where they are.
func (t *tree) sumUp(limit int, shape []int32, shapes int) {
	s := &summary{tree: t, sets: make([]*nest.Set, shapes)}
	for id, k := range shape {
		one := nest.One(uint32(id))
		if s.sets[k] == nil {
			s.sets[k] = one
		} else {
			s.sets[k] = s.sets[k].Union(one)
		}
	}
	for _, b := range t.blocks { // those inside of a block come before it
		h := histogram{}
		s.count(h, b, 1)
		s.blocks = append(s.blocks, h)
	}
	h := histogram{}
	s.count(h, t.body, 1)
	s.total = h.sum()
	t.body = s.shorten(t.body, 1, limit, true)
	t.blocks = nil
}

func (h histogram) sum() (n uint64) {
	for _, k := range h {
		n += k
	}
	return n
}

// count adds the calls of a sequence that is executed some times.
func (s *summary) count(h histogram, seq []*item, times uint64) {
	for _, x := range seq {
		k := &s.tree.sk.list[x.skel]
		switch {
		case k.block >= 0:
			for shape, n := range s.blocks[k.block] {
				h[shape] += n * x.n * times
			}
		case x.unit != nil:
			s.count(h, x.unit, x.n*times)
		case x.varied != nil:
			s.countVaried(h, x.varied, times)
		default:
			h[x.skel] += x.n * times
		}
	}
}

func (s *summary) countVaried(h histogram, seq []*variedItem, times uint64) {
	for _, v := range seq {
		k := &s.tree.sk.list[v.skel]
		switch {
		case k.block >= 0:
			for shape, n := range s.blocks[k.block] {
				h[shape] += n * v.counts.Sum() * times
			}
		case k.body != nil:
			s.countVaried(h, v.body, times)
		default:
			h[v.skel] += v.counts.Sum() * times
		}
	}
}

// hasBlocks tells whether there are blocks in what has a skeleton.
func (s *summary) hasBlocks(skel int32) bool {
	k := &s.tree.sk.list[skel]
	return k.block >= 0 || slices.ContainsFunc(k.body, s.hasBlocks)
}

// shorten sums up parts of a sequence that is executed some times, until there are about limit nodes.
func (s *summary) shorten(seq []*item, times uint64, limit int, outermost bool) []*item {
	keep := s.chosen(seq, times, limit, outermost)
	var out []*item
	for i := 0; i < len(seq); {
		k := i
		for k < len(seq) && keep[k] == nil {
			k++
		}
		if k > i {
			out = append(out, s.mixed(seq[i:k]))
		}
		if i = k; i < len(seq) {
			out = append(out, keep[i])
			i++
		}
	}
	return out
}

// chosen is what becomes of the items that are kept, nil for those that are summed up.
func (s *summary) chosen(seq []*item, times uint64, room int, outermost bool) []*item {
	keep := make([]*item, len(seq))
	type candidate struct {
		at     int
		events uint64
	}
	var list []candidate
	for i, x := range seq {
		if s.tree.sk.list[x.skel].block >= 0 {
			continue
		}
		h := histogram{}
		s.count(h, seq[i:i+1], times)
		c := candidate{i, h.sum()}
		switch {
		case x.isLoop() && float64(c.events) >= leastLoop*float64(s.total),
			!x.isLoop() && float64(c.events) >= minKept*float64(s.total):
			list = append(list, c)
		case !x.isLoop() && outermost && (i < maxEnds || i >= len(seq)-maxEnds):
			keep[i] = x
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.events, a.events) })
	for _, c := range list {
		x := seq[c.at]
		size := s.tree.sk.list[x.skel].size
		switch {
		case room <= 0:
			return keep
		case size <= room && !s.hasBlocks(x.skel):
			keep[c.at] = x
		case x.unit != nil:
			y := *s.tree.sk.loopOf(x.n, s.shorten(x.unit, times*x.n, room, false))
			keep[c.at], size = &y, s.tree.sk.list[y.skel].size
		}
		if keep[c.at] != nil {
			room -= size + len(s.sets) // a part that is summed up may follow
		}
	}
	return keep
}

// mixed is one item for a sequence: its calls by shape.
func (s *summary) mixed(seq []*item) *item {
	h := histogram{}
	s.count(h, seq, 1)
	var shapes []int32
	for k := range h {
		shapes = append(shapes, k)
	}
	first := s.tree.sk.order.first
	slices.SortFunc(shapes, func(a, b int32) int { return cmp.Compare(first[a], first[b]) })
	m := &item{n: 1}
	for _, k := range shapes {
		m.unit = append(m.unit, &item{skel: k, n: h[k], set: s.sets[k]})
	}
	m.skel = s.tree.sk.mixed(shapes)
	return m
}
