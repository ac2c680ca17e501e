package loops

import (
	"slices"
	"sort"
)

// A Locator finds the loops around any event of the ranks of a variant, counted as Iterations does.
// It is not safe for concurrent use.
type Locator struct {
	*eventCounter
	ends []uint64 // of the nodes of the body
}

// An Around is an iteration that an event is in.
type Around struct {
	Loop *Node
	// Iteration is its number in all executions of the loop, of which there are Iterations.
	Iteration, Iterations uint64
	// From and To are its events [From, To).
	From, To uint64
}

// Locator prepares to find loops in the calls of the ranks of a variant.
func (c *Class) Locator(variant int) *Locator {
	l := &Locator{eventCounter: newEventCounter(c, variant)}
	at := uint64(0)
	for _, m := range c.Body {
		at += l.events(m, 1)
		l.ends = append(l.ends, at)
	}
	return l
}

// Work is how many nodes have been looked at so far.
func (l *Locator) Work() uint64 { return l.work }

// Find is the loops around an event, the outermost first. Loops in blocks are not found.
func (l *Locator) Find(event uint64) (list []Around) {
	i := sort.Search(len(l.ends), func(i int) bool { return l.ends[i] > event })
	if i == len(l.ends) {
		return nil
	}
	m, from, execution := l.class.Body[i], uint64(0), uint64(0)
	if i > 0 {
		from = l.ends[i-1]
	}
	for m != nil && m.Kind == Loop {
		a := l.iteration(m, execution, from, event)
		list = append(list, a)
		m, from = l.child(a, event)
		execution = a.Iteration
	}
	return list
}

// FindCut is the loop around an event behind the last loop of a thread that was ended, as if the loop went on: what was
// made since is how its iterations begin. Nil if it is not.
func (l *Locator) FindCut(event uint64) []Around {
	i := sort.Search(len(l.ends), func(i int) bool { return l.ends[i] > event })
	body := l.class.Body
	for k := i - 1; k >= 0 && i < len(body); k-- {
		m := body[k]
		if l.work++; m.Kind != Loop || len(m.Body) < i-k {
			continue
		}
		for j := range i - k {
			if l.work++; !sameCalls(body[k+1+j], m.Body[j]) {
				return nil
			}
		}
		n := l.of(m).sum
		return []Around{{Loop: m, Iteration: n, Iterations: n + 1, From: l.ends[k], To: l.ends[i]}}
	}
	return nil
}

// sameCalls tells whether two nodes make the same calls, however often.
func sameCalls(x, y *Node) bool {
	if x.Kind == Loop && x.Kind == y.Kind && len(x.Body) == len(y.Body) {
		for i := range x.Body {
			if !sameCalls(x.Body[i], y.Body[i]) {
				return false
			}
		}
		return true
	}
	return x.Kind == Call && x.Kind == y.Kind && x.Shape.Func == y.Shape.Func &&
		slices.Equal(x.Shape.Frames, y.Shape.Frames)
}

// iteration finds the iteration that an event is in, of an execution of a loop that begins at from.
func (l *Locator) iteration(m *Node, execution, from, event uint64) Around {
	s := l.of(m)
	first, end := s.first(execution), s.first(execution+1)
	before := l.eventsOf(m.Body, first)
	k := first + uint64(sort.Search(int(end-first), func(k int) bool {
		return from+l.eventsOf(m.Body, first+uint64(k)+1)-before > event
	}))
	a := Around{Loop: m, Iteration: k, Iterations: s.sum}
	a.From, a.To = from+l.eventsOf(m.Body, k)-before, from+l.eventsOf(m.Body, k+1)-before
	return a
}

// child is the node of the loop's body that an event is in, and where it begins.
func (l *Locator) child(a Around, event uint64) (*Node, uint64) {
	at := a.From
	for _, m := range a.Loop.Body {
		n := l.events(m, a.Iteration+1) - l.events(m, a.Iteration)
		if event < at+n {
			return m, at
		}
		at += n
	}
	return nil, at
}
