package program

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
)

// The words of package formula that formulas of the rank are made of.
var (
	rank = formula.New(formula.Rank)
	zero = formula.Constant(0)
)

func number(n int64) *formula.Expr { return formula.Constant(n) }

func op(o formula.Op, args ...*formula.Expr) *formula.Expr { return formula.New(o, args...) }

// RankFormula is a formula of the rank, as files have it, in the language of programs, for a job of
// some size.
func RankFormula(f *rankfunc.Formula, size int64) *formula.Expr {
	ranks := func(n int64) *formula.Expr {
		if n == size {
			return formula.New(formula.Size)
		}
		return number(n)
	}
	shifted := op(formula.Add, rank, number(f.A))
	modulo := func(n int64) *formula.Expr { // the shorter way round
		by := formula.FloorMod(f.A, n)
		if by > n/2 {
			by -= n
		}
		return op(formula.Mod, op(formula.Add, rank, number(by)), ranks(n))
	}
	div, rest := op(formula.Div, rank, ranks(f.P)), op(formula.Mod, rank, ranks(f.P))
	switch f.Kind {
	case rankfunc.FormulaConstant:
		return number(f.A)
	case rankfunc.FormulaShift:
		return shifted
	case rankfunc.FormulaRing:
		return modulo(f.Size)
	case rankfunc.FormulaLine:
		if f.A < 0 {
			return either(op(formula.Not, op(formula.Less, rank, number(-f.A))), shifted, f.B)
		}
		return either(op(formula.Less, shifted, ranks(f.Size)), shifted, f.B)
	case rankfunc.FormulaXor:
		return op(formula.Xor, rank, number(f.A))
	case rankfunc.FormulaAffine:
		return scaled(f.A, rank).Plus(f.B)
	case rankfunc.FormulaOne:
		return op(formula.If, op(formula.Eq, rank, number(f.C)), number(f.B), number(f.A))
	case rankfunc.FormulaDiv:
		return div
	case rankfunc.FormulaMod:
		return modulo(f.P)
	case rankfunc.FormulaLeader:
		return op(formula.Sub, rank, rest)
	case rankfunc.FormulaCoords:
		return op(formula.Add, op(formula.Add, scaled(f.A, div), scaled(f.B, rest)), number(f.C))
	case rankfunc.FormulaDigit:
		return op(formula.Add, scaled(f.A, op(formula.Mod, op(formula.Div, rank, number(f.Q)), number(f.P))),
			number(f.C))
	case rankfunc.FormulaMultiple:
		return op(formula.Mod, op(formula.Add, scaled(f.A, rank), number(f.C)), ranks(f.Size))
	case rankfunc.FormulaGrid, rankfunc.FormulaPermute, rankfunc.FormulaNear, rankfunc.FormulaNearNumber:
		return gridFormula(f)
	}
	return treeFormula(f, ranks)
}

// scaled is a * e.
func scaled(a int64, e *formula.Expr) *formula.Expr { return op(formula.Mul, number(a), e) }

// either is e where a condition holds, else a number.
func either(condition, e *formula.Expr, other int64) *formula.Expr {
	return op(formula.If, condition, e, number(other))
}

// treeFormula is for the families of trees and those with limits.
func treeFormula(f *rankfunc.Formula, ranks func(int64) *formula.Expr) *formula.Expr {
	positive := op(formula.Less, zero, rank)
	bit := int64(1) << (f.A & 31)
	shifted, higher := rank.Plus(f.A), rank.Plus(bit)
	inside := func(x *formula.Expr, more ...*formula.Expr) *formula.Expr {
		condition := op(formula.Less, x, ranks(f.Size))
		if !x.Natural() {
			more = append(more, op(formula.Not, op(formula.Less, x, zero)))
		}
		for _, c := range more {
			condition = op(formula.And, c, condition)
		}
		return either(condition, x, f.B)
	}
	switch f.Kind {
	case rankfunc.FormulaParent: // without a difference that may be negative
		return either(positive, op(formula.Div, rank.Plus(f.P-1), number(f.P)).Plus(-1), f.B)
	case rankfunc.FormulaChild:
		return inside(scaled(f.A, rank).Plus(f.C))
	case rankfunc.FormulaClearLow:
		return either(positive, op(formula.Sub, rank, op(formula.LowBit, rank)), f.B)
	case rankfunc.FormulaClearHigh:
		return either(positive, op(formula.Sub, rank, op(formula.HighBit, rank)), f.B)
	case rankfunc.FormulaAddBelow:
		return inside(higher, op(formula.Eq, op(formula.Mod, rank, number(2*bit)), zero))
	case rankfunc.FormulaAddAbove:
		return inside(higher, op(formula.Less, rank, number(bit)))
	case rankfunc.FormulaXorLine:
		return inside(op(formula.Xor, rank, number(f.A)))
	case rankfunc.FormulaAtLeast:
		return op(formula.Max, shifted, number(f.B))
	case rankfunc.FormulaAtMost:
		return op(formula.Min, shifted, number(f.B))
	case rankfunc.FormulaBetween:
		return op(formula.Min, op(formula.Max, shifted, number(f.B)), number(f.C))
	}
	panic(fmt.Sprintf("program: formula of unknown kind %d", f.Kind))
}

// gridFormula is for what needs a grid of ranks.
func gridFormula(f *rankfunc.Formula) *formula.Expr {
	g := &formula.Grid{Axes: len(f.Axes)}
	shift := &formula.Expr{Op: formula.Shift, Grid: g, Moves: [][]int{nil}, Args: []*formula.Expr{number(f.B)}}
	places := int64(1)
	for _, x := range f.Axes {
		g.Fixed = append(g.Fixed, x.Size)
		shift.Moves[0], shift.Periodic = append(shift.Moves[0], int(x.Shift)), append(shift.Periodic, x.Periodic)
		places *= x.Size
	}
	within := func(e *formula.Expr, other int64) *formula.Expr {
		if places >= f.Size {
			return e
		}
		return either(op(formula.Less, rank, number(places)), e, other)
	}
	switch f.Kind {
	case rankfunc.FormulaGrid:
		return shift
	case rankfunc.FormulaPermute:
		to := zero
		for _, axis := range f.Order {
			at := &formula.Expr{Op: formula.Coord, Grid: g, N: int64(axis)}
			to = op(formula.Add, op(formula.Mul, to, number(g.Fixed[axis])), at)
		}
		return within(to, f.B)
	}
	pick := op(formula.Pick, &formula.Expr{Op: formula.Cell, Grid: g})
	for _, c := range f.Cells {
		value := number(-1)
		if c != rankfunc.NoCell {
			value = number(c)
			if f.Kind == rankfunc.FormulaNear {
				value = rank.Plus(c)
			}
		}
		pick.Args = append(pick.Args, value)
	}
	return within(pick, -1)
}
