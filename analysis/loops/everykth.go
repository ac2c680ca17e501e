package loops

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

// From how many iterations, and up to how many calls besides. Fewer iterations are those of a loop over
// neighbours, dimensions or stages, more calls those of a solver around it.
const (
	leastKth = 8
	maxRest  = 2
)

// everyKth changes the trees of a family, those with equal nests in the same way or not at all.
func (f *family) everyKth(steps uint64) {
	now, bodies := map[string]string{}, make([][]*item, len(f.trees))
	for i, t := range f.trees {
		bodies[i] = t.sk.everyKth(t.body, steps)
		before, after := t.text(), (&tree{sk: t.sk, body: bodies[i], blocks: t.blocks}).text()
		if known, ok := now[before]; ok && known != after {
			after = before
		}
		now[before] = after
	}
	for i, t := range f.trees {
		if before := t.text(); now[before] != before {
			t.body = bodies[i]
		}
	}
}

// everyKth takes an inner loop that always has the same number of iterations, with the same parameters and
// with little besides it, for iterations of the loop around it, in every k-th of which there is something
// more (see package nest). steps is how many time steps there are, if that is known: a loop of so many
// iterations stays.
func (s *skeletons) everyKth(seq []*item, steps uint64) []*item {
	var out []*item
	for i := 0; i < len(seq); i++ {
		x := seq[i]
		switch {
		case x.unit == nil:
			out = append(out, x)
		case x.n == steps:
			out = append(out, s.loopOf(x.n, s.everyKth(x.unit, steps)))
		case i+1 < len(seq) && s.goesOn(x, seq[i+1]):
			out = append(out, s.withLast(x, seq[i+1]))
			i++
		case s.kth(x) >= 0:
			out = append(out, s.flat(x, s.kth(x)))
		default:
			out = append(out, s.loopOf(x.n, s.everyKth(x.unit, steps)))
		}
	}
	return out
}

// goesOn tells whether a loop begins with an inner one that goes on behind it, with fewer iterations: then these are
// iterations of one loop, in every k-th of which there is something more, and the last of which are no full k.
func (s *skeletons) goesOn(x, next *item) bool {
	inner := x.unit[0]
	if !inner.isLoop() || !next.isLoop() || inner.skel != next.skel || next.n >= inner.n || len(x.unit) < 2 {
		return false
	}
	return !slices.ContainsFunc(x.unit[1:], func(y *item) bool { return y.isLoop() || s.list[y.skel].block >= 0 })
}

// withLast is one loop of the iterations of the inner loop of x and of those behind it.
func (s *skeletons) withLast(x, next *item) *item {
	inner := x.unit[0]
	flat := appended(repeated(inner.executions(), x.n), next.executions())
	for _, z := range x.unit[1:] {
		counts := nest.Constant(0, inner.n-1).Cat(nest.Constant(z.n, 1)).Repeat(x.n).Cat(nest.Constant(0, next.n))
		flat = append(flat, &variedItem{skel: z.skel, counts: counts, set: z.set})
	}
	return s.variedLoop(x.n*inner.n+next.n, flat)
}

// executions is the body of a loop over all its iterations.
func (x *item) executions() []*variedItem {
	if x.unit != nil {
		return repeated(liftedAll(x.unit), x.n)
	}
	return x.varied
}

// variedLoop is a loop of n iterations that differ.
func (s *skeletons) variedLoop(n uint64, body []*variedItem) *item {
	ids := make([]int32, len(body))
	for i, v := range body {
		ids[i] = v.skel
	}
	return &item{skel: s.loop(ids), n: n, varied: body}
}

// kth is which item of the loop x is such an inner loop, -1 if none is.
func (s *skeletons) kth(x *item) int {
	inner := -1
	for i, y := range x.unit {
		switch {
		case y.n >= leastKth && inner < 0:
			inner = i
		case y.isLoop() || s.list[y.skel].block >= 0:
			return -1
		}
	}
	last := len(x.unit) - 1
	if inner < 0 || last < 1 || last > maxRest || inner > 0 && inner < last || !alike(x.unit[inner]) {
		return -1
	}
	return inner
}

// alike tells whether each call in x has the same parameters in all iterations.
func alike(x *item) bool {
	if x.set != nil {
		return x.set.Single()
	}
	return x.unit != nil && !slices.ContainsFunc(x.unit, func(y *item) bool { return !alike(y) })
}

// flat makes the iterations of an inner loop those of x.
func (s *skeletons) flat(x *item, inner int) *item {
	y := x.unit[inner]
	body := y.unit
	if body == nil {
		body = []*item{{skel: y.skel, n: 1, set: y.set}}
	}
	n := x.n * y.n
	flat := repeated(liftedAll(body), n)
	var rest []*variedItem
	for _, z := range slices.Delete(slices.Clone(x.unit), inner, inner+1) {
		none, some := nest.Constant(0, y.n-1), nest.Constant(z.n, 1)
		counts := none.Cat(some)
		if inner > 0 {
			counts = some.Cat(none)
		}
		rest = append(rest, &variedItem{skel: z.skel, counts: counts.Repeat(x.n), set: z.set})
	}
	if inner > 0 {
		flat = append(rest, flat...)
	} else {
		flat = append(flat, rest...)
	}
	loop := s.variedLoop(n, flat)
	s.or[loop.skel] = x.n
	return loop
}
