package proxy

import (
	"fmt"
	"math"
	"sort"

	"tabard/internal/rankfn"
	"tabard/trace"
)

// A segment is a block of memory of the recording.
type segment struct {
	mem    trace.Mem
	number uint32
	low    int64         // least offset in use at any rank
	high   map[int]int64 // by rank: the greatest offset, plus one
	most   int64         // of high
	made   bool          // MPI allocates it
	reach  *reach        // what datatypes use around it beyond that, all calls together
	index  int           // in the order of use
}

type segmentKey struct {
	mem    trace.Mem
	number uint32
}

// maxSegment bounds what a damaged recording can ask for.
const maxSegment = 1 << 40

// rawBlock is the size of the parts that memory that belongs to nothing known is divided into.
const rawBlock = 1 << 24

// segment is the segment that an address is in.
func (g *generator) segment(v *trace.Value) *segment {
	k := segmentKey{v.Mem, v.Seg}
	if v.Mem == trace.RawMem {
		k.number = uint32(uint64(v.N) / rawBlock)
	}
	s := g.segments[k]
	if s == nil {
		s = &segment{mem: v.Mem, number: k.number, low: math.MaxInt64, most: math.MinInt64, high: map[int]int64{}, index: len(g.segmentList)}
		if v.Mem == trace.Heap {
			s.low = 0
		}
		g.segments[k] = s
		g.segmentList = append(g.segmentList, s)
	}
	return s
}

// offset is that of an address in its segment.
func offset(v *trace.Value) int64 {
	if v.Mem == trace.RawMem {
		return v.N % rawBlock
	}
	return v.N
}

// touch notes that the bytes of e relative to an address are used.
func (g *generator) touch(rank int, v *trace.Value, e extent) {
	s := g.segment(v)
	at := offset(v)
	lo, hi := at+min(e.low, 0), at+max(e.high, 1)
	if lo < -maxSegment || hi > maxSegment {
		g.note("a buffer is larger than memory; it gets less")
		lo, hi = max(lo, 0), min(hi, at+rawBlock)
	}
	if s.mem != trace.Heap { // where it begins is known
		s.low = min(s.low, lo)
	}
	if old, ok := s.high[rank]; !ok || hi > old {
		s.high[rank] = hi
	}
	s.most = max(s.most, hi)
}

// addressOf decodes a segment word of a column, see trace.FieldsOf.
func addressOf(word int64) trace.Value {
	w := uint64(word)
	v := trace.Value{Kind: trace.Addr, Mem: trace.Mem(w >> 60)}
	seg, off := uint32(w>>40&0xfffff), int64(w&(1<<40-1))
	switch v.Mem {
	case trace.Literal:
		v.N = int64(w<<4) >> 4
	case trace.Heap, trace.Static:
		v.Seg, v.N = seg, off
	case trace.Stack:
		v.Seg, v.N = seg, off<<24>>24
	default:
		v.Mem, v.N = trace.RawMem, int64(w&(1<<60-1))
	}
	return v
}

// mostRanks is how many ranks of a class are looked at one by one.
const mostRanks = 1 << 14

// measure finds the segments and their sizes.
func (g *generator) measure() error {
	for _, c := range g.classes {
		n := c.Ranks().Len()
		for i := range n {
			if i >= mostRanks && i < n-1 {
				continue
			}
			rank := c.Ranks().At(i)
			if err := g.measureRank(c, rank, i == 0); err != nil {
				return err
			}
		}
	}
	for _, c := range g.classes {
		if c.leaves {
			if err := g.follow(c); err != nil {
				return err
			}
		}
	}
	g.planReaches()
	sort.Slice(g.segmentList, func(i, j int) bool {
		a, b := g.segmentList[i], g.segmentList[j]
		if a.mem != b.mem {
			return a.mem < b.mem
		}
		return a.number < b.number
	})
	for i, s := range g.segmentList {
		s.index = i
		s.low &^= 63 // blocks begin at multiples of 64
	}
	return nil
}

func (g *generator) measureRank(c *class, rank int, first bool) error {
	types, err := g.typesAt(c, rank)
	if err != nil {
		return err
	}
	for _, t := range c.terms {
		// What is the same at all ranks is looked at once.
		if !first && c.fixed && len(c.data.Params[t.id]) == 0 && len(t.tm.Signature.Columns()) == 0 {
			continue
		}
		sig, err := c.Stream(rank).Signature(t.id)
		if err != nil {
			return err
		}
		u := &usage{g: g, c: c, t: t, sig: sig, rank: rank, types: types}
		if err := u.measure(); err != nil {
			return err
		}
	}
	return nil
}

// base is the expression for the begin of a segment, and the offset there.
func (s *segment) base() (string, int64) {
	switch s.mem {
	case trace.Heap:
		return fmt.Sprintf("heap[%d]", s.number), s.low
	case trace.Static:
		return fmt.Sprintf("data%d", s.number), s.low
	case trace.Stack:
		return fmt.Sprintf("stack%d", s.number), s.low
	}
	return fmt.Sprintf("other%d", s.index), s.low
}

// size is an expression for the size of a segment in bytes.
func (g *generator) segmentSize(s *segment) string {
	var ranks []int
	var all []int64
	same := true
	for r, hi := range s.high {
		ranks = append(ranks, r)
		same = same && hi == s.most
	}
	if same || len(ranks) < 2 {
		return literal(s.most-s.low, nil)
	}
	sort.Ints(ranks)
	set := rankfn.NewSet(ranks)
	for _, r := range ranks {
		all = append(all, s.high[r]-s.low)
	}
	fn := rankfn.Fit(&rankfn.Context{Size: g.size}, set, all)
	if pieces := fn.Pieces(set); len(pieces) > 2 || pieces[0].Values != nil {
		return literal(s.most-s.low, nil)
	}
	return g.function(fn, set, nil, "bytes")
}

// address is an expression for an address.
func (g *generator) address(c *class, v *value, hint string) string {
	ranks := c.Ranks()
	if v.mem == trace.RawMem {
		return g.choose(ranks, hint, "char *", func(r int) string {
			return g.place1(&trace.Value{Kind: trace.Addr, Mem: v.mem, N: v.n.at(r)})
		})
	}
	seg, same := v.seg.constant()
	if !same {
		if v.mem == trace.Heap {
			return g.sum(fmt.Sprintf("heap[%s]", g.number(c, &v.seg, ranks, nil, "segment")), c, v, 0, hint)
		}
		return g.choose(ranks, hint, "char *", func(r int) string {
			return g.place1(&trace.Value{Kind: trace.Addr, Mem: v.mem, Seg: uint32(v.seg.at(r)), N: v.n.at(r)})
		})
	}
	s := g.segments[segmentKey{v.mem, uint32(seg)}]
	if s == nil {
		return "NULL"
	}
	base, low := s.base()
	return g.sum(base, c, v, low, hint)
}

// sum is an expression for an address at an offset.
func (g *generator) sum(base string, c *class, v *value, low int64, hint string) string {
	if n, ok := v.n.constant(); ok {
		return plus(base, n-low)
	}
	fn := v.n.fn
	if v.n.base != nil || low != 0 {
		var vals []int64
		for r := range c.Ranks().All() {
			vals = append(vals, v.n.at(r)-low)
		}
		fn = rankfn.Fit(c.ctx, c.Ranks(), vals)
	}
	return base + " + " + operand(g.function(fn, c.Ranks(), nil, hint+"_at"))
}

// place1 is an expression for a single address.
func (g *generator) place1(v *trace.Value) string {
	if v.Mem == trace.Literal {
		return "NULL"
	}
	base, low := g.segment(v).base()
	return plus(base, offset(v)-low)
}
