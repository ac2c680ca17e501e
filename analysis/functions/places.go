package functions

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// eachPlace calls count for every terminal that is of functions: where it stands in the nest of begun functions, and
// how often in all. root is the nest that the stream begins in, and child gives the nest in which a function has
// begun.
func eachPlace(
	s *archive.Stream, terms []terminal, root *Context, child func(*Context, uint32) *Context,
	count func(at *Context, t uint32, times uint64),
) error {
	for t := range terms {
		if terms[t].kind > closing && terms[t].times < 0 {
			return eachEvent(s, terms, root, child, count)
		}
	}
	g, err := s.Grammar()
	if err != nil {
		return err
	}
	w := &walker{g: g, terms: terms, child: child, memo: map[place]*state{}}
	first := w.eval(0, root)
	if w.edges > maxEdges {
		return fmt.Errorf("the functions of thread %d are nested in too many ways", s.Thread())
	}
	first.weight = 1
	for i := len(w.done) - 1; i >= 0; i-- { // a state is done when those in it are
		x := w.done[i]
		for _, e := range x.edges {
			switch {
			case e.in != nil:
				e.in.weight += x.weight * e.n
			case terms[e.terminal].times >= 0:
				count(e.at, e.terminal, x.weight*e.n*uint64(terms[e.terminal].times))
			}
		}
	}
	return nil
}

// maxEdges bounds what is kept of a stream.
const maxEdges = 1 << 23

// place is where a rule begins.
type place struct {
	rule uint32
	at   *Context
}

// state is a rule that begins in a nest of functions.
type state struct {
	result *Context // where it ends
	edges  []edge
	weight uint64
}

// edge is what a rule has in it: another one, or a terminal of functions.
type edge struct {
	in       *state
	terminal uint32
	at       *Context
	n        uint64
}

type walker struct {
	g     *archive.Grammar
	terms []terminal
	child func(*Context, uint32) *Context
	memo  map[place]*state
	done  []*state
	edges int
}

func (w *walker) eval(rule uint32, at *Context) *state {
	key := place{rule, at}
	if x := w.memo[key]; x != nil {
		return x
	}
	x := &state{}
	for _, sym := range w.g.Rules[rule] {
		n := sym.Count
		if sym.ID&archive.RuleBit == 0 {
			at = w.terminal(x, sym.ID, n, at)
			continue
		}
		for n > 0 && w.edges <= maxEdges {
			in := w.eval(sym.ID&^archive.RuleBit, at)
			k := uint64(1)
			if in.result == at { // again and again the same
				k = n
			}
			x.add(w, edge{in: in, n: k})
			at, n = in.result, n-k
		}
	}
	x.result = at
	w.memo[key] = x
	w.done = append(w.done, x)
	return x
}

func (x *state) add(w *walker, e edge) {
	w.edges++
	x.edges = append(x.edges, e)
}

// terminal is n events of a terminal, which begin at a place; the place behind them.
func (w *walker) terminal(x *state, t uint32, n uint64, at *Context) *Context {
	switch w.terms[t].kind {
	case other:
	case opening:
		for ; n > 0 && w.edges <= maxEdges; n-- {
			at = w.child(at, w.terms[t].site)
			x.add(w, edge{terminal: t, at: at, n: 1})
		}
	case closing:
		for ; n > 0 && at.Parent != nil; n-- {
			at = at.Parent
		}
	default:
		x.add(w, edge{terminal: t, at: at, n: n})
	}
	return at
}

// eachEvent does the work of eachPlace event by event.
func eachEvent(
	s *archive.Stream, terms []terminal, at *Context, child func(*Context, uint32) *Context,
	count func(at *Context, t uint32, times uint64),
) error {
	for c, err := range s.IterAll() {
		if err != nil {
			return err
		}
		at = step(terms, c, at, child, count)
	}
	return nil
}

// step is one event: the place behind it.
func step(
	terms []terminal, c *archive.Call, at *Context, child func(*Context, uint32) *Context,
	count func(at *Context, t uint32, times uint64),
) *Context {
	switch x := &terms[c.Terminal]; x.kind {
	case other:
	case api:
		count(at, c.Terminal, 1)
	case opening:
		at = child(at, x.site)
		count(at, c.Terminal, 1)
	case closing:
		if at.Parent != nil {
			at = at.Parent
		}
	default:
		count(at, c.Terminal, uint64(max(0, c.Slots[0].N)))
	}
	return at
}

// At is the nest of functions in which event number i of a stream was made.
func At(a *archive.Archive, s *archive.Stream, i uint64) (*Context, error) {
	b := newBuilder(a)
	terms, err := b.terminals(s)
	if err != nil {
		return nil, err
	}
	event, _, err := s.EventAt(i)
	if err != nil {
		return nil, err
	}
	g, err := s.Grammar()
	if err != nil {
		return nil, err
	}
	lengths, err := ruleLengths(g)
	if err != nil {
		return nil, err
	}
	w := &walker{g: g, terms: terms, child: b.child, memo: map[place]*state{}}
	at := b.out.Root
	for rule := uint32(0); ; {
		rule, event, at = w.descend(rule, event, at, lengths)
		if rule == 0 {
			return at, nil
		}
	}
}

// descend goes to the rule that has an event of a rule in it, 0 if that is a terminal of this one.
func (w *walker) descend(rule uint32, event uint64, at *Context, lengths []uint64) (uint32, uint64, *Context) {
	for _, sym := range w.g.Rules[rule] {
		if sym.ID&archive.RuleBit == 0 {
			if event < sym.Count {
				return 0, 0, w.terminal(&state{}, sym.ID, event, at)
			}
			at = w.terminal(&state{}, sym.ID, sym.Count, at)
			event -= sym.Count
			continue
		}
		id := sym.ID &^ archive.RuleBit
		for n := sym.Count; n > 0; n-- {
			if event < lengths[id] {
				return id, event, at
			}
			result := w.eval(id, at).result
			if result == at { // skip all that do not have it
				k := min(n-1, event/lengths[id]-1)
				n, event = n-k, event-k*lengths[id]
			}
			at, event = result, event-lengths[id]
		}
	}
	return 0, 0, at
}

// ruleLengths are the numbers of events of rules.
func ruleLengths(g *archive.Grammar) ([]uint64, error) {
	lengths := make([]uint64, len(g.Rules))
	var of func(rule uint32) uint64
	of = func(rule uint32) uint64 {
		if lengths[rule] > 0 {
			return lengths[rule]
		}
		n := uint64(0)
		for _, sym := range g.Rules[rule] {
			one := uint64(1)
			if sym.ID&archive.RuleBit != 0 {
				one = of(sym.ID &^ archive.RuleBit)
			}
			n += one * sym.Count
		}
		lengths[rule] = n
		return n
	}
	of(0)
	return lengths, nil
}
