package adaptive

import (
	"encoding/binary"
	"fmt"
)

// ownTable is the least number of numbers that are worth a table.
const ownTable = 16

// stateLow is the least state of a coder; states are below 2^31.
const stateLow = 1 << 15

// An Error is an encoding that is broken or cut off.
type Error struct {
	Offset int // in bytes
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("broken numbers, byte %d: %s", e.Offset, e.Reason) }

// A Coder holds what coding needs, for the next time. The zero value is ready. It is not safe for concurrent use.
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
	words  []uint16
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
		panic("adaptive: Coder.Append: numbers and contexts differ in number")
	}
	c.prepare(contexts, parents)
	if cap(c.notes) < len(numbers) {
		c.notes = make([]note, len(numbers))
	}
	notes := c.notes[:len(numbers)]
	plain := bitWriter{out: c.plain[:0]}
	for i, v := range numbers {
		d := c.of[contexts[i]]
		if d.n >= d.until {
			c.builds.build(d, false)
		}
		class, low := classOf(v)
		l := d.find(class)
		notes[i] = note{l.cum, l.freq, uint8(d.scale)}
		plain.put(uint64(class-uint32(l.start)), uint(l.bits))
		plain.put(v&(1<<(low&63)-1), low)
		c.count(d, class)
	}
	c.code(notes)
	dst = binary.AppendUvarint(dst, uint64(len(c.words)))
	for i := len(c.words) - 1; i >= 0; i-- {
		dst = binary.LittleEndian.AppendUint16(dst, c.words[i])
	}
	c.plain = plain.finish()
	dst = binary.AppendUvarint(dst, uint64(len(c.plain)))
	return append(dst, c.plain...)
}

// code makes c.words from the last number to the first: what decoding takes first comes last.
func (c *Coder) code(notes []note) {
	words := c.words[:0]
	x, y := uint32(stateLow), uint32(stateLow)
	// The states change places with each number, so that neither waits for the other.
	for i := len(notes) - 1; i >= 0; i-- {
		x, y = y, x
		n := &notes[i]
		f := uint32(n.freq)
		if x >= f<<(31-n.scale) {
			words = append(words, uint16(x))
			x >>= 16
		}
		q := x / f
		x = q<<n.scale + x - q*f + uint32(n.cum)
	}
	c.words = append(words, uint16(y), uint16(y>>16), uint16(x), uint16(x>>16))
}

// Decode decodes what Append made of len(numbers) numbers with these contexts and parents, from the
// beginning of in, and returns what follows it. It allocates in proportion to len(numbers).
func (c *Coder) Decode(in []byte, numbers []uint64, contexts, parents []uint16) (rest []byte, err error) {
	if len(contexts) != len(numbers) {
		panic("adaptive: Coder.Decode: numbers and contexts differ in number")
	}
	words, rest, ok := part(in, 2)
	if !ok || len(words) < 8 {
		return nil, &Error{0, "cut off"}
	}
	plain, rest, ok := part(rest, 1)
	if !ok {
		return nil, &Error{len(in) - len(rest), "cut off"}
	}
	c.prepare(contexts, parents)
	if reason := c.decode(words, plain, numbers, contexts); reason != "" {
		return nil, &Error{0, reason}
	}
	return rest, nil
}

// part splits off a number of items of the given size.
func part(in []byte, size uint64) (items, rest []byte, ok bool) {
	n, k := binary.Uvarint(in)
	if k <= 0 || n > uint64(len(in)-k)/size {
		return nil, in, false
	}
	n *= size
	return in[k : k+int(n)], in[k+int(n):], true
}

func (c *Coder) decode(words, plain []byte, numbers []uint64, contexts []uint16) (reason string) {
	word := func(at int) uint32 { return uint32(binary.LittleEndian.Uint16(words[at:])) }
	x, y := word(0)<<16|word(2), word(4)<<16|word(6)
	at := 8
	bits := bitReader{in: plain}
	for i := range numbers {
		d := c.of[contexts[i]]
		if d.n >= d.until {
			c.builds.build(d, true)
		}
		slot := x & (1<<(d.scale&15) - 1)
		l := &d.leaves[d.slots[slot]]
		x = uint32(l.freq)*(x>>(d.scale&15)) + slot - uint32(l.cum)
		if x < stateLow {
			if at+2 > len(words) {
				return "cut off"
			}
			x = x<<16 | word(at)
			at += 2
		}
		class := uint32(l.start) + uint32(bits.get(uint(l.bits)))
		v, low := base(class)
		if low > 54 {
			return "number out of range"
		}
		if low > 0 {
			v |= bits.get(low)
		}
		numbers[i] = v
		c.count(d, class)
		x, y = y, x
	}
	if at != len(words) || x != stateLow || y != stateLow || bits.used() != len(plain) {
		return "the numbers do not end where they should"
	}
	return ""
}
