package timeline

import (
	"container/list"
	"sync"
	"sync/atomic"
)

// How many bytes a Memory holds: of summaries of blocks, of rows that are not exact yet, and of finished ones.
const (
	mipMemory     = 160 << 20
	partialMemory = 32 << 20
	rowMemory     = 32 << 20
)

// Memory is what Tilers of a recording keep of what they found. They share it, so that it is bounded however many there
// are. It is safe for concurrent use.
type Memory struct {
	tilers   atomic.Uint64
	mips     *lru[blockKey, *mip]
	partials *lru[rowKey, *partial]
	rows     *lru[rowKey, *chunk]
}

// NewMemory makes an empty one.
func NewMemory() *Memory {
	return &Memory{mips: newLRU[blockKey](mipMemory, (*mip).size),
		partials: newLRU[rowKey](partialMemory, func(*partial) int { return partialSize }),
		rows:     newLRU[rowKey](rowMemory, (*chunk).size)}
}

// partial is what there is of a row that is not exact yet.
func (m *Memory) partial(k rowKey) *partial {
	for {
		if p := m.partials.get(k); p != nil {
			return p
		}
		m.partials.put(k, &partial{sum: &chunk{}})
	}
}

// blockKey is a block of calls of a stream, by its first call, as a Tiler sees it.
type blockKey struct {
	tiler  uint64
	stream int
	from   uint64
}

// rowKey is a row of a tile.
type rowKey struct {
	tiler               uint64
	first, lines, level int
	x                   int64
}

// lru keeps values of a bounded size, those that were asked for last. It is safe for concurrent use.
type lru[K comparable, V any] struct {
	mu         sync.Mutex
	most, held int
	size       func(V) int
	order      *list.List // of *kept, the latest first
	byKey      map[K]*list.Element
}

type kept[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](most int, size func(V) int) *lru[K, V] {
	return &lru[K, V]{most: most, size: size, order: list.New(), byKey: map[K]*list.Element{}}
}

// get is a value that is kept, or none.
func (c *lru[K, V]) get(k K) (v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[k]; ok {
		c.order.MoveToFront(e)
		v = e.Value.(*kept[K, V]).value
	}
	return v
}

// put keeps a value, unless there is one.
func (c *lru[K, V]) put(k K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[k]; ok {
		return
	}
	c.byKey[k] = c.order.PushFront(&kept[K, V]{k, v})
	c.held += c.size(v)
	for c.held > c.most && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

// drop forgets a value.
func (c *lru[K, V]) drop(k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[k]; e != nil {
		c.remove(e)
	}
}

func (c *lru[K, V]) remove(e *list.Element) {
	x := c.order.Remove(e).(*kept[K, V])
	delete(c.byKey, x.key)
	c.held -= c.size(x.value)
}

// full tells that there is hardly room for more.
func (c *lru[K, V]) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held > c.most*9/10
}

// all lists what is kept.
func (c *lru[K, V]) all() (list []*kept[K, V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.order.Back(); e != nil; e = e.Prev() {
		list = append(list, e.Value.(*kept[K, V]))
	}
	return list
}
