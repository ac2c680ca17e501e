package rankfn

import "math"

// What follows describes functions and sets to those who write them in another language.

// FormulaKind is a family of formulas; the numbers are those of the encoding.
type FormulaKind uint8

// Families of formulas. P is Formula.Size, r the rank; a to c, p and q are the fields of the Formula.
const (
	FormulaConstant   = FormulaKind(kConstant)   // a
	FormulaShift      = FormulaKind(kShift)      // r + a
	FormulaRing       = FormulaKind(kRing)       // (r + a) mod P
	FormulaLine       = FormulaKind(kLine)       // x = r + a if 0 <= x < P, else b
	FormulaXor        = FormulaKind(kXor)        // r xor a
	FormulaAffine     = FormulaKind(kAffine)     // a*r + b
	FormulaOne        = FormulaKind(kOne)        // b if r = c, else a
	FormulaDiv        = FormulaKind(kDiv)        // r div p
	FormulaMod        = FormulaKind(kMod)        // (r + a) mod p
	FormulaLeader     = FormulaKind(kLeader)     // r - r mod p
	FormulaCoords     = FormulaKind(kCoords)     // a*(r div p) + b*(r mod p) + c
	FormulaGrid       = FormulaKind(kGrid)       // the rank with the coordinates of r on Axes, shifted; b beyond a border
	FormulaDigit      = FormulaKind(kDigit)      // a*((r div q) mod p) + c
	FormulaParent     = FormulaKind(kParent)     // (r-1) div p if r > 0, else b
	FormulaChild      = FormulaKind(kChild)      // x = a*r + c if 0 <= x < P, else b
	FormulaClearLow   = FormulaKind(kClearLow)   // r without its lowest bit that is set if r > 0, else b
	FormulaClearHigh  = FormulaKind(kClearHigh)  // r without its highest bit that is set if r > 0, else b
	FormulaAddBelow   = FormulaKind(kAddBelow)   // x = r + 2^a if r mod 2^(a+1) = 0 and x < P, else b
	FormulaAddAbove   = FormulaKind(kAddAbove)   // x = r + 2^a if r < 2^a and x < P, else b
	FormulaXorLine    = FormulaKind(kXorLine)    // x = r xor a if 0 <= x < P, else b
	FormulaAtLeast    = FormulaKind(kAtLeast)    // max(r + a, b)
	FormulaAtMost     = FormulaKind(kAtMost)     // min(r + a, b)
	FormulaBetween    = FormulaKind(kBetween)    // min(max(r + a, b), c)
	FormulaMultiple   = FormulaKind(kMultiple)   // (a*(r mod P) + c) mod P
	FormulaPermute    = FormulaKind(kPermute)    // the rank with the coordinates of r on Axes, these in Order
	FormulaNear       = FormulaKind(kNear)       // r + Cells[the cell of r on Axes]
	FormulaNearNumber = FormulaKind(kNearNumber) // Cells[the cell of r on Axes]
)

// NoCell marks cells without a neighbour.
const NoCell = math.MinInt64

// GridAxis is one dimension of a grid of ranks.
type GridAxis struct {
	Size, Shift int64
	Periodic    bool
}

// A Formula is the parameters of a formula, see FormulaKind.
type Formula struct {
	Kind    FormulaKind
	A, B, C int64
	P, Q    int64
	Size    int64
	// Axes are those of a grid, the last one fastest; Order the axes of the result of FormulaPermute as axes of the rank.
	Axes  []GridAxis
	Order [3]int
	// Cells are by the number of a cell: to the base 3, that of the last axis last, a digit for each
	// axis, which is 0 at its begin, 2 at its end and 1 between. Where it is NoCell, and outside of the grid, the value is -1.
	Cells []int64
}

// A Piece is a part of a function.
type Piece struct {
	// Ranks are the ranks that it holds for, nil for all that no piece before has.
	Ranks *Set
	// Formula gives their values, less Values if that is not nil: one for each of Ranks, in their order.
	Formula Formula
	Values  []int64
}

// Pieces describes the function: the first piece that has a rank counts. ranks is what the function was made for.
func (f *Func) Pieces(ranks *Set) []Piece {
	if f.f != nil {
		return []Piece{{Formula: f.f.export()}}
	}
	k := f.packed()
	if k.except != nil {
		pieces := k.rest.Pieces(k.except)
		pieces[len(pieces)-1].Ranks = k.except
		return append(pieces, Piece{Formula: k.f.export()})
	}
	p := Piece{Ranks: ranks, Formula: k.f.export()}
	for r, v := range f.Values(ranks) {
		p.Values = append(p.Values, v-k.f.at(int64(r)))
	}
	return []Piece{p}
}

func (f *formula) export() Formula {
	out := Formula{Kind: FormulaKind(f.kind), A: f.a, B: f.b, C: f.c, P: f.p, Q: f.q, Size: f.size}
	for _, x := range f.axes {
		out.Axes = append(out.Axes, GridAxis{Size: x.size, Shift: x.shift, Periodic: x.periodic})
	}
	switch f.kind {
	case kPermute:
		out.Order = orders[f.a]
	case kNear, kNearNumber:
		out.Cells = f.cells()
	}
	return out
}

// cells is what the formulas of neighbours give, by the cell of a rank.
func (f *formula) cells() []int64 {
	course := &courses(len(f.axes))[f.p]
	out := make([]int64, cellsOf[len(f.axes)])
	for cell := range out {
		out[cell] = NoCell
		by := course.by[cell]
		if f.a < 0 || f.a >= int64(len(by)) {
			continue
		}
		dir := int(by[f.a])
		if f.kind == kNearNumber {
			out[cell] = f.b*course.number(dir, f.q) + f.c
			continue
		}
		out[cell] = 0
		for i, scale := len(f.axes)-1, int64(1); i >= 0; i-- {
			out[cell] += (int64(dir%3) - 1) * scale
			scale *= f.axes[i].size
			dir /= 3
		}
	}
	return out
}

// A Run is a part of a set: Count copies, Stride apart, of a list of runs, or of single ranks if
// Body is empty. The first copy begins at Low; the runs of a body are relative to the copy's begin.
type Run struct {
	Low, Stride, Count int
	Body               []Run
}

// Runs are the parts of the set, in ascending order.
func (s *Set) Runs() []Run {
	if s == nil {
		return nil
	}
	return exportRuns(s.canonical().list.of)
}

func exportRuns(of []run) []Run {
	out := make([]Run, len(of))
	for i, r := range of {
		out[i] = Run{Low: r.lo, Stride: r.stride, Count: r.count}
		if r.body != nil {
			out[i].Body = exportRuns(r.body.of)
		}
	}
	return out
}
