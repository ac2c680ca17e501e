package timing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// blockShift is the binary logarithm of the number of calls of a full block.
const blockShift = 14

const blockCalls = 1 << blockShift

// unhurried is how many ticks calls must be apart for there to be time to look for the smallest
// encoding. The search takes some 200 ns a call.
const unhurried = 100_000

// MaxClass is the greatest class.
const MaxClass = 1 << 26

// A Builder encodes the start and end of calls, in ticks of any clock, in the mode that
// it is made with. Besides encoded blocks it holds one block of calls, 192 KiB. It
// is not safe for concurrent use.
//
// A call has a class: a number that its function and call site have, given by first
// occurrence, which both sides know.
type Builder struct {
	mode   Mode
	rateOf func() Rate
	coding *coding // made when it is needed first: from then on the rate is fixed
	ofRule []uint8 // of each class: its bound in coding.limits

	// The calls that are not in a block: the first n of these, which have
	// room for more.
	pending pending
	classes []uint32
	n       int
	first   uint64 // start of the first of them
	end     uint64 // of the last call, as recorded
	loss    lossState
	layouts layouts

	index  []entry
	blocks []byte // if there is no sink
	sink   func(block []byte)

	pieces    []byte // the calls that are not in a block, as far as AppendState has written them
	inPieces  int    // how many
	aggregate *Aggregates
	summary   []ClassSummary
	marks     classIndex
}

// An entry tells what a block holds: in the sink a summary comes before it.
type entry struct {
	first, latest uint64
	summary, size int
}

// New returns a builder without calls. rate is asked when the first bound is converted
// to ticks; nil stands for ticks of a nanosecond. What has one of the published methods is
// kept exactly, and Transcode makes the rest of it. New panics if nothing is to be stored.
func New(m Mode, rate func() Rate) *Builder {
	b := &Builder{mode: m, rateOf: rate}
	switch m.Kind {
	case Off:
		panic("timing: New: nothing is to be stored")
	case Aggregate:
		b.aggregate = NewAggregates()
	case Published:
		b.mode = Mode{Kind: Lossless}
	}
	return b
}

// NewLossless returns a builder that keeps all times exactly.
func NewLossless() *Builder { return New(Mode{Kind: Lossless}, nil) }

// Mode is how the times are stored.
func (b *Builder) Mode() Mode { return b.mode }

// SetFunction tells which function a class is of, for bounds of functions. It must come before the
// class's first call.
func (b *Builder) SetFunction(class uint32, function string) {
	if len(b.mode.Rules) == 0 || class > MaxClass {
		return
	}
	for len(b.ofRule) <= int(class) {
		b.ofRule = append(b.ofRule, 0)
	}
	b.ofRule[class] = uint8(b.mode.boundOf(function))
}

// SetSink makes b give all blocks completed from now on to sink, and keep only an index of them.
// The blocks completed before go to sink at once. The block is valid only during the call. The
// concatenated blocks are what EncodeSpooled needs.
func (b *Builder) SetSink(sink func(block []byte)) {
	b.sink = sink
	if len(b.blocks) > 0 {
		sink(b.blocks)
		b.blocks = nil
	}
}

// Len returns the number of calls appended.
func (b *Builder) Len() uint64 {
	if b.aggregate != nil {
		return b.aggregate.Calls
	}
	return uint64(len(b.index))<<blockShift + uint64(b.n)
}

// SealedBlocks returns the number of blocks completed, and SealedBytes their size.
func (b *Builder) SealedBlocks() int { return len(b.index) }

// SealedBytes returns the size of the blocks completed.
func (b *Builder) SealedBytes() int64 {
	n := int64(0)
	for _, e := range b.index {
		n += int64(e.summary + e.size)
	}
	return n
}

// Sealed are the blocks completed, if there is no sink: what Restore needs of them. The caller must
// not change them.
func (b *Builder) Sealed() []byte { return b.blocks }

// MemoryBytes returns the memory that b holds, in bytes.
func (b *Builder) MemoryBytes() int {
	n := 1600 + b.pending.memory() + 4*cap(b.classes) + 32*cap(b.index) + cap(b.blocks) +
		cap(b.pieces) + b.layouts.memory()
	if b.aggregate != nil {
		n += b.aggregate.memory()
	}
	return n
}

// Append appends a call of a class, at most MaxClass.
func (b *Builder) Append(start, end uint64, class uint32) {
	n := b.n
	if n >= len(b.classes) {
		if b.aggregate != nil {
			b.aggregate.Append(start, end, class)
			return
		}
		b.grow()
	}
	if n == 0 {
		if len(b.index) == 0 {
			b.end = start
		}
		b.first = start
	}
	b.pending.set(n, start-b.end, end-start)
	b.classes[n] = class
	b.end = end
	b.n = n + 1
	if n == blockCalls-1 {
		b.seal()
	}
}

// grow makes room for more calls.
func (b *Builder) grow() {
	more := min(max(16, b.n), blockCalls-b.n)
	b.pending.grow(more)
	b.classes = append(b.classes, make([]uint32, more)...)
}

// fixed returns the coding, and fixes it.
func (b *Builder) fixed() *coding {
	if b.coding == nil {
		r := Rate{}
		if b.rateOf != nil && b.mode.Kind == Lossy {
			r = b.rateOf()
		}
		b.coding = newCoding(b.mode, r)
	}
	return b.coding
}

// seal encodes the full block.
func (b *Builder) seal() {
	bl := blocks.Get().(*block)
	defer blocks.Put(bl)
	var e entry
	bl.out, e = b.block(bl, bl.out[:0], &b.loss, true)
	b.index = append(b.index, e)
	b.n, b.inPieces, b.pieces = 0, 0, b.pieces[:0]
	b.pending.far = b.pending.far[:0]
	if b.sink != nil {
		b.sink(bl.out)
	} else {
		b.blocks = append(b.blocks, bl.out...)
	}
}

// block encodes the calls that are not in a block yet: summary and block. If spent is set, they are
// not needed any more.
func (b *Builder) block(bl *block, dst []byte, loss *lossState, spent bool) ([]byte, entry) {
	c := b.fixed()
	gaps, durations := b.pending.numbers(&bl.work, 0, b.n)
	e := entry{first: b.first}
	bl.findContexts(b.classes[:b.n])
	bl.resetSums()
	var all uint64
	if c.limits != nil {
		q := &bl.lossy
		q.calls = lossyCalls{first: b.first, gaps: gaps, durations: durations, classes: b.classes[:b.n],
			ofRule: b.ofRule}
		all = c.quantise(q, &bl.contexts, loss)
		q.calls = lossyCalls{}
		e.first, e.latest = q.first, q.latest
		gaps, durations = q.gaps, q.durations
	} else {
		all, e.latest = bl.survey(b.first-gaps[0], gaps, durations)
	}
	b.summary = bl.summarise(b.summary[:0], &b.marks)
	n := len(dst)
	dst = appendClasses(dst, b.summary)
	e.summary = len(dst) - n
	if c.limits != nil {
		threshold := bl.lossy.threshold
		if threshold == coarseOnly {
			threshold = ^uint64(0)
		}
		dst = binary.AppendUvarint(dst, threshold+1)
	}
	past := &b.layouts
	thorough := !spent || (b.end-b.first)/blockCalls >= unhurried
	if thorough {
		past = nil
	}
	dst = bl.append(dst, gaps, durations, all, past, thorough)
	e.size = len(dst) - n - e.summary
	return dst, e
}

// Encode appends the encoding of all calls so far to dst. The builder goes on unchanged. classes
// are the class of each terminal of the stream, in the order of their first use; nil stands for one
// class. It panics if blocks went to a sink; see EncodeSpooled.
func (b *Builder) Encode(dst []byte, classes []uint32) []byte {
	if b.sink != nil && len(b.index) > 0 {
		panic("timing: Builder.Encode: the blocks are in a sink")
	}
	return b.assemble(dst, classes, b.blocks)
}

// EncodeSpooled is like Encode, but takes the blocks that went to the sink from
// spool, which must give all of them and no more need be read.
func (b *Builder) EncodeSpooled(dst []byte, classes []uint32, spool io.Reader) ([]byte, error) {
	blocks := make([]byte, b.SealedBytes())
	if _, err := io.ReadFull(spool, blocks); err != nil {
		return nil, fmt.Errorf("%d bytes of spooled timing: %w", len(blocks), err)
	}
	return b.assemble(dst, classes, blocks), nil
}

// assemble puts head, summaries and blocks together.
func (b *Builder) assemble(dst []byte, classes []uint32, sealed []byte) []byte {
	if b.aggregate != nil {
		return b.aggregate.append(appendHead(dst, b.Len(), b.fixed(), classes, b.ofRule))
	}
	if b.Len() == 0 {
		return append(dst, 0)
	}
	loss := b.loss
	bodies := make([][]byte, 0, len(b.index)+1)
	var level []summaryEntry
	from := uint64(0)
	add := func(e entry, body []byte, calls int) {
		p := open(body[:e.summary], 0)
		s := Summary{From: from, To: from + uint64(calls), First: e.first, Latest: e.latest,
			Classes: readClasses(p, uint64(calls))}
		if p.Err != nil {
			panic(p.Err) // our own summary
		}
		from = s.To
		level = append(level, summaryEntry{Summary: s, size: e.size})
		bodies = append(bodies, body[e.summary:])
	}
	for _, e := range b.index {
		n := e.summary + e.size
		add(e, sealed[:n], blockCalls)
		sealed = sealed[n:]
	}
	if b.n > 0 {
		bl := blocks.Get().(*block)
		out, e := b.block(bl, nil, &loss, false)
		blocks.Put(bl)
		add(e, out, b.n)
	}
	dst = appendHead(dst, b.Len(), b.fixed(), classes, b.ofRule)
	if b.mode.Kind == Lossy {
		dst = loss.errs.append(dst)
	}
	dst = appendPyramid(append(dst, blockShift), level)
	for _, body := range bodies {
		dst = append(dst, body...)
	}
	return dst
}

// appendHead writes what comes first: the number of calls, how they are coded, and the classes.
func appendHead(dst []byte, calls uint64, c *coding, classes []uint32, ofRule []uint8) []byte {
	dst = binary.AppendUvarint(dst, calls)
	if calls == 0 {
		return dst
	}
	dst = appendTerminals(c.append(dst), classes)
	if len(c.mode.Rules) == 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(ofRule)))
	return append(dst, ofRule...)
}

// appendTerminals writes the classes of terminals: in turn how many new ones follow in a row, each
// the greatest so far plus one, and a class that is not that.
func appendTerminals(dst []byte, classes []uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(classes)))
	next := uint32(0)
	for i := 0; i < len(classes); i++ {
		run := 0
		for i < len(classes) && classes[i] == next {
			run, i, next = run+1, i+1, next+1
		}
		dst = binary.AppendUvarint(dst, uint64(run))
		if i < len(classes) {
			dst = binary.AppendUvarint(dst, uint64(classes[i]))
			next = max(next, classes[i]+1)
		}
	}
	return dst
}

// readTerminals reads them; there are at most limit.
func readTerminals(p *byteio.Reader, limit int) []uint32 {
	n := p.Uvarint()
	if n > uint64(limit) {
		p.Fail("too many terminals")
		return nil
	}
	classes := make([]uint32, 0, min(n, 1<<12))
	next := uint64(0)
	for uint64(len(classes)) < n && p.Err == nil {
		run := p.Uvarint()
		// A run may be long: it is bounded by what a class may be.
		if run > n-uint64(len(classes)) || run > MaxClass-next {
			p.Fail("too many classes")
			return nil
		}
		classes = slices.Grow(classes, int(min(run, 1<<20)))
		for range run {
			classes = append(classes, uint32(next))
			next++
		}
		if uint64(len(classes)) < n {
			c := p.Uvarint()
			if c > MaxClass {
				p.Fail("class out of range")
			}
			classes = append(classes, uint32(c))
			next = max(next, c+1)
		}
	}
	return classes
}

var errState = errors.New("broken state of timing")
