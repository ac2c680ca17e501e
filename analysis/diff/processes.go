package diff

import (
	"fmt"
	"maps"
	"sort"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// worlds is the ranks of each world.
func worlds(a *archive.Archive) map[int]*archive.RankSet {
	ranks := map[int]*archive.RankSet{}
	for _, g := range a.Groups() {
		if !g.Unranked {
			ranks[g.World] = ranks[g.World].Union(g.Ranks)
		}
	}
	return ranks
}

// threads is the ranks that have each thread.
func (s *side) threads(rerun bool) map[realm]*archive.RankSet {
	out := map[realm]*archive.RankSet{}
	for r, classes := range s.realms(rerun) {
		for _, k := range classes {
			out[r] = out[r].Union(k.Ranks())
		}
	}
	return out
}

func commonRanks(a, b *archive.Archive) (list []int) {
	x, y := worlds(a), worlds(b)
	for w := range x {
		for r := range intersection(x[w], y[w]).All() {
			list = append(list, r)
		}
	}
	return list
}

// lost notes processes that a recording does not have all calls of.
func (c *comparison) lost() {
	for i, s := range c.sides {
		name := [2]string{"A", "B"}[i]
		for _, g := range s.a.Groups() {
			if n, same := g.Lost.Constant(); same && n == 0 {
				continue
			}
			var some []int
			for r := range c.o.Ranks.Of(g.Ranks).All() {
				if g.Lost.At(r) > 0 {
					some = append(some, r)
				}
			}
			if some != nil && !g.Unranked {
				c.note(fmt.Sprintf("%s lacks calls of ranks %v that could not be recorded (see tabard info)", name,
					newSet(some)))
			}
		}
		if s.a.Meta().Partial {
			c.note(name + " is partial: calls were left out on purpose")
		}
	}
}

// processes notes which processes and threads only one recording has.
func (c *comparison) processes() error {
	ranksA, threadsA := worlds(c.sides[0].a), c.sides[0].threads(c.o.Rerun)
	ranksB, threadsB := worlds(c.sides[1].a), c.sides[1].threads(c.o.Rerun)
	var all []int
	for w := range ranksA {
		all = append(all, w)
	}
	for w := range ranksB {
		if ranksA[w] == nil {
			all = append(all, w)
		}
	}
	sort.Ints(all)
	for _, w := range all {
		x, y := c.o.Ranks.Of(ranksA[w]), c.o.Ranks.Of(ranksB[w])
		c.result.Ranks += intersection(x, y).Len()
		c.absent(w, -1, without(x, y), false)
		c.absent(w, -1, without(y, x), true)
	}
	either := maps.Clone(threadsA)
	maps.Copy(either, threadsB)
	for _, r := range sortedRealms(either) {
		both := intersection(c.o.Ranks.Of(ranksA[r.world]), c.o.Ranks.Of(ranksB[r.world]))
		x, y := intersection(both, threadsA[r]), intersection(both, threadsB[r])
		c.absent(r.world, r.thread, without(x, y), false)
		c.absent(r.world, r.thread, without(y, x), true)
	}
	return nil
}

// absent notes processes, or with a thread that is not negative threads, that only one recording
// has.
func (c *comparison) absent(world, thread int, ranks *archive.RankSet, onlyB bool) {
	if ranks.Len() == 0 {
		return
	}
	d := &Difference{Kind: Processes, World: world, Thread: thread, Ranks: ranks, OnlyA: !onlyB, Count: 1}
	c.keep(fmt.Sprint("processes ", world, thread, onlyB), d)
}
