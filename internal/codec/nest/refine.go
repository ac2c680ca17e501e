package nest

import (
	"cmp"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/grammar"
)

// A Sequence is what a thread did: Label gives the label of each terminal.
type Sequence struct {
	Index *grammar.Index
	Label []int32
}

// Hints are what is known of labels besides their order.
type Hints struct {
	// Back tells that v stands before u, or at the same place, in the function that has both.
	Back func(u, v int32) bool
	// Alike tells that all calls of a label have the same parameters.
	Alike func(v int32) bool
	// Iterations is preferred as the number of iterations of a loop, if a reading that is as good has
	// one; 0 if nothing is known.
	Iterations uint64
}

// Limits of the search.
const (
	maxRounds   = 12
	maxMoves    = 48 // changes that are tried in a round
	maxJudged   = 4  // sequences that decide between trees
	maxSearch   = 64 // times the work of the first tree that looking for better ones may take
	leastSearch = 1 << 20
	unclear     = 32 // bits that another reading may take more and yet be as good
)

// An inner loop of at least leastKth iterations each time, all with the same parameters, and at most
// maxRest calls besides, may also be these calls in every k-th iteration of one loop. Programs have that
// more often, so kthBits are added to what the inner loop takes.
const (
	leastKth = 5
	maxRest  = 3
	kthBits  = 160
)

// A Reading is a tree, and what the sequences did in it.
type Reading struct {
	Tree *Tree
	// Runs has the executions of the root, for each sequence.
	Runs []*Executions
	// Bits is what all of it takes.
	Bits float64

	doubt   float64  // part of Bits
	even    int      // inner loops in doubt that always have the same number of iterations
	columns *Columns // of all runs: threads often do the same
}

// Read finds the tree that takes the fewest bits for some sequences, of which the first few decide. It
// makes about work steps at most, and fails with ErrTooLarge if no tree can be found with them.
func Read(seqs []Sequence, h Hints, work int) (*Reading, error) {
	f := NewFlow()
	for _, s := range seqs {
		f.Add(s.Index, s.Label)
	}
	r := &reader{flow: f, seqs: seqs[:min(len(seqs), maxJudged)], hints: h, left: work}
	best, err := r.read(r.arranged(grow(f, h.Back)))
	if err != nil {
		return nil, err
	}
	search := min(r.left, max(leastSearch, maxSearch*(work-r.left)))
	r.left, work = search, r.left-search
	best = r.search(best)
	r.left = work + max(r.left, 0)
	if err := r.add(best, seqs[len(r.seqs):]); err != nil {
		return nil, err
	}
	return best, best.complete(seqs)
}

// complete parses the sequences again, with sets of terminals, which the search has no use for.
func (g *Reading) complete(seqs []Sequence) error {
	for i, s := range seqs {
		work := math.MaxInt
		e, err := g.Tree.Parse(s.Index, s.Label, &work)
		if err != nil {
			return err
		}
		g.Runs[i] = e
	}
	return nil
}

// search goes from reading to better reading, as long as there is work left.
func (r *reader) search(g *Reading) *Reading {
	for range maxRounds {
		next, also := r.better(g)
		if next == nil {
			return g.note(also, r.hints.Iterations)
		}
		g = next
	}
	return g
}

// add parses further sequences.
func (r *reader) add(g *Reading, seqs []Sequence) error {
	for _, s := range seqs {
		e, err := g.Tree.parse(s.Index, s.Label, &r.left, false)
		if err != nil {
			return err
		}
		g.take(e, r)
	}
	return nil
}

func (g *Reading) take(e *Executions, r *reader) {
	doubt, even := r.doubt(e)
	r.left -= g.Tree.size
	g.even += even
	g.Runs = append(g.Runs, e)
	g.Bits += e.bits(g.columns) - partBits*float64(g.Tree.size) + doubt
	g.doubt += doubt
}

type reader struct {
	flow  *Flow
	seqs  []Sequence
	hints Hints
	left  int
}

// read parses the sequences that decide.
func (r *reader) read(t *Tree) (*Reading, error) {
	t = r.repeating(t)
	// The root is always there.
	g := &Reading{Tree: t, Bits: partBits * float64(t.size-1), columns: NewColumns()}
	return g, r.add(g, r.seqs)
}

// repeating is the tree without loops that are never repeated: what they have is a branch of the loop around them.
func (r *reader) repeating(t *Tree) *Tree {
	again := map[*Part]bool{t.Root: true}
	for e := range r.flow.next {
		if s := t.step(e[0], e[1]); !s.forward {
			again[s.in] = true
		}
	}
	if !slices.ContainsFunc(loops(t.Root.Body), func(l *Part) bool { return !again[l] }) {
		return t
	}
	var body func(p *Part) []*Part
	body = func(p *Part) (out []*Part) {
		for _, c := range p.Body {
			switch {
			case c.IsLoop() && !again[c]:
				out = append(out, body(c)...)
				continue
			case c.IsLoop():
				c.Body = body(c)
			}
			out = append(out, c)
		}
		return out
	}
	return newTree(body(t.Root))
}

// doubt is what is added for inner loops that may be a call in every k-th iteration of one loop, and
// how many of them always have the same number of iterations.
func (r *reader) doubt(e *Executions) (sum float64, even int) {
	for _, b := range e.Body {
		if r.kth(e, b) {
			if b.Counts.Max() >= leastKth {
				sum += kthBits
			}
			if b.Counts.Min() == b.Counts.Max() {
				even++
			}
		}
		inner, n := r.doubt(b)
		sum, even = sum+inner, even+n
	}
	return sum, even
}

// kth tells whether an inner loop b of loop e has the same number of iterations each time, with the
// same parameters, and little besides it.
func (r *reader) kth(e, b *Executions) bool {
	if e.Part.parent == nil || !b.Part.IsLoop() && b.Counts.Max() < leastKth {
		return false
	}
	if isKth(b.Counts) == 0 || len(e.Body)-1 > maxRest {
		return false
	}
	for _, c := range e.Body {
		if c != b && c.Part.IsLoop() {
			return false
		}
	}
	return !slices.ContainsFunc(b.Part.labels(nil), func(v int32) bool { return !r.hints.Alike(v) })
}

// isKth is the number of iterations that an inner loop has each time, but for the first and the last
// one, which may be fewer; 0 if it varies otherwise, or is one.
func isKth(c *Counts) uint64 {
	k := c.Max()
	if k < 2 || c.Len() < 2 {
		return 0
	}
	at := uint64(0)
	for v, n := range c.All() {
		if v != k && (n > 1 || at > 0 && at+n < c.Len()) {
			return 0
		}
		at += n
	}
	return k
}

// arranged is the tree with a body, whose loops are turned so that they begin where the source says, and
// then put in its order, as far as hints tell.
func (r *reader) arranged(body []*Part) *Tree {
	for _, l := range loops(body) {
		labels := map[*Part][]int32{}
		for _, c := range l.Body {
			labels[c] = c.labels(nil)
		}
		// after is how many pairs of calls of a and b say that a comes after b.
		after := func(a, b *Part) (n int) {
			for _, u := range labels[a] {
				for _, v := range labels[b] {
					if r.hints.Back(u, v) && !r.hints.Back(v, u) {
						n++
					}
				}
			}
			return n
		}
		best, sum, least := 0, 0, 0
		for i, front := range l.Body[:len(l.Body)-1] { // what becomes of the order if front goes to the end
			for _, c := range l.Body {
				if c != front {
					sum += after(c, front) - after(front, c)
				}
			}
			if sum < least {
				best, least = i+1, sum
			}
		}
		l.Body = slices.Concat(l.Body[best:], l.Body[:best])
		for i := range l.Body {
			for k := i; k > 0 && after(l.Body[k-1], l.Body[k]) > after(l.Body[k], l.Body[k-1]); k-- {
				l.Body[k-1], l.Body[k] = l.Body[k], l.Body[k-1]
			}
		}
	}
	return newTree(body)
}

// A move changes a tree.
type move struct {
	weight uint64 // transitions that speak for it
	apply  func(copied map[*Part]*Part)
	other  *Part // the loop whose number of iterations changes
}

// better is the best reading that one move leads to, nil if there is none. also are moves that lead to
// readings that are as good.
func (r *reader) better(g *Reading) (best *Reading, also []*other) {
	least := g.Bits
	for _, m := range r.moves(g) {
		of := g.Tree.copies()
		m.apply(of)
		next, err := r.read(r.arranged(of[g.Tree.Root].Body))
		if err != nil {
			break
		}
		if next.Bits < least-1 {
			best, least = next, next.Bits
		}
		if next.even != g.even && next.Bits <= g.Bits+kthBits || next.Bits <= g.Bits+unclear {
			also = append(also, &other{m.other, next, of[m.other]})
		}
	}
	return best, also
}

// other is another reading in which a loop is another one.
type other struct {
	loop    *Part
	reading *Reading
	now     *Part
}

// note sets Or of the loops that have other readings. If one of those has the number of iterations that
// is wanted, it is the result.
func (g *Reading) note(also []*other, wanted uint64) *Reading {
	for _, o := range also {
		n, m := g.iterations(o.loop), o.reading.iterations(o.now)
		if m < 2 || n == m && (o.loop.Or > 0 || g.Tree.Root.sameNest(o.reading.Tree.Root)) {
			continue
		}
		if m == wanted && n != m {
			return o.reading
		}
		o.loop.Or = m
	}
	return g
}

// sameNest tells whether loops have the same calls and loops of them.
func (p *Part) sameNest(q *Part) bool {
	return p.Label == q.Label && slices.EqualFunc(p.Body, q.Body, (*Part).sameNest)
}

// iterations is how many iterations a loop has in the first sequence.
func (g *Reading) iterations(l *Part) uint64 {
	e := g.Runs[0].find(l)
	if e == nil {
		return 0
	}
	return e.Counts.Sum()
}

func (e *Executions) find(l *Part) *Executions {
	if e.Part == l {
		return e
	}
	for _, b := range e.Body {
		if b.Part.IsLoop() {
			if f := b.find(l); f != nil {
				return f
			}
		}
	}
	return nil
}

// moves are changes to try, those with most transitions first.
func (r *reader) moves(g *Reading) []*move {
	t := g.Tree
	var list []*move
	type region struct {
		in       *Part
		from, to int
	}
	regions, order := map[region]uint64{}, []region(nil)
	for _, e := range r.flow.sorted() {
		n := r.flow.next[e]
		u, v := t.leaf[e[0]], t.leaf[e[1]]
		if u == v && u.parent != t.Root {
			list = append(list, r.onceMoves(u, n)...)
			continue
		}
		s := t.step(e[0], e[1])
		if u == v || s.forward || !s.in.IsLoop() {
			continue
		}
		for u.parent != s.in {
			u = u.parent
		}
		for v.parent != s.in {
			v = v.parent
		}
		if v.at < u.at && u.at-v.at+1 < len(s.in.Body) {
			g := region{s.in, v.at, u.at}
			if regions[g] == 0 {
				order = append(order, g)
			}
			regions[g] += n
		}
	}
	for _, g := range order {
		list = append(list, &move{weight: regions[g], other: g.in, apply: func(of map[*Part]*Part) {
			l := of[g.in]
			inner := &Part{Label: -1, Body: slices.Clone(l.Body[g.from : g.to+1])}
			l.Body = slices.Concat(l.Body[:g.from], []*Part{inner}, l.Body[g.to+1:])
		}})
	}
	for _, l := range loops(t.Root.Body) {
		if l.parent == t.Root {
			continue
		}
		list = append(list, r.dissolutions(l)...)
	}
	for _, l := range loops(t.Root.Body) {
		list = append(list, r.swaps(l)...)
	}
	place := func(m *move) int { return r.flow.rank[m.other.labels(nil)[0]] }
	slices.SortStableFunc(list, func(a, b *move) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(place(a), place(b)))
	})
	return list[:min(len(list), maxMoves)]
}

// dissolutions make the calls of an inner loop those of the loop around it. Of its calls, those that come in a row may
// stay in one iteration each.
func (r *reader) dissolutions(l *Part) []*move {
	dissolve := func(of map[*Part]*Part) {
		p := of[l.parent]
		p.Body = slices.Replace(slices.Clone(p.Body), l.at, l.at+1, of[l].Body...)
	}
	list := []*move{{weight: math.MaxUint64, other: l.parent, apply: dissolve}}
	rows := func(c *Part) bool { return !c.IsLoop() && !c.Once && r.flow.next[[2]int32{c.Label, c.Label}] > 0 }
	if !slices.ContainsFunc(l.Body, rows) {
		return list
	}
	return append(list, &move{weight: math.MaxUint64, other: l.parent, apply: func(of map[*Part]*Part) {
		for _, c := range l.Body {
			of[c].Once = of[c].Once || rows(c)
		}
		dissolve(of)
	}})
}

// onceMoves make a call that is repeated one that begins the next iteration, or the other way. In the
// next iteration all else may have been left out because it is an inner loop of no iterations.
func (r *reader) onceMoves(u *Part, weight uint64) []*move {
	list := []*move{{weight: weight, other: u.parent, apply: func(of map[*Part]*Part) { of[u].Once = !u.Once }}}
	body := u.parent.Body
	if u.Once || len(body) < 3 || u.at > 0 && u.at < len(body)-1 {
		return list
	}
	return append(list, &move{weight: weight, other: u.parent, apply: func(of map[*Part]*Part) {
		l := of[u.parent]
		of[u].Once = true
		if u.at == 0 {
			l.Body = []*Part{of[u], {Label: -1, Body: slices.Clone(l.Body[1:])}}
		} else {
			l.Body = []*Part{{Label: -1, Body: slices.Clone(l.Body[:u.at])}, of[u]}
		}
	}})
}

// swaps make of a loop of calls and an inner loop at their end or begin the loop in which what was the
// inner one is done once, and the calls again and again.
func (r *reader) swaps(l *Part) (list []*move) {
	n := len(l.Body)
	if n < 2 {
		return nil
	}
	add := func(inner *Part, swap func(l, inner *Part)) {
		if inner.IsLoop() {
			list = append(list, &move{other: l, apply: func(of map[*Part]*Part) { swap(of[l], of[inner]) }})
		}
	}
	add(l.Body[n-1], func(l, inner *Part) {
		rest := &Part{Label: -1, Body: slices.Clone(l.Body[:n-1])}
		l.Body = slices.Concat([]*Part{rest}, inner.Body)
	})
	add(l.Body[0], func(l, inner *Part) {
		rest := &Part{Label: -1, Body: slices.Clone(l.Body[1:])}
		l.Body = append(slices.Clone(inner.Body), rest)
	})
	return list
}
