package cgen

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
)

// Programs compute displacements in datatypes from addresses. Such a displacement may lead from the
// block of memory of a buffer to another block, which lies elsewhere in the proxy. What lies there
// does not matter, as long as there is memory. A block that a datatype leads out of gets memory at
// the recorded distances, so that displacements stay numbers of the recording. The calls are
// followed one by one to find these blocks: numbers of blocks and datatypes are used again and
// again, and what one call uses of them says nothing about the next one.

// A reach is what datatypes use around a block: so many bytes before and behind it, and places far
// away.
type reach struct {
	before, behind int64
	far            []span
}

// add widens a reach by what calls use of a block of some size.
func (x *reach) add(near span, far []span, size int64) {
	x.before, x.behind = max(x.before, -near.low), max(x.behind, near.high-size)
	x.far = joined(append(x.far, far...), farGap)
}

// reaches are those of the blocks that the calls with a terminal allocate: by rank and number of
// the call.
type reaches struct {
	c      *class
	t      *terminal
	calls  map[int]int // how many there are, of the ranks that were followed to the end
	byRank map[int]map[int]*reach
	around bool // memory is reserved around the blocks
}

// at is the reach of block k of a rank, nil if there is none.
func (x *reaches) at(rank, k int) *reach { return x.byRank[rank][k] }

// outside is where the bytes of e relative to an address are: near the begin of its segment, and
// far away.
func outside(v *archive.Value, e extent) (near span, far []span) {
	at := offset(v)
	for _, s := range e.far {
		far = append(far, s.move(at))
	}
	return span{at + min(e.low, 0), at + max(e.high, 1)}, far
}

// leaves tells whether the bytes of a datatype relative to an address may be outside of the block,
// as far as that can be told without a look at each call.
func (g *generator) leaves(v *archive.Value, e extent) bool {
	near, far := outside(v, e)
	switch {
	case len(far) > 0:
		return true
	case v.Mem == archive.Heap:
		n := int64(v.Seg)
		return near.low < 0 || g.recorded[n] && near.high > g.least[n]
	}
	return near.high-near.low > largeBlock
}

// atLeast notes a size of a segment in a record.
func (g *generator) atLeast(number, bytes int64) {
	if least, ok := g.least[number]; !ok || bytes < least {
		g.least[number] = bytes
	}
}

// mostFollowed is how many calls of a class are followed.
const mostFollowed = 1 << 24

// A follower makes the calls of a stream one by one, as far as memory and datatypes are concerned.
type follower struct {
	usage
	made []int // by terminal: how many calls were made
	live map[uint32]*heapBlock
}

// A heapBlock is a segment of the heap while it exists.
type heapBlock struct {
	t    *terminal
	call int
	size int64
	ours bool
}

// follow finds what datatypes of a class use around the blocks of memory that they are used with.
func (g *generator) follow(c *class) error {
	budget := mostFollowed
	made := map[uint32]map[int]int{}
	for i := range min(c.Ranks().Len(), mostRanks) {
		rank := c.Ranks().At(i)
		f := &follower{made: make([]int, len(c.terms)), live: map[uint32]*heapBlock{}}
		f.usage = usage{g: g, c: c, rank: rank, types: map[int64]extent{}, see: f.sees}
		for call, err := range archive.Only(c.Stream(rank), func(t uint32) bool {
			return concernsMemory(c.terms[t])
		}) {
			if err == nil {
				err = f.call(call)
			}
			if err != nil {
				return err
			}
			if budget--; budget < 0 {
				break
			}
		}
		if budget < 0 {
			g.noteOnce("datatypes may lead out of blocks of memory after the first calls, which alone were looked " +
				"at for that")
			break
		}
		for t, n := range f.made {
			if c.terms[t].Name == "tabard_segment" {
				if made[uint32(t)] == nil {
					made[uint32(t)] = map[int]int{}
				}
				made[uint32(t)][rank] = n
			}
		}
	}
	for k, x := range g.reaches {
		if k.class == c.index {
			x.calls = made[k.term]
		}
	}
	return nil
}

// concernsMemory tells whether a call makes memory or a datatype, or may use memory beyond a block.
func concernsMemory(t *terminal) bool {
	return program.Own(t.Func.Func) || newTypeParam(t) >= 0 || usesDatatype(t)
}

// usesDatatype tells whether a call uses memory by a datatype of the program, or at displacements.
func usesDatatype(t *terminal) bool {
	for i := range t.Params {
		p := &t.Params[i]
		if p.Role != program.Buffer || p.BufType < 0 {
			continue
		}
		if p.BufDispls >= 0 {
			return true
		}
		v := t.slot(t.Params[p.BufType].Before)
		if v == nil {
			continue
		}
		if code, same := v.n.constant(); v.kind != archive.Ref || !same || isDynamic(code) {
			return true
		}
	}
	return false
}

// call makes a call.
func (f *follower) call(c *archive.Call) error {
	t := f.c.terms[c.Terminal]
	k := f.made[t.id]
	f.made[t.id]++
	f.t, f.sig = t, &archive.Signature{Slots: c.Slots}
	switch {
	case t.Name == "tabard_segment":
		f.live[uint32(f.value(0).N)] = &heapBlock{t, k, f.value(2).N, f.value(1).N != madeByMPI}
		return nil
	case t.Name == "tabard_segment_end":
		delete(f.live, uint32(f.value(0).N))
		return nil
	case program.Own(t.Func.Func):
		return nil
	}
	if slot := newTypeParam(t); slot >= 0 {
		e, err := f.construct()
		if err != nil {
			return err
		}
		if v := f.value(slot); v != nil && v.Kind == archive.Ref {
			f.types[v.N] = e
		}
		return nil
	}
	return f.measure()
}

// sees notes what a call uses outside of a block.
func (f *follower) sees(v *archive.Value, e extent) {
	if !e.placed {
		return // that is measured for all calls at once
	}
	near, far := outside(v, e)
	b := f.live[v.Seg]
	switch {
	case v.Mem == archive.Heap && b != nil && b.ours:
		if near.low < 0 || near.high > b.size || len(far) > 0 {
			f.g.reachOf(f.c, b.t, f.rank, b.call).add(near, far, b.size)
		}
		return
	case v.Mem == archive.Heap && (b != nil || f.g.segment(v).made):
		if near.low < 0 || len(far) > 0 || b != nil && near.high > b.size {
			f.g.noteOnce("a datatype leads out of memory that MPI allocated, to what is not there in this program")
		}
		return
	}
	s := f.g.segment(v)
	if near.low < 0 && v.Mem == archive.Heap || len(far) > 0 {
		if s.reach == nil {
			s.reach = &reach{}
		}
		s.reach.add(span{min(near.low, 0), 0}, far, 0)
	}
	f.g.touch(f.rank, v, e)
}

// reachOf is the reach of a block, new if there is none.
func (g *generator) reachOf(c *class, t *terminal, rank, call int) *reach {
	k := termKey{c.index, t.id}
	x := g.reaches[k]
	if x == nil {
		x = &reaches{c: c, t: t, byRank: map[int]map[int]*reach{}}
		g.reaches[k] = x
	}
	if x.byRank[rank] == nil {
		x.byRank[rank] = map[int]*reach{}
	}
	if x.byRank[rank][call] == nil {
		x.byRank[rank][call] = &reach{}
	}
	return x.byRank[rank][call]
}
