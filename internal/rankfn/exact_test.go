package rankfn

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// randomFormula returns any formula for a communicator of n ranks.
func randomFormula(rng *rand.Rand, ctx *Context) *formula {
	n := int64(ctx.Size)
	small := func() int64 { return rng.Int64N(2*n+5) - n - 2 }
	f := &formula{kind: kind(rng.IntN(int(kinds))), size: n}
	for _, x := range f.params() {
		*x = small()
	}
	if rng.IntN(2) == 0 {
		f.b = -2
	}
	f.p, f.q = 1+rng.Int64N(n), 1+rng.Int64N(n)
	ctx.prepare()
	switch f.kind {
	case kPermute:
		f.kind = kAffine
		for _, d := range ctx.grids {
			if len(d) == 3 && d[0]*d[1]*d[2] == n && f.axes == nil {
				f.kind, f.a = kPermute, rng.Int64N(int64(len(orders)))
				f.axes = []axis{{size: d[0]}, {size: d[1]}, {size: d[2]}}
			}
		}
	case kNear, kNearNumber:
		list := ctx.shapesOf(1 + rng.IntN(shapeAxes))
		if len(list) == 0 {
			f.kind = kRing
			break
		}
		k := rng.IntN(min(len(list), nearShapes[len(list[0])]))
		for _, d := range list[k] {
			f.axes = append(f.axes, axis{size: d})
		}
		f.number = k*shapeAxes + len(f.axes)
		f.p = rng.Int64N(int64(len(courses(len(f.axes)))))
		f.a, f.q = rng.Int64N(int64(len(courses(len(f.axes))[f.p].dirs))), rng.Int64N(ways)
		if f.kind == kNearNumber {
			f.c = small()
		}
	case kAddBelow, kAddAbove:
		f.a = rng.Int64N(5)
	case kGrid:
		if len(ctx.grids) == 0 {
			f.kind = kRing
			break
		}
		for _, d := range ctx.grids[rng.IntN(len(ctx.grids))] {
			f.axes = append(f.axes, axis{size: d, shift: rng.Int64N(2*d-1) - d + 1, periodic: rng.IntN(2) == 0})
		}
	}
	return f
}

// TestMergeIsFit checks, for values of any formula on random parts of the ranks, that
// one is found for the whole if it can be, that merging two parts gives what
// fitting both gives, and that a formula that is found for the whole is not preceded by one for a part.
func TestMergeIsFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	runs := 60000
	if testing.Short() {
		runs = 8000
	}
	for range runs {
		ctx := &Context{Size: 1 + rng.IntN(40)}
		if rng.IntN(4) == 0 {
			ctx.Dims = [][]int{{2, 3}, {2, 2, 5}}
		}
		f := randomFormula(rng, ctx)
		if rng.IntN(10) == 0 {
			ctx = &Context{} // size unknown
		}
		var rs [2][]int
		var vals [2][]int64
		var all []int
		var allVals []int64
		keep := 1 + rng.IntN(4)
		for r := range int(f.size) {
			if rng.IntN(4) >= keep {
				continue
			}
			v := f.at(int64(r))
			if rng.IntN(400) == 0 {
				v++ // spoils it
			}
			k := rng.IntN(2)
			rs[k], vals[k] = append(rs[k], r), append(vals[k], v)
			all, allVals = append(all, r), append(allVals, v)
		}
		a, b := NewSet(rs[0]), NewSet(rs[1])
		whole := NewSet(all)
		want := Fit(ctx, whole, allVals)
		fa, fb := Fit(ctx, a, vals[0]), Fit(ctx, b, vals[1])
		got := Merge(ctx, fa, a, fb, b)
		if !bytes.Equal(got.Append(nil), want.Append(nil)) {
			t.Fatalf("size %d, %v: %v on %v and %v on %v give %v, want %v", ctx.Size, allVals, fa, a, fb, b, got, want)
		}
		for i, r := range all {
			if got.At(r) != allVals[i] {
				t.Fatalf("size %d: rank %d has %d, want %d: %v", ctx.Size, r, got.At(r), allVals[i], got)
			}
		}
		if want.f != nil && (fa.f == nil || fb.f == nil || order(fa) > order(want) || order(fb) > order(want)) {
			t.Fatalf("size %d, %v: %v on %v, %v on %v, but %v on both", ctx.Size, allVals, fa, a, fb, b, want)
		}
	}
}

// order is the place of f's formula in the order of preference.
func order(f *Func) int {
	for i, k := range preference {
		if k == f.f.kind {
			return i
		}
	}
	return -1
}

// preference is the order in which find tries the kinds.
var preference = []kind{
	kConstant, kShift, kRing, kLine, kXor, kAffine, kNear, kOne, kDiv, kMod, kLeader, kCoords, kGrid, kDigit, kParent, kChild,
	kClearLow, kClearHigh, kAddBelow, kAddAbove, kXorLine, kNearNumber, kAtLeast, kAtMost, kBetween, kMultiple, kPermute,
}
