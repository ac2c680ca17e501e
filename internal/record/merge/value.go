package merge

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// number is an integer at each rank of a set: n, or f if it differs.
type number struct {
	n int64
	f *archive.RankFunc
}

func (x number) fn() *archive.RankFunc {
	if x.f != nil {
		return x.f
	}
	return archive.ConstantFunc(x.n)
}

func mergeNumbers(ctx *rankfunc.Context, a number, as *archive.RankSet, b number, bs *archive.RankSet) number {
	if a.f == nil && b.f == nil && a.n == b.n {
		return a
	}
	return numberOf(rankfunc.Merge(ctx, a.fn(), as, b.fn(), bs))
}

func numberOf(f *archive.RankFunc) number {
	if v, ok := f.Constant(); ok {
		return number{n: v}
	}
	return number{f: f}
}

// mergeAll merges two lists of numbers into the first.
func mergeAll(ctx *rankfunc.Context, a []number, as *archive.RankSet, b []number, bs *archive.RankSet) {
	for i := range a {
		a[i] = mergeNumbers(ctx, a[i], as, b[i], bs)
	}
}

// export is the number as the archive holds it.
func (x number) export() archive.Param { return archive.Param{N: x.n, Fn: x.f} }

// functions are the numbers as functions.
func functions(xs []number) []*archive.RankFunc {
	fs := make([]*archive.RankFunc, len(xs))
	for i, x := range xs {
		fs[i] = x.fn()
	}
	return fs
}

// numbersOfParams is the reverse of number.export.
func numbersOfParams(ps []archive.Param) []number {
	xs := make([]number, len(ps))
	for i, p := range ps {
		if xs[i].n = p.N; p.Fn != nil {
			xs[i] = numberOf(p.Fn)
		}
	}
	return xs
}

func numbersOf(fs []*archive.RankFunc) []number {
	xs := make([]number, len(fs))
	for i, f := range fs {
		xs[i] = numberOf(f)
	}
	return xs
}

// A choice is one of several values, told apart by key, and the ranks that have it. They are in
// no order while parts are merged.
type choice[T any] struct {
	key   string
	value T
	ranks *archive.RankSet
}

type choices[T any] []choice[T]

func choose[T any](key string, value T, ranks *archive.RankSet) choices[T] {
	return choices[T]{{key, value, ranks}}
}

// fewChoices is the greatest number of choices that are compared one by one.
const fewChoices = 8

// mergeChoices merges b into a. same merges the values of equal keys; nil if they are equal.
func mergeChoices[T any](a, b choices[T], same func(x *T, xs *archive.RankSet, y *T, ys *archive.RankSet)) choices[T] {
	var index map[string]int
	if len(a) > fewChoices {
		index = make(map[string]int, len(a))
		for i := range a {
			index[a[i].key] = i
		}
	}
	n := len(a)
	for k := range b {
		y := &b[k]
		i, found := -1, false
		if index != nil {
			i, found = index[y.key]
		} else {
			i = slices.IndexFunc(a[:n], func(x choice[T]) bool { return x.key == y.key })
			found = i >= 0
		}
		if !found {
			a = append(a, *y)
			continue
		}
		x := &a[i]
		if same != nil {
			same(&x.value, x.ranks, &y.value, y.ranks)
		}
		x.ranks = x.ranks.Union(y.ranks)
	}
	return a
}

// sorted is the choices in the order of their least ranks.
func (c choices[T]) sorted() choices[T] {
	if len(c) < 2 {
		return c
	}
	c = slices.Clone(c)
	slices.SortFunc(c, func(x, y choice[T]) int { return x.ranks.Min() - y.ranks.Min() })
	return c
}

// casesOf turns choices into what the archive holds. all is the set of all ranks.
func casesOf[T, U any](c choices[T], all *archive.RankSet, value func(x *T) U) archive.Cases[U] {
	var out archive.Cases[U]
	c = c.sorted()
	for i := range c {
		out.Values = append(out.Values, value(&c[i].value))
		if len(c) > 1 && len(c) < all.Len() {
			out.Sets = append(out.Sets, c[i].ranks)
		}
	}
	return out
}

// choicesOf is the reverse of casesOf.
func choicesOf[T, U any](c *archive.Cases[U], all *archive.RankSet, value func(x *U) (string, T)) choices[T] {
	var out choices[T]
	for i := range c.Values {
		key, v := value(&c.Values[i])
		out = append(out, choice[T]{key, v, c.Ranks(all, i)})
	}
	return out
}

// param is the value of a leaf: one of its fields, as its kind says.
type param struct {
	number
	vec  *archive.RankVec
	strs choices[string]
}

// mergeParams merges the values of leaves of a kind.
func mergeParams(
	ctx *rankfunc.Context, kind archive.LeafKind, a param, as *archive.RankSet, b param, bs *archive.RankSet,
) param {
	switch kind {
	case archive.VecLeaf:
		return param{vec: rankfunc.MergeVec(ctx, a.vec, as, b.vec, bs)}
	case archive.StrLeaf:
		return param{strs: mergeChoices(slices.Clone(a.strs), b.strs, nil)}
	}
	return param{number: mergeNumbers(ctx, a.number, as, b.number, bs)}
}

// constant tells whether the value is the same at all ranks.
func (p *param) constant(kind archive.LeafKind) bool {
	switch kind {
	case archive.VecLeaf:
		_, ok := p.vec.Constant()
		return ok
	case archive.StrLeaf:
		return len(p.strs) == 1
	}
	return p.f == nil
}

// constantVec is the function that gives v to all ranks of a set; like that of one of them.
func constantVec(ctx *rankfunc.Context, ranks *archive.RankSet, v []int64) *archive.RankVec {
	r := ranks.Min()
	return rankfunc.FitVec(ctx, rankfunc.Range(r, r+1), [][]int64{v})
}
