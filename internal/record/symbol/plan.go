package symbol

import (
	"slices"
	"sync"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// route is how a function's calls are made symbolic.
type route uint8

const (
	// general: every value is looked at in every call. For calls that create or
	// end objects other than requests.
	general route = iota
	// plain: values and handles that stay what they are. A repeated
	// call is recognised by its raw words.
	plain
	// creates: plain, and one new request.
	creates
	// uses: requests, and plain values. Recognised by its words with the
	// requests' numbers in place of handles.
	uses
)

// completion says which of the requests of a completion call are complete.
type completion uint8

const (
	completesNone  completion = iota
	completesAll              // on success
	completesFlag             // all if the flag is set
	completesIndex            // the one at the index
	completesSome             // those at the indices
)

// plan is what this package wants to know of a function.
type plan struct {
	f     *spec.Func
	route route
	// fixed: the entry part of a record has no arrays and no strings, so its length
	// follows from the absent mask.
	fixed bool
	// request is the entry slot with the requests, -1 if none.
	request int
	// created is the return slot with the new request, -1 if none.
	created int
	how     completion
	// flag is the return slot of a poll that says whether anything happened, -1 if the
	// function is no poll; index and indices are the return slots for
	// completesIndex and completesSome.
	flag, index int
	// statusIndex is the return slot that says which requests the statuses belong to, -1 if
	// there is one status for each request in turn.
	statusIndex int
	// after is the return slot with the requests after a failed call, -1 if none.
	after int
	// persistent: the request outlives its completion.
	persistent bool
	// freesRequest: MPI_Request_free.
	freesRequest bool
	// status is the return slot with the status or statuses, -1 if none; statusMask has the bit of
	// its parameter.
	status     int
	statusMask uint32
	// source and tag are the words of the entry part that may be wildcards, -1 if none; they count
	// only if no parameter known on entry is absent.
	source, tag int
	// entryColumns: some values known on entry go to columns (statuses).
	entryColumns bool
	inWidth      []uint8 // words of each entry slot, when fixed
	inAt         []int   // where they begin if no parameter is absent
	inWords      int     // their sum
	inMask       uint32  // parameters with entry slots
}

var plans = sync.OnceValue(func() []*plan {
	fs := spec.Functions()
	var ps []*plan
	for _, f := range fs {
		for int(f.ID) >= len(ps) {
			ps = append(ps, nil)
		}
		ps[f.ID] = newPlan(f)
	}
	return ps
})

func (p *Process) planOf(id spec.ID) *plan {
	if int(id) >= len(p.plans) {
		return nil
	}
	return p.plans[id]
}

func newPlan(f *spec.Func) *plan {
	p := &plan{
		f:           f,
		fixed:       true,
		request:     -1,
		created:     -1,
		flag:        -1,
		index:       -1,
		statusIndex: -1,
		after:       -1,
		status:      -1,
		source:      -1,
		tag:         -1,
	}
	p.persistent = f.Has(spec.PersistentInit)
	p.statusMask = ring.StatusMask(f)
	p.route = plain
	for i := range f.Slots {
		p.slot(i, &f.Slots[i])
	}
	switch {
	case p.route == general:
	case p.request >= 0 && p.created >= 0:
		p.route = general
	case p.request >= 0:
		p.route = uses
	case p.created >= 0:
		p.route = creates
	}
	if f.Has(spec.Completion) {
		p.how = howCompletes(f)
	}
	if f.Has(spec.Poll) {
		p.flag = returnSlot(f, "flag")
		if p.flag < 0 {
			p.flag = returnSlot(f, "outcount")
		}
	}
	if p.how == completesIndex {
		p.index = returnSlot(f, "index")
		if p.index < 0 {
			p.index = returnSlot(f, "indx")
		}
	}
	if p.how == completesSome {
		p.index = returnSlot(f, "array_of_indices")
	}
	for _, name := range []string{"index", "indx", "array_of_indices"} {
		if i := returnSlot(f, name); i >= 0 {
			p.statusIndex = i
		}
	}
	return p
}

// slot takes slot i into account.
func (p *plan) slot(i int, s *spec.Slot) {
	variable := s.Array || s.Codec == spec.String || s.Codec == spec.StringArray || s.Codec == spec.StringArray2
	if !s.Out {
		if variable {
			p.fixed = false
		}
		n := uint8(1)
		if s.Codec == spec.Status {
			n = 3
		}
		if s.Param >= 0 && slices.Contains(p.f.Params[s.Param].Sentinels, mpi.AnySource) {
			p.source = p.inWords
		}
		if s.Param >= 0 && slices.Contains(p.f.Params[s.Param].Sentinels, mpi.AnyTag) {
			p.tag = p.inWords
		}
		p.inWidth = append(p.inWidth, n)
		p.inAt = append(p.inAt, p.inWords)
		p.inWords += int(n)
		p.inMask |= 1 << uint(s.Param)
		p.entryColumns = p.entryColumns || s.Column
	}
	if s.Codec == spec.Status && s.Out {
		p.status = i
	}
	if s.Codec != spec.Handle {
		return
	}
	switch {
	case s.Class == spec.Request && s.Out && s.OnError:
		p.after = i
	case s.Class == spec.Request && s.Out && s.Life == spec.New && !s.Array && p.created < 0:
		p.created = i
	case s.Class == spec.Request && !s.Out && p.request < 0:
		p.request = i
		p.freesRequest = s.Life == spec.Free
	case s.Class == spec.Request || s.Class == spec.Message:
		p.route = general
	case s.Life != spec.Use:
		p.route = general
	}
}

func returnSlot(f *spec.Func, name string) int {
	for i := f.NumIn; i < len(f.Slots); i++ {
		if s := &f.Slots[i]; s.Param >= 0 && f.Params[s.Param].Name == name {
			return i
		}
	}
	return -1
}

func howCompletes(f *spec.Func) completion {
	switch {
	case f.Op != spec.OpComplete:
		return completesNone
	case f.Which == spec.WhichAny:
		return completesIndex
	case f.Which == spec.WhichSome:
		return completesSome
	case f.Has(spec.Poll):
		return completesFlag
	}
	return completesAll
}

// whole tells that each entry slot is where inAt says.
func (p *plan) whole(absent uint32) bool { return p.fixed && absent&p.inMask == 0 }

// entryWords is the length of the entry part when it is fixed.
func (p *plan) entryWords(absent uint32) int {
	if absent&p.inMask == 0 {
		return p.inWords
	}
	n := 0
	for i, w := range p.inWidth {
		if absent>>uint(p.f.Slots[i].Param)&1 == 0 {
			n += int(w)
		}
	}
	return n
}
