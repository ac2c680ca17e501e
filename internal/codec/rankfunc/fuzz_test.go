package rankfunc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/choices"
)

// FuzzParse parses anything as a set, a function and arrays. What is accepted
// must have values, the same ones after it was written again.
func FuzzParse(f *testing.F) {
	for i, p := range patterns() {
		if p.ctx.Size > 100 || i%7 != 0 {
			continue
		}
		ranks, vals := p.data()
		f.Add(Fit(p.ctx, ranks, vals).Append(ranks.Append(nil)), uint16(p.ctx.Size))
	}
	for _, p := range arrayPatterns() {
		if p.size < 100 {
			ranks := Range(0, p.size)
			f.Add(FitVec(&Context{Size: p.size}, ranks, p.data(ranks)).Append(ranks.Append(nil)), uint16(p.size))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint16) {
		ctx := &Context{Size: int(size)}
		ranks, rest, err := ParseSet(in, int(size))
		if err != nil {
			return
		}
		if ranks.Max() >= int(size) || ranks.Len() > int(size) {
			t.Fatalf("set of %d ranks up to %d", ranks.Len(), ranks.Max())
		}
		again, left, err := ParseSet(ranks.Append(nil), int(size))
		if err != nil || len(left) > 0 || !again.Equal(ranks) ||
			!slices.Equal(slices.Collect(again.All()), slices.Collect(ranks.All())) {
			t.Fatalf("set %v became %v: %v", ranks, again, err)
		}
		fuzzFunc(t, ctx, ranks, rest)
		fuzzVec(t, ctx, ranks, rest)
	})
}

// FuzzParseIn does the same with sets and functions that rely on the size of the communicator.
func FuzzParseIn(f *testing.F) {
	for _, dims := range [][]int{{6, 6}, {3, 4, 5}, {2, 9}, {36}} {
		ctx := &Context{Size: product(dims)}
		for _, mask := range []uint32{1, 0x92, 0x1ef, 0x7ffdfff} {
			shape := make([]int64, len(dims))
			for i, d := range dims {
				shape[i] = int64(d)
			}
			s := gridSet(shape, mask)
			if s.Len() == 0 {
				continue
			}
			vals := made(s.Len(), func(i int) int64 { return int64(s.At(i) + dims[len(dims)-1]) })
			f.Add(Fit(ctx, s, vals).AppendIn(s.AppendIn(nil, ctx), ctx), uint16(ctx.Size))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint16) {
		ctx := &Context{Size: int(size)}
		s, rest, err := ParseSetIn(in, ctx, int(size))
		if err != nil {
			return
		}
		if s.Max() >= int(size) || s.Len() > int(size) {
			t.Fatalf("set of %d ranks up to %d", s.Len(), s.Max())
		}
		again, left, err := ParseSetIn(s.AppendIn(nil, ctx), ctx, int(size))
		if err != nil || len(left) > 0 || !slices.Equal(slices.Collect(again.All()), slices.Collect(s.All())) {
			t.Fatalf("set %v became %v: %v", s, again, err)
		}
		if s.Len() == 0 {
			return
		}
		g, _, err := Parse(rest, ctx, s)
		if err != nil {
			return
		}
		h, left, err := Parse(g.AppendIn(nil, ctx), ctx, s)
		if err != nil || len(left) > 0 {
			t.Fatalf("%v cannot be read again: %v", g, err)
		}
		for r, v := range g.Values(s) {
			if h.At(r) != v {
				t.Fatalf("%v: rank %d has %d, read again %d", g, r, v, h.At(r))
			}
		}
		fuzzFunc(t, ctx, s, rest)
	})
}

func fuzzFunc(t *testing.T, ctx *Context, ranks *Set, in []byte) {
	g, _, err := Parse(in, ctx, ranks)
	if err != nil {
		return
	}
	_ = g.String()
	h, left, err := Parse(g.Append(nil), ctx, ranks)
	if err != nil || len(left) > 0 {
		t.Fatalf("%v cannot be read again: %v", g, err)
	}
	var vals []int64
	for r, v := range g.Values(ranks) {
		if h.At(r) != v || g.At(r) != v {
			t.Fatalf("%v: rank %d has %d, or %d, or %d", g, r, v, g.At(r), h.At(r))
		}
		vals = append(vals, v)
	}
	g.At(-1)
	g.At(MaxRank + 5)
	checkFunc(t, "fitted", ctx, Fit(ctx, ranks, vals), Fit(ctx, ranks, vals).Append(nil), ranks, vals)
}

func fuzzVec(t *testing.T, ctx *Context, ranks *Set, in []byte) {
	v, _, err := ParseVec(in, ctx, ranks)
	if err != nil || v.Len(ranks.Min())*ranks.Len() > 1<<16 {
		return
	}
	w, left, err := ParseVec(v.Append(nil), ctx, ranks)
	if err != nil || len(left) > 0 {
		t.Fatalf("%v cannot be read again: %v", v, err)
	}
	n := 0
	for r := range ranks.All() {
		if a := v.At(r); !slices.Equal(a, w.At(r)) || len(a) != v.Len(r) {
			t.Fatalf("%v: rank %d has %v, or %v", v, r, a, w.At(r))
		} else if n += len(a); n > 1<<16 {
			break
		}
	}
}

// FuzzFit gives ranks values of bytes, few different ones or many, and checks that they come back.
func FuzzFit(f *testing.F) {
	fuzzValues(f, 8, func(t *testing.T, _ *rand.Rand, ctx *Context, ranks *Set, vals []int64, _ byte) {
		g := Fit(ctx, ranks, vals)
		checkFunc(t, "fuzz", ctx, g, g.Append(nil), ranks, vals)
	})
}

// FuzzMerge checks that merging gives the same bytes. Six ranks are in parts enough: all that the form of the bytes
// depends on, FuzzFit tries.
func FuzzMerge(f *testing.F) {
	fuzzValues(f, 6, func(t *testing.T, rng *rand.Rand, ctx *Context, ranks *Set, vals []int64, mode byte) {
		if b := Fit(ctx, ranks, vals).Append(nil); len(vals) > 2 {
			checkMergeIn(t, rng, "fuzz", ctx, ranks, vals, b, int(mode>>4&3))
		} else if !bytes.Equal(Fit(ctx, ranks, slices.Clone(vals)).Append(nil), b) {
			t.Fatal("not deterministic")
		}
	})
}

// fuzzValues gives at most so many ranks values. What check chooses besides, it takes from rng and mode.
func fuzzValues(f *testing.F, most int, check func(t *testing.T, rng *rand.Rand, ctx *Context, ranks *Set, vals []int64,
	mode byte)) {
	f.Add([]byte{0, 1, 2, 3, 4, 5}, byte(0), []byte{1})
	f.Add([]byte{1, 2, 0, 4, 5, 3}, byte(3), []byte{2})
	f.Add([]byte("piecewise, piecewise, piecewise"), byte(1), []byte{3})
	f.Add([]byte{254, 0, 1, 2, 3, 254, 5, 6, 7, 8}, byte(2), []byte{4})
	f.Fuzz(func(t *testing.T, in []byte, mode byte, order []byte) {
		rng := choices.Rand(order)
		in = in[:min(len(in), most)]
		var rs []int
		var vals []int64
		r := 0
		for _, b := range in {
			if mode&1 != 0 {
				r += rng.IntN(3)
			}
			rs = append(rs, r)
			v := int64(int8(b))
			if mode&2 != 0 {
				v = int64(b%8) + int64(r)
			}
			if mode&4 != 0 {
				v = v << 56 >> (b & 31)
			}
			vals = append(vals, v)
			r++
		}
		ctx := &Context{Size: r}
		if mode&8 != 0 && r%3 == 0 && r > 3 {
			ctx.Dims = [][]int{{r / 3, 3}}
		}
		check(t, rng, ctx, NewSet(rs), vals, mode)
	})
}
