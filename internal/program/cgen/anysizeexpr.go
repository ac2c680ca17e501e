package cgen

import (
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/internal/program/infer"
)

// Expressions of a model as C, in the variables rank, size, i0, i1, ... and e, all of type long.

// mostElements is how many elements of an array are written one by one.
const mostElements = 64

// elements are the values of a slot if they are the same everywhere.
func elements(s *infer.Slot) ([]int64, bool) {
	n := int64(1)
	if s.Len != nil {
		v, ok := s.Len.Known()
		if !ok || v > mostElements {
			return nil, false
		}
		n = v
	}
	var out []int64
	for i := range n {
		v, ok := s.Parts[0].Element(i).Known()
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// expr is an expression as a single operand.
func (x *anysize) expr(e *formula.Expr) *cc.Expr {
	if v, ok := e.Known(); ok {
		return cc.Operand(literal(v, nil))
	}
	arg := func(i int) *cc.Expr { return x.expr(e.Args[i]) }
	switch e.Op {
	case formula.Rank:
		return cc.Name(x.c.Rank)
	case formula.Size:
		return cc.Name(x.c.Size)
	case formula.Elem:
		return cc.Name(x.c.Elem)
	case formula.Index:
		return cc.Name(x.c.Index(int(e.N)))
	case formula.Not:
		if a := e.Args[0]; a.Op == formula.Less || a.Op == formula.Eq {
			is := map[formula.Op]string{formula.Less: ">=", formula.Eq: "!="}[a.Op]
			return cc.Paren(cc.Infix(x.expr(a.Args[0]), is, x.expr(a.Args[1])))
		}
		return cc.Prefix("!", arg(0))
	case formula.If:
		return cc.Paren(cc.Choice(arg(0), arg(1), arg(2)))
	case formula.Pick:
		return x.pick(e, x.expr)
	case formula.Add:
		if v, ok := e.Args[1].Known(); ok && v < 0 && v > -1<<62 {
			return cc.Paren(cc.Infix(arg(0), "-", literal(-v, nil)))
		}
	}
	if op := formula.COperator[e.Op]; op != "" {
		return cc.Paren(cc.Infix(arg(0), op, arg(1)))
	}
	if function := formula.CFunction[e.Op]; function != "" {
		args := make([]*cc.Expr, len(e.Args))
		for i := range args {
			args[i] = cc.Trim(arg(i))
		}
		return cc.Call(function, args...)
	}
	return cc.Name(x.c.Expr(e))
}

// bare is an expression that stands alone.
func (x *anysize) bare(e *formula.Expr) *cc.Expr { return cc.Trim(x.expr(e)) }

// value is an expression whose values may have names; a long one becomes a function.
func (x *anysize) value(e *formula.Expr, name func(int64) string) *cc.Expr {
	out := x.inPlace(e, name)
	if len(out.String()) <= longest || e.Op == formula.Pick || !e.Everywhere() {
		return out
	}
	return x.g.helper(x.hint, cc.Return(out))
}

func (x *anysize) inPlace(e *formula.Expr, name func(int64) string) *cc.Expr {
	if v, ok := e.Known(); ok {
		return literal(v, name)
	}
	switch e.Op {
	case formula.If:
		condition := x.expr(e.Args[0])
		if !condition.Has(func(e *cc.Expr) bool { return e.Kind == cc.KindChoice }) { // binds less than all else
			condition = cc.Trim(condition)
		}
		return cc.Choice(condition, cc.Operand(x.inPlace(e.Args[1], name)), cc.Operand(x.inPlace(e.Args[2], name)))
	case formula.Pick:
		return x.pick(e, func(e *formula.Expr) *cc.Expr { return x.value(e, name) })
	}
	return x.bare(e)
}

// pick is the choice of one of several expressions, by their number.
func (x *anysize) pick(e *formula.Expr, value func(*formula.Expr) *cc.Expr) *cc.Expr {
	parts := make([]*cc.Expr, len(e.Args)-1)
	for i, a := range e.Args[1:] {
		parts[i] = cc.Trim(value(a))
	}
	return cc.Call("pick", x.bare(e.Args[0]), cc.Int(len(parts)), cc.List("const long[]", parts...))
}
