package rankfunc

import "slices"

// MergeVec returns what FitVec returns for the union of as and bs, which have no common member,
// with the arrays of a and b. It looks at arrays only if the two have different forms.
func MergeVec(ctx *Context, a *Vec, as *Set, b *Vec, bs *Set) *Vec {
	switch {
	case as.Len() == 0:
		return b
	case bs.Len() == 0:
		return a
	}
	a, b = a.unpack(ctx, as), b.unpack(ctx, bs)
	switch {
	case a.form == formElements || b.form == formElements:
		return mergeElements(ctx, a.elements(ctx, as), as, b.elements(ctx, bs), bs)
	case a.sameForm(b):
		return a.with(ctx, as, a.g, b.g, bs)
	}
	if g, ok := a.holdsFor(ctx, b, bs); ok {
		return a.with(ctx, as, a.g, g, bs)
	}
	if g, ok := b.holdsFor(ctx, a, as); ok {
		return b.with(ctx, bs, b.g, g, as)
	}
	return refit(ctx, a, as, b, bs)
}

// with returns the Vec with the base of v, and g merged of ag and bg if it has one.
func (v *Vec) with(ctx *Context, as *Set, ag, bg *Func, bs *Set) *Vec {
	if ag == nil {
		return v
	}
	return &Vec{form: v.form, base: v.base, n: v.n, size: v.size, g: Merge(ctx, ag, as, bg, bs)}
}

// holdsFor tells whether the arrays of w have the form and base of v, and what g is then.
func (v *Vec) holdsFor(ctx *Context, w *Vec, ranks *Set) (*Func, bool) {
	if v.n != w.n || !v.holds(int64(ranks.Max()), w.At(ranks.Max())) {
		return nil, false
	}
	var part []int64
	for r, a := range w.Values(ranks) {
		if !v.holds(int64(r), a) {
			return nil, false
		}
		if v.g != nil {
			part = append(part, v.part(int64(r), a))
		}
	}
	if v.g == nil {
		return nil, true
	}
	return Fit(ctx, ranks, part), true
}

// refit fits anew.
func refit(ctx *Context, a *Vec, as *Set, b *Vec, bs *Set) *Vec {
	ranks := as.Union(bs)
	all := make([][]int64, 0, ranks.Len())
	for r := range ranks.All() {
		if as.Contains(r) {
			all = append(all, a.At(r))
		} else {
			all = append(all, b.At(r))
		}
	}
	return FitVec(ctx, ranks, all)
}

// elements returns v as a function for each index.
func (v *Vec) elements(ctx *Context, ranks *Set) *Vec {
	if v.form == formElements {
		return v
	}
	e := &Vec{form: formElements, ranks: ranks, size: v.size, length: constant(int64(v.n))}
	if v.form == formSame {
		for _, x := range v.base {
			e.cols = append(e.cols, constant(x))
		}
		return e
	}
	return fitElements(ctx, ranks, members(ranks), v.arrays(ranks))
}

func constant(x int64) *Func { return &Func{f: &Formula{A: x}} }

// mergeElements merges index by index.
func mergeElements(ctx *Context, a *Vec, as *Set, b *Vec, bs *Set) *Vec {
	v := &Vec{form: formElements, size: a.size, length: Merge(ctx, a.length, as, b.length, bs), ranks: as.Union(bs)}
	al, bl := newLonger(a.length, as), newLonger(b.length, bs)
	for i := range max(len(a.cols), len(b.cols)) {
		switch {
		case i >= len(b.cols):
			v.cols = append(v.cols, a.cols[i])
		case i >= len(a.cols):
			v.cols = append(v.cols, b.cols[i])
		default:
			v.cols = append(v.cols, Merge(ctx, a.cols[i], al.than(i), b.cols[i], bl.than(i)))
		}
	}
	return v
}

// A longer gives the ranks with arrays longer than i, for ascending i.
type longer struct {
	ranks   *Set
	rs      []int64 // of ranks; nil if all arrays are equally long
	lengths []int64
}

func newLonger(length *Func, ranks *Set) *longer {
	l := &longer{ranks: ranks}
	if _, ok := length.Constant(); !ok {
		l.rs = members(ranks)
		l.lengths = slices.Clone(length.valuesOf(l.rs))
	}
	return l
}

// than returns the ranks with arrays longer than i; there are some.
func (l *longer) than(i int) *Set {
	n := 0
	for k, length := range l.lengths {
		if length > int64(i) {
			l.rs[n], l.lengths[n] = l.rs[k], length
			n++
		}
	}
	if n < len(l.rs) {
		l.rs, l.lengths = l.rs[:n], l.lengths[:n]
		l.ranks = setOf(l.rs)
	}
	return l.ranks
}

// unpack returns v such that it can be merged, if it was read.
func (v *Vec) unpack(ctx *Context, ranks *Set) *Vec {
	switch {
	case v.form == formFlat:
		return fitElements(ctx, ranks, members(ranks), v.arrays(ranks))
	case !v.read:
		return v.loaded()
	}
	u := &Vec{form: v.form, length: v.length, ranks: ranks, size: v.size}
	l := newLonger(v.length, ranks)
	for i, c := range v.cols {
		if s := l.than(i); c.f == nil {
			c = stored(ctx, s, c.pack)
		}
		u.cols = append(u.cols, c)
	}
	return u
}
