package timing

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/entropy/rans"
)

// Methods of a block.
const (
	methodVarints  = 0
	methodTables   = 1
	methodAdaptive = 2
)

// MaxBlock is the greatest number of calls of a block.
const MaxBlock = 1 << 15

// smallBlock is the greatest number of calls for which a block is not worth tables.
const smallBlock = 24

// A block is what encoding or decoding one needs for a while.
type block struct {
	contexts
	lows [2]lowPart

	plan            plan
	gaps, durations series
	layouts         layouts  // of a block that has no past
	from            []uint32 // of each set, the one of the layouts
	low             []byte
	words           []byte
	out             []byte
	decoder         decoder
	lossy           lossyBlock
	work            [2][]uint64 // numbers that are changed

	coder   rans.Coder
	parents []uint16 // of each context, for coder: the number of its class
	numbers map[uint32]uint16
	other   []byte
}

var blocks = sync.Pool{New: func() any { return &block{} }}

// findParents numbers the classes of contexts.
func (b *block) findParents() {
	if b.numbers == nil {
		b.numbers = map[uint32]uint16{}
	}
	clear(b.numbers)
	b.parents = b.parents[:0]
	for _, key := range b.keys {
		n, ok := b.numbers[uint32(key)]
		if !ok {
			n = uint16(len(b.numbers))
			b.numbers[uint32(key)] = n
		}
		b.parents = append(b.parents, n)
	}
}

// An exception is a call whose gap or duration is negative, or too large to be one.
func exceptional(gap, duration uint64) bool { return (gap|duration)>>62 != 0 }

// append encodes calls, at most MaxBlock, whose contexts are known. The first gap is of no use.
// append changes gaps and durations; all has the bits of all of them. If past is not nil, it has
// the layouts that may be used again, and it is set to those for the next block. If thorough is
// set, append also tries the method that takes ten times as long. That one is smaller for few calls
// or many contexts.
func (b *block) append(dst []byte, gaps, durations []uint64, all uint64, past *layouts, thorough bool) []byte {
	if !exceptional(gaps[0], durations[0]) {
		gaps[0] = 0
	}
	if exceptional(all, 0) {
		dst = appendExceptions(dst, gaps, durations)
		all = allBits(gaps, durations)
	} else {
		dst = append(dst, 0)
	}
	if len(gaps) <= smallBlock {
		return appendVarints(dst, gaps, durations)
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
	if past == nil {
		past = &b.layouts
		past.age = 0
	}
	planned := !past.usable() || !b.splitAgain(gaps, durations, past)
	if planned {
		b.splitAnew(gaps, durations, past)
	}
	w := byteio.NewBitWriter(dst, 0)
	b.gaps.describe(&w)
	b.durations.describe(&w)
	dst = w.Flush()
	words := b.code(len(gaps))
	dst = binary.AppendUvarint(dst, uint64(len(words)/2))
	dst = append(dst, words...)
	dst = append(dst, b.low...)
	past.used(len(dst)-method, planned)
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
func allBits(gaps, durations []uint64) uint64 {
	all := uint64(0)
	durations = durations[:len(gaps)]
	for i, gap := range gaps {
		all |= gap | durations[i]
	}
	return all
}

// splitAgain splits the numbers with layouts that were made for another block. It fails if that has
// other contexts.
func (b *block) splitAgain(gaps, durations []uint64, l *layouts) (ok bool) {
	b.from, ok = l.match(b.from, &b.contexts)
	if !ok || !b.arrange(l) {
		return false
	}
	if b.split(gaps, durations, l) {
		return true
	}
	b.gaps.widen(&l.gaps)
	b.durations.widen(&l.durations)
	// Now all numbers fit.
	return b.arrange(l) && b.split(gaps, durations, l)
}

// splitAnew makes the layouts that are best for the numbers, and splits them.
func (b *block) splitAnew(gaps, durations []uint64, l *layouts) {
	l.note(&b.contexts)
	b.plan.make(&b.contexts, gaps, &l.gaps)
	b.plan.make(&b.contexts, durations, &l.durations)
	b.from = b.from[:0]
	for s := range b.sets {
		b.from = append(b.from, uint32(s))
	}
	if !b.arrange(l) || !b.split(gaps, durations, l) {
		panic("timing: tables that were made for a block do not do for it")
	}
}

func (b *block) arrange(l *layouts) bool {
	pooled := b.pooled()
	return b.gaps.arrange(&l.gaps, b.from, pooled) && b.durations.arrange(&l.durations, b.from, pooled)
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
			dst = byteio.AppendVarint(dst, int64(gaps[i]))
			dst = byteio.AppendVarint(dst, int64(durations[i]))
			gaps[i], durations[i] = 0, 0
			at = i + 1
		}
	}
	return dst
}

// split finds the classes of the numbers, counts them, and puts low bits into b.low. If a number is
// in no window of its table, split widens the table of l and goes on, and fails at the end.
func (b *block) split(gaps, durations []uint64, l *layouts) (ok bool) {
	n := len(gaps)
	durations = durations[:n]
	b.gaps.begin(b.setAt, n)
	b.durations.begin(b.setAt, n)
	w := byteio.NewBitWriter(b.low[:0], uint64(n)*uint64(b.gaps.mostLow+b.durations.mostLow))
	for from := 0; from < n; from += splitPart {
		to := min(n, from+splitPart)
		b.gaps.split(b.ctx[from:to], gaps[from:to], from, &b.lows[0], &l.gaps)
		b.durations.split(b.ctx[from:to], durations[from:to], from, &b.lows[1], &l.durations)
		if b.gaps.mostLow+b.durations.mostLow > 0 {
			writeLow(&w, &b.lows, to-from)
		}
	}
	b.low = w.Flush()
	ok = b.gaps.trim()
	return b.durations.trim() && ok
}

// writeLow writes the low bits of n gaps and durations in turn.
func writeLow(w *byteio.BitWriter, lows *[2]lowPart, n int) {
	out, pos, acc, filled := w.Out, w.Pos, w.Acc, w.N
	gaps, durations := &lows[0], &lows[1]
	for i := range n {
		i &= splitPart - 1
		v, u := gaps.bits[i], durations.bits[i]
		first, second := uint(gaps.widths[i]), uint(durations.widths[i])
		if first+second == 0 { // as it is nearly always within a bound, and nearly never without one
			continue
		}
		if first+second > byteio.MaxWidth {
			w.Pos, w.Acc, w.N = pos, acc, filled
			w.Write(v, first)
			w.Write(u, second)
			pos, acc, filled = w.Pos, w.Acc, w.N
			continue
		}
		// The same for both at once, and written out: this is a hot loop.
		acc |= (v | u<<(first&63)) << (filled & 63)
		filled += first + second
		binary.LittleEndian.PutUint64(out[pos:], acc)
		pos += int(filled >> 3)
		acc >>= filled & 56
		filled &= 7
	}
	w.Pos, w.Acc, w.N = pos, acc, filled
}

// code codes the classes of n calls, from the last one to the first.
func (b *block) code(n int) []byte {
	room := rans.Room(2 * n)
	b.words = slices.Grow(b.words[:0], room)[:room]
	words, at := b.words, room
	gs, ds := b.gaps.syms[:n], b.durations.syms[:n]
	ge, de := b.gaps.enc, b.durations.enc
	x, y := uint32(rans.Low), uint32(rans.Low)
	for i := n - 1; i >= 0; i-- {
		y, at = de[ds[i]].Put(y, words, at)
		x, at = ge[gs[i]].Put(x, words, at)
	}
	return words[rans.End(words, at, x, y):]
}
