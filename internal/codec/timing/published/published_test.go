package published

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// series are values with classes, of all kinds that matter.
type series struct {
	name    string
	values  []uint64
	classes []uint32
}

func allSeries() []series {
	r := rand.New(rand.NewPCG(1, 2))
	var all []series
	add := func(name string, n, classes int, f func(i int, class uint32) uint64) {
		s := series{name: name}
		for i := range n {
			class := uint32(r.IntN(classes) * 7)
			s.classes = append(s.classes, class)
			s.values = append(s.values, f(i, class))
		}
		all = append(all, s)
	}
	lognormal := func(median, sigma float64) uint64 { return uint64(median * math.Exp(sigma*r.NormFloat64())) }
	add("none", 0, 1, nil)
	for n := 1; n <= 9; n++ {
		add(fmt.Sprint(n, " values"), n, 2, func(int, uint32) uint64 { return lognormal(1000, 1) })
	}
	add("constant", 500, 3, func(int, uint32) uint64 { return 123456 })
	add("zeros", 500, 3, func(int, uint32) uint64 { return 0 })
	add("calls", 3000, 20, func(_ int, c uint32) uint64 { return lognormal(100*float64(c+1), 0.3) })
	add("heavy tail", 3000, 5, func(int, uint32) uint64 { return lognormal(300, 3) })
	add("some zeros", 3000, 4, func(i int, _ uint32) uint64 { return uint64(i%3) * lognormal(50, 1) })
	add("small", 3000, 4, func(int, uint32) uint64 { return r.Uint64N(40) })
	add("all sizes", 3000, 4, func(int, uint32) uint64 { return r.Uint64() >> r.UintN(64) })
	add("greatest", 100, 2, func(i int, _ uint32) uint64 { return math.MaxUint64 - uint64(i%3) })
	add("loop", 5000, 1, func(i int, _ uint32) uint64 { return []uint64{100, 2000, 100, 77}[i%4] })
	return all
}

func paramsOf(name string) []Params {
	if c, err := New(name, Params{Bound: 1}); err == nil && c.Absolute() {
		return []Params{{Bound: 1}, {Bound: 1000}, {Bound: 12345.6, Buffer: 700},
			{Bound: 1 << 20, Own: map[uint32]float64{7: 1, 14: 64}}}
	}
	own := map[uint32]float64{0: 0.5, 7: 0.01}
	return []Params{
		{Bound: MinRelative}, {Bound: 0.01}, {Bound: 0.1}, {Bound: 0.1, Widest: true}, {Bound: MaxRelative},
		{Bound: MaxRelative, Widest: true},
		{Bound: 0.1, Buffer: 700, K: 8}, {Bound: 0.001, Widest: true, Own: own}, {Bound: 0.1, Own: own, K: 1, M: 3},
	}
}

// TestBounds checks every value of every kind against the bound, with every method.
func TestBounds(t *testing.T) {
	for _, name := range Names() {
		for _, params := range paramsOf(name) {
			c, err := New(name, params)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range allSeries() {
				t.Run(fmt.Sprintf("%s/%g/%s", name, params.Bound, s.name), func(t *testing.T) { checkSeries(t, c, &s) })
			}
		}
	}
}

func checkSeries(t *testing.T, c *Codec, s *series) {
	code := c.Append(nil, s.values, s.classes)
	if again := c.Append([]byte("x"), s.values, s.classes); !bytes.Equal(again[1:], code) {
		t.Fatal("encodes differently the second time")
	}
	got := make([]uint64, len(s.values))
	for range 2 {
		clear(got)
		if err := c.Decode(code, got, s.classes); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range s.values {
		if !c.Within(v, got[i], s.classes[i]) {
			t.Fatalf("value %d of class %d: %d became %d", i, s.classes[i], v, got[i])
		}
		if v == 0 && !c.Absolute() && got[i] != 0 {
			t.Fatalf("value %d: 0 became %d", i, got[i])
		}
	}
	if len(code) > 64+20*len(s.values) {
		t.Errorf("%d bytes for %d values", len(code), len(s.values))
	}
	// Cut short, it must not decode.
	for _, n := range []int{0, 1, len(code) / 2, len(code) - 1} {
		if err := c.Decode(code[:n], got, s.classes); err == nil {
			t.Fatalf("decodes from %d of %d bytes", n, len(code))
		}
	}
	if err := c.Decode(append(slices.Clone(code), 0), got, s.classes); err == nil {
		t.Fatal("decodes with a byte too many")
	}
}

// TestExceptions says where the methods as such keep their bounds: elsewhere the bytes of
// exceptions would be counted as theirs.
func TestExceptions(t *testing.T) {
	for _, name := range Names() {
		for _, params := range paramsOf(name) {
			c, err := New(name, params)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range allSeries() {
				if len(s.values) == 0 || slices.Max(s.values) > 1<<53 || params.Buffer > 0 {
					continue
				}
				if code := c.Append(nil, s.values, s.classes); code[len(code)-1] != 0 {
					t.Errorf("%s, bound %g, widest %t: %s has exceptions", name, params.Bound, params.Widest, s.name)
				}
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	many := map[uint32]float64{}
	for i := range uint32(maxBounds) {
		many[i] = 0.1 + float64(i)/1000
	}
	for _, c := range []struct {
		name   string
		params Params
	}{
		{"gzip", Params{Bound: 0.1}},
		{"hist", Params{}},
		{"hist", Params{Bound: math.NaN()}},
		{"hist", Params{Bound: 1.5}},
		{"hist", Params{Bound: 0.1, K: 9}},
		{"hist", Params{Bound: 0.1, M: -1}},
		{"cfg", Params{Bound: 0.1, Buffer: maxBuffer + 1}},
		{"cfg", Params{Bound: 0.5, Own: many}},
		{"sz", Params{Bound: 0.1, Own: map[uint32]float64{3: 7}}},
		{"zfp", Params{Bound: 0.5}},
		{"zfp", Params{Bound: math.Inf(1)}},
	} {
		if _, err := New(c.name, c.params); err == nil {
			t.Errorf("%s, %+v: no error", c.name, c.params)
		}
	}
}
