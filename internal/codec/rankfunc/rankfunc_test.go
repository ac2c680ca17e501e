package rankfunc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// A pattern is a function of the rank that programs have; ok tells which ranks are in the class.
type pattern struct {
	name  string
	ctx   *Context
	value func(r int) int64
	ok    func(r int) bool
	bytes int // the encoding takes at most so many
}

// near is a grid's neighbour, none beyond a border.
func near(dims, shift []int, periodic bool) func(r int) int64 {
	return func(r int) int64 {
		v, scale := 0, 1
		for i := len(dims) - 1; i >= 0; i-- {
			c := r%dims[i] + shift[i]
			r /= dims[i]
			if periodic {
				c = (c + dims[i]) % dims[i]
			} else if c < 0 || c >= dims[i] {
				return -2
			}
			v += c * scale
			scale *= dims[i]
		}
		return int64(v)
	}
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// coordinates returns the place of r in the grid.
func coordinates(dims []int, r int) []int {
	c := make([]int, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		c[i] = r % dims[i]
		r /= dims[i]
	}
	return c
}

// borders returns along how many dimensions r is at a border.
func borders(dims []int, r int) int {
	n := 0
	for i, x := range coordinates(dims, r) {
		if x == 0 || x == dims[i]-1 {
			n++
		}
	}
	return n
}

// grids are the shapes to try, up to 1,048,576 ranks in long tests.
func grids() [][]int {
	g := [][]int{{9}, {36}, {1000}, {3, 3}, {6, 6}, {4, 9}, {32, 32}, {40, 25}, {3, 3, 3}, {4, 4, 4}, {6, 5, 4},
		{16, 16, 16}}
	if !testing.Short() {
		g = append(g, []int{1 << 20}, []int{1024, 1024}, []int{128, 128, 64})
	}
	return g
}

// shifts are all neighbours with coordinates -1 to 1.
func shifts(k int) [][]int {
	all := [][]int{{}}
	for range k {
		var next [][]int
		for _, s := range all {
			for d := -1; d <= 1; d++ {
				next = append(next, append(slices.Clone(s), d))
			}
		}
		all = next
	}
	return slices.DeleteFunc(all, func(s []int) bool {
		return !slices.ContainsFunc(s, func(d int) bool { return d != 0 })
	})
}

// stencils are the neighbours in grids.
func stencils() []pattern {
	var all []pattern
	for _, dims := range grids() {
		ctx := &Context{Size: product(dims)}
		for _, shift := range shifts(len(dims)) {
			if product(dims) > 1<<16 && slices.Contains(shift, -1) {
				continue // enough of them
			}
			for _, periodic := range []bool{true, false} {
				all = append(all, pattern{
					name: fmt.Sprint(dims, shift, periodic), ctx: ctx,
					value: near(dims, shift, periodic), bytes: 5 + 4*len(dims),
				})
			}
		}
	}
	return all
}

func constantOf(v int64) func(int) int64 { return func(int) int64 { return v } }

// others are patterns besides stencils, for communicators of p ranks.
func others(p int) []pattern {
	ctx := &Context{Size: p}
	n := int64(p)
	q := 1 // of a grid p = q*w
	for d := 1; d*d <= p; d++ {
		if p%d == 0 {
			q = d
		}
	}
	w := p / q
	rankOr := func(v int64) int64 {
		if v < 0 || v >= n {
			return -2
		}
		return v
	}
	list := []pattern{
		{name: "constant", value: constantOf(1 << 40), bytes: 8},
		{name: "hub", value: func(r int) int64 { return int64(min(r, 1)) - 1 }, bytes: 12},
		{name: "transpose", value: func(r int) int64 { return int64(r%q*w + r/q) }, bytes: 12},
		{name: "affine", value: func(r int) int64 { return -3*int64(r) + 1<<40 }, bytes: 12},
		{name: "reverse", value: func(r int) int64 { return n - 1 - int64(r) }, bytes: 8},
		{name: "row", value: func(r int) int64 { return int64(r / w) }, bytes: 8},
		{name: "column", value: func(r int) int64 { return int64(r % w) }, bytes: 8},
		{name: "node of 7", value: func(r int) int64 { return int64(r / 7) }, bytes: 8},
		{name: "place in node of 7", value: func(r int) int64 { return int64(r % 7) }, bytes: 8},
		{name: "leader of node of 7", value: func(r int) int64 { return int64(r - r%7) }, bytes: 8},
		{name: "xor", value: func(r int) int64 { return int64(r ^ 4) }, bytes: 8},
		{name: "partner", value: func(r int) int64 { return rankOr(int64(r ^ 1)) }, bytes: 8},
		{name: "parent", value: func(r int) int64 {
			if r == 0 {
				return -2
			}
			return int64(r-1) / 2
		}, bytes: 8},
		{name: "left child", value: func(r int) int64 { return rankOr(2*int64(r) + 1) }, bytes: 12},
		{name: "right child", value: func(r int) int64 { return rankOr(2*int64(r) + 2) }, bytes: 12},
		{name: "binomial parent", value: func(r int) int64 {
			if r == 0 {
				return -2
			}
			return int64(r & (r - 1))
		}, bytes: 8},
		{name: "binomial child", value: func(r int) int64 {
			if r&3 == 0 {
				return rankOr(int64(r + 2))
			}
			return -2
		}, bytes: 8},
		{name: "doubling child", value: func(r int) int64 {
			if r < 4 {
				return rankOr(int64(r + 4))
			}
			return -2
		}, bytes: 8},
		{name: "at least", value: func(r int) int64 { return max(int64(r)-3, 0) }, bytes: 8},
		{name: "at most", value: func(r int) int64 { return min(int64(r)+3, n-1) }, bytes: 8},
		{name: "between", value: func(r int) int64 { return min(max(int64(r)-2, 0), n-5) }, bytes: 12},
		{name: "multiple", value: func(r int) int64 { return (3*int64(r) + 2) % n }, bytes: 10},
		{name: "even ranks", value: func(r int) int64 { return int64(r / 2) },
			ok: func(r int) bool { return r%2 == 0 }, bytes: 8},
		{name: "root differs", value: func(r int) int64 {
			if r == 0 {
				return 77
			}
			return int64(r) + 5
		}, bytes: 14},
		{name: "pieces", value: func(r int) int64 {
			if r%6 == 0 {
				return 5
			}
			return int64(r) - 1
		}, bytes: 20},
	}
	for i := range list {
		list[i].name = fmt.Sprintf("%s of %d", list[i].name, p)
		list[i].ctx = ctx
	}
	return list
}

// counts are patterns of numbers of neighbours, which differ at faces, edges and corners.
func counts() []pattern {
	var all []pattern
	for _, dims := range grids() {
		k := len(dims)
		all = append(all, pattern{
			name: fmt.Sprint("neighbours in ", dims), ctx: &Context{Size: product(dims)},
			value: func(r int) int64 { return int64(2*k - borders(dims, r)) },
			bytes: []int{0, 14, 40, 140}[k],
		})
	}
	return all
}

func patterns() []pattern {
	all := append(stencils(), counts()...)
	for _, p := range []int{9, 16, 36, 100, 1000, 4096} {
		all = append(all, others(p)...)
	}
	if !testing.Short() {
		all = append(all, others(1<<20)...)
	}
	return all
}

// data returns the ranks and values of a pattern.
func (p pattern) data() (*Set, []int64) {
	var rs []int
	var vals []int64
	for r := range p.ctx.Size {
		if p.ok == nil || p.ok(r) {
			rs = append(rs, r)
			vals = append(vals, p.value(r))
		}
	}
	return NewSet(rs), vals
}

// TestSize checks that regular functions take no more bytes than stated, for any
// number of ranks, and come back.
func TestSize(t *testing.T) {
	for _, p := range patterns() {
		ranks, vals := p.data()
		f := Fit(p.ctx, ranks, vals)
		b := f.Append(nil)
		if len(b) > p.bytes {
			t.Errorf("%s: %d bytes, want at most %d: %v", p.name, len(b), p.bytes, f)
		}
		checkFunc(t, p.name, p.ctx, f, b, ranks, vals)
	}
}

// checkFunc checks that f and what is parsed from its encoding have the values.
func checkFunc(t *testing.T, name string, ctx *Context, f *Func, b []byte, ranks *Set, vals []int64) {
	t.Helper()
	g, rest, err := Parse(append(slices.Clone(b), 99), ctx, ranks)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(rest) != 1 {
		t.Fatalf("%s: %d bytes left", name, len(rest)-1)
	}
	for _, h := range []*Func{f, g} {
		i := 0
		for r, v := range h.Values(ranks) {
			if v != vals[i] {
				t.Fatalf("%s: rank %d has %d, want %d", name, r, v, vals[i])
			}
			i++
		}
		if i != len(vals) {
			t.Fatalf("%s: %d values, want %d", name, i, len(vals))
		}
		for k := range min(20, len(vals)) {
			i := k * (len(vals) - 1) / 19
			if v := h.At(ranks.At(i)); v != vals[i] {
				t.Fatalf("%s: At(%d) = %d, want %d", name, ranks.At(i), v, vals[i])
			}
		}
	}
	if !bytes.Equal(g.Append(nil), b) {
		t.Fatalf("%s: not the same when written again", name)
	}
}

// TestMerge checks that merging in any order gives what Fit gives, byte for byte.
func TestMerge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range patterns() {
		if p.ctx.Size > 4096 {
			continue
		}
		ranks, vals := p.data()
		checkMerge(t, rng, p.name, p.ctx, ranks, vals)
	}
}

// TestMergeCost merges so many ranks that looking at each would take long.
func TestMergeCost(t *testing.T) {
	const half = 1 << 29
	ctx := &Context{Size: 2 * half}
	low, high := Range(0, half), Range(half, 2*half)
	for _, enc := range [][]byte{{byte(FormulaRing), 2}, {byte(FormulaOne), 2, 4, 0},
		{byte(FormulaGrid), 5, 6, 128, 128, 1, 6}} {
		a, _, err := Parse(enc, ctx, low)
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := Parse(enc, ctx, high)
		if err != nil {
			t.Fatal(err)
		}
		began := cputime.Used()
		for range 1000 {
			a = Merge(ctx, a, low, b, high)
			low.Union(high)
		}
		if d := cputime.Since(began); d > time.Second {
			t.Errorf("%v: 1000 merges took %v", a, d)
		}
		if !bytes.Equal(a.Append(nil), enc) {
			t.Errorf("merged to %v", a)
		}
	}
}

type part struct {
	ranks *Set
	f     *Func
}

func checkMerge(t *testing.T, rng *rand.Rand, name string, ctx *Context, ranks *Set, vals []int64) {
	t.Helper()
	want := Fit(ctx, ranks, vals).Append(nil)
	for mode := range 4 {
		checkMergeIn(t, rng, name, ctx, ranks, vals, want, mode)
	}
}

// checkMergeIn does so in one of four ways; want is what Fit gives.
func checkMergeIn(t *testing.T, rng *rand.Rand, name string, ctx *Context, ranks *Set, vals []int64, want []byte,
	mode int) {
	t.Helper()
	parts := split(rng, ctx, ranks, vals, mode)
	for len(parts) > 1 {
		i := rng.IntN(len(parts) - 1)
		if mode == 0 {
			i = 0 // from the left
		}
		a, b := parts[i], parts[i+1]
		if mode > 0 && rng.IntN(4) == 0 { // over the file
			var err error
			if a.f, _, err = Parse(a.f.Append(nil), ctx, a.ranks); err != nil {
				t.Fatal(name, err)
			}
			if a.ranks, _, err = ParseSet(a.ranks.Append(nil), ctx.Size); err != nil {
				t.Fatal(name, err)
			}
		}
		parts[i] = part{a.ranks.Union(b.ranks), Merge(ctx, a.f, a.ranks, b.f, b.ranks)}
		parts = slices.Delete(parts, i+1, i+2)
	}
	if !parts[0].ranks.Equal(ranks) {
		t.Fatalf("%s: merged set %v, want %v", name, parts[0].ranks, ranks)
	}
	if got := parts[0].f.Append(nil); !bytes.Equal(got, want) {
		t.Fatalf("%s, mode %d: merged to %v, want %v", name, mode, parts[0].f, Fit(ctx, ranks, vals))
	}
}

// split cuts the function into parts: single ranks, intervals, or random sets.
func split(rng *rand.Rand, ctx *Context, ranks *Set, vals []int64, mode int) []part {
	n := min(ranks.Len(), 2+rng.IntN(40))
	rs := make([][]int, n)
	vs := make([][]int64, n)
	i := 0
	for r := range ranks.All() {
		k := i * n / ranks.Len()
		if mode == 3 {
			k = rng.IntN(n)
		}
		rs[k], vs[k] = append(rs[k], r), append(vs[k], vals[i])
		i++
	}
	var parts []part
	for k := range rs {
		s := NewSet(rs[k])
		parts = append(parts, part{s, Fit(ctx, s, vs[k])})
	}
	if mode >= 2 {
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	return parts
}

// TestEncoding pins the encoding and the text of formulas, here of 100 ranks.
func TestEncoding(t *testing.T) {
	want := map[string][2]string{
		"constant":            {"00808080808040", "1099511627776"},
		"hub":                 {"06000100", "-1 for 0, else 0"},
		"transpose":           {"0a0214000a", "transpose 10x10"},
		"affine":              {"0505808080808040", "-3*rank+1099511627776"},
		"reverse":             {"0501c601", "-rank+99"},
		"row":                 {"070a", "rank div 10"},
		"column":              {"08000a", "rank mod 10"},
		"node of 7":           {"0707", "rank div 7"},
		"place in node of 7":  {"080007", "rank mod 7"},
		"leader of node of 7": {"0907", "rank - rank mod 7"},
		"xor":                 {"0408", "rank xor 4"},
		"partner":             {"0402", "rank xor 1"},
		"parent":              {"0d0302", "(rank-1) div 2, -2 for rank 0"},
		"left child":          {"0e040302", "2*rank+1, -2 if no rank"},
		"right child":         {"0e040304", "2*rank+2, -2 if no rank"},
		"binomial parent":     {"0f03", "rank less its lowest bit, -2 for rank 0"},
		"binomial child":      {"110203", "rank+2 below its lowest bit, -2 if no rank"},
		"doubling child":      {"120403", "rank+4 above its highest bit, -2 if no rank"},
		"at least":            {"140500", "max(rank-3, 0)"},
		"at most":             {"1506c601", "min(rank+3, 99)"},
		"between":             {"160300be01", "min(max(rank-2, 0), 95)"},
		"multiple":            {"170604", "(3*rank+2) mod 100"},
		"even ranks":          {"0702", "rank div 2"},
		"root differs":        {"4025020004009a01", "77 for 0, else rank+5"},
		"pieces":              {"403c02004504000a", "5 for 0-96:6, else rank-1"},
		"torus":               {"0b230912", "grid 10x10 (-3,+4) periodic"},
		"grid":                {"0b23040303", "grid 10x10 (+1,-1), -2 beyond the border"},
		"cylinder":            {"0b23060403", "grid 10x10 (+1,+1) periodic (yes,no), -2 beyond the border"},
		"axes":                {"1804050a", "grid 2x5x10 with axes (2,1,0)"},
	}
	list := append(others(100),
		pattern{name: "torus of 100", value: near([]int{10, 10}, []int{-3, 4}, true)},
		pattern{name: "grid of 100", value: near([]int{10, 10}, []int{1, -1}, false)},
		pattern{name: "axes of 100", value: func(r int) int64 { return int64(r%10*10 + r/10%5*2 + r/50) }},
		pattern{name: "cylinder of 100", value: func(r int) int64 {
			if r%10 == 9 {
				return -2
			}
			return int64((r + 11) % 100)
		}})
	for _, p := range list {
		p.ctx = &Context{Size: 100}
		ranks, vals := p.data()
		f := Fit(p.ctx, ranks, vals)
		name := strings.TrimSuffix(p.name, " of 100")
		if got := [2]string{fmt.Sprintf("%x", f.Append(nil)), f.String()}; got != want[name] {
			t.Errorf("%q: {%q, %q},", name, got[0], got[1])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not tried: %v", want)
	}
}
