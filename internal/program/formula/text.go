package formula

import (
	"fmt"
	"strings"
)

// infix are the operations that people write between their arguments.
var infix = map[Op]string{Add: "+", Sub: "-", Mul: "*", Xor: "xor", Div: "div", Mod: "mod",
	Eq: "=", Less: "<", And: "and", Or: "or"}

var prefix = map[Op]string{Min: "min", Max: "max", Shl: "2^", Bits: "bits", LowBit: "lowest bit of",
	HighBit: "highest bit of", Not: "not"}

// String is the expression for people: P is the size of the job and r the rank.
func (e *Expr) String() string {
	if e == nil {
		return "1"
	}
	switch e.Op {
	case Num:
		return fmt.Sprint(e.N)
	case Rank:
		return "r"
	case Size:
		return "P"
	case Index:
		return fmt.Sprintf("i%d", e.N)
	case Elem:
		return "e"
	case If:
		return fmt.Sprintf("(%v if %v else %v)", e.Args[1], e.Args[0], e.Args[2])
	case Pick:
		return fmt.Sprintf("%v[%v]", List(e.Args[1:]), e.Args[0])
	case Dim:
		return fmt.Sprintf("d%d", e.N)
	case Coord:
		return fmt.Sprintf("c%d", e.N)
	case Cell:
		return "cell"
	case Shift:
		return fmt.Sprintf("shift%v%s", e.Moves[0], wraps(e.Periodic))
	case NearCount:
		return fmt.Sprintf("neighbours%v", e.Moves)
	case NearRank:
		return fmt.Sprintf("neighbour%v[%v]", e.Moves, e.Args[0])
	case NearMove:
		return fmt.Sprintf("direction%v[%v]", e.Moves, e.Args[0])
	case Sum:
		return fmt.Sprintf("(sum of %v for all before e)", e.Args[0])
	case While:
		return fmt.Sprintf("(how many i%d < %v while %v)", e.N, e.Args[1], e.Args[0])
	}
	if t, ok := infix[e.Op]; ok {
		return fmt.Sprintf("(%v %s %v)", e.Args[0], t, e.Args[1])
	}
	return fmt.Sprintf("%s(%s)", prefix[e.Op], strings.Trim(List(e.Args), "[]"))
}

// List is the text of several expressions, in brackets.
func List(args []*Expr) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.String()
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func wraps(periodic []bool) string {
	for _, p := range periodic {
		if p {
			return fmt.Sprintf("wrap%v", periodic)
		}
	}
	return ""
}
