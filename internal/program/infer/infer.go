package infer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/internal/program/formula"
	"github.com/tabard-hpc/tabard/spec"
)

// Options are what Infer may be told.
type Options struct {
	// With are recordings of the same program with other numbers of ranks; they decide between
	// hypotheses.
	With []*archive.Content
	// Dims are sizes of axes that the process grids of the other job have: a grid with as many axes
	// has them.
	Dims [][]int
}

// maxRanks is how many ranks a recording may have: each one's parameters are looked at.
const maxRanks = 1 << 16

// Infer finds the program that makes the calls of a recording, for any number of ranks. The error
// is an *Obstacles if calls of the recording keep it from being scaled, or if those of other jobs
// would not fit together.
func Infer(c *archive.Content, o Options) (*Model, error) {
	return search(c, o, func(m *Model) error { return m.tried() })
}

// search tries several ways to explain the values of a recording, until accept takes the model and no
// recording that is left out contradicts the others. If there is none, it is the model with the fewest
// contradictions.
func search(c *archive.Content, o Options, accept func(*Model) error) (*Model, error) {
	var first error
	var best *Model
	least := 0
	b := &budget{left: maxSearch}
	for _, p := range policiesOf(append([]*archive.Content{c}, o.With...)) {
		m, err := infer(c, o, p, b)
		if err == nil {
			if err = accept(m); err == nil {
				n := m.holdOut(p)
				if n == 0 {
					return m, nil
				}
				if best == nil || n < least {
					best, least = m, n
				}
				continue
			}
		}
		if first == nil {
			first = err
		}
		if _, ok := err.(*Obstacles); !ok {
			return nil, err
		}
	}
	if best != nil {
		return best, nil
	}
	return nil, first
}

// policy is what is preferred where several explanations are possible.
type policy struct {
	// grid prefers neighbours on a process grid to ranks that differ in a bit: what is given to
	// partners may tell that they are.
	grid bool
	// rounds takes loops that do nothing but go round the ranks, again and again, for one loop:
	// another root in each step.
	rounds bool
}

// policiesOf are the ways to explain recordings, the one to try first first.
func policiesOf(list []*archive.Content) []policy {
	out := []policy{{}, {grid: true}}
	if slices.ContainsFunc(list, turns) {
		out = append([]policy{{rounds: true}, {grid: true, rounds: true}}, out...)
	}
	return out
}

// turns tells whether the root of a collective changes from call to call in a recording.
func turns(c *archive.Content) bool {
	type place struct {
		f    spec.ID
		site uint32
	}
	for _, d := range c.Classes {
		seen := map[place]int64{}
		k := &class{recording: &recording{c: c}, d: d}
		for t, id := range d.Terminals {
			tm := c.Templates[id]
			o := rootSlot(tm.Func)
			if o < 0 {
				continue
			}
			sig, err := k.signature(uint32(t), d.Ranks.Min())
			if err != nil {
				return false // whoever reads it again says so
			}
			at, v := place{tm.Func, tm.Site}, &sig.Slots[o]
			if old, ok := seen[at]; v.Kind == archive.Hole || ok && old != v.N {
				return true
			}
			seen[at] = v.N
		}
	}
	return false
}

// rootSlot is the slot with the root of a collective, -1 if it has none.
func rootSlot(id spec.ID) int {
	f := spec.ByID(id)
	for i := range f.Slots {
		if archive.SlotName(f, &f.Slots[i]) == "root" {
			return i
		}
	}
	return -1
}

func infer(c *archive.Content, o Options, p policy, b *budget) (*Model, error) {
	m := &inference{policy: p, budget: b, open: map[int64]bool{}, notes: map[assumption]bool{},
		explicit: map[*Grid]bool{}, sites: map[string]int{}, modules: map[archive.Module]int{}, obstacles: &Obstacles{}}
	m.model = &Model{meta: c.Meta, Modules: slices.Clone(c.Modules)}
	for i, x := range c.Modules {
		m.modules[x] = i
	}
	for _, x := range append([]*archive.Content{c}, o.With...) {
		if err := m.addRecording(withoutChance(x)); err != nil {
			return nil, err
		}
	}
	m.makeGrids()
	threads := map[int][]*class{}
	var order []int
	for _, s := range m.recordings {
		for _, d := range s.c.Classes {
			k := newClass(s, d)
			if threads[d.Thread] == nil {
				order = append(order, d.Thread)
			}
			threads[d.Thread] = append(threads[d.Thread], k)
		}
	}
	slices.Sort(order)
	for _, n := range order {
		t, err := m.thread(n, threads[n])
		if err != nil {
			return nil, err
		}
		m.model.Threads = append(m.model.Threads, *t)
	}
	if len(m.obstacles.List) > 0 {
		m.causes(slices.Concat(slices.Collect(maps.Values(threads))...))
		m.obstacles.examined()
		return nil, m.obstacles
	}
	m.model.Grids, m.model.Loops = m.grids, m.loops
	m.usedGrids()
	if most := slices.Max(m.model.Sizes); most <= 2 {
		m.assume("jobs of more than %d ranks do nothing that did not show with so few", most)
	}
	if s := m.model.Sizes; len(s) == 1 {
		m.assume(weakScaling)
	}
	if m.gridHidden() {
		m.assume(hiddenGrid)
	}
	m.model.Assumptions = assumed(m.notes)
	m.model.fixDims(o.Dims)
	m.model.recordings = append([]*archive.Content{c}, o.With...)
	return m.model, nil
}

// weakScaling is what a recording of one size leaves open of all programs.
const weakScaling = "what is the same at all ranks, such as sizes of messages and lengths of loops, " +
	"does not depend on the number of ranks, but where that is said"

// hiddenGrid is what a prime number of ranks leaves open.
const hiddenGrid = "no process grid shows with a prime number of ranks: what depends on the rank is taken " +
	"to depend on the rank in jobs of other sizes, and not on a row or a column"

// gridHidden tells whether something depends on the rank and no process grid of several rows could
// be seen.
func (m *inference) gridHidden() bool {
	for _, n := range m.model.Sizes {
		if len(formula.Factors(int64(n))) > 1 {
			return false
		}
	}
	hidden := false
	m.model.calls(func(c *Call) {
		for i := range c.Slots {
			for _, e := range c.Slots[i].Parts {
				hidden = hidden || c.Func.Op != spec.OpCommRank && e.UsesRank()
			}
		}
	})
	return hidden
}

// addRecording takes a recording.
func (m *inference) addRecording(c *archive.Content) error {
	var g *archive.Group
	for _, x := range c.Groups {
		switch {
		case x.Unranked:
			continue
		case x.World != 0 || g != nil:
			return refusal(nil, "it has several MPI_COMM_WORLDs, of programs that were spawned")
		}
		g = x
	}
	switch {
	case g == nil:
		return refusal(nil, "no process initialised MPI")
	case g.Ranks.Len() != g.Size:
		return refusal(nil, "only %d of %d ranks were recorded", g.Ranks.Len(), g.Size)
	case !complete(g):
		return refusal(nil, "the program did not reach its end in order at all ranks")
	case g.Size > maxRanks:
		return refusal(nil,
			"it has %d ranks; the recording of a job of at most %d ranks is needed, from which larger ones follow",
			g.Size, maxRanks)
	case c.Meta.Partial:
		m.assume("calls were left out of the recording on purpose, and are left out of what was made of it")
	}
	s := &recording{c: c, size: int64(g.Size), env: Env{Size: int64(g.Size)}}
	if m.model.group == nil {
		m.model.group = g
	}
	m.model.Sizes = append(m.model.Sizes, g.Size)
	m.recordings = append(m.recordings, s)
	return nil
}

// complete tells whether all ranks reached their end and all calls are there.
func complete(g *archive.Group) bool {
	for r := range g.Ranks.All() {
		if g.Complete.At(r) != 1 || g.Lost.At(r) != 0 {
			return false
		}
	}
	return true
}

func newClass(s *recording, d *archive.ClassData) *class {
	k := &class{recording: s, d: d, columns: map[[2]int]column{}}
	for r := range d.Ranks.All() {
		k.ranks = append(k.ranks, r)
	}
	n := 0
	for _, id := range d.Terminals {
		k.start = append(k.start, n)
		n += len(s.c.Templates[id].Columns())
	}
	return k
}

// thread makes the program of the threads with a number.
func (m *inference) thread(number int, classes []*class) (*Thread, error) {
	f := newFolder(m.policy.rounds)
	trees := make([][]*node, len(classes))
	for i, k := range classes {
		if k.recording.c.Groups[k.d.Group].Unranked {
			continue
		}
		seq, err := treeOf(k.d, func(t uint32) node {
			x := k.recording.c.Templates[k.d.Terminals[t]]
			key, line := leafKey(k.recording.c, x)
			return node{key: key, line: line, own: specFunc(x).Own()}
		})
		if err != nil {
			return nil, refusal(k.d.Ranks, "%v", err)
		}
		trees[i] = f.tree(seq)
	}
	b := &block{}
	for i, k := range classes {
		if trees[i] != nil {
			b.seqs = append(b.seqs, sequence{class: k, nodes: expanded(f.wrap(trees[i], f.longest))})
		}
	}
	a := &aligner{loops: m.loops}
	if err := a.align(b); err != nil {
		return nil, refusal(nil, "%v", err)
	}
	m.loops = a.loops
	for _, s := range m.recordings {
		s.env.Index = make([]int64, m.loops)
	}
	if err := m.hold(b); err != nil {
		return nil, err
	}
	m.choosePeers(b)
	t := &Thread{Number: number}
	there := &table{m: m}
	for _, s := range m.recordings {
		has := rankfunc.Range(0, 0)
		for _, k := range classes {
			if k.recording == s {
				has = has.Union(k.d.Ranks)
			}
		}
		for r := range int(s.size) {
			there.add(row{recording: s, rank: int64(r)}, formula.Truth(has.Contains(r)))
		}
	}
	m.where = fmt.Sprintf("thread %d", number)
	if e := there.condition(); e == nil {
		m.obstacles.Add(Obstacle{
			Reason: fmt.Sprintf("which ranks have a thread %d does not follow from rank and size", number)})
	} else if e.Op != Num {
		t.Count = e
	}
	t.Body = m.nodes(b)
	return t, nil
}

// roleOf is what a slot's integer k means.
func roleOf(f *spec.Func, slot, k int) role {
	s := &f.Slots[slot]
	if s.Codec == spec.Status {
		if k == 0 {
			return roleRank
		}
		return roleFixed
	}
	if s.Param < 0 {
		return roleOther
	}
	p := &f.Params[s.Param]
	switch p.Kind {
	case "RANK", "RANK_NNI":
		return roleRank
	case "COMM_SIZE", "COMM_SIZE_PI":
		return roleSize
	case "TAG":
		return roleFixed
	}
	if p.Name == "dims" {
		return roleDims
	}
	if s.Codec != spec.Int || f.Own() {
		return roleFixed
	}
	for i := range f.Params {
		if q := &f.Params[i]; q.Class == spec.Request && q.Array && q.Len == spec.LenParam && int(q.LenArg) == s.Param {
			return roleRequests
		}
	}
	return roleOther
}

// lengthRole is what the length of an array means.
func lengthRole(f *spec.Func, slot int) role {
	if s := &f.Slots[slot]; s.Param >= 0 {
		if s.Class == spec.Request || s.Codec == spec.Status {
			return roleRequests
		}
		switch p := &f.Params[s.Param]; p.Len {
		case spec.LenLocalSize, spec.LenPeerSize:
			return roleLength
		case spec.LenParam:
			if p.LenArg >= 0 && (f.Params[p.LenArg].Kind == "COMM_SIZE" || p.Kind == "RANK") {
				return roleLength
			}
		}
	}
	return roleOther
}

// siteName is the call site of a call of a recording for people.
func siteName(c *archive.Content, site uint32) string {
	if site == 0 {
		return ""
	}
	return c.Sites[site-1].String()
}
