package functions

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// maxContexts bounds the nest of functions that Grow makes.
const maxContexts = 1 << 16

// Grow adds to the nest what is in trees of calls, down to a depth (0: all). It reports false if that would be too
// much: then what is deeper is left out.
func (r *Result) Grow(depth int) bool {
	b := &builder{out: r, funcs: map[int]*Function{}}
	for _, f := range r.Functions {
		b.funcs[f.Site] = f
	}
	type item struct {
		c     *Context
		depth int
	}
	todo := []item{{r.Root, 0}}
	for n := 0; len(todo) > 0; n++ {
		x := todo[0]
		todo = todo[1:]
		if n > maxContexts {
			return false
		}
		if depth > 0 && x.depth >= depth {
			continue
		}
		b.grow(x.c, x.c.trees, 1)
		x.c.trees = nil
		for _, child := range x.c.Children() {
			todo = append(todo, item{child, x.depth + 1})
		}
	}
	return true
}

// grow adds the functions of trees to a place. Sequences without function are part of what is around them.
func (b *builder) grow(c *Context, trees map[uint32]uint64, times uint64) {
	for site, n := range trees {
		n *= times
		t := b.out.sites[site-1].Tree
		if t != nil && t.Func == 0 {
			b.grow(c, calledOf(t), n)
			continue
		}
		if t == nil {
			b.child(c, site).Calls += n
			continue
		}
		x := b.child(c, t.Func)
		x.Calls += n
		if x.trees == nil {
			x.trees = map[uint32]uint64{}
		}
		for s, k := range calledOf(t) {
			x.trees[s] += n * k
		}
	}
}

func calledOf(t *archive.Tree) map[uint32]uint64 {
	m := map[uint32]uint64{}
	for _, c := range t.Calls {
		m[c.Site] += c.Count
	}
	return m
}

// Edge is how often a function called another one. From is nil for what threads began with.
type Edge struct {
	From, To *Function
	Calls    uint64
}

// Edges are the graph of calls. It must not be called after Grow.
func (r *Result) Edges() []Edge {
	g := &grapher{b: &builder{out: r, funcs: map[int]*Function{}}, edges: map[[2]int]*Edge{}}
	for _, f := range r.Functions {
		g.b.funcs[f.Site] = f
	}
	g.total = make([]uint64, len(r.sites))
	g.context(r.Root)
	for i := len(g.total) - 1; i >= 0; i-- {
		t := r.sites[i].Tree
		if t == nil || g.total[i] == 0 || t.Func == 0 {
			continue
		}
		g.calls(g.b.function(t.Func), t, g.total[i])
	}
	var out []Edge
	for _, e := range g.edges {
		out = append(out, *e)
	}
	slices.SortFunc(out, func(x, y Edge) int {
		return cmp.Or(cmp.Compare(y.Calls, x.Calls), cmp.Compare(place1(x.From), place1(y.From)),
			cmp.Compare(place1(x.To), place1(y.To)))
	})
	return out
}

func place1(f *Function) int {
	if f == nil {
		return -1
	}
	return f.Site
}

type grapher struct {
	b     *builder
	edges map[[2]int]*Edge
	total []uint64
}

func (g *grapher) context(c *Context) {
	from := c
	for from.Func == nil && from.Parent != nil {
		from = from.Parent
	}
	for site, n := range c.trees {
		g.called(from.Func, site, n)
	}
	for _, x := range c.children {
		if x.Func != nil {
			g.add(from.Func, x.Func, x.Calls)
		}
		g.context(x)
	}
}

// called is n calls of a tree or function. Trees in a tree have greater ones before them in the order of total.
func (g *grapher) called(from *Function, site uint32, n uint64) {
	t := g.b.out.sites[site-1].Tree
	switch {
	case t == nil:
		g.add(from, g.b.function(site), n)
	case t.Func == 0:
		g.calls(from, t, n)
	default:
		g.total[site-1] += n
		g.add(from, g.b.function(t.Func), n)
	}
}

func (g *grapher) calls(from *Function, t *archive.Tree, n uint64) {
	for _, c := range t.Calls {
		g.called(from, c.Site, n*c.Count)
	}
}

func (g *grapher) add(from, to *Function, n uint64) {
	k := [2]int{place1(from), to.Site}
	if g.edges[k] == nil {
		g.edges[k] = &Edge{From: from, To: to}
	}
	g.edges[k].Calls += n
}

// Ordered is how many calls of a stream Each yields. It expands nothing.
func Ordered(a *archive.Archive, s *archive.Stream) (n uint64, err error) {
	b := newBuilder(a)
	terms, err := b.terminals(s)
	if err != nil {
		return 0, err
	}
	if err := b.totals(s, terms, 1); err != nil {
		return 0, err
	}
	for i, calls := range b.total {
		if b.out.sites[i].Tree == nil {
			n += calls
		}
	}
	for _, f := range b.funcs {
		n -= f.Counted
	}
	return n, nil
}

// Each calls f for every call of a stream in order, with the depth of the call in the nest of functions, until f
// returns false. Calls of APIs are not among them. This expands everything.
func Each(a *archive.Archive, s *archive.Stream, f func(depth int, name string, inside bool) bool) error {
	b := newBuilder(a)
	terms, err := b.terminals(s)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(terms, func(t terminal) bool { return t.kind > other }) {
		return nil
	}
	depth, more := 0, true
	var tree func(site uint32, times uint64, depth int, inside bool)
	tree = func(site uint32, times uint64, depth int, inside bool) {
		t := b.out.sites[site-1].Tree
		for ; times > 0 && more; times-- {
			below := depth
			if t == nil || t.Func > 0 {
				fn := site
				if t != nil {
					fn = t.Func
				}
				more = f(depth, b.function(fn).Name, inside)
				below++
			}
			if t != nil {
				for _, c := range t.Calls {
					tree(c.Site, c.Count, below, inside)
				}
			}
		}
	}
	for c, err := range s.IterAll() {
		if err != nil {
			return err
		}
		switch x := &terms[c.Terminal]; x.kind {
		case opening:
			more = f(depth, b.function(x.site).Name, false)
			depth++
		case closing:
			depth = max(0, depth-1)
		case calling, insides:
			tree(x.site, uint64(max(0, c.Slots[0].N)), depth, x.kind == insides)
		}
		if !more {
			return nil
		}
	}
	return nil
}
