package quantile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The quantile of a sketch is the number of that rank, within Error of it, however the numbers are
// cut into parts.
func TestQuantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var whole Sketch
		parts := make([]Sketch, 1+rng.IntN(4))
		numbers := make([]uint64, 1+rng.IntN(500))
		width := rng.IntN(65)
		for i := range numbers {
			v := rng.Uint64() >> (64 - uint(width)) >> rng.IntN(1+width)
			numbers[i] = v
			whole.Add(v)
			parts[rng.IntN(len(parts))].Add(v)
		}
		slices.Sort(numbers)
		var merged Sketch
		for i := range parts {
			merged.Merge(&parts[i])
		}
		for _, q := range []float64{0, 0.1, 0.5, 0.95, 0.99, 1} {
			want := numbers[int(q*float64(len(numbers)-1))]
			got := whole.Quantile(q)
			if math.Abs(float64(got)-float64(want)) > Error*float64(want) {
				t.Fatalf("%d numbers, quantile %g: %d, want %d", len(numbers), q, got, want)
			}
			if merged.Quantile(q) != got {
				t.Fatalf("quantile %g: %d in parts, %d in one", q, merged.Quantile(q), got)
			}
		}
		if whole.Count() != uint64(len(numbers)) || merged.Count() != whole.Count() {
			t.Fatalf("%d and %d numbers, want %d", whole.Count(), merged.Count(), len(numbers))
		}
	}
}

// Like numbers have no error, and nothing above them.
func TestAlike(t *testing.T) {
	for _, v := range []uint64{0, 1, 63, 64, 100, 1_000_003, math.MaxUint64} {
		var s Sketch
		s.AddAll(v, 1000)
		for _, q := range []float64{0, 0.5, 1} {
			if got := s.Quantile(q); got != v {
				t.Errorf("%d, a thousand times: quantile %g is %d", v, q, got)
			}
		}
		if s.Above(s.Quantile(0.1)) != 0 {
			t.Errorf("%d, a thousand times: %d above", v, s.Above(v))
		}
	}
	var none Sketch
	if none.Quantile(0.5) != 0 || none.Count() != 0 {
		t.Error("numbers out of nothing")
	}
}

// A middle that stands for other numbers may be told what these are.
func TestWiden(t *testing.T) {
	var s Sketch
	s.AddAll(993, 10)
	s.Widen(990, 1010)
	if s.Count() != 10 || s.Quantile(0) != 1000 { // 992 to 1007 is one bin
		t.Errorf("%d numbers, the least is %d", s.Count(), s.Quantile(0))
	}
}

// Every number is in its bin, bins follow one another, and coarse ones are made of whole fine ones.
func TestBins(t *testing.T) {
	next := uint64(0)
	for b := range 58<<subBits + 64 {
		from, to := span(b)
		if from != next || bin(from) != b || bin(to-1) != b {
			t.Fatalf("bin %d is %d..%d and follows %d", b, from, to, next)
		}
		next = to
	}
	var s Sketch
	for v := range uint64(5000) {
		s.Add(v)
	}
	for _, each := range []int{1, 2, 8, 32} {
		next := uint64(0)
		for _, b := range s.Bins(each) {
			if b.From != next || b.From >= uint64(2*each) && (b.To-b.From)*uint64(2*each) <= b.From {
				t.Fatalf("%d in a power of two: %v follows %d", each, b, next)
			}
			if next = b.To; next <= 5000 && b.Count != b.To-b.From {
				t.Fatalf("%d in a power of two: %v", each, b)
			}
		}
	}
}

func ExampleSketch_Bins() {
	var s Sketch
	for _, v := range []uint64{3, 100, 101, 120, 130, 1000} {
		s.Add(v)
	}
	fmt.Println("two for a power of two:", s.Bins(2))
	fmt.Println("median:", s.Quantile(0.5))
	// Output:
	// two for a power of two: [{3 4 1} {96 128 3} {128 192 1} {768 1024 1}]
	// median: 101
}

// Counts find their bins whichever way they grow.
func TestCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var c Counts
		want := map[int]uint64{}
		for range rng.IntN(40) {
			b, n := rng.IntN(300), uint64(1+rng.IntN(3))
			c.Add(b, n)
			want[b] += n
		}
		var bins []int
		rank := uint64(0)
		for b, n := range c.All() {
			if n != want[b] || c.At(rank) != b || c.At(rank+n-1) != b {
				t.Fatalf("bin %d has %d, want %d, and the number of rank %d is in bin %d", b, n, want[b], rank,
					c.At(rank))
			}
			bins = append(bins, b)
			rank += n
		}
		if len(bins) != len(want) || !slices.IsSorted(bins) {
			t.Fatalf("bins %v, want %d", bins, len(want))
		}
	}
}
