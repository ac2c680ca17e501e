package cgen

import (
	"fmt"
	"sort"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/memory"
)

// baseOf is the expression for the begin of a segment, and the offset there.
func baseOf(s *memory.Segment) (*cc.Expr, int64) {
	switch s.Mem {
	case archive.Heap:
		return heapAt(s), s.Low
	case archive.Static:
		return cc.Name(fmt.Sprintf("data%d", s.Number)), s.Low
	case archive.Stack:
		return cc.Name(fmt.Sprintf("stack%d", s.Number)), s.Low
	}
	return cc.Name(fmt.Sprintf("other%d", s.Index)), s.Low
}

// variable is the name of the begin of a segment.
func variable(s *memory.Segment) string {
	e, _ := baseOf(s)
	return e.String()
}

// segmentSize is an expression for the size of a segment in bytes.
func (g *generator) segmentSize(s *memory.Segment) *cc.Expr {
	var ranks []int
	var all []int64
	same := true
	for r, hi := range s.High {
		ranks = append(ranks, r)
		same = same && hi == s.Most
	}
	if same || len(ranks) < 2 {
		return literal(s.Most-s.Low, nil)
	}
	sort.Ints(ranks)
	set := rankfunc.NewSet(ranks)
	for _, r := range ranks {
		all = append(all, s.High[r]-s.Low)
	}
	fn := rankfunc.Fit(&rankfunc.Context{Size: g.size}, set, all)
	if pieces := fn.Pieces(set); len(pieces) > 2 || pieces[0].Values != nil {
		return literal(s.Most-s.Low, nil)
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
		numbers := map[int64]bool{}
		for r := range ranks.All() {
			numbers[v.seg.at(r)] = true
		}
		return g.sum(g.heapOf("heap", g.number(c, &v.seg, ranks, nil, "segment"), numbers), c, v, 0, hint)
	case !same:
		return chosen(func(r int) uint32 { return uint32(v.seg.at(r)) })
	}
	s := g.memory.Find(v.mem, seg)
	if s == nil {
		return cc.Null
	}
	base, low := baseOf(s)
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
	base, low := baseOf(g.memory.Segment(v))
	return plus(base, memory.Offset(v)-low)
}
