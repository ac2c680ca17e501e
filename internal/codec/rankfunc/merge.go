package rankfunc

import "sync"

// Merge returns what Fit returns for the union of as and bs, which have no common member, with the
// values of a and b.
//
// If the formula of one holds for the other, it is kept. That is enough, since find takes the first
// formula in an order that does not depend on the ranks, and no formula before it holds for a part.
// If a part has no formula, the union has none. Two formulas that are equal take constant time;
// otherwise it is at most linear in the ranks, and amortised linear in bs if there is no formula
// and all of bs lies above as. Merge panics if it notices a common member.
func Merge(ctx *Context, a *Func, as *Set, b *Func, bs *Set) *Func {
	switch {
	case as.Len() == 0:
		return b
	case bs.Len() == 0:
		return a
	}
	if a.f != nil && b.f != nil {
		switch {
		case a.f.equal(b.f) || a.f.holdsFor(b.f, bs):
			return a
		case b.f.holdsFor(a.f, as):
			return b
		}
		ranks, rs, vals := interleaveValues(a, as, b, bs)
		return fit(ctx, ranks, rs, vals)
	}
	return concat(ctx, a, as, b, bs)
}

// holdsFor tells whether f and g have the same values on the ranks of s.
func (f *Formula) holdsFor(g *Formula, s *Set) bool {
	same := func(r int) bool { return f.at(int64(r)) == g.at(int64(r)) && f.defined(r) }
	// A formula that does not hold mostly fails at an end.
	if !same(s.Max()) || !same(s.Min()) || !same(s.At(s.Len()/2)) {
		return false
	}
	for r := range s.All() {
		if !same(r) {
			return false
		}
	}
	return true
}

// A store has the values of functions of which each is a prefix of the next, so that
// appending to the latest takes no copy.
type store struct {
	mu   sync.Mutex
	vals []int64
}

// extend returns the store and its values for vals, a prefix of those in the store, and more behind
// them.
func (s *store) extend(vals []int64, more int, fill func(dst []int64) []int64) (*store, []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.vals) == len(vals) {
		s.vals = fill(s.vals)
		return s, s.vals[:len(s.vals):len(s.vals)]
	}
	own := make([]int64, len(vals), 2*(len(vals)+more))
	copy(own, vals)
	own = fill(own)
	return &store{vals: own}, own[:len(own):len(own)]
}

// concat merges two functions of which one has no formula.
func concat(ctx *Context, a *Func, as *Set, b *Func, bs *Set) *Func {
	if bs.Max() < as.Min() {
		a, as, b, bs = b, bs, a, as
	}
	if as.Max() > bs.Min() {
		ranks, _, vals := interleaveValues(a, as, b, bs)
		return irregular(ctx, ranks, &store{vals: vals}, vals)
	}
	st, vals := &store{}, []int64(nil)
	if a.f == nil {
		vals = a.values()
		st = a.store
	} else {
		st.vals = a.appendValues(make([]int64, 0, as.Len()+bs.Len()), as)
		vals = st.vals
	}
	st, vals = st.extend(vals, bs.Len(), func(dst []int64) []int64 { return b.appendValues(dst, bs) })
	return irregular(ctx, as.Union(bs), st, vals)
}

// appendValues appends the values for the set, which is f's.
func (f *Func) appendValues(dst []int64, s *Set) []int64 {
	if f.f == nil {
		return append(dst, f.values()...)
	}
	for lo, hi := range s.Intervals() {
		for r := lo; r < hi; r++ {
			dst = append(dst, f.f.at(int64(r)))
		}
	}
	return dst
}

// interleaveValues returns the union, its members, and their values.
func interleaveValues(a *Func, as *Set, b *Func, bs *Set) (*Set, []int64, []int64) {
	ar, br := members(as), members(bs)
	av, bv := a.valuesOf(ar), b.valuesOf(br)
	rs := make([]int64, 0, len(ar)+len(br))
	vals := make([]int64, 0, len(ar)+len(br))
	for len(ar) > 0 && len(br) > 0 {
		if ar[0] < br[0] {
			rs, vals = append(rs, ar[0]), append(vals, av[0])
			ar, av = ar[1:], av[1:]
		} else {
			rs, vals = append(rs, br[0]), append(vals, bv[0])
			br, bv = br[1:], bv[1:]
		}
	}
	rs = append(append(rs, ar...), br...)
	vals = append(append(vals, av...), bv...)
	ranks := as.Union(bs)
	if ranks.Len() != len(rs) {
		panic("rankfunc: the sets to merge have a common member")
	}
	return ranks, rs, vals
}
