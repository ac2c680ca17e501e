package selection

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tabard/internal/rankfn"
	"tabard/trace"
)

// Ranks is a set of ranks as it is written on a command line. Nil is all,
// and also processes that have no rank.
type Ranks struct {
	text  string
	spans []span
}

// span is lo, lo+step, ... up to hi.
type span struct{ lo, hi, step int }

// ParseRanks understands a list such as "0,4-7,8-63:8,100-": ranks, ranges, ranges
// with a step, and ranges without an end.
func ParseRanks(s string) (*Ranks, error) {
	if s == "" {
		return nil, errors.New("the list is empty")
	}
	r := &Ranks{text: s}
	for _, part := range strings.Split(s, ",") {
		sp := span{step: 1}
		body, step, stepped := strings.Cut(strings.TrimSpace(part), ":")
		lo, hi, isRange := strings.Cut(body, "-")
		var errs [3]error
		sp.lo, errs[0] = strconv.Atoi(lo)
		switch {
		case !isRange:
			sp.hi = sp.lo
		case hi == "":
			sp.hi = math.MaxInt
		default:
			sp.hi, errs[1] = strconv.Atoi(hi)
		}
		if stepped {
			sp.step, errs[2] = strconv.Atoi(step)
		}
		if errors.Join(errs[:]...) != nil || sp.lo < 0 || sp.hi < sp.lo || sp.step < 1 {
			return nil, fmt.Errorf("%q is neither a rank nor a range such as 0-3 or 0-63:8", part)
		}
		r.spans = append(r.spans, sp)
	}
	return r, nil
}

// String is the list as given.
func (r *Ranks) String() string { return r.text }

// Contains tells whether a rank is in the set.
func (r *Ranks) Contains(rank int) bool {
	if r == nil {
		return true
	}
	for _, s := range r.spans {
		if s.lo <= rank && rank <= s.hi && (rank-s.lo)%s.step == 0 {
			return true
		}
	}
	return false
}

// Of is the members of a set that are in r. It takes a time that depends on the
// intervals of the set where r has no steps, else on its members.
func (r *Ranks) Of(set *trace.RankSet) *trace.RankSet {
	if r == nil || set.Len() == 0 {
		return set
	}
	stepped := false
	for _, s := range r.spans {
		if s.step == 1 && s.lo <= set.Min() && set.Max() <= s.hi {
			return set
		}
		stepped = stepped || s.step > 1
	}
	if stepped {
		var ranks []int
		for rank := range set.All() {
			if r.Contains(rank) {
				ranks = append(ranks, rank)
			}
		}
		return rankfn.NewSet(ranks)
	}
	var out *trace.RankSet
	for lo, hi := range set.Intervals() {
		for _, s := range r.spans {
			if a, b := max(lo, s.lo), min(hi-1, s.hi); a <= b {
				out = out.Union(rankfn.Range(a, b+1))
			}
		}
	}
	return out
}
