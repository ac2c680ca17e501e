package column

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// Kinds of segments, in the low bits of a segment's first byte.
const (
	segmentConstant = iota
	segmentAffine
	segmentPeriodic
	segmentBlock
	segmentRamps
)

const (
	segmentToEnd = 4 // flag: the segment covers all values that are left
	segmentHigh  = 8 // flag: bit 2 of the kind
)

const (
	// A run of this many values ends the block before it.
	longRun = 512
	// Without a block before it, a run of this many values does not become part of one.
	soloRun = 32
)

// A Builder encodes a column value by value. Besides the encoded values it holds
// one block of others, at most 40 KiB. A Builder is not safe for concurrent use.
type Builder struct {
	// The current run: run values from first, step apart; next would continue
	// it. With a period first and step mean nothing.
	next, step, first int64
	run               uint64
	period            *periodic

	lit    []int64 // values before the run that are not encoded
	limit  int     // length of lit at which to do something about it
	sealed uint64  // number of values in out
	out    []byte  // complete segments

	before sealedRun // the last segment of out, if it is a run
}

// sealedRun is a run that has become a segment.
type sealedRun struct {
	first, step int64
	n           uint64
	from, to    int // in out
}

// NewBuilder returns a builder of an empty column.
func NewBuilder() *Builder { return &Builder{limit: firstProbe} }

// Len returns the number of values appended.
func (b *Builder) Len() uint64 { return b.sealed + uint64(len(b.lit)) + b.run }

// MemoryBytes returns the memory that b holds, in bytes.
func (b *Builder) MemoryBytes() int {
	n := 128 + 8*cap(b.lit) + cap(b.out)
	if b.period != nil {
		n += 64 + 8*cap(b.period.pattern)
	}
	return n
}

// Append appends v.
func (b *Builder) Append(v int64) {
	if v != b.next {
		b.miss(v)
		return
	}
	b.run++
	b.next += b.step
	if b.period != nil {
		b.next = b.period.turn()
	}
}

// miss appends a value that does not continue the run.
func (b *Builder) miss(v int64) {
	switch {
	case b.period != nil:
		b.endPeriod()
	case b.run == 1:
		b.step = v - b.first
		b.next = v + b.step
		b.run = 2
		return
	case b.run == 2 && len(b.lit) < b.limit:
		// The second value may begin a run with this one.
		second := b.first + b.step
		b.lit = append(b.lit, b.first)
		b.first, b.step = second, v-second
		b.next = v + b.step
		return
	default:
		b.endRun()
		if b.period != nil {
			b.Append(v)
			return
		}
		if len(b.lit) >= b.limit && b.full() {
			b.Append(v)
			return
		}
	}
	b.first, b.step, b.next, b.run = v, 0, v, 1
}

// endRun ends the current run, as a segment if it is long, else as a part of lit.
func (b *Builder) endRun() {
	if b.run >= longRun || b.run >= soloRun && len(b.lit) == 0 {
		b.seal()
		if b.again() {
			return
		}
		from := len(b.out)
		b.out = b.appendRun(b.out, 0)
		b.sealed += b.run
		b.before = sealedRun{b.first, b.step, b.run, from, len(b.out)}
	} else {
		b.lit = b.appendRunValues(b.lit)
	}
	b.run = 0
}

// again is called when a run ends that directly follows a segment. If that segment is the same run,
// or the same run plus a constant, the two are the beginning of ramps. A loop over many neighbours
// makes such columns.
func (b *Builder) again() bool {
	r := &b.before
	if r.to != len(b.out) || r.n != b.run || r.step != b.step || r.to == 0 {
		return false
	}
	b.out = b.out[:r.from]
	b.sealed -= r.n
	b.run = 2 * r.n
	b.period = newRamps(r.n, r.first, r.step, b.first-r.first, b.run)
	b.next = b.period.next()
	b.before = sealedRun{}
	return true
}

func (b *Builder) appendRunValues(dst []int64) []int64 {
	v := b.first
	for range b.run {
		dst = append(dst, v)
		v += b.step
	}
	return dst
}

// full is called when lit has reached its limit. It returns true if lit was found
// to end in a period, which now predicts.
func (b *Builder) full() bool {
	switch n := len(b.lit); {
	case b.findPeriod():
		return true
	case n >= blockValues:
		b.seal()
	default:
		b.limit = min(4*n, blockValues)
	}
	return false
}

// seal encodes lit as a segment.
func (b *Builder) seal() {
	if len(b.lit) > 0 {
		b.out = appendLiterals(b.out, b.lit, 0)
		b.sealed += uint64(len(b.lit))
		b.lit = b.lit[:0]
	}
	b.limit = firstProbe
}

// Encode appends the encoding of the column so far to dst. The builder goes on unchanged.
func (b *Builder) Encode(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, b.Len())
	dst = append(dst, b.out...)
	if b.run == 0 {
		return dst // only if nothing was appended
	}
	if len(b.lit) == 0 {
		return b.appendRun(dst, segmentToEnd)
	}
	start := len(dst)
	if b.run > 2 {
		dst = b.appendRun(appendLiterals(dst, b.lit, 0), segmentToEnd)
		if b.run >= longRun {
			return dst
		}
	}
	all := make([]int64, 0, len(b.lit)+int(b.run))
	joined := appendLiterals(nil, b.appendRunValues(append(all, b.lit...)), segmentToEnd)
	if b.run > 2 && len(dst)-start <= len(joined) {
		return dst
	}
	return append(dst[:start], joined...)
}

// appendHeader begins a segment of n values. With the flag segmentToEnd, n is not stored.
func appendHeader(dst []byte, kind, flag byte, n uint64) []byte {
	dst = append(dst, kind&segmentBlock|kind>>2*segmentHigh|flag)
	if flag == 0 {
		dst = binary.AppendUvarint(dst, n-1)
	}
	return dst
}

// appendRun appends the current run as a segment.
func (b *Builder) appendRun(dst []byte, flag byte) []byte {
	switch {
	case b.period != nil:
		return b.period.append(appendHeader(dst, b.period.kind(), flag, b.run))
	case b.step == 0 || b.run == 1:
		return byteio.AppendVarint(appendHeader(dst, segmentConstant, flag, b.run), b.first)
	}
	dst = appendHeader(dst, segmentAffine, flag, b.run)
	return byteio.AppendVarint(byteio.AppendVarint(dst, b.first), b.step)
}

// appendLiterals appends vals as a segment.
func appendLiterals(dst []byte, vals []int64, flag byte) []byte {
	if len(vals) == 1 {
		return byteio.AppendVarint(appendHeader(dst, segmentConstant, flag, 1), vals[0])
	}
	dst = appendHeader(dst, segmentBlock, flag, uint64(len(vals)))
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	if flag != 0 {
		return sc.appendBlock(dst, vals) // to the end of the column
	}
	return sc.appendSized(dst, vals)
}

// appendSized appends a block with its size.
func (sc *scratch) appendSized(dst []byte, vals []int64) []byte {
	sc.block = sc.appendBlock(sc.block[:0], vals)
	dst = binary.AppendUvarint(dst, uint64(len(sc.block)))
	return append(dst, sc.block...)
}

// Restore returns a builder that goes on where the one that encoded in stopped.
func Restore(in []byte) (*Builder, error) {
	r, err := Open(in)
	if err != nil {
		return nil, err
	}
	b := NewBuilder()
	if r.Len() == 0 {
		return b, nil
	}
	last := len(r.segments) - 1
	s := r.segments[last]
	b.sealed = s.first
	b.out = append(b.out, in[r.begin:s.offset]...)
	b.run = r.n - s.first
	switch s.kind {
	case segmentBlock:
		vals := r.load(last)
		b.run = 0
		for _, v := range vals {
			b.Append(v)
		}
	case segmentPeriodic:
		pattern := append([]int64(nil), r.load(last)...)
		b.period = newPeriodic(pattern, s.step, b.run)
		b.next = b.period.next()
	case segmentRamps:
		b.period = newRamps(s.period, s.base, s.step, s.move, b.run)
		b.next = b.period.next()
	default:
		b.first, b.step = s.base, s.step
		b.next = s.base + s.step*int64(b.run)
	}
	return b, r.err
}
