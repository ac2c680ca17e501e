package loops

import (
	"math"
	"sort"
)

// Run is the Range of iteration k, and how many iterations from k on have the same number of events
// each. n is at least 1.
func (it *Iterations) Run(k uint64) (from, to, n uint64) {
	from, to = it.Range(k)
	loop := it.of(it.loop())
	n = max(1, loop.first(loop.execution(k)+1)-k) // the rest of this execution
	for _, m := range it.loop().Body {
		n = min(n, it.equalRun(m, k))
	}
	return from, to, max(n, 1)
}

// equalRun is a lower bound for how many executions of a node, from number k on, have the same
// number of events.
func (it *Iterations) equalRun(m *Node, k uint64) uint64 {
	s := it.of(m)
	n, value := s.equalRun(k)
	if m.Kind != Loop || value == 0 {
		return n
	}
	at := s.first(k)
	for _, c := range m.Body {
		n = min(n, it.equalRun(c, at)/value)
	}
	return n
}

// equalRun is how many counts from number k on have the same value, and that value. It looks at one
// part only.
func (s *series) equalRun(k uint64) (n, value uint64) {
	if k >= s.n {
		return math.MaxUint64, 0
	}
	i := sort.Search(len(s.parts), func(i int) bool { return s.parts[i].n > k }) - 1
	p := &s.parts[i]
	if p.body != nil {
		return p.body.equalRun((k - p.n) % p.body.n)
	}
	end := s.n
	if i+1 < len(s.parts) {
		end = s.parts[i+1].n
	}
	return end - k, p.value
}
