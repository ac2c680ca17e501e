package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/memory"
)

// page is what begins and ends of reserved memory are multiples of: no machine has larger pages by
// default.
const page = 1 << 16

// planReaches notes which segments may have reserved memory around them.
func (g *generator) planReaches() {
	for at, x := range g.memory.Reaches {
		if !x.Around() {
			continue
		}
		c := g.classes[slices.IndexFunc(g.classes, func(c *class) bool { return c.Index == at.Class })]
		g.around[g.aroundKey(c, segmentOf(c.terms[at.Terminal]))] = true
	}
	for _, s := range g.memory.Segments {
		if s.Mem == archive.Heap && s.Reach != nil && g.memory.Records[int64(s.Number)] != nil {
			g.around[[2]int64{eachClass, int64(s.Number)}] = true
		}
	}
}

// segmentOf is the number of the segment of a record.
func segmentOf(t *terminal) int64 {
	if n, ok := t.slots[0].n.constant(); ok && t.slots[0].kind == archive.Int {
		return n
	}
	return anySegment
}

// anySegment stands for segments whose numbers are in columns, eachClass for all classes.
const anySegment, eachClass = -1, -1

// aroundKey is how around knows a segment. What one thread allocates others may free.
func (g *generator) aroundKey(c *class, number int64) [2]int64 {
	if g.several {
		return [2]int64{eachClass, number}
	}
	return [2]int64{int64(c.Index), number}
}

// mayBeAround tells whether a block may have memory around it that is reserved. A number is
// negative if it is not known.
func (g *generator) mayBeAround(c *class, number int64) bool {
	for k := range g.around {
		if (k[0] == eachClass || k[0] == int64(c.Index)) && (k[1] == anySegment || k[1] == number || number < 0) {
			return true
		}
	}
	return false
}

// allocation is the expression for a new block of memory; number is that for the number of its
// segment.
func (g *generator) allocation(c *class, t *terminal, number, bytes *cc.Expr) *cc.Expr {
	x := g.memory.Reaches[memory.Terminal{Class: c.Index, Terminal: t.id}]
	all := g.reachOfSegment(t)
	if x == nil && all == nil {
		return cc.Call("memory", bytes)
	}
	if x == nil {
		x = &memory.Reaches{}
	}
	behind := g.reachNumbers(c, t, x, all, 1, "behind", func(r *memory.Reach) int64 { return (r.Behind + 63) &^ 63 })
	if !x.Around() && all == nil {
		return cc.Call("memory", cc.Infix(bytes, "+", cc.Operand(behind)))
	}
	before := g.reachNumbers(c, t, x, all, 0, "before", func(r *memory.Reach) int64 { return (r.Before + 63) &^ 63 })
	far := g.farOf(c, t, x, all)
	return cc.Call("memory_around", number, bytes, before, behind, far)
}

// farOf is the expression for the places far away that datatypes use together with a block.
func (g *generator) farOf(c *class, t *terminal, x *memory.Reaches, all *memory.Reach) *cc.Expr {
	places := g.choose(c.Ranks(), "far", "const long *", func(rank int) *cc.Expr {
		var spans []memory.Span
		if all != nil {
			spans = append(spans, all.Far...)
		}
		_, followed := x.Calls[rank]
		for other, calls := range x.ByRank {
			for _, r := range calls {
				if other == rank || !followed {
					spans = append(spans, r.Far...)
				}
			}
		}
		return g.farPlaces(spans)
	})
	if all != nil || places.Is("NULL") {
		return places
	}
	some := g.reachNumbers(c, t, x, nil, 2, "has_far", func(r *memory.Reach) int64 { return int64(min(len(r.Far), 1)) })
	if some.IsInt(1) {
		return places
	}
	return cc.Choice(cc.Operand(some), places, cc.Null)
}

// reachOfSegment is what calls use around the blocks with a number whose records they do not
// follow, nil for nothing.
func (g *generator) reachOfSegment(t *terminal) *memory.Reach {
	if s := g.memory.Find(archive.Heap, segmentOf(t)); s != nil {
		return s.Reach
	}
	return nil
}

// reachNumbers is the expression for a number of the reach of each block.
func (g *generator) reachNumbers(c *class, t *terminal, x *memory.Reaches, all *memory.Reach, field int, hint string,
	of func(*memory.Reach) int64) *cc.Expr {
	least := int64(0)
	if all != nil {
		least = of(all)
	}
	most := least
	for _, calls := range x.ByRank {
		for _, r := range calls {
			most = max(most, of(r))
		}
	}
	values := func(rank int) []int64 {
		n, ok := x.Calls[rank]
		if !ok { // one of too many ranks to look at
			return []int64{most}
		}
		out := make([]int64, n)
		for k := range out {
			out[k] = least
			if r := x.At(rank, k); r != nil {
				out[k] = max(least, of(r))
			}
		}
		return out
	}
	for rank := range c.Ranks().All() {
		if vals := values(rank); slices.ContainsFunc(vals, func(v int64) bool { return v != vals[0] }) {
			return cc.Call("next", g.columnOf(c, columnKey{c.Index, t.id, reachSlot, field}, hint, values))
		}
	}
	return g.fit(c, c.Ranks(), func(rank int) int64 { return append(values(rank), least)[0] }, nil, hint)
}

// reachSlot is the number of a slot that stands for the reaches of blocks.
const reachSlot = -2

// farPlaces is a list of places that are far from a block: their number, then the begin and end of
// each.
func (g *generator) farPlaces(spans []memory.Span) *cc.Expr {
	if spans = memory.Far(spans); len(spans) == 0 {
		return cc.Null
	}
	list := []int64{int64(len(spans))}
	for _, s := range spans {
		list = append(list, s.Low&^(page-1), (s.High+page-1)&^(page-1))
	}
	return g.constants("far", list)
}

// allocationAtStart is the expression for a block that is there all the time, with what is around
// it.
func (g *generator) allocationAtStart(s *memory.Segment) *cc.Expr {
	before := literal((s.Reach.Before+63)&^63, nil)
	_, begin := baseOf(s)
	var far []memory.Span
	for _, place := range s.Reach.Far {
		far = append(far, memory.Span{Low: place.Low - begin, High: place.High - begin})
	}
	return cc.Call("memory_around", cc.Int(-1), g.segmentSize(s), before, cc.Int(0), g.farPlaces(far))
}

// release frees a block.
func (g *generator) release(c *class, t *terminal, number, block *cc.Expr) *cc.Stmt {
	if g.frees == "" {
		g.frees = "free"
		if g.swaps() {
			g.frees = "free_later"
		}
	}
	if g.mayBeAround(c, segmentOf(t)) {
		return cc.Do(cc.Call(strings.Replace(g.frees, "free", "release", 1), number, block))
	}
	return cc.Do(cc.Call(g.frees, block))
}

// declareAround declares what is known of blocks with memory around them.
func (g *generator) declareAround() string {
	return fmt.Sprintf("static struct around { char *block; long low, high; const long *far; } around[%d]; "+
		"/* blocks with memory around them */\n\n", max(g.memory.Heaps, 1))
}
