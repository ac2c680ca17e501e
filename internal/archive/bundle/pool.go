package bundle

import (
	"container/heap"

	"github.com/tabard-hpc/tabard/spec"
)

// requestPool is the requests that a call site makes. The recorder takes the smallest free number
// of the site's, or a new one.
type requestPool struct {
	state map[int64]poolState
	heap  requestHeap // those that are free, and others that have become that, each once
}

// poolState says what is known of a request of a pool.
type poolState uint8

const (
	poolFree poolState = 1 << iota
	poolQueued
)

// poolID is what requests have in common whose numbers are from one pool.
type poolID struct {
	fn   spec.ID
	site uint32
	peer int64 // -1 for all
}

// poolsOf are the pools of a call's requests, with and without its peer.
func (s *walk) poolsOf(t uint32) (near, far *requestPool) {
	x := &s.got[0]
	if s.calls[t].sends {
		x = &s.sent
	}
	sig := &s.terminals[t]
	id := poolID{sig.Func, sig.Site, -1}
	far = s.pool(id)
	near = far
	if x.has[rolePeer] {
		id.peer = x.v[rolePeer]
		if len(s.pools) < maxPools || s.pools[id] != nil {
			near = s.pool(id)
		}
	}
	return near, far
}

func (s *walk) pool(id poolID) *requestPool {
	p := s.pools[id]
	if p == nil {
		p = &requestPool{state: map[int64]poolState{}}
		s.pools[id] = p
	}
	return p
}

// least is the number that the pool gives next, when top is the greatest one so far.
func (p *requestPool) least(top int64) int64 {
	for len(p.heap) > 0 {
		q := p.heap[0]
		if p.state[q]&poolFree != 0 {
			return q
		}
		heap.Pop(&p.heap)
		p.state[q] &^= poolQueued
	}
	return top + 2
}

func (p *requestPool) take(q int64) { p.state[q] &^= poolFree }

// free is told that a request is over, which may be of another pool.
func (p *requestPool) free(q int64) {
	st, ok := p.state[q]
	if !ok || st&poolFree != 0 {
		return
	}
	p.state[q] = poolFree | poolQueued
	if st&poolQueued == 0 {
		heap.Push(&p.heap, q)
	}
}

// release frees the requests that a call finishes.
func (s *walk) release() {
	free := func(q int64) {
		for _, p := range s.poolOf[q] {
			if p != nil {
				p.free(q)
			}
		}
	}
	if len(s.indices) == 0 {
		for _, q := range s.requests {
			free(q)
		}
		return
	}
	for _, i := range s.indices {
		if i >= 0 && i < int64(len(s.requests)) {
			free(s.requests[i])
		}
	}
}

// requestHeap has the least request first.
type requestHeap []int64

func (h requestHeap) Len() int           { return len(h) }
func (h requestHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h requestHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *requestHeap) Push(x any)        { *h = append(*h, x.(int64)) }
func (h *requestHeap) Pop() any {
	old := *h
	q := old[len(old)-1]
	*h = old[:len(old)-1]
	return q
}
