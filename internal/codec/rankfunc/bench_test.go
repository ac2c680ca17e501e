package rankfunc

import (
	"math/rand/v2"
	"testing"
)

// benchPatterns are functions of many ranks.
func benchPatterns(n int) []pattern {
	rng := rand.New(rand.NewPCG(1, 1))
	perm := rng.Perm(n)
	side := 1
	for side*side < n {
		side *= 2
	}
	ctx := &Context{Size: n}
	return []pattern{
		{name: "constant", value: constantOf(7), ctx: ctx},
		{name: "ring", value: near([]int{n}, []int{1}, true), ctx: ctx},
		{name: "torus", value: near([]int{side, n / side}, []int{1, -1}, true), ctx: ctx},
		{name: "grid3", value: near([]int{side / 8, 8, n / side}, []int{1, 0, 0}, false), ctx: ctx},
		{name: "multiple", value: func(r int) int64 { return int64((3*r + 2) % n) }, ctx: ctx},
		{name: "pieces", value: func(r int) int64 { return int64(r % 6 / 5 * r) }, ctx: ctx},
		{name: "almost", value: func(r int) int64 { return int64(r + 1 + r/(n-1)) }, ctx: ctx},
		{name: "coin", value: func(r int) int64 { return int64(perm[r] % 2) }, ctx: ctx},
		{name: "permutation", value: func(r int) int64 { return int64(perm[r]) }, ctx: ctx},
		{name: "random", value: func(r int) int64 { return rng.Int64N(1 << 40) }, ctx: ctx},
	}
}

func BenchmarkFit(b *testing.B) {
	for _, p := range benchPatterns(1 << 20) {
		ranks, vals := p.data()
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				Fit(p.ctx, ranks, vals)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, p := range benchPatterns(1 << 20) {
		ranks, vals := p.data()
		b.Run(p.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = len(Fit(p.ctx, ranks, vals).Append(nil))
			}
			b.ReportMetric(float64(n), "bytes")
		})
	}
}

// BenchmarkMergeTree merges single ranks two by two.
func BenchmarkMergeTree(b *testing.B) {
	const n = 1 << 16
	for _, p := range benchPatterns(n) {
		_, vals := p.data()
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				parts := make([]part, n)
				for r, v := range vals {
					s := Range(r, r+1)
					parts[r] = part{s, Fit(p.ctx, s, []int64{v})}
				}
				for len(parts) > 1 {
					for i := range len(parts) / 2 {
						x, y := parts[2*i], parts[2*i+1]
						parts[i] = part{x.ranks.Union(y.ranks), Merge(p.ctx, x.f, x.ranks, y.f, y.ranks)}
					}
					parts = parts[:len(parts)/2]
				}
			}
		})
	}
}

// BenchmarkMergeNext merges one rank after the other.
func BenchmarkMergeNext(b *testing.B) {
	const n = 1 << 14
	for _, p := range benchPatterns(n) {
		_, vals := p.data()
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				var all part
				for r, v := range vals {
					s := Range(r, r+1)
					f := Fit(p.ctx, s, []int64{v})
					if r > 0 {
						f = Merge(p.ctx, all.f, all.ranks, f, s)
					}
					all = part{all.ranks.Union(s), f}
				}
			}
		})
	}
}
