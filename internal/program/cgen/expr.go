package cgen

import (
	"fmt"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// Expressions in C of the variables rank and size, which are the rank in MPI_COMM_WORLD and its
// size.

// longest is how long an expression may be in the midst of a call, in bytes.
const longest = 56

var rankVar, sizeVar = cc.Name("rank"), cc.Name("size")

// constantName says which constant a number is, empty for none.
type constantName func(int64) string

// literal is a number in C. name may be nil.
func literal(v int64, name constantName) *cc.Expr {
	if name != nil {
		if s := name(v); s != "" {
			parts := strings.Split(s, "|")
			out := cc.Name(parts[0])
			for _, part := range parts[1:] {
				out = cc.Infix(out, "|", cc.Name(part))
			}
			if len(parts) > 1 {
				return cc.Paren(out)
			}
			return out
		}
	}
	if v == -1<<63 {
		return cc.Paren(cc.Infix(cc.Name("-0x7fffffffffffffffL"), "-", cc.Name("1")))
	}
	return cc.Int(v)
}

// plus is e + c.
func plus(e *cc.Expr, c int64) *cc.Expr {
	switch {
	case c == 0:
		return e
	case c < 0 && c != -1<<63:
		return cc.Infix(e, "-", cc.Int(-c))
	}
	return cc.Infix(e, "+", literal(c, nil))
}

// times is a * e, e being a single operand.
func times(a int64, e *cc.Expr) *cc.Expr {
	if a == 1 {
		return e
	}
	return cc.Infix(literal(a, nil), "*", e)
}

// modulo is (e + a) mod p, e being what is not negative. size is "size" or the number p.
func modulo(e *cc.Expr, a, p int64, size *cc.Expr) *cc.Expr {
	if a %= p; a < 0 {
		a += p
	}
	switch {
	case a == 0:
	case a > p/2:
		e = cc.Paren(plus(cc.Infix(e, "+", size), a-p))
	default:
		e = cc.Paren(plus(e, a))
	}
	return cc.Infix(e, "%", size)
}

// sizeOf is a number of ranks.
func (g *generator) sizeOf(n int64) *cc.Expr {
	if n == int64(g.size) {
		return sizeVar
	}
	return cc.Int(n)
}

// compare is "a op n".
func compare(a *cc.Expr, op string, n int64) *cc.Expr { return cc.Infix(a, op, cc.Int(n)) }

// formula is an expression for a formula of the rank.
func (g *generator) formula(f *rankfunc.Formula, name constantName) *cc.Expr {
	size := g.sizeOf(f.Size)
	other := literal(f.B, name)
	shifted := plus(rankVar, f.A)
	switch f.Kind {
	case rankfunc.FormulaConstant:
		return literal(f.A, name)
	case rankfunc.FormulaShift:
		return shifted
	case rankfunc.FormulaRing:
		return modulo(rankVar, f.A, f.Size, size)
	case rankfunc.FormulaLine:
		if f.A < 0 {
			return cc.Choice(compare(rankVar, ">=", -f.A), shifted, other)
		}
		return cc.Choice(cc.Infix(shifted, "<", size), shifted, other)
	case rankfunc.FormulaXor:
		return cc.Infix(rankVar, "^", literal(f.A, nil))
	case rankfunc.FormulaAffine:
		return plus(times(f.A, rankVar), f.B)
	case rankfunc.FormulaOne:
		return cc.Choice(compare(rankVar, "==", f.C), other, literal(f.A, name))
	case rankfunc.FormulaDiv:
		return cc.Infix(rankVar, "/", g.sizeOf(f.P))
	case rankfunc.FormulaMod:
		return modulo(rankVar, f.A, f.P, g.sizeOf(f.P))
	case rankfunc.FormulaLeader:
		return cc.Infix(rankVar, "-", compare(rankVar, "%", f.P))
	case rankfunc.FormulaCoords:
		return g.coords(f)
	case rankfunc.FormulaDigit:
		return plus(times(f.A, cc.Paren(compare(compare(rankVar, "/", f.Q), "%", f.P))), f.C)
	case rankfunc.FormulaMultiple:
		return cc.Call("mod", plus(times(f.A, rankVar), f.C), size)
	case rankfunc.FormulaGrid, rankfunc.FormulaPermute, rankfunc.FormulaNear, rankfunc.FormulaNearNumber:
		return g.grid(f, other)
	}
	return g.tree(f, size, other, name)
}

func (g *generator) coords(f *rankfunc.Formula) *cc.Expr {
	var sum *cc.Expr
	for _, x := range []struct {
		factor int64
		op     string
	}{{f.A, "/"}, {f.B, "%"}} {
		if x.factor == 0 {
			continue
		}
		part := times(x.factor, cc.Paren(compare(rankVar, x.op, f.P)))
		if sum != nil {
			part = cc.Infix(sum, "+", part)
		}
		sum = part
	}
	if sum == nil {
		return literal(f.C, nil)
	}
	return plus(sum, f.C)
}

// tree is an expression for the families of trees and those with limits.
func (g *generator) tree(f *rankfunc.Formula, size, other *cc.Expr, name constantName) *cc.Expr {
	orElse := func(x *cc.Expr) *cc.Expr { return cc.Call("rank_or", x, other) }
	ifPositive := func(x *cc.Expr) *cc.Expr { return cc.Choice(compare(rankVar, ">", 0), x, other) }
	bit := int64(1) << (f.A & 31)
	ifBelow := func(condition *cc.Expr) *cc.Expr {
		higher := plus(rankVar, bit)
		return cc.Choice(joinedBy("&&", []*cc.Expr{condition, cc.Infix(higher, "<", size)}), higher, other)
	}
	switch f.Kind {
	case rankfunc.FormulaParent:
		return ifPositive(compare(cc.Paren(plus(rankVar, -1)), "/", f.P))
	case rankfunc.FormulaChild:
		return orElse(plus(times(f.A, rankVar), f.C))
	case rankfunc.FormulaClearLow:
		return ifPositive(cc.Infix(rankVar, "&", cc.Paren(plus(rankVar, -1))))
	case rankfunc.FormulaClearHigh:
		return ifPositive(cc.Infix(rankVar, "-", cc.Call("highest_bit", rankVar)))
	case rankfunc.FormulaAddBelow:
		return ifBelow(compare(compare(rankVar, "%", 2*bit), "==", 0))
	case rankfunc.FormulaAddAbove:
		return ifBelow(compare(rankVar, "<", bit))
	case rankfunc.FormulaXorLine:
		return orElse(cc.Infix(rankVar, "^", literal(f.A, nil)))
	case rankfunc.FormulaAtLeast:
		return cc.Call("max", plus(rankVar, f.A), other)
	case rankfunc.FormulaAtMost:
		return cc.Call("min", plus(rankVar, f.A), other)
	case rankfunc.FormulaBetween:
		return cc.Call("min", cc.Call("max", plus(rankVar, f.A), other), literal(f.C, name))
	}
	panic(fmt.Sprintf("proxy: formula of unknown kind %d", f.Kind))
}

// grid is an expression for what needs a grid of ranks.
func (g *generator) grid(f *rankfunc.Formula, other *cc.Expr) *cc.Expr {
	var sizes, shifts, periods []*cc.Expr
	for _, x := range f.Axes {
		sizes, shifts = append(sizes, cc.Int(x.Size)), append(shifts, cc.Int(x.Shift))
		periods = append(periods, cc.Int(map[bool]int{true: 1}[x.Periodic]))
	}
	list := func(x []*cc.Expr) *cc.Expr { return cc.List("const long[]", x...) }
	dims, axes := list(sizes), cc.Int(len(sizes))
	switch f.Kind {
	case rankfunc.FormulaGrid:
		return cc.Call("grid_shift", axes, dims, list(shifts), list(periods), other)
	case rankfunc.FormulaPermute:
		o := f.Order
		return cc.Call("grid_turn", dims, cc.Int(int(o[0])), cc.Int(int(o[1])), cc.Int(int(o[2])), other)
	}
	var cells []*cc.Expr
	for _, c := range f.Cells {
		switch {
		case c == rankfunc.NoCell && f.Kind == rankfunc.FormulaNear:
			cells = append(cells, cc.Infix(cc.Int(-1), "-", rankVar))
		case c == rankfunc.NoCell:
			cells = append(cells, cc.Int(-1))
		default:
			cells = append(cells, literal(c, nil))
		}
	}
	cell := cc.Index(list(cells), cc.Call("grid_cell", axes, dims))
	if f.Kind == rankfunc.FormulaNear {
		return cc.Infix(rankVar, "+", cell)
	}
	return cell
}

// number is an expression for a number at the ranks of a set. hint names what it is.
func (g *generator) number(c *class, x *number, ranks *archive.RankSet, name constantName, hint string) *cc.Expr {
	if x.base != nil {
		return g.relative(c, x, ranks, name, hint)
	}
	if v, ok := x.constant(); ok {
		return literal(v, name)
	}
	return g.function(x.fn, ranks, name, hint)
}

// relative is an expression for a number relative to the ranks of a communicator.
func (g *generator) relative(c *class, x *number, ranks *archive.RankSet, name constantName, hint string) *cc.Expr {
	if x.fn == nil && x.n >= 0 {
		if p, ok := x.base.Size.Constant(); ok && p > 0 {
			r := cc.Operand(g.function(x.base.Rank, ranks, nil, "place"))
			return modulo(r, x.n, p, g.sizeOf(p))
		}
	}
	// The values themselves may have a simpler form.
	return g.fit(c, ranks, x.at, name, hint)
}

// fit is an expression for a function of the rank whose values are known.
func (g *generator) fit(c *class, ranks *archive.RankSet, value func(rank int) int64,
	name constantName, hint string) *cc.Expr {
	vals := make([]int64, 0, ranks.Len())
	for r := range ranks.All() {
		vals = append(vals, value(r))
	}
	return g.function(rankfunc.Fit(c.ctx, ranks, vals), ranks, name, hint)
}

// function is an expression for a function of the rank.
func (g *generator) function(fn *archive.RankFunc, ranks *archive.RankSet, name constantName, hint string) *cc.Expr {
	pieces := fn.Pieces(ranks)
	if len(pieces) == 1 && pieces[0].Values == nil {
		e := g.formula(&pieces[0].Formula, name)
		if len(e.String()) <= longest {
			return e
		}
		return g.helper(hint, cc.Return(e))
	}
	var body []*cc.Stmt
	for i := range pieces {
		p := &pieces[i]
		e := g.formula(&p.Formula, name)
		if p.Values != nil {
			e = g.table(p, e, hint)
		}
		s := cc.Return(e)
		if p.Ranks != nil && i < len(pieces)-1 {
			s = cc.If(g.condition(p.Ranks, ranks), s)
		}
		body = append(body, s)
	}
	return g.helper(hint, body...)
}

// table is an expression for values without a formula: base plus those in a table by the place of
// the rank.
func (g *generator) table(p *rankfunc.Piece, base *cc.Expr, hint string) *cc.Expr {
	value := cc.Index(g.constants(hint, p.Values), g.place(p.Ranks))
	if base.IsInt(0) {
		return value
	}
	return cc.Infix(base, "+", value)
}

// place is an expression for the index of the rank in a set that has it.
func (g *generator) place(s *archive.RankSet) *cc.Expr {
	if s.Len() == s.Max()-s.Min()+1 {
		return plus(rankVar, -int64(s.Min()))
	}
	if runs := s.Runs(); len(runs) == 1 && len(runs[0].Body) == 0 {
		return compare(cc.Paren(plus(rankVar, -int64(runs[0].Low))), "/", int64(runs[0].Stride))
	}
	var flat []int64
	for lo, hi := range s.Intervals() {
		flat = append(flat, int64(lo), int64(hi))
	}
	return cc.Call("place_in", g.constants("ranks", flat), cc.Int(len(flat)))
}
