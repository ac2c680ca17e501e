package program

import (
	"slices"

	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// Outcome says in which way the result of a call may come out otherwise when it is made again.
type Outcome uint8

// Outcomes.
const (
	// Determined calls come out as the program and the messages make them.
	Determined Outcome = iota
	// FromAny receives or probes, perhaps from any source or with any tag: see Outcomes.Source and
	// Tag.
	FromAny
	// OnePoll asks whether one thing, or all of several, has happened.
	OnePoll
	// ProbePoll asks for a message, perhaps from any source or with any tag.
	ProbePoll
	// OneOf completes one of several requests.
	OneOf
	// SomeOf completes some of several requests.
	SomeOf
)

// Outcomes is which values of a function tell what happened. Slots are -1 if there are none.
type Outcomes struct {
	Kind Outcome
	// Source and Tag are the parameters of FromAny and ProbePoll that may be wildcards.
	Source, Tag int
	// Status is the slot of the status that says who it was; -1 for receives that complete later.
	Status int
	// Flag is the slot that says whether a poll succeeded. Of SomeOf polls it is the number of
	// completed ones: 0 is no success.
	Flag int
	// Index is the slot of the index of OneOf, the indices of SomeOf.
	Index int
	// Request is the parameter that returns the request of a FromAny that completes later, or the
	// requests that the others look at; -1 for none.
	Request int
}

var outcomes = make(map[spec.ID]*Outcomes) // set with funcs

// OutcomesOf says how calls of a function may come out otherwise; nil if they cannot.
func OutcomesOf(id spec.ID) *Outcomes { return outcomes[id] }

// outcomeKinds are outcomes as the table of functions has them.
var outcomeKinds = map[spec.Outcome]Outcome{
	spec.OutcomeFromAny: FromAny, spec.OutcomeOnePoll: OnePoll, spec.OutcomeProbePoll: ProbePoll,
	spec.OutcomeOneOf: OneOf, spec.OutcomeSomeOf: SomeOf,
}

func newOutcomes(f *Func) *Outcomes {
	o := &Outcomes{Kind: outcomeKinds[f.Outcome], Source: -1, Tag: -1, Status: f.Slot(spec.RoleStatus), Flag: f.Flag,
		Index: f.Slot(spec.RoleIndex), Request: -1}
	if o.Kind == SomeOf && f.Has(spec.Poll) {
		o.Flag = f.Slot(spec.RoleCompleted)
	}
	for i := range f.Params {
		p := &f.Params[i]
		switch {
		case p.Role == Number && slices.Contains(p.Sentinels, mpi.AnySource):
			o.Source = i
		case p.Role == Number && slices.Contains(p.Sentinels, mpi.AnyTag):
			o.Tag = i
		case p.Class == spec.Request && p.Codec == spec.Handle:
			o.Request = i
		}
	}
	return o
}
