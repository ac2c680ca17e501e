package rankfunc

import (
	"iter"
	"sync"
)

// A Func is an immutable function that gives a value to each rank of a set. Methods may be
// called concurrently.
type Func struct {
	f       *Formula // holds for all ranks, or
	*listed          // if no formula does
}

// listed is what a function without a formula has.
type listed struct {
	ctx   *Context
	ranks *Set
	vals  []int64 // by index in ranks
	store *store  // has vals
	once  sync.Once
	pack  *packed // what is written, by once; or what was read
	read  bool    // pack was read; vals are set by whole
	whole sync.Once
}

// Fit returns the function that gives ranks.At(i) the value values[i]. It
// depends on what is passed only, and is always exact. It panics if the lengths differ.
func Fit(ctx *Context, ranks *Set, values []int64) *Func {
	if len(values) != ranks.Len() {
		panic("rankfunc: as many values as ranks are needed")
	}
	return fit(ctx, ranks, members(ranks), values)
}

func fit(ctx *Context, ranks *Set, rs, values []int64) *Func {
	if f := find(ctx, rs, values); f != nil {
		return &Func{f: f}
	}
	own := append([]int64(nil), values...)
	return irregular(ctx, ranks, &store{vals: own}, own)
}

func irregular(ctx *Context, ranks *Set, st *store, vals []int64) *Func {
	return &Func{listed: &listed{ctx: ctx, ranks: ranks.canonical(), store: st, vals: vals}}
}

// stored returns a function that is already in the form in which it is stored.
func stored(ctx *Context, ranks *Set, k *packed) *Func {
	return &Func{listed: &listed{ctx: ctx, ranks: ranks, pack: k, read: true}}
}

// members returns the members of s.
func members(s *Set) []int64 {
	rs := make([]int64, 0, s.Len())
	for lo, hi := range s.Intervals() {
		for r := lo; r < hi; r++ {
			rs = append(rs, int64(r))
		}
	}
	return rs
}

// Constant returns the value that all ranks have, if there is one.
func (f *Func) Constant() (int64, bool) {
	if f.f != nil && f.f.Kind == FormulaConstant {
		return f.f.A, true
	}
	return 0, false
}

// At returns the value of rank r, 0 if it has none. A formula also gives a value to ranks that are
// not in its set. That value means nothing.
func (f *Func) At(r int) int64 {
	if f.f != nil {
		return f.f.at(int64(r))
	}
	if f.read {
		return f.pack.at(r)
	}
	if i, ok := f.ranks.Index(r); ok {
		return f.vals[i]
	}
	return 0
}

// Values returns the ranks with their values in ascending order. The set must
// be the one that the function was made for.
func (f *Func) Values(ranks *Set) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		if f.f != nil {
			for r := range ranks.All() {
				if !yield(r, f.f.at(int64(r))) {
					return
				}
			}
			return
		}
		i := 0
		vals := f.values()
		for r := range ranks.All() {
			if i >= len(vals) || !yield(r, vals[i]) {
				return
			}
			i++
		}
	}
}

// values returns the values of a function without a formula.
func (f *Func) values() []int64 {
	if f.read {
		f.whole.Do(func() {
			f.vals = f.pack.expand(f.ranks)
			f.store = &store{vals: f.vals}
		})
	}
	return f.vals
}

// valuesOf returns the values for the ranks rs, which are all.
func (f *Func) valuesOf(rs []int64) []int64 {
	if f.f == nil {
		return f.values()
	}
	vals := make([]int64, len(rs))
	for i, r := range rs {
		vals[i] = f.f.at(r)
	}
	return vals
}
