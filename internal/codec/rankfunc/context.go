package rankfunc

import (
	"slices"
	"sync"
)

// A Context is what is known of the communicator whose ranks the values speak of. It must not be
// changed after its first use, nor copied; it may be used concurrently. Functions that are merged
// must have been made with equal contexts.
type Context struct {
	Size int     // number of ranks, 0 if unknown
	Dims [][]int // shapes of grids of the ranks, the last dimension fastest, as MPI_Cart_create has them

	once     sync.Once
	grids    [][]int64  // candidates for grids, in order of preference
	divisors []int64    // candidates for the length of a row, without 1 and Size
	digits   [][2]int64 // candidates for q and p of a digit
	cubes    [][]int64  // the first grids of three axes with all ranks

	shapesOnce sync.Once
	shapes     [shapeAxes][][]int64 // see shapesOf
}

const (
	maxGrids = 4096 // candidates for the shape of a grid
	maxCubes = 128  // of them, those of three axes for reordering; likewise digits
	maxAxes  = 16   // dimensions of a grid
)

// prepare works out the candidates: the known shapes, then all products of two and
// three factors that give the size, squares and cubes first.
func (c *Context) prepare() {
	c.once.Do(func() {
		size := int64(c.Size)
		if c.Size > MaxRank+1 {
			size = 0
		}
		known := slices.Clone(c.Dims)
		slices.SortFunc(known, slices.Compare[[]int])
		for _, dims := range slices.CompactFunc(known, slices.Equal[[]int]) {
			c.addKnown(dims, size)
		}
		div := divisorsOf(size)
		for _, d := range div {
			if d > 1 && d < size {
				c.divisors = append(c.divisors, d)
			}
		}
		slices.Sort(c.divisors)
		c.divisors = slices.Compact(c.divisors)
		c.grids = append(c.grids, products(size, div)...)
		c.grids = c.grids[:min(len(c.grids), maxGrids)]
		c.addDigits()
	})
}

// addKnown adds a shape that the program made, and its rows, planes and so on.
func (c *Context) addKnown(dims []int, size int64) {
	var shape []int64
	n := int64(1)
	for _, d := range dims {
		if d < 1 || int64(d) > size/n {
			return
		}
		if d > 1 {
			shape = append(shape, int64(d))
		}
		n *= int64(d)
	}
	if len(shape) < 2 || len(shape) > maxAxes {
		return
	}
	c.grids = append(c.grids, shape)
	row := int64(1)
	for _, d := range slices.Backward(shape[1:]) {
		row *= d
		c.divisors = append(c.divisors, row)
	}
}

// products returns the shapes of two and of three dimensions above 1 that have
// size ranks, by the sum of the dimensions.
func products(size int64, div []int64) [][]int64 {
	var two, three [][]int64
	for _, a := range div {
		for _, b := range div {
			if a == 1 || b == 1 || size/a%b != 0 {
				continue
			}
			if c := size / a / b; c == 1 {
				two = append(two, []int64{a, b})
			} else if len(three) < 4*maxGrids {
				three = append(three, []int64{a, b, c})
			}
		}
	}
	slices.SortFunc(two, bySum)
	slices.SortFunc(three, bySum)
	return append(two, three...)
}

// divisorsOf returns the divisors of n in ascending order, none if n is less than 1.
func divisorsOf(n int64) []int64 {
	var low, high []int64
	for d := int64(1); d*d <= n; d++ {
		if n%d == 0 {
			low = append(low, d)
			if d*d < n {
				high = append(high, n/d)
			}
		}
	}
	slices.Reverse(high)
	return append(low, high...)
}

// addDigits gathers the grids of three axes, and the middle axes of all; the others are of the
// family of coordinates.
func (c *Context) addDigits() {
	seen := map[[2]int64]bool{}
	for _, shape := range c.grids {
		if len(shape) == 3 && shape[0]*shape[1]*shape[2] == int64(c.Size) && len(c.cubes) < maxCubes {
			c.cubes = append(c.cubes, shape)
		}
		q := int64(1)
		for i := len(shape) - 1; i > 0; i-- {
			d := [2]int64{q, shape[i]}
			if q > 1 && !seen[d] && len(c.digits) < maxCubes {
				seen[d] = true
				c.digits = append(c.digits, d)
			}
			q *= shape[i]
		}
	}
}
