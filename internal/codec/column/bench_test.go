package column

import (
	"math"
	"math/rand"
	"testing"
)

var benchStreams = []struct {
	name string
	gen  func(rng *rand.Rand) func(i int) int64
}{
	{"constant", func(*rand.Rand) func(int) int64 { return func(int) int64 { return 8 } }},
	{"affine", func(*rand.Rand) func(int) int64 { return func(i int) int64 { return int64(8 * i) } }},
	{"period7", func(*rand.Rand) func(int) int64 { return func(i int) int64 { return int64(i % 7 * i % 7) } }},
	{"ranks8", func(r *rand.Rand) func(int) int64 { return func(int) int64 { return int64(r.Intn(8)) } }},
	{"polls", func(r *rand.Rand) func(int) int64 {
		return func(int) int64 { return int64(math.Exp(2 + r.NormFloat64())) }
	}},
	{"rare", func(r *rand.Rand) func(int) int64 { return func(int) int64 { return int64(r.Intn(50) / 49) } }},
	{"sizes500", func(r *rand.Rand) func(int) int64 { return func(int) int64 { return int64(r.Intn(500)) * 7919 } }},
	{"random16", func(r *rand.Rand) func(int) int64 { return func(int) int64 { return int64(r.Intn(1 << 16)) } }},
	{"random63", func(r *rand.Rand) func(int) int64 { return func(int) int64 { return r.Int63() } }},
	{"lognormal", func(r *rand.Rand) func(int) int64 {
		return func(int) int64 { return int64(math.Exp(8 + 2*r.NormFloat64())) }
	}},
	{"rising", func(r *rand.Rand) func(int) int64 {
		return func(i int) int64 { return int64(i*1000 + r.Intn(1000)) }
	}},
}

func benchValues(gen func(*rand.Rand) func(int) int64) []int64 {
	g := gen(rand.New(rand.NewSource(1)))
	vals := make([]int64, 1<<16)
	for i := range vals {
		vals[i] = g(i)
	}
	return vals
}

func BenchmarkAppend(b *testing.B) {
	for _, s := range benchStreams {
		vals := benchValues(s.gen)
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			c := NewBuilder()
			for i := range b.N {
				if i%len(vals) == 0 {
					c = NewBuilder()
				}
				c.Append(vals[i%len(vals)])
			}
			b.ReportMetric(float64(len(build(vals).Encode(nil)))/float64(len(vals)), "B/value")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, s := range benchStreams {
		vals := benchValues(s.gen)
		b.Run(s.name, func(b *testing.B) {
			r, err := Open(build(vals).Encode(nil))
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]int64, 1024)
			for i := 0; i < b.N; i += len(dst) {
				r.Read(uint64(i%len(vals)), dst)
			}
		})
	}
}
