package column

import (
	"encoding/binary"
	"fmt"
	"io"
)

// timingShift is the binary logarithm of the number of calls of a full block.
const timingShift = 12

const timingCalls = 1 << timingShift

// A TimingBuilder encodes the start and end of calls, in ticks of any clock. It
// is exact for all numbers, and good at calls that follow one another. Besides
// encoded blocks it holds one block of calls, 64 KiB. It is not safe for
// concurrent use.
type TimingBuilder struct {
	// The calls that are not in a block: the first n of these, which have
	// room for more.
	gaps, durations []uint64
	n               int
	first           uint64 // start of the first of them
	latest          uint64 // greatest end of them
	end             uint64 // of the last call

	index  []timingEntry
	blocks []byte // if there is no sink
	sink   func(block []byte)
}

// A timingEntry tells what a block holds.
type timingEntry struct {
	first, latest uint64
	size          int
}

// NewTimingBuilder returns a builder without calls.
func NewTimingBuilder() *TimingBuilder { return &TimingBuilder{} }

// SetSink makes b give all blocks completed from now on to sink and keep only an
// index of them; sink gets those completed before at once. The block is valid
// only during the call. The concatenated blocks are what EncodeSpooled needs.
func (b *TimingBuilder) SetSink(sink func(block []byte)) {
	b.sink = sink
	if len(b.blocks) > 0 {
		sink(b.blocks)
		b.blocks = nil
	}
}

// Len returns the number of calls appended.
func (b *TimingBuilder) Len() uint64 {
	return uint64(len(b.index))<<timingShift + uint64(b.n)
}

// SealedBlocks returns the number of blocks completed, and SealedBytes their size.
func (b *TimingBuilder) SealedBlocks() int { return len(b.index) }

// SealedBytes returns the size of the blocks completed.
func (b *TimingBuilder) SealedBytes() int64 {
	n := int64(0)
	for _, e := range b.index {
		n += int64(e.size)
	}
	return n
}

// MemoryBytes returns the memory that b holds, in bytes.
func (b *TimingBuilder) MemoryBytes() int {
	return 160 + 8*(cap(b.gaps)+cap(b.durations)) + 24*cap(b.index) + cap(b.blocks)
}

// Append appends a call.
func (b *TimingBuilder) Append(start, end uint64) {
	n := b.n
	if n >= len(b.gaps) || n >= len(b.durations) {
		b.grow()
	}
	if n == 0 {
		b.first, b.latest, b.end = start, end, start
	}
	b.gaps[n] = start - b.end
	b.durations[n] = end - start
	b.end = end
	b.latest = max(b.latest, end)
	b.n = n + 1
	if n == timingCalls-1 {
		b.seal()
	}
}

// grow makes room for more calls.
func (b *TimingBuilder) grow() {
	more := min(max(16, b.n), timingCalls-b.n)
	b.gaps = append(b.gaps, make([]uint64, more)...)
	b.durations = append(b.durations, make([]uint64, more)...)
}

// seal encodes the full block.
func (b *TimingBuilder) seal() {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	sc.block = sc.appendCalls(sc.block[:0], b.gaps[:b.n], b.durations[:b.n])
	b.index = append(b.index, timingEntry{b.first, b.latest, len(sc.block)})
	b.n = 0
	if b.sink != nil {
		b.sink(sc.block)
	} else {
		b.blocks = append(b.blocks, sc.block...)
	}
}

// Encode appends the encoding of all calls so far to dst. The builder goes on
// unchanged. It panics if blocks went to a sink; see EncodeSpooled.
func (b *TimingBuilder) Encode(dst []byte) []byte {
	if b.sink != nil && len(b.index) > 0 {
		panic("column: TimingBuilder.Encode: the blocks are in a sink")
	}
	return b.appendRest(append(b.appendIndex(dst), b.blocks...))
}

// EncodeSpooled is like Encode, but takes the blocks that went to the sink from
// spool, which must give all of them and no more need be read.
func (b *TimingBuilder) EncodeSpooled(dst []byte, spool io.Reader) ([]byte, error) {
	dst = b.appendIndex(dst)
	n := len(dst)
	size := int(b.SealedBytes())
	dst = append(dst, make([]byte, size)...)
	if _, err := io.ReadFull(spool, dst[n:]); err != nil {
		return nil, fmt.Errorf("%d bytes of spooled timing: %w", size, err)
	}
	return b.appendRest(dst), nil
}

// AppendState appends what RestoreTimingState needs to go on, which is the
// encoding without the blocks that went to the sink.
func (b *TimingBuilder) AppendState(dst []byte) []byte {
	return b.appendRest(append(b.appendIndex(dst), b.blocks...))
}

// appendIndex appends the frame up to the first block.
func (b *TimingBuilder) appendIndex(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, b.Len())
	if b.Len() == 0 {
		return dst
	}
	dst = append(dst, timingShift)
	latest := uint64(0)
	entry := func(e timingEntry) {
		dst = appendVarint(dst, int64(e.first-latest))
		dst = binary.AppendUvarint(dst, e.latest-e.first)
		latest = e.latest
	}
	for _, e := range b.index {
		entry(e)
		dst = binary.AppendUvarint(dst, uint64(e.size))
	}
	if b.n > 0 {
		entry(timingEntry{first: b.first, latest: b.latest})
	}
	return dst
}

// appendRest appends the block of the calls that are not yet in one.
func (b *TimingBuilder) appendRest(dst []byte) []byte {
	if b.n == 0 {
		return dst
	}
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	return sc.appendCalls(dst, b.gaps[:b.n], b.durations[:b.n])
}

// RestoreTiming returns a builder that goes on where the one that encoded in stopped.
func RestoreTiming(in []byte) (*TimingBuilder, error) {
	r, err := OpenTiming(in)
	if err != nil {
		return nil, err
	}
	b, err := r.builder()
	if err != nil {
		return nil, err
	}
	if full := len(b.index); full > 0 {
		last := r.entries[full-1]
		b.blocks = append(b.blocks, in[r.entries[0].offset:last.offset+last.size]...)
	}
	return b, nil
}

// RestoreTimingState returns a builder that goes on where the one stopped whose
// AppendState returned in. Blocks from now on go to sink; the earlier ones, of
// SealedBytes in all, must still be where the earlier sink put them.
func RestoreTimingState(in []byte, sink func(block []byte)) (*TimingBuilder, error) {
	p := &input{in: in}
	r := parseTiming(p)
	r.place(p, true)
	if p.err != nil {
		return nil, p.err
	}
	b, err := r.builder()
	if err != nil {
		return nil, err
	}
	b.sink = sink
	return b, nil
}

// builder returns a builder with the index and the last calls of r, but no blocks.
func (r *TimingReader) builder() (*TimingBuilder, error) {
	b := NewTimingBuilder()
	for i, e := range r.entries {
		if r.callsOf(i) == timingCalls {
			b.index = append(b.index, e.timingEntry)
			continue
		}
		for j := range r.load(i) {
			b.Append(r.starts[j], r.ends[j])
		}
	}
	return b, r.err
}
