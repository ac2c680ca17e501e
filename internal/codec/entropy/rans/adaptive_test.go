package rans

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// A series is numbers with contexts and groups.
type series struct {
	name     string
	numbers  []uint64
	contexts []uint16
	parents  []uint16
}

func allSeries() []series {
	r := rand.New(rand.NewPCG(1, 2))
	var all []series
	add := func(name string, n, contexts int, f func(i int, context uint16) uint64) {
		s := series{name: name}
		for x := range contexts {
			s.parents = append(s.parents, uint16(x/3))
		}
		for i := range n {
			x := uint16(r.IntN(contexts))
			s.contexts = append(s.contexts, x)
			s.numbers = append(s.numbers, f(i, x))
		}
		all = append(all, s)
	}
	normal := func(median, sigma float64) uint64 { return uint64(median * math.Exp(sigma*r.NormFloat64())) }
	add("none", 0, 1, nil)
	for _, n := range []int{1, 2, 3, 15, 16, 17, 100} {
		add(fmt.Sprint(n), n, 1, func(int, uint16) uint64 { return normal(1000, 1) })
		add(fmt.Sprint(n, " in 9 contexts"), n, 9, func(int, uint16) uint64 { return normal(1000, 1) })
	}
	add("constant", 3000, 3, func(int, uint16) uint64 { return 123456 })
	add("zeros", 3000, 3, func(int, uint16) uint64 { return 0 })
	add("calls", 20_000, 20, func(_ int, x uint16) uint64 { return normal(100*float64(x+1), 0.3) })
	add("heavy tail", 20_000, 5, func(int, uint16) uint64 { return normal(300, 3) })
	add("all sizes", 5000, 4, func(int, uint16) uint64 { return r.Uint64() >> r.UintN(64) })
	add("all classes once", 512, 1, func(i int, _ uint16) uint64 { v, _ := base(uint32(i*55) + 3); return v })
	add("greatest", 100, 2, func(i int, _ uint16) uint64 { return math.MaxUint64 - uint64(i%3) })
	add("many contexts", 20_000, 5000, func(_ int, x uint16) uint64 { return normal(float64(x+1), 0.1) })
	add("two values", 20_000, 2, func(i int, _ uint16) uint64 { return []uint64{7, 1 << 40}[r.IntN(2)] })
	return all
}

func TestRoundTrip(t *testing.T) {
	var c, other Coder
	for _, s := range allSeries() {
		t.Run(s.name, func(t *testing.T) { check(t, &c, &other, &s) })
	}
}

// check encodes with one coder, which has a past, and decodes with another.
func check(t *testing.T, c, other *Coder, s *series) {
	code := c.Append(nil, s.numbers, s.contexts, s.parents)
	if again := new(Coder).Append([]byte("x"), s.numbers, s.contexts, s.parents); !bytes.Equal(again[1:], code) {
		t.Fatal("a new coder encodes differently")
	}
	got := make([]uint64, len(s.numbers))
	rest, err := other.Decode(append(slices.Clone(code), "rest"...), got, s.contexts, s.parents)
	if err != nil || string(rest) != "rest" {
		t.Fatalf("%v, rest %q", err, rest)
	}
	if !slices.Equal(got, s.numbers) {
		i := 0
		for got[i] == s.numbers[i] {
			i++
		}
		t.Fatalf("number %d: %d became %d", i, s.numbers[i], got[i])
	}
	for _, n := range []int{0, 1, len(code) / 2, len(code) - 1} {
		if _, err := other.Decode(code[:n], got, s.contexts, s.parents); err == nil {
			t.Fatalf("decodes from %d of %d bytes", n, len(code))
		}
	}
}

// TestSize holds the code of numbers from a known distribution against their information.
func TestSize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{300, 3000, 30_000} {
		var numbers []uint64
		var information float64
		const p = 0.05
		for range n {
			v := uint64(math.Log(1-r.Float64()) / math.Log(1-p))
			numbers = append(numbers, v)
			information -= math.Log2(p) + float64(v)*math.Log2(1-p)
		}
		code := new(Coder).Append(nil, numbers, make([]uint16, n), make([]uint16, 1))
		over := float64(8*len(code))/information - 1
		if limit := 0.01 + 12/math.Sqrt(float64(n))/10 + 30/float64(n); over > limit {
			t.Errorf("%d numbers: %.3f of their information too much; at most %.3f", n, over, limit)
		}
	}
	// What is always the same costs next to nothing.
	if n := len(new(Coder).Append(nil, make([]uint64, 100_000), make([]uint16, 100_000), make([]uint16, 1))); n > 800 {
		t.Errorf("100,000 zeros take %d bytes", n)
	}
}

func TestClasses(t *testing.T) {
	next := uint64(0)
	for class := uint32(0); ; class++ {
		v, low := base(class)
		if v != next {
			t.Fatalf("class %d begins at %d, not %d", class, v, next)
		}
		for _, v := range []uint64{v, v + 1<<low - 1} {
			if c, l := classOf(v); c != class || l != low {
				t.Fatalf("%d is of class %d with %d low bits, not %d with %d", v, c, l, class, low)
			}
		}
		if next = v + 1<<low; next == 0 {
			if class >= classes {
				t.Fatalf("%d classes", class+1)
			}
			return
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{50, 1, 2, 51, 3, 4, 63, 9, 9, 0, 255, 255})
	f.Fuzz(func(t *testing.T, in []byte) {
		s := series{parents: []uint16{0, 0, 1, 2}}
		for len(in) >= 3 && len(s.numbers) < 20_000 {
			s.numbers = append(s.numbers, (1<<63|uint64(in[1])<<52|uint64(in[2])<<40)>>(in[0]%64))
			s.contexts = append(s.contexts, uint16(in[0]>>6))
			in = in[3:]
		}
		check(t, new(Coder), new(Coder), &s)
	})
}

func FuzzDecode(f *testing.F) {
	for _, s := range allSeries() {
		if len(s.numbers) <= 100 {
			f.Add(uint8(len(s.numbers)), new(Coder).Append(nil, s.numbers, make([]uint16, len(s.numbers)),
				[]uint16{0, 0}))
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, in []byte) {
		contexts := make([]uint16, n)
		for i := range contexts {
			contexts[i] = uint16(i & 1)
		}
		var broken *byteio.Error
		if _, err := new(Coder).Decode(in, make([]uint64, n), contexts, []uint16{0, 0}); err != nil &&
			!errors.As(err, &broken) {
			t.Fatalf("not the error of broken numbers: %v", err)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	s := allSeries()[17]
	var c Coder
	var dst []byte
	for b.Loop() {
		dst = c.Append(dst[:0], s.numbers, s.contexts, s.parents)
	}
	perNumber(b, len(s.numbers))
}

func BenchmarkDecode(b *testing.B) {
	s := allSeries()[17]
	var c Coder
	code := c.Append(nil, s.numbers, s.contexts, s.parents)
	got := make([]uint64, len(s.numbers))
	for b.Loop() {
		if _, err := c.Decode(code, got, s.contexts, s.parents); err != nil {
			b.Fatal(err)
		}
	}
	perNumber(b, len(s.numbers))
}

func perNumber(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/number")
}
