package cgen

import (
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
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
	return cc.Int(v)
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

// plus is e + c.
func plus(e *cc.Expr, c int64) *cc.Expr {
	switch {
	case c == 0:
		return e
	case c < 0 && c != -1<<63:
		return cc.Infix(e, "-", cc.Int(-c))
	}
	return cc.Infix(e, "+", cc.Int(c))
}

// expr is an expression of rank, size, indices and elements in C.
func (g *generator) expr(e *formula.Expr) *cc.Expr { return g.printer.Expr(e) }

// named is expr for values that may have names.
func (g *generator) named(e *formula.Expr, name constantName) *cc.Expr {
	return g.printer.Named(e, func(v int64) *cc.Expr { return literal(v, name) })
}

// value is named, with a long expression in a function of its own.
func (g *generator) value(e *formula.Expr, name constantName, hint string) *cc.Expr {
	out := g.named(e, name)
	if len(out.String()) <= longest || !e.Everywhere() {
		return out
	}
	return g.helper(hint, cc.Return(out))
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
			return cc.Op(plus(g.function(x.base.Rank, ranks, nil, "place"), x.n%p), "%", g.sizeOf(p))
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
	of := func(p *rankfunc.Piece) *formula.Expr { return program.RankFormula(&p.Formula, int64(g.size)) }
	if len(pieces) == 1 && pieces[0].Values == nil {
		return g.value(of(&pieces[0]), name, hint)
	}
	var body []*cc.Stmt
	for i := range pieces {
		p := &pieces[i]
		e := g.named(of(p), name)
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
