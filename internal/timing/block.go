package timing

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"tabard/internal/timing/adaptive"
	"tabard/internal/wire"
)

// Methods of a block.
const (
	methodVarints  = 0
	methodTables   = 1
	methodAdaptive = 2
)

// MaxBlock is the greatest number of calls of a block.
const MaxBlock = 1 << 15

// smallBlock is up to how many calls a block is not worth tables.
const smallBlock = 24

// A block is what encoding or decoding one needs for a while.
type block struct {
	ctx      []uint16 // context of each call
	contexts int
	classes  []uint32 // of each context
	counts   []uint32
	sets     int
	setAt    []uint32 // of each context: where the buckets of its set begin
	state    []uint32 // the same, and the bucket of the latest value
	pairs    [1 << 12]uint16
	more     map[uint64]uint16

	gaps, durations plan
	low             []byte
	words           []byte
	out             []byte
	decoder         decoder
	lossy           lossyBlock
	work            [2][]uint64 // numbers that are changed

	coder   adaptive.Coder
	parents []uint16 // of each context, for coder: the number of its class
	numbers map[uint32]uint16
	other   []byte
}

var blocks = sync.Pool{New: func() any { return &block{} }}

// findContexts numbers the contexts of calls of the given classes: the pairs of a call's class
// and that of the call before. The first call counts as if one of its class preceded it.
func (b *block) findContexts(classes []uint32) {
	b.ctx = slices.Grow(b.ctx[:0], len(classes))[:len(classes)]
	b.contexts = 0
	b.classes, b.counts = b.classes[:0], b.counts[:0]
	clear(b.pairs[:])
	clear(b.more)
	last := classes[0]
	for i, c := range classes {
		var n uint16
		if c|last < 64 {
			at := &b.pairs[last<<6|c]
			if *at == 0 {
				*at = b.newContext(c)
			}
			n = *at - 1
		} else {
			n = b.rareContext(last, c)
		}
		b.ctx[i] = n
		b.counts[n]++
		last = c
	}
	b.findSets()
}

// newContext returns the number of a new context, plus one.
func (b *block) newContext(class uint32) uint16 {
	b.contexts++
	b.classes, b.counts = append(b.classes, class), append(b.counts, 0)
	return uint16(b.contexts)
}

func (b *block) rareContext(last, class uint32) uint16 {
	key := uint64(last)<<32 | uint64(class)
	n, ok := b.more[key]
	if !ok {
		if b.more == nil {
			b.more = map[uint64]uint16{}
		}
		n = b.newContext(class)
		b.more[key] = n
	}
	return n - 1
}

// findParents numbers the classes of contexts.
func (b *block) findParents() {
	if b.numbers == nil {
		b.numbers = map[uint32]uint16{}
	}
	clear(b.numbers)
	b.parents = b.parents[:0]
	for _, class := range b.classes {
		n, ok := b.numbers[class]
		if !ok {
			n = uint16(len(b.numbers))
			b.numbers[class] = n
		}
		b.parents = append(b.parents, n)
	}
}

// findSets gives contexts with many calls sets of their own; set 0 is all others.
func (b *block) findSets() {
	b.sets = 1
	b.setAt, b.state = slices.Grow(b.setAt[:0], b.contexts), slices.Grow(b.state[:0], b.contexts)
	b.setAt, b.state = b.setAt[:b.contexts], b.state[:b.contexts]
	for c, n := range b.counts {
		b.setAt[c] = 0
		if n >= minOwn {
			b.setAt[c] = uint32(b.sets) * buckets
			b.sets++
		}
	}
}

// An exception is a call whose gap or duration is negative, or too large to be one.
func exceptional(gap, duration uint64) bool { return (gap|duration)>>62 != 0 }

// append encodes calls, at most MaxBlock. The first gap is of no use. gaps and durations are changed. If thorough, it also tries
// what takes ten times as long, and is smaller for few calls or many contexts.
func (b *block) append(dst []byte, gaps, durations []uint64, classes []uint32, thorough bool) []byte {
	if !exceptional(gaps[0], durations[0]) {
		gaps[0] = 0
	}
	all := allBits(gaps) | allBits(durations)
	if exceptional(all, 0) {
		dst = appendExceptions(dst, gaps, durations)
		all = allBits(gaps) | allBits(durations)
	} else {
		dst = append(dst, 0)
	}
	if len(gaps) <= smallBlock {
		dst = append(dst, methodVarints)
		for i := range gaps {
			if i > 0 {
				dst = binary.AppendUvarint(dst, gaps[i])
			}
			dst = binary.AppendUvarint(dst, durations[i])
		}
		return dst
	}
	shift := uint(bits.TrailingZeros64(all)) & 63
	if all == 0 {
		shift = 0
	}
	if shift > 0 {
		for i := range gaps {
			gaps[i] >>= shift
			durations[i] >>= shift
		}
	}
	method := len(dst)
	dst = append(dst, methodTables, byte(shift))
	b.findContexts(classes)
	b.gaps.make(b, gaps)
	b.durations.make(b, durations)
	w := bitWriter{out: dst}
	b.gaps.append(&w)
	b.durations.append(&w)
	dst = w.flush()
	b.gaps.encode()
	b.durations.encode()
	b.split(gaps, durations)
	words := b.code(len(gaps))
	dst = binary.AppendUvarint(dst, uint64(len(words)/2))
	dst = append(dst, words...)
	dst = append(dst, b.low...)
	if !thorough {
		return dst
	}
	b.findParents()
	b.other = append(b.other[:0], methodAdaptive, byte(shift))
	b.other = b.coder.Append(b.other, gaps, b.ctx, b.parents)
	b.other = b.coder.Append(b.other, durations, b.ctx, b.parents)
	if n := len(dst) - method; len(b.other) < n-n/64 { // decoding takes longer, too
		dst = append(dst[:method], b.other...)
	}
	return dst
}

// allBits is all numbers in one.
func allBits(vals []uint64) uint64 {
	all := uint64(0)
	for _, v := range vals {
		all |= v
	}
	return all
}

// appendExceptions lists the exceptional calls and sets their times to zero.
func appendExceptions(dst []byte, gaps, durations []uint64) []byte {
	n := uint64(0)
	for i := range gaps {
		if exceptional(gaps[i], durations[i]) {
			n++
		}
	}
	dst = binary.AppendUvarint(dst, n)
	if n == 0 {
		return dst
	}
	at := 0
	for i := range gaps {
		if exceptional(gaps[i], durations[i]) {
			dst = binary.AppendUvarint(dst, uint64(i-at))
			dst = wire.AppendVarint(dst, int64(gaps[i]))
			dst = wire.AppendVarint(dst, int64(durations[i]))
			gaps[i], durations[i] = 0, 0
			at = i + 1
		}
	}
	return dst
}

// append describes the tables of each set: their number, the last bucket of each but the last, and the tables.
func (pl *plan) append(w *bitWriter) {
	for s := range len(pl.ofSet) - 1 {
		from, to := pl.ofSet[s], pl.ofSet[s+1]
		w.golomb(uint64(to - from))
		last := -1
		for t := from; t < to; t++ {
			if t+1 < to {
				w.golomb(uint64(int(pl.limits[t]) - last - 1))
				last = int(pl.limits[t])
			}
			pl.tables[t].append(w)
		}
	}
}

// split finds the classes of values, and puts their low bits into b.low.
func (b *block) split(gaps, durations []uint64) {
	if b.gaps.mostLow|b.durations.mostLow == 0 {
		b.gaps.findClasses(gaps)
		b.durations.findClasses(durations)
		b.low = b.low[:0]
		return
	}
	n := len(gaps)
	durations = durations[:n]
	w := wire.NewBitWriter(b.low[:0], uint64(n)*uint64(b.gaps.mostLow+b.durations.mostLow))
	gt, dt := b.gaps.numbers[:n], b.durations.numbers[:n]
	gs, ds := b.gaps.room(n), b.durations.room(n)
	gc, dc := b.gaps.classes, b.durations.classes
	for i, v := range gaps {
		s := &gc[gt[i]]
		class, low := classOf(v, uint(s.k))
		gs[i] = uint32(s.at + int(class))
		bits, first := v&(1<<(low&63)-1), low
		s = &dc[dt[i]]
		v = durations[i]
		class, low = classOf(v, uint(s.k))
		ds[i] = uint32(s.at + int(class))
		if v &= 1<<(low&63) - 1; first+low > wire.MaxWidth {
			w.Write(bits, first)
			w.Write(v, low)
			continue
		}
		// The same for both at once, and written out: this is a hot loop.
		w.Acc |= (bits | v<<(first&63)) << (w.N & 63)
		w.N += first + low
		binary.LittleEndian.PutUint64(w.Out[w.Pos:], w.Acc)
		w.Pos += int(w.N >> 3)
		w.Acc >>= w.N & 56
		w.N &= 7
	}
	b.low = w.Flush()
}

// findClasses sets syms of values without low bits, which are classes themselves.
func (pl *plan) findClasses(vals []uint64) {
	syms, numbers, classes := pl.room(len(vals)), pl.numbers[:len(vals)], pl.classes
	for i, v := range vals {
		syms[i] = uint32(classes[numbers[i]].at + int(v))
	}
}

// room makes room for syms.
func (pl *plan) room(n int) []uint32 {
	pl.syms = slices.Grow(pl.syms[:0], n)[:n]
	return pl.syms
}

// code codes the classes of n calls. It goes from the last one to the first and writes from
// the end of the room to its beginning: a decoder goes the other way.
func (b *block) code(n int) []byte {
	room := 4*n + 8
	b.words = slices.Grow(b.words[:0], room)[:room]
	words, at := b.words, room
	gs, ds := b.gaps.syms[:n], b.durations.syms[:n]
	ge, de := b.gaps.enc, b.durations.enc
	x, y := uint32(ransLow), uint32(ransLow)
	for i := n - 1; i >= 0; i-- {
		// Both may give away 16 bits, without branches, since nobody could foresee them.
		e := &de[ds[i]]
		binary.LittleEndian.PutUint16(words[at-2:], uint16(y))
		full := uint32(int32(e.limit-1-y) >> 31)
		at -= int(full & 2)
		y >>= full & 16
		y += e.bias + uint32(uint64(y)*uint64(e.reciprocal)>>(e.shift&63))*uint32(e.complement)
		e = &ge[gs[i]]
		binary.LittleEndian.PutUint16(words[at-2:], uint16(x))
		full = uint32(int32(e.limit-1-x) >> 31)
		at -= int(full & 2)
		x >>= full & 16
		x += e.bias + uint32(uint64(x)*uint64(e.reciprocal)>>(e.shift&63))*uint32(e.complement)
	}
	for _, state := range []uint32{y, x} {
		at -= 4
		binary.LittleEndian.PutUint16(words[at:], uint16(state>>16))
		binary.LittleEndian.PutUint16(words[at+2:], uint16(state))
	}
	return words[at:]
}
