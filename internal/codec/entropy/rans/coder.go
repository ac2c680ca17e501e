package rans

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// ownTable is the least number of numbers that are worth a table.
const ownTable = 16

// A Coder holds what coding needs, for the next time. The zero value is ready. It is not safe for
// concurrent use.
type Coder struct {
	dists  []*dist // for reuse; the first used of them are in use
	used   int
	pages  []*page
	inUse  int
	builds builder

	of     []*dist // of each context
	groups []*dist
	counts []uint32
	sums   []uint32
	notes  []note
	words  []byte
	plain  []byte
}

// A note is what coding a number backwards needs to know of its table.
type note struct {
	cum, freq uint16
	scale     uint8
}

// prepare sets c.of for numbers of the given contexts. parents is the group of each context.
func (c *Coder) prepare(contexts, parents []uint16) {
	c.used, c.inUse = 0, 0
	c.builds.few = len(contexts) <= fewNumbers
	c.counts = cleared(c.counts, len(parents))
	most := 0
	for _, g := range parents {
		most = max(most, int(g))
	}
	c.sums = cleared(c.sums, most+1)
	for _, x := range contexts {
		c.counts[x]++
	}
	for x, n := range c.counts {
		c.sums[parents[x]] += n
	}
	all := c.newDist(nil)
	c.groups = c.groups[:0]
	for _, n := range c.sums {
		d := all
		if n >= ownTable {
			d = c.newDist(all)
		}
		c.groups = append(c.groups, d)
	}
	c.of = c.of[:0]
	for x, n := range c.counts {
		d := c.groups[parents[x]]
		// A context that is all of its group is like the group.
		if n >= ownTable && n < c.sums[parents[x]] {
			d = c.newDist(d)
		}
		c.of = append(c.of, d)
	}
}

func cleared(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

func (c *Coder) newDist(parent *dist) *dist {
	if c.used == len(c.dists) {
		c.dists = append(c.dists, &dist{})
	}
	d := c.dists[c.used]
	c.used++
	d.reset(parent)
	return d
}

func (c *Coder) newPage() *page {
	if c.inUse == len(c.pages) {
		c.pages = append(c.pages, &page{})
	}
	p := c.pages[c.inUse]
	c.inUse++
	*p = page{}
	return p
}

// count counts a class in a context and, as long as that may help, in its group and in all.
func (c *Coder) count(d *dist, class uint32) {
	d.add(class, c)
	for p := d.parent; p != nil && p.n < groupCounts; p = p.parent {
		p.add(class, c)
	}
}

// Append appends the encoding of numbers to dst. The context of each is an index in parents, which
// gives contexts the number of a group.
func (c *Coder) Append(dst []byte, numbers []uint64, contexts, parents []uint16) []byte {
	if len(contexts) != len(numbers) {
		panic("rans: Coder.Append: numbers and contexts differ in number")
	}
	c.prepare(contexts, parents)
	if cap(c.notes) < len(numbers) {
		c.notes = make([]note, len(numbers))
	}
	notes := c.notes[:len(numbers)]
	plain := byteio.NewBitWriter(c.plain[:0], 0)
	for i, v := range numbers {
		d := c.of[contexts[i]]
		if d.n >= d.until {
			c.builds.build(d, false)
		}
		class, low := classOf(v)
		l := d.find(class)
		notes[i] = note{l.cum, l.freq, uint8(d.scale)}
		at, width := uint64(class-uint32(l.start)), uint(l.bits)
		v &= 1<<(low&63) - 1
		if width+low <= byteio.MaxWidth { // one field is cheaper than two
			plain.Write(at|v<<(width&63), width+low)
		} else {
			plain.Write(at, width)
			plain.Write(v, low)
		}
		c.count(d, class)
	}
	words := c.code(notes)
	dst = binary.AppendUvarint(dst, uint64(len(words)/2))
	dst = append(dst, words...)
	c.plain = plain.Flush()
	return byteio.AppendSized(dst, c.plain)
}

// code codes notes from the last to the first, which the states do in turn.
func (c *Coder) code(notes []note) []byte {
	at := Room(len(notes))
	if cap(c.words) < at {
		c.words = make([]byte, at)
	}
	words := c.words[:at]
	x, y := uint32(Low), uint32(Low)
	for i := len(notes) - 1; i >= 0; i-- {
		n := &notes[i]
		s := NewSymbol(uint32(n.cum), uint32(n.freq), uint(n.scale))
		x, y = y, x
		x, at = s.Put(x, words, at)
	}
	return words[End(words, at, x, y):]
}

// Decode decodes what Append made of len(numbers) numbers with these contexts and parents, from the
// beginning of in, and returns what follows it. It allocates in proportion to len(numbers).
func (c *Coder) Decode(in []byte, numbers []uint64, contexts, parents []uint16) (rest []byte, err error) {
	if len(contexts) != len(numbers) {
		panic("rans: Coder.Decode: numbers and contexts differ in number")
	}
	p := &byteio.Reader{In: in, What: "numbers"}
	words := p.Bytes(2 * uint64(p.Count()))
	if len(words) < 8 {
		p.Fail(byteio.Cut)
	}
	plain := p.Sized()
	if p.Err != nil {
		return nil, p.Err
	}
	c.prepare(contexts, parents)
	if reason := c.decode(words, plain, numbers, contexts); reason != "" {
		p.Fail(reason)
		return nil, p.Err
	}
	return in[p.Pos:], nil
}

func (c *Coder) decode(words, plain []byte, numbers []uint64, contexts []uint16) (reason string) {
	word := func(at int) uint32 { return uint32(binary.LittleEndian.Uint16(words[at:])) }
	x, y := Begin(words)
	at := 8
	bits := byteio.BitReader{In: plain}
	for i := range numbers {
		d := c.of[contexts[i]]
		if d.n >= d.until {
			c.builds.build(d, true)
		}
		slot := x & (1<<(d.scale&15) - 1)
		k := d.slots[slot>>(d.skip&15)]
		for uint32(d.leaves[k+1].cum) <= slot {
			k++
		}
		l := &d.leaves[k]
		x = uint32(l.freq)*(x>>(d.scale&15)) + slot - uint32(l.cum)
		if x < Low {
			if at+2 > len(words) {
				return "cut off"
			}
			x = x<<16 | word(at)
			at += 2
		}
		width, next := uint(l.bits), bits.Peek()
		class := uint32(l.start) + uint32(next&(1<<(width&63)-1))
		v, low := base(class)
		bits.Pos += width
		switch {
		case low > 54:
			return "number out of range"
		case width+low <= byteio.MaxWidth: // as it is nearly always
			v |= next >> (width & 63) & (1<<(low&63) - 1)
			bits.Pos += low
		default:
			v |= bits.Read(low)
		}
		numbers[i] = v
		c.count(d, class)
		x, y = y, x
	}
	if at != len(words) || x != Low || y != Low || bits.Used() != len(plain) {
		return "the numbers do not end where they should"
	}
	return ""
}
