package loops

import (
	"encoding/binary"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

// A skeleton is the structure of an item without repetition counts: a call
// from one call site, a block, or a loop over a sequence of skeletons. Items
// with one skeleton are iterations of the same code.
type skeleton struct {
	body  []int32 // of a loop; nil for a call or a block
	shape int32   // of a call: its own, else that of the first call in it
	block int32   // number of the block; -1 if it is none
	size  int     // calls and loops in it, saturated
	mixed bool    // body is in no order: see summary
}

// skeletons numbers skeletons: the first are the shapes of calls.
type skeletons struct {
	list  []skeleton
	loops map[string]int32
	order *order
	best  map[string]int // memo of order.start
	seams map[**item]seam
	or    map[int32]uint64 // other numbers of iterations of loops: see Node.Or
	whole map[int32]bool   // loops whose iterations are no loops of time steps
}

// A seam is what foldSeam found for a sequence. Its key is the first element.
type seam struct {
	at     int
	turned []*item
}

func newSkeletons(shapes int, o *order) *skeletons {
	s := &skeletons{loops: map[string]int32{}, order: o, best: map[string]int{}, seams: map[**item]seam{},
		or: map[int32]uint64{}, whole: map[int32]bool{}}
	for i := range shapes {
		s.list = append(s.list, skeleton{shape: int32(i), block: -1, size: 1})
	}
	return s
}

const maxSize = 1 << 40

func (s *skeletons) block(number int, seq []*item) int32 {
	s.list = append(s.list, skeleton{shape: s.list[seq[0].skel].shape, block: int32(number), size: 1})
	return int32(len(s.list) - 1)
}

func (s *skeletons) loop(body []int32) int32 {
	key := bodyKey(body)
	if id, ok := s.loops[key]; ok {
		return id
	}
	k := skeleton{body: body, shape: s.list[body[0]].shape, block: -1, size: 1}
	for _, b := range body {
		k.size = min(k.size+s.list[b].size, maxSize)
	}
	id := int32(len(s.list))
	s.list = append(s.list, k)
	s.loops[key] = id
	return id
}

// mixed is the skeleton of calls of some shapes in no order.
func (s *skeletons) mixed(shapes []int32) int32 {
	s.list = append(s.list, skeleton{body: shapes, shape: shapes[0], block: -1, size: 1 + len(shapes), mixed: true})
	return int32(len(s.list) - 1)
}

func bodyKey(body []int32) string {
	b := make([]byte, 0, 4*len(body))
	for _, id := range body {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return string(b)
}

// start is where in the cycle body the source loop most likely begins.
func (s *skeletons) start(body []int32) int {
	key := bodyKey(body)
	at, ok := s.best[key]
	if !ok {
		at = s.order.start(s, body)
		s.best[key] = at
	}
	return at
}

// An item is a call, a block or a loop that is executed once, n times in a row.
// Items are immutable and shared.
type item struct {
	skel int32
	n    uint64
	set  *nest.Set // of a call
	// period is how many repetitions in a row have different parameters before they come again, 0 if not
	// known: a loop over neighbours or levels in a loop of steps is one loop, as far as places tell.
	period uint64
	// unit is the body of a loop whose iterations are all equal, for one
	// iteration; varied is the body of any other, over all iterations.
	unit   []*item
	varied []*variedItem
}

// A variedItem is an item inside a loop. It has one count for each execution.
type variedItem struct {
	skel   int32
	counts *nest.Counts
	set    *nest.Set
	body   []*variedItem
}

func (x *item) isLoop() bool { return x.unit != nil || x.varied != nil }

func skelsOf(seq []*item) []int32 {
	ids := make([]int32, len(seq))
	for i, x := range seq {
		ids[i] = x.skel
	}
	return ids
}

func (s *skeletons) sizeOf(seq []*item) int {
	n := 0
	for _, x := range seq {
		n = min(n+s.list[x.skel].size, maxSize)
	}
	return n
}

// loopOf is a loop of n equal iterations.
func (s *skeletons) loopOf(n uint64, unit []*item) *item {
	return &item{skel: s.loop(skelsOf(unit)), n: n, unit: unit}
}

// same tells whether two items with equal skeletons are repeated equally often.
func same(a, b *item) bool {
	if a == b {
		return true
	}
	if a.skel != b.skel || a.n != b.n || (a.varied == nil) != (b.varied == nil) {
		return false
	}
	for i := range a.unit {
		if !same(a.unit[i], b.unit[i]) {
			return false
		}
	}
	for i := range a.varied {
		if !sameVaried(a.varied[i], b.varied[i]) {
			return false
		}
	}
	return true
}

func sameVaried(a, b *variedItem) bool {
	if !a.counts.Equal(b.counts) {
		return false
	}
	for i := range a.body {
		if !sameVaried(a.body[i], b.body[i]) {
			return false
		}
	}
	return true
}

func sameAll(a, b []*item) bool {
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// merged is a, which is the same as b, with the terminals of both.
func merged(a, b *item) *item {
	if a == b {
		return a
	}
	c := *a
	if a.set != nil {
		if c.set = a.set.Union(b.set); c.set == a.set {
			return a
		}
		return &c
	}
	if a.unit != nil {
		c.unit = mergedAll(a.unit, b.unit)
	}
	if a.varied != nil {
		c.varied = make([]*variedItem, len(a.varied))
		for i := range c.varied {
			c.varied[i] = a.varied[i].merged(b.varied[i])
		}
	}
	return &c
}

func mergedAll(a, b []*item) []*item {
	out, changed := make([]*item, len(a)), false
	for i := range a {
		out[i] = merged(a[i], b[i])
		changed = changed || out[i] != a[i]
	}
	if !changed {
		return a
	}
	return out
}

func (v *variedItem) merged(o *variedItem) *variedItem {
	c := *v
	if v.set != nil {
		c.set = v.set.Union(o.set)
	}
	c.body = make([]*variedItem, len(v.body))
	for i := range c.body {
		c.body[i] = v.body[i].merged(o.body[i])
	}
	return &c
}

// lifted is x as something that is executed once.
func (x *item) lifted() *variedItem {
	return &variedItem{skel: x.skel, counts: nest.Constant(x.n, 1), set: x.set, body: x.iterations()}
}

// iterations is the body of a loop over all its iterations; nil if x is none.
func (x *item) iterations() []*variedItem {
	if x.unit == nil {
		return x.varied
	}
	return repeated(liftedAll(x.unit), x.n)
}

func liftedAll(seq []*item) []*variedItem {
	out := make([]*variedItem, len(seq))
	for i, x := range seq {
		out[i] = x.lifted()
	}
	return out
}

// repeated is body executed k times as often.
func repeated(body []*variedItem, k uint64) []*variedItem {
	if k == 1 || body == nil {
		return body
	}
	out := make([]*variedItem, len(body))
	for i, v := range body {
		c := *v
		c.counts = v.counts.Repeat(k)
		c.body = repeated(v.body, k)
		out[i] = &c
	}
	return out
}

// appended is the executions of a followed by those of b.
func appended(a, b []*variedItem) []*variedItem {
	if a == nil {
		return nil
	}
	out := make([]*variedItem, len(a))
	for i := range a {
		c := *a[i]
		c.counts = a[i].counts.Cat(b[i].counts)
		if c.set != nil {
			c.set = c.set.Union(b[i].set)
		}
		c.body = appended(a[i].body, b[i].body)
		out[i] = &c
	}
	return out
}

// joined is a and then b, which have one skeleton.
func joined(a, b *item) *item {
	c := &item{skel: a.skel, n: a.n + b.n}
	switch {
	case a.set != nil:
		c.set = a.set.Union(b.set)
		c.period = commonPeriod(a, b)
	case a.unit != nil && b.unit != nil && sameAll(a.unit, b.unit):
		c.unit = mergedAll(a.unit, b.unit)
		c.period = commonPeriod(a, b)
	default:
		c.varied = appended(a.iterations(), b.iterations())
	}
	return c
}

// scaled is x, k times in a row.
func scaled(x *item, k uint64) *item {
	c := *x
	c.n *= k
	c.varied = repeated(x.varied, k)
	if c.period == 0 && k > 1 && x.n > 1 && !alike(x) {
		c.period = x.n
	}
	return &c
}

// commonPeriod is the period of the calls of a and then those of b: a part of an iteration may come
// before and after the others.
func commonPeriod(a, b *item) uint64 {
	switch {
	case a.period == b.period || b.period == 0 && b.n <= a.period:
		return a.period
	case a.period == 0 && a.n <= b.period:
		return b.period
	}
	return 0
}

// inner is x as a loop over repetitions with different parameters in a loop, if it is that: many of them
// differ. Two kinds of iterations in turn are one loop, as are those of which every tenth is another.
func (s *skeletons) inner(x *item) *item {
	if x.period < 2 || x.n%x.period != 0 || x.n == x.period || x.varied != nil {
		return x
	}
	kinds := x.kinds()
	if x.set == nil && kinds < 3 || uint64(4*kinds) < x.period {
		return x
	}
	y := *x
	y.n, y.period = x.period, 0
	loop := s.loopOf(x.n/x.period, []*item{&y})
	s.whole[loop.skel] = true
	return loop
}

// kinds is how many different parameters a call in x has at most.
func (x *item) kinds() int {
	if x.set != nil {
		set := map[uint32]bool{}
		x.set.Collect(set)
		return len(set)
	}
	most := 0
	for _, y := range x.unit {
		most = max(most, y.kinds())
	}
	return most
}

// extended is loop a with x added to the end of its last iteration, nil if x does not belong there.
// The iterations have to end in the skeleton of x. If that is a call, its count must vary anyway.
func (s *skeletons) extended(a, x *item) *item {
	body := s.list[a.skel].body
	if body == nil || body[len(body)-1] != x.skel || a.n < 2 {
		return nil
	}
	last := len(body) - 1
	if !x.isLoop() && (a.varied == nil || a.varied[last].counts.Min() == a.varied[last].counts.Max()) {
		return nil
	}
	c := &item{skel: a.skel, n: a.n, varied: slices.Clone(a.iterations())}
	v := *c.varied[last]
	v.counts = v.counts.AddLast(x.n)
	if v.set != nil {
		v.set = v.set.Union(x.set)
	}
	v.body = appended(v.body, x.iterations())
	c.varied[last] = &v
	return c
}
