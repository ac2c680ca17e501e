package timing

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

// Methods of a block.
const (
	methodVarints = 0
	methodTables  = 1
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
	spare    []uint32
	pairs    [1 << 12]uint16
	more     map[uint64]uint16

	gaps, durations plan
	syms            [2][]uint16
	low             []byte
	words           []uint16
	out             []byte
	lossy           lossyBlock
	work            [2][]uint64 // numbers that are changed
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

// append encodes calls, at most MaxBlock. The first gap is of no use. gaps and durations are changed.
func (b *block) append(dst []byte, gaps, durations []uint64, classes []uint32) []byte {
	if !exceptional(gaps[0], durations[0]) {
		gaps[0] = 0
	}
	dst = appendExceptions(dst, gaps, durations)
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
	all := uint64(0)
	for i := range gaps {
		all |= gaps[i] | durations[i]
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
	dst = append(dst, methodTables, byte(shift))
	b.findContexts(classes)
	b.gaps.make(b, gaps)
	b.durations.make(b, durations)
	w := bitWriter{out: dst}
	b.gaps.append(&w)
	b.durations.append(&w)
	dst = w.flush()
	b.split(gaps, durations)
	b.code()
	dst = binary.AppendUvarint(dst, uint64(len(b.words)))
	for i := len(b.words) - 1; i >= 0; i-- {
		dst = binary.LittleEndian.AppendUint16(dst, b.words[i])
	}
	return append(dst, b.low...)
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
			dst = appendVarint(dst, int64(gaps[i]))
			dst = appendVarint(dst, int64(durations[i]))
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

// split puts the classes of values into b.syms and their low bits into b.low.
func (b *block) split(gaps, durations []uint64) {
	n := len(gaps)
	for s := range b.syms {
		b.syms[s] = slices.Grow(b.syms[s][:0], n)[:n]
	}
	w := newFastWriter(b.low, uint64(n)*b.gaps.mostLow()+uint64(n)*b.durations.mostLow())
	gt, dt := b.gaps.numbers, b.durations.numbers
	gs, ds := b.syms[0], b.syms[1]
	for i := range n {
		t := &b.gaps.tables[gt[i]]
		v := gaps[i]
		class, low := classOf(v, t.k)
		gs[i] = uint16(class - t.lo)
		bits, first := v&(1<<(low&63)-1), low
		t = &b.durations.tables[dt[i]]
		v = durations[i]
		class, low = classOf(v, t.k)
		ds[i] = uint16(class - t.lo)
		if v &= 1<<(low&63) - 1; first+low > maxWidth {
			w.write(bits, first)
			w.write(v, low)
			continue
		}
		// The same for both at once, and written out: this is a hot loop.
		w.acc |= (bits | v<<(first&63)) << (w.n & 63)
		w.n += first + low
		binary.LittleEndian.PutUint64(w.out[w.pos:], w.acc)
		w.pos += int(w.n >> 3)
		w.acc >>= w.n & 56
		w.n &= 7
	}
	b.low = w.flush()
}

// mostLow is the most low bits that a value has.
func (pl *plan) mostLow() uint64 {
	most := uint(0)
	for i := range pl.limits {
		t := &pl.tables[i]
		low, _ := lowBits(t.lo+uint(len(t.counts))-1, t.k)
		most = max(most, low)
	}
	return uint64(most)
}

// code makes b.words, last to first: what a decoder needs first comes last.
func (b *block) code() {
	words := b.words[:0]
	gt, dt := b.gaps.numbers, b.durations.numbers
	gs, ds := b.syms[0], b.syms[1]
	x, y := uint32(ransLow), uint32(ransLow)
	for i := len(gs) - 1; i >= 0; i-- {
		e := &b.durations.tables[dt[i]].enc[ds[i]]
		if y >= e.limit {
			words = append(words, uint16(y))
			y >>= 16
		}
		q := uint32(uint64(y)*uint64(e.reciprocal)>>32) >> (e.shift & 31)
		y += e.bias + q*uint32(e.complement)
		e = &b.gaps.tables[gt[i]].enc[gs[i]]
		if x >= e.limit {
			words = append(words, uint16(x))
			x >>= 16
		}
		q = uint32(uint64(x)*uint64(e.reciprocal)>>32) >> (e.shift & 31)
		x += e.bias + q*uint32(e.complement)
	}
	b.words = append(words, uint16(y), uint16(y>>16), uint16(x), uint16(x>>16))
}
