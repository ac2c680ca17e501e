package timing

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/column"
)

// AppendState appends what Restore needs to go on: all but the blocks. What it writes
// of the calls that are in no block yet is made once for each call.
func (b *Builder) AppendState(dst []byte) []byte {
	dst = b.newMode().append(dst)
	dst = append(dst, flag(b.coding != nil))
	dst = binary.AppendUvarint(dst, uint64(len(b.ofRule)))
	dst = append(dst, b.ofRule...)
	if b.aggregate != nil {
		return b.aggregate.appendState(dst)
	}
	dst = binary.AppendUvarint(dst, uint64(len(b.index)))
	for _, e := range b.index {
		dst = binary.AppendUvarint(dst, e.first)
		dst = byteio.AppendVarint(dst, int64(e.latest-e.first))
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(e.summary)), uint64(e.size))
	}
	dst = append(dst, flag(b.loss.any), b.loss.level)
	dst = byteio.AppendVarint(binary.AppendUvarint(dst, b.loss.end), b.loss.drift)
	dst = b.loss.errs.append(dst)
	dst = b.layouts.append(dst)
	before := b.end
	if b.n > 0 {
		gap, _ := b.pending.at(0)
		before = b.first - gap
	}
	dst = binary.AppendUvarint(dst, before)
	b.addPiece()
	dst = binary.AppendUvarint(dst, uint64(b.inPieces))
	return append(dst, b.pieces...)
}

func flag(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// newMode is the coding as it is, or one without a rate if that is not known yet.
func (b *Builder) newMode() *coding {
	if b.coding != nil {
		return b.coding
	}
	return &coding{mode: b.mode, rate: Rate{1, 1}}
}

// addPiece encodes the calls that are in neither block nor piece.
func (b *Builder) addPiece() {
	if b.inPieces == b.n {
		return
	}
	from, to := b.inPieces, b.n
	classes := column.NewBuilder()
	for _, c := range b.classes[from:to] {
		classes.Append(int64(c))
	}
	cs := classes.Encode(nil)
	b.pieces = binary.AppendUvarint(b.pieces, uint64(to-from))
	b.pieces = binary.AppendUvarint(b.pieces, uint64(len(cs)))
	b.pieces = append(b.pieces, cs...)
	bl := blocks.Get().(*block)
	gaps, durations := b.pending.numbers(&bl.work, from, to)
	b.pieces = binary.AppendUvarint(b.pieces, gaps[0])
	bl.out = appendPlain(bl.out[:0], gaps, durations)
	b.pieces = binary.AppendUvarint(b.pieces, uint64(len(bl.out)))
	b.pieces = append(b.pieces, bl.out...)
	blocks.Put(bl)
	b.inPieces = to
}

// appendPlain encodes calls as a block that takes little time and more space: it is gone with the next checkpoints.
func appendPlain(dst []byte, gaps, durations []uint64) []byte {
	all := uint64(0)
	if exceptional(gaps[0], durations[0]) {
		all = gaps[0]
	}
	all |= allBits(gaps[1:], durations[1:]) | durations[0]
	if exceptional(all, 0) {
		gaps, durations = slices.Clone(gaps), slices.Clone(durations)
		if !exceptional(gaps[0], durations[0]) {
			gaps[0] = 0
		}
		dst = appendExceptions(dst, gaps, durations)
	} else {
		dst = append(dst, 0)
	}
	return appendVarints(dst, gaps, durations)
}

// appendVarints appends numbers as they are; the first gap is of no use.
func appendVarints(dst []byte, gaps, durations []uint64) []byte {
	dst = append(dst, methodVarints)
	durations = durations[:len(gaps)]
	for i, gap := range gaps {
		if i > 0 {
			dst = binary.AppendUvarint(dst, gap)
		}
		dst = binary.AppendUvarint(dst, durations[i])
	}
	return dst
}

// Restore returns a builder that goes on where another one stopped: the one whose AppendState
// returned in. It uses the rate that the other one used, if it used any. Blocks from now on go to
// sink. The earlier ones, of SealedBytes in all, must still be where the earlier sink put them.
// Without a sink, they are passed as blocks.
func Restore(in []byte, rate func() Rate, sink func(block []byte), blocks []byte) (*Builder, error) {
	p := open(in, 0)
	c := readCoding(p)
	if p.Err != nil {
		return nil, p.Err
	}
	if c.mode.Kind == Published {
		return nil, errState
	}
	b := New(c.mode, rate)
	b.sink = sink
	if p.Byte() != 0 {
		b.coding = c
	}
	b.ofRule = append([]uint8(nil), p.Sized()...)
	for _, rule := range b.ofRule {
		if int(rule) > len(c.mode.Rules) {
			p.Fail("bound out of range")
		}
	}
	if b.aggregate != nil {
		b.aggregate = readAggregateState(p)
	} else {
		b.readState(p)
	}
	if p.Err == nil && p.Left() > 0 {
		p.Fail("bytes after the state")
	}
	if p.Err == nil && sink == nil && int64(len(blocks)) != b.SealedBytes() {
		p.Fail("blocks of another size")
	}
	b.blocks = append([]byte(nil), blocks...)
	return b, p.Err
}

func (b *Builder) readState(p *byteio.Reader) {
	for range p.Count() {
		e := entry{first: p.Uvarint()}
		e.latest = e.first + uint64(p.Varint())
		summary, size := p.Uvarint(), p.Uvarint()
		if summary|size > math.MaxInt32 {
			p.Fail("block is too large")
		}
		e.summary, e.size = int(summary), int(size)
		b.index = append(b.index, e)
	}
	b.loss.any, b.loss.level = p.Byte() != 0, p.Byte()
	if int(b.loss.level) >= len(fineParts) {
		p.Fail("broken state")
	}
	b.loss.end, b.loss.drift = p.Uvarint(), p.Varint()
	b.loss.errs.read(p)
	b.layouts.read(p)
	before := p.Uvarint()
	n := p.Uvarint()
	if n >= blockCalls {
		p.Fail("too many calls outside blocks")
	}
	from, end := p.Pos, before
	for p.Err == nil && uint64(b.n) < n {
		end = b.readPiece(p, end, int(n)-b.n)
	}
	if p.Err != nil {
		return
	}
	b.end = end
	b.pieces = append([]byte(nil), p.In[from:p.Pos]...)
	b.inPieces = b.n
}

// readPiece reads a piece of at most most calls, before which the last call ended at end, and
// returns the new end.
func (b *Builder) readPiece(p *byteio.Reader, end uint64, most int) uint64 {
	n := p.Uvarint()
	classes, err := column.Open(p.Sized())
	if p.Err == nil && (err != nil || n == 0 || n > uint64(most) || classes.Len() != n) {
		p.Fail("broken classes")
	}
	if p.Err != nil {
		return 0
	}
	first := p.Uvarint()
	body := open(p.Sized(), 0)
	if p.Err != nil {
		return 0
	}
	gaps, durations, cs := make([]uint64, n), make([]uint64, n), make([]uint32, n)
	for i := uint64(0); i < n; i++ {
		var one [1]int64
		if classes.Read(i, one[:]) != 1 || one[0] < 0 || one[0] > MaxClass {
			p.Fail("broken classes")
			return 0
		}
		cs[i] = uint32(one[0])
	}
	bl := blocks.Get().(*block)
	defer blocks.Put(bl)
	bl.decode(body, gaps, durations, cs)
	if body.Err != nil {
		p.Fail("broken calls")
		return 0
	}
	gaps[0] = first
	if b.n == 0 {
		b.first = end + first
	}
	for i := range gaps {
		end += gaps[i] + durations[i]
		b.appendRaw(gaps[i], durations[i], cs[i])
	}
	return end
}

// appendRaw appends a call that is known to fit into the block.
func (b *Builder) appendRaw(gap, duration uint64, class uint32) {
	if b.n >= len(b.classes) {
		b.grow()
	}
	b.pending.set(b.n, gap, duration)
	b.classes[b.n] = class
	b.n++
}

func (a *Aggregates) appendState(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, a.Calls)
	dst = binary.AppendUvarint(dst, a.end)
	dst = binary.AppendUvarint(dst, uint64(a.last))
	return a.append(dst)
}

func readAggregateState(p *byteio.Reader) *Aggregates {
	calls, end, last := p.Uvarint(), p.Uvarint(), p.Uvarint()
	a := readAggregates(p, calls)
	a.any, a.end, a.last = calls > 0, end, uint32(last)
	return a
}
