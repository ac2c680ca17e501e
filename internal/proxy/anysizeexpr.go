package proxy

import (
	"fmt"
	"strings"

	"tabard/internal/scale"
)

// Expressions of a model as C, in the variables rank, size, i0, i1, ... and e, all of type long.

// constant is the value of an expression that is the same everywhere.
func constant(e *scale.Expr) (int64, bool) {
	switch e.Op {
	case scale.Num:
		return e.N, true
	case scale.Rank, scale.Size, scale.Index, scale.Elem, scale.Dim, scale.Coord, scale.Shift, scale.NearCount, scale.NearRank, scale.NearMove, scale.While, scale.Sum:
		return 0, false
	}
	for _, a := range e.Args {
		if _, ok := constant(a); !ok {
			return 0, false
		}
	}
	return e.Eval(&scale.Env{}), true
}

func number64(n int64) *scale.Expr { return &scale.Expr{Op: scale.Num, N: n} }

// element is an expression for an element of an array, simplified.
func elementOf(e *scale.Expr, i int64) *scale.Expr {
	if e.Op == scale.Elem {
		return number64(i)
	}
	if e.Op == scale.While { // has parameters of its own
		return e
	}
	if e.Op == scale.Sum {
		total, fixed := number64(0), int64(0)
		for k := range i {
			x := elementOf(e.Args[0], k)
			if v, ok := constant(x); ok {
				fixed += v
				continue
			}
			total = &scale.Expr{Op: scale.Add, Args: []*scale.Expr{total, x}}
		}
		return sum(total, fixed)
	}
	out := *e
	out.Args = make([]*scale.Expr, len(e.Args))
	for k, a := range e.Args {
		out.Args[k] = elementOf(a, i)
	}
	if v, ok := constant(&out); ok {
		return number64(v)
	}
	switch out.Op {
	case scale.Pick:
		if v, ok := constant(out.Args[0]); ok {
			return out.Args[1+min(max(v, 0), int64(len(out.Args)-2))]
		}
	case scale.If:
		if v, ok := constant(out.Args[0]); ok {
			return out.Args[map[bool]int{true: 1, false: 2}[v != 0]]
		}
	}
	return &out
}

// usesElem tells whether an expression depends on the place in an array.
func usesElem(e *scale.Expr) bool {
	if e.Op == scale.Elem {
		return true
	}
	for _, a := range e.Args {
		if usesElem(a) {
			return true
		}
	}
	return false
}

// mostElements is how many elements of an array are written one by one.
const mostElements = 64

// elements are the values of a slot if they are the same everywhere.
func elements(s *scale.Slot) ([]int64, bool) {
	n := int64(1)
	if s.Len != nil {
		v, ok := constant(s.Len)
		if !ok || v > mostElements {
			return nil, false
		}
		n = v
	}
	var out []int64
	for i := range n {
		v, ok := constant(elementOf(s.Parts[0], i))
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// leaves are the expressions that conditions choose from.
func leaves(e *scale.Expr, out []*scale.Expr) []*scale.Expr {
	if e.Op == scale.If || e.Op == scale.Pick {
		for _, a := range e.Args[1:] {
			out = leaves(a, out)
		}
		return out
	}
	return append(out, e)
}

// halved is half of an expression that is even whatever it depends on, else nil.
func halved(e *scale.Expr) *scale.Expr {
	if v, ok := constant(e); ok {
		if v%2 != 0 {
			return nil
		}
		return number64(v / 2)
	}
	part := func(from int) *scale.Expr {
		out := *e
		out.Args = append([]*scale.Expr{}, e.Args...)
		for i := from; i < len(out.Args); i++ {
			if out.Args[i] = halved(out.Args[i]); out.Args[i] == nil {
				return nil
			}
		}
		return &out
	}
	switch e.Op {
	case scale.Add, scale.Sub:
		return part(0)
	case scale.If, scale.Pick:
		return part(1)
	case scale.Mul:
		for i, a := range e.Args {
			if v, ok := constant(a); ok && v%2 == 0 {
				if v == 2 {
					return e.Args[1-i]
				}
				return &scale.Expr{Op: scale.Mul, Args: []*scale.Expr{number64(v / 2), e.Args[1-i]}}
			}
		}
	}
	return nil
}

// sum is a + n.
func sum(e *scale.Expr, n int64) *scale.Expr {
	if v, ok := constant(e); ok {
		return number64(v + n)
	}
	if e.Op == scale.Add {
		for i, a := range e.Args {
			if v, ok := constant(a); ok {
				return sum2(e.Args[1-i], v+n)
			}
		}
	}
	return sum2(e, n)
}

func sum2(e *scale.Expr, n int64) *scale.Expr {
	if n == 0 {
		return e
	}
	return &scale.Expr{Op: scale.Add, Args: []*scale.Expr{e, number64(n)}}
}

// rising tells whether the elements of an array rise by one, and gives the first.
func rising(e *scale.Expr) (*scale.Expr, bool) {
	switch {
	case e.Op == scale.Elem:
		return number64(0), true
	case e.Op == scale.Add && usesElem(e):
		for i, a := range e.Args {
			if first, ok := rising(a); ok && !usesElem(e.Args[1-i]) {
				if v, zero := constant(first); zero {
					return sum(e.Args[1-i], v), true
				}
				return &scale.Expr{Op: scale.Add, Args: []*scale.Expr{first, e.Args[1-i]}}, true
			}
		}
	}
	return nil, false
}

// expr is the text of an expression, a single operand.
func (x *anysize) expr(e *scale.Expr) string {
	if v, ok := constant(e); ok {
		if v < 0 {
			return "(" + literal(v, nil) + ")"
		}
		return literal(v, nil)
	}
	arg := func(i int) string { return x.expr(e.Args[i]) }
	between := func(o string) string { return "(" + arg(0) + " " + o + " " + arg(1) + ")" }
	switch e.Op {
	case scale.Rank:
		return x.c.Rank
	case scale.Size:
		return x.c.Size
	case scale.Elem:
		return x.c.Elem
	case scale.Index:
		return x.c.Index(int(e.N))
	case scale.Add:
		if v, ok := constant(e.Args[1]); ok && v < 0 && v > -1<<62 {
			return fmt.Sprintf("(%s - %s)", arg(0), literal(-v, nil))
		}
		return between("+")
	case scale.Sub:
		return between("-")
	case scale.Mul:
		return between("*")
	case scale.Xor:
		return between("^")
	case scale.Eq:
		return between("==")
	case scale.Less:
		return between("<")
	case scale.And:
		return between("&&")
	case scale.Or:
		return between("||")
	case scale.Not:
		if a := e.Args[0]; a.Op == scale.Less || a.Op == scale.Eq {
			is := map[scale.Op]string{scale.Less: ">=", scale.Eq: "!="}[a.Op]
			return fmt.Sprintf("(%s %s %s)", x.expr(a.Args[0]), is, x.expr(a.Args[1]))
		}
		return "!" + arg(0)
	case scale.If:
		return fmt.Sprintf("(%s ? %s : %s)", arg(0), arg(1), arg(2))
	case scale.Div, scale.Mod, scale.Min, scale.Max, scale.Shl, scale.Bits, scale.LowBit, scale.HighBit:
		args := make([]string, len(e.Args))
		for i := range args {
			args[i] = trim(arg(i))
		}
		name := map[scale.Op]string{scale.Div: "sc_div", scale.Mod: "sc_mod", scale.Min: "sc_min", scale.Max: "sc_max", scale.Shl: "sc_shl",
			scale.Bits: "sc_bits", scale.LowBit: "sc_low", scale.HighBit: "sc_high"}[e.Op]
		return name + "(" + strings.Join(args, ", ") + ")"
	case scale.Pick:
		return x.pick(e, x.expr)
	}
	return x.c.Expr(e)
}

// value is the text of an expression whose values may have names; a long one becomes a function.
func (x *anysize) value(e *scale.Expr, name func(int64) string) string {
	s := x.inPlace(e, name)
	if len(s) <= longest || e.Op == scale.Pick || !everywhere(e) {
		return s
	}
	return x.g.helper(x.hint, "    return "+s+";\n")
}

// everywhere tells whether an expression depends on rank and size only.
func everywhere(e *scale.Expr) bool {
	if e.Op == scale.Index || e.Op == scale.Elem {
		return false
	}
	for _, a := range e.Args {
		if !everywhere(a) {
			return false
		}
	}
	return true
}

func (x *anysize) inPlace(e *scale.Expr, name func(int64) string) string {
	if v, ok := constant(e); ok {
		return literal(v, name)
	}
	switch e.Op {
	case scale.If:
		return fmt.Sprintf("%s ? %s : %s", condition(x.expr(e.Args[0])), operand(x.inPlace(e.Args[1], name)), operand(x.inPlace(e.Args[2], name)))
	case scale.Pick:
		return x.pick(e, func(e *scale.Expr) string { return x.value(e, name) })
	}
	return trim(x.expr(e))
}

// condition is a condition before a question mark, which binds less than all that is in it.
func condition(s string) string {
	if t := trim(s); !strings.Contains(t, "?") {
		return t
	}
	return s
}

// pick is the choice of one of several expressions, by their number.
func (x *anysize) pick(e *scale.Expr, text func(*scale.Expr) string) string {
	parts := make([]string, len(e.Args)-1)
	for i, a := range e.Args[1:] {
		parts[i] = trim(text(a))
	}
	return fmt.Sprintf("pick(%s, %d, (const long[]){%s})", trim(x.expr(e.Args[0])), len(parts), strings.Join(parts, ", "))
}

// natural tells whether an expression cannot be negative.
func natural(e *scale.Expr) bool {
	switch e.Op {
	case scale.Rank, scale.Size, scale.Index, scale.Elem, scale.Mod:
		return true
	case scale.Num:
		return e.N >= 0
	case scale.Add, scale.Mul:
		return natural(e.Args[0]) && natural(e.Args[1])
	case scale.If, scale.Pick:
		for _, a := range e.Args[1:] {
			if !natural(a) {
				return false
			}
		}
		return true
	}
	return false
}

// trim removes parentheses around all of an expression.
func trim(s string) string {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return s
	}
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return s
			}
		}
	}
	return s[1 : len(s)-1]
}
