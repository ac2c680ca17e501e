package bundle

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/tabard-hpc/tabard/spec"
)

// role is what a number of a call says about a message. Numbers of one role predict each other.
type role uint8

const (
	roleOther   role = iota
	rolePeer         // dest, source, the source of a status
	roleTag          // a tag, also of a status
	roleSize         // a count of elements, the bytes of a status
	roleRequest      // a request that the call is given or makes
	roleComm         // the communicator
	roleIndex        // which of several requests was completed
	numRoles
)

// step is a value of a call, or the elements of an array, in the order in which they are coded:
// what says which message it is comes before what follows from that.
type step struct {
	slot, field int // -1 for lengths of runs of polls, and of arrays
	place       int // of its column from the first one of the terminal, -1 for values in the signature
	role        role
	sends       bool // it is about the message that the call sends
	made        bool // a request that the call makes
	array       bool // of elements, not their number
	phase       uint8
	vector      *vectorSlot // with the model Vectors only
}

// call is what a terminal's calls do to messages.
type call struct {
	steps    []step
	sends    bool // it has a destination
	receives bool // it receives a message, or begins to
	probes   bool
	makes    bool // a request
	finishes bool // requests, with statuses
	reads    bool // a status that another call returned
	syncs    bool // all processes of a communicator
	polls    bool // in vain
	// With the model Vectors, of calls that others join or that tell of communicators: said are the
	// slots that others may have to know.
	collective *collective
	said       []int
}

// Phases of steps.
const (
	phaseFirst = iota // lengths, requests, and all that has no role
	phasePeer
	phaseTag
	phaseSize
	phaseMade // requests, whose numbers follow from the peer
	phaseCount
	phaseDispl // displacements, which follow from the counts
)

// function is what is the same in all calls of a function.
type function struct {
	roles []role // by slot
	sends []bool // by slot
	call
}

// functions are the functions, made at the first use.
var functions sync.Map // of *function by spec.ID

func functionOf(id spec.ID) *function {
	if f, ok := functions.Load(id); ok {
		return f.(*function)
	}
	f := spec.ByID(id)
	j := &function{roles: make([]role, len(f.Slots)), sends: make([]bool, len(f.Slots))}
	status, used := false, false
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Param < 0 {
			continue
		}
		p := &f.Params[s.Param]
		switch {
		case s.Codec == spec.Status:
			status = status || s.Out
			j.reads = j.reads || !s.Out
		case s.Class == spec.Comm && !s.Out && !s.Array:
			j.roles[i] = roleComm
		case s.Class == spec.Request && s.Out && (s.Life == spec.New || s.Life == spec.NewIfDerived):
			j.roles[i] = roleRequest
			j.makes = true
		case s.Class == spec.Request && !s.Out:
			j.roles[i] = roleRequest
			used = true
		case p.Kind == "INDEX" && s.Out:
			j.roles[i] = roleIndex
		case s.Codec != spec.Int || s.Array:
		case p.Name == "dest":
			j.roles[i], j.call.sends = rolePeer, true
		case p.Name == "source":
			j.roles[i], j.receives = rolePeer, true
		case p.Kind == "TAG":
			j.roles[i] = roleTag
		case strings.Contains(p.Kind, "XFER_NUM_ELEM"):
			j.roles[i] = roleSize
		}
	}
	j.syncs = f.Has(spec.Collective)
	j.finishes = used && status
	j.receives = j.receives || status && !used && strings.Contains(f.Name, "recv")
	j.probes = strings.Contains(f.Name, "probe")
	for i := range f.Slots {
		if f.Slots[i].Param < 0 {
			continue
		}
		name := f.Params[f.Slots[i].Param].Name
		j.sends[i] = name == "dest" || strings.HasPrefix(name, "send") ||
			j.call.sends && f.Slots[i].Codec != spec.Status && name != "source" && !strings.HasPrefix(name, "recv")
	}
	x, _ := functions.LoadOrStore(id, j)
	return x.(*function)
}

// callOf lists the steps of a terminal.
func callOf(t *Terminal, model Model) call {
	f, j := spec.ByID(t.Func), functionOf(t.Func)
	c := j.call
	if model == Vectors {
		if x := collectiveOf(t.Func); x.on >= 0 {
			c.collective = x
		}
	}
	place := 0
	if c.polls = t.Polls; c.polls {
		c.steps = append(c.steps, step{slot: -1, place: place})
		place++
	}
	for i := range f.Slots {
		s := &f.Slots[i]
		switch t.Slots.Form(i) {
		case Absent:
		case InColumns:
			if s.Array {
				c.steps = append(c.steps, step{slot: i, field: -1, place: place})
				place++
			}
			for field := range s.Fields() {
				c.steps = append(c.steps, j.step(s, i, field, place))
				place++
			}
		case Fixed:
			if j.roles[i] == roleOther && (c.collective == nil || c.collective.slots[i].kind == vectorNone ||
				c.collective.slots[i].kind == vectorDispl) {
				continue // nothing to be learned from it
			}
			fallthrough
		case FixedStatus:
			for field := range s.Fields() {
				c.steps = append(c.steps, j.step(s, i, field, -1))
			}
		}
	}
	c.withVectors(t)
	slices.SortStableFunc(c.steps, func(x, y step) int { return cmp.Compare(x.phase, y.phase) })
	return c
}

// withVectors tells the steps of a collective what is known of them.
func (c *call) withVectors(t *Terminal) {
	if c.collective == nil {
		return
	}
	for i := range c.steps {
		st := &c.steps[i]
		if st.slot < 0 || st.field < 0 || c.collective.slots[st.slot].kind == vectorNone {
			continue
		}
		st.vector = &c.collective.slots[st.slot]
		switch st.vector.kind {
		case vectorCount, vectorEqual:
			st.phase = max(st.phase, phaseCount)
		case vectorDispl:
			st.phase = phaseDispl
		}
		if st.vector.kind > vectorNoted && (c.collective.keeps || t.Slots.Form(st.slot) == InColumns) {
			c.said = append(c.said, st.slot)
		}
	}
}

// step is a step of a slot's field.
func (j *function) step(s *spec.Slot, slot, field, place int) step {
	st := step{slot: slot, field: field, place: place, role: j.roles[slot], sends: j.sends[slot], array: s.Array}
	if s.Codec == spec.Status {
		st.role = [...]role{rolePeer, roleTag, roleSize, roleOther}[field]
	}
	st.made = st.role == roleRequest && s.Out
	switch st.role {
	case rolePeer:
		st.phase = phasePeer
	case roleTag:
		st.phase = phaseTag
	case roleSize:
		st.phase = phaseSize
	case roleRequest:
		if st.made {
			st.phase = phaseMade
		}
	}
	return st
}
