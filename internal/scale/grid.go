package scale

import (
	"fmt"
	"slices"
)

// Grid is an arrangement of all ranks in rows, the last axis varying fastest, whose sizes follow from
// the number of ranks.
type Grid struct {
	// ID tells the grids of a Model apart.
	ID int
	// Axes is the number of axes.
	Axes int
	// Ascending is set if the sizes ascend; MPI_Dims_create makes them descend.
	Ascending bool
	// Fixed are sizes that do not depend on the number of ranks; 0 stands for what is left. Empty if
	// all sizes are balanced.
	Fixed []int64

	longest []int64 // the greatest size of each axis in the recordings
}

// Dims are the sizes of the axes for a number of ranks. It fails if they do not fill the grid.
func (g *Grid) Dims(size int64) ([]int64, error) {
	if len(g.Fixed) == 0 {
		d := balanced(size, g.Axes)
		if g.Ascending {
			slices.Reverse(d)
		}
		return d, nil
	}
	d := slices.Clone(g.Fixed)
	product, open := int64(1), -1
	for i, x := range d {
		if x == 0 {
			open = i
			continue
		}
		product *= x
	}
	if open >= 0 && size%product == 0 {
		d[open] = size / product
		return d, nil
	}
	if open < 0 && product == size {
		return d, nil
	}
	return nil, fmt.Errorf("%d ranks do not fill a grid of %s", size, g)
}

// String is how the sizes follow: "balanced 2-D", "4 x P/4".
func (g *Grid) String() string {
	if len(g.Fixed) == 0 {
		if g.Ascending {
			return fmt.Sprintf("%d balanced sizes, ascending", g.Axes)
		}
		return fmt.Sprintf("%d balanced sizes", g.Axes)
	}
	text, product := "", int64(1)
	for _, x := range g.Fixed {
		product *= max(x, 1)
	}
	for i, x := range g.Fixed {
		if i > 0 {
			text += " x "
		}
		if x == 0 {
			text += fmt.Sprintf("P/%d", product)
		} else {
			text += fmt.Sprint(x)
		}
	}
	return text
}

// balanced factors n into k sizes that are as equal as possible, in descending order: the prime factors, the
// greatest first, each go to what is the least size then. Libraries do that in MPI_Dims_create, or better;
// for most numbers with the same result.
func balanced(n int64, k int) []int64 {
	dims := make([]int64, k)
	for i := range dims {
		dims[i] = 1
	}
	primes := factors(n)
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

// factors are the prime factors of n in ascending order.
func factors(n int64) (list []int64) {
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

const maxAxes = 8

// place gives the coordinates of a rank; ok is false if the grid does not have it.
func place(dims []int64, rank int64, at *[maxAxes]int64) (ok bool) {
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
func moved(dims []int64, at *[maxAxes]int64, move []int, periodic []bool) int64 {
	r := int64(0)
	for i, d := range dims {
		x := at[i] + int64(move[i])
		if x < 0 || x >= d {
			if periodic == nil || !periodic[i] {
				return -1
			}
			x = binary(Mod, x, d)
		}
		r = r*d + x
	}
	return r
}

func (e *Expr) evalGrid(v *Env) int64 {
	if e.Grid.ID >= len(v.dims) || v.dims[e.Grid.ID] == nil {
		return 0
	}
	dims := v.dims[e.Grid.ID]
	if e.Op == Dim {
		return dims[e.N]
	}
	var at [maxAxes]int64
	if !place(dims, v.Rank, &at) {
		return -1
	}
	switch e.Op {
	case Coord:
		return at[e.N]
	case Shift:
		return moved(dims, &at, e.Moves[0], e.Periodic)
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
