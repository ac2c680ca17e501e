package timing

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// decode decodes the whole of p, a block of calls of the given classes, to gaps and durations.
func (b *block) decode(p *byteio.Reader, gaps, durations []uint64, classes []uint32) {
	exceptions := p.Count()
	from := p.Pos
	for range exceptions {
		p.Uvarint()
		p.Uvarint()
		p.Uvarint()
	}
	after := p.Pos
	switch method := p.Byte(); {
	case p.Err != nil:
	case method == methodVarints:
		for i := range gaps {
			gaps[i] = 0
			if i > 0 {
				gaps[i] = p.Uvarint()
			}
			durations[i] = p.Uvarint()
		}
	case method == methodTables:
		b.decodeTables(p, gaps, durations, classes)
	case method == methodAdaptive:
		b.decodeAdaptive(p, gaps, durations, classes)
	default:
		p.Fail("unknown method of a block")
	}
	if p.Err == nil && p.Left() > 0 {
		p.Fail("bytes after the last call of a block")
	}
	if p.Err != nil {
		return
	}
	e := p.Part(from, after)
	for i := uint64(0); exceptions > 0; exceptions-- {
		if i += e.Uvarint(); i >= uint64(len(gaps)) {
			p.Fail("exceptional call beyond its block")
			return
		}
		gaps[i], durations[i] = uint64(e.Varint()), uint64(e.Varint())
		i++
	}
}

func (b *block) decodeAdaptive(p *byteio.Reader, gaps, durations []uint64, classes []uint32) {
	shift := uint(p.Byte())
	if shift > 63 {
		p.Fail("shift out of range")
	}
	if p.Err != nil {
		return
	}
	b.findContexts(classes)
	b.findParents()
	for _, numbers := range [][]uint64{gaps, durations} {
		rest, err := b.coder.Decode(p.In[p.Pos:], numbers, b.ctx, b.parents)
		if err != nil {
			p.Fail(err.Error())
			return
		}
		p.Pos = len(p.In) - len(rest)
		for i := range numbers {
			numbers[i] <<= shift
		}
	}
}

func (b *block) decodeTables(p *byteio.Reader, gaps, durations []uint64, classes []uint32) {
	shift := uint(p.Byte())
	if shift > 63 {
		p.Fail("shift out of range")
	}
	if p.Err != nil {
		return
	}
	b.findContexts(classes)
	r := &byteio.BitReader{In: p.In[p.Pos:]}
	d := &b.decoder
	d.reset(b)
	d.tables = b.readTables(d.tables[:0], r, p)
	d.tables = b.readTables(d.tables, r, p)
	p.Bytes(uint64(r.Used()))
	words := p.Bytes(2 * min(p.Uvarint(), 1<<40))
	if p.Err == nil && len(words) < 8 {
		p.Fail("cut off")
	}
	if p.Err != nil {
		return
	}
	b.values(p, words, gaps, durations)
	if shift > 0 {
		for i := range gaps {
			gaps[i] <<= shift
			durations[i] <<= shift
		}
	}
}

// readTables reads the tables of each set and appends them to dst.
func (b *block) readTables(dst []uint64, r *byteio.BitReader, p *byteio.Reader) []uint64 {
	end := len(dst)
	dst = slices.Grow(dst, b.sets*buckets)
	for s := range b.sets {
		end += buckets
		tables := int(golomb(r, p))
		if tables > buckets || tables == 0 && (s > 0 || b.pooled()) {
			p.Fail("number of tables out of range")
		}
		for i := range tables {
			last := end - 1
			if i+1 < tables {
				last = len(dst) + int(golomb(r, p))
			}
			if last >= end {
				p.Fail("tables out of range")
			}
			if p.Err != nil {
				return dst
			}
			t := b.decoder.read(&b.decoder.table, r, p)
			for len(dst) <= last {
				dst = append(dst, t)
			}
		}
		if p.Err != nil {
			return dst
		}
		dst = append(dst, make([]uint64, end-len(dst))...)
	}
	return dst
}

// pooled reports whether any context is in set 0.
func (b *block) pooled() bool { return slices.Contains(b.setAt, 0) }
