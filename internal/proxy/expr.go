package proxy

import (
	"fmt"
	"strconv"
	"strings"

	"tabard/internal/rankfn"
	"tabard/trace"
)

// Expressions in C of the variables rank and size, which are the rank in MPI_COMM_WORLD and its size.

// longest is how long an expression may be in the midst of a call, in bytes.
const longest = 56

// literal is a number in C. name, if not nil, says which constant it is.
func literal(v int64, name func(int64) string) string {
	if name != nil {
		if s := name(v); s != "" {
			if strings.Contains(s, "|") {
				return "(" + strings.ReplaceAll(s, "|", " | ") + ")"
			}
			return s
		}
	}
	switch {
	case v == -1<<63:
		return "(-0x7fffffffffffffffL - 1)"
	case v > 1<<31-1 || v < -1<<31+1:
		return strconv.FormatInt(v, 10) + "L"
	}
	return strconv.FormatInt(v, 10)
}

// plus is the text of s + c.
func plus(s string, c int64) string {
	switch {
	case c == 0:
		return s
	case c < 0 && c != -1<<63:
		return fmt.Sprintf("%s - %s", s, literal(-c, nil))
	}
	return fmt.Sprintf("%s + %s", s, literal(c, nil))
}

// times is the text of a * s, s being a single operand.
func times(a int64, s string) string {
	if a == 1 {
		return s
	}
	return literal(a, nil) + " * " + s
}

// modulo is the text of (s + a) mod p, s being what is not negative. size is "size" or the number p.
func modulo(s string, a, p int64, size string) string {
	if a %= p; a < 0 {
		a += p
	}
	if a == 0 {
		return fmt.Sprintf("%s %% %s", s, size)
	}
	if a > p/2 && a < p {
		return fmt.Sprintf("(%s + %s - %d) %% %s", s, size, p-a, size)
	}
	return fmt.Sprintf("(%s) %% %s", plus(s, a), size)
}

// sizeOf is the text of a number of ranks.
func (g *generator) sizeOf(n int64) string {
	if n == int64(g.size) {
		return "size"
	}
	return strconv.FormatInt(n, 10)
}

// formula is an expression for a formula of the rank.
func (g *generator) formula(f *rankfn.Formula, name func(int64) string) string {
	size := g.sizeOf(f.Size)
	other := literal(f.B, name)
	switch f.Kind {
	case rankfn.FormulaConstant:
		return literal(f.A, name)
	case rankfn.FormulaShift:
		return plus("rank", f.A)
	case rankfn.FormulaRing:
		return modulo("rank", f.A, f.Size, size)
	case rankfn.FormulaLine:
		if f.A < 0 {
			return fmt.Sprintf("rank >= %d ? %s : %s", -f.A, plus("rank", f.A), other)
		}
		return fmt.Sprintf("%s < %s ? %s : %s", plus("rank", f.A), size, plus("rank", f.A), other)
	case rankfn.FormulaXor:
		return fmt.Sprintf("rank ^ %s", literal(f.A, nil))
	case rankfn.FormulaAffine:
		return plus(times(f.A, "rank"), f.B)
	case rankfn.FormulaOne:
		return fmt.Sprintf("rank == %d ? %s : %s", f.C, other, literal(f.A, name))
	case rankfn.FormulaDiv:
		return fmt.Sprintf("rank / %s", g.sizeOf(f.P))
	case rankfn.FormulaMod:
		return modulo("rank", f.A, f.P, g.sizeOf(f.P))
	case rankfn.FormulaLeader:
		return fmt.Sprintf("rank - rank %% %d", f.P)
	case rankfn.FormulaCoords:
		return g.coords(f)
	case rankfn.FormulaDigit:
		return plus(times(f.A, fmt.Sprintf("(rank / %d %% %d)", f.Q, f.P)), f.C)
	case rankfn.FormulaMultiple:
		return fmt.Sprintf("mod(%s, %s)", plus(times(f.A, "rank"), f.C), size)
	case rankfn.FormulaGrid, rankfn.FormulaPermute, rankfn.FormulaNear, rankfn.FormulaNearNumber:
		return g.grid(f, other)
	}
	return g.tree(f, size, other, name)
}

func (g *generator) coords(f *rankfn.Formula) string {
	var parts []string
	if f.A != 0 {
		parts = append(parts, times(f.A, fmt.Sprintf("(rank / %d)", f.P)))
	}
	if f.B != 0 {
		parts = append(parts, times(f.B, fmt.Sprintf("(rank %% %d)", f.P)))
	}
	if len(parts) == 0 {
		return literal(f.C, nil)
	}
	return plus(strings.Join(parts, " + "), f.C)
}

// tree is an expression for the families of trees and those with limits.
func (g *generator) tree(f *rankfn.Formula, size, other string, name func(int64) string) string {
	orElse := func(x string) string { return fmt.Sprintf("rank_or(%s, %s)", x, other) }
	switch f.Kind {
	case rankfn.FormulaParent:
		return fmt.Sprintf("rank > 0 ? (rank - 1) / %d : %s", f.P, other)
	case rankfn.FormulaChild:
		return orElse(plus(times(f.A, "rank"), f.C))
	case rankfn.FormulaClearLow:
		return fmt.Sprintf("rank > 0 ? rank & (rank - 1) : %s", other)
	case rankfn.FormulaClearHigh:
		return fmt.Sprintf("rank > 0 ? rank - highest_bit(rank) : %s", other)
	case rankfn.FormulaAddBelow:
		bit := int64(1) << (f.A & 31)
		return fmt.Sprintf("rank %% %d == 0 && rank + %d < %s ? rank + %d : %s", 2*bit, bit, size, bit, other)
	case rankfn.FormulaAddAbove:
		bit := int64(1) << (f.A & 31)
		return fmt.Sprintf("rank < %d && rank + %d < %s ? rank + %d : %s", bit, bit, size, bit, other)
	case rankfn.FormulaXorLine:
		return orElse(fmt.Sprintf("rank ^ %s", literal(f.A, nil)))
	case rankfn.FormulaAtLeast:
		return fmt.Sprintf("max(%s, %s)", plus("rank", f.A), other)
	case rankfn.FormulaAtMost:
		return fmt.Sprintf("min(%s, %s)", plus("rank", f.A), other)
	case rankfn.FormulaBetween:
		return fmt.Sprintf("min(max(%s, %s), %s)", plus("rank", f.A), other, literal(f.C, name))
	}
	panic(fmt.Sprintf("proxy: formula of unknown kind %d", f.Kind))
}

// grid is an expression for what needs a grid of ranks.
func (g *generator) grid(f *rankfn.Formula, other string) string {
	var sizes, shifts, periods []string
	for _, x := range f.Axes {
		sizes = append(sizes, strconv.FormatInt(x.Size, 10))
		shifts = append(shifts, strconv.FormatInt(x.Shift, 10))
		periods = append(periods, map[bool]string{true: "1", false: "0"}[x.Periodic])
	}
	list := func(s []string) string { return "(const long[]){" + strings.Join(s, ", ") + "}" }
	dims := list(sizes)
	switch f.Kind {
	case rankfn.FormulaGrid:
		return fmt.Sprintf("grid_shift(%d, %s, %s, %s, %s)", len(sizes), dims, list(shifts), list(periods), other)
	case rankfn.FormulaPermute:
		o := f.Order
		return fmt.Sprintf("grid_turn(%s, %d, %d, %d, %s)", dims, o[0], o[1], o[2], other)
	}
	var cells []string
	for _, c := range f.Cells {
		switch {
		case c == rankfn.NoCell && f.Kind == rankfn.FormulaNear:
			cells = append(cells, "-1 - rank")
		case c == rankfn.NoCell:
			cells = append(cells, "-1")
		default:
			cells = append(cells, literal(c, nil))
		}
	}
	s := fmt.Sprintf("(const long[]){%s}[grid_cell(%d, %s)]", strings.Join(cells, ", "), len(sizes), dims)
	if f.Kind == rankfn.FormulaNear {
		return "rank + " + s
	}
	return s
}

// number is an expression for a number at the ranks of a set. hint names what it is.
func (g *generator) number(c *class, x *number, ranks *trace.RankSet, name func(int64) string, hint string) string {
	if x.base != nil {
		return g.relative(c, x, ranks, name, hint)
	}
	if v, ok := x.constant(); ok {
		return literal(v, name)
	}
	return g.function(x.fn, ranks, name, hint)
}

// relative is an expression for a number relative to the ranks of a communicator.
func (g *generator) relative(c *class, x *number, ranks *trace.RankSet, name func(int64) string, hint string) string {
	if v := (&number{n: x.n, fn: x.fn}); v.fn == nil && v.n >= 0 {
		if p, ok := x.base.Size.Constant(); ok && p > 0 {
			r := operand(g.function(x.base.Rank, ranks, nil, "place"))
			return modulo(r, v.n, p, g.sizeOf(p))
		}
	}
	// The values themselves may have a simpler form.
	vals := make([]int64, 0, ranks.Len())
	for r := range ranks.All() {
		vals = append(vals, x.at(r))
	}
	return g.function(rankfn.Fit(c.ctx, ranks, vals), ranks, name, hint)
}

// function is an expression for a function of the rank.
func (g *generator) function(fn *trace.RankFunc, ranks *trace.RankSet, name func(int64) string, hint string) string {
	pieces := fn.Pieces(ranks)
	if len(pieces) == 1 && pieces[0].Values == nil {
		s := g.formula(&pieces[0].Formula, name)
		if len(s) <= longest {
			return s
		}
		return g.helper(hint, "    return "+s+";\n")
	}
	var b strings.Builder
	for i := range pieces {
		p := &pieces[i]
		s := g.formula(&p.Formula, name)
		if p.Values != nil {
			s = g.table(p, s, hint)
		}
		if p.Ranks != nil && i < len(pieces)-1 {
			fmt.Fprintf(&b, "    if (%s) return %s;\n", g.condition(p.Ranks, ranks), s)
		} else {
			fmt.Fprintf(&b, "    return %s;\n", s)
		}
	}
	return g.helper(hint, b.String())
}

// table is an expression for values without a formula: base plus those in a table by the place of the rank.
func (g *generator) table(p *rankfn.Piece, base, hint string) string {
	t := g.constants(hint, p.Values)
	at := g.place(p.Ranks)
	if base == "0" {
		return fmt.Sprintf("%s[%s]", t, at)
	}
	return fmt.Sprintf("%s + %s[%s]", base, t, at)
}

// place is an expression for the index of the rank in a set that has it.
func (g *generator) place(s *trace.RankSet) string {
	if s.Len() == s.Max()-s.Min()+1 {
		return plus("rank", -int64(s.Min()))
	}
	if runs := s.Runs(); len(runs) == 1 && len(runs[0].Body) == 0 {
		return fmt.Sprintf("(%s) / %d", plus("rank", -int64(runs[0].Low)), runs[0].Stride)
	}
	var flat []int64
	for lo, hi := range s.Intervals() {
		flat = append(flat, int64(lo), int64(hi))
	}
	return fmt.Sprintf("place_in(%s, %d)", g.constants("ranks", flat), len(flat))
}

// operand puts what is not a single operand in parentheses.
func operand(s string) string {
	depth := 0
	for i, c := range s {
		switch {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth == 0 && (c == ' ' || c == '-' && i == 0):
			return "(" + s + ")"
		}
	}
	return s
}
