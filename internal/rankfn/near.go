package rankfn

import (
	"slices"
	"sync"
)

// Neighbours by their place among those that exist: a program that goes through the directions of its grid and leaves out what
// lies beyond a border has, at call k, ranks that talk in different directions. The rank of the k-th neighbour, and numbers that
// go with its direction, such as tags, are one formula for all ranks with the same number of neighbours.

// A course is an order of directions. A direction is a cell's number (setgrid.go), 0 meaning one
// coordinate less along an axis and 2 one more.
type course struct {
	dirs []int
	at   [maxCells]int8 // the place of a direction, -1 if it has none
	// by place of the rank (a cell): directions that exist in the order of the course
	by [maxCells][]int8
	// by way, place of the rank, and k: the number of the direction, -1 if there is none
	numbers [ways][maxCells][maxCells]int8
}

// courses returns the courses for a number of axes, in the order of preference and of their numbers: first
// across faces, then all around. On two axes all orders across faces are tried.
func courses(axes int) []course {
	coursesOnce.Do(func() {
		for n := 1; n <= shapeAxes; n++ {
			var orders [][]int
			if n < 3 {
				orders = permutations(faces(n))
			} else {
				for _, axesOrder := range permutations([]int{0, 1, 2}) {
					for _, plusFirst := range []bool{false, true} {
						orders = append(orders, faceOrders(axesOrder, plusFirst)...)
					}
				}
			}
			if n > 1 {
				orders = append(orders, boxOrders(n)...)
			}
			for _, o := range orders {
				coursesBy[n-1] = append(coursesBy[n-1], newCourse(n, o))
			}
		}
	})
	return coursesBy[axes-1]
}

var (
	coursesOnce sync.Once
	coursesBy   [shapeAxes][]course
)

func newCourse(axes int, dirs []int) course {
	c := course{dirs: dirs}
	for i := range c.at {
		c.at[i] = -1
	}
	for i, d := range dirs {
		c.at[d] = int8(i)
	}
	for place := range cellsOf[axes] {
		for _, d := range dirs {
			if within(place, d, axes) {
				c.by[place] = append(c.by[place], int8(d))
			}
		}
		for way := range c.numbers {
			for k := range c.numbers[way][place] {
				c.numbers[way][place][k] = -1
				if k < len(c.by[place]) {
					c.numbers[way][place][k] = int8(c.number(int(c.by[place][k]), int64(way)))
				}
			}
		}
	}
	return c
}

// within tells whether a rank in a cell has a neighbour in a direction.
func within(place, dir, axes int) bool {
	for range axes {
		if place%3 == dir%3 && place%3 != 1 {
			return false
		}
		place, dir = place/3, dir/3
	}
	return true
}

// faces returns the directions along one axis, in ascending order.
func faces(axes int) []int {
	var dirs []int
	for d := range cellsOf[axes] {
		if cellBorders(d, axes) == 1 {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// permutations returns the orders of distinct numbers in ascending order.
func permutations(of []int) [][]int {
	if len(of) < 2 {
		return [][]int{slices.Clone(of)}
	}
	var all [][]int
	for i, x := range of {
		rest := slices.Delete(slices.Clone(of), i, i+1)
		for _, p := range permutations(rest) {
			all = append(all, append([]int{x}, p...))
		}
	}
	return all
}

// faceOrders returns the usual orders of directions across the faces of three axes: out and back, axis by
// axis, and all of one sign first.
func faceOrders(axes []int, plusFirst bool) [][]int {
	step := [shapeAxes]int{9, 3, 1}
	mid := step[0] + step[1] + step[2]
	first := -1
	if plusFirst {
		first = 1
	}
	var out, pairs, signs, back []int
	for _, a := range axes {
		one, other := mid+first*step[a], mid-first*step[a]
		out, back = append(out, one), append(back, other)
		pairs = append(pairs, one, other)
	}
	signs = slices.Concat(out, back)
	slices.Reverse(back)
	return [][]int{slices.Concat(out, back), pairs, signs}
}

// boxOrders returns the orders of nested loops over all axes.
func boxOrders(axes int) [][]int {
	numbers := []int{0, 1, 2}[:axes]
	var all [][]int
	for _, nest := range permutations(numbers) {
		for flips := range 1 << axes {
			var dirs []int
			for k := range cellsOf[axes] {
				var digit [shapeAxes]int
				for i, x := axes-1, k; i >= 0; i, x = i-1, x/3 {
					d := x % 3
					if flips>>i&1 != 0 {
						d = 2 - d
					}
					digit[nest[i]] = d
				}
				dir := 0
				for i := range axes {
					dir = 3*dir + digit[i]
				}
				if cellBorders(dir, axes) > 0 {
					dirs = append(dirs, dir)
				}
			}
			all = append(all, dirs)
		}
	}
	return all
}

// cellOf returns the cell of rank r, -1 if it is not in the grid.
func cellOf(axes []axis, r int64) int {
	if r < 0 {
		return -1
	}
	cell, scale := 0, 1
	for i := len(axes) - 1; i >= 0; i-- {
		switch r % axes[i].size {
		case 0:
		case axes[i].size - 1:
			cell += 2 * scale
		default:
			cell += scale
		}
		r /= axes[i].size
		scale *= 3
	}
	if r > 0 {
		return -1
	}
	return cell
}

// direction returns the neighbour's direction, -1 if v is not around r.
func direction(axes []axis, r, v int64) int {
	dir, scale := 0, 1
	for i := len(axes) - 1; i >= 0; i-- {
		x := v%axes[i].size - r%axes[i].size + 1
		if x < 0 || x > 2 {
			return -1
		}
		dir += int(x) * scale
		r, v = r/axes[i].size, v/axes[i].size
		scale *= 3
	}
	return dir
}

// nth returns the direction of the k-th neighbour of rank r, -1 if there is none.
func (f *formula) nth(r int64) int {
	cell := cellOf(f.axes, r)
	if cell < 0 {
		return -1
	}
	by := courses(len(f.axes))[f.p].by[cell]
	if f.a < 0 || f.a >= int64(len(by)) {
		return -1
	}
	return int(by[f.a])
}

// defined tells whether the formula says something of rank r. Formulas of other kinds do of all ranks.
func (f *formula) defined(r int) bool {
	return f.kind != kNear && f.kind != kNearNumber || f.nth(int64(r)) >= 0
}

// nearAt returns the k-th neighbour of rank r, -1 if there is none.
func (f *formula) nearAt(r int64) int64 {
	dir := f.nth(r)
	if dir < 0 {
		return -1
	}
	v, scale := r, int64(1)
	for i := len(f.axes) - 1; i >= 0; i-- {
		v += (int64(dir%3) - 1) * scale
		scale *= f.axes[i].size
		dir /= 3
	}
	return v
}

// nearNumber returns the number that goes with the direction of the k-th neighbour.
func (f *formula) nearNumber(r int64) int64 {
	dir := f.nth(r)
	if dir < 0 {
		return -1
	}
	return f.b*courses(len(f.axes))[f.p].number(dir, f.q) + f.c
}

// Ways to number directions.
const (
	byPlace    = iota // in the course
	byOpposite        // the same, swapped in pairs
	byCell            // the direction itself: what nested loops over -1 to 1 count
	ways
)

func (c *course) number(dir int, way int64) int64 {
	switch way {
	case byPlace:
		return int64(c.at[dir])
	case byOpposite:
		return int64(c.at[dir] ^ 1)
	}
	return int64(dir)
}

// nearShapes is how many grids are tried, by the number of axes: of three, all orders of the sizes of one.
var nearShapes = [shapeAxes + 1]int{0, 1, 4, 6}

// near takes the first grid, then the first course.
func (p *problem) near() *formula {
	if p.outside >= 0 || p.size < 2 {
		return nil
	}
	return p.eachShape(func(f *formula) bool {
		var dirs [maxCells]int8 // by cell: one more than the direction, 0 not seen
		if !p.all(func(i int) bool {
			cell := cellOf(f.axes, p.r[i])
			if cell < 0 {
				return false
			}
			d := direction(f.axes, p.r[i], p.v[i])
			if d < 0 || dirs[cell] != 0 && int(dirs[cell]) != d+1 {
				return false
			}
			dirs[cell] = int8(d + 1)
			return true
		}) {
			return false
		}
		for n := range courses(len(f.axes)) {
			if k, ok := courses(len(f.axes))[n].place(&dirs); ok {
				f.p, f.a = int64(n), int64(k)
				return true
			}
		}
		return false
	})
}

// place returns which of the neighbours, the same in all cells, has the directions.
func (c *course) place(dirs *[maxCells]int8) (int, bool) {
	k := -1
	for cell, d := range dirs {
		if d == 0 {
			continue
		}
		i := slices.Index(c.by[cell], d-1)
		if i < 0 || k >= 0 && i != k {
			return 0, false
		}
		k = i
	}
	return k, k >= 0
}

// eachShape returns the formula of the first grid for which try completes it, and which holds.
func (p *problem) eachShape(try func(f *formula) bool) *formula {
	for axes := 1; axes <= shapeAxes; axes++ {
		shapes := p.ctx.shapesOf(axes)
		for k, shape := range shapes[:min(len(shapes), nearShapes[axes])] {
			f := formula{kind: kNear, size: p.size, axes: make([]axis, axes), number: k*shapeAxes + axes}
			for i, x := range shape {
				f.axes[i].size = x
			}
			if try(&f) {
				if g := p.check(f); g != nil {
					return g
				}
			}
		}
	}
	return nil
}

// nearDirection takes the first grid, the first course of those across faces and one all around, the least k, and the first
// way to number directions.
func (p *problem) nearDirection() *formula {
	if p.size < 2 || p.moreThan(maxCells) {
		return nil
	}
	return p.eachShape(func(f *formula) bool {
		f.kind = kNearNumber
		var seen [maxCells]bool
		var vals [maxCells]int64
		if !p.all(func(i int) bool {
			cell := cellOf(f.axes, p.r[i])
			if cell < 0 || seen[cell] && vals[cell] != p.v[i] {
				return false
			}
			seen[cell], vals[cell] = true, p.v[i]
			return true
		}) {
			return false
		}
		return f.numbered(&seen, &vals)
	})
}

// numbered completes f so that it gives the cells that were seen their values.
func (f *formula) numbered(seen *[maxCells]bool, vals *[maxCells]int64) bool {
	var cells []int
	distinct := 0
	for cell := range seen {
		if !seen[cell] {
			continue
		}
		if !slices.ContainsFunc(cells, func(c int) bool { return vals[c] == vals[cell] }) {
			distinct++
			if distinct == 2 { // two cells that differ come first, as they tell most
				cells = slices.Insert(cells, 1, cell)
				continue
			}
		}
		cells = append(cells, cell)
	}
	if distinct < 2 {
		return false
	}
	list := courses(len(f.axes))
	for n := range list {
		c := &list[n]
		if distinct <= len(c.dirs) {
			for k := range c.dirs {
				for way := range int64(ways) {
					if b, d, ok := c.line(cells, vals, k, way); ok {
						f.p, f.a, f.q, f.b, f.c = int64(n), int64(k), way, b, d
						return true
					}
				}
			}
		}
		if len(c.dirs) > 2*len(f.axes) {
			break
		}
	}
	return false
}

// moreThan tells whether there are more than n different values, n being small.
func (p *problem) moreThan(n int) bool {
	var seen []int64
	for _, v := range p.v {
		if !slices.Contains(seen, v) {
			if seen = append(seen, v); len(seen) > n {
				return true
			}
		}
	}
	return false
}

// line returns b and d such that the values of the cells are b times the number of the k-th neighbour's direction plus d.
// The values of the first two cells differ.
func (c *course) line(cells []int, vals *[maxCells]int64, k int, way int64) (b, d int64, ok bool) {
	x0, x1 := int64(c.numbers[way][cells[0]][k]), int64(c.numbers[way][cells[1]][k])
	if x0 < 0 || x1 < 0 {
		return 0, 0, false
	}
	if b, ok = slope(x0, x1, vals[cells[0]], vals[cells[1]]); !ok {
		return 0, 0, false
	}
	d = vals[cells[0]] - b*x0
	for _, cell := range cells[2:] {
		if x := int64(c.numbers[way][cell][k]); x < 0 || vals[cell] != b*x+d {
			return 0, 0, false
		}
	}
	return b, d, true
}

// appendNear appends the number of the grid, that of the course, and k; of numbers 3*k plus the way to number
// directions, the factor and the summand.
func (f *formula) appendNear(dst []byte) []byte {
	dst = appendUvarint(appendUvarint(dst, f.number-1), int(f.p))
	if f.kind == kNear {
		return appendUvarint(dst, int(f.a))
	}
	dst = appendUvarint(dst, int(ways*f.a+f.q))
	return appendVarint(appendVarint(dst, f.b), f.c)
}

func (p *input) near(ctx *Context, f *formula) {
	number := p.uvarint()
	shape := ctx.shape(number)
	if shape == nil {
		p.fail("unknown grid")
		number, shape = 0, []int64{f.size}
	}
	f.number = int(number) + 1
	f.axes = make([]axis, len(shape))
	for i, x := range shape {
		f.axes[i].size = x
	}
	f.p = int64(p.upTo(len(courses(len(shape)))-1, "order of directions"))
	if f.kind == kNear {
		f.a = int64(p.upTo(maxCells, "number of a neighbour"))
		return
	}
	x := int64(p.upTo(ways*maxCells, "number of a neighbour"))
	f.a, f.q = x/ways, x%ways
	f.b, f.c = p.varint(), p.varint()
}
