package nest

import (
	"cmp"
	"slices"
)

// A Part is a call, or a loop.
type Part struct {
	// Label is that of a call, -1 for a loop.
	Label int32
	// Body is what a loop repeats.
	Body []*Part
	// Once is set for a call that is made once in an iteration: another one in a row is in the next
	// iteration. Other calls may be repeated.
	Once bool
	// Or is the number of iterations of the loop in another reading that explains the sequence as
	// well, 0 if there is none.
	Or uint64

	parent    *Part
	at, depth int // place in the parent's Body; loops around it
	number    int // among all parts of the tree
}

// IsLoop tells whether the part is a loop.
func (p *Part) IsLoop() bool { return p.Label < 0 }

// A Tree is a loop nest.
type Tree struct {
	// Root is a loop of one iteration: the whole program.
	Root *Part

	leaf map[int32]*Part
	size int // parts
}

// newTree finishes a tree whose bodies are there.
func newTree(body []*Part) *Tree {
	t := &Tree{Root: &Part{Label: -1, Body: body}, leaf: map[int32]*Part{}}
	var number func(p *Part)
	number = func(p *Part) {
		p.number = t.size
		t.size++
		if !p.IsLoop() {
			t.leaf[p.Label] = p
		}
		for i, c := range p.Body {
			c.parent, c.at, c.depth = p, i, p.depth+1
			number(c)
		}
	}
	number(t.Root)
	return t
}

// copies are copies of all parts, which can be changed; newTree makes a tree of the root's body.
func (t *Tree) copies() map[*Part]*Part {
	of := map[*Part]*Part{}
	var cp func(p *Part) *Part
	cp = func(p *Part) *Part {
		c := &Part{Label: p.Label, Once: p.Once}
		for _, b := range p.Body {
			c.Body = append(c.Body, cp(b))
		}
		of[p] = c
		return c
	}
	cp(t.Root)
	return of
}

// loops are the loops in a body, outer before inner ones.
func loops(body []*Part) (list []*Part) {
	for _, c := range body {
		if c.IsLoop() {
			list = append(append(list, c), loops(c.Body)...)
		}
	}
	return list
}

// labels adds the labels in p.
func (p *Part) labels(list []int32) []int32 {
	if !p.IsLoop() {
		return append(list, p.Label)
	}
	for _, c := range p.Body {
		list = c.labels(list)
	}
	return list
}

// A step is what it means that one label follows another.
type step struct {
	in *Part // the innermost part that has both
	// forward tells that the iteration of in goes on. Otherwise the next one begins or, if in is a
	// call, it is repeated.
	forward bool
}

// step is the meaning of label v after label u.
func (t *Tree) step(u, v int32) step {
	a, b := t.leaf[u], t.leaf[v]
	if a == b {
		if a.Once {
			return step{in: a.parent}
		}
		return step{in: a}
	}
	for a.depth > b.depth {
		a = a.parent
	}
	for b.depth > a.depth {
		b = b.parent
	}
	for a.parent != b.parent {
		a, b = a.parent, b.parent
	}
	return step{in: a.parent, forward: a.at < b.at}
}

// has tells whether q is p or inside of it.
func (p *Part) has(q *Part) bool {
	for q.depth > p.depth {
		q = q.parent
	}
	return p == q
}

// grow makes the body of the first tree of a flow. back is as in Hints.
func grow(f *Flow, back func(u, v int32) bool) []*Part {
	all := map[int32]bool{}
	for _, v := range f.first {
		all[v] = true
	}
	g := &grower{f, back}
	return g.sequence(f.first, -1)
}

type grower struct {
	flow *Flow
	back func(u, v int32) bool // see Hints
}

// sequence orders labels so that transitions lead forward, but for those to the head; strongly
// connected labels become loops.
func (g *grower) sequence(labels []int32, head int32) []*Part {
	among := map[int32]bool{}
	for _, v := range labels {
		among[v] = true
	}
	to := g.flow.edges(among)
	if head >= 0 {
		for u, list := range to {
			to[u] = slices.DeleteFunc(list, func(v int32) bool { return v == head })
		}
	}
	groups := components(labels, to)
	var out []*Part
	for _, c := range g.topological(groups, to) {
		if len(c) == 1 {
			out = append(out, &Part{Label: c[0]})
			continue
		}
		out = append(out, &Part{Label: -1, Body: g.sequence(c, g.head(c))})
	}
	return out
}

// head is the label by which a loop is entered.
func (g *grower) head(c []int32) int32 {
	among := map[int32]bool{}
	for _, v := range c {
		among[v] = true
	}
	best, most := int32(-1), uint64(0)
	for _, v := range c { // ascending by first occurrence
		if n := g.flow.entered(v, among); best < 0 || n > most {
			best, most = v, n
		}
	}
	return best
}

// stands tells whether the source has a before b.
func (g *grower) stands(a, b []int32) bool {
	return g.back(b[0], a[0]) && !g.back(a[0], b[0])
}

// topological sorts components. Of those that can come next the one does that stands first in the source,
// or occurred first where that is not known.
func (g *grower) topological(groups [][]int32, to map[int32][]int32) [][]int32 {
	in := map[int32]int{}
	for i, c := range groups {
		for _, v := range c {
			in[v] = i
		}
	}
	waits := make([]map[int]bool, len(groups)) // components before it
	for i := range waits {
		waits[i] = map[int]bool{}
	}
	for u, list := range to {
		for _, v := range list {
			if in[u] != in[v] {
				waits[in[v]][in[u]] = true
			}
		}
	}
	first := func(i int) int { return g.flow.rank[groups[i][0]] }
	var out [][]int32
	left := make([]int, len(groups))
	for i := range left {
		left[i] = i
	}
	slices.SortFunc(left, func(a, b int) int { return cmp.Compare(first(a), first(b)) })
	for len(left) > 0 {
		k := -1
		for j, i := range left {
			if len(waits[i]) == 0 && (k < 0 || g.stands(groups[i], groups[left[k]])) {
				k = j
			}
		}
		i := left[k]
		left = slices.Delete(left, k, k+1)
		out = append(out, groups[i])
		for j := range waits {
			delete(waits[j], i)
		}
	}
	return out
}

// components are the strongly connected components (R. Tarjan, "Depth-first search and linear graph
// algorithms", SIAM J. Comput. 1, 1972), the labels of each in the order given.
func components(labels []int32, to map[int32][]int32) [][]int32 {
	type state struct {
		index, low int
		on         bool
	}
	states := map[int32]*state{}
	var stack []int32
	var groups [][]int32
	place := map[int32]int{}
	for i, v := range labels {
		place[v] = i
	}
	var visit func(v int32)
	visit = func(v int32) {
		s := &state{index: len(states), low: len(states), on: true}
		states[v] = s
		stack = append(stack, v)
		for _, w := range to[v] {
			switch t := states[w]; {
			case t == nil:
				visit(w)
				s.low = min(s.low, states[w].low)
			case t.on:
				s.low = min(s.low, t.index)
			}
		}
		if s.low != s.index {
			return
		}
		var c []int32
		for {
			w := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			states[w].on = false
			c = append(c, w)
			if w == v {
				break
			}
		}
		slices.SortFunc(c, func(a, b int32) int { return cmp.Compare(place[a], place[b]) })
		groups = append(groups, c)
	}
	for _, v := range labels {
		if states[v] == nil {
			visit(v)
		}
	}
	return groups
}
