package archive

import (
	"math"
	"slices"
	"sync/atomic"
	"weak"

	"github.com/tabard-hpc/tabard/internal/codec/column"
	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// layout is what reading one stream needs.
type layout struct {
	*classLayout
	rank int
	// own are the signatures of the terminals, as long as somebody has them: with many streams they take more than all
	// else. They are not set if they are the same at all ranks.
	own  atomic.Pointer[weak.Pointer[[]*Signature]]
	x    *grammar.Index // of the grammar with this stream's trip counts
	occ  []uint64       // occurrences of each terminal
	strs []string
	call uint64 // number of calls

	sums prefixes
}

// open reads what the stream needs of the structure and checks that it fits together.
func (s *Stream) open() (*layout, error) {
	return s.layout.get(func() (*layout, error) {
		if s.class == nil {
			return nil, s.a.broken("structure/classes", -1, "stream %d is in no class", s.index)
		}
		c, err := s.class.open()
		if err != nil {
			return nil, err
		}
		l := &layout{classLayout: c, x: c.x}
		if err = l.fill(s.a.maxArray(), s.rank); err == nil {
			err = s.a.countable(l.call)
		}
		if err != nil {
			return nil, named(within(err, "class %d, rank %d", s.class.index, s.rank), s.a.file)
		}
		return l, nil
	})
}

// maxCalls is how many calls an archive may have, so that sums of them over any streams are numbers.
const maxCalls = 1 << 62

// countable is the error for a stream with too many calls: as many in all others were more than maxCalls.
func (a *Archive) countable(calls uint64) error {
	if calls <= maxCalls/uint64(max(a.streams, 1)) {
		return nil
	}
	return broken("structure/classes", -1, "a stream has %d calls, too many for an archive of %d streams", calls,
		a.streams)
}

// fill works out what depends on the rank. budget is how many elements arrays may have.
func (l *layout) fill(budget, rank int) (err error) {
	l.rank = rank
	if _, err := l.signaturesWithin(budget); err != nil {
		return err
	}
	if l.x == nil {
		x, err := grammar.NewIndex(l.grammarAt(rank))
		if err == nil {
			err = checkTerminals(x, len(l.Terminals))
		}
		if err != nil {
			return broken("structure/classes", -1, "%v", err)
		}
		l.x = x
	}
	l.occ = sized(l.x.Occurrences(), len(l.Terminals))
	l.strs, _ = caseAt(&l.Strings, l.Ranks, rank)
	l.call = l.x.Len()
	if l.Calls != nil {
		if l.call = uint64(l.Calls.At(rank)); l.call < l.x.Len() {
			return broken("structure/classes", -1, "%d calls, but the grammar has %d events", l.call, l.x.Len())
		}
	}
	return nil
}

// signatures are those of the terminals.
func (l *layout) signatures() []*Signature {
	sigs, err := l.signaturesWithin(math.MaxInt)
	if err != nil {
		panic("archive: signatures that could be made cannot be made again: " + err.Error())
	}
	return sigs
}

// signaturesWithin makes them, unless they are there. budget is how many elements arrays may have.
func (l *layout) signaturesWithin(budget int) (sigs []*Signature, err error) {
	if !l.vary {
		return l.sigs, nil
	}
	if own := l.own.Load(); own != nil {
		if known := own.Value(); known != nil {
			return *known, nil
		}
	}
	sigs = slices.Clone(l.sigs)
	for t, tm := range l.tms {
		if sigs[t] == nil {
			if sigs[t], err = tm.at(l.Params[t], l.Ranks, l.rank, &budget); err != nil {
				return nil, err
			}
		}
	}
	own := weak.Make(&sigs)
	l.own.Store(&own)
	return sigs, nil
}

// grammarAt is the grammar with the trip counts of a rank.
func (c *ClassData) grammarAt(rank int) *Grammar {
	if len(c.Trips) == 0 {
		return c.Grammar
	}
	g := &Grammar{Tail: c.Grammar.Tail, Rules: make([][]Symbol, len(c.Grammar.Rules))}
	k := 0
	for r, body := range c.Grammar.Rules {
		g.Rules[r] = append([]Symbol(nil), body...)
		for i := range g.Rules[r] {
			if s := &g.Rules[r][i]; s.Count == 0 {
				s.Count = uint64(c.Trips[k].At(rank))
				k++
			}
		}
	}
	return g
}

// columnBytes is the encoded column at a place of the stream, at least what of it is before an event unless that is 0.
func (s *Stream) columnBytes(l *layout, place uint32, before uint64) ([]byte, error) {
	c := &l.Columns[place]
	i := c.Index(l.Ranks, s.rank)
	if i < 0 {
		return nil, s.broken(l, place, "there is none")
	}
	v := &c.Values[i]
	if v.Clock {
		return s.a.blob(&s.a.timings, uint32(v.Blob))
	}
	if v.Blob >= 0 {
		return s.a.columnBefore(v.Blob, s, l, before)
	}
	segs, ok := v.segments(s.rank, l.specs[place].Array && l.specs[place].Field >= 0, l.occ[l.owner[place]])
	if !ok {
		return nil, s.broken(l, place, "a length is out of range")
	}
	return column.AppendSegments(nil, segs), nil
}

func (s *Stream) broken(l *layout, place uint32, format string, args ...any) error {
	return within(
		s.a.broken("columns", -1, format, args...),
		"stream %d, terminal %d, column %d",
		s.index,
		l.owner[place],
		place-l.first[l.owner[place]],
	)
}

// segments puts the segments of a column at a rank together. n is the length of the column
// unless it is sized.
func (v *ColumnData) segments(rank int, sized bool, n uint64) ([]column.Segment, bool) {
	if len(v.Shape) == 0 {
		return nil, sized || n == 0
	}
	ps := v.Params
	next := func() int64 {
		x := ps[0].At(rank)
		ps = ps[1:]
		return x
	}
	segs := make([]column.Segment, len(v.Shape))
	left := uint64(math.MaxUint64)
	if !sized {
		left = n
	}
	for i := range segs {
		g, shape := &segs[i], &v.Shape[i]
		g.Kind = shape.Kind
		if i < len(segs)-1 {
			g.N = uint64(next())
			if g.N == 0 || g.N >= left {
				return nil, false
			}
			left -= g.N
		}
		switch g.Kind {
		case constantSegment:
			g.Base = next()
		case affineSegment:
			g.Base, g.Step = next(), next()
		case rampsSegment:
			g.Period = uint64(next())
			g.Base, g.Step, g.Move = next(), next(), next()
		default:
			if g.Kind == periodicSegment {
				g.Step = next()
			}
			for range shape.Values {
				g.Values = append(g.Values, next())
			}
		}
	}
	last := &segs[len(segs)-1]
	if last.N = left; sized {
		last.N = uint64(next())
		if last.N == 0 || last.N > left {
			return nil, false
		}
	}
	for i := range segs {
		if !soundSegment(&segs[i]) {
			return nil, false
		}
	}
	return segs, true
}

// soundSegment tells whether the numbers of a segment fit together.
func soundSegment(g *column.Segment) bool {
	n := uint64(len(g.Values))
	switch g.Kind {
	case periodicSegment:
		return n > 0 && n <= maxSegmentValues
	case blockSegment:
		return n > 0 && n <= maxSegmentValues && n == g.N
	case rampsSegment:
		return g.Period != 0
	}
	return n <= maxSegmentValues
}

// maxSegmentValues is the greatest number of values of a periodic segment or block.
const maxSegmentValues = 8192
