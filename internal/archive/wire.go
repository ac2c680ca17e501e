package archive

import "github.com/tabard-hpc/tabard/internal/codec/byteio"

// encoder builds the content of a part.
type encoder struct{ byteio.Writer }

// ids codes a list whose elements often follow one another: the length, then
// the distance of each from its predecessor + 1.
func (e *encoder) ids(ids []uint32) {
	e.Uvarint(uint64(len(ids)))
	next := int64(0)
	for _, id := range ids {
		e.Varint(int64(id) - next)
		next = int64(id) + 1
	}
}

// decoder reads the content of a part and trusts nothing. The first error
// sticks; afterwards everything is zero.
type decoder struct {
	byteio.Reader
	section string // for errors
}

// decode returns a decoder of b, which begins at offset base of a section.
func decode(b []byte, section string, base int64) *decoder {
	as := func(offset int64, reason string) error { return broken(section, offset, "%s", reason) }
	return &decoder{byteio.Reader{In: b, Base: base, As: as}, section}
}

func (d *decoder) fail(format string, args ...any) {
	if d.Err == nil {
		d.Stop(broken(d.section, d.Base+int64(d.Pos), format, args...))
	}
}

// limited reads a number that is at most max.
func (d *decoder) limited(max uint64, what string) uint64 {
	v := d.Uvarint()
	if v > max {
		d.fail("%s %d is out of range (at most %d)", what, v, max)
		return 0
	}
	return v
}

// index reads the number of one of n items.
func (d *decoder) index(n int, what string) int {
	v := d.Uvarint()
	if d.Err == nil && v >= uint64(n) {
		d.fail("%s %d does not exist (there are %d)", what, v, n)
	}
	if d.Err != nil {
		return 0
	}
	return int(v)
}

// count reads a number of items that take at least one byte each, so that no
// count can ask for more memory than a small multiple of the input.
func (d *decoder) count(what string) int {
	v := d.Uvarint()
	if v > uint64(d.Left()) {
		d.fail("%d %s do not fit into the remaining %d bytes", v, what, d.Left())
		return 0
	}
	return int(v)
}

// bytes reads a length and that many bytes, which share memory with d.In.
func (d *decoder) bytes(what string) []byte {
	n := d.count("bytes of " + what)
	if d.Err != nil {
		return nil
	}
	d.Pos += n
	return d.In[d.Pos-n : d.Pos : d.Pos]
}

// ids reads what encoder.ids wrote; all are below n.
func (d *decoder) ids(n int, what string) []uint32 {
	count := d.count(what)
	ids := make([]uint32, 0, count)
	next := int64(0)
	for range count {
		id := next + d.Varint()
		if d.Err == nil && (id < 0 || id >= int64(n)) {
			d.fail("%s %d does not exist (there are %d)", what, id, n)
		}
		if d.Err != nil {
			return nil
		}
		ids = append(ids, uint32(id))
		next = id + 1
	}
	return ids
}

// end checks that everything was read.
func (d *decoder) end() error {
	if d.Left() != 0 {
		d.fail("%d bytes too many", d.Left())
	}
	return d.Err
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
	e.Uvarint(uint64(len(p.items)))
	for _, s := range p.items {
		e.Text(s)
	}
	return e.Out
}
