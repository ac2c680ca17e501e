package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program/cc"
)

// page is what begins and ends of reserved memory are multiples of: no machine has larger pages by
// default.
const page = 1 << 16

// planReaches decides which blocks are allocated with reserved memory around them. A few more bytes
// behind a block are simply allocated with it.
func (g *generator) planReaches() {
	for _, s := range g.segmentList {
		if s.reach == nil && s.mem != archive.Heap && s.most-s.low > farAway {
			s.reach = &reach{}
		}
	}
	for _, x := range g.reaches {
		for _, calls := range x.byRank {
			for _, r := range calls {
				x.around = x.around || r.before > 0 || len(r.far) > 0 || r.behind > believable
			}
		}
		number := &x.t.slots[0]
		if n, ok := number.n.constant(); x.around && ok && number.kind == archive.Int {
			g.around[g.aroundKey(x.c, n)] = true
		} else if x.around {
			g.around[g.aroundKey(x.c, anySegment)] = true
		}
	}
	for _, s := range g.segmentList {
		if s.mem == archive.Heap && s.reach != nil && g.recorded[int64(s.number)] {
			g.around[[2]int64{eachClass, int64(s.number)}] = true
		}
	}
}

// anySegment stands for segments whose numbers are in columns, eachClass for all classes.
const anySegment, eachClass = -1, -1

// aroundKey is how around knows a segment. What one thread allocates others may free.
func (g *generator) aroundKey(c *class, number int64) [2]int64 {
	if g.several {
		return [2]int64{eachClass, number}
	}
	return [2]int64{int64(c.index), number}
}

// mayBeAround tells whether a block may have memory around it that is reserved. A number is
// negative if it is not known.
func (g *generator) mayBeAround(c *class, number int64) bool {
	for k := range g.around {
		if (k[0] == eachClass || k[0] == int64(c.index)) && (k[1] == anySegment || k[1] == number || number < 0) {
			return true
		}
	}
	return false
}

// allocation is the expression for a new block of memory; number is that for the number of its
// segment.
func (g *generator) allocation(c *class, t *terminal, number, bytes *cc.Expr) *cc.Expr {
	x := g.reaches[termKey{c.index, t.id}]
	all := g.reachOfSegment(t)
	if x == nil && all == nil {
		return cc.Call("memory", bytes)
	}
	if x == nil {
		x = &reaches{c: c, t: t}
	}
	behind := g.reachNumbers(x, all, 1, "behind", func(r *reach) int64 { return (r.behind + 63) &^ 63 })
	if !x.around && all == nil {
		return cc.Call("memory", cc.Infix(bytes, "+", cc.Operand(behind)))
	}
	before := g.reachNumbers(x, all, 0, "before", func(r *reach) int64 { return (r.before + 63) &^ 63 })
	far := g.farOf(x, all)
	return cc.Call("memory_around", number, bytes, before, behind, far)
}

// farOf is the expression for the places far away that datatypes use together with a block.
func (g *generator) farOf(x *reaches, all *reach) *cc.Expr {
	places := g.choose(x.c.Ranks(), "far", "const long *", func(rank int) *cc.Expr {
		var spans []span
		if all != nil {
			spans = append(spans, all.far...)
		}
		_, followed := x.calls[rank]
		for other, calls := range x.byRank {
			for _, r := range calls {
				if other == rank || !followed {
					spans = append(spans, r.far...)
				}
			}
		}
		return g.farPlaces(spans)
	})
	if all != nil || places.Is("NULL") {
		return places
	}
	some := g.reachNumbers(x, nil, 2, "has_far", func(r *reach) int64 { return int64(min(len(r.far), 1)) })
	if some.IsInt(1) {
		return places
	}
	return cc.Choice(cc.Operand(some), places, cc.Null)
}

// reachOfSegment is what calls use around the blocks with a number whose records they do not
// follow, nil for nothing.
func (g *generator) reachOfSegment(t *terminal) *reach {
	if n, ok := t.slots[0].n.constant(); ok && t.slots[0].kind == archive.Int {
		if s := g.segments[segmentKey{archive.Heap, uint32(n)}]; s != nil {
			return s.reach
		}
	}
	return nil
}

// reachNumbers is the expression for a number of the reach of each block.
func (g *generator) reachNumbers(x *reaches, all *reach, field int, hint string, of func(*reach) int64) *cc.Expr {
	least := int64(0)
	if all != nil {
		least = of(all)
	}
	most := least
	for _, calls := range x.byRank {
		for _, r := range calls {
			most = max(most, of(r))
		}
	}
	values := func(rank int) []int64 {
		n, ok := x.calls[rank]
		if !ok { // one of too many ranks to look at
			return []int64{most}
		}
		out := make([]int64, n)
		for k := range out {
			out[k] = least
			if r := x.at(rank, k); r != nil {
				out[k] = max(least, of(r))
			}
		}
		return out
	}
	for rank := range x.c.Ranks().All() {
		if vals := values(rank); slices.ContainsFunc(vals, func(v int64) bool { return v != vals[0] }) {
			return cc.Call("next", g.columnOf(x.c, columnKey{x.c.index, x.t.id, reachSlot, field}, hint, values))
		}
	}
	return g.fit(x.c, x.c.Ranks(), func(rank int) int64 { return append(values(rank), least)[0] }, nil, hint)
}

// reachSlot is the number of a slot that stands for the reaches of blocks.
const reachSlot = -2

// farPlaces is a list of places that are far from a block: their number, then the begin and end of
// each.
func (g *generator) farPlaces(spans []span) *cc.Expr {
	if spans = joined(spans, farGap); len(spans) == 0 {
		return cc.Null
	}
	list := []int64{int64(len(spans))}
	for _, s := range spans {
		list = append(list, s.low&^(page-1), (s.high+page-1)&^(page-1))
	}
	return g.constants("far", list)
}

// allocationAtStart is the expression for a block that is there all the time, with what is around
// it.
func (g *generator) allocationAtStart(s *segment) *cc.Expr {
	before := literal((s.reach.before+63)&^63, nil)
	return cc.Call("memory_around", cc.Int(-1), g.segmentSize(s), before, cc.Int(0), g.farPlaces(s.reach.far))
}

// release frees a block.
func (g *generator) release(c *class, t *terminal, number, block *cc.Expr) *cc.Stmt {
	n, ok := t.slots[0].n.constant()
	if !ok || t.slots[0].kind != archive.Int {
		n = anySegment
	}
	if g.frees == "" {
		g.frees = "free"
		if g.swaps() {
			g.frees = "free_later"
		}
	}
	if g.mayBeAround(c, n) {
		return cc.Do(cc.Call(strings.Replace(g.frees, "free", "release", 1), number, block))
	}
	return cc.Do(cc.Call(g.frees, block))
}

// declareAround declares what is known of blocks with memory around them.
func (g *generator) declareAround() string {
	return fmt.Sprintf("static struct around { char *block; long low, high; const long *far; } around[%d]; "+
		"/* blocks with memory around them */\n\n", max(g.heaps, 1))
}
