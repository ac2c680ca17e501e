package rankfunc

import "slices"

// Grids of all ranks that sets and formulas name by a number, which stays small whatever the size:
// number n is, among those of 1 + n mod 3 axes, the one with index n div 3, by the sum of the sizes
// and then by the sizes. So the most square ones come first, as MPI_Dims_create makes them.
const (
	shapeAxes = 3
	maxShapes = 16 // for each number of axes
	// With more divisors, which only sizes above 2,000,000 have, grids of three axes have no
	// number. This bounds the time that a file that names many sizes takes.
	maxShapeDivisors = 256
)

// shapesOf returns the grids with the given number of axes, all above 1.
func (c *Context) shapesOf(axes int) [][]int64 {
	c.shapesOnce.Do(func() {
		size := c.ranks()
		if size < 2 {
			return
		}
		c.shapes[0] = [][]int64{{size}}
		div := divisorsOf(size)
		var two, three [][]int64
		for _, a := range div {
			if a == 1 || a == size {
				continue
			}
			two = append(two, []int64{a, size / a})
			if len(div) > maxShapeDivisors {
				continue
			}
			for _, b := range div {
				if rest := size / a; b > 1 && b < rest && rest%b == 0 {
					three = append(three, []int64{a, b, rest / b})
				}
			}
		}
		slices.SortFunc(two, bySum)
		slices.SortFunc(three, bySum)
		c.shapes[1] = two[:min(len(two), maxShapes)]
		c.shapes[2] = three[:min(len(three), maxShapes)]
	})
	return c.shapes[axes-1]
}

// bySum orders grids by the sum of their sizes, then by the sizes.
func bySum(a, b []int64) int {
	sa, sb := int64(0), int64(0)
	for i := range a {
		sa, sb = sa+a[i], sb+b[i]
	}
	if sa != sb {
		return int(sa - sb)
	}
	return slices.Compare(a, b)
}

// shape returns the grid of a number, nil if there is none.
func (c *Context) shape(number uint64) []int64 {
	if c == nil || number >= shapeAxes*maxShapes {
		return nil
	}
	list := c.shapesOf(1 + int(number)%shapeAxes)
	if i := int(number) / shapeAxes; i < len(list) {
		return list[i]
	}
	return nil
}

// shapeNumber returns the number of a grid.
func (c *Context) shapeNumber(sizes []int64) (int, bool) {
	if c == nil || len(sizes) < 1 || len(sizes) > shapeAxes {
		return 0, false
	}
	for i, s := range c.shapesOf(len(sizes)) {
		if slices.Equal(s, sizes) {
			return i*shapeAxes + len(sizes) - 1, true
		}
	}
	return 0, false
}
