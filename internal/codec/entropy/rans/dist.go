package rans

import "math/bits"

const (
	pageBits = 6
	pageSize = 1 << pageBits
	pages    = classes / pageSize

	one         = 1 << 10 // weight of a count
	groupWeight = 4 * one
	evenWeight  = one
	splitWeight = 10 * one
	splitShare  = 64
	wideBits    = 6 // log2 of the width above which leaves have no weight but the even one

	// A table has 2^fewScale slots, and 2^manyScale from manyCount counts on.
	fewScale, manyScale = 10, 12
	manyCount           = 512
	// Up to slowCount counts a table lasts until there are half as many more. Where there are
	// fewNumbers at most in all, time does not matter, and a quarter is enough. From slowCount on
	// it lasts until there are as many more, at most longest.
	slowCount  = 1000
	longest    = 4096
	fewNumbers = 4096
	// slotsPerUse is how many entries a decoder's table has at most for each number that it is used for.
	slotsPerUse = 4
	// groupCounts is how many numbers of a group are counted for those that are new in it.
	groupCounts = 2048
)

// A leaf is an interval of classes.
type leaf struct {
	start     uint16
	bits      uint8  // log2 of the number of classes
	freq, cum uint16 // slots, and those of the leaves before
}

// A dist is the counts of a context, a group or all, and a table.
type dist struct {
	parent *dist
	n      uint32
	until  uint32 // the table is good up to this count
	page   [pages]*page
	inUse  [pages / 64]uint64

	scale  uint
	leaves []leaf
	// leafOf is, for the encoder, the leaf of each page, or inPages plus an index in leafIn, which
	// has the leaf of each class.
	leafOf [pages]uint16
	leafIn [][pageSize]uint16
	// slots is, for the decoder, the leaf of every 2^skip-th slot: the leaves of the others are soon after. One more
	// leaf, which begins after the last slot, is at the end of leaves.
	slots []uint16
	skip  uint
}

const inPages = 1 << 15

// A page is the counts of neighbouring classes.
type page struct {
	sum    uint32
	counts [pageSize]uint32
}

// add counts a class. c provides the pages.
func (d *dist) add(class uint32, c *Coder) {
	at := class >> pageBits & (pages - 1)
	p := d.page[at]
	if p == nil {
		p = c.newPage()
		d.page[at] = p
		d.inUse[at>>6] |= 1 << (at & 63)
	}
	p.counts[class&(pageSize-1)]++
	p.sum++
	d.n++
}

// reset makes d one without counts.
func (d *dist) reset(parent *dist) {
	d.parent, d.n, d.until = parent, 0, 0
	for i, word := range d.inUse {
		for ; word != 0; word &= word - 1 {
			d.page[i<<6+bits.TrailingZeros64(word)] = nil
		}
		d.inUse[i] = 0
	}
}

// A builder makes tables.
type builder struct {
	d            *dist
	numbers      []uint16             // of the pages with weight, ascending
	before       []uint64             // weight of the pages before each, and at the end of all
	within       [pageSize + 1]uint64 // in the page that is cut: weight of the classes before each
	scaled       uint64               // weight of a count of the parent, in 1/2^16
	weights      []uint64             // of the leaves
	total, least uint64
	decoding     bool
	few          bool // at most fewNumbers
}

// build makes the table of d from its counts.
func (b *builder) build(d *dist, decoding bool) {
	grow := d.n
	switch {
	case d.n < slowCount && b.few:
		grow = max(1, d.n/4)
	case d.n < slowCount:
		grow = max(2, d.n/2)
	}
	d.until = d.n + min(grow, longest)
	b.d, b.decoding = d, decoding
	b.weigh()
	d.scale = fewScale
	if d.n >= manyCount {
		d.scale = manyScale
	}
	// Leaves of the greatest width that has weight are at most half of the slots of the smallest
	// table.
	for b.least = max(splitWeight, uint64(d.n)*one/splitShare); ; b.least *= 2 {
		d.leaves, d.leafIn, b.weights, b.total = d.leaves[:0], d.leafIn[:0], b.weights[:0], 0
		b.cut(0, classBits, 0, len(b.numbers))
		if len(d.leaves) <= 1<<(d.scale-1) {
			break
		}
	}
	b.scale()
	if decoding {
		d.fillSlots()
	}
}

// weigh computes the weights of the pages: of the counts of d and of its parent.
func (b *builder) weigh() {
	d, parent := b.d, b.d.parent
	b.numbers, b.before, b.scaled = b.numbers[:0], b.before[:0], 0
	if parent != nil && parent.n > 0 {
		b.scaled = groupWeight << 16 / uint64(parent.n)
	}
	sum := uint64(0)
	for i := range d.inUse {
		word := d.inUse[i]
		if b.scaled > 0 {
			word |= parent.inUse[i]
		}
		for ; word != 0; word &= word - 1 {
			at := uint16(i<<6 + bits.TrailingZeros64(word))
			b.numbers = append(b.numbers, at)
			b.before = append(b.before, sum)
			own, others := b.pages(at)
			if own != nil {
				sum += uint64(own.sum) * one
			}
			if others != nil {
				sum += uint64(others.sum) * b.scaled >> 16
			}
		}
	}
	b.before = append(b.before, sum)
}

// pages are the counts of a page, in d and its parent; nil if there are none.
func (b *builder) pages(number uint16) (own, others *page) {
	if b.scaled > 0 {
		others = b.d.parent.page[number&(pages-1)]
	}
	return b.d.page[number&(pages-1)], others
}

// weighPage sets before to the weight of the classes before each.
func weighPage(before *[pageSize + 1]uint64, own, others *page, scaled uint64) {
	sum, part := uint64(0), uint64(0)
	switch {
	case others == nil:
		for i, n := range own.counts {
			before[i] = sum
			sum += uint64(n) * one
		}
	case own == nil:
		for i, n := range others.counts {
			before[i] = part * scaled >> 16
			part += uint64(n)
		}
	default:
		for i, n := range own.counts {
			before[i] = sum + part*scaled>>16
			sum += uint64(n) * one
			part += uint64(others.counts[i])
		}
	}
	sum += part * scaled >> 16
	before[pageSize] = sum
}

// cut makes leaves of 2^width classes from start on, which are in pages from to to or at least as
// wide as a page.
func (b *builder) cut(start uint32, width uint, from, to int) {
	w := b.before[to] - b.before[from]
	if w == 0 || w < b.least && width <= wideBits {
		if !b.decoding {
			fill(b.d.leafOf[start>>pageBits:][:1<<(width-pageBits)], len(b.d.leaves))
		}
		b.leaf(start, width, w)
		return
	}
	if width == pageBits {
		if !b.decoding {
			b.d.leafOf[start>>pageBits] = inPages | uint16(len(b.d.leafIn))
			b.d.leafIn = append(b.d.leafIn, [pageSize]uint16{})
		}
		own, others := b.pages(b.numbers[from])
		weighPage(&b.within, own, others, b.scaled)
		b.cutPage(&b.within, start, 0, width)
		return
	}
	half := start + 1<<(width-1)
	middle := from
	for middle < to && uint32(b.numbers[middle]) < half>>pageBits {
		middle++
	}
	b.cut(start, width-1, from, middle)
	b.cut(half, width-1, middle, to)
}

// cutPage makes leaves of 2^width classes of a page.
func (b *builder) cutPage(before *[pageSize + 1]uint64, start, at uint32, width uint) {
	w := before[at+1<<width] - before[at]
	if width == 0 || w < b.least {
		if !b.decoding {
			fill(b.d.leafIn[len(b.d.leafIn)-1][at:][:1<<width], len(b.d.leaves))
		}
		b.leaf(start+at, width, w)
		return
	}
	b.cutPage(before, start, at, width-1)
	b.cutPage(before, start, at+1<<(width-1), width-1)
}

func (b *builder) leaf(start uint32, width uint, w uint64) {
	w += evenWeight << width >> classBits
	b.weights = append(b.weights, w)
	b.total += w
	b.d.leaves = append(b.d.leaves, leaf{start: uint16(start), bits: uint8(width)})
}

// scale turns weights into frequencies. What rounding leaves goes to the first of the heaviest
// leaves.
func (b *builder) scale() {
	d := b.d
	share := uint64(1)<<d.scale - uint64(len(d.leaves))
	each := share << 32 / b.total
	left, top := share, 0
	for i, w := range b.weights {
		f := w * each >> 32
		left -= f
		d.leaves[i].freq = uint16(1 + f)
		if w > b.weights[top] {
			top = i
		}
	}
	d.leaves[top].freq += uint16(left)
	cum := uint16(0)
	for i := range d.leaves {
		d.leaves[i].cum = cum
		cum += d.leaves[i].freq
	}
}

// fillSlots makes what finds the leaf of a slot. A table that does not last long is not worth an entry for each slot.
func (d *dist) fillSlots() {
	all, uses := 1<<d.scale, int(d.until-d.n)
	for d.skip = 0; d.skip < 6 && all>>d.skip > slotsPerUse*uses; d.skip++ {
	}
	n := all >> d.skip
	if cap(d.slots) < n {
		d.slots = make([]uint16, n)
	} else {
		d.slots = d.slots[:n]
	}
	end := uint(0)
	for i := range d.leaves {
		from := end
		end = (uint(d.leaves[i].cum) + uint(d.leaves[i].freq) + 1<<d.skip - 1) >> d.skip
		fill(d.slots[from:end], i)
	}
	d.leaves = append(d.leaves, leaf{cum: uint16(all)})
}

func fill(s []uint16, v int) {
	for i := range s {
		s[i] = uint16(v)
	}
}

// find returns the leaf of a class.
func (d *dist) find(class uint32) *leaf {
	i := d.leafOf[class>>pageBits&(pages-1)]
	if i&inPages != 0 {
		i = d.leafIn[i&^inPages][class&(pageSize-1)]
	}
	return &d.leaves[i]
}
