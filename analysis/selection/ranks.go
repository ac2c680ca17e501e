package selection

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Ranks is a set of ranks as it is written on a command line. Nil is all,
// and also processes that have no rank.
type Ranks struct {
	text string
	list rankfunc.List
}

// ParseRanks understands a list such as "0,4-7,8-63:8,100-": see rankfunc.ParseList.
func ParseRanks(s string) (*Ranks, error) {
	list, err := rankfunc.ParseList(s)
	if err != nil {
		return nil, err
	}
	return &Ranks{s, list}, nil
}

// String is the list as given.
func (r *Ranks) String() string { return r.text }

// Contains tells whether a rank is in the set.
func (r *Ranks) Contains(rank int) bool { return r == nil || r.list.Contains(rank) }

// Of is the members of a set that are in r: see rankfunc.List.
func (r *Ranks) Of(set *archive.RankSet) *archive.RankSet {
	if r == nil {
		return set
	}
	return r.list.Of(set)
}
