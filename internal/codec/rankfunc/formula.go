package rankfunc

import "math"

// FormulaKind is a family of formulas. The numbers are those of the encoding.
type FormulaKind uint8

// Families of formulas, in the order of preference. P is Formula.Size, r the rank; a to c, p and q
// are the fields of the Formula. Borders are values of those ranks that have no partner; in
// families marked "outside" they are not ranks of the communicator, such as MPI_PROC_NULL.
const (
	FormulaConstant   FormulaKind = iota // a
	FormulaShift                         // r + a
	FormulaRing                          // (r + a) mod P
	FormulaLine                          // x = r + a if 0 <= x < P, else b (outside)
	FormulaXor                           // r xor a
	FormulaAffine                        // a*r + b
	FormulaOne                           // b if r = c, else a
	FormulaDiv                           // r div p
	FormulaMod                           // (r + a) mod p
	FormulaLeader                        // r - r mod p
	FormulaCoords                        // a*(r div p) + b*(r mod p) + c
	FormulaGrid                          // the rank at r's coordinates on Axes, shifted; b beyond a border (outside)
	FormulaDigit                         // a*((r div q) mod p) + c
	FormulaParent                        // (r-1) div p if r > 0, else b
	FormulaChild                         // x = a*r + c if 0 <= x < P, else b (outside)
	FormulaClearLow                      // r without its lowest bit that is set if r > 0, else b
	FormulaClearHigh                     // r without its highest bit that is set if r > 0, else b
	FormulaAddBelow                      // x = r + 2^a if r mod 2^(a+1) = 0 and x < P, else b (outside)
	FormulaAddAbove                      // x = r + 2^a if r < 2^a and x < P, else b (outside)
	FormulaXorLine                       // x = r xor a if 0 <= x < P, else b (outside)
	FormulaAtLeast                       // max(r + a, b)
	FormulaAtMost                        // min(r + a, b)
	FormulaBetween                       // min(max(r + a, b), c)
	FormulaMultiple                      // (a*(r mod P) + c) mod P
	FormulaPermute                       // the rank with the coordinates of r on Axes, these in the order Order
	FormulaNear                          // the a-th neighbour that exists, in order p: r + Cells[the region of r]
	FormulaNearNumber                    // b*x + c, x the number of its direction in way q: Cells[the region of r]
	kinds
)

// NoCell marks regions without a neighbour.
const NoCell = math.MinInt64

// A Formula gives every rank a value, see FormulaKind.
type Formula struct {
	Kind    FormulaKind
	A, B, C int64
	P, Q    int64 // moduli, at least 1 where they are used
	Size    int64
	// Axes are those of a grid, the last one fastest.
	Axes   []GridAxis
	number int // one more than the number of the grid, 0 if it has none (shapes.go)
	// What Pieces adds for those who write the formula in another language: see Described.
	*Described
}

// Described is what a formula refers to by a number.
type Described struct {
	// Order are the axes of the result of FormulaPermute as axes of the rank.
	Order [3]int
	// Cells are by the number of a region of the grid: to the base 3, that of the last axis last, a
	// digit for each axis, which is 0 at its begin, 2 at its end and 1 between. Where it is NoCell,
	// and outside of the grid, the value is -1.
	Cells []int64
}

// GridAxis is one dimension of a grid of ranks.
type GridAxis struct {
	Size, Shift int64
	Periodic    bool
}

// equal tells whether f and g are the same formula.
func (f *Formula) equal(g *Formula) bool {
	if f.Kind != g.Kind || f.A != g.A || f.B != g.B || f.C != g.C || f.P != g.P || f.Q != g.Q ||
		f.Size != g.Size || len(f.Axes) != len(g.Axes) {
		return false
	}
	for i := range f.Axes {
		if f.Axes[i] != g.Axes[i] {
			return false
		}
	}
	return true
}

// at returns the value of rank r. It is defined for any r.
func (f *Formula) at(r int64) int64 {
	switch f.Kind {
	case FormulaConstant:
		return f.A
	case FormulaShift:
		return r + f.A
	case FormulaRing:
		return mod(r+f.A, f.Size)
	case FormulaLine:
		return f.rankOr(r + f.A)
	case FormulaXor:
		return r ^ f.A
	case FormulaAffine:
		return f.A*r + f.B
	case FormulaCoords:
		return f.A*div(r, f.P) + f.B*mod(r, f.P) + f.C
	case FormulaDigit:
		return f.A*mod(div(r, f.Q), f.P) + f.C
	case FormulaOne:
		if r == f.C {
			return f.B
		}
		return f.A
	case FormulaDiv:
		return div(r, f.P)
	case FormulaMod:
		return mod(r+f.A, f.P)
	case FormulaLeader:
		return r - mod(r, f.P)
	case FormulaGrid:
		return f.neighbour(r)
	case FormulaMultiple:
		return mod(f.A*mod(r, f.Size)+f.C, f.Size)
	}
	return f.treeAt(r)
}

// treeAt returns the value of the families of trees and those with limits.
func (f *Formula) treeAt(r int64) int64 {
	switch f.Kind {
	case FormulaParent:
		if r > 0 {
			return (r - 1) / f.P
		}
		return f.B
	case FormulaChild:
		return f.rankOr(f.A*r + f.C)
	case FormulaClearLow:
		if r > 0 {
			return r & (r - 1)
		}
		return f.B
	case FormulaClearHigh:
		if r > 0 {
			return r &^ highBit(r)
		}
		return f.B
	case FormulaAddBelow:
		bit := int64(1) << (f.A & 31)
		if r&(2*bit-1) == 0 {
			return f.rankOr(r + bit)
		}
		return f.B
	case FormulaAddAbove:
		bit := int64(1) << (f.A & 31)
		if r >= 0 && r < bit {
			return f.rankOr(r + bit)
		}
		return f.B
	case FormulaXorLine:
		return f.rankOr(r ^ f.A)
	case FormulaAtLeast:
		return max(r+f.A, f.B)
	case FormulaAtMost:
		return min(r+f.A, f.B)
	case FormulaBetween:
		return min(max(r+f.A, f.B), f.C)
	case FormulaPermute:
		return f.permuted(r)
	case FormulaNear:
		return f.nearAt(r)
	case FormulaNearNumber:
		return f.nearNumber(r)
	}
	return 0
}

// orders are those of three axes but for the usual one: the result's axes, as axes of the rank.
var orders = [...][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// permuted returns the rank with the coordinates of r when the axes are in another order.
func (f *Formula) permuted(r int64) int64 {
	at, ok := f.place(r)
	if !ok {
		return f.B
	}
	return f.reordered(at, orders[f.A])
}

// place returns the coordinates of r on three axes, and whether it has some.
func (f *Formula) place(r int64) (at [3]int64, ok bool) {
	if r < 0 || r > MaxRank {
		return at, false
	}
	n := uint32(r) // its division is the faster one
	for i := 2; i >= 0; i-- {
		d := uint32(f.Axes[i].Size)
		at[i] = int64(n % d)
		n /= d
	}
	return at, n == 0
}

// reordered returns the rank at a place when the axes are in the given order.
func (f *Formula) reordered(at [3]int64, order [3]int) int64 {
	v := int64(0)
	for _, k := range order {
		v = v*f.Axes[k].Size + at[k]
	}
	return v
}

// rankOr returns v if it is a rank of the communicator, else the border's value.
func (f *Formula) rankOr(v int64) int64 {
	if v >= 0 && v < f.Size {
		return v
	}
	return f.B
}

// neighbour returns the rank that is the axes' shifts away from r.
func (f *Formula) neighbour(r int64) int64 {
	if r < 0 {
		return f.B
	}
	v, scale := int64(0), int64(1)
	for i := len(f.Axes) - 1; i >= 0; i-- {
		x := &f.Axes[i]
		at := r%x.Size + x.Shift
		r /= x.Size
		if at < 0 || at >= x.Size {
			if !x.Periodic {
				return f.B
			}
			at = mod(at, x.Size)
		}
		v += at * scale
		scale *= x.Size
	}
	if r > 0 {
		return f.B
	}
	return v
}

// div returns a div b, rounded down; b is positive.
func div(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// mod returns a mod b, not negative; b is positive.
func mod(a, b int64) int64 {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}

// centred returns the number of the least magnitude that is a modulo b.
func centred(a, b int64) int64 {
	m := mod(a, b)
	if m > b/2 {
		m -= b
	}
	return m
}

// highBit returns the highest bit set of r, which is positive.
func highBit(r int64) int64 {
	for r&(r-1) != 0 {
		r &= r - 1
	}
	return r
}
