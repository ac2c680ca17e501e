package trace

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"tabard/spec"
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

// jointStep is a value of a call, or the elements of an array, in the order in which they are coded: what says which
// message it is comes before what follows from that.
type jointStep struct {
	slot, field int // as in ColumnSpec
	place       int // of its column from the first one of the terminal, -1 for values in the signature
	role        role
	sends       bool // it is about the message that the call sends
	made        bool // a request that the call makes
	array       bool // of elements, not their number
	phase       uint8
}

// jointCall is what a terminal's calls do to messages.
type jointCall struct {
	steps    []jointStep
	sends    bool // it has a destination
	receives bool // it receives a message, or begins to
	probes   bool
	makes    bool // a request
	finishes bool // requests, with statuses
	reads    bool // a status that another call returned
	syncs    bool // all processes of a communicator
	polls    bool // in vain
}

// Phases of steps.
const (
	phaseFirst = iota // lengths, requests, and all that has no role
	phasePeer
	phaseTag
	phaseSize
	phaseMade // requests, whose numbers follow from the peer
)

// jointFunc is what is the same in all calls of a function.
type jointFunc struct {
	roles []role // by slot
	sends []bool // by slot
	jointCall
}

// jointFuncs are the functions, made at the first use.
var jointFuncs sync.Map // of *jointFunc by spec.ID

func jointFuncOf(id spec.ID) *jointFunc {
	if f, ok := jointFuncs.Load(id); ok {
		return f.(*jointFunc)
	}
	f := spec.ByID(id)
	j := &jointFunc{roles: make([]role, len(f.Slots)), sends: make([]bool, len(f.Slots))}
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
			j.roles[i], j.jointCall.sends = rolePeer, true
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
			j.jointCall.sends && f.Slots[i].Codec != spec.Status && name != "source" && !strings.HasPrefix(name, "recv")
	}
	x, _ := jointFuncs.LoadOrStore(id, j)
	return x.(*jointFunc)
}

// jointCallOf lists the steps of a terminal.
func jointCallOf(sig *Signature) jointCall {
	f, j := spec.ByID(sig.Func), jointFuncOf(sig.Func)
	c := j.jointCall
	place := 0
	if c.polls = sig.Flags&Polls != 0; c.polls {
		c.steps = append(c.steps, jointStep{slot: -1, place: place})
		place++
	}
	for i := range sig.Slots {
		s, v := &f.Slots[i], &sig.Slots[i]
		if v.Kind == Absent {
			continue
		}
		if v.Kind != Hole {
			if j.roles[i] == roleOther && v.Kind != Stat && !(v.Kind == List && s.Codec == spec.Status) {
				continue // nothing to be learned from it
			}
			for field := range FieldsOf(s) {
				c.steps = append(c.steps, j.step(s, i, field, -1))
			}
			continue
		}
		if s.Array {
			c.steps = append(c.steps, jointStep{slot: i, field: -1, place: place})
			place++
		}
		for field := range FieldsOf(s) {
			c.steps = append(c.steps, j.step(s, i, field, place))
			place++
		}
	}
	slices.SortStableFunc(c.steps, func(x, y jointStep) int { return cmp.Compare(x.phase, y.phase) })
	return c
}

// step is a step of a slot's field.
func (j *jointFunc) step(s *spec.Slot, slot, field, place int) jointStep {
	st := jointStep{slot: slot, field: field, place: place, role: j.roles[slot], sends: j.sends[slot], array: s.Array}
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
