package cgen

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/spec"
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
	rules   [][]archive.Symbol
	wanted  []bool // by terminal
	used    []bool // by rule: it has such terminals
	made    []int  // by terminal: how many calls were made
	places  map[columnKey]int
	columns map[columnKey][]int64
	live    map[uint32]*heapBlock
	budget  *int
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
		gr, err := c.Stream(rank).Grammar()
		if err != nil {
			return err
		}
		f := &follower{rules: gr.Rules, made: make([]int, len(c.terms)), places: map[columnKey]int{},
			columns: map[columnKey][]int64{},
			live:    map[uint32]*heapBlock{}, budget: &budget}
		f.usage = usage{g: g, c: c, rank: rank, types: map[int64]extent{}, see: f.sees}
		f.choose(gr)
		if err := f.rule(0); err != nil {
			return err
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

// choose finds the terminals that have to do with it, and the rules that have them.
func (f *follower) choose(g *archive.Grammar) {
	f.wanted = make([]bool, len(f.c.terms))
	for i, t := range f.c.terms {
		f.wanted[i] = t.Func.Func.Own() || newTypeParam(t) >= 0 || usesDatatype(t)
	}
	f.used = program.RulesWith(g, func(t uint32) bool { return f.wanted[t] })
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

func (f *follower) rule(rule int) error {
	for _, s := range f.rules[rule] {
		id := int(s.ID &^ archive.RuleBit)
		isRule := s.ID&archive.RuleBit != 0
		if isRule && !f.used[id] || !isRule && !f.wanted[id] {
			continue
		}
		for range s.Count {
			if *f.budget--; *f.budget < 0 {
				return nil
			}
			var err error
			if isRule {
				err = f.rule(id)
			} else {
				err = f.call(f.c.terms[id])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// call makes a call.
func (f *follower) call(t *terminal) error {
	sig, err := f.c.Stream(f.rank).Signature(t.id)
	if err != nil {
		return err
	}
	if sig, err = f.filled(t, sig); err != nil {
		return err
	}
	k := f.made[t.id]
	f.made[t.id]++
	f.t, f.sig = t, sig
	switch {
	case t.Name == "tabard_segment":
		f.live[uint32(f.value(0).N)] = &heapBlock{t, k, f.value(2).N, f.value(1).N != madeByMPI}
		return nil
	case t.Name == "tabard_segment_end":
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

// filled is a signature with the values that the next call with it has in columns.
func (f *follower) filled(t *terminal, sig *archive.Signature) (*archive.Signature, error) {
	specs := sig.Columns()
	if len(specs) == 0 {
		return sig, nil
	}
	out := *sig
	out.Slots = append([]archive.Value(nil), sig.Slots...)
	n := 1
	for _, s := range specs {
		if s.Slot < 0 || s.Field > 0 {
			continue
		}
		slot := &t.Func.Slots[s.Slot]
		words, err := f.words(columnKey{f.c.index, t.id, s.Slot, s.Field}, n, s.Field < 0 || !s.Array)
		if err != nil {
			return nil, err
		}
		if s.Field < 0 {
			n = int(words[0])
			continue
		}
		out.Slots[s.Slot] = valueOf(slot, words, s.Array)
		n = 1
	}
	return &out, nil
}

// words are the next values of a column: one, or the elements of an array.
func (f *follower) words(k columnKey, n int, one bool) ([]int64, error) {
	vals, ok := f.columns[k]
	if !ok {
		var err error
		if vals, err = f.g.columnValues(f.c, k.term, k.slot, k.field, f.rank); err != nil {
			return nil, err
		}
		f.columns[k] = vals
	}
	if one {
		n = 1
	}
	at := min(f.places[k], len(vals))
	n = max(0, min(n, len(vals)-at)) // more only if the recording is damaged
	f.places[k] = at + n
	if one && n == 0 {
		return []int64{0}, nil
	}
	return vals[at : at+n], nil
}

// valueOf makes a value of its words in columns.
func valueOf(slot *spec.Slot, words []int64, array bool) archive.Value {
	var list []archive.Value
	for _, w := range words {
		var v archive.Value
		switch slot.Codec {
		case spec.Int:
			v = archive.Value{Kind: archive.Int, N: w}
		case spec.Handle:
			v = archive.Value{Kind: archive.Ref, Class: slot.Class, N: w}
		case spec.Address, spec.Displacement:
			v = archive.AddressOf(w)
		default:
			return archive.Value{Kind: archive.Hole}
		}
		list = append(list, v)
	}
	switch {
	case !array:
		return list[0]
	case slot.Codec == spec.Int:
		return archive.Value{Kind: archive.Ints, Ints: words}
	}
	return archive.Value{Kind: archive.List, List: list}
}
