package program

import (
	"math/rand/v2"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
)

// Formulas that files have give the same values as expressions, at each rank of each piece.
func TestRankFormula(t *testing.T) {
	const size = 48
	rng := rand.New(rand.NewPCG(1, 2))
	all, seen := rankfunc.Range(0, size), map[rankfunc.FormulaKind]bool{}
	for range 4000 {
		fn := rankfunc.Fit(&rankfunc.Context{Size: size}, all, values(rng, size))
		done := map[int]bool{} // the first piece that has a rank counts
		for _, p := range fn.Pieces(all) {
			e := RankFormula(&p.Formula, size)
			seen[p.Formula.Kind] = true
			for r := range all.All() {
				if done[r] || p.Ranks != nil && !p.Ranks.Contains(r) {
					continue
				}
				if done[r] = true; p.Values != nil {
					continue
				}
				if got, want := e.Eval(&formula.Env{Rank: int64(r), Size: size}), fn.At(r); got != want {
					t.Fatalf("%+v is %v: %d at rank %d, not %d", p.Formula, e, got, r, want)
				}
			}
		}
	}
	for k := rankfunc.FormulaConstant; k <= rankfunc.FormulaPermute; k++ {
		if !seen[k] {
			t.Errorf("no function was of kind %d", k)
		}
	}
}

// values follow one of the rules that programs have.
func values(rng *rand.Rand, n int64) []int64 {
	a, b, c := rng.Int64N(9)-4, 1+rng.Int64N(7), rng.Int64N(60)-10
	bit := int64(1) << rng.IntN(5)
	dims := [][3]int64{{4, 3, 4}, {2, 4, 6}, {6, 8, 1}, {3, 16, 1}}[rng.IntN(4)]
	inside := func(v int64) int64 {
		if v >= 0 && v < n {
			return v
		}
		return -2
	}
	mod := formula.FloorMod
	kind := rng.IntN(24)
	out := make([]int64, n)
	for x := range n {
		at := [3]int64{x / dims[2] / dims[1], x / dims[2] % dims[1], x % dims[2]}
		out[x] = []int64{a, x + a, mod(x+a, n), inside(x + a), x ^ b, a*x + c, a + b*formula.Truth(x == b), x / (b + 1),
			mod(x+a, b+1), x - x%(b+1), a*(x/(b+1)) + 3*(x%(b+1)) + c, a*(x/b%(b+1)) + c, inside(2*x + b - 1),
			inside(x ^ bit),
			max(x+a, b), min(x+a, 40), min(max(x+a, 9), 30), mod(5*x+b, n),
			(at[0]*dims[2]+at[2])*dims[1] + at[1], (x - 1) / 2, x & (x - 1), x - bit, inside(x + bit), 0}[kind]
		switch {
		case kind == 23: // a neighbour in a grid
			at[1]++
			if out[x] = (at[0]*dims[1]+at[1]%dims[1])*dims[2] + at[2]; at[1] == dims[1] && a < 0 {
				out[x] = -2
			}
		case x == 0 && (kind == 19 || kind == 20):
			out[x] = -2
		case kind == 21:
			high := int64(1)
			for 2*high <= x {
				high *= 2
			}
			if out[x] = x - high; x == 0 {
				out[x] = -2
			}
		case kind == 22 && (a < 0 && x%(2*bit) != 0 || a >= 0 && x >= bit):
			out[x] = -2
		}
	}
	return out
}
