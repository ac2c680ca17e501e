package rankfunc

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the function for people: "rank+1", "5 for 0-35:6, else rank-1", "list".
// Pieces are in order: the first one that has the rank counts.
func (f *Func) String() string {
	if f.f != nil {
		return f.f.String()
	}
	k := f.packed()
	if k.except == nil {
		return "list"
	}
	pieces := k.pieces(nil)
	return strings.Join(append(pieces, k.f.String()), ", else ")
}

// pieces appends all pieces but the one of k's own formula.
func (k *packed) pieces(dst []string) []string {
	last := "list"
	if k.rest.f != nil {
		last = k.rest.f.String()
	} else if r := k.rest.packed(); r.except != nil {
		dst = r.pieces(dst)
		last = r.f.String()
	}
	return append(dst, last+" for "+k.except.String())
}

// String returns the formula for people.
func (f *Formula) String() string {
	switch f.Kind {
	case FormulaConstant:
		return strconv.FormatInt(f.A, 10)
	case FormulaShift:
		return plus("rank", f.A)
	case FormulaRing:
		return fmt.Sprintf("%s mod %d", operand(plus("rank", f.A)), f.Size)
	case FormulaLine:
		return f.noRank(plus("rank", f.A))
	case FormulaXor:
		return fmt.Sprintf("rank xor %d", f.A)
	case FormulaAffine:
		return plus(times(f.A, "rank"), f.B)
	case FormulaCoords:
		return f.coordsText()
	case FormulaDigit:
		return plus(times(f.A, fmt.Sprintf("rank div %d mod %d", f.Q, f.P)), f.C)
	case FormulaOne:
		return fmt.Sprintf("%d for %d, else %d", f.B, f.C, f.A)
	case FormulaDiv:
		return fmt.Sprintf("rank div %d", f.P)
	case FormulaMod:
		return fmt.Sprintf("%s mod %d", operand(plus("rank", f.A)), f.P)
	case FormulaLeader:
		return fmt.Sprintf("rank - rank mod %d", f.P)
	case FormulaGrid:
		return f.gridText()
	case FormulaMultiple:
		return fmt.Sprintf("%s mod %d", operand(plus(times(f.A, "rank"), f.C)), f.Size)
	}
	return f.treeText()
}

func (f *Formula) treeText() string {
	root := fmt.Sprintf(", %d for rank 0", f.B)
	switch f.Kind {
	case FormulaParent:
		return fmt.Sprintf("(rank-1) div %d", f.P) + root
	case FormulaChild:
		return f.noRank(plus(times(f.A, "rank"), f.C))
	case FormulaClearLow:
		return "rank less its lowest bit" + root
	case FormulaClearHigh:
		return "rank less its highest bit" + root
	case FormulaAddBelow:
		return f.noRank(fmt.Sprintf("rank+%d below its lowest bit", int64(1)<<(f.A&31)))
	case FormulaAddAbove:
		return f.noRank(fmt.Sprintf("rank+%d above its highest bit", int64(1)<<(f.A&31)))
	case FormulaXorLine:
		return f.noRank(fmt.Sprintf("rank xor %d", f.A))
	case FormulaAtLeast:
		return fmt.Sprintf("max(%s, %d)", plus("rank", f.A), f.B)
	case FormulaAtMost:
		return fmt.Sprintf("min(%s, %d)", plus("rank", f.A), f.B)
	case FormulaBetween:
		return fmt.Sprintf("min(max(%s, %d), %d)", plus("rank", f.A), f.B, f.C)
	case FormulaPermute:
		o := orders[f.A]
		return fmt.Sprintf("grid %dx%dx%d with axes (%d,%d,%d)",
			f.Axes[0].Size, f.Axes[1].Size, f.Axes[2].Size, o[0], o[1], o[2])
	}
	return f.nearText()
}

// nearText describes neighbours by their place among those that exist.
func (f *Formula) nearText() string {
	var sizes, dirs []string
	for _, x := range f.Axes {
		sizes = append(sizes, strconv.FormatInt(x.Size, 10))
	}
	all := neighborOrders(len(f.Axes))[f.P].dirs
	for _, d := range all {
		s := ""
		for range f.Axes {
			s = string("-0+"[d%3]) + s
			d /= 3
		}
		dirs = append(dirs, s)
	}
	order := strings.Join(dirs, " ")
	if len(all) > 2*shapeAxes {
		order = fmt.Sprintf("order %d all around", f.P)
	}
	s := fmt.Sprintf("neighbour %d in grid %s (%s)", f.A+1, strings.Join(sizes, "x"), order)
	if f.Kind == FormulaNear {
		return s
	}
	x := "its direction"
	if f.Q == byOpposite {
		x += " swapped in pairs"
	} else if f.Q == byCell {
		x += " to the base 3"
	}
	return plus(times(f.B, x), f.C) + ", " + s
}

// coordsText names the frequent cases.
func (f *Formula) coordsText() string {
	if f.A == 1 && f.B > 1 && f.C == 0 {
		return fmt.Sprintf("transpose %dx%d", f.B, f.P)
	}
	row := times(f.A, fmt.Sprintf("(rank div %d)", f.P))
	column := times(f.B, fmt.Sprintf("(rank mod %d)", f.P))
	switch {
	case f.A == 0:
		row = column
	case f.B < 0:
		row += column
	case f.B > 0:
		row += "+" + column
	}
	return plus(row, f.C)
}

func (f *Formula) gridText() string {
	var sizes, shifts, periods []string
	all, none := true, true
	for _, x := range f.Axes {
		sizes = append(sizes, strconv.FormatInt(x.Size, 10))
		s := fmt.Sprintf("%+d", x.Shift)
		if x.Shift == 0 {
			s = "0"
		}
		shifts = append(shifts, s)
		periods = append(periods, map[bool]string{true: "yes", false: "no"}[x.Periodic])
		all = all && (x.Periodic || x.Shift == 0)
		none = none && !x.Periodic
	}
	s := fmt.Sprintf("grid %s (%s)", strings.Join(sizes, "x"), strings.Join(shifts, ","))
	switch {
	case all:
		return s + " periodic"
	case !none:
		s += " periodic (" + strings.Join(periods, ",") + ")"
	}
	return s + fmt.Sprintf(", %d beyond the border", f.B)
}

// noRank adds to the text of a rank what counts if there is no such rank.
func (f *Formula) noRank(s string) string { return s + fmt.Sprintf(", %d if no rank", f.B) }

// plus returns the text of s + c.
func plus(s string, c int64) string {
	if c == 0 {
		return s
	}
	return s + fmt.Sprintf("%+d", c)
}

// times returns the text of a * s.
func times(a int64, s string) string {
	switch a {
	case 1:
		return s
	case -1:
		return "-" + s
	}
	return fmt.Sprintf("%d*%s", a, s)
}

// operand puts a sum in parentheses.
func operand(s string) string {
	if s == "rank" {
		return s
	}
	return "(" + s + ")"
}

// String returns the arrays for people: "[1 2 3]", "[0 8]+rank", "list".
func (v *Vec) String() string {
	v = v.loaded()
	switch v.form {
	case formSame:
		return fmt.Sprint(v.base)
	case formAdded:
		return fmt.Sprintf("%d+%v", v.base, v.g)
	case formRing:
		return fmt.Sprintf("(rank+%d) mod %d", v.base, v.size)
	case formXor:
		return fmt.Sprintf("rank xor %d", v.base)
	case formForward:
		return fmt.Sprintf("%d turned by rank", v.base)
	case formBackward:
		return fmt.Sprintf("%d turned by -rank", v.base)
	case formOwn:
		return fmt.Sprintf("%d, %v at its own rank", v.base, v.g)
	case formElements:
		var s []string
		for _, c := range v.cols {
			s = append(s, c.String())
		}
		if _, same := v.length.Constant(); same {
			return "[" + strings.Join(s, "; ") + "]"
		}
		return fmt.Sprintf("first (%v) of [%s]", v.length, strings.Join(s, "; "))
	}
	return "list"
}
