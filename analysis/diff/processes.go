package diff

import (
	"fmt"
	"sort"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// worlds is the ranks of each world, and the threads of each rank.
func worlds(a *archive.Archive) (ranks map[int]*archive.RankSet, threads map[realm]*archive.RankSet) {
	ranks, threads = map[int]*archive.RankSet{}, map[realm]*archive.RankSet{}
	for _, g := range a.Groups() {
		if !g.Unranked {
			ranks[g.World] = ranks[g.World].Union(g.Ranks)
		}
	}
	for _, k := range a.Classes() {
		if !k.Group().Unranked {
			r := realm{k.Group().World, k.Thread()}
			threads[r] = threads[r].Union(k.Ranks())
		}
	}
	return ranks, threads
}

func commonRanks(a, b *archive.Archive) (list []int) {
	x, _ := worlds(a)
	y, _ := worlds(b)
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
				c.note(fmt.Sprintf("%s lacks calls of ranks %v that could not be recorded (see tabard info)", name, newSet(some)))
			}
		}
		if s.a.Meta().Partial {
			c.note(name + " is partial: calls were left out on purpose")
		}
	}
}

// processes notes which processes and threads only one recording has.
func (c *comparison) processes() error {
	ranksA, threadsA := worlds(c.sides[0].a)
	ranksB, threadsB := worlds(c.sides[1].a)
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
	var list []realm
	for r := range threadsA {
		list = append(list, r)
	}
	for r := range threadsB {
		if threadsA[r] == nil {
			list = append(list, r)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].world < list[j].world || list[i].world == list[j].world && list[i].thread < list[j].thread
	})
	for _, r := range list {
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
