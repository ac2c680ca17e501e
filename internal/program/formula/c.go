package formula

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// Functions are the C functions that printed expressions call, in parts.
//
//go:embed parts/functions.c
var Functions string

// Printer makes C of expressions. Its variables are of type long: rank, size, e for Elem, and i0,
// i1, ... for the indices of loops. Sizes of grids are in arrays, see Grids.
type Printer struct {
	// Elem is what stands for the place in an array, the variable e if it is nil.
	Elem *cc.Expr
	// Least is the least size of the job.
	Least int64
	// Function makes a function of type long, with parameters of the same type, and returns its
	// name.
	Function func(hint string, params []*cc.Expr, body []*cc.Stmt) string
}

// operators are what C writes between two arguments, functions those of Functions.
var (
	operators = map[Op]string{Add: "+", Sub: "-", Mul: "*", Xor: "^", Eq: "==", Less: "<", And: "&&", Or: "||"}
	functions = map[Op]string{Div: "floor_div", Mod: "mod", Min: "min", Max: "max", Shl: "power_of_2",
		Bits: "bits", LowBit: "lowest_bit", HighBit: "highest_bit"}
)

// Index is the variable with the iteration of a loop.
func (p *Printer) Index(loop int) *cc.Expr { return cc.Name(fmt.Sprintf("i%d", loop)) }

// Expr is e in C; that of nil is 1, see Expr.Eval.
func (p *Printer) Expr(e *Expr) *cc.Expr { return p.Named(e, nil) }

// Named is Expr for values that may be constants with names; name, if it is not nil, writes them.
func (p *Printer) Named(e *Expr, name func(int64) *cc.Expr) *cc.Expr {
	if e == nil {
		return cc.Int(1)
	}
	if v, ok := e.Known(); ok {
		if name != nil {
			return name(v)
		}
		return cc.Int(v)
	}
	switch e.Op {
	case Rank:
		return cc.Name("rank")
	case Size:
		return cc.Name("size")
	case Index:
		return p.Index(int(e.N))
	case Elem:
		if p.Elem != nil {
			return p.Elem
		}
		return cc.Name("e")
	case Not:
		return p.not(e.Args[0])
	case If:
		return cc.Choice(unlessChoice(p.Expr(e.Args[0])), unlessChoice(p.Named(e.Args[1], name)),
			unlessChoice(p.Named(e.Args[2], name)))
	case Pick:
		list := make([]*cc.Expr, len(e.Args)-1)
		for i, a := range e.Args[1:] {
			list[i] = p.Named(a, name)
		}
		return cc.Call("pick", p.Expr(e.Args[0]), cc.Int(len(list)), numbers(list...))
	case While, Sum:
		return p.loop(e)
	case Add:
		if v, ok := e.Args[1].Known(); ok && v < 0 && v != math.MinInt64 {
			return p.Expr(&Expr{Op: Sub, Args: []*Expr{e.Args[0], Constant(-v)}})
		}
	case Mod, Div:
		if out := p.divided(e); out != nil {
			return out
		}
	case Less:
		if v, ok := e.Args[0].Known(); ok {
			return cc.Op(p.Expr(e.Args[1]), ">", cc.Int(v))
		}
	}
	if e.Grid != nil {
		return p.grid(e, name)
	}
	args := make([]*cc.Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = p.Expr(a)
		if a.IsCondition() && !e.IsCondition() && operators[e.Op] != "" {
			args[i] = cc.Cast("long", cc.Paren(args[i])) // of type int in C
		}
	}
	if o := operators[e.Op]; o != "" {
		return cc.Op(args[0], o, args[1])
	}
	return cc.Call(functions[e.Op], args...)
}

func unlessChoice(e *cc.Expr) *cc.Expr {
	if e.Kind == cc.KindChoice {
		return cc.Paren(e)
	}
	return e
}

// numbers is an array without a name.
func numbers(list ...*cc.Expr) *cc.Expr { return cc.List("const long[]", list...) }

func ints[T int | int64](list []T) *cc.Expr {
	out := make([]*cc.Expr, len(list))
	for i, n := range list {
		out[i] = cc.Int(int64(n))
	}
	return numbers(out...)
}

func (p *Printer) not(e *Expr) *cc.Expr {
	switch e.Op {
	case Eq:
		return cc.Op(p.Expr(e.Args[0]), "!=", p.Expr(e.Args[1]))
	case Less:
		if v, ok := e.Args[0].Known(); ok {
			return cc.Op(p.Expr(e.Args[1]), "<=", cc.Int(v))
		}
		return cc.Op(p.Expr(e.Args[0]), ">=", p.Expr(e.Args[1]))
	}
	return cc.Prefix("!", cc.Operand(p.Expr(e)))
}

// divided is a Div or Mod in which C's operators do the same, as nothing is negative; nil for
// others.
func (p *Printer) divided(e *Expr) *cc.Expr {
	a, n := e.Args[0], e.Args[1]
	if v, ok := n.Known(); n.Op != Size && n.Op != Dim && (!ok || v < 1) {
		return nil
	}
	op := "/"
	if e.Op == Mod {
		op = "%"
	}
	if a.Natural() {
		return cc.Op(p.Expr(a), op, p.Expr(n))
	}
	if back, ok := a.less(); ok && e.Op == Mod && n.Op == Size && back <= max(p.Least, 1) {
		around := cc.Op(p.Expr(a.Args[0]), "+", cc.Name("size"))
		return cc.Op(cc.Op(around, "-", cc.Int(back)), op, p.Expr(n))
	}
	return nil
}

// less is the number that is taken from what is not negative.
func (e *Expr) less() (n int64, ok bool) {
	if e.Op != Sub || !e.Args[0].Natural() {
		return 0, false
	}
	n, ok = e.Args[1].Known()
	return n, ok && n > 0
}

// dims is the array with the sizes of a grid.
func (g *Grid) dims() *cc.Expr {
	if _, _, left := g.fixed(); len(g.Fixed) > 0 && left == 0 {
		return ints(g.Fixed)
	}
	return cc.Name(fmt.Sprintf("grid%d", g.ID))
}

func (p *Printer) grid(e *Expr, name func(int64) *cc.Expr) *cc.Expr {
	dims, axes := e.Grid.dims(), cc.Int(e.Grid.Axes)
	switch e.Op {
	case Dim:
		return cc.Index(dims, cc.Int(e.N))
	case Coord:
		return cc.Call("coordinate", axes, dims, cc.Int(e.N))
	case Cell:
		return cc.Call("grid_cell", axes, dims)
	case Shift:
		periodic := make([]int64, e.Grid.Axes)
		for i := range e.Periodic {
			periodic[i] = Truth(e.Periodic[i])
		}
		other := cc.Int(-1)
		if len(e.Args) > 0 {
			other = p.Named(e.Args[0], name)
		}
		return cc.Call("grid_shift", axes, dims, ints(e.Moves[0]), ints(periodic), other)
	}
	var by []int
	for _, m := range e.Moves {
		by = append(by, m...)
	}
	moves, n := ints(by), cc.Int(len(e.Moves))
	if e.Op == NearCount {
		return cc.Call("neighbors", axes, dims, moves, n)
	}
	return cc.Call("neighbor", axes, dims, moves, n, p.Expr(e.Args[0]), cc.Int(Truth(e.Op == NearMove)))
}

// loop makes a function of a While or Sum. Its parameters are all that the expression depends on
// but rank and size, which are the program's.
func (p *Printer) loop(e *Expr) *cc.Expr {
	inner := *p
	inner.Elem = nil
	var params, passed []*cc.Expr
	if e.Op == Sum || e.UsesElem() {
		params, passed = append(params, cc.Name("e")), append(passed, p.Expr(New(Elem)))
	}
	e.Uses(func(x *Expr) bool {
		if i := p.Index(int(x.N)); x.Op == Index && !slices.ContainsFunc(params,
			func(y *cc.Expr) bool { return y.Is(i.Text) }) {
			params, passed = append(params, i), append(passed, i)
		}
		return false
	})
	declare := func(vars ...*cc.Expr) *cc.Stmt { return cc.Do(cc.Declare("long", vars...)) }
	if e.Op == While {
		i := p.Index(int(e.N))
		more := cc.Op(cc.Op(i, "<", inner.Expr(e.Args[1])), "&&", inner.Expr(e.Args[0]))
		return cc.Call(p.Function("count", params, []*cc.Stmt{declare(cc.Assign(i, cc.Int(0))),
			cc.Under(cc.Head("while", more), cc.Do(cc.Name(i.Text+"++"))), cc.Return(i)}), passed...)
	}
	at, to, n := params[0], cc.Name("to"), cc.Name("n")
	head := cc.Head("for", cc.Assign(at, cc.Int(0)), cc.Op(at, "<", to), cc.Name("e++"))
	return cc.Call(p.Function("sum", params, []*cc.Stmt{declare(cc.Assign(to, at), cc.Assign(n, cc.Int(0))),
		cc.Under(head, cc.Do(cc.Infix(n, "+=", inner.Expr(e.Args[0])))), cc.Return(n)}), passed...)
}

// Grids is the C text that declares the sizes of the axes of grids, and a function set_grids that sets
// them; it returns 0 if that number of ranks does not fill one of them.
func Grids(grids []*Grid) string {
	var b strings.Builder
	for _, g := range grids {
		fmt.Fprintf(&b, "static long grid%d[%d];\n", g.ID, g.Axes)
	}
	b.WriteString("static int set_grids(void)\n{\n")
	for _, g := range grids {
		if len(g.Fixed) == 0 {
			fmt.Fprintf(&b, "    balanced(size, %d, %d, grid%d);\n", g.Axes, Truth(g.Ascending), g.ID)
			continue
		}
		product, open, left := g.fixed()
		for i, x := range g.Fixed {
			if x != 0 {
				fmt.Fprintf(&b, "    grid%d[%d] = %d;\n", g.ID, i, x)
			}
		}
		switch left {
		case 0:
			fmt.Fprintf(&b, "    if (size != %d) return 0;\n", product)
		case 1:
			fmt.Fprintf(&b, "    if (size %% %d) return 0;\n    grid%d[%d] = size / %d;\n", product, g.ID, open,
				product)
		default:
			fmt.Fprintf(&b, "    if (size %% %d) return 0;\n    balanced(size / %d, %d, %d, grid%d + %d);\n", product,
				product, left, Truth(g.Ascending), g.ID, open)
		}
	}
	b.WriteString("    return size > 0;\n}\n")
	return b.String()
}
