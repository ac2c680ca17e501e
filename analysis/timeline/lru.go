package timeline

import (
	"container/list"
	"sync"
)

// lru keeps values of a bounded size, those that were asked for last.
type lru[K comparable, V any] struct {
	most, held int
	size       func(V) int
	order      *list.List // of *kept, the latest first
	all        map[K]*list.Element
}

type kept[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](most int, size func(V) int) *lru[K, V] {
	return &lru[K, V]{most: most, size: size, order: list.New(), all: map[K]*list.Element{}}
}

func (c *lru[K, V]) get(k K) (v V, ok bool) {
	e, ok := c.all[k]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*kept[K, V]).value, true
}

// put keeps a value, unless there is one. It tells what had to go.
func (c *lru[K, V]) put(k K, v V) {
	if _, ok := c.all[k]; ok {
		return
	}
	c.all[k] = c.order.PushFront(&kept[K, V]{k, v})
	c.held += c.size(v)
	for c.held > c.most && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

func (c *lru[K, V]) remove(e *list.Element) {
	x := c.order.Remove(e).(*kept[K, V])
	delete(c.all, x.key)
	c.held -= c.size(x.value)
}

// blockKey is a block of calls of a stream: its first call.
type blockKey struct {
	stream int
	from   uint64
}

// mips keeps summaries of blocks.
type mips struct {
	mu  sync.Mutex
	lru *lru[blockKey, *mip]
}

func newMips(most int) *mips { return &mips{lru: newLRU[blockKey](most, (*mip).size)} }

func (m *mips) get(k blockKey) *mip {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, _ := m.lru.get(k)
	return v
}

func (m *mips) put(k blockKey, v *mip) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lru.put(k, v)
}

func (m *mips) drop(k blockKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.lru.all[k]; e != nil {
		m.lru.remove(e)
	}
}

// full tells that there is hardly room for more.
func (m *mips) full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lru.held > m.lru.most*9/10
}

// all lists what is kept.
func (m *mips) all() (list []*kept[blockKey, *mip]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for e := m.lru.order.Back(); e != nil; e = e.Prev() {
		list = append(list, e.Value.(*kept[blockKey, *mip]))
	}
	return list
}
