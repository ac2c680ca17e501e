package trace

import "encoding/binary"

// encoder builds the content of a part.
type encoder struct{ b []byte }

func (e *encoder) uint(v uint64) { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)   { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) bytes(s string) {
	e.uint(uint64(len(s)))
	e.b = append(e.b, s...)
}

// ids codes a list whose elements often follow one another: the length, then
// the distance of each from its predecessor + 1.
func (e *encoder) ids(ids []uint32) {
	e.uint(uint64(len(ids)))
	next := int64(0)
	for _, id := range ids {
		e.int(int64(id) - next)
		next = int64(id) + 1
	}
}

// decoder reads the content of a part and trusts nothing. The first error
// sticks; afterwards everything is zero.
type decoder struct {
	b       []byte
	off     int
	section string // for errors
	base    int64  // offset of b in the section
	err     error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = broken(d.section, d.base+int64(d.off), format, args...)
	}
}

func (d *decoder) left() int { return len(d.b) - d.off }

func (d *decoder) uint() uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.b[d.off:])
	if n <= 0 {
		d.fail("bad number")
		return 0
	}
	d.off += n
	return v
}

func (d *decoder) int() int64 {
	u := d.uint()
	return int64(u>>1) ^ -int64(u&1)
}

// limited reads a number that is at most max.
func (d *decoder) limited(max uint64, what string) uint64 {
	v := d.uint()
	if v > max {
		d.fail("%s %d is out of range (at most %d)", what, v, max)
		return 0
	}
	return v
}

// index reads the number of one of n items.
func (d *decoder) index(n int, what string) int {
	v := d.uint()
	if d.err == nil && v >= uint64(n) {
		d.fail("%s %d does not exist (there are %d)", what, v, n)
	}
	if d.err != nil {
		return 0
	}
	return int(v)
}

func (d *decoder) byte() byte {
	if d.err == nil && d.left() == 0 {
		d.fail("cut off")
	}
	if d.err != nil {
		return 0
	}
	d.off++
	return d.b[d.off-1]
}

// count reads a number of items that take at least one byte each, so that no
// count can ask for more memory than a small multiple of the input.
func (d *decoder) count(what string) int {
	v := d.uint()
	if v > uint64(d.left()) {
		d.fail("%d %s do not fit into the remaining %d bytes", v, what, d.left())
		return 0
	}
	return int(v)
}

// bytes reads a length and that many bytes, which share memory with d.b.
func (d *decoder) bytes(what string) []byte {
	n := d.count("bytes of " + what)
	if d.err != nil {
		return nil
	}
	d.off += n
	return d.b[d.off-n : d.off : d.off]
}

// ids reads what encoder.ids wrote; all are below n.
func (d *decoder) ids(n int, what string) []uint32 {
	count := d.count(what)
	ids := make([]uint32, 0, count)
	next := int64(0)
	for range count {
		id := next + d.int()
		if d.err == nil && (id < 0 || id >= int64(n)) {
			d.fail("%s %d does not exist (there are %d)", what, id, n)
		}
		if d.err != nil {
			return nil
		}
		ids = append(ids, uint32(id))
		next = id + 1
	}
	return ids
}

// end checks that everything was read.
func (d *decoder) end() error {
	if d.left() != 0 {
		d.fail("%d bytes too many", d.left())
	}
	return d.err
}

// pool numbers distinct strings (also byte strings) in order of first use.
type pool struct {
	ids   map[string]uint32
	items []string
}

func (p *pool) add(s string) uint32 {
	if id, ok := p.ids[s]; ok {
		return id
	}
	if p.ids == nil {
		p.ids = make(map[string]uint32)
	}
	id := uint32(len(p.items))
	p.ids[s] = id
	p.items = append(p.items, s)
	return id
}

// part codes the pool as its items.
func (p *pool) part() []byte {
	var e encoder
	e.uint(uint64(len(p.items)))
	for _, s := range p.items {
		e.bytes(s)
	}
	return e.b
}
