package column

import (
	"encoding/binary"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// SegmentKind is how the values of a Segment follow from its numbers.
type SegmentKind byte

// Kinds of segments; the numbers are those of the encoding.
const (
	// Constant segments have N values Base.
	Constant SegmentKind = segmentConstant
	// Affine segments have the values Base, Base+Step, ...
	Affine SegmentKind = segmentAffine
	// Periodic segments repeat Values, Step further each time.
	Periodic SegmentKind = segmentPeriodic
	// Block segments have the N values Values.
	Block SegmentKind = segmentBlock
	// Ramps segments are affine again and again, every Period values, Move further each time.
	Ramps SegmentKind = segmentRamps
)

// A Segment is a part of a column.
type Segment struct {
	Kind       SegmentKind
	N          uint64 // number of values
	Base, Step int64
	Values     []int64
	Period     uint64 // of Ramps, above 0
	Move       int64
}

// Segments takes an encoded column apart if it is simple. It is simple if its segments are made of
// at most max numbers, lengths not counted. ok is false if it is not, or if it is broken.
func Segments(in []byte, max int) (segs []Segment, ok bool) {
	r, err := Open(in)
	if err != nil || len(r.segments) > max {
		return nil, false
	}
	for i, s := range r.segments {
		g := Segment{Kind: SegmentKind(s.kind), N: r.end(i) - s.first, Base: s.base, Step: s.step, Period: s.period,
			Move: s.move}
		switch g.Kind {
		case Constant:
			max--
		case Affine:
			max -= 2
		case Ramps:
			max -= 4
		default:
			if max -= s.values + 1; max >= 0 {
				g.Values = append(g.Values, r.load(i)...)
			}
		}
		if max < 0 || r.err != nil {
			return nil, false
		}
		segs = append(segs, g)
	}
	return segs, true
}

// AppendSegments appends the encoding of a column that consists of segs, each of
// which must have values: blocks as many as Values, at most 8192 as the pattern
// of periodic ones, ramps a period. Segments gives the same segments again.
func AppendSegments(dst []byte, segs []Segment) []byte {
	total := uint64(0)
	for i := range segs {
		total += segs[i].N
	}
	dst = binary.AppendUvarint(dst, total)
	for i := range segs {
		s := &segs[i]
		flag := byte(0)
		if i == len(segs)-1 {
			flag = segmentToEnd
		}
		dst = appendHeader(dst, byte(s.Kind), flag, s.N)
		switch s.Kind {
		case Constant:
			dst = byteio.AppendVarint(dst, s.Base)
		case Affine:
			dst = byteio.AppendVarint(byteio.AppendVarint(dst, s.Base), s.Step)
		case Periodic:
			dst = binary.AppendUvarint(dst, uint64(len(s.Values)))
			dst = byteio.AppendVarint(dst, s.Step)
			dst = appendPlain(dst, s.Values, true)
		case Ramps:
			dst = binary.AppendUvarint(dst, s.Period)
			dst = byteio.AppendVarint(byteio.AppendVarint(byteio.AppendVarint(dst, s.Base), s.Step), s.Move)
		case Block:
			dst = appendPlain(dst, s.Values, flag == 0)
		}
	}
	return dst
}

// appendPlain appends a block of varints, with its size if sized.
func appendPlain(dst []byte, vals []int64, sized bool) []byte {
	if sized {
		n := uint64(1)
		for _, v := range vals {
			n += uint64(uvarintLen(byteio.Zigzag(v)))
		}
		dst = binary.AppendUvarint(dst, n)
	}
	dst = append(dst, methodVarints)
	for _, v := range vals {
		dst = byteio.AppendVarint(dst, v)
	}
	return dst
}
