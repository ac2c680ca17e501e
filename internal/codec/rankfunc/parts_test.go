package rankfunc

import (
	"math/rand/v2"
	"testing"
)

// evaluate gives what a description says of a rank.
func evaluate(pieces []Piece, r int) int64 {
	for i := range pieces {
		p := &pieces[i]
		if p.Ranks != nil && !inRuns(p.Ranks.Runs(), r) {
			continue
		}
		v := p.Formula.evaluate(int64(r))
		if p.Values != nil {
			k, _ := p.Ranks.Index(r)
			v += p.Values[k]
		}
		return v
	}
	return 0
}

func inRuns(runs []Run, r int) bool {
	for _, x := range runs {
		at := r - x.Low
		if at < 0 || at/x.Stride >= x.Count {
			continue
		}
		if len(x.Body) == 0 && at%x.Stride == 0 || inRuns(x.Body, at%x.Stride) {
			return true
		}
	}
	return false
}

// evaluate takes neighbours and orders of axes from what describes them.
func (f *Formula) evaluate(r int64) int64 {
	g := *f
	switch f.Kind {
	case FormulaNear:
		if c := regionOf(g.Axes, r); c >= 0 && f.Cells[c] != NoCell {
			return r + f.Cells[c]
		}
		return -1
	case FormulaNearNumber:
		if c := regionOf(g.Axes, r); c >= 0 && f.Cells[c] != NoCell {
			return f.Cells[c]
		}
		return -1
	case FormulaPermute:
		if at, ok := g.place(r); ok {
			return g.reordered(at, f.Order)
		}
		return f.B
	}
	return g.at(r)
}

// TestPieces evaluates descriptions of functions of all kinds, whole and in pieces.
func TestPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		ctx := &Context{Size: 1 + rng.IntN(60)}
		f := randomFormula(rng, ctx)
		g := randomFormula(rng, ctx)
		all := Range(0, ctx.Size)
		vals := make([]int64, ctx.Size)
		mixed := rng.IntN(3)
		for r := range vals {
			vals[r] = f.at(int64(r))
			if mixed > 0 && r%5 < 2 {
				vals[r] = g.at(int64(r))
			}
			if mixed > 1 && rng.IntN(3) == 0 {
				vals[r] = rng.Int64N(1000)
			}
		}
		fn := Fit(ctx, all, vals)
		pieces := fn.Pieces(all)
		for r, v := range vals {
			if got := evaluate(pieces, r); got != v {
				t.Fatalf("%v at %d is %d, want %d: %+v", fn, r, got, v, pieces)
			}
		}
	}
}
