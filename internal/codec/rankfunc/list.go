package rankfunc

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// List is a set of ranks as people write it: ranges with steps, maybe without an end.
type List []ListRange

// ListRange is Low, Low+Step, ... up to High.
type ListRange struct{ Low, High, Step int }

// ParseList understands a list such as "0,4-7,8-63:8,100-": ranks, ranges, ranges with a step, and
// ranges without an end. The error names the part that is wrong.
func ParseList(s string) (List, error) {
	if s == "" {
		return nil, errors.New("the list is empty")
	}
	var list List
	for _, part := range strings.Split(s, ",") {
		r := ListRange{Step: 1}
		body, step, stepped := strings.Cut(strings.TrimSpace(part), ":")
		lo, hi, isRange := strings.Cut(body, "-")
		var errs [3]error
		r.Low, errs[0] = strconv.Atoi(lo)
		switch {
		case !isRange:
			r.High = r.Low
		case hi == "":
			r.High = math.MaxInt
		default:
			r.High, errs[1] = strconv.Atoi(hi)
		}
		if stepped {
			r.Step, errs[2] = strconv.Atoi(step)
		}
		if errors.Join(errs[:]...) != nil || r.Low < 0 || r.High < r.Low || r.Step < 1 {
			return nil, fmt.Errorf("%q is neither a rank nor a range such as 0-3 or 0-63:8", part)
		}
		list = append(list, r)
	}
	return list, nil
}

// Contains tells whether a rank is in the list.
func (l List) Contains(rank int) bool {
	return slices.ContainsFunc(l, func(r ListRange) bool {
		return r.Low <= rank && rank <= r.High && (rank-r.Low)%r.Step == 0
	})
}

// Of is the members of a set that are in the list. Where the list has no steps, the time depends on
// the intervals of the set, else on its members.
func (l List) Of(set *Set) *Set {
	if set.Len() == 0 {
		return set
	}
	stepped := false
	for _, r := range l {
		if r.Step == 1 && r.Low <= set.Min() && set.Max() <= r.High {
			return set
		}
		stepped = stepped || r.Step > 1
	}
	if stepped {
		var ranks []int
		for rank := range set.All() {
			if l.Contains(rank) {
				ranks = append(ranks, rank)
			}
		}
		return NewSet(ranks)
	}
	var out *Set
	for lo, hi := range set.Intervals() {
		for _, r := range l {
			if a, b := max(lo, r.Low), min(hi-1, r.High); a <= b {
				out = out.Union(Range(a, b+1))
			}
		}
	}
	return out
}
