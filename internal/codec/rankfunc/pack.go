package rankfunc

import (
	"bytes"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/column"
)

const (
	maxCounted  = 8    // formulas for which all values are looked at
	packSamples = 256  // values that estimate how many a formula reproduces
	leastShare  = 8    // a formula is of use if it reproduces at least one value in so many
	manyValues  = 4096 // from here on fewer alternatives are tried
)

// packed returns the form in which f is stored.
func (f *Func) packed() *packed {
	if f.read {
		return f.pack
	}
	f.once.Do(func() { f.pack = pack(f.ctx, f.ranks, members(f.ranks), f.vals, 0) })
	return f.pack
}

// pack returns the smallest form found for values without a formula: a
// column, or a formula that reproduces many values and, in the same way, a function
// for the others.
func pack(ctx *Context, ranks *Set, rs, vals []int64, depth int) *packed {
	best := packColumn(ranks, rs, vals)
	if depth >= maxPieces-1 || len(rs) < 3 {
		return best
	}
	size := len(best.append(nil, ctx))
	width := max(1, 3-depth)
	if len(rs) > manyValues {
		width = 1
	}
	for _, f := range candidates(ctx, rs, vals, width) {
		if k := packExcept(ctx, f, rs, vals, depth, size); k != nil {
			if n := len(k.append(nil, ctx)); n < size {
				best, size = k, n
			}
		}
	}
	return best
}

// packExcept returns f with a function for the values that it does not
// reproduce, nil if that takes limit bytes and more.
func packExcept(ctx *Context, f *Formula, rs, vals []int64, depth, limit int) *packed {
	var restRanks, rest []int64
	for i, r := range rs {
		if f.at(r) != vals[i] {
			restRanks, rest = append(restRanks, r), append(rest, vals[i])
		}
	}
	k := &packed{f: f, except: setOf(restRanks)}
	if len(k.except.AppendIn(f.appendIn(nil, ctx), ctx)) >= limit {
		return nil
	}
	if g := guess(ctx, restRanks, rest); g != nil {
		k.rest = &Func{f: g}
		k.widen(ctx, g, rs, vals)
	} else {
		k.rest = stored(ctx, k.except, pack(ctx, k.except, restRanks, rest, depth+1))
	}
	return k
}

// widen takes all ranks for which g holds as exceptions, if their set takes
// less space: where both formulas hold, either may count.
func (k *packed) widen(ctx *Context, g *Formula, rs, vals []int64) {
	var wide []int64
	for i, r := range rs {
		if g.at(r) == vals[i] {
			wide = append(wide, r)
		}
	}
	if s := setOf(wide); len(s.AppendIn(nil, ctx)) < len(k.except.AppendIn(nil, ctx)) {
		k.except = s
	}
}

// packColumn returns a column of the values, or of their differences from the ranks.
func packColumn(ranks *Set, rs, vals []int64) *packed {
	plain, relative := column.NewBuilder(), column.NewBuilder()
	for i, v := range vals {
		plain.Append(v)
		relative.Append(v - rs[i])
	}
	k := &packed{f: &Formula{}, ranks: ranks, col: encodeColumn(plain)}
	if c := encodeColumn(relative); len(c) < len(k.col) {
		k.f, k.col = &Formula{Kind: FormulaShift}, c
	}
	return k
}

func encodeColumn(b *column.Builder) []byte { return b.Encode(nil) }

// A candidate is a formula for some of the values.
type candidate struct {
	f    *Formula
	hits int // values that it reproduces, of samples or of all
	enc  []byte
}

// better puts the formula of more values first, then the shorter one.
func better(a, b candidate) int {
	switch {
	case a.hits != b.hits:
		return b.hits - a.hits
	case len(a.enc) != len(b.enc):
		return len(a.enc) - len(b.enc)
	}
	return bytes.Compare(a.enc, b.enc)
}

// candidates returns at most n formulas that reproduce many values, the best first. They come from
// the most frequent values and differences, and from what fits a few values: neighbours,
// distant ones, and those that are ranks.
func candidates(ctx *Context, rs, vals []int64, n int) []*Formula {
	sr, sv := spread(rs, vals, packSamples, 0)
	var found []candidate
	add := func(f *Formula) {
		if f == nil {
			return
		}
		c := candidate{f: f, enc: f.append(nil)}
		for i, r := range sr {
			if f.at(r) == sv[i] {
				c.hits++
			}
		}
		if leastShare*c.hits >= len(sr) {
			found = append(found, c)
		}
	}
	for _, v := range frequent(sr, sv, func(r, v int64) int64 { return v }) {
		add(&Formula{A: v})
	}
	for _, v := range frequent(sr, sv, func(r, v int64) int64 { return v - r }) {
		add(&Formula{Kind: FormulaShift, A: v})
	}
	for _, v := range frequent(sr, sv, func(r, v int64) int64 { return v ^ r }) {
		add(&Formula{Kind: FormulaXor, A: v})
	}
	for _, s := range samples(ctx, rs, vals, sr, sv) {
		add(guess(ctx, s.r, s.v))
	}
	refine(ctx, rs, vals, add)
	slices.SortFunc(found, better)
	found = slices.CompactFunc(found, func(a, b candidate) bool { return bytes.Equal(a.enc, b.enc) })
	found = found[:min(len(found), maxCounted)]
	for i := range found {
		c := &found[i]
		c.hits = 0
		for k, r := range rs {
			if c.f.at(r) == vals[k] {
				c.hits++
			}
		}
	}
	slices.SortFunc(found, better)
	var fs []*Formula
	for _, c := range found[:min(n, len(found))] {
		fs = append(fs, c.f)
	}
	return fs
}

// A sample is a few ranks with their values.
type sample struct{ r, v []int64 }

// samples returns parts of the values that a formula for many may fit: neighbours,
// distant ones, and distant ones among the ranks of the communicator. The last are of the
// values sr and sv, a choice of them.
func samples(ctx *Context, rs, vals, sr, sv []int64) []sample {
	const near, places = 6, 8
	var all []sample
	// Of few values many samples are the same.
	add := func(r, v []int64) {
		if !slices.ContainsFunc(all, func(s sample) bool { return len(s.r) == len(r) && &s.r[0] == &r[0] }) {
			all = append(all, sample{r, v})
		}
	}
	for k := range places {
		i := max(0, len(rs)-near) * k / (places - 1)
		j := min(i+near, len(rs))
		add(rs[i:j], vals[i:j])
	}
	var in sample
	for i, v := range sv {
		if v >= 0 && v < ctx.ranks() {
			in.r, in.v = append(in.r, sr[i]), append(in.v, v)
		}
	}
	for k := range 4 {
		add(spread(rs, vals, 5, k+1))
		if len(in.r) > 2 && len(in.r) < len(sr) {
			add(spread(in.r, in.v, 5+4*k, k))
		}
	}
	if len(in.r) > 2 && len(in.r) < len(sr) {
		add(in.r, in.v)
	}
	return all
}

// refine calls add for formulas that fit ever more values: what fits a few is found anew with one
// more value that it does not reproduce (counterexample-guided, as in Solar-Lezama, Tancau, Bodik,
// Seshia, Saraswat: Combinatorial sketching for finite programs, ASPLOS 2006), one of several so
// that a value outside the rule does not end it.
func refine(ctx *Context, rs, vals []int64, add func(*Formula)) {
	const rounds = 8
	r, v := spread(rs, vals, 8, 0)
	s := sample{slices.Clone(r), slices.Clone(v)}
	f := guess(ctx, s.r, s.v)
	var wrong []int
	for range rounds {
		if f == nil {
			return
		}
		add(f)
		wrong = wrong[:0]
		for i, r := range rs {
			if f.at(r) != vals[i] {
				wrong = append(wrong, i)
			}
		}
		f = nil
		for k := 0; k <= 4 && f == nil && len(wrong) > 0; k++ {
			i := wrong[(len(wrong)-1)*k/4]
			t := s.with(rs[i], vals[i])
			if f = guess(ctx, t.r, t.v); f != nil {
				s = t
			}
		}
	}
}

// with returns the sample with one more rank in its place.
func (s sample) with(r, v int64) sample {
	i, _ := slices.BinarySearch(s.r, r)
	return sample{slices.Insert(slices.Clone(s.r), i, r), slices.Insert(slices.Clone(s.v), i, v)}
}

// spread returns up to n of the ranks at regular distances, with their values.
// Other turns give other ones.
func spread(rs, vals []int64, n, turn int) (r, v []int64) {
	if len(rs) <= n {
		return rs, vals
	}
	for k := range n {
		i := (len(rs)*k + len(rs)*turn/5) / n
		i = min(i, len(rs)-1)
		r, v = append(r, rs[i]), append(v, vals[i])
	}
	return r, v
}

// frequent returns the two most frequent numbers that f makes of ranks and values, the least first
// among equally frequent ones.
func frequent(rs, vals []int64, f func(r, v int64) int64) []int64 {
	xs := make([]int64, len(rs))
	for i, r := range rs {
		xs[i] = f(r, vals[i])
	}
	slices.Sort(xs)
	var top [2]struct {
		x int64
		n int
	}
	for i := 0; i < len(xs); {
		j := i
		for j < len(xs) && xs[j] == xs[i] {
			j++
		}
		switch n := j - i; {
		case n > top[0].n:
			top[1] = top[0]
			top[0].x, top[0].n = xs[i], n
		case n > top[1].n:
			top[1].x, top[1].n = xs[i], n
		}
		i = j
	}
	var out []int64
	for _, t := range top {
		if t.n > 0 {
			out = append(out, t.x)
		}
	}
	return out
}
