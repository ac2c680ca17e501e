package timing

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/sizeclass"
)

// A ClassSummary is the calls of one class in a range of calls.
type ClassSummary struct {
	Class uint32
	Calls uint64
	Sum   uint64 // of durations, in ticks, as decoded; modulo 2^64
	Max   uint64 // a bound of all durations: at most an eighth above the greatest
}

// A Summary is a range of calls, without the calls.
type Summary struct {
	From, To      uint64 // indices of calls: [From, To)
	First, Latest uint64 // start of the first call, latest end of all, in ticks
	Classes       []ClassSummary
}

// summarise adds up the calls of a block.
func summarise(dst []ClassSummary, classes []uint32, durations []uint64, index *classIndex) []ClassSummary {
	index.reset()
	for i, c := range classes {
		k := index.of(c, len(dst))
		if k == len(dst) {
			dst = append(dst, ClassSummary{Class: c})
		}
		s := &dst[k]
		s.Calls++
		s.Sum += durations[i]
		s.Max = max(s.Max, durations[i])
	}
	return ordered(dst)
}

// ordered puts summaries in order and rounds them as they are stored.
func ordered(dst []ClassSummary) []ClassSummary {
	slices.SortFunc(dst, func(x, y ClassSummary) int { return int(x.Class) - int(y.Class) })
	for i := range dst {
		dst[i].Max = ceiling(dst[i].Max)
	}
	return dst
}

// ceiling rounds up to what a summary can hold, or down to the greatest of that.
func ceiling(v uint64) uint64 {
	low := uint(max(0, bits.Len64(v)-4))
	if up := (v + 1<<low - 1) >> low << low; up >= v {
		return up
	}
	return 15 << 60
}

// classIndex numbers the classes of a block.
type classIndex struct {
	small [256]uint32 // number + 1
	large map[uint32]int
}

func (x *classIndex) reset() {
	clear(x.small[:])
	clear(x.large)
}

// of returns the number of a class: next if it is new.
func (x *classIndex) of(c uint32, next int) int {
	if c < 256 {
		if x.small[c] == 0 {
			x.small[c] = uint32(next) + 1
		}
		return int(x.small[c]) - 1
	}
	n, ok := x.large[c]
	if !ok {
		if x.large == nil {
			x.large = map[uint32]int{}
		}
		n = next
		x.large[c] = n
	}
	return n
}

// mergeClasses adds y to x; both are in the order of classes.
func mergeClasses(x, y []ClassSummary) []ClassSummary {
	var out []ClassSummary
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].Class < y[0].Class:
			out, x = append(out, x[0]), x[1:]
		case x[0].Class > y[0].Class:
			out, y = append(out, y[0]), y[1:]
		default:
			s := x[0]
			s.Calls += y[0].Calls
			s.Sum += y[0].Sum
			s.Max = max(s.Max, y[0].Max)
			out, x, y = append(out, s), x[1:], y[1:]
		}
	}
	return append(append(out, x...), y...)
}

// appendClasses writes summaries of classes.
func appendClasses(dst []byte, cs []ClassSummary) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(cs)))
	next := uint32(0)
	for _, c := range cs {
		dst = binary.AppendUvarint(dst, uint64(c.Class-next))
		dst = binary.AppendUvarint(dst, c.Calls)
		dst = binary.AppendUvarint(dst, c.Sum)
		class, _ := sizeclass.Of(c.Max, 3)
		dst = binary.AppendUvarint(dst, uint64(class))
		next = c.Class + 1
	}
	return dst
}

func readClasses(p *byteio.Reader, calls uint64) []ClassSummary {
	n := p.Count()
	cs := make([]ClassSummary, 0, min(n, 1024))
	next, total := uint64(0), uint64(0)
	for range n {
		c := next + p.Uvarint()
		s := ClassSummary{Class: uint32(c), Calls: p.Uvarint(), Sum: p.Uvarint()}
		low, base := sizeclass.Low(uint(min(p.Uvarint(), 1<<10)), 3)
		if c < next || c > MaxClass || low > 60 || s.Calls > calls-total {
			p.Fail("summary out of range")
		}
		if p.Err != nil {
			return nil
		}
		s.Max = base
		total += s.Calls
		next = c + 1
		cs = append(cs, s)
	}
	if p.Err == nil && total != calls {
		p.Fail("a summary of other calls")
	}
	return cs
}
