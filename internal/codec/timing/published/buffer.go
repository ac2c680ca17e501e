package published

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// A buffer is what a method compresses at a time.
type buffer struct {
	params *Params
	bounds *bounds
	// The values and what bounds them, in the order of the method: clustered methods have
	// the values of a class together, uniform ones those of a bound.
	values  []uint64
	classes []uint32
	// For uniform methods cuts are the ends of the runs of values with one bound.
	cuts []int
}

// bounds give classes their bins.
type bounds struct {
	common float64
	own    map[uint32]float64
	widest bool
	bins   map[float64]*bins
	all    *bins // of all classes, if none has a bound of its own
}

func newBounds(p *Params) *bounds {
	return &bounds{common: p.Bound, own: p.Own, widest: p.Widest, bins: map[float64]*bins{}}
}

func (b *bounds) of(class uint32) float64 {
	if len(b.own) > 0 {
		if own, ok := b.own[class]; ok {
			return own
		}
	}
	return b.common
}

func (b *bounds) binsOf(class uint32) *bins {
	if b.all != nil {
		return b.all
	}
	e := b.of(class)
	t := b.bins[e]
	if t == nil {
		t = newBins(e, b.widest)
		b.bins[e] = t
	}
	if len(b.own) == 0 {
		b.all = t
	}
	return t
}

// order returns the positions of classes in the order of the method, nil if it is theirs,
// and the ends of the runs of one bound. The classes say all about it.
func (m *method) order(bounds *bounds, classes []uint32) (perm []int32, cuts []int) {
	byBound := m.uniform && len(bounds.own) > 0
	if !byBound && !m.clustered {
		return nil, []int{len(classes)}
	}
	groups, groupOf := m.groups(bounds, classes, byBound)
	next := make([]int32, len(groups)+1)
	for _, c := range classes {
		next[groupOf[c]+1]++
	}
	for g := range groups {
		next[g+1] += next[g]
		if g > 0 && byBound && groups[g].bound != groups[g-1].bound {
			cuts = append(cuts, int(next[g]))
		}
	}
	perm = make([]int32, len(classes))
	for i, c := range classes {
		g := groupOf[c]
		perm[next[g]] = int32(i)
		next[g]++
	}
	return perm, append(cuts, len(classes))
}

// A group is values that stay in their order: those of a class, of a bound, or of both.
type group struct {
	bound float64 // 0 if bounds do not matter
	class uint32  // 0 if classes do not matter
}

// groups lists the groups of classes in their order, and the number of each class's.
func (m *method) groups(bounds *bounds, classes []uint32, byBound bool) (groups []group, groupOf map[uint32]int32) {
	groupOf = map[uint32]int32{}
	of := func(class uint32) (g group) {
		if byBound {
			g.bound = bounds.of(class)
		}
		if m.clustered {
			g.class = class
		}
		return g
	}
	for _, c := range classes {
		if _, ok := groupOf[c]; !ok {
			groupOf[c] = 0
			groups = append(groups, of(c))
		}
	}
	slices.SortFunc(groups, compareGroups)
	groups = slices.Compact(groups)
	for c := range groupOf {
		g, _ := slices.BinarySearchFunc(groups, of(c), compareGroups)
		groupOf[c] = int32(g)
	}
	return groups, groupOf
}

func compareGroups(a, b group) int {
	return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(a.class, b.class))
}

// newBuffer brings values and classes into the order of the method.
func (c *Codec) newBuffer(params *Params, bounds *bounds, values []uint64, classes []uint32) (b *buffer, perm []int32) {
	b = &buffer{params: params, bounds: bounds, values: values, classes: classes}
	perm, b.cuts = c.method.order(bounds, classes)
	if perm != nil {
		b.values, b.classes = make([]uint64, len(values)), make([]uint32, len(values))
		for i, p := range perm {
			b.values[i], b.classes[i] = values[p], classes[p]
		}
	}
	return b, perm
}

func (c *Codec) appendBuffer(dst []byte, bounds *bounds, values []uint64, classes []uint32) []byte {
	b, _ := c.newBuffer(&c.params, bounds, values, classes)
	body := c.method.encode(nil, b)
	dst = binary.AppendUvarint(dst, uint64(len(body)))
	dst = append(dst, body...)

	// What the decoder makes of it says where the bound is missed.
	got := &buffer{params: &c.params, bounds: bounds, values: make([]uint64, len(b.values)), classes: b.classes,
		cuts: b.cuts}
	p := open(body)
	c.method.decode(p, got)
	if p.Err != nil {
		panic("published: " + c.method.name + " cannot decode what it encoded: " + p.Err.Error())
	}
	var missed []int
	for i, v := range b.values {
		if !c.method.within(v, got.values[i], bounds.of(b.classes[i])) {
			missed = append(missed, i)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(missed)))
	before := 0
	for _, i := range missed {
		dst = binary.AppendUvarint(dst, uint64(i-before))
		dst = binary.AppendUvarint(dst, b.values[i])
		before = i
	}
	return dst
}

func (c *Codec) decodeBuffer(p *input, bounds *bounds, values []uint64, classes []uint32) {
	b, perm := c.newBuffer(nil, bounds, values, classes)
	size := p.Uvarint()
	body := p.sub(size)
	if p.Err != nil {
		return
	}
	c.method.decode(body, b)
	if body.Err == nil && body.Left() > 0 {
		body.Fail("bytes after the last value of a buffer")
	}
	if p.Stop(body.Err); p.Err != nil {
		return
	}
	i := uint64(0)
	for range p.count(2) {
		i += p.below(uint64(len(values)))
		v := p.Uvarint()
		if i >= uint64(len(values)) {
			p.Fail("position of an exception out of range")
		}
		if p.Err != nil {
			return
		}
		b.values[i] = v
	}
	for i, q := range perm {
		values[q] = b.values[i]
	}
}
