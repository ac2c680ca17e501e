package diff

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// comparison is the state of Of.
type comparison struct {
	o           Options
	sides       [2]*side
	keys        names
	values      names
	found       map[string]*Difference // by what they say
	list        []*Difference          // those of found, in the order in which they were met
	order       map[string]*orderNote
	result      *Result
	evaluations uint64
	calls       uint64           // read one by one
	unread      *archive.RankSet // whose columns were not compared
	notes       map[string]bool
	compared    []compared
	moved       map[movedKey]string // see moved.go
	threads     bool                // two threads of one recording are compared

	done, total uint64 // streams that were compared, and all
	telling     sync.Mutex
}

// tell says how far it is.
func (c *comparison) tell() {
	c.telling.Lock()
	defer c.telling.Unlock()
	if c.o.Progress != nil {
		c.o.Progress(min(c.done, c.total), c.total)
	}
}

// manyCalls is after how many calls that were read one by one it says so again.
const manyCalls = 1 << 12

// readCall counts a call that was read on its own.
func (c *comparison) readCall() {
	if c.calls++; c.calls%manyCalls == 0 {
		c.tell()
	}
}

// newComparison is a comparison of which nothing is done yet.
func newComparison(a, b *archive.Archive, o Options) *comparison {
	if o.Calls == 0 {
		o.Calls = DefaultCalls
	}
	c := &comparison{o: o, keys: names{}, values: names{}, found: map[string]*Difference{},
		order: map[string]*orderNote{}, result: &Result{}, notes: map[string]bool{}}
	for i, x := range []*archive.Archive{a, b} {
		c.sides[i] = &side{a: x, number: i, rerun: o.Rerun, abi: x.Meta().ABI, classes: map[*archive.Class]*class{},
			nests: map[int]*nest{}}
	}
	return c
}

// Of compares two archives. Errors are those of reading them.
func Of(a, b *archive.Archive, o Options) (*Result, error) {
	c := newComparison(a, b, o)
	a.ReadInOrder()
	b.ReadInOrder()
	if !o.IgnoreSites && !o.Rerun {
		if err := c.findMoved(); err != nil {
			return nil, err
		}
	}
	if err := c.resolve(); err != nil {
		return nil, err
	}
	if o.Structure || o.Parameters {
		if err := c.all(); err != nil {
			return nil, err
		}
	} else {
		c.result.Ranks = len(commonRanks(a, b))
	}
	if o.Time {
		t, err := c.times()
		if err != nil {
			return nil, err
		}
		c.result.Times = t
	}
	return c.result, c.finish()
}

// itself tells whether a recording is compared with itself.
func (c *comparison) itself() bool { return !c.threads && c.sides[0].a == c.sides[1].a }

// realm is the classes of the threads with one number in one world.
type realm struct {
	world, thread int
}

// realms are the classes of ranks by threads. What repeats the calls of another program has no threads that make none:
// then the threads count that make some.
func (s *side) realms(rerun bool) map[realm][]*archive.Class {
	out := map[realm][]*archive.Class{}
	for _, k := range s.a.Classes() {
		if !k.Group().Unranked {
			r := realm{k.Group().World, k.Thread()}
			out[r] = append(out[r], k)
		}
	}
	if !rerun {
		return out
	}
	dense := map[realm][]*archive.Class{}
	next := map[int]int{}
	for _, r := range sortedRealms(out) {
		dense[realm{r.world, next[r.world]}] = out[r]
		next[r.world]++
	}
	return dense
}

func sortedRealms[T any](m map[realm]T) []realm {
	return slices.SortedFunc(maps.Keys(m), func(a, b realm) int {
		return cmp.Or(a.world-b.world, a.thread-b.thread)
	})
}

func (c *comparison) all() error {
	c.lost()
	if err := c.processes(); err != nil {
		return err
	}
	as, bs := c.sides[0].realms(c.o.Rerun), c.sides[1].realms(c.o.Rerun)
	for _, list := range as {
		for _, k := range list {
			c.total += uint64(k.Ranks().Len())
		}
	}
	for _, r := range sortedRealms(as) {
		partners := twins(bs[r])
		for _, ka := range as[r] {
			others := bs[r]
			if kb := partners.of(ka.Ranks()); kb != nil {
				others = []*archive.Class{kb} // classes have no rank in common
			}
			for _, kb := range others {
				ranks := c.o.Ranks.Of(intersection(ka.Ranks(), kb.Ranks()))
				if ranks.Len() == 0 {
					continue
				}
				if err := c.classes(ka, kb, ranks); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// extent tells most sets of ranks apart.
type extent struct{ min, max, len int }

// twinTable finds classes by their ranks.
type twinTable map[extent]*archive.Class

func twins(list []*archive.Class) twinTable {
	t := twinTable{}
	for _, k := range list {
		t[extentOf(k.Ranks())] = k
	}
	return t
}

func extentOf(s *archive.RankSet) extent {
	if s.Len() == 0 {
		return extent{}
	}
	return extent{s.Min(), s.Max(), s.Len()}
}

// of is the class with these ranks, nil if there is none.
func (t twinTable) of(ranks *archive.RankSet) *archive.Class {
	if k := t[extentOf(ranks)]; k != nil && k.Ranks().Equal(ranks) {
		return k
	}
	return nil
}

// classes compares two classes at the ranks that they have in common.
func (c *comparison) classes(ta, tb *archive.Class, ranks *archive.RankSet) error {
	ka, err := c.class(c.sides[0], ta)
	if err != nil {
		return err
	}
	kb, err := c.class(c.sides[1], tb)
	if err != nil {
		return err
	}
	groups := []*archive.RankSet{ranks}
	if len(ka.data.Trips)+len(kb.data.Trips) > 0 {
		groups = split(ranks, func(rank int) string { return fmt.Sprint(trips(ka, rank), trips(kb, rank)) })
	}
	for _, g := range groups {
		for _, g := range c.parts(g) {
			c.tell()
			c.done += uint64(g.Len())
			if err := c.group(ka, kb, g); errors.Is(err, errTooMuch) {
				c.note(fmt.Sprintf("ranks %v: %v: their parameters were not compared", g, err))
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

func trips(k *class, rank int) (list []int64) {
	for _, f := range k.data.Trips {
		list = append(list, f.At(rank))
	}
	return list
}

// split groups ranks by a key, in the order of the least ones.
func split(ranks *archive.RankSet, key func(rank int) string) (out []*archive.RankSet) {
	at := map[string]int{}
	var lists [][]int
	for r := range ranks.All() {
		k := key(r)
		i, ok := at[k]
		if !ok {
			i = len(lists)
			at[k] = i
			lists = append(lists, nil)
		}
		lists[i] = append(lists[i], r)
	}
	if len(lists) == 1 {
		return []*archive.RankSet{ranks}
	}
	for _, l := range lists {
		out = append(out, newSet(l))
	}
	return out
}

func (c *comparison) note(text string) {
	if !c.notes[text] {
		c.notes[text] = true
		if len(c.result.Notes) < 100 {
			c.result.Notes = append(c.result.Notes, text)
		}
	}
}

// keep keeps a difference that was not met yet.
func (c *comparison) keep(key string, d *Difference) {
	c.found[key] = d
	c.list = append(c.list, d)
}

// finish sorts the differences and finds their places.
func (c *comparison) finish() error {
	r := c.result
	for _, d := range c.list {
		if !c.o.Structure && d.Kind != Parameter && d.Kind != Outcome {
			continue
		}
		r.Differences = append(r.Differences, d)
	}
	if err := c.follows(); err != nil {
		return err
	}
	if n := c.unread.Len(); n > 0 {
		c.note(fmt.Sprintf("ranks %v: parameters that differ from call to call were not compared: there are too many",
			c.unread))
	}
	r.Differences = unite(r.Differences)
	r.Follows = unite(r.Follows)
	for _, list := range [][]*Difference{r.Differences, r.Follows} {
		sort.SliceStable(list, func(i, j int) bool { return earlier(list[i], list[j]) })
		nestsOf(list[:min(len(list), maxPlaces)])
		for i, d := range list {
			if i < maxPlaces {
				d.find()
			}
			d.group = nil
		}
	}
	if a, b := c.sides[0], c.sides[1]; a.nestWork+b.nestWork > maxNestWork || a.crowded || b.crowded {
		c.note("the loops around some differences were not looked for: there are too many")
	}
	for _, o := range c.order {
		o.Ranks = o.ranks.Len()
		r.Order = append(r.Order, o.OrderNote)
	}
	slices.SortFunc(r.Order, func(a, b OrderNote) int {
		if a.Count != b.Count {
			if a.Count > b.Count {
				return -1
			}
			return 1
		}
		return slices.Compare([]string{a.Func, a.Site, a.Param}, []string{b.Func, b.Site, b.Param})
	})
	return nil
}

// earlier orders differences: actions before their outcomes, few ranks before many, and the
// beginning before the end.
func earlier(a, b *Difference) bool {
	stage := func(k Kind) int {
		switch k {
		case Hang, Stop:
			return 1
		case Outcome:
			return 2
		case Processes:
			return 3
		}
		return 0
	}
	if x, y := stage(a.Kind), stage(b.Kind); x != y {
		return x < y
	}
	if a.unexpected != b.unexpected {
		return a.unexpected
	}
	if x, y := a.Ranks.Len(), b.Ranks.Len(); x != y {
		return x < y
	}
	if a.position != b.position {
		return a.position < b.position
	}
	if a.Kind != b.Kind {
		return a.Kind < b.Kind
	}
	if x, y := a.Ranks.Min(), b.Ranks.Min(); x != y {
		return x < y
	}
	if a.World != b.World {
		return a.World < b.World
	}
	return fmt.Sprint(a.Thread, a.Call, a.Param, a.A, a.B, a.Count, a.Calls) <
		fmt.Sprint(b.Thread, b.Call, b.Param, b.A, b.B, b.Count, b.Calls)
}

// home is the stream whose loops a difference is in.
func (d *Difference) home() (*side, *archive.Stream) {
	g := d.group
	switch {
	case g == nil:
		return nil, nil
	case d.onlyB:
		return g.c.sides[1], g.sb
	default:
		return g.c.sides[0], g.sa
	}
}

// find looks for the loops that a difference is in.
func (d *Difference) find() {
	s, st := d.home()
	if s == nil {
		return
	}
	call := d.callA
	if d.onlyB {
		call = d.callB
	}
	if n := s.nest(st); n != nil {
		d.Places = n.around(call)
	}
}

// maxPlaces is how many differences are told their loops.
const maxPlaces = 1000

// maxApart is how many differences of one parameter are listed one by one.
const maxApart = 3

// unite joins the differences of one parameter whose values vary: first from call to call at the
// same ranks, then from rank to rank. The first occurrence stands for the others.
func unite(list []*Difference) []*Difference {
	list = joined(list, func(d *Difference) string { return fmt.Sprint(d.Of, d.Ranks) },
		func(ds []*Difference) *Difference {
			sort.SliceStable(ds, func(i, j int) bool { return ds[i].eventA < ds[j].eventA })
			first := *ds[0]
			for _, d := range ds[1:] {
				first.Count += d.Count
			}
			first.FromThereOn = first.onwards()
			return &first
		})
	return joined(list, func(d *Difference) string { return fmt.Sprint(d.Count, d.Of, d.FromThereOn) },
		func(ds []*Difference) *Difference {
			sort.SliceStable(ds, func(i, j int) bool { return ds[i].Ranks.Min() < ds[j].Ranks.Min() })
			first := *ds[0]
			for _, d := range ds[1:] {
				first.Ranks = first.Ranks.Union(d.Ranks)
			}
			return &first
		})
}

// joined joins the differences of one parameter with the same key, if there are more than maxApart.
func joined(list []*Difference, key func(*Difference) string,
	join func([]*Difference) *Difference) (out []*Difference) {
	groups := map[string][]*Difference{}
	var keys []string
	for _, d := range list {
		if d.Kind != Parameter && d.Kind != Outcome {
			out = append(out, d)
			continue
		}
		k := fmt.Sprint(d.Kind, d.World, d.Thread, d.Call, d.Param, key(d))
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], d)
	}
	for _, k := range keys {
		ds := groups[k]
		if len(ds) <= maxApart {
			out = append(out, ds...)
			continue
		}
		first := join(ds)
		first.Varies = true
		out = append(out, first)
	}
	return out
}

// onwards tells whether all calls from the first one on differ in a parameter, and some before it
// do not.
func (d *Difference) onwards() bool { return d.earlier > 0 && d.Count == d.Of-d.earlier && d.Count > 1 }
