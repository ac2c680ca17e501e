package merge

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/internal/codec/rankfunc"
	"github.com/tabard-hpc/tabard/spec"
)

// Content is what the archive of p holds. It shares memory with p.
func (p *Part) Content() (*archive.Content, error) {
	s, err := p.whole()
	if err != nil {
		return nil, err
	}
	w := &writer{env: p.env, c: &archive.Content{}, modules: map[archive.Module]int{}, sites: map[string]int{},
		columns: map[string]int{}, timings: map[string]int{}, groups: map[groupKey]int{}, members: p.members}
	if p.meta != nil {
		w.c.Meta = *p.meta
	}
	w.addGroups(s)
	classes := w.sortedClasses(s)
	if err := w.makeTemplates(classes); err != nil {
		return nil, err
	}
	w.spread = spreads(classes)
	for _, c := range classes {
		if err := w.addClass(c); err != nil {
			return nil, err
		}
	}
	return w.c, archive.LinkTrees(w.c.Sites)
}

// writer turns a state into the content of an archive: it decides all that needs an order.
type writer struct {
	env              *env
	c                *archive.Content
	modules          map[archive.Module]int
	sites            map[string]int
	columns, timings map[string]int // by key
	groups           map[groupKey]int
	plans            map[string]*plan
	members          Members
	spread           bool // see spreads
}

func (w *writer) addGroups(s *state) {
	var sorted []*group
	for _, g := range s.groups {
		sorted = append(sorted, g)
	}
	slices.SortFunc(sorted, func(x, y *group) int { return archive.CompareGroups(w.group(x), w.group(y)) })
	for i, g := range sorted {
		w.groups[g.groupKey] = i
		t := w.group(g)
		t.Ranks = g.ranks
		if !g.unranked {
			t.Hosts = casesOf(g.hosts, g.ranks, same[string])
		}
		t.Ends = casesOf(g.ends, g.ranks, same[string])
		for key, c := range g.info {
			t.Info = append(t.Info, archive.InfoKey{Key: key, Values: casesOf(c, g.ranks, same[archive.InfoValue])})
		}
		slices.SortFunc(t.Info, func(x, y archive.InfoKey) int { return cmp.Compare(x.Key, y.Key) })
		t.Modules = casesOf(g.modules, g.ranks, func(ms *[]archive.Module) []int {
			ids := make([]int, len(*ms))
			for i, m := range *ms {
				ids[i] = w.module(m)
			}
			return ids
		})
		t.PID, t.Complete, t.Lost = g.pid.fn(), g.complete.fn(), g.lost.fn()
		t.Clocks, t.Bases = g.clocks, g.bases
		w.c.Groups = append(w.c.Groups, t)
	}
}

func same[T any](x *T) T { return *x }

// group is what tells the group from others.
func (w *writer) group(g *group) *archive.Group {
	return &archive.Group{World: g.world, Size: g.size, Unranked: g.unranked, Host: g.host}
}

func (w *writer) module(m archive.Module) int {
	id, ok := w.modules[m]
	if !ok {
		id = len(w.c.Modules)
		w.modules[m] = id
		w.c.Modules = append(w.c.Modules, m)
	}
	return id
}

// site numbers a call site from 1; 0 is unknown.
func (w *writer) site(key string) uint32 {
	if key == "" {
		return 0
	}
	id, ok := w.sites[key]
	if !ok {
		s := w.makeSite(key) // what it refers to comes before it
		w.c.Sites = append(w.c.Sites, s)
		id = len(w.c.Sites)
		w.sites[key] = id
	}
	return uint32(id)
}

func (w *writer) makeSite(key string) (s archive.Site) {
	if t, called := w.env.parseTree(key); t != nil {
		for i, k := range called[1:] {
			t.Calls[i].Site = w.site(k)
		}
		t.Func = w.site(called[0])
		s.Tree = t
		return s
	}
	for _, f := range parseSite(key) {
		if f.Module >= 0 {
			f.Module = w.module(f.module)
		}
		s.Frames = append(s.Frames, f.Frame)
	}
	return s
}

func (w *writer) sortedClasses(s *state) []*class {
	var classes []*class
	for _, c := range s.classes {
		classes = append(classes, c)
	}
	slices.SortFunc(classes, func(x, y *class) int {
		return cmp.Or(
			cmp.Compare(w.groups[x.group], w.groups[y.group]),
			cmp.Compare(x.ranks.Min(), y.ranks.Min()),
			cmp.Compare(x.thread, y.thread),
		)
	})
	return classes
}

// plan is a template in the making: what all terminals of a site and kind have in common.
type plan struct {
	id   int
	t    *archive.Template
	vals []archive.Leaf // of t
}

// planKey finds the plan of a terminal.
func planKey(t *term, sig *archive.Signature) string {
	return string(archive.AppendKinds(byteio.AppendSized(nil, t.site), sig))
}

// makeTemplates makes a template of all terminals, in whatever class, that are equal in call site
// and kinds. A leaf stays in the template if it has the same value in all of them.
func (w *writer) makeTemplates(classes []*class) error {
	w.plans = map[string]*plan{}
	for _, c := range classes {
		ctx := w.env.context(c.group.size)
		for i := range c.terms {
			p := takeApart(ctx, &c.terms[i])
			key := planKey(&c.terms[i], p.sig)
			pl := w.plans[key]
			if pl == nil {
				own := *p.sig.Clone()
				own.Site = w.site(c.terms[i].site)
				pl = &plan{
					id: len(w.c.Templates),
					t:  &archive.Template{Signature: own, Open: make([]bool, len(p.leaves))},
				}
				pl.vals = archive.Leaves(nil, &pl.t.Signature)
				w.plans[key] = pl
				w.c.Templates = append(w.c.Templates, pl.t)
			}
			for k := range p.leaves {
				if p.isOpen(k) || !equalLeaves(&p.leaves[k], &pl.vals[k]) {
					pl.t.Open[k] = true
				}
			}
		}
	}
	for _, pl := range w.plans {
		p := &termParts{sig: &pl.t.Signature, leaves: pl.vals}
		for k, open := range pl.t.Open {
			if open {
				if err := p.clear(k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *writer) addClass(c *class) error {
	d := &archive.ClassData{
		Group:   w.groups[c.group],
		Thread:  c.thread,
		Ranks:   c.ranks,
		Grammar: c.g,
		Trips:   functions(c.trips),
	}
	ctx := w.env.context(c.group.size)
	for i := range c.terms {
		p := takeApart(ctx, &c.terms[i])
		pl := w.plans[planKey(&c.terms[i], p.sig)]
		d.Terminals = append(d.Terminals, pl.id)
		var params []archive.Param
		for k, open := range pl.t.Open {
			if open {
				params = append(params, p.export(k, c.ranks))
			}
		}
		d.Params = append(d.Params, params)
	}
	w.relate(c, d)
	if c.polls {
		d.Calls = c.calls.fn()
	}
	if c.strings != nil {
		d.Strings = casesOf(c.strings, c.ranks, same[[]string])
	}
	owner, sized := columnOwners(w.c, d)
	occ := occurrencesOf(d)
	for place, col := range c.columns {
		if w.spread {
			col = c.spread(col, occ, owner[place], sized[place])
		}
		keys := col.sorted()
		i := -1
		d.Columns = append(d.Columns, casesOf(keys, c.ranks, func(v *columnValue) archive.ColumnData {
			i++
			if v.blob == nil {
				return v.export()
			}
			if v.clock {
				return archive.ColumnData{Clock: true, Blob: numberBlob(w.timings, &w.c.Timings, keys[i].key, v.blob)}
			}
			return archive.ColumnData{Blob: numberBlob(w.columns, &w.c.Columns, keys[i].key, v.blob)}
		}))
	}
	keys := c.timing.sorted()
	i := -1
	d.Timing = casesOf(keys, c.ranks, func(b *[]byte) int {
		i++
		if *b == nil {
			return -1
		}
		return numberBlob(w.timings, &w.c.Timings, keys[i].key, *b)
	})
	w.c.Classes = append(w.c.Classes, d)
	return nil
}

// columnOwners are the terminals of the columns of a class, and which columns are elements of
// arrays.
func columnOwners(c *archive.Content, d *archive.ClassData) (owner []int, sized []bool) {
	for t, id := range d.Terminals {
		for _, s := range c.Templates[id].Columns() {
			owner, sized = append(owner, t), append(sized, s.Array && s.Field >= 0)
		}
	}
	return owner, sized
}

// numberBlob numbers a blob by its key.
func numberBlob(ids map[string]int, blobs *[][]byte, key string, b []byte) int {
	id, ok := ids[key]
	if !ok {
		id = len(*blobs)
		ids[key] = id
		*blobs = append(*blobs, b)
	}
	return id
}

// export is the value of leaf i as the archive holds it.
func (p *termParts) export(i int, all *archive.RankSet) archive.Param {
	x := p.param(i, all)
	switch p.leaves[i].Kind() {
	case archive.VecLeaf:
		return archive.Param{Vec: x.vec}
	case archive.StrLeaf:
		c := casesOf(x.strs, all, same[string])
		return archive.Param{Str: &c}
	}
	return archive.Param{N: x.n, Fn: x.f}
}

// FromArchive returns the part that an archive holds. It loads all of its content. Where ranks are
// regular, the cost does not depend on their number.
func FromArchive(a *archive.Archive) (*Part, error) {
	c, err := a.Content()
	if err != nil {
		return nil, err
	}
	return FromContent(c)
}

// FromContent returns the part whose archive has the content c.
func FromContent(c *archive.Content) (*Part, error) {
	p := New()
	p.SetMeta(c.Meta)
	r := &loader{env: p.env, c: c}
	s := newState()
	for _, g := range c.Groups {
		x := r.group(g)
		s.groups[x.groupKey] = x
	}
	var err error
	if r.sites, err = p.env.siteKeys(c.Sites, c.Modules); err != nil {
		return nil, err
	}
	for _, cl := range c.Classes {
		x, key, err := r.class(cl)
		if err != nil {
			return nil, err
		}
		if y := s.classes[key]; y != nil {
			if err := p.env.mergeClass(y, x); err != nil {
				return nil, err
			}
			continue
		}
		s.classes[key] = x
	}
	p.levels = []*state{s}
	_, err = p.whole()
	return p, err
}

type loader struct {
	env   *env
	c     *archive.Content
	sites []string
}

func (r *loader) group(g *archive.Group) *group {
	x := &group{
		groupKey: groupKey{g.World, g.Size, g.Unranked, g.Host},
		ranks:    g.Ranks,
		info:     map[string]choices[archive.InfoValue]{},
	}
	text := func(s *string) (string, string) { return *s, *s }
	if !g.Unranked {
		x.hosts = choicesOf(&g.Hosts, g.Ranks, text)
		x.pid = numberOf(g.PID)
	}
	x.ends = choicesOf(&g.Ends, g.Ranks, text)
	for i := range g.Info {
		x.info[g.Info[i].Key] = choicesOf(
			&g.Info[i].Values,
			g.Ranks,
			func(v *archive.InfoValue) (string, archive.InfoValue) { return infoKey(v), *v },
		)
	}
	x.modules = choicesOf(&g.Modules, g.Ranks, func(ids *[]int) (string, []archive.Module) {
		ms := make([]archive.Module, len(*ids))
		for i, id := range *ids {
			ms[i] = r.c.Modules[id]
		}
		return moduleKey(ms), ms
	})
	x.complete, x.lost = numberOf(g.Complete), numberOf(g.Lost)
	x.clocks, x.bases = g.Clocks, g.Bases
	return x
}

func (r *loader) class(d *archive.ClassData) (*class, classKey, error) {
	g := r.c.Groups[d.Group]
	c := &class{group: groupKey{g.World, g.Size, g.Unranked, g.Host}, thread: d.Thread, ranks: d.Ranks,
		g: d.Grammar, trips: numbersOf(d.Trips), polls: d.Calls != nil}
	ctx := r.env.context(g.Size)
	var sigs []*archive.Signature
	for t, id := range d.Terminals {
		tm := r.c.Templates[id]
		x, sig, err := r.term(ctx, tm, d.Params[t], d.Ranks)
		if err != nil {
			return nil, classKey{}, err
		}
		c.terms, sigs = append(c.terms, x), append(sigs, sig)
	}
	if d.Calls != nil {
		c.calls = numberOf(d.Calls)
	}
	if len(d.Strings.Values) > 0 {
		c.strings = choicesOf(&d.Strings, d.Ranks, func(s *[]string) (string, []string) { return stringsKey(*s), *s })
	}
	owner, sized := columnOwners(r.c, d)
	occ := occurrencesOf(d)
	for i := range d.Columns {
		c.columns = append(
			c.columns,
			c.gather(ctx, choicesOf(&d.Columns[i], d.Ranks, func(v *archive.ColumnData) (string, columnValue) {
				if v.Clock {
					b := r.c.Timings[v.Blob]
					return "clock " + hashKey(b), columnValue{blob: b, clock: true}
				}
				if v.Blob >= 0 {
					b := r.c.Columns[v.Blob]
					return blobKey(b), columnValue{blob: b}
				}
				return shapeKey(v.Shape), columnValue{shape: v.Shape, numbers: numbersOfParams(v.Params)}
			}), occ, owner[i], sized[i]),
		)
	}
	c.timing = choicesOf(&d.Timing, d.Ranks, func(n *int) (string, []byte) {
		if *n < 0 {
			return "", nil
		}
		return hashKey(r.c.Timings[*n]), r.c.Timings[*n]
	})
	return c, c.keyOf(func(t int) []byte { return archive.AppendKinds(nil, sigs[t]) }), nil
}

// term puts a terminal together: what is the same at all ranks goes into the signature.
func (r *loader) term(
	ctx *rankfunc.Context, tm *archive.Template, ps []archive.Param, all *archive.RankSet,
) (term, *archive.Signature, error) {
	sig := tm.Signature.Clone()
	t := term{}
	if sig.Site > 0 {
		t.site = r.sites[sig.Site-1]
	}
	sig.Site = 0
	k := 0
	for i, l := range archive.Leaves(nil, sig) {
		if !tm.Open[i] {
			continue
		}
		p := &ps[k]
		k++
		x := param{number: number{n: p.N}, vec: p.Vec}
		switch {
		case p.Base != nil:
			x.number = absolute(ctx, all, p)
		case p.Fn != nil:
			x.number = numberOf(p.Fn)
		}
		if p.Str != nil {
			x.strs = choicesOf(p.Str, all, func(s *string) (string, string) { return *s, *s })
		}
		if !x.constant(l.Kind()) {
			t.open = append(t.open, openLeaf{i, x})
			continue
		}
		var err error
		switch l.Kind() {
		case archive.VecLeaf:
			v, _ := x.vec.Constant()
			err = l.SetVec(v, spec.ByID(sig.Func).Slots[l.Slot()].Class)
		case archive.StrLeaf:
			l.SetStr(x.strs[0].value)
		default:
			err = l.SetInt(x.n)
		}
		if err != nil {
			return term{}, nil, err
		}
	}
	t.sig = r.env.share(sig)
	return t, sig, nil
}
