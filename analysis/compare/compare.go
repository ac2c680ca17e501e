package compare

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"tabard/trace"
)

// comparison is the state of Of.
type comparison struct {
	o           Options
	sides       [2]*side
	keys        names
	values      names
	found       map[string]*Difference
	order       map[string]*orderNote
	result      *Result
	evaluations uint64
	calls       uint64         // read one by one
	read        uint64         // to find where the order of arrival differs
	unread      *trace.RankSet // whose columns were not compared
	notes       map[string]bool
	compared    []compared
	moved       map[movedKey]string // see moved.go
}

// Of compares two archives. Errors are those of reading them.
func Of(a, b *trace.Archive, o Options) (*Result, error) {
	if o.Calls == 0 {
		o.Calls = DefaultCalls
	}
	c := &comparison{o: o, keys: names{}, values: names{}, found: map[string]*Difference{}, order: map[string]*orderNote{}, result: &Result{}, notes: map[string]bool{}}
	for i, x := range []*trace.Archive{a, b} {
		c.sides[i] = &side{a: x, number: i, rerun: o.Rerun, abi: x.Meta().ABI, classes: map[*trace.Class]*class{}, nests: map[int]*nest{}}
	}
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

// realm is the classes of the threads with one number in one world.
type realm struct {
	world, thread int
}

func (s *side) realms() map[realm][]*trace.Class {
	out := map[realm][]*trace.Class{}
	for _, k := range s.a.Classes() {
		if !k.Group().Unranked {
			r := realm{k.Group().World, k.Thread()}
			out[r] = append(out[r], k)
		}
	}
	return out
}

func (c *comparison) all() error {
	c.lost()
	if err := c.processes(); err != nil {
		return err
	}
	as, bs := c.sides[0].realms(), c.sides[1].realms()
	var list []realm
	for r := range as {
		list = append(list, r)
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].world < list[j].world || list[i].world == list[j].world && list[i].thread < list[j].thread
	})
	for _, r := range list {
		partners := twins(bs[r])
		for _, ka := range as[r] {
			others := bs[r]
			if kb := partners.of(ka.Ranks()); kb != nil {
				others = []*trace.Class{kb} // classes have no rank in common
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
type twinTable map[extent]*trace.Class

func twins(list []*trace.Class) twinTable {
	t := twinTable{}
	for _, k := range list {
		t[extentOf(k.Ranks())] = k
	}
	return t
}

func extentOf(s *trace.RankSet) extent {
	if s.Len() == 0 {
		return extent{}
	}
	return extent{s.Min(), s.Max(), s.Len()}
}

// of is the class with these ranks, nil if there is none.
func (t twinTable) of(ranks *trace.RankSet) *trace.Class {
	if k := t[extentOf(ranks)]; k != nil && k.Ranks().Equal(ranks) {
		return k
	}
	return nil
}

// classes compares two classes at the ranks that they have in common.
func (c *comparison) classes(ta, tb *trace.Class, ranks *trace.RankSet) error {
	ka, err := c.class(c.sides[0], ta)
	if err != nil {
		return err
	}
	kb, err := c.class(c.sides[1], tb)
	if err != nil {
		return err
	}
	groups := []*trace.RankSet{ranks}
	if len(ka.data.Trips)+len(kb.data.Trips) > 0 {
		groups = split(ranks, func(rank int) string { return fmt.Sprint(trips(ka, rank), trips(kb, rank)) })
	}
	for _, g := range groups {
		for _, g := range c.parts(g) {
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
func split(ranks *trace.RankSet, key func(rank int) string) (out []*trace.RankSet) {
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
		return []*trace.RankSet{ranks}
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

// finish sorts the differences and finds their places.
func (c *comparison) finish() error {
	r := c.result
	for _, d := range c.found {
		if !c.o.Structure && d.Kind != Parameter && d.Kind != Outcome {
			continue
		}
		r.Differences = append(r.Differences, d)
	}
	if err := c.follows(); err != nil {
		return err
	}
	if n := c.unread.Len(); n > 0 {
		c.note(fmt.Sprintf("ranks %v: parameters that differ from call to call were not compared: there are too many", c.unread))
	}
	r.Differences = unite(r.Differences)
	r.Follows = unite(r.Follows)
	for _, list := range [][]*Difference{r.Differences, r.Follows} {
		sort.SliceStable(list, func(i, j int) bool { return earlier(list[i], list[j]) })
		for i, d := range list {
			if i < 1000 {
				d.find()
			}
			d.group = nil
		}
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

// earlier orders differences: what was done before what came of it, few ranks before many, and
// the beginning before the end.
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
	return fmt.Sprint(a.Thread, a.Call, a.Param, a.A, a.B, a.Count, a.Calls) < fmt.Sprint(b.Thread, b.Call, b.Param, b.A, b.B, b.Count, b.Calls)
}

// find looks for the loops that a difference is in.
func (d *Difference) find() {
	g := d.group
	if g == nil {
		return
	}
	if n := g.c.sides[0].nest(g.sa); n != nil && !d.onlyB {
		d.Places = n.around(d.callA)
	} else if n := g.c.sides[1].nest(g.sb); n != nil && d.onlyB {
		d.Places = n.around(d.callB)
	}
}

// unite joins the differences of one parameter whose values depend on the rank.
func unite(list []*Difference) []*Difference {
	byCall := map[string][]*Difference{}
	var keys []string
	var out []*Difference
	for _, d := range list {
		if d.Kind != Parameter && d.Kind != Outcome {
			out = append(out, d)
			continue
		}
		key := fmt.Sprint(d.Kind, d.World, d.Thread, d.Call, d.Param, d.Count, d.Of, d.FromThereOn)
		if byCall[key] == nil {
			keys = append(keys, key)
		}
		byCall[key] = append(byCall[key], d)
	}
	for _, k := range keys {
		ds := byCall[k]
		if len(ds) <= 3 {
			out = append(out, ds...)
			continue
		}
		sort.Slice(ds, func(i, j int) bool { return ds[i].Ranks.Min() < ds[j].Ranks.Min() })
		first := *ds[0]
		first.Varies = true
		for _, d := range ds[1:] {
			first.Ranks = first.Ranks.Union(d.Ranks)
		}
		out = append(out, &first)
	}
	return out
}
