package infer

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// HeldOut says what the other recordings alone tell of one of them.
type HeldOut struct {
	// Ranks is its size.
	Ranks   int
	Outcome Outcome
}

// Outcome is what came of a recording that was left out.
type Outcome string

// Outcomes.
const (
	// Confirmed: the others give what was recorded.
	Confirmed Outcome = "equal"
	// Contradicted: they give something else, without any assumption.
	Contradicted Outcome = "different"
	// Assumed: they give something else, on assumptions that are listed then.
	Assumed Outcome = "assumed"
	// Unknown: they do not say.
	Unknown Outcome = "refused"
)

// leastHeldOut is how many recordings there have to be to leave one out: two sizes at least are needed
// for what depends on the size.
const leastHeldOut = 3

// holdOut leaves out each recording in turn, and compares it with what the others give in the same
// way. It notes what does not follow and returns how many contradict.
func (m *Model) holdOut(p policy) (contradicted int) {
	list := m.recordings
	if len(list) < leastHeldOut {
		return 0
	}
	b := &budget{left: maxSearch / 4}
	for i, n := range m.Sizes {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		h := HeldOut{Ranks: n, Outcome: foretold(rest, list[i], n, p, b)}
		m.HeldOut = append(m.HeldOut, h)
		if h.Outcome == Contradicted {
			contradicted++
			m.assume(fmt.Sprintf("the recording of %d ranks shows what does not "+
				"follow from the others, without which its job would have been inferred wrongly", n))
		}
	}
	return contradicted
}

// foretold tells whether some recordings give another one, with n ranks.
func foretold(from []*archive.Content, want *archive.Content, n int, p policy, b *budget) Outcome {
	m, err := infer(from[0], Options{With: from[1:]}, p, b)
	if err != nil {
		return Unknown
	}
	c, err := m.At(n)
	if err != nil {
		return Unknown
	}
	if _, err := m.Check(c, n); err != nil {
		return Unknown // it would have been refused
	}
	got, err := archiveOf(c)
	if err != nil {
		return Unknown
	}
	recorded, err := archiveOf(want)
	if err != nil {
		return Unknown
	}
	d, err := diff.Of(recorded, got, diff.Options{Structure: true, Parameters: true})
	switch {
	case err != nil:
		return Unknown
	case len(d.Differences) > 0 && len(m.Assumptions) > 0:
		return Assumed
	case len(d.Differences) > 0:
		return Contradicted
	}
	return Confirmed
}
