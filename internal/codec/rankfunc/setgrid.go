package rankfunc

// Sets of regions of a grid, the cells of the format: along each axis a coordinate is the first,
// the last or one between them. The classes of ranks of a stencil are such sets, and those of its
// borders; in a grid that has a number their encoding does not grow.

// maxRegions is how many regions a grid of three axes has. The number of a region has a digit for
// each axis to the base 3, that of the last axis last: 0 first, 1 between, 2 last.
const maxRegions = 27

var regionsOf = [shapeAxes + 1]int{1, 3, 9, 27}

// regionBorders returns along how many axes a region is at a border.
func regionBorders(region, axes int) int {
	n := 0
	for range axes {
		if region%3 != 1 {
			n++
		}
		region /= 3
	}
	return n
}

// regionRange returns the first coordinate of a region along an axis of the given size, and how
// many there are.
func regionRange(digit int, size int64) (from, n int64) {
	switch digit {
	case 0:
		return 0, 1
	case 1:
		return 1, size - 2
	}
	return size - 1, 1
}

// regionEnds returns the first and the last rank of a region and the number of its ranks, which may
// be 0.
func regionEnds(shape []int64, region int) (first, last, n int64) {
	scale := int64(1)
	n = 1
	for i := len(shape) - 1; i >= 0; i-- {
		from, k := regionRange(region%3, shape[i])
		first += from * scale
		last += (from + k - 1) * scale
		n *= k
		region /= 3
		scale *= shape[i]
	}
	return first, last, n
}

// regionsOfSet returns the regions of a grid that make s up.
func (s *Set) regionsOfSet(shape []int64) (mask uint32, ok bool) {
	members := int64(0)
	for region := range regionsOf[len(shape)] {
		first, last, n := regionEnds(shape, region)
		if n == 0 {
			continue
		}
		has := s.Contains(int(first))
		if has != s.Contains(int(last)) || has != s.Contains(int((first+last)/2)) && n == last-first+1 {
			return 0, false
		}
		if has {
			mask |= 1 << region
			members += n
		}
	}
	if members != int64(s.Len()) {
		return 0, false
	}
	return mask, s.Equal(gridSet(shape, mask))
}

// gridSet returns the ranks of the regions.
func gridSet(shape []int64, mask uint32) *Set {
	return &Set{list: newRuns(regionRuns(shape, mask)), loose: true}
}

// regionRuns returns the ranks of regions as runs.
func regionRuns(shape []int64, mask uint32) []run {
	d, rest := int(shape[0]), shape[1:]
	width, block := regionsOf[len(rest)], 1
	for _, x := range rest {
		block *= int(x)
	}
	var of []run
	for digit := range 3 {
		part := mask >> (digit * width) & (1<<width - 1)
		from, n := regionRange(digit, shape[0])
		if part == 0 || n == 0 || int(from) >= d {
			continue
		}
		sub := []run{{stride: 1, count: 1}}
		if len(rest) > 0 {
			sub = regionRuns(rest, part)
		}
		of = append(of, copies(sub, int(from)*block, block, int(n))...)
	}
	return of
}

// copies returns n copies of runs, stride apart, the first one shifted by lo.
func copies(sub []run, lo, stride, n int) []run {
	if len(sub) == 1 && sub[0].isInterval() {
		switch r := sub[0]; {
		case r.count == stride: // seamless
			return []run{{lo: lo + r.lo, stride: 1, count: n * stride}}
		case r.count == 1 && n > 1:
			return []run{{lo: lo + r.lo, stride: stride, count: n}}
		}
	}
	if n > 1 {
		return []run{{lo: lo + sub[0].lo, stride: stride, count: n, body: newBody(sub)}}
	}
	out := make([]run, len(sub))
	for i, r := range sub {
		r.lo += lo
		out[i] = r
	}
	return out
}

// Heads of encoded sets that no number of runs or columns has.
const (
	headGrid = 1
	headRest = 3
)

const (
	// Sets with more runs than that are not tried as regions. Sets with at most that many bytes
	// need not be.
	maxGridRuns  = 24
	fewSetBytes  = 3
	maxRestParts = 4
)

// AppendIn appends the encoding of s as a set of ranks of a communicator, which may be shorter than
// that of Append.
func (s *Set) AppendIn(dst []byte, ctx *Context) []byte {
	s = s.canonical()
	size := 0
	if ctx != nil {
		size = int(ctx.ranks())
	}
	if size == 0 || s.Len() == 0 {
		return s.Append(dst)
	}
	s.within.Lock()
	defer s.within.Unlock()
	if s.within.size != size {
		s.within.size, s.within.b = size, s.encodeIn(ctx, size)
	}
	return append(dst, s.within.b...)
}

func (s *Set) encodeIn(ctx *Context, size int) []byte {
	best := s.Append(nil)
	if len(best) <= fewSetBytes || s.Max() >= size {
		return best
	}
	if b := s.appendRest(nil, size); b != nil && len(b) < len(best) {
		best = b
	}
	if len(s.list.of) > maxGridRuns {
		return best
	}
	for number := range shapeAxes * maxShapes {
		shape := ctx.shape(uint64(number))
		if shape == nil || len(best) <= fewSetBytes {
			continue
		}
		if mask, ok := s.regionsOfSet(shape); ok {
			b := appendUvarint(appendUvarint(nil, headGrid), number)
			if b = appendUvarint(b, regionCode(shape, mask)); len(b) < len(best) {
				best = b
			}
		}
	}
	return best
}

// regionCode returns twice a bit for each number of axes at a border if the regions are all those
// with some numbers, else one more than twice a bit for each region.
func regionCode(shape []int64, mask uint32) int {
	counts := uint32(0)
	for region := range regionsOf[len(shape)] {
		if mask>>region&1 != 0 {
			counts |= 1 << regionBorders(region, len(shape))
		}
	}
	if countedRegions(shape, counts) == mask {
		return 2 * int(counts)
	}
	return 2*int(mask) + 1
}

// countedRegions returns the regions with ranks that are at a border along so many axes as counts
// has a bit for.
func countedRegions(shape []int64, counts uint32) uint32 {
	mask := uint32(0)
	for region := range regionsOf[len(shape)] {
		if _, _, n := regionEnds(shape, region); n > 0 && counts>>regionBorders(region, len(shape))&1 != 0 {
			mask |= 1 << region
		}
	}
	return mask
}

// appendRest encodes s by the intervals that it lacks, nil if they are many.
func (s *Set) appendRest(dst []byte, size int) []byte {
	var lacking []run
	end := 0
	add := func(lo, hi int) bool {
		if lo > end {
			lacking = append(lacking, run{lo: end, stride: 1, count: lo - end})
		}
		end = hi
		return len(lacking) <= maxRestParts
	}
	if !s.list.intervals(0, add) || !add(size, size) {
		return nil
	}
	return appendRuns(appendUvarint(appendUvarint(dst, headRest), len(lacking)), lacking, true)
}

// ParseSetIn parses a set that AppendIn encoded, with an equal context.
func ParseSetIn(b []byte, ctx *Context, limit int) (*Set, []byte, error) {
	p := open(b)
	s := p.setIn(ctx, min(limit, MaxRank+1))
	if p.Err != nil {
		return nil, nil, p.Err
	}
	return s, b[p.Pos:], nil
}

func (p *input) setIn(ctx *Context, limit int) *Set {
	from := p.Pos
	head := p.Uvarint()
	size := 0
	if ctx != nil {
		size = int(ctx.ranks())
	}
	if p.Err != nil {
		return nil
	}
	if head != headGrid && head != headRest {
		p.Pos = from
		return p.set(limit)
	}
	if size == 0 {
		p.Fail("set needs the size of the communicator")
		return nil
	}
	var s *Set
	if head == headRest {
		s = p.restSet(size)
	} else {
		s = p.gridSet(ctx)
	}
	if p.Err == nil && s.Max() >= limit {
		p.Fail("ranks out of range")
	}
	if p.Err != nil {
		return nil
	}
	return s
}

// gridSet reads the number of a grid and regions.
func (p *input) gridSet(ctx *Context) *Set {
	shape := ctx.shape(p.Uvarint())
	if shape == nil {
		p.Fail("unknown grid")
		return nil
	}
	code := p.upTo(2<<maxRegions-1, "cells")
	mask := uint32(code / 2)
	if code&1 == 0 {
		mask = countedRegions(shape, mask)
	}
	for region := range maxRegions {
		if mask>>region&1 == 0 {
			continue
		}
		if region >= regionsOf[len(shape)] {
			p.Fail("cells out of range")
			return nil
		}
		if _, _, n := regionEnds(shape, region); n == 0 {
			p.Fail("cell without ranks")
			return nil
		}
	}
	return gridSet(shape, mask)
}

// restSet reads the intervals that the set lacks.
func (p *input) restSet(size int) *Set {
	n := p.Uvarint()
	if n > maxRestParts {
		p.Fail("too many intervals")
	}
	lacking := p.runs(n, size, true, 0)
	if p.Err != nil {
		return nil
	}
	var of []run
	end := 0
	for _, r := range append(lacking, run{lo: size, stride: 1}) {
		if !r.isInterval() {
			p.Fail("not an interval")
			return nil
		}
		if r.lo > end {
			of = append(of, run{lo: end, stride: 1, count: r.lo - end})
		}
		end = r.lo + r.count
	}
	return &Set{list: newRuns(of), loose: true}
}
