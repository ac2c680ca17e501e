// Package formula is the language in which a program for any number of ranks is written:
// expressions of the rank, the size of the job, the iterations of loops and the places in arrays,
// with the process grids that they speak of.
//
// An expression is a tree (Expr) that is evaluated (Eval), simplified when it is made (New),
// printed for people (String) and turned into C (Printer). Package infer searches for expressions
// that give the values of a recording, and package cgen writes them into proxies.
//
// It is not how values are stored in files: those are the families of package rankfunc, which are
// functions of the rank alone, chosen for a short encoding and a fast search.
package formula

import "math/bits"

// Op is what an Expr does.
type Op uint8

// Operations. Arithmetic is that of int64; values of conditions are 0 and 1.
const (
	// Num is the constant N.
	Num Op = iota
	// Rank is the rank in MPI_COMM_WORLD, Size its size.
	Rank
	Size
	// Index is the number of the iteration, from 0, of the loop N.
	Index
	// Elem is the index, from 0, in the array whose element is asked for.
	Elem
	// Add, Sub, Mul, Xor, Min, Max are of two arguments; Div rounds down, Mod is not negative;
	// both are 0 for a divisor below 1.
	Add
	Sub
	Mul
	Div
	Mod
	Xor
	Min
	Max
	// Shl is 2 to the power of its argument, 0 if it is negative or above 62.
	Shl
	// Bits is how many bits its argument has without leading zeros; 0 for 0 and less.
	Bits
	// LowBit and HighBit are the lowest and the highest bit that is set in its argument, 0 for 0
	// and less.
	LowBit
	HighBit
	// Eq, Less, And, Or, Not are conditions.
	Eq
	Less
	And
	Or
	Not
	// If is its second argument if the first is not 0, else the third.
	If
	// Pick is argument 1 + i where i is its first argument, from 0; the last one if there are not
	// so many.
	Pick
	// Dim is the size of axis N of Grid, Coord the caller's coordinate on it.
	Dim
	Coord
	// Cell is where in Grid the caller is: for each axis a digit to the base 3, which is 0 at its
	// begin, 2 at its end and 1 between.
	Cell
	// Shift is the rank at the displacement Moves[0] in Grid. Beyond a border (see Periodic) it is
	// its argument, -1 if it has none.
	Shift
	// NearCount is how many of the displacements Moves do not leave Grid. Of these, NearRank is the
	// rank at number i, its argument, and NearMove is the index of that displacement in Moves. Both
	// are -1 if there are not so many.
	NearCount
	NearRank
	NearMove
	// While counts from 0 as long as its first argument is true, at most to its second. In the
	// first argument, Index N is the count so far.
	While
	// Sum adds the values of its argument for all elements before Elem. In the argument, Elem is
	// each of them in turn.
	Sum
	numOps
)

// Expr is a function of rank, size and loop indices, as a tree. It must not be changed once made.
type Expr struct {
	Op   Op
	N    int64
	Args []*Expr
	Grid *Grid
	// Moves are displacements, one number for each axis of Grid.
	Moves [][]int
	// Periodic tells which axes of Shift wrap around.
	Periodic []bool
}

// Env is where an Expr is evaluated.
type Env struct {
	Rank, Size int64
	// Index holds the iteration of each loop by its number.
	Index []int64
	Elem  int64
	// Dims are the sizes of grids for Size, by Grid.ID; nil for grids that so many ranks do not
	// fill.
	Dims [][]int64
}

// Constant is the number n.
func Constant(n int64) *Expr { return &Expr{Op: Num, N: n} }

// New is an operation on arguments; sums and products with constants are simplified.
func New(o Op, args ...*Expr) *Expr { return fold(&Expr{Op: o, Args: args}) }

// fold simplifies sums and products with constants.
func fold(e *Expr) *Expr {
	constant := func(i int) (int64, bool) {
		if i < len(e.Args) && e.Args[i].Op == Num {
			return e.Args[i].N, true
		}
		return 0, false
	}
	a, isA := constant(0)
	b, isB := constant(1)
	switch e.Op {
	case Add:
		switch {
		case isA && isB:
			return Constant(a + b)
		case isA && a == 0:
			return e.Args[1]
		case isB && b == 0:
			return e.Args[0]
		case isB && b < 0:
			return New(Sub, e.Args[0], Constant(-b))
		case isA:
			return New(Add, e.Args[1], e.Args[0])
		}
	case Sub:
		if isB && b == 0 {
			return e.Args[0]
		}
		if isA && isB {
			return Constant(a - b)
		}
	case Mul:
		switch {
		case isA && isB:
			return Constant(a * b)
		case isA && a == 1:
			return e.Args[1]
		case isB && b == 1:
			return e.Args[0]
		case isA && a == 0 || isB && b == 0:
			return Constant(0)
		}
	}
	return e
}

// MaxLength bounds the arrays whose elements are looked at.
const MaxLength = 1 << 24

// Eval is the value of e; that of nil, how often something is done that is done once, is 1.
func (e *Expr) Eval(v *Env) int64 {
	if e == nil {
		return 1
	}
	switch e.Op {
	case Num:
		return e.N
	case Rank:
		return v.Rank
	case Size:
		return v.Size
	case Index:
		if int(e.N) < len(v.Index) {
			return v.Index[e.N]
		}
		return 0
	case Elem:
		return v.Elem
	case Dim, Coord, Cell, Shift, NearCount, NearRank, NearMove:
		return e.evalGrid(v)
	case If:
		if e.Args[0].Eval(v) != 0 {
			return e.Args[1].Eval(v)
		}
		return e.Args[2].Eval(v)
	case And:
		return Truth(e.Args[0].Eval(v) != 0 && e.Args[1].Eval(v) != 0)
	case Or:
		return Truth(e.Args[0].Eval(v) != 0 || e.Args[1].Eval(v) != 0)
	case Pick:
		i := e.Args[0].Eval(v)
		return e.Args[1+min(max(i, 0), int64(len(e.Args)-2))].Eval(v)
	case While:
		return e.evalWhile(v)
	case Sum:
		at, n := v.Elem, int64(0)
		for v.Elem = 0; v.Elem < min(at, MaxLength); v.Elem++ {
			n += e.Args[0].Eval(v)
		}
		v.Elem = at
		return n
	}
	a := e.Args[0].Eval(v)
	if len(e.Args) == 1 {
		return unary(e.Op, a)
	}
	return binary(e.Op, a, e.Args[1].Eval(v))
}

// Fill sets the elements of an array to the values of e, from the first one on.
func (e *Expr) Fill(v *Env, dst []int64) {
	sum := int64(0)
	for i := range dst {
		v.Elem = int64(i)
		if e.Op == Sum { // of those before: not from the beginning each time
			dst[i] = sum
			sum += e.Args[0].Eval(v)
			continue
		}
		dst[i] = e.Eval(v)
	}
}

// Truth is 1 for true and 0 for false.
func Truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func unary(o Op, a int64) int64 {
	switch o {
	case Shl:
		if a < 0 || a > 62 {
			return 0
		}
		return 1 << a
	case Not:
		return Truth(a == 0)
	}
	if a <= 0 {
		return 0
	}
	switch o {
	case Bits:
		return int64(bits.Len64(uint64(a)))
	case LowBit:
		return a & -a
	case HighBit:
		return 1 << (bits.Len64(uint64(a)) - 1)
	}
	return 0
}

func binary(o Op, a, b int64) int64 {
	switch o {
	case Add:
		return a + b
	case Sub:
		return a - b
	case Mul:
		return a * b
	case Xor:
		return a ^ b
	case Min:
		return min(a, b)
	case Max:
		return max(a, b)
	case Eq:
		return Truth(a == b)
	case Less:
		return Truth(a < b)
	case Div, Mod:
		if b < 1 {
			return 0
		}
		m := FloorMod(a, b)
		if o == Mod {
			return m
		}
		return (a - m) / b
	}
	return 0
}

// FloorMod is a modulo b, which is positive: from 0 to b-1.
func FloorMod(a, b int64) int64 {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}

// maxWhile bounds how many iterations While counts.
const maxWhile = 1 << 22

func (e *Expr) evalWhile(v *Env) int64 {
	most := min(e.Args[1].Eval(v), maxWhile)
	w := *v
	w.Index = append(make([]int64, 0, max(len(v.Index), int(e.N)+1)), v.Index...)
	for len(w.Index) <= int(e.N) {
		w.Index = append(w.Index, 0)
	}
	i := int64(0)
	for ; i < most; i++ {
		w.Index[e.N] = i
		if e.Args[0].Eval(&w) == 0 {
			break
		}
	}
	return i
}

// Uses tells whether e has a part that is as asked. The index that a While counts with is not a
// part of it.
func (e *Expr) Uses(what func(*Expr) bool) bool {
	if e == nil {
		return false
	}
	if what(e) {
		return true
	}
	for i, a := range e.Args {
		if e.Op == While && i == 0 {
			if a.Uses(func(x *Expr) bool { return !(x.Op == Index && x.N == e.N) && what(x) }) {
				return true
			}
			continue
		}
		if a.Uses(what) {
			return true
		}
	}
	return false
}

// UsesIndex tells whether e depends on the index of loop n.
func (e *Expr) UsesIndex(n int) bool {
	return e.Uses(func(x *Expr) bool { return x.Op == Index && x.N == int64(n) })
}

// UsesRank tells whether e is not the same at all ranks.
func (e *Expr) UsesRank() bool {
	return e.Uses(func(x *Expr) bool {
		switch x.Op {
		case Rank, Coord, Cell, Shift, NearCount, NearRank, NearMove:
			return true
		}
		return false
	})
}

// UsesSize tells whether e depends on the size of the job other than through the rank.
func (e *Expr) UsesSize() bool {
	return e.Uses(func(x *Expr) bool { return x.Op == Size || x.Grid != nil })
}

// IsCondition tells whether e is a condition: 0 or 1.
func (e *Expr) IsCondition() bool { return e.Op >= Eq && e.Op <= Not }

// Equal tells whether two expressions are written alike.
func (e *Expr) Equal(f *Expr) bool { return e.String() == f.String() }
