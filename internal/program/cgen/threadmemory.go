package cgen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/program/cc"
	"github.com/tabard-hpc/tabard/internal/program/memory"
)

// Numbers of blocks on the heap are given out as they are free, so that threads side by side get each other's, in
// another order in every run. A number that several threads allocated is therefore one of each thread's own. What a
// thread uses without having allocated it is one for all, and must have been allocated by one thread alone.

// findOwnBlocks finds the numbers of blocks of which each thread has its own.
func (g *generator) findOwnBlocks() {
	if !g.several {
		return
	}
	makers, users := map[int64][]*class{}, map[int64][]*class{}
	for _, c := range g.classes {
		made, used := g.blocksOf(c)
		for n := range made {
			makers[n] = append(makers[n], c)
		}
		for n := range used {
			if !made[n] {
				users[n] = append(users[n], c)
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(makers)) {
		list := makers[n]
		if !slices.ContainsFunc(list, func(c *class) bool { return slices.ContainsFunc(list, c.beside) }) {
			continue
		}
		foreign := func(c *class) bool { return slices.ContainsFunc(users[n], c.beside) }
		if slices.ContainsFunc(list, foreign) || g.mayBeAround(list[0], n) {
			g.fail(fmt.Errorf("memory block %d: several threads allocate memory that gets each other's numbers, and use "+
				"what others allocated: a program that runs them side by side cannot tell these blocks apart; "+
				"tabard replay --order=recorded makes the calls again", n))
			return
		}
		g.ownBlocks[n] = true
		if s := g.memory.Find(archive.Heap, n); s != nil {
			s.Own = true
		}
	}
}

// blocksOf are the numbers of the blocks that the threads of a class allocate, and of those that they use.
func (g *generator) blocksOf(c *class) (made, used map[int64]bool) {
	made, used = map[int64]bool{}, map[int64]bool{}
	for _, t := range c.terms {
		switch t.Name {
		case memory.SegmentBegin, memory.SegmentEnd:
			for n := range g.numbersIn(c, t, 0) {
				used[n] = true
				made[n] = made[n] || t.Name == memory.SegmentBegin
			}
			continue
		}
		for i := range t.slots {
			for _, n := range g.blocksIn(c, t, &t.slots[i]) {
				used[n] = true
			}
		}
	}
	maps.DeleteFunc(made, func(_ int64, is bool) bool { return !is })
	return made, used
}

// numbersIn are the values of a slot with a number.
func (g *generator) numbersIn(c *class, t *terminal, slot int) map[int64]bool {
	out := map[int64]bool{}
	v := t.slot(slot)
	if v == nil {
		return out
	}
	for rank := range c.Ranks().All() {
		if v.kind != archive.Hole {
			out[v.n.at(rank)] = true
			continue
		}
		list, err := c.Values(program.Column{Terminal: t.id, Slot: slot, Field: 0, Rank: rank})
		g.fail(err)
		for _, n := range list {
			out[n] = true
		}
	}
	return out
}

// blocksIn are the numbers of the blocks on the heap that addresses of a slot lie in.
func (g *generator) blocksIn(c *class, t *terminal, v *value) (out []int64) {
	switch {
	case v.kind == archive.Addr && v.mem == archive.Heap:
		if n, ok := v.seg.constant(); ok {
			return []int64{n}
		}
		for rank := range c.Ranks().All() {
			out = append(out, v.seg.at(rank))
		}
	case v.kind == archive.List:
		for i := range v.list {
			out = append(out, g.blocksIn(c, t, &v.list[i])...)
		}
	case v.kind == archive.Hole && t.addresses(v.at):
		for word := range g.numbersIn(c, t, v.at) {
			if a := archive.AddressOf(word); a.Mem == archive.Heap {
				out = append(out, int64(a.Seg))
			}
		}
	}
	return out
}

// addresses tells whether the values of a slot are addresses.
func (t *terminal) addresses(slot int) bool {
	for i := range t.Params {
		switch p := &t.Params[i]; p.Role {
		case program.Buffer, program.Displacement, program.Displacements:
			if p.Before == slot {
				return true
			}
		case program.BufferNew:
			if p.After == slot {
				return true
			}
		}
	}
	return false
}

// heapOf is the array that blocks with some numbers are kept in: that of all threads, or that which each has of its
// own. The array is heap, or own for what is to be freed.
func (g *generator) heapOf(array string, number *cc.Expr, numbers map[int64]bool) *cc.Expr {
	own := 0
	for n := range numbers {
		if g.ownBlocks[n] {
			own++
		}
	}
	switch {
	case own == 0:
		return cc.Index(cc.Name(array), number)
	case own < len(numbers):
		g.fail(fmt.Errorf("several threads allocate memory that gets each other's numbers, by calls that also allocate " +
			"memory that others use: tabard replay --order=recorded makes the calls again"))
	}
	return cc.Index(cc.Name(ownPrefix+array), number)
}

// one is the set of a number.
func one(n int64) map[int64]bool { return map[int64]bool{n: true} }

// ownPrefix is what the names of arrays begin with of which each thread has its own.
const ownPrefix = "my_"

// heapAt is where the address of a block of the heap is kept.
func heapAt(s *memory.Segment) *cc.Expr {
	if s.Own {
		return cc.Index(cc.Name(ownPrefix+"heap"), cc.Int(s.Number))
	}
	return cc.Index(cc.Name("heap"), cc.Int(s.Number))
}

// declareHeap declares the arrays of blocks.
func (g *generator) declareHeap(name, local, about string) string {
	if !g.mentioned[name] || g.memory.Heaps == 0 {
		return ""
	}
	return g.local(fmt.Sprintf("static %schar *%s[%d];%s\n", local, name, g.memory.Heaps, about))
}
