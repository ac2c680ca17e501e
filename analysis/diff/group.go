package diff

import (
	"fmt"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

// group is ranks whose calls are the same in each of the archives, but for parameters.
type group struct {
	c        *comparison
	ka, kb   *class
	sa, sb   *archive.Stream // of the least rank
	ranks    *archive.RankSet
	wa, wb   *word
	steps    []step
	work     uint64
	timesOfA []uint64
	loose    bool // see loosen
	selected [2]*selection.Part
	left     map[*term]bool // what is not selected
	whole    bool           // all calls to the end are compared
	// local are parameters that differ, by what they are and where.
	local map[string]*Difference
	keys  []string
}

func (c *comparison) group(ka, kb *class, ranks *archive.RankSet) error {
	g := &group{c: c, ka: ka, kb: kb, sa: ka.Stream(ranks.Min()), sb: kb.Stream(ranks.Min()), ranks: ranks,
		local: map[string]*Difference{}}
	err := g.align()
	if err == nil && c.o.Parameters && !(c.itself() && ka.Class == kb.Class) {
		err = g.parameters()
	}
	g.wa, g.wb, g.steps = nil, nil, nil // differences keep the group
	return err
}

// align finds out in what the structure of both streams differs.
func (g *group) align() error {
	c := g.c
	err := g.leave()
	if err != nil {
		return err
	}
	if g.wa, g.wb, err = g.words(nil, nil); err != nil {
		return err
	}
	if g.timesOfA, err = g.sa.Occurrences(); err != nil {
		return err
	}
	if err := g.loosen(); err != nil {
		return err
	}
	s, err := g.span()
	if err != nil {
		return err
	}
	g.whole = s.a1 == g.wa.len() && s.b1 == g.wb.len()
	c.result.Calls += (s.a1 - s.a0) * uint64(g.ranks.Len())
	l := &aligner{a: g.wa, b: g.wb, work: &g.work, limit: maxWork}
	g.steps = l.align(s, 0)
	if l.coarse {
		c.note(fmt.Sprintf("ranks %v: the calls have too little in common to be compared in detail", g.ranks))
	}
	c.compared = append(c.compared, compared{ka: g.ka, kb: g.kb, ranks: g.ranks})
	g.structure()
	return nil
}

// words are the words of both sides, made at the same time. Letters are those of functions and call sites, or others.
func (g *group) words(la, lb []print) (u, v *word, err error) {
	var words [2]*word
	err = workers.Each(2, func(side int) (err error) {
		words[side], err = g.word(side, [][]print{la, lb}[side])
		return err
	})
	return words[0], words[1], err
}

func (g *group) word(side int, letters []print) (*word, error) {
	k, s := g.ka, g.sa
	if side == 1 {
		k, s = g.kb, g.sb
	}
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
	if p := g.selected[side]; p != nil {
		if marked := p.Marked(); marked != nil { // outside of the region terminals are others, which are not kept
			none := make([]bool, len(kept))
			gr, keys = marked, slices.Concat(keys, keys, keys)
			kept, pseudo = slices.Concat(kept, none, kept), slices.Concat(pseudo, pseudo, pseudo)
		}
	}
	w := newWord(gr, keys, kept, pseudo, &g.work)
	w.terms = max(1, len(k.terms))
	return w, nil
}

// keeps tells whether calls of a terminal are compared.
func (g *group) keeps(x *term) bool {
	return x.kept && !g.left[x] && !(g.loose && x.f.Has(spec.Indefinite))
}

// loosen leaves out calls whose number the standard does not determine, if the words differ and
// have such calls.
func (g *group) loosen() error {
	if g.wa.len() == g.wb.len() && g.wa.prefix(g.wa.len()) == g.wb.prefix(g.wb.len()) {
		return nil
	}
	counts := [2]map[int]uint64{{}, {}}
	first := map[int]*term{}
	for i, k := range []*class{g.ka, g.kb} {
		n, err := []*archive.Stream{g.sa, g.sb}[i].Occurrences()
		if err != nil {
			return err
		}
		for t := range k.terms {
			if x := &k.terms[t]; x.kept && !g.left[x] && x.f.Has(spec.Indefinite) && n[t] > 0 {
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
			g.c.addOrder(OrderNote{Func: x.f.Name, Site: x.site, Param: "number of calls",
				Count: (max(a, b) - min(a, b)) * uint64(g.ranks.Len())}, g.ranks)
		}
	}
	var err error
	g.wa, g.wb, err = g.words(nil, nil)
	return err
}

// met finds the pairs of aligned calls whose letters differ.
func (g *group) met(la, lb []print) (*pairs, error) {
	p := &pairs{work: new(uint64), limit: maxWork, found: map[pair]*met{}}
	var err error
	if p.u, p.v, err = g.words(la, lb); err != nil {
		return nil, err
	}
	p.u.work, p.v.work = p.work, p.work
	p.steps(g.steps, 0, 0, 1)
	return p, nil
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
		p, err := g.met(la, lb)
		if err != nil {
			return err
		}
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
		if soft {
			if err := g.renamings(p, la, lb); err != nil {
				return err
			}
		} else {
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
		name = archive.SlotName(x.f, &x.f.Slots[d.slot])
	}
	if d.slot < 0 || d.slot >= x.f.NumIn {
		kind = Outcome
	}
	n := &Difference{Kind: kind, Call: Call{x.f.Name, x.site, 1}, Param: name, A: d.a, B: d.b, Count: m.count}
	g.differs(n, m.pa, m.pb, newSet(d.ranks))
}

// orderNote counts something that differs and is not a difference.
func (g *group) orderNote(k pair, d *slotDifference, m *met) {
	x := &g.ka.terms[k.a]
	name := "return"
	if d.slot >= 0 {
		name = archive.SlotName(x.f, &x.f.Slots[d.slot])
		if open(x.f, &x.sig, d.slot) {
			g.c.compared[len(g.c.compared)-1].noted = true
		}
	}
	g.c.addOrder(OrderNote{Func: x.f.Name, Site: x.site, Param: name, Count: m.count * uint64(len(d.ranks))},
		newSet(d.ranks))
}

func (c *comparison) addOrder(n OrderNote, ranks *archive.RankSet) {
	key := n.Func + "\x00" + n.Site + "\x00" + n.Param
	o := c.order[key]
	if o == nil {
		o = &orderNote{OrderNote: n}
		o.Count = 0
		c.order[key] = o
	}
	o.Count += n.Count
	o.ranks = o.ranks.Union(without(ranks, o.ranks))
}

// orderNote is an OrderNote with its ranks, those of all worlds together.
type orderNote struct {
	OrderNote
	ranks *archive.RankSet
}

// at notes the place of a difference.
func (g *group) at(d *Difference, pa, pb uint64) {
	d.World, d.Thread = g.ka.Group().World, g.ka.Thread()
	ca, cb := g.wa.before(pa), g.wb.before(pb)
	d.eventA = ca.events
	d.events = [2]uint64{ca.events, cb.events}
	if d.Kind != Parameter && d.Kind != Outcome {
		// What is missing or in excess may begin like what follows it, as one iteration does like
		// the next: up to there both made the same calls.
		n := common(g.wa, pa, g.wb, pb, math.MaxUint64)
		d.events = [2]uint64{g.wa.before(pa + n).events, g.wb.before(pb + n).events}
	}
	d.callA, d.callB = ca.calls, cb.calls
	var both workers.Group // this may decode columns
	both.Go(func() { d.CallA, _ = g.sa.CallsBefore(ca.events) })
	d.CallB, _ = g.sb.CallsBefore(cb.events)
	both.Wait()
	d.position = float64(pa) / float64(max(g.wa.len(), 1))
	if pa >= g.wa.len() {
		d.position = float64(pb) / float64(max(g.wb.len(), 1))
	}
	d.group = g
}

// differs notes a parameter that differs at some ranks, behind whatever terminals.
func (g *group) differs(d *Difference, pa, pb uint64, ranks *archive.RankSet) {
	key := fmt.Sprintf("%d %v %q %q %q %v", d.Kind, d.Call, d.Param, d.A, d.B, ranks)
	g.at(d, pa, pb)
	d.Ranks = ranks
	old := g.local[key]
	switch {
	case old == nil:
		g.keys = append(g.keys, key)
	case old.eventA <= d.eventA:
		old.Count += d.Count
		return
	default:
		d.Count += old.Count
		d.Varies = d.Varies || old.Varies
	}
	g.local[key] = d
}

// settle counts the calls at each function and call site where a parameter differs, and adds the
// differences.
func (g *group) settle() error {
	for _, key := range g.keys {
		d := g.local[key]
		before, err := g.sa.OccurrencesBefore(d.eventA)
		if err != nil {
			return err
		}
		for t := range g.ka.terms {
			if x := &g.ka.terms[t]; x.kept && x.f.Name == d.Call.Func && x.site == d.Call.Site {
				d.Of += g.timesOfA[t]
				d.earlier += before[t]
			}
		}
		d.FromThereOn = d.onwards()
		g.add(d, d.Ranks)
	}
	return nil
}

// add adds a difference at some ranks. Other ranks may already have it.
func (g *group) add(d *Difference, ranks *archive.RankSet) {
	c := g.c
	key := fmt.Sprintf("%d %d %d %v %q %q %q %v %d %t", d.Kind, d.World, d.Thread, d.Call, d.Param, d.A, d.B, d.Calls,
		d.More, d.OnlyA)
	if d.Kind == Parameter || d.Kind == Outcome {
		key += fmt.Sprint(" ", d.Count, d.Of, d.FromThereOn)
	}
	d.Ranks = ranks
	if old := c.found[key]; old != nil {
		if old.Ranks.Equal(ranks) {
			old.Count += d.Count
		} else if d.Ranks = without(ranks, old.Ranks); d.Ranks.Len() > 0 {
			old.Ranks = old.Ranks.Union(d.Ranks)
			old.parts = append(old.parts, d)
		}
		return
	}
	if len(c.found) >= maxDifferences {
		c.note("there are more differences than are kept")
		return
	}
	part := *d
	d.parts = []*Difference{&part}
	c.keep(key, d)
}
