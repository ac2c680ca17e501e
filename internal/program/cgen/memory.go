package cgen

import (
	"fmt"
	"math"
	"sort"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// A segment is a block of memory of the recording.
type segment struct {
	mem    archive.Mem
	number uint32
	low    int64         // least offset in use at any rank
	high   map[int]int64 // by rank: the greatest offset, plus one
	most   int64         // of high
	made   bool          // MPI allocates it
	reach  *reach        // what datatypes use around it beyond that, all calls together
	index  int           // in the order of use
}

type segmentKey struct {
	mem    archive.Mem
	number uint32
}

// maxSegment bounds what a damaged recording can ask for.
const maxSegment = 1 << 40

// rawBlock is the size of the parts that memory that belongs to nothing known is divided into.
const rawBlock = 1 << 24

// segment is the segment that an address is in.
func (g *generator) segment(v *archive.Value) *segment {
	k := segmentKey{v.Mem, v.Seg}
	if v.Mem == archive.RawMem {
		k.number = uint32(uint64(v.N) / rawBlock)
	}
	s := g.segments[k]
	if s == nil {
		s = &segment{mem: v.Mem, number: k.number, low: math.MaxInt64, most: math.MinInt64, high: map[int]int64{},
			index: len(g.segmentList)}
		if v.Mem == archive.Heap {
			s.low = 0
		}
		g.segments[k] = s
		g.segmentList = append(g.segmentList, s)
	}
	return s
}

// offset is that of an address in its segment.
func offset(v *archive.Value) int64 {
	if v.Mem == archive.RawMem {
		return v.N % rawBlock
	}
	return v.N
}

// touch notes that the bytes of e relative to an address are used.
func (g *generator) touch(rank int, v *archive.Value, e extent) {
	s := g.segment(v)
	at := offset(v)
	lo, hi := at+min(e.low, 0), at+max(e.high, 1)
	if lo < -maxSegment || hi > maxSegment {
		g.note("a buffer is larger than memory; it gets less")
		lo, hi = max(lo, 0), min(hi, at+rawBlock)
	}
	if s.mem != archive.Heap { // where it begins is known
		s.low = min(s.low, lo)
	}
	if old, ok := s.high[rank]; !ok || hi > old {
		s.high[rank] = hi
	}
	s.most = max(s.most, hi)
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
func (s *segment) base() (*cc.Expr, int64) {
	switch s.mem {
	case archive.Heap:
		return heapAt(cc.Int(s.number)), s.low
	case archive.Static:
		return cc.Name(fmt.Sprintf("data%d", s.number)), s.low
	case archive.Stack:
		return cc.Name(fmt.Sprintf("stack%d", s.number)), s.low
	}
	return cc.Name(fmt.Sprintf("other%d", s.index)), s.low
}

// variable is the name of the begin of a segment.
func (s *segment) variable() string {
	e, _ := s.base()
	return e.String()
}

// segmentSize is an expression for the size of a segment in bytes.
func (g *generator) segmentSize(s *segment) *cc.Expr {
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
	set := rankfunc.NewSet(ranks)
	for _, r := range ranks {
		all = append(all, s.high[r]-s.low)
	}
	fn := rankfunc.Fit(&rankfunc.Context{Size: g.size}, set, all)
	if pieces := fn.Pieces(set); len(pieces) > 2 || pieces[0].Values != nil {
		return literal(s.most-s.low, nil)
	}
	return g.function(fn, set, nil, "bytes")
}

// address is an expression for an address.
func (g *generator) address(c *class, v *value, hint string) *cc.Expr {
	ranks := c.Ranks()
	chosen := func(seg func(rank int) uint32) *cc.Expr {
		return g.choose(ranks, hint, "char *", func(r int) *cc.Expr {
			return g.addressAt(&archive.Value{Kind: archive.Addr, Mem: v.mem, Seg: seg(r), N: v.n.at(r)})
		})
	}
	if v.mem == archive.RawMem {
		return chosen(func(int) uint32 { return 0 })
	}
	seg, same := v.seg.constant()
	switch {
	case !same && v.mem == archive.Heap:
		return g.sum(heapAt(g.number(c, &v.seg, ranks, nil, "segment")), c, v, 0, hint)
	case !same:
		return chosen(func(r int) uint32 { return uint32(v.seg.at(r)) })
	}
	s := g.segments[segmentKey{v.mem, uint32(seg)}]
	if s == nil {
		return cc.Null
	}
	base, low := s.base()
	return g.sum(base, c, v, low, hint)
}

// sum is an expression for an address at an offset.
func (g *generator) sum(base *cc.Expr, c *class, v *value, low int64, hint string) *cc.Expr {
	if n, ok := v.n.constant(); ok {
		return plus(base, n-low)
	}
	fn := v.n.fn
	if v.n.base != nil || low != 0 {
		var vals []int64
		for r := range c.Ranks().All() {
			vals = append(vals, v.n.at(r)-low)
		}
		fn = rankfunc.Fit(c.ctx, c.Ranks(), vals)
	}
	return cc.Infix(base, "+", cc.Operand(g.function(fn, c.Ranks(), nil, hint+"_at")))
}

// addressAt is an expression for a single address.
func (g *generator) addressAt(v *archive.Value) *cc.Expr {
	if v.Mem == archive.Literal {
		return cc.Null
	}
	base, low := g.segment(v).base()
	return plus(base, offset(v)-low)
}
