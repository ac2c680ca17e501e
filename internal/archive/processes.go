package archive

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"sync"

	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
)

// realm is the processes that are numbered together, by rank: those of a world,
// or of a host if they have no rank.
type realm struct {
	ranks   *RankSet
	groups  []int
	first   int            // number of the first process
	streams int            // number of the first stream
	threads []*realmThread // by number
}

// readGroups decodes all groups: there are few.
func (a *Archive) readGroups(pool *items) error {
	ctx := newContexts()
	a.context = &classContext{contexts: ctx}
	for i := range pool.len() {
		d := decode(pool.at(i), "meta/groups", pool.offset(i))
		g := &Group{}
		walkGroup(newDecWalker(d, a.strings, nil, 0), g, len(a.modules), ctx)
		if err := d.end(); err != nil {
			return within(err, "group %d", i)
		}
		if i > 0 && CompareGroups(a.groups[i-1], g) >= 0 {
			return broken("meta/groups", pool.offset(i), "group %d is not behind the one before", i)
		}
		a.groups = append(a.groups, g)
	}
	return a.makeRealms()
}

// CompareGroups is the order of groups.
func CompareGroups(x, y *Group) int {
	unranked := func(g *Group) int {
		if g.Unranked {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(x.World, y.World),
		cmp.Compare(unranked(x), unranked(y)),
		cmp.Compare(x.Host, y.Host),
		cmp.Compare(x.Size, y.Size),
	)
}

// makeRealms puts groups together that are numbered together.
func (a *Archive) makeRealms() error {
	n := 0
	for i, g := range a.groups {
		last := len(a.realms) - 1
		var before *Group
		if last >= 0 {
			before = a.groups[a.realms[last].groups[0]]
		}
		if before != nil && before.World == g.World && before.Unranked == g.Unranked && before.Host == g.Host {
			r := &a.realms[last]
			union := r.ranks.Union(g.Ranks)
			if union.Len() != r.ranks.Len()+g.Ranks.Len() {
				return broken("meta/groups", -1, "a rank of world %d is in two groups", g.World)
			}
			r.ranks, r.groups = union, append(r.groups, i)
		} else {
			a.realms = append(a.realms, realm{ranks: g.Ranks, groups: []int{i}, first: n})
		}
		if n += g.Ranks.Len(); n > MaxProcesses {
			return &FormatError{
				Section: "meta/groups",
				Offset:  -1,
				Msg:     "there are too many processes",
				Hint:    hintDamaged,
			}
		}
	}
	return nil
}

// NumRanks is the number of processes.
func (a *Archive) NumRanks() int {
	if len(a.realms) == 0 {
		return 0
	}
	last := &a.realms[len(a.realms)-1]
	return last.first + last.ranks.Len()
}

// Rank is process i, from 0 to NumRanks-1. Processes are numbered by world and rank; those
// that have no rank come after the others of their world. Fields that are equal are
// shared with other processes: the caller must not change them.
func (a *Archive) Rank(i int) *RankData {
	g, rank := a.process(i)
	return a.rankData(g, rank)
}

// RankIn is the process that stands in a group's Ranks as rank.
func (a *Archive) RankIn(g *Group, rank int) *RankData { return a.rankData(g, rank) }

// Ranks yields all processes by number.
func (a *Archive) Ranks() iter.Seq2[int, *RankData] {
	return func(yield func(int, *RankData) bool) {
		for i := range a.realms {
			r := &a.realms[i]
			n := r.first
			for rank := range r.ranks.All() {
				if !yield(n, a.rankData(a.groupOf(r, rank), rank)) {
					return
				}
				n++
			}
		}
	}
}

// Groups lists the groups of processes. The caller must not change them.
func (a *Archive) Groups() []*Group { return a.groups }

// process finds the group of process i and its rank there.
func (a *Archive) process(i int) (*Group, int) {
	if i < 0 || i >= a.NumRanks() {
		panic("trace: no such process")
	}
	k := sort.Search(len(a.realms), func(k int) bool { return a.realms[k].first > i }) - 1
	r := &a.realms[k]
	rank := r.ranks.At(i - r.first)
	return a.groupOf(r, rank), rank
}

func (a *Archive) groupOf(r *realm, rank int) *Group {
	for _, g := range r.groups[1:] {
		if a.groups[g].Ranks.Contains(rank) {
			return a.groups[g]
		}
	}
	return a.groups[r.groups[0]]
}

// rankData puts together what is known of a process.
func (a *Archive) rankData(g *Group, rank int) *RankData {
	r := &RankData{
		World:     g.World,
		Rank:      rank,
		Size:      g.Size,
		Complete:  g.Complete.At(rank) != 0,
		LostCalls: uint64(g.Lost.At(rank)),
	}
	r.End, _ = caseOf(a, &g.Ends, g.Ranks, rank)
	if g.Unranked {
		r.Rank, r.PID, r.Host = -1, rank, g.Host
	} else {
		r.PID = int(g.PID.At(rank))
		r.Host, _ = caseOf(a, &g.Hosts, g.Ranks, rank)
	}
	for i := range g.Info {
		if v, _ := caseOf(a, &g.Info[i].Values, g.Ranks, rank); v.Present {
			if r.Info == nil {
				r.Info = make(map[string]string)
			}
			r.Info[g.Info[i].Key] = v.Text
		}
	}
	r.Clocks = ParseClocks(facts(g.Clocks, rank))
	list := a.modulesOf(g, rank)
	r.Modules, r.Sites = list.modules, list.sites
	if bases := facts(g.Bases, rank); len(bases) > 0 {
		r.Modules = slices.Clone(r.Modules)
		for i, b := range bases[:min(len(bases), len(r.Modules))] {
			r.Modules[i].Base = uint64(b)
			if i > 0 {
				r.Modules[i].Base += r.Modules[i-1].Base
			}
		}
	}
	return r
}

func (a *Archive) modulesOf(g *Group, rank int) *moduleList {
	numbers, _ := caseOf(a, &g.Modules, g.Ranks, rank)
	return a.moduleList(numbers)
}

// caseIndex tells which of many values the ranks of a group have, by intervals of ranks; nil if
// that would take too much memory.
type caseIndex struct {
	once sync.Once
	runs []caseRun // by lo
}

type caseRun struct{ lo, hi, value int }

func (x *caseIndex) prepare(sets []*RankSet) {
	var runs []caseRun
	for i, s := range sets {
		for lo, hi := range s.Intervals() {
			if len(runs) == maxIndex {
				return
			}
			runs = append(runs, caseRun{lo, hi, i})
		}
	}
	slices.SortStableFunc(runs, func(x, y caseRun) int { return cmp.Compare(x.lo, y.lo) })
	for i := range runs[:max(len(runs), 1)-1] {
		if runs[i].hi > runs[i+1].lo {
			return // sets of a broken file, in which the first one counts
		}
	}
	x.runs = runs
}

// caseOf is caseAt for the cases of groups, of which there may be as many as hosts.
func caseOf[T any](a *Archive, c *Cases[T], all *RankSet, rank int) (v T, ok bool) {
	if len(c.Sets) < manyClasses {
		return caseAt(c, all, rank)
	}
	x, found := a.cases.Load(&c.Sets[0])
	if !found {
		x, _ = a.cases.LoadOrStore(&c.Sets[0], &caseIndex{})
	}
	index := x.(*caseIndex)
	index.once.Do(func() { index.prepare(c.Sets) })
	if index.runs == nil {
		return caseAt(c, all, rank)
	}
	k := sort.Search(len(index.runs), func(k int) bool { return index.runs[k].lo > rank }) - 1
	if k < 0 || rank >= index.runs[k].hi || index.runs[k].value >= len(c.Values) {
		return v, false
	}
	return c.Values[index.runs[k].value], true
}

// MaxFacts is the greatest number of integers that make up the clocks or the
// load addresses of a process.
const MaxFacts = 1 << 16

// facts is the array of rank; what Validate refuses is empty.
func facts(v *RankVec, rank int) []int64 {
	if v.Len(rank) > MaxFacts {
		return nil
	}
	return v.At(rank)
}

// caseAt is the value that rank has.
func caseAt[T any](c *Cases[T], all *RankSet, rank int) (v T, ok bool) {
	if i := c.Index(all, rank); i >= 0 {
		return c.Values[i], true
	}
	return v, false
}

// moduleList is the modules of some processes, and the call sites with the
// modules of frames as numbers in them.
type moduleList struct {
	modules []Module
	sites   []Site
}

// maxModuleLists bounds how many are kept.
const maxModuleLists = 64

func (a *Archive) moduleList(numbers []int) *moduleList {
	if len(numbers) == 0 && len(a.sites) == 0 {
		return &moduleList{}
	}
	var key *int
	if len(numbers) > 0 {
		key = &numbers[0]
	}
	a.moduleMu.Lock()
	defer a.moduleMu.Unlock()
	if l := a.moduleLists[key]; l != nil {
		return l
	}
	l := &moduleList{sites: make([]Site, len(a.sites))}
	local := make(map[int]int)
	for i, n := range numbers {
		l.modules = append(l.modules, a.modules[n])
		if _, ok := local[n]; !ok {
			local[n] = i
		}
	}
	for i := range a.sites {
		frames := slices.Clone(a.sites[i].Frames)
		for k := range frames {
			if n, ok := local[frames[k].Module]; ok {
				frames[k].Module = n
			} else {
				frames[k].Module = -1
			}
		}
		l.sites[i] = Site{Frames: frames, Tree: a.sites[i].Tree}
	}
	if len(a.moduleLists) >= maxModuleLists || a.moduleLists == nil {
		a.moduleLists = make(map[*int]*moduleList)
	}
	a.moduleLists[key] = l
	return l
}

// AppendClocks appends readings of clocks as integers: for each the differences from the one
// before, of ticks, of CLOCK_MONOTONIC, and of CLOCK_REALTIME less CLOCK_MONOTONIC.
func AppendClocks(dst []int64, cs []Clock) []int64 {
	var prev Clock
	for _, c := range cs {
		dst = append(
			dst,
			int64(c.Ticks-prev.Ticks),
			c.MonoNS-prev.MonoNS,
			(c.RealNS-c.MonoNS)-(prev.RealNS-prev.MonoNS),
		)
		prev = c
	}
	return dst
}

// ParseClocks is the reverse of AppendClocks.
func ParseClocks(v []int64) (cs []Clock) {
	var c Clock
	off := int64(0)
	for ; len(v) >= 3; v = v[3:] {
		c.Ticks += uint64(v[0])
		c.MonoNS += v[1]
		off += v[2]
		c.RealNS = c.MonoNS + off
		cs = append(cs, c)
	}
	return cs
}

// AppendBases appends the load addresses of modules as integers, each less the
// one before; nothing if none is known.
func AppendBases(dst []int64, ms []Module) []int64 {
	if !slices.ContainsFunc(ms, func(m Module) bool { return m.Base != 0 }) {
		return dst
	}
	prev := uint64(0)
	for _, m := range ms {
		dst = append(dst, int64(m.Base-prev))
		prev = m.Base
	}
	return dst
}

// realmThread is the streams of one thread number in a realm.
type realmThread struct {
	thread  int
	classes []*Class
	members int // number of streams
	all     *RankSet

	once  sync.Once
	ranks *RankSet
	index []classRun // by lo, if there are many classes
}

// classRun is an interval of ranks that are in one class.
type classRun struct {
	lo, hi int
	class  *Class
}

// manyClasses is the number of classes of a realm and thread from which on they are indexed.
const manyClasses = 16

// maxIndex is the greatest number of intervals in an index.
const maxIndex = 4 << 20

// find is the class that rank is in, nil if none.
func (t *realmThread) find(rank int) *Class {
	t.once.Do(t.prepare)
	if t.index != nil {
		k := sort.Search(len(t.index), func(k int) bool { return t.index[k].lo > rank }) - 1
		if k >= 0 && rank < t.index[k].hi {
			return t.index[k].class
		}
		return nil
	}
	for _, c := range t.classes {
		if c.head.Ranks.Contains(rank) {
			return c
		}
	}
	return nil
}

// set is the ranks that have the thread.
func (t *realmThread) set() *RankSet {
	t.once.Do(t.prepare)
	return t.ranks
}

// prepare works out the ranks that have the thread, and the index.
func (t *realmThread) prepare() {
	if t.ranks = t.all; t.members != t.all.Len() {
		sets := make([]*RankSet, len(t.classes))
		for i, c := range t.classes {
			sets[i] = c.head.Ranks
		}
		t.ranks = unionOf(sets)
	}
	if len(t.classes) < manyClasses {
		return
	}
	index := make([]classRun, 0, len(t.classes))
	for _, c := range t.classes {
		for lo, hi := range c.head.Ranks.Intervals() {
			if len(index) == maxIndex {
				return
			}
			index = append(index, classRun{lo, hi, c})
		}
	}
	slices.SortFunc(index, func(x, y classRun) int { return cmp.Compare(x.lo, y.lo) })
	t.index = index
}

// unionOf unites sets, neighbours first.
func unionOf(sets []*RankSet) *RankSet {
	switch len(sets) {
	case 0:
		return rankfunc.Range(0, 0)
	case 1:
		return sets[0]
	}
	h := len(sets) / 2
	return unionOf(sets[:h]).Union(unionOf(sets[h:]))
}
