package bundle

import (
	"slices"
	"sync"

	"github.com/tabard-hpc/tabard/spec"
)

// Collectives with an amount for each process say most things twice: what one process sends is what
// another receives, displacements are sums of counts, and what all have to know all of them say.

// vectorKind is what a slot of a collective is to the guesses of Vectors.
type vectorKind uint8

const (
	vectorNone  vectorKind = iota
	vectorNoted            // no guesses, but others need it
	vectorCount            // an amount, or one for each process
	vectorDispl            // where each one's begins
	vectorEqual            // all processes say the same
)

// vectorSlot is what is known of a slot of a collective.
type vectorSlot struct {
	kind vectorKind
	// Of displacements: the slots of the counts and of the types.
	counts, types int
	// twin is a slot before it that may hold the same array, -1 if there is none.
	twin int
	// pairs is set if there is a number for each pair of processes; received tells its side.
	pairs, received bool
	// shared is where all processes find the number otherwise, -1 if they do not know it. A number
	// that is no array is that of the process itself.
	shared int
}

// collective is what is the same in all calls of a function that processes make together, or that
// tells about communicators.
type collective struct {
	slots                 []vectorSlot
	on, made, color, rank int // slots, -1 if there is none
	meets                 bool
	keeps                 bool // also what is the same in all calls of a terminal
	keepsRank             bool // the new communicator has the ranks of the old one
}

var collectives sync.Map // of *collective by spec.ID

func collectiveOf(id spec.ID) *collective {
	if c, ok := collectives.Load(id); ok {
		return c.(*collective)
	}
	c, _ := collectives.LoadOrStore(id, newCollective(spec.ByID(id)))
	return c.(*collective)
}

func newCollective(f *spec.Func) *collective {
	c := &collective{slots: make([]vectorSlot, len(f.Slots)), on: f.Slot(spec.RoleOn), made: -1, color: -1, rank: -1}
	if c.on < 0 || f.Slots[c.on].Class != spec.Comm || f.Slots[c.on].Array {
		c.on = -1
		return c
	}
	c.meets = f.Has(spec.Collective)
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Param < 0 {
			continue
		}
		switch kind := f.Params[s.Param].Kind; {
		case s.Class == spec.Comm && s.Out && !s.Array && c.meets:
			c.made = i
		case kind == "COLOR" && f.Op == spec.OpCommSplit:
			c.color = i
		case s.Out && kind == "RANK" && f.Op == spec.OpCommRank:
			c.rank = i
		}
	}
	c.keepsRank = f.Op == spec.OpCommDup || f.Op == spec.OpCommCart
	if c.meets || c.rank >= 0 {
		for _, i := range []int{c.on, c.made, c.color, c.rank} {
			if i >= 0 {
				c.slots[i].kind = vectorNoted
			}
		}
	}
	if c.meets && f.Op == spec.OpCollective {
		c.amounts(f)
	}
	return c
}

// amounts describes the slots of a collective that moves data.
func (c *collective) amounts(f *spec.Func) {
	counts := []int{f.Slot(spec.RoleSendCount), f.Slot(spec.RoleRecvCount)}
	if i := f.Slot(spec.RoleRoot); i >= 0 {
		c.slots[i] = vectorSlot{kind: vectorEqual, shared: i}
	}
	if f.Vector == spec.VectorNone {
		for _, i := range counts {
			if i >= 0 && !f.Slots[i].Array {
				c.slots[i] = vectorSlot{kind: vectorEqual, shared: i}
			}
		}
		return
	}
	c.keeps = true
	pairs := f.Flow == spec.FlowToAll && f.Data == spec.DataParts
	twin := -1
	for side, i := range counts {
		if i < 0 {
			continue
		}
		v := vectorSlot{kind: vectorCount, twin: twin, pairs: pairs, received: side == 1, shared: len(f.Slots)}
		if f.Flow == spec.FlowNeighbors {
			v.shared = -1
		}
		c.slots[i] = v
		twin = i
	}
	twin = -1
	for i := range f.Params {
		p := &f.Params[i]
		if p.BufCount < 0 || p.BufDispls < 0 {
			continue
		}
		at := func(param int8) int {
			return slices.IndexFunc(f.Slots, func(s spec.Slot) bool { return s.Param == int(param) && !s.Out })
		}
		d, types := at(p.BufDispls), -1
		if d < 0 || f.Slots[d].Codec != spec.Int {
			continue
		}
		if p.BufType >= 0 {
			if types = at(p.BufType); types >= 0 {
				c.slots[types].kind = vectorNoted
			}
		}
		c.slots[d] = vectorSlot{kind: vectorDispl, counts: at(p.BufCount), types: types, twin: twin}
		twin = d
	}
}

// Vector tells whether the model Vectors has guesses of its own for a slot.
func Vector(fn spec.ID, slot int) bool {
	return slot >= 0 && collectiveOf(fn).slots[slot].kind > vectorNoted
}
