package archive

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// Unrecorded is the name of the fact that says why nothing was recorded of a process that should have been. The ends of
// processes told it before.
const Unrecorded = "unrecorded"

// Missing is the name of the fact that says why some calls of a process are missing of which nobody knows how many.
const Missing = "missing"

// EndNoCall is in the text of how a process ended, at its end, if it made none.
const EndNoCall = "made no MPI call"

const endNotTraced = "not traced: "

// Gap is ranks of which calls are missing that should be there.
type Gap struct {
	World int
	Ranks *RankSet
	// Calls is how many calls are missing of these ranks together, 0 if all are.
	Calls uint64
	// Uncounted says that there may be more than Calls, and not that all are missing.
	Uncounted bool
	Why       string
}

// Gaps lists what should have been recorded and was not, by world and rank. Ranks and calls that were left out on
// purpose are none. It takes a time that does not depend on the number of calls.
func (a *Archive) Gaps() []Gap {
	return (&processes{a.Meta(), a.groups, a.streams > 0}).gaps()
}

// Gaps is that of the archive with this content.
func (c *Content) Gaps() []Gap { return (&processes{&c.Meta, c.Groups, len(c.Classes) > 0}).gaps() }

// processes are those of an archive, whether it is open or to be written.
type processes struct {
	meta   *Meta
	groups []*Group
	calls  bool // there are streams
}

func (a *processes) gaps() []Gap {
	type key struct {
		world int
		why   string
		lost  bool
	}
	found := map[key]*Gap{}
	add := func(world int, why string, lost uint64, ranks *RankSet) *Gap {
		k := key{world, why, lost > 0}
		if found[k] == nil {
			found[k] = &Gap{World: world, Why: why}
		}
		found[k].Ranks = ranks.Union(found[k].Ranks)
		found[k].Calls += lost
		return found[k]
	}
	for world, ranks := range a.absent() {
		add(world, "no process with this rank was seen here", 0, ranks)
	}
	for _, g := range a.groups {
		if g.Unranked {
			continue
		}
		for ranks, why := range a.unrecorded(g) {
			add(g.World, why, 0, ranks)
		}
		var uncounted *RankSet
		for ranks, why := range told(g, Missing) {
			lost := uint64(0)
			for rank := range ranks.All() {
				lost += uint64(g.Lost.At(rank))
			}
			add(g.World, why, lost, ranks).Uncounted = true
			uncounted = ranks.Union(uncounted)
		}
		if n, ok := g.Lost.Constant(); ok && n == 0 {
			continue
		}
		for rank := range g.Ranks.All() {
			if n := uint64(g.Lost.At(rank)); n > 0 && (uncounted == nil || !uncounted.Contains(rank)) {
				add(g.World, "they could not be recorded", n, rankfunc.Range(rank, rank+1))
			}
		}
	}
	gaps := make([]Gap, 0, len(found))
	for _, g := range found {
		gaps = append(gaps, *g)
	}
	slices.SortFunc(gaps, func(x, y Gap) int {
		return cmp.Or(cmp.Compare(x.World, y.World), cmp.Compare(min(x.Calls, 1), min(y.Calls, 1)),
			cmp.Compare(x.Ranks.Min(), y.Ranks.Min()), cmp.Compare(x.Why, y.Why))
	})
	return gaps
}

// absent finds the ranks of each world that are not in the archive, unless ranks were selected.
func (a *processes) absent() map[int]*RankSet {
	missing := map[int]*RankSet{}
	if o := a.meta.Options; o["ranks"] != "" || o[OptionSnapshot] != "" { // on purpose, or they may still come
		return missing
	}
	present, sizes := map[int]*RankSet{}, map[int]int{}
	for _, g := range a.groups {
		if !g.Unranked {
			sizes[g.World] = max(sizes[g.World], g.Size)
			present[g.World] = g.Ranks.Union(present[g.World])
		}
	}
	for _, w := range slices.Sorted(maps.Keys(present)) {
		next := 0
		add := func(lo, hi int) {
			if lo < hi {
				missing[w] = rankfunc.Range(lo, hi).Union(missing[w])
			}
		}
		for lo, hi := range present[w].Intervals() {
			add(next, lo)
			next = hi
		}
		add(next, sizes[w])
	}
	return missing
}

// unrecorded finds the processes of a group that are in the archive without any of their calls, and why.
func (a *processes) unrecorded(g *Group) map[*RankSet]string {
	if found := told(g, Unrecorded); found != nil {
		return found
	}
	found := map[*RankSet]string{}
	for i, end := range g.Ends.Values {
		reason, not := strings.CutPrefix(end, endNotTraced)
		if not || strings.HasSuffix(end, EndNoCall) && a.calls {
			found[g.Ends.Ranks(g.Ranks, i)] = reason
		}
	}
	return found
}

// told is what a fact about processes says, by ranks; nil if none has it.
func told(g *Group, fact string) map[*RankSet]string {
	for i := range g.Info {
		if g.Info[i].Key != fact {
			continue
		}
		found, values := map[*RankSet]string{}, &g.Info[i].Values
		for i, v := range values.Values {
			if v.Present {
				found[values.Ranks(g.Ranks, i)] = v.Text
			}
		}
		return found
	}
	return nil
}

// List names the ranks, as 0,2-3,5.
func (g *Gap) List() string {
	var parts []string
	for lo, hi := range g.Ranks.Intervals() {
		if hi == lo+1 {
			parts = append(parts, strconv.Itoa(lo))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", lo, hi-1))
		}
	}
	return strings.Join(parts, ",")
}

// Incomplete says in a line what gaps there are, "" if there is none.
func Incomplete(gaps []Gap) string {
	var parts []string
	for _, g := range gaps {
		who := "ranks " + strings.ReplaceAll(g.List(), ",", ", ")
		were := "were"
		if g.Ranks.Len() == 1 {
			who, were = fmt.Sprintf("rank %d", g.Ranks.Min()), "was"
		}
		if g.World > 0 {
			who += fmt.Sprintf(" of spawned world %d", g.World)
		}
		switch {
		case g.Uncounted && g.Calls > 0:
			parts = append(parts, fmt.Sprintf("at least %d calls of %s are missing (%s)", g.Calls, who, g.Why))
		case g.Uncounted:
			parts = append(parts, fmt.Sprintf("calls of %s are missing (%s)", who, g.Why))
		case g.Calls > 0:
			parts = append(parts, fmt.Sprintf("%d calls of %s are missing (%s)", g.Calls, who, g.Why))
		default:
			parts = append(parts, fmt.Sprintf("%s %s not recorded (%s)", who, were, g.Why))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "INCOMPLETE: " + strings.Join(parts, "; ")
}
