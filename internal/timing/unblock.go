package timing

import (
	"slices"

	"tabard/internal/wire"
)

// decode decodes the whole of p, a block of calls of the given classes, to gaps and durations.
func (b *block) decode(p *input, gaps, durations []uint64, classes []uint32) {
	exceptions := p.count()
	from := p.pos
	for range exceptions {
		p.uvarint()
		p.uvarint()
		p.uvarint()
	}
	after := p.pos
	switch method := p.byte(); {
	case p.err != nil:
	case method == methodVarints:
		for i := range gaps {
			gaps[i] = 0
			if i > 0 {
				gaps[i] = p.uvarint()
			}
			durations[i] = p.uvarint()
		}
	case method == methodTables:
		b.decodeTables(p, gaps, durations, classes)
	case method == methodAdaptive:
		b.decodeAdaptive(p, gaps, durations, classes)
	default:
		p.fail("unknown method of a block")
	}
	if p.err == nil && p.left() > 0 {
		p.fail("bytes after the last call of a block")
	}
	if p.err != nil {
		return
	}
	e := &input{in: p.in[:after], pos: from, base: p.base}
	for i := uint64(0); exceptions > 0; exceptions-- {
		if i += e.uvarint(); i >= uint64(len(gaps)) {
			p.fail("exceptional call beyond its block")
			return
		}
		gaps[i], durations[i] = uint64(e.varint()), uint64(e.varint())
		i++
	}
}

func (b *block) decodeAdaptive(p *input, gaps, durations []uint64, classes []uint32) {
	shift := uint(p.byte())
	if shift > 63 {
		p.fail("shift out of range")
	}
	if p.err != nil {
		return
	}
	b.findContexts(classes)
	b.findParents()
	for _, numbers := range [][]uint64{gaps, durations} {
		rest, err := b.coder.Decode(p.in[p.pos:], numbers, b.ctx, b.parents)
		if err != nil {
			p.fail(err.Error())
			return
		}
		p.pos = len(p.in) - len(rest)
		for i := range numbers {
			numbers[i] <<= shift
		}
	}
}

func (b *block) decodeTables(p *input, gaps, durations []uint64, classes []uint32) {
	shift := uint(p.byte())
	if shift > 63 {
		p.fail("shift out of range")
	}
	if p.err != nil {
		return
	}
	b.findContexts(classes)
	r := &bitReader{wire.BitReader{In: p.in[p.pos:]}}
	d := &b.decoder
	d.reset(b)
	d.gaps = b.readTables(d.gaps, r, p)
	d.durations = b.readTables(d.durations, r, p)
	p.bytes(uint64(r.Pos+7) / 8)
	words := p.bytes(2 * min(p.uvarint(), 1<<40))
	if p.err == nil && len(words) < 8 {
		p.fail("cut off")
	}
	if p.err != nil {
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

// readTables reads the tables of each set and puts them into dst.
func (b *block) readTables(dst []uint64, r *bitReader, p *input) []uint64 {
	dst = slices.Grow(dst[:0], b.sets*buckets)
	for s := range b.sets {
		tables := int(r.golomb(p))
		if tables > buckets || tables == 0 && (s > 0 || b.pooled()) {
			p.fail("number of tables out of range")
		}
		for i := range tables {
			last := (s+1)*buckets - 1
			if i+1 < tables {
				last = len(dst) + int(r.golomb(p))
			}
			if last >= (s+1)*buckets {
				p.fail("tables out of range")
			}
			if p.err != nil {
				return dst
			}
			t := b.decoder.read(&b.decoder.table, r, p)
			for len(dst) <= last {
				dst = append(dst, t)
			}
		}
		if p.err != nil {
			return dst
		}
		dst = append(dst, make([]uint64, (s+1)*buckets-len(dst))...)
	}
	return dst
}

// pooled reports whether any context is in set 0.
func (b *block) pooled() bool { return slices.Contains(b.setAt, 0) }
