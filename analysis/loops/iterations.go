package loops

import (
	"sort"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

// Iterations says where the iterations of a loop are among the events of the
// ranks of a variant: its calls without the recorder's own records, where a run
// of unsuccessful polls counts as one. It follows from the loop nest, and takes a time
// that depends on the nest and not on the number of iterations. It is not
// safe for concurrent use.
type Iterations struct {
	*eventCounter
	path []*Node // the loop, the last element, and the loops around it
}

// eventCounter counts the events of nodes in the calls of the ranks of a variant.
type eventCounter struct {
	class   *Class
	variant int
	series  map[*nest.Counts]*series
	blocks  []uint64 // events of one execution of each block
	work    uint64   // nodes looked at so far
}

func newEventCounter(c *Class, variant int) *eventCounter {
	e := &eventCounter{class: c, variant: variant, series: map[*nest.Counts]*series{}}
	for _, b := range c.Blocks {
		n := uint64(0)
		for _, m := range b {
			n += e.events(m, 1)
		}
		e.blocks = append(e.blocks, n)
	}
	return e
}

// Iterations finds the iterations of a loop of c, such as Step, in the calls of
// the ranks of a variant. It is nil if the loop is none, or only in blocks.
func (c *Class) Iterations(variant int, loop *Node) *Iterations {
	it := &Iterations{}
	if loop == nil || loop.Kind != Loop || !it.find(c.Body, loop) {
		return nil
	}
	it.eventCounter = newEventCounter(c, variant)
	return it
}

// find sets path.
func (it *Iterations) find(seq []*Node, loop *Node) bool {
	for _, n := range seq {
		it.path = append(it.path, n)
		if n == loop || n.Kind == Loop && it.find(n.Body, loop) {
			return true
		}
		it.path = it.path[:len(it.path)-1]
	}
	return false
}

func (it *Iterations) loop() *Node { return it.path[len(it.path)-1] }

// Len is the number of iterations, in all executions of the loop.
func (it *Iterations) Len() uint64 { return it.loop().Counts[it.variant].Sum() }

// Range is where iteration k, below Len, is: events [from, to).
func (it *Iterations) Range(k uint64) (from, to uint64) {
	// Each iteration of a loop is one execution of what is in it.
	at := make([]uint64, len(it.path))
	at[len(at)-1] = k
	for j := len(at) - 1; j > 0; j-- {
		at[j-1] = it.of(it.path[j]).execution(at[j])
	}
	seq, done := it.class.Body, uint64(0) // executions of seq before this one
	for j, n := range it.path {
		before := uint64(1)
		for _, m := range seq {
			if m == n {
				before = 0
				continue
			}
			from += it.events(m, done+before)
		}
		seq, done = n.Body, at[j]
	}
	to = from
	for _, m := range seq {
		from += it.events(m, k)
		to += it.events(m, k+1)
	}
	return from, to
}

// events is the number of events in the first n executions of a node.
func (e *eventCounter) events(m *Node, n uint64) uint64 {
	e.work++
	times := e.of(m).first(n)
	switch m.Kind {
	case Call:
		return times
	case Block:
		return times * e.blocks[m.Block]
	}
	return e.eventsOf(m.Body, times)
}

// eventsOf is the number of events in the first n executions of a sequence.
func (e *eventCounter) eventsOf(seq []*Node, n uint64) (sum uint64) {
	for _, m := range seq {
		sum += e.events(m, n)
	}
	return sum
}

func (e *eventCounter) of(m *Node) *series { return e.seriesOf(m.Counts[e.variant]) }

func (e *eventCounter) seriesOf(c *nest.Counts) *series {
	s := e.series[c]
	if s == nil {
		s = &series{}
		e.series[c] = s
		s.fill(c, e.seriesOf)
	}
	return s
}

// series answers questions about sums of counts: the parts of a sequence with
// how many counts precede each and what they add up to.
type series struct {
	parts  []seriesPart
	n, sum uint64
}

// seriesPart is counts: value each, or body again and again.
type seriesPart struct {
	n, sum uint64 // before it
	value  uint64
	body   *series
}

// fill takes apart c.
func (s *series) fill(c *nest.Counts, seriesOf func(*nest.Counts) *series) {
	for run, repeated := range c.Parts {
		p := seriesPart{n: s.n, sum: s.sum, value: run.Count}
		n, sum := run.N, run.N*run.Count
		if repeated != nil {
			p.body = seriesOf(repeated)
			n, sum = run.N*repeated.Len(), run.N*repeated.Sum()
		}
		s.parts = append(s.parts, p)
		s.n, s.sum = s.n+n, s.sum+sum
	}
}

// first is the sum of the first k counts.
func (s *series) first(k uint64) uint64 {
	if k >= s.n {
		return s.sum
	}
	p := &s.parts[sort.Search(len(s.parts), func(i int) bool { return s.parts[i].n > k })-1]
	k -= p.n
	if p.body == nil {
		return p.sum + p.value*k
	}
	return p.sum + k/p.body.n*p.body.sum + p.body.first(k%p.body.n)
}

// execution is which count repetition k belongs to.
func (s *series) execution(k uint64) uint64 {
	if k >= s.sum {
		return s.n
	}
	p := &s.parts[sort.Search(len(s.parts), func(i int) bool { return s.parts[i].sum > k })-1]
	k -= p.sum
	if p.body == nil {
		return p.n + k/p.value
	}
	return p.n + k/p.body.sum*p.body.n + p.body.execution(k%p.body.sum)
}
