package formula

import (
	"fmt"
	"slices"
)

// Grid is an arrangement of all ranks on axes, of which the last one varies fastest. The sizes of
// the axes follow from the number of ranks.
type Grid struct {
	// ID tells the grids of a program apart: it is the index in Env.Dims.
	ID int
	// Axes is the number of axes.
	Axes int
	// Ascending is set if the sizes ascend; MPI_Dims_create makes them descend.
	Ascending bool
	// Fixed are sizes that do not depend on the number of ranks; 0 stands for what is left, on axes
	// beside each other, over which it is balanced. Empty if all sizes are balanced.
	Fixed []int64
}

// Dims are the sizes of the axes for a number of ranks. It fails if they do not fill the grid.
func (g *Grid) Dims(size int64) ([]int64, error) {
	if len(g.Fixed) == 0 {
		d := Balanced(size, g.Axes)
		if g.Ascending {
			slices.Reverse(d)
		}
		return d, nil
	}
	d := slices.Clone(g.Fixed)
	product, open, left := g.fixed()
	if left > 0 && size%product == 0 {
		part := d[open : open+left]
		copy(part, Balanced(size/product, left))
		if g.Ascending {
			slices.Reverse(part)
		}
		return d, nil
	}
	if left == 0 && product == size {
		return d, nil
	}
	return nil, fmt.Errorf("%d ranks do not fill a grid of %s", size, g)
}

// fixed is the product of the sizes that are fixed, and the axes that have what is left: the first
// one, and how many.
func (g *Grid) fixed() (product int64, open, left int) {
	product = 1
	for i, x := range g.Fixed {
		if x != 0 {
			product *= x
			continue
		}
		if left == 0 {
			open = i
		}
		left++
	}
	return product, open, left
}

// Balances tells whether there are axes whose sizes are as equal as possible.
func (g *Grid) Balances() bool {
	_, _, left := g.fixed()
	return len(g.Fixed) == 0 || left > 1
}

// String is how the sizes follow: "2 balanced sizes", "4 x P/4".
func (g *Grid) String() string {
	if len(g.Fixed) == 0 {
		if g.Ascending {
			return fmt.Sprintf("%d balanced sizes, ascending", g.Axes)
		}
		return fmt.Sprintf("%d balanced sizes", g.Axes)
	}
	text := ""
	product, open, left := g.fixed()
	for i, x := range g.Fixed {
		if i > 0 && (x != 0 || i == open) {
			text += " x "
		}
		switch {
		case x == 0 && left == 1:
			text += fmt.Sprintf("P/%d", product)
		case x == 0 && i == open:
			text += fmt.Sprintf("(%d balanced sizes of P/%d)", left, product)
		case x != 0:
			text += fmt.Sprint(x)
		}
	}
	return text
}

// Balanced factors n into k sizes that are as equal as possible, in descending order. Each prime
// factor, from the greatest on, goes to the size that is the least so far. Libraries do that in
// MPI_Dims_create, or better, and get the same result for most numbers.
func Balanced(n int64, k int) []int64 {
	dims := make([]int64, k)
	for i := range dims {
		dims[i] = 1
	}
	primes := Factors(n)
	for _, p := range slices.Backward(primes) {
		least := 0
		for i := range dims {
			if dims[i] < dims[least] {
				least = i
			}
		}
		dims[least] *= p
	}
	slices.Sort(dims)
	slices.Reverse(dims)
	return dims
}

// Factors are the prime factors of n in ascending order.
func Factors(n int64) (list []int64) {
	for p := int64(2); p*p <= n; p++ {
		for n%p == 0 {
			list = append(list, p)
			n /= p
		}
	}
	if n > 1 {
		list = append(list, n)
	}
	return list
}

// MaxAxes is how many axes a grid may have.
const MaxAxes = 8

// Place gives the coordinates of a rank; ok is false if the grid does not have it.
func Place(dims []int64, rank int64, at *[MaxAxes]int64) (ok bool) {
	if rank < 0 {
		return false
	}
	for i := len(dims) - 1; i >= 0; i-- {
		at[i] = rank % dims[i]
		rank /= dims[i]
	}
	return rank == 0
}

// moved is the rank at a displacement, -1 beyond a border.
func moved(dims []int64, at *[MaxAxes]int64, move []int, periodic []bool) int64 {
	r := int64(0)
	for i, d := range dims {
		x := at[i] + int64(move[i])
		if x < 0 || x >= d {
			if periodic == nil || !periodic[i] {
				return -1
			}
			x = FloorMod(x, d)
		}
		r = r*d + x
	}
	return r
}

// cell is where in a grid a place is, see Cell.
func cell(dims []int64, at *[MaxAxes]int64) int64 {
	c := int64(0)
	for i, d := range dims {
		c *= 3
		switch at[i] {
		case 0:
		case d - 1:
			c += 2
		default:
			c++
		}
	}
	return c
}

// sizes are those of the axes of a grid, nil if the ranks do not fill it.
func (v *Env) sizes(g *Grid) []int64 {
	if g.ID < len(v.Dims) {
		return v.Dims[g.ID]
	}
	if _, _, left := g.fixed(); left == 0 {
		return g.Fixed
	}
	return nil
}

func (e *Expr) evalGrid(v *Env) int64 {
	dims := v.sizes(e.Grid)
	if dims == nil {
		return 0
	}
	if e.Op == Dim {
		return dims[e.N]
	}
	var at [MaxAxes]int64
	inside := Place(dims, v.Rank, &at)
	if e.Op == Shift {
		to := int64(-1)
		if inside {
			to = moved(dims, &at, e.Moves[0], e.Periodic)
		}
		if to < 0 && len(e.Args) > 0 {
			return e.Args[0].Eval(v)
		}
		return to
	}
	if !inside {
		return -1
	}
	switch e.Op {
	case Coord:
		return at[e.N]
	case Cell:
		return cell(dims, &at)
	}
	want := int64(-1)
	if e.Op != NearCount {
		if want = e.Args[0].Eval(v); want < 0 {
			return -1
		}
	}
	n := int64(0)
	for i, m := range e.Moves {
		r := moved(dims, &at, m, nil)
		if r < 0 {
			continue
		}
		if n == want {
			if e.Op == NearMove {
				return int64(i)
			}
			return r
		}
		n++
	}
	if e.Op == NearCount {
		return n
	}
	return -1
}
