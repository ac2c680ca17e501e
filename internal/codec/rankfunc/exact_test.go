package rankfunc

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// randomFormula returns any formula for a communicator of n ranks.
func randomFormula(rng *rand.Rand, ctx *Context) *Formula {
	n := int64(ctx.Size)
	small := func() int64 { return rng.Int64N(2*n+5) - n - 2 }
	f := &Formula{Kind: FormulaKind(rng.IntN(int(kinds))), Size: n}
	for _, x := range f.params() {
		*x = small()
	}
	if rng.IntN(2) == 0 {
		f.B = -2
	}
	f.P, f.Q = 1+rng.Int64N(n), 1+rng.Int64N(n)
	ctx.prepare()
	switch f.Kind {
	case FormulaPermute:
		f.Kind = FormulaAffine
		for _, d := range ctx.grids {
			if len(d) == 3 && d[0]*d[1]*d[2] == n && f.Axes == nil {
				f.Kind, f.A = FormulaPermute, rng.Int64N(int64(len(orders)))
				f.Axes = []GridAxis{{Size: d[0]}, {Size: d[1]}, {Size: d[2]}}
			}
		}
	case FormulaNear, FormulaNearNumber:
		list := ctx.shapesOf(1 + rng.IntN(shapeAxes))
		if len(list) == 0 {
			f.Kind = FormulaRing
			break
		}
		k := rng.IntN(min(len(list), nearShapes[len(list[0])]))
		for _, d := range list[k] {
			f.Axes = append(f.Axes, GridAxis{Size: d})
		}
		f.number = k*shapeAxes + len(f.Axes)
		f.P = rng.Int64N(int64(len(neighborOrders(len(f.Axes)))))
		f.A, f.Q = rng.Int64N(int64(len(neighborOrders(len(f.Axes))[f.P].dirs))), rng.Int64N(ways)
		if f.Kind == FormulaNearNumber {
			f.C = small()
		}
	case FormulaAddBelow, FormulaAddAbove:
		f.A = rng.Int64N(5)
	case FormulaGrid:
		if len(ctx.grids) == 0 {
			f.Kind = FormulaRing
			break
		}
		for _, d := range ctx.grids[rng.IntN(len(ctx.grids))] {
			f.Axes = append(f.Axes, GridAxis{Size: d, Shift: rng.Int64N(2*d-1) - d + 1, Periodic: rng.IntN(2) == 0})
		}
	}
	return f
}

// TestMergeIsFit checks, for values of any formula on random parts of the ranks, that one is found
// for the whole if it can be, that merging two parts gives what fitting both gives, and that a
// formula that is found for the whole is not preceded by one for a part.
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
		for r := range int(f.Size) {
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
		if k == f.f.Kind {
			return i
		}
	}
	return -1
}

// preference is the order in which find tries the kinds.
var preference = []FormulaKind{
	FormulaConstant, FormulaShift, FormulaRing, FormulaLine, FormulaXor, FormulaAffine, FormulaNear, FormulaOne,
	FormulaDiv, FormulaMod, FormulaLeader, FormulaCoords, FormulaGrid, FormulaDigit, FormulaParent, FormulaChild,
	FormulaClearLow, FormulaClearHigh, FormulaAddBelow, FormulaAddAbove, FormulaXorLine, FormulaNearNumber,
	FormulaAtLeast, FormulaAtMost, FormulaBetween, FormulaMultiple, FormulaPermute,
}
