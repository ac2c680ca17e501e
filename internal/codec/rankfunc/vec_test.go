package rankfunc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// An arrayPattern gives arrays to ranks.
type arrayPattern struct {
	name  string
	size  int
	array func(r int) []int64
	bytes int // the encoding takes at most so many
}

// made returns an array of n elements.
func made(n int, f func(i int) int64) []int64 {
	a := make([]int64, n)
	for i := range a {
		a[i] = f(i)
	}
	return a
}

func arrayPatterns() []arrayPattern {
	var all []arrayPattern
	for _, dims := range [][]int{{3, 3}, {6, 6}, {30, 20}} {
		n := product(dims)
		p := func(name string, bytes int, f func(r int) []int64) {
			all = append(all, arrayPattern{name, n, f, bytes})
		}
		p("same", 12, func(r int) []int64 { return []int64{3, 1, 4, 1, 5} })
		p("empty", 4, func(r int) []int64 { return nil })
		p("coordinates", 20, func(r int) []int64 {
			c := coordinates(dims, r)
			return []int64{int64(c[0]), int64(c[1])}
		})
		p("all ranks from one's own", 12, func(r int) []int64 {
			return made(n, func(i int) int64 { return int64((r + i) % n) })
		})
		p("ring", 12, func(r int) []int64 { return []int64{int64((r + n - 1) % n), int64((r + 1) % n)} })
		p("xor", 12, func(r int) []int64 { return []int64{int64(r ^ 1), int64(r ^ 2), int64(r ^ 4)} })
		p("base and rank", 24, func(r int) []int64 { return made(10, func(i int) int64 { return int64(8*i*i + 5*r) }) })
		p("counts to the next two", 24, func(r int) []int64 {
			return made(n, func(i int) int64 { return int64(max(0, 3-(i-r+n)%n)) })
		})
		p("turned", 32, func(r int) []int64 { return made(7, func(i int) int64 { return int64((i + r) % 7 * 11) }) })
		p("nothing to oneself", 16, func(r int) []int64 {
			a := made(n, func(i int) int64 { return 64 })
			a[r] = 0
			return a
		})
		p("neighbours", 40, func(r int) []int64 {
			var a []int64
			for _, s := range [][]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				a = append(a, near(dims, s, false)(r))
			}
			return a
		})
		p("existing neighbours", 4*n, func(r int) []int64 {
			var a []int64
			for _, s := range [][]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				if v := near(dims, s, false)(r); v >= 0 {
					a = append(a, v)
				}
			}
			return a
		})
		p("longer and longer", 60, func(r int) []int64 { return made(r%5, func(i int) int64 { return int64(i + r) }) })
		p("random", 6*n+10, func(r int) []int64 {
			rng := rand.New(rand.NewPCG(1, uint64(r)))
			return made(4, func(i int) int64 { return rng.Int64N(1000) })
		})
		p("random lengths", 12*n, func(r int) []int64 {
			rng := rand.New(rand.NewPCG(2, uint64(r)))
			return made(rng.IntN(9), func(i int) int64 { return rng.Int64N(1000) })
		})
	}
	return all
}

func (p arrayPattern) data(ranks *Set) (arrays [][]int64) {
	for r := range ranks.All() {
		arrays = append(arrays, p.array(r))
	}
	return arrays
}

// TestVec checks exactness, size, and that merging in any order gives the same bytes.
func TestVec(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, p := range arrayPatterns() {
		ctx := &Context{Size: p.size}
		ranks := Range(0, p.size)
		v := FitVec(ctx, ranks, p.data(ranks))
		want := v.Append(nil)
		if len(want) > p.bytes {
			t.Errorf("%s, %d ranks: %d bytes, want at most %d: %v", p.name, p.size, len(want), p.bytes, v)
		}
		checkVec(t, p, ctx, v, want, ranks)
		for mode := range 4 {
			w := mergeVecs(t, rng, p, ctx, ranks, mode)
			if got := w.Append(nil); !bytes.Equal(got, want) {
				t.Fatalf("%s, %d ranks, mode %d: merged to %v, want %v", p.name, p.size, mode, w, v)
			}
		}
	}
}

func checkVec(t *testing.T, p arrayPattern, ctx *Context, v *Vec, b []byte, ranks *Set) {
	t.Helper()
	w, rest, err := ParseVec(append(slices.Clone(b), 1), ctx, ranks)
	if err != nil || len(rest) != 1 {
		t.Fatalf("%s: %v, %d bytes left", p.name, err, len(rest))
	}
	for _, v := range []*Vec{v, w} {
		n := 0
		for r, a := range v.Values(ranks) {
			if want := p.array(r); !slices.Equal(a, want) || v.Len(r) != len(want) {
				t.Fatalf("%s, %d ranks: rank %d has %v (length %d), want %v", p.name, p.size, r, a, v.Len(r), want)
			}
			n++
		}
		if n != ranks.Len() {
			t.Fatalf("%s: %d arrays, want %d", p.name, n, ranks.Len())
		}
	}
	if !bytes.Equal(w.Append(nil), b) {
		t.Fatalf("%s: not the same when written again", p.name)
	}
}

// mergeVecs splits the ranks and merges the parts, some of them over the file.
func mergeVecs(t *testing.T, rng *rand.Rand, p arrayPattern, ctx *Context, ranks *Set, mode int) *Vec {
	t.Helper()
	type vecPart struct {
		ranks *Set
		v     *Vec
	}
	var parts []vecPart
	for _, q := range split(rng, ctx, ranks, make([]int64, ranks.Len()), mode) {
		parts = append(parts, vecPart{q.ranks, FitVec(ctx, q.ranks, p.data(q.ranks))})
	}
	for len(parts) > 1 {
		i := 0
		if mode > 0 {
			i = rng.IntN(len(parts) - 1)
		}
		a, b := parts[i], parts[i+1]
		if rng.IntN(3) == 0 {
			var err error
			if b.v, _, err = ParseVec(b.v.Append(nil), ctx, b.ranks); err != nil {
				t.Fatal(p.name, err)
			}
		}
		parts[i] = vecPart{a.ranks.Union(b.ranks), MergeVec(ctx, a.v, a.ranks, b.v, b.ranks)}
		parts = slices.Delete(parts, i+1, i+2)
	}
	return parts[0].v
}

// TestMergeVecIsFit checks that merging gives what fitting gives, for any form of arrays on random
// parts of a few ranks.
func TestMergeVecIsFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	runs := 20000
	if testing.Short() {
		runs = 4000
	}
	for range runs {
		ctx := &Context{Size: 1 + rng.IntN(12)}
		v := &Vec{form: form(rng.IntN(int(formElements))), n: 1 + rng.IntN(5), size: int64(ctx.Size)}
		v.base = made(v.n, func(i int) int64 { return rng.Int64N(4) })
		g := randomFormula(rng, ctx)
		v.g = &Func{f: g}
		ragged := rng.IntN(8) == 0
		var all []int
		var parts [2][]int
		var arrays [2][][]int64
		var allArrays [][]int64
		for r := range ctx.Size {
			if rng.IntN(4) == 0 {
				continue
			}
			a := v.At(r)
			if rng.IntN(100) == 0 {
				a[0]++ // spoils it
			}
			if ragged {
				a = a[:rng.IntN(len(a)+1)]
			}
			k := rng.IntN(2)
			parts[k], arrays[k] = append(parts[k], r), append(arrays[k], a)
			all, allArrays = append(all, r), append(allArrays, a)
		}
		a, b, whole := NewSet(parts[0]), NewSet(parts[1]), NewSet(all)
		want := FitVec(ctx, whole, allArrays)
		va, vb := FitVec(ctx, a, arrays[0]), FitVec(ctx, b, arrays[1])
		got := MergeVec(ctx, va, a, vb, b)
		if !bytes.Equal(got.Append(nil), want.Append(nil)) {
			t.Fatalf("%v: %v on %v and %v on %v give %v, want %v", allArrays, va, a, vb, b, got, want)
		}
		for i, r := range all {
			if !slices.Equal(got.At(r), allArrays[i]) {
				t.Fatalf("rank %d has %v, want %v: %v", r, got.At(r), allArrays[i], got)
			}
		}
	}
}
