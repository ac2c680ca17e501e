package infer

import "github.com/tabard-hpc/tabard/internal/program/formula"

// Models are written in the language of package formula. These are its words that inference and
// those who print models use all the time.
type (
	Expr = formula.Expr
	Op   = formula.Op
	Env  = formula.Env
	Grid = formula.Grid
)

// Operations of expressions.
const (
	Num       = formula.Num
	Rank      = formula.Rank
	Size      = formula.Size
	Index     = formula.Index
	Elem      = formula.Elem
	Add       = formula.Add
	Sub       = formula.Sub
	Mul       = formula.Mul
	Div       = formula.Div
	Mod       = formula.Mod
	Xor       = formula.Xor
	Min       = formula.Min
	Max       = formula.Max
	Shl       = formula.Shl
	Bits      = formula.Bits
	LowBit    = formula.LowBit
	HighBit   = formula.HighBit
	Eq        = formula.Eq
	Less      = formula.Less
	And       = formula.And
	Or        = formula.Or
	Not       = formula.Not
	If        = formula.If
	Pick      = formula.Pick
	Dim       = formula.Dim
	Coord     = formula.Coord
	Shift     = formula.Shift
	NearCount = formula.NearCount
	NearRank  = formula.NearRank
	NearMove  = formula.NearMove
	While     = formula.While
	Sum       = formula.Sum
)

var (
	rankExpr = formula.New(Rank)
	sizeExpr = formula.New(Size)
	elemExpr = formula.New(Elem)
)

func num(n int64) *Expr { return formula.Constant(n) }

func op(o Op, args ...*Expr) *Expr { return formula.New(o, args...) }

// indexExpr is the number of the iteration of a loop.
func indexExpr(loop int) *Expr { return &Expr{Op: Index, N: int64(loop)} }

// dimExpr is the size of an axis of a grid, coordExpr the caller's coordinate on it.
func dimExpr(g *Grid, axis int) *Expr   { return &Expr{Op: Dim, Grid: g, N: int64(axis)} }
func coordExpr(g *Grid, axis int) *Expr { return &Expr{Op: Coord, Grid: g, N: int64(axis)} }

// pickExpr chooses one of the expressions that choices has, by the value of i.
func pickExpr(i *Expr, choices ...*Expr) *Expr {
	return &Expr{Op: Pick, Args: append([]*Expr{i}, choices...)}
}
