package selection

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Steps is a range of time steps: iterations of the loop that package loops points
// out in the calls of a rank, numbered from 0.
type Steps struct {
	text string
	// From is the first step and To the last one, math.MaxUint64 for no end.
	From, To uint64
}

// ParseSteps understands a step, 7, and ranges of steps: 10-19 or 10..19 (both
// ends belong to it), 100- and -9.
func ParseSteps(s string) (*Steps, error) {
	steps := &Steps{text: s, To: math.MaxUint64}
	from, to, isRange := strings.Cut(s, "..")
	if !isRange {
		from, to, isRange = strings.Cut(s, "-")
	}
	wrong := func() (*Steps, error) {
		return nil, fmt.Errorf("%q is neither a step nor a range of steps such as 10-19 or 100-", s)
	}
	var err error
	if from = strings.TrimSpace(from); from != "" {
		if steps.From, err = strconv.ParseUint(from, 10, 63); err != nil {
			return wrong()
		}
	}
	switch to = strings.TrimSpace(to); {
	case !isRange:
		steps.To = steps.From
	case to != "":
		if steps.To, err = strconv.ParseUint(to, 10, 63); err != nil {
			return wrong()
		}
	}
	if from == "" && to == "" || steps.To < steps.From {
		return wrong()
	}
	return steps, nil
}

// String is the range as given.
func (s *Steps) String() string { return s.text }
