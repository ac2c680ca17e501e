package rerun

import (
	"strings"

	"tabard/spec"
)

// Outcome says in which way the result of a call may come out otherwise when it is made again.
type Outcome uint8

// Outcomes.
const (
	// Determined calls come out as the program and the messages make them.
	Determined Outcome = iota
	// FromAny receives or probes, perhaps from any source or with any tag: see Outcomes.Source and Tag.
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
	// Flag is the slot that says whether a poll succeeded. Of SomeOf polls it is the number of completed ones: 0 is no success.
	Flag int
	// Index is the slot of the index of OneOf, the indices of SomeOf.
	Index int
	// Request is the parameter that returns the request of a FromAny that completes later, or the requests that the
	// others look at; -1 for none.
	Request int
}

var outcomes = make(map[spec.ID]*Outcomes) // set with funcs

// OutcomesOf says how calls of a function may come out otherwise; nil if they cannot.
func OutcomesOf(id spec.ID) *Outcomes { return outcomes[id] }

// outcomeKinds are functions by what is undetermined; receives follow from their parameters.
var outcomeKinds = map[string]Outcome{
	"MPI_Test": OnePoll, "MPI_Testall": OnePoll, "MPI_Request_get_status": OnePoll, "MPI_Request_get_status_all": OnePoll, "MPI_Win_test": OnePoll, "MPI_Parrived": OnePoll,
	"MPI_Iprobe": ProbePoll, "MPI_Improbe": ProbePoll,
	"MPI_Waitany": OneOf, "MPI_Testany": OneOf, "MPI_Request_get_status_any": OneOf,
	"MPI_Waitsome": SomeOf, "MPI_Testsome": SomeOf, "MPI_Request_get_status_some": SomeOf,
}

func newOutcomes(f *Func) *Outcomes {
	o := &Outcomes{Kind: outcomeKinds[f.Name], Source: -1, Tag: -1, Status: -1, Flag: f.Flag, Index: -1, Request: -1}
	for i := range f.Params {
		p := &f.Params[i]
		wild := func(name string) bool {
			for _, s := range p.Sentinels {
				if s == name {
					return true
				}
			}
			return false
		}
		switch {
		case p.Role == Number && wild("MPI_ANY_SOURCE"):
			o.Source = i
		case p.Role == Number && wild("MPI_ANY_TAG"):
			o.Tag = i
		case p.Role == StatusOut || p.Role == StatusesOut:
			o.Status = p.After
		case p.Role == NumbersOut && p.Name == "array_of_indices", p.Role == NumberOut && p.Name == "index":
			o.Index = p.After
		case p.Name == "outcount" && o.Kind == SomeOf && strings.Contains(f.Name, "est"):
			o.Flag = p.After
		case p.Class == spec.Request && p.Codec == spec.Handle:
			o.Request = i
		}
	}
	if o.Kind == Determined && o.Source >= 0 && o.Tag >= 0 {
		o.Kind = FromAny
	}
	return o
}
