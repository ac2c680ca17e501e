package rankfunc

import (
	"slices"
	"sync"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// Neighbours by their place among those that exist. A program may go through the directions of its
// grid and leave out what lies beyond a border. At call k its ranks then talk in different
// directions. Even so, the rank of the k-th neighbour, and numbers that go with its direction, such
// as tags, are one formula for all ranks with the same number of neighbours.

// A neighborOrder is an order of directions: a course of the format. A direction is a region's
// number (setgrid.go), 0 meaning one coordinate less along an axis and 2 one more.
type neighborOrder struct {
	dirs []int
	at   [maxRegions]int8 // the place of a direction, -1 if it has none
	// by place of the rank (a region): directions that exist, in this order
	by [maxRegions][]int8
	// by way, place of the rank, and k: the number of the direction, -1 if there is none
	numbers [ways][maxRegions][maxRegions]int8
}

// neighborOrders returns the orders for a number of axes, in the order of preference and of their
// numbers: first across faces, then all around. On two axes all orders across faces are tried.
func neighborOrders(axes int) []neighborOrder {
	neighborOrdersOnce.Do(func() {
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
				neighborOrdersBy[n-1] = append(neighborOrdersBy[n-1], newNeighborOrder(n, o))
			}
		}
	})
	return neighborOrdersBy[axes-1]
}

var (
	neighborOrdersOnce sync.Once
	neighborOrdersBy   [shapeAxes][]neighborOrder
)

func newNeighborOrder(axes int, dirs []int) neighborOrder {
	c := neighborOrder{dirs: dirs}
	for i := range c.at {
		c.at[i] = -1
	}
	for i, d := range dirs {
		c.at[d] = int8(i)
	}
	for place := range regionsOf[axes] {
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

// within tells whether a rank in a region has a neighbour in a direction.
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
	for d := range regionsOf[axes] {
		if regionBorders(d, axes) == 1 {
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

// faceOrders returns the usual orders of directions across the faces of three axes: out and back,
// axis by axis, and all of one sign first.
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
			for k := range regionsOf[axes] {
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
				if regionBorders(dir, axes) > 0 {
					dirs = append(dirs, dir)
				}
			}
			all = append(all, dirs)
		}
	}
	return all
}

// regionOf returns the region of rank r, -1 if it is not in the grid.
func regionOf(axes []GridAxis, r int64) int {
	if r < 0 {
		return -1
	}
	region, scale := 0, 1
	for i := len(axes) - 1; i >= 0; i-- {
		switch r % axes[i].Size {
		case 0:
		case axes[i].Size - 1:
			region += 2 * scale
		default:
			region += scale
		}
		r /= axes[i].Size
		scale *= 3
	}
	if r > 0 {
		return -1
	}
	return region
}

// direction returns the neighbour's direction, -1 if v is not around r.
func direction(axes []GridAxis, r, v int64) int {
	dir, scale := 0, 1
	for i := len(axes) - 1; i >= 0; i-- {
		x := v%axes[i].Size - r%axes[i].Size + 1
		if x < 0 || x > 2 {
			return -1
		}
		dir += int(x) * scale
		r, v = r/axes[i].Size, v/axes[i].Size
		scale *= 3
	}
	return dir
}

// nth returns the direction of the k-th neighbour of rank r, -1 if there is none.
func (f *Formula) nth(r int64) int {
	region := regionOf(f.Axes, r)
	if region < 0 {
		return -1
	}
	by := neighborOrders(len(f.Axes))[f.P].by[region]
	if f.A < 0 || f.A >= int64(len(by)) {
		return -1
	}
	return int(by[f.A])
}

// defined tells whether the formula says something of rank r. Formulas of other kinds do of all
// ranks.
func (f *Formula) defined(r int) bool {
	return f.Kind != FormulaNear && f.Kind != FormulaNearNumber || f.nth(int64(r)) >= 0
}

// nearAt returns the k-th neighbour of rank r, -1 if there is none.
func (f *Formula) nearAt(r int64) int64 {
	dir := f.nth(r)
	if dir < 0 {
		return -1
	}
	v, scale := r, int64(1)
	for i := len(f.Axes) - 1; i >= 0; i-- {
		v += (int64(dir%3) - 1) * scale
		scale *= f.Axes[i].Size
		dir /= 3
	}
	return v
}

// nearNumber returns the number that goes with the direction of the k-th neighbour.
func (f *Formula) nearNumber(r int64) int64 {
	dir := f.nth(r)
	if dir < 0 {
		return -1
	}
	return f.B*neighborOrders(len(f.Axes))[f.P].number(dir, f.Q) + f.C
}

// Ways to number directions.
const (
	byPlace    = iota // in the order of neighbours
	byOpposite        // the same, swapped in pairs
	byCell            // the direction itself: what nested loops over -1 to 1 count
	ways
)

func (c *neighborOrder) number(dir int, way int64) int64 {
	switch way {
	case byPlace:
		return int64(c.at[dir])
	case byOpposite:
		return int64(c.at[dir] ^ 1)
	}
	return int64(dir)
}

// nearShapes is how many grids are tried, by the number of axes: of three, all orders of the sizes
// of one.
var nearShapes = [shapeAxes + 1]int{0, 1, 4, 6}

// near takes the first grid, then the first order.
func (p *problem) near() *Formula {
	if p.outside >= 0 || p.size < 2 {
		return nil
	}
	return p.eachShape(func(f *Formula) bool {
		var dirs [maxRegions]int8 // by region: one more than the direction, 0 not seen
		if !p.all(func(i int) bool {
			region := regionOf(f.Axes, p.r[i])
			if region < 0 {
				return false
			}
			d := direction(f.Axes, p.r[i], p.v[i])
			if d < 0 || dirs[region] != 0 && int(dirs[region]) != d+1 {
				return false
			}
			dirs[region] = int8(d + 1)
			return true
		}) {
			return false
		}
		for n := range neighborOrders(len(f.Axes)) {
			if k, ok := neighborOrders(len(f.Axes))[n].place(&dirs); ok {
				f.P, f.A = int64(n), int64(k)
				return true
			}
		}
		return false
	})
}

// place returns which of the neighbours, the same in all regions, has the directions.
func (c *neighborOrder) place(dirs *[maxRegions]int8) (int, bool) {
	k := -1
	for region, d := range dirs {
		if d == 0 {
			continue
		}
		i := slices.Index(c.by[region], d-1)
		if i < 0 || k >= 0 && i != k {
			return 0, false
		}
		k = i
	}
	return k, k >= 0
}

// eachShape returns the formula of the first grid for which try completes it, and which holds.
func (p *problem) eachShape(try func(f *Formula) bool) *Formula {
	for axes := 1; axes <= shapeAxes; axes++ {
		shapes := p.ctx.shapesOf(axes)
		for k, shape := range shapes[:min(len(shapes), nearShapes[axes])] {
			f := Formula{Kind: FormulaNear, Size: p.size, Axes: make([]GridAxis, axes), number: k*shapeAxes + axes}
			for i, x := range shape {
				f.Axes[i].Size = x
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

// nearDirection takes the first grid, the first order of those across faces and one all around,
// the least k, and the first way to number directions.
func (p *problem) nearDirection() *Formula {
	if p.size < 2 || p.moreThan(maxRegions) {
		return nil
	}
	return p.eachShape(func(f *Formula) bool {
		f.Kind = FormulaNearNumber
		var seen [maxRegions]bool
		var vals [maxRegions]int64
		if !p.all(func(i int) bool {
			region := regionOf(f.Axes, p.r[i])
			if region < 0 || seen[region] && vals[region] != p.v[i] {
				return false
			}
			seen[region], vals[region] = true, p.v[i]
			return true
		}) {
			return false
		}
		return f.numbered(&seen, &vals)
	})
}

// numbered completes f so that it gives the regions that were seen their values.
func (f *Formula) numbered(seen *[maxRegions]bool, vals *[maxRegions]int64) bool {
	var regions []int
	distinct := 0
	for region := range seen {
		if !seen[region] {
			continue
		}
		if !slices.ContainsFunc(regions, func(c int) bool { return vals[c] == vals[region] }) {
			distinct++
			if distinct == 2 { // two regions that differ come first, as they tell most
				regions = slices.Insert(regions, 1, region)
				continue
			}
		}
		regions = append(regions, region)
	}
	if distinct < 2 {
		return false
	}
	list := neighborOrders(len(f.Axes))
	for n := range list {
		c := &list[n]
		if distinct <= len(c.dirs) {
			for k := range c.dirs {
				for way := range int64(ways) {
					if b, d, ok := c.line(regions, vals, k, way); ok {
						f.P, f.A, f.Q, f.B, f.C = int64(n), int64(k), way, b, d
						return true
					}
				}
			}
		}
		if len(c.dirs) > 2*len(f.Axes) {
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

// line returns b and d such that the values of the regions are b times the number of the k-th
// neighbour's direction plus d. The values of the first two regions differ.
func (c *neighborOrder) line(regions []int, vals *[maxRegions]int64, k int, way int64) (b, d int64, ok bool) {
	x0, x1 := int64(c.numbers[way][regions[0]][k]), int64(c.numbers[way][regions[1]][k])
	if x0 < 0 || x1 < 0 {
		return 0, 0, false
	}
	if b, ok = slope(x0, x1, vals[regions[0]], vals[regions[1]]); !ok {
		return 0, 0, false
	}
	d = vals[regions[0]] - b*x0
	for _, region := range regions[2:] {
		if x := int64(c.numbers[way][region][k]); x < 0 || vals[region] != b*x+d {
			return 0, 0, false
		}
	}
	return b, d, true
}

// appendNear appends the number of the grid, that of the order, and k; of numbers 3*k plus the way
// to number directions, the factor and the summand.
func (f *Formula) appendNear(dst []byte) []byte {
	dst = appendUvarint(appendUvarint(dst, f.number-1), int(f.P))
	if f.Kind == FormulaNear {
		return appendUvarint(dst, int(f.A))
	}
	dst = appendUvarint(dst, int(ways*f.A+f.Q))
	return byteio.AppendVarint(byteio.AppendVarint(dst, f.B), f.C)
}

func (p *input) near(ctx *Context, f *Formula) {
	number := p.Uvarint()
	shape := ctx.shape(number)
	if shape == nil {
		p.Fail("unknown grid")
		number, shape = 0, []int64{f.Size}
	}
	f.number = int(number) + 1
	f.Axes = make([]GridAxis, len(shape))
	for i, x := range shape {
		f.Axes[i].Size = x
	}
	f.P = int64(p.upTo(len(neighborOrders(len(shape)))-1, "order of directions"))
	if f.Kind == FormulaNear {
		f.A = int64(p.upTo(maxRegions, "number of a neighbour"))
		return
	}
	x := int64(p.upTo(ways*maxRegions, "number of a neighbour"))
	f.A, f.Q = x/ways, x%ways
	f.B, f.C = p.Varint(), p.Varint()
}
