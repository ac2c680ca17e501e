package rankfn

// A kind is a family of formulas. The numbers are those of the encoding.
type kind uint8

// The families, in the order of preference. P is the size of the communicator.
// Borders are values of those ranks that have no partner; in families marked "outside" they are
// not ranks of the communicator, such as MPI_PROC_NULL.
const (
	kConstant   kind = iota // a
	kShift                  // r + a
	kRing                   // (r + a) mod P
	kLine                   // r + a if that is a rank, else b (outside)
	kXor                    // r xor a
	kAffine                 // a*r + b
	kOne                    // b for rank c, else a
	kDiv                    // r div p
	kMod                    // (r + a) mod p
	kLeader                 // r - r mod p
	kCoords                 // a*(r div p) + b*(r mod p) + c
	kGrid                   // shift in a grid, b beyond its borders (outside)
	kDigit                  // a*((r div q) mod p) + c
	kParent                 // (r - 1) div p, b for rank 0
	kChild                  // a*r + c if that is a rank, else b (outside)
	kClearLow               // r without its lowest bit that is set, b for rank 0
	kClearHigh              // r without its highest bit that is set, b for rank 0
	kAddBelow               // r + 2^a if 2^a is below all bits of r and that is a rank, else b (outside)
	kAddAbove               // r + 2^a if 2^a is above all bits of r and that is a rank, else b (outside)
	kXorLine                // r xor a if that is a rank, else b (outside)
	kAtLeast                // max(r + a, b)
	kAtMost                 // min(r + a, b)
	kBetween                // min(max(r + a, b), c)
	kMultiple               // (a*r + c) mod P
	kPermute                // the rank in a grid of three axes with the axes in another order, a of orders
	kNear                   // the a-th neighbour that exists in a grid, in the order of course p
	kNearNumber             // b*x + c, x the number of that neighbour's direction in way q
	kinds
)

// A formula gives every rank a value. It is comparable through equal only.
type formula struct {
	kind    kind
	a, b, c int64
	p, q    int64  // moduli, at least 1 where they are used
	size    int64  // P
	axes    []axis // of grids, the last one fastest
	number  int    // one more than the number of the grid, 0 if it has none (shapes.go)
}

// An axis is one dimension of a grid.
type axis struct {
	size, shift int64
	periodic    bool
}

// equal tells whether f and g are the same formula.
func (f *formula) equal(g *formula) bool {
	if f.kind != g.kind || f.a != g.a || f.b != g.b || f.c != g.c || f.p != g.p || f.q != g.q ||
		f.size != g.size || len(f.axes) != len(g.axes) {
		return false
	}
	for i := range f.axes {
		if f.axes[i] != g.axes[i] {
			return false
		}
	}
	return true
}

// at returns the value of rank r. It is defined for any r.
func (f *formula) at(r int64) int64 {
	switch f.kind {
	case kConstant:
		return f.a
	case kShift:
		return r + f.a
	case kRing:
		return mod(r+f.a, f.size)
	case kLine:
		return f.rankOr(r + f.a)
	case kXor:
		return r ^ f.a
	case kAffine:
		return f.a*r + f.b
	case kCoords:
		return f.a*div(r, f.p) + f.b*mod(r, f.p) + f.c
	case kDigit:
		return f.a*mod(div(r, f.q), f.p) + f.c
	case kOne:
		if r == f.c {
			return f.b
		}
		return f.a
	case kDiv:
		return div(r, f.p)
	case kMod:
		return mod(r+f.a, f.p)
	case kLeader:
		return r - mod(r, f.p)
	case kGrid:
		return f.neighbour(r)
	case kMultiple:
		return mod(f.a*mod(r, f.size)+f.c, f.size)
	}
	return f.treeAt(r)
}

// treeAt returns the value of the families of trees and those with limits.
func (f *formula) treeAt(r int64) int64 {
	switch f.kind {
	case kParent:
		if r > 0 {
			return (r - 1) / f.p
		}
		return f.b
	case kChild:
		return f.rankOr(f.a*r + f.c)
	case kClearLow:
		if r > 0 {
			return r & (r - 1)
		}
		return f.b
	case kClearHigh:
		if r > 0 {
			return r &^ highBit(r)
		}
		return f.b
	case kAddBelow:
		bit := int64(1) << (f.a & 31)
		if r&(2*bit-1) == 0 {
			return f.rankOr(r + bit)
		}
		return f.b
	case kAddAbove:
		bit := int64(1) << (f.a & 31)
		if r >= 0 && r < bit {
			return f.rankOr(r + bit)
		}
		return f.b
	case kXorLine:
		return f.rankOr(r ^ f.a)
	case kAtLeast:
		return max(r+f.a, f.b)
	case kAtMost:
		return min(r+f.a, f.b)
	case kBetween:
		return min(max(r+f.a, f.b), f.c)
	case kPermute:
		return f.permuted(r)
	case kNear:
		return f.nearAt(r)
	case kNearNumber:
		return f.nearNumber(r)
	}
	return 0
}

// orders are those of three axes but for the usual one: the result's axes, as axes of the rank.
var orders = [...][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// permuted returns the rank with the coordinates of r when the axes are in another order.
func (f *formula) permuted(r int64) int64 {
	at, ok := f.place(r)
	if !ok {
		return f.b
	}
	return f.reordered(at, orders[f.a])
}

// place returns the coordinates of r on three axes, and whether it has some.
func (f *formula) place(r int64) (at [3]int64, ok bool) {
	if r < 0 || r > MaxRank {
		return at, false
	}
	n := uint32(r) // its division is the faster one
	for i := 2; i >= 0; i-- {
		d := uint32(f.axes[i].size)
		at[i] = int64(n % d)
		n /= d
	}
	return at, n == 0
}

// reordered returns the rank at a place when the axes are in the given order.
func (f *formula) reordered(at [3]int64, order [3]int) int64 {
	v := int64(0)
	for _, k := range order {
		v = v*f.axes[k].size + at[k]
	}
	return v
}

// rankOr returns v if it is a rank of the communicator, else the border's value.
func (f *formula) rankOr(v int64) int64 {
	if v >= 0 && v < f.size {
		return v
	}
	return f.b
}

// neighbour returns the rank that is the axes' shifts away from r.
func (f *formula) neighbour(r int64) int64 {
	if r < 0 {
		return f.b
	}
	v, scale := int64(0), int64(1)
	for i := len(f.axes) - 1; i >= 0; i-- {
		x := &f.axes[i]
		at := r%x.size + x.shift
		r /= x.size
		if at < 0 || at >= x.size {
			if !x.periodic {
				return f.b
			}
			at = mod(at, x.size)
		}
		v += at * scale
		scale *= x.size
	}
	if r > 0 {
		return f.b
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
