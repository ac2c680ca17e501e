// Package loops shows a recorded program as loops: for each class of ranks that
// do the same, the nest of loops with trip counts, and the calls in them with
// call sites and parameters.
//
// It works on the grammar and never on the calls, so that the time it takes depends on the
// structure of the program and not on how long it ran. Rules of a grammar begin and end anywhere in
// the iterations of the source. So loops are built anew from them (see folder). These loops begin
// where the lines of the source say (see order), and take in iterations whose parts the grammar has
// before and after a rule.
//
// Calls are told apart by function and line, not by parameters: the loop over
// the neighbours of a rank is a loop although every message has another
// destination. What varies is counted (Param, Counts). A nest generates the
// calls of its ranks exactly, without the recorder's own records of memory: Class.Expand.
package loops

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Options select what Of does.
type Options struct {
	// Select chooses streams of calls; nil means all.
	Select func(*archive.Stream) bool
	// Timing is up to how many bytes of stored time stamps (archive.Stats.Timing)
	// the time of loops is determined: they have to be loaded for that.
	Timing int64
	// StepLoop is the time-step loop, if it is known.
	StepLoop StepLoop
	// Progress, if it is not nil, is called now and then with the number of streams that are done and of all: each
	// counts when it has been grouped, when its loops are known, and when its parameters are.
	Progress func(done, total uint64)

	plain bool // for tests: take every stream on its own
	most  int  // for tests: nodes of all classes, allNodes if 0
}

func (o *Options) nodes() int {
	if o.most > 0 {
		return o.most
	}
	return allNodes
}

// A Class is threads with the same loops: the same calls from the same lines
// in the same order, but for trip counts and parameters.
type Class struct {
	// World and Thread are those of all members (see archive.RankData, archive.Stream).
	World, Thread int
	// Variants are the members by trip counts.
	Variants []Variant
	// Calls is the number of calls of all members.
	Calls uint64
	// Least and Most are the smallest and the greatest number of calls of a member.
	Least, Most uint64
	// Body is the loop nest, and Blocks what the Block nodes in it stand for.
	// Blocks may contain Block nodes with smaller numbers.
	Body   []*Node
	Blocks [][]*Node
	// Step is the time-step loop: the one with the greatest share of calls or, where Time is known, of
	// the mean of calls and time. Of loops in one another it is the outermost, unless that has few
	// iterations, or a few with nearly all calls, and an inner one many, and the one with as many iterations
	// as at most other ranks.
	// It is nil if no loop has a quarter. A call that is repeated and nothing else becomes a loop.
	Step *Node
	// SummedUp tells that the program has too little order to be shown in full: stretches without
	// loops, and loops with few calls, are Mixed nodes.
	SummedUp bool

	size    int // nodes
	parts   []part
	digests map[string][]int // variants by digest
}

// A Variant is the members of a class that have the same trip counts.
type Variant struct {
	Streams []*archive.Stream
	// Ranks are the ranks of Streams, ascending.
	Ranks []int
}

// Of finds the loops of an archive. The classes are in the order of their lowest
// ranks, world by world and thread by thread.
func Of(a *archive.Archive, o Options) ([]*Class, error) {
	table := newShapeTable(o.plain)
	table.tellTo(o.Progress, a.NumStreams())
	groups, err := groupsOf(a, o.Select, table)
	if err != nil {
		return nil, err
	}
	var classes []*Class
	known := map[string]*Class{}
	left := o.nodes()
	limit := func() int { return max(fewNodes, min(classNodes, left)) }
	for _, f := range familiesOf(groups) {
		err := f.classes(table, o.StepLoop.iterations, limit, func(c *Class) {
			key := c.key(table)
			if old := known[key]; old == nil {
				known[key] = c
				classes = append(classes, c)
				left -= c.size
			} else {
				old.take(c)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for _, c := range classes {
		if err := c.finish(o, table); err != nil {
			return nil, err
		}
	}
	if err := findSteps(classes, o.StepLoop); err != nil {
		return nil, err
	}
	slices.SortStableFunc(classes, func(a, b *Class) int {
		return cmp.Or(cmp.Compare(a.World, b.World), cmp.Compare(a.Thread, b.Thread),
			cmp.Compare(a.lowest(), b.lowest()))
	})
	return classes, nil
}

// Size is the number of nodes.
func (c *Class) Size() int { return c.size }

func (c *Class) lowest() int {
	low := c.Variants[0].Ranks[0]
	for _, v := range c.Variants[1:] {
		low = min(low, v.Ranks[0])
	}
	return low
}

// Ranks are the ranks of all members, ascending.
func (c *Class) Ranks() []int {
	var all []int
	for _, v := range c.Variants {
		all = append(all, v.Ranks...)
	}
	slices.Sort(all)
	return all
}

// Streams are the threads of all members.
func (c *Class) Streams() []*archive.Stream {
	var all []*archive.Stream
	for _, v := range c.Variants {
		all = append(all, v.Streams...)
	}
	return all
}

// finish works out what needs all members.
func (c *Class) finish(o Options, table *shapeTable) error {
	if err := c.findParams(table); err != nil {
		return err
	}
	if err := c.findCalls(); err != nil {
		return err
	}
	if err := c.findTimes(o.Timing); err != nil {
		return err
	}
	c.findPlaces()
	return c.findRecursions()
}

// All visits the nodes of the class, blocks after the body, outer before inner ones.
func (c *Class) All(visit func(*Node)) {
	var walk func([]*Node)
	walk = func(seq []*Node) {
		for _, n := range seq {
			visit(n)
			walk(n.Body)
		}
	}
	walk(c.Body)
	for _, b := range c.Blocks {
		walk(b)
	}
}
