package timing

import (
	"encoding/binary"
	"math/bits"
	"slices"
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

func (b *block) decodeTables(p *input, gaps, durations []uint64, classes []uint32) {
	shift := uint(p.byte())
	if shift > 63 {
		p.fail("shift out of range")
	}
	if p.err != nil {
		return
	}
	b.findContexts(classes)
	r := &bitReader{in: p.in[p.pos:]}
	b.gaps.read(r, p, b)
	b.durations.read(r, p, b)
	p.bytes(uint64(r.pos+7) / 8)
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

// read reads the tables of each set.
func (pl *plan) read(r *bitReader, p *input, b *block) {
	pl.lut = slices.Grow(pl.lut[:0], b.sets*buckets)[:b.sets*buckets]
	n := 0
	for s := range b.sets {
		tables := int(r.golomb(p))
		if tables > buckets || tables == 0 && (s > 0 || b.pooled()) {
			p.fail("number of tables out of range")
		}
		bucket := 0
		for i := range tables {
			limit := buckets - 1
			if i+1 < tables {
				limit = bucket + int(r.golomb(p))
			}
			if limit >= buckets {
				p.fail("tables out of range")
			}
			if p.err != nil {
				return
			}
			for ; bucket <= limit; bucket++ {
				pl.lut[s*buckets+bucket] = uint16(n)
			}
			if n == len(pl.tables) {
				pl.tables = append(pl.tables, table{})
			}
			pl.tables[n].read(r, p)
			n++
		}
		if p.err != nil {
			return
		}
	}
}

// pooled reports whether any context is in set 0.
func (b *block) pooled() bool { return slices.Contains(b.setAt, 0) }

// values decodes all numbers; words is what the coder wrote, and the low bits follow in p.
func (b *block) values(p *input, words []byte, gaps, durations []uint64) {
	x, y := binary.LittleEndian.Uint32(words), binary.LittleEndian.Uint32(words[4:])
	x, y = x>>16|x<<16, y>>16|y<<16
	at := 8
	low := bitReader{in: p.in[p.pos:]}
	gs, ds := b.state, b.room()
	copy(gs, b.setAt)
	copy(ds, b.setAt)
	ctx := b.ctx[:len(gaps)]
	durations = durations[:len(gaps)]
	for i, c := range ctx {
		st := &gs[c]
		t := &b.gaps.tables[b.gaps.lut[*st]]
		sl := &t.slots[x&(1<<t.scale-1)]
		x = uint32(sl.freq)*(x>>t.scale) + uint32(sl.off)
		if x < ransLow {
			if at+2 > len(words) {
				p.fail("cut off")
				return
			}
			x = x<<16 | uint32(binary.LittleEndian.Uint16(words[at:]))
			at += 2
		}
		l := &t.leaves[sl.sym]
		v := l.base
		if l.low > 0 {
			v += low.read(uint(l.low))
		}
		gaps[i] = v
		*st = *st - *st%buckets + uint32(bits.Len64(v))

		st = &ds[c]
		t = &b.durations.tables[b.durations.lut[*st]]
		sl = &t.slots[y&(1<<t.scale-1)]
		y = uint32(sl.freq)*(y>>t.scale) + uint32(sl.off)
		if y < ransLow {
			if at+2 > len(words) {
				p.fail("cut off")
				return
			}
			y = y<<16 | uint32(binary.LittleEndian.Uint16(words[at:]))
			at += 2
		}
		l = &t.leaves[sl.sym]
		v = l.base
		if l.low > 0 {
			v += low.read(uint(l.low))
		}
		durations[i] = v
		*st = *st - *st%buckets + uint32(bits.Len64(v))
	}
	if at != len(words) || x != ransLow || y != ransLow {
		p.fail("the numbers do not end where they should")
	}
	p.bytes(uint64(low.pos+7) / 8)
}

// room is as many numbers as there are contexts.
func (b *block) room() []uint32 {
	b.spare = slices.Grow(b.spare[:0], b.contexts)[:b.contexts]
	return b.spare
}
