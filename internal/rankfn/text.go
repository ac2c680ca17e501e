package rankfn

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
func (f *formula) String() string {
	switch f.kind {
	case kConstant:
		return strconv.FormatInt(f.a, 10)
	case kShift:
		return plus("rank", f.a)
	case kRing:
		return fmt.Sprintf("%s mod %d", operand(plus("rank", f.a)), f.size)
	case kLine:
		return f.noRank(plus("rank", f.a))
	case kXor:
		return fmt.Sprintf("rank xor %d", f.a)
	case kAffine:
		return plus(times(f.a, "rank"), f.b)
	case kCoords:
		return f.coordsText()
	case kDigit:
		return plus(times(f.a, fmt.Sprintf("rank div %d mod %d", f.q, f.p)), f.c)
	case kOne:
		return fmt.Sprintf("%d for %d, else %d", f.b, f.c, f.a)
	case kDiv:
		return fmt.Sprintf("rank div %d", f.p)
	case kMod:
		return fmt.Sprintf("%s mod %d", operand(plus("rank", f.a)), f.p)
	case kLeader:
		return fmt.Sprintf("rank - rank mod %d", f.p)
	case kGrid:
		return f.gridText()
	case kMultiple:
		return fmt.Sprintf("%s mod %d", operand(plus(times(f.a, "rank"), f.c)), f.size)
	}
	return f.treeText()
}

func (f *formula) treeText() string {
	root := fmt.Sprintf(", %d for rank 0", f.b)
	switch f.kind {
	case kParent:
		return fmt.Sprintf("(rank-1) div %d", f.p) + root
	case kChild:
		return f.noRank(plus(times(f.a, "rank"), f.c))
	case kClearLow:
		return "rank less its lowest bit" + root
	case kClearHigh:
		return "rank less its highest bit" + root
	case kAddBelow:
		return f.noRank(fmt.Sprintf("rank+%d below its lowest bit", int64(1)<<(f.a&31)))
	case kAddAbove:
		return f.noRank(fmt.Sprintf("rank+%d above its highest bit", int64(1)<<(f.a&31)))
	case kXorLine:
		return f.noRank(fmt.Sprintf("rank xor %d", f.a))
	case kAtLeast:
		return fmt.Sprintf("max(%s, %d)", plus("rank", f.a), f.b)
	case kAtMost:
		return fmt.Sprintf("min(%s, %d)", plus("rank", f.a), f.b)
	case kBetween:
		return fmt.Sprintf("min(max(%s, %d), %d)", plus("rank", f.a), f.b, f.c)
	case kPermute:
		o := orders[f.a]
		return fmt.Sprintf("grid %dx%dx%d with axes (%d,%d,%d)", f.axes[0].size, f.axes[1].size, f.axes[2].size, o[0], o[1], o[2])
	}
	return f.nearText()
}

// nearText describes neighbours by their place among those that exist.
func (f *formula) nearText() string {
	var sizes, dirs []string
	for _, x := range f.axes {
		sizes = append(sizes, strconv.FormatInt(x.size, 10))
	}
	all := courses(len(f.axes))[f.p].dirs
	for _, d := range all {
		s := ""
		for range f.axes {
			s = string("-0+"[d%3]) + s
			d /= 3
		}
		dirs = append(dirs, s)
	}
	order := strings.Join(dirs, " ")
	if len(all) > 2*shapeAxes {
		order = fmt.Sprintf("order %d all around", f.p)
	}
	s := fmt.Sprintf("neighbour %d in grid %s (%s)", f.a+1, strings.Join(sizes, "x"), order)
	if f.kind == kNear {
		return s
	}
	x := "its direction"
	if f.q == byOpposite {
		x += " swapped in pairs"
	} else if f.q == byCell {
		x += " to the base 3"
	}
	return plus(times(f.b, x), f.c) + ", " + s
}

// coordsText names the frequent cases.
func (f *formula) coordsText() string {
	if f.a == 1 && f.b > 1 && f.c == 0 {
		return fmt.Sprintf("transpose %dx%d", f.b, f.p)
	}
	row := times(f.a, fmt.Sprintf("(rank div %d)", f.p))
	column := times(f.b, fmt.Sprintf("(rank mod %d)", f.p))
	switch {
	case f.a == 0:
		row = column
	case f.b < 0:
		row += column
	case f.b > 0:
		row += "+" + column
	}
	return plus(row, f.c)
}

func (f *formula) gridText() string {
	var sizes, shifts, periods []string
	all, none := true, true
	for _, x := range f.axes {
		sizes = append(sizes, strconv.FormatInt(x.size, 10))
		s := fmt.Sprintf("%+d", x.shift)
		if x.shift == 0 {
			s = "0"
		}
		shifts = append(shifts, s)
		periods = append(periods, map[bool]string{true: "yes", false: "no"}[x.periodic])
		all = all && (x.periodic || x.shift == 0)
		none = none && !x.periodic
	}
	s := fmt.Sprintf("grid %s (%s)", strings.Join(sizes, "x"), strings.Join(shifts, ","))
	switch {
	case all:
		return s + " periodic"
	case !none:
		s += " periodic (" + strings.Join(periods, ",") + ")"
	}
	return s + fmt.Sprintf(", %d beyond the border", f.b)
}

// noRank adds to the text of a rank what counts if there is no such rank.
func (f *formula) noRank(s string) string { return s + fmt.Sprintf(", %d if no rank", f.b) }

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
