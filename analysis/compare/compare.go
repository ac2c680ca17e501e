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
	order       map[string]*OrderNote
	result      *Result
	evaluations uint64
	calls       uint64 // read one by one
	notes       map[string]bool
}

// Of compares two archives. Errors are those of reading them.
func Of(a, b *trace.Archive, o Options) (*Result, error) {
	if o.Calls == 0 {
		o.Calls = DefaultCalls
	}
	c := &comparison{o: o, keys: names{}, values: names{}, found: map[string]*Difference{}, order: map[string]*OrderNote{}, result: &Result{}, notes: map[string]bool{}}
	for i, x := range []*trace.Archive{a, b} {
		c.sides[i] = &side{a: x, abi: x.Meta().ABI, classes: map[*trace.Class]*class{}, nests: map[int]*nest{}}
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
	c.finish()
	return c.result, nil
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
		for _, ka := range as[r] {
			for _, kb := range bs[r] {
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
		if err := c.group(ka, kb, g); errors.Is(err, errTooMuch) {
			c.note(fmt.Sprintf("ranks %v: %v: their parameters were not compared", g, err))
		} else if err != nil {
			return err
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

// group is ranks whose calls are the same in each of the archives, but for parameters.
type group struct {
	c        *comparison
	ka, kb   *class
	sa, sb   *trace.Stream // of the least rank
	ranks    *trace.RankSet
	wa, wb   *word
	steps    []step
	work     uint64
	timesOfA []uint64
	loose    bool // see loosen
	// local are parameters that differ, by what they are and where.
	local map[string]*Difference
	keys  []string
}

func (c *comparison) group(ka, kb *class, ranks *trace.RankSet) error {
	g := &group{c: c, ka: ka, kb: kb, sa: ka.Stream(ranks.Min()), sb: kb.Stream(ranks.Min()), ranks: ranks, local: map[string]*Difference{}}
	var err error
	if g.wa, err = g.word(ka, g.sa, nil); err != nil {
		return err
	}
	if g.wb, err = g.word(kb, g.sb, nil); err != nil {
		return err
	}
	if g.timesOfA, err = g.sa.Occurrences(); err != nil {
		return err
	}
	if err := g.loosen(); err != nil {
		return err
	}
	la, lb := g.wa.len(), g.wb.len()
	c.result.Calls += la * uint64(ranks.Len())
	l := &aligner{a: g.wa, b: g.wb, work: &g.work, limit: maxWork}
	g.steps = l.align(span{0, la, 0, lb}, 0)
	if l.coarse {
		c.note(fmt.Sprintf("ranks %v: the calls have too little in common to be compared in detail", ranks))
	}
	g.structure()
	if c.o.Parameters {
		return g.parameters()
	}
	return nil
}

func (g *group) word(k *class, s *trace.Stream, letters []print) (*word, error) {
	gr, err := s.Grammar()
	if err != nil {
		return nil, err
	}
	kept, pseudo := make([]bool, len(k.terms)), make([]bool, len(k.terms))
	keys := letters
	if keys == nil {
		keys = make([]print, len(k.terms))
	}
	for t := range k.terms {
		x := &k.terms[t]
		kept[t], pseudo[t] = g.keeps(x), x.pseudo
		if letters == nil {
			keys[t] = print{uint64(x.key), uint64(x.key)}
		}
	}
	return newWord(gr, keys, kept, pseudo, &g.work), nil
}

// keeps tells whether calls of a terminal are compared.
func (g *group) keeps(x *term) bool { return x.kept && !(g.loose && someOf(x.f.Name)) }

// loosen leaves calls out whose number is not determined, where words differ that have such.
func (g *group) loosen() error {
	if g.wa.len() == g.wb.len() && g.wa.prefix(g.wa.len()) == g.wb.prefix(g.wb.len()) {
		return nil
	}
	counts := [2]map[int]uint64{{}, {}}
	first := map[int]*term{}
	for i, k := range []*class{g.ka, g.kb} {
		n, err := []*trace.Stream{g.sa, g.sb}[i].Occurrences()
		if err != nil {
			return err
		}
		for t := range k.terms {
			if x := &k.terms[t]; x.kept && someOf(x.f.Name) && n[t] > 0 {
				counts[i][x.key] += n[t]
				first[x.key] = x
			}
		}
	}
	if len(counts[0]) == 0 || len(counts[1]) == 0 {
		return nil
	}
	g.loose = true
	for key, x := range first {
		if a, b := counts[0][key], counts[1][key]; a != b {
			g.c.addOrder(OrderNote{x.f.Name, x.site, "number of calls", g.ranks.Len(), (max(a, b) - min(a, b)) * uint64(g.ranks.Len())})
		}
	}
	var err error
	if g.wa, err = g.word(g.ka, g.sa, nil); err != nil {
		return err
	}
	g.wb, err = g.word(g.kb, g.sb, nil)
	return err
}

// parameters compares the parameters of aligned calls.
func (g *group) parameters() error {
	encoded := g.c.sides[0].abi == g.c.sides[1].abi && g.ranks.Equal(g.ka.Ranks()) && g.ranks.Equal(g.kb.Ranks())
	for _, soft := range []bool{false, true} {
		la, err := g.c.letters(g.ka, g.ranks, soft, encoded)
		if err != nil {
			return err
		}
		lb, err := g.c.letters(g.kb, g.ranks, soft, encoded)
		if err != nil {
			return err
		}
		p := &pairs{work: new(uint64), limit: maxWork, found: map[pair]*met{}}
		if p.u, err = g.word(g.ka, g.sa, la); err != nil {
			return err
		}
		if p.v, err = g.word(g.kb, g.sb, lb); err != nil {
			return err
		}
		p.u.work, p.v.work = p.work, p.work
		p.steps(g.steps, 0, 0, 1)
		if p.cut && !soft {
			g.c.note(fmt.Sprintf("ranks %v: parameters differ at more places than could be counted", g.ranks))
		}
		var columns []pair
		for _, k := range p.order {
			ds, err := g.comparePair(k, p.found[k])
			if err != nil {
				return err
			}
			for i := range ds {
				switch d := &ds[i]; {
				case d.columns:
					columns = append(columns, k)
				case d.soft && soft:
					g.orderNote(k, d, p.found[k])
				case !d.soft && !soft:
					g.parameter(k, d, p.found[k])
				}
			}
		}
		if !soft {
			if err := g.columns(p.u, p.v, len(columns) > 0); err != nil {
				return err
			}
		}
	}
	return g.settle()
}

// parameter notes a parameter that differs.
func (g *group) parameter(k pair, d *slotDifference, m *met) {
	x := &g.ka.terms[k.a]
	kind := Parameter
	name := "return"
	if d.slot >= 0 {
		name = trace.SlotName(x.f, &x.f.Slots[d.slot])
	}
	if d.slot < 0 || d.slot >= x.f.NumIn {
		kind = Outcome
	}
	n := &Difference{Kind: kind, Call: Call{x.f.Name, x.site, 1}, Param: name, A: d.a, B: d.b, Count: m.count}
	g.differs(n, m.pa, m.pb, newSet(d.ranks))
}

// orderNote counts a difference that is none.
func (g *group) orderNote(k pair, d *slotDifference, m *met) {
	x := &g.ka.terms[k.a]
	name := "return"
	if d.slot >= 0 {
		name = trace.SlotName(x.f, &x.f.Slots[d.slot])
	}
	g.c.addOrder(OrderNote{x.f.Name, x.site, name, len(d.ranks), m.count * uint64(len(d.ranks))})
}

func (c *comparison) addOrder(n OrderNote) {
	key := n.Func + "\x00" + n.Site + "\x00" + n.Param
	if o := c.order[key]; o != nil {
		o.Ranks, o.Count = max(o.Ranks, n.Ranks), o.Count+n.Count
		return
	}
	c.order[key] = &n
}

// at notes where a difference is.
func (g *group) at(d *Difference, pa, pb uint64) {
	d.World, d.Thread = g.ka.Group().World, g.ka.Thread()
	var ca, cb size
	if pa < g.wa.len() {
		_, ca = g.wa.at(pa)
	} else if len(g.wa.rules) > 0 {
		ca = g.wa.rules[0].size
	}
	if pb < g.wb.len() {
		_, cb = g.wb.at(pb)
	} else if len(g.wb.rules) > 0 {
		cb = g.wb.rules[0].size
	}
	d.eventA = ca.events
	d.callA, d.callB = ca.calls, cb.calls
	d.CallA, _ = g.sa.CallsBefore(ca.events)
	d.CallB, _ = g.sb.CallsBefore(cb.events)
	d.position = float64(pa) / float64(max(g.wa.len(), 1))
	if pa >= g.wa.len() {
		d.position = float64(pb) / float64(max(g.wb.len(), 1))
	}
	d.group = g
}

// differs notes a parameter that differs at some ranks, behind whatever terminals.
func (g *group) differs(d *Difference, pa, pb uint64, ranks *trace.RankSet) {
	key := fmt.Sprintf("%d %v %q %q %q %v", d.Kind, d.Call, d.Param, d.A, d.B, ranks)
	if old := g.local[key]; old != nil {
		old.Count += d.Count
		return
	}
	g.at(d, pa, pb)
	d.Ranks = ranks
	g.local[key] = d
	g.keys = append(g.keys, key)
}

// settle counts how often the calls were made at all whose parameters differ.
func (g *group) settle() error {
	for _, key := range g.keys {
		d := g.local[key]
		before, err := g.sa.OccurrencesBefore(d.eventA)
		if err != nil {
			return err
		}
		earlier := uint64(0)
		for t := range g.ka.terms {
			if x := &g.ka.terms[t]; x.kept && x.f.Name == d.Call.Func && x.site == d.Call.Site {
				d.Of += g.timesOfA[t]
				earlier += before[t]
			}
		}
		d.FromThereOn = earlier > 0 && d.Count == d.Of-earlier && d.Count > 1
		g.add(d, d.Ranks)
	}
	return nil
}

// add adds a difference of some ranks, which others may have as well.
func (g *group) add(d *Difference, ranks *trace.RankSet) {
	c := g.c
	key := fmt.Sprintf("%d %d %d %v %q %q %q %v %d %t", d.Kind, d.World, d.Thread, d.Call, d.Param, d.A, d.B, d.Calls, d.More, d.OnlyA)
	if d.Kind == Parameter || d.Kind == Outcome {
		key += fmt.Sprint(" ", d.Count, d.Of, d.FromThereOn)
	}
	if old := c.found[key]; old != nil {
		if old.Ranks.Equal(ranks) {
			old.Count += d.Count
		} else {
			old.Ranks = old.Ranks.Union(without(ranks, old.Ranks))
		}
		return
	}
	if len(c.found) >= maxDifferences {
		c.note("there are more differences than are kept")
		return
	}
	d.Ranks = ranks
	c.found[key] = d
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
func (c *comparison) finish() {
	r := c.result
	for _, d := range c.found {
		if !c.o.Structure && d.Kind != Parameter && d.Kind != Outcome {
			continue
		}
		r.Differences = append(r.Differences, d)
	}
	r.Differences = unite(r.Differences)
	sort.SliceStable(r.Differences, func(i, j int) bool { return earlier(r.Differences[i], r.Differences[j]) })
	for i, d := range r.Differences {
		if i < 1000 {
			d.find()
		}
		d.group = nil
	}
	for _, o := range c.order {
		r.Order = append(r.Order, *o)
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
