package infer

import (
	"cmp"
	"fmt"
	"slices"
)

// Assumption is what was decided without evidence.
type Assumption struct {
	// What was decided, as a sentence without a full stop.
	What string
	// Where are the loops and parameters that it was decided of, sorted; empty for the job as a whole.
	Where []string
}

// String says what was decided, and of which calls: of the only one, or of how many with an example.
func (a Assumption) String() string {
	switch len(a.Where) {
	case 0:
		return a.What
	case 1:
		return a.Where[0] + ": " + a.What
	}
	return fmt.Sprintf("%s (%d times, such as %s)", a.What, len(a.Where), a.Where[0])
}

// assumption is one that was decided in one place, which is empty for the job as a whole.
type assumption struct{ what, where string }

// assumed puts together what was decided in the same way in several places.
func assumed(notes map[assumption]bool) (list []Assumption) {
	places := map[string][]string{}
	for n := range notes {
		list := places[n.what]
		if n.where != "" {
			list = append(list, n.where)
		}
		places[n.what] = list
	}
	for what, where := range places {
		slices.Sort(where)
		list = append(list, Assumption{what, where})
	}
	sortAssumptions(list)
	return list
}

// assume adds assumptions of the job as a whole.
func (m *Model) assume(list ...string) {
	for _, what := range list {
		m.Assumptions = append(m.Assumptions, Assumption{What: what})
	}
	sortAssumptions(m.Assumptions)
}

func sortAssumptions(list []Assumption) {
	slices.SortFunc(list, func(a, b Assumption) int { return cmp.Compare(a.String(), b.String()) })
}
