package loops

import (
	"math"
	"sort"
)

// Run is Range of iteration k, and how many iterations from there on, at least this one, follow one another
// with the same number of events each.
func (it *Iterations) Run(k uint64) (from, to, n uint64) {
	from, to = it.Range(k)
	loop := it.of(it.loop())
	n = max(1, loop.first(loop.execution(k)+1)-k) // the rest of this execution
	for _, m := range it.loop().Body {
		n = min(n, it.alike(m, k))
	}
	return from, to, max(n, 1)
}

// alike is how many executions of a node, from number k on, certainly have the same number of events.
func (it *Iterations) alike(m *Node, k uint64) uint64 {
	s := it.of(m)
	n, value := s.alike(k)
	if m.Kind != Loop || value == 0 {
		return n
	}
	at := s.first(k)
	for _, c := range m.Body {
		n = min(n, it.alike(c, at)/value)
	}
	return n
}

// alike is how many counts from number k on have the same value, as far as one part tells, and the value.
func (s *series) alike(k uint64) (n, value uint64) {
	if k >= s.n {
		return math.MaxUint64, 0
	}
	i := sort.Search(len(s.parts), func(i int) bool { return s.parts[i].n > k }) - 1
	p := &s.parts[i]
	if p.body != nil {
		return p.body.alike((k - p.n) % p.body.n)
	}
	end := s.n
	if i+1 < len(s.parts) {
		end = s.parts[i+1].n
	}
	return end - k, p.value
}
