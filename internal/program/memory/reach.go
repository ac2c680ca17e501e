package memory

import (
	"errors"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
)

// Programs compute displacements in datatypes from addresses. Such a displacement may lead from the
// block of memory of a buffer to another block, which lies elsewhere in the proxy. What lies there
// does not matter, as long as there is memory. A block that a datatype leads out of gets memory at
// the recorded distances, so that displacements stay numbers of the recording. The calls are
// followed one by one to find these blocks: numbers of blocks and datatypes are used again and
// again, and what one call uses of them says nothing about the next one.

// A Reach is what datatypes use around a block: so many bytes before and behind it, and places far
// away.
type Reach struct {
	Before, Behind int64
	Far            []Span
}

// add widens a reach by what calls use of a block of some size.
func (x *Reach) add(near Span, far []Span, size int64) {
	x.Before, x.Behind = max(x.Before, -near.Low), max(x.Behind, near.High-size)
	x.Far = joined(append(x.Far, far...), farGap)
}

// Reaches are those of the blocks that the calls with a terminal allocate: by rank and number of
// the call.
type Reaches struct {
	// Calls is how many calls there are, of the ranks that were followed to the end.
	Calls  map[int]int
	ByRank map[int]map[int]*Reach
}

// At is the reach of block k of a rank, nil if there is none.
func (x *Reaches) At(rank, k int) *Reach { return x.ByRank[rank][k] }

// Around tells whether memory has to be reserved around the blocks: a few more bytes behind a block
// are simply allocated with it.
func (x *Reaches) Around() bool {
	for _, calls := range x.ByRank {
		for _, r := range calls {
			if r.Before > 0 || len(r.Far) > 0 || r.Behind > Believable {
				return true
			}
		}
	}
	return false
}

// Believable bounds what is concluded from datatypes about the size of a block that a record has
// another size of.
const Believable = 1 << 24

// LargeBlock is the size from which a block of memory that is there all the time is allocated.
const LargeBlock = 1 << 26

// outside is where the bytes of e relative to an address are: near the begin of its segment, and
// far away.
func outside(v *archive.Value, e extent) (near Span, far []Span) {
	at := Offset(v)
	for _, s := range e.far {
		far = append(far, s.move(at))
	}
	return Span{at + min(e.Low, 0), at + max(e.High, 1)}, far
}

// leaves tells whether the bytes of a datatype relative to an address may be outside of the block,
// as far as that can be told without a look at each call.
func (m *Memory) leaves(v *archive.Value, e extent) bool {
	near, far := outside(v, e)
	switch {
	case len(far) > 0:
		return true
	case v.Mem == archive.Heap:
		r := m.Records[int64(v.Seg)]
		return near.Low < 0 || r != nil && near.High > r.Least
	}
	return near.High-near.Low > LargeBlock
}

// mostFollowed is how many calls of a class are followed.
const mostFollowed = 1 << 24

// A follower makes the calls of a stream one by one, as far as memory and datatypes are concerned.
type follower struct {
	usage
	made []int // by terminal: how many calls were made
	live map[uint32]*heapBlock
	lost bool // a datatype leads out of memory that is where the library puts it
}

var errLost = errors.New("a datatype leads out of memory that the MPI library allocates, to what is elsewhere in " +
	"another program: tabard replay makes these calls")

// A heapBlock is a segment of the heap while it exists.
type heapBlock struct {
	t    *terminal
	call int
	size int64
	ours bool
}

// follow finds what datatypes of a class use around the blocks of memory that they are used with.
func (m *Memory) follow(c *class) error {
	budget := mostFollowed
	made := map[uint32]map[int]int{}
	for i := range min(c.Ranks().Len(), MostRanks) {
		rank := c.Ranks().At(i)
		f := &follower{made: make([]int, len(c.terms)), live: map[uint32]*heapBlock{}}
		f.usage = usage{m: m, c: c, rank: rank, types: map[int64]extent{}, see: f.sees}
		for call, err := range archive.Only(c.Stream(rank), func(t uint32) bool {
			return c.concernsMemory(c.terms[t])
		}) {
			if err == nil {
				err = f.call(call)
			}
			if err == nil && f.lost {
				err = errLost
			}
			if err != nil {
				return err
			}
			if budget--; budget < 0 {
				break
			}
		}
		if budget < 0 {
			m.note("datatypes may lead out of blocks of memory after the first calls, which alone were looked " +
				"at for that")
			break
		}
		for t, n := range f.made {
			if c.terms[t].Name == SegmentBegin {
				if made[uint32(t)] == nil {
					made[uint32(t)] = map[int]int{}
				}
				made[uint32(t)][rank] = n
			}
		}
	}
	for k, x := range m.Reaches {
		if k.Class == c.Index {
			x.Calls = made[k.Terminal]
		}
	}
	return nil
}

// concernsMemory tells whether a call makes memory or a datatype, or may use memory beyond a block.
func (c *class) concernsMemory(t *terminal) bool {
	return t.Func.Func.Own() || newTypeParam(t) >= 0 || c.usesDatatype(t)
}

// usesDatatype tells whether a call uses memory by a datatype of the program, or at displacements.
func (c *class) usesDatatype(t *terminal) bool {
	for i := range t.Params {
		p := &t.Params[i]
		if p.Role != program.Buffer || p.BufType < 0 {
			continue
		}
		if p.BufDispls >= 0 {
			return true
		}
		slot := t.Params[p.BufType].Before
		if slot < 0 {
			continue
		}
		v := &t.tm.Slots[slot]
		if v.Kind != archive.Ref || program.IsObject(v.N) || len(c.data.Params[t.id]) > 0 {
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
	case t.Name == SegmentBegin:
		f.live[uint32(f.value(0).N)] = &heapBlock{t, k, f.value(2).N, f.value(1).N != MadeByMPI}
		return nil
	case t.Name == SegmentEnd:
		delete(f.live, uint32(f.value(0).N))
		return nil
	case t.Func.Func.Own():
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
		if near.Low < 0 || near.High > b.size || len(far) > 0 {
			f.m.reachOf(f.c, b.t, f.rank, b.call).add(near, far, b.size)
		}
		return
	case v.Mem == archive.Heap && (b != nil || f.m.Segment(v).Made):
		if near.Low < 0 || len(far) > 0 || b != nil && near.High > b.size {
			f.lost = true
		}
		return
	}
	s := f.m.Segment(v)
	if near.Low < 0 && v.Mem == archive.Heap || len(far) > 0 {
		if s.Reach == nil {
			s.Reach = &Reach{}
		}
		s.Reach.add(Span{min(near.Low, 0), 0}, far, 0)
	}
	f.m.touch(f.rank, v, e)
}

// reachOf is the reach of a block, new if there is none.
func (m *Memory) reachOf(c *class, t *terminal, rank, call int) *Reach {
	k := Terminal{c.Index, t.id}
	x := m.Reaches[k]
	if x == nil {
		x = &Reaches{ByRank: map[int]map[int]*Reach{}}
		m.Reaches[k] = x
	}
	if x.ByRank[rank] == nil {
		x.ByRank[rank] = map[int]*Reach{}
	}
	if x.ByRank[rank][call] == nil {
		x.ByRank[rank][call] = &Reach{}
	}
	return x.ByRank[rank][call]
}
