package synthetic

import "slices"

// Grid is a Cartesian arrangement of ranks, the last dimension varying fastest.
type Grid struct {
	Dims     []int
	Periodic bool
}

// Balanced factors n into d dimensions that are as equal as possible, in descending order, as
// MPI_Dims_create does.
func Balanced(n, d int) []int {
	dims := make([]int, d)
	for i := range dims {
		dims[i] = 1
	}
	for left, p := n, largestPrime(n); left > 1; left, p = left/p, largestPrime(left/p) {
		least := 0
		for i := range dims {
			if dims[i] < dims[least] {
				least = i
			}
		}
		dims[least] *= p
	}
	slices.SortFunc(dims, func(a, b int) int { return b - a })
	return dims
}

func largestPrime(n int) int {
	largest := 1
	for p := 2; p*p <= n; p++ {
		for n%p == 0 {
			largest, n = p, n/p
		}
	}
	return max(largest, n)
}

// Coords are the coordinates of a rank.
func (g *Grid) Coords(rank int) []int {
	c := make([]int, len(g.Dims))
	for i := len(g.Dims) - 1; i >= 0; i-- {
		c[i] = rank % g.Dims[i]
		rank /= g.Dims[i]
	}
	return c
}

// Neighbour is the rank at a displacement from coordinates; ok is false beyond a border.
func (g *Grid) Neighbour(at, by []int) (rank int, ok bool) {
	for i, d := range g.Dims {
		x := at[i] + by[i]
		if g.Periodic {
			x = (x + d) % d
		} else if x < 0 || x >= d {
			return 0, false
		}
		rank = rank*d + x
	}
	return rank, true
}
