package grammar

import (
	"fmt"
	"math/rand"
	"testing"
)

// BenchmarkLoop appends the iterations of one loop, whose body has n distinct terminals.
func BenchmarkLoop(b *testing.B) {
	for _, n := range []int{1, 2, 10, 100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := NewBuilder()
			for i := range 3 * n {
				g.Append(uint32(i % n))
			}
			b.ReportAllocs()
			for i, t := 0, 0; i < b.N; i++ {
				g.Append(uint32(t))
				if t++; t == n {
					t = 0
				}
			}
		})
	}
}

// BenchmarkLearnLoop appends only the first iterations of a loop, in which the rule is found.
func BenchmarkLearnLoop(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := NewBuilder()
			for i, t := 0, 0; i < b.N; i++ {
				if i%(2*n) == 0 {
					g = NewBuilder()
				}
				g.Append(uint32(t))
				if t++; t == n {
					t = 0
				}
			}
		})
	}
}

// BenchmarkNest appends a loop nest with an inner loop of 50 calls.
func BenchmarkNest(b *testing.B) {
	var in []uint32
	for i := range 10 {
		in = append(in, uint32(i))
		for range 5 {
			for j := range 10 {
				in = append(in, uint32(100+10*i+j))
			}
		}
	}
	g := NewBuilder()
	for i, k := 0, 0; i < b.N; i++ {
		g.Append(in[k])
		if k++; k == len(in) {
			k = 0
		}
	}
}

// BenchmarkIrregular appends a loop whose inner trip count is random.
func BenchmarkIrregular(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	g := NewBuilder()
	b.ReportAllocs()
	for i := 0; i < b.N; {
		for range 1 + rng.Intn(20) {
			for j := range 8 {
				g.Append(uint32(j))
				i++
			}
		}
		for j := range 8 {
			g.Append(uint32(8 + j))
			i++
		}
	}
	b.ReportMetric(float64(g.MemoryBytes())/float64(g.Len()), "B/terminal")
}

// BenchmarkRandom appends random terminals from alphabets of several sizes. Run it
// with -benchtime=10000000x to see large grammars.
func BenchmarkRandom(b *testing.B) {
	for _, k := range []int{2, 16, 1000, 1_000_000} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			rng := rand.New(rand.NewSource(1))
			in := make([]uint32, b.N)
			for i := range in {
				in[i] = uint32(rng.Intn(k))
			}
			g := NewBuilder()
			b.ReportAllocs()
			b.ResetTimer()
			for _, t := range in {
				g.Append(t)
			}
			b.ReportMetric(float64(g.MemoryBytes())/float64(b.N), "B/terminal")
		})
	}
}

func BenchmarkCursor(b *testing.B) {
	g := NewBuilder()
	for range 1000 {
		for i := range 50 {
			g.Append(uint32(i))
		}
	}
	c := g.Grammar().NewCursor()
	for range b.N {
		if _, ok := c.Next(); !ok {
			c.Seek(0)
		}
	}
}
