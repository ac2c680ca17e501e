package symbol

import (
	"fmt"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// numbers hands out the smallest free number.
type numbers struct {
	Next int64
	Free []int64 // a binary heap
}

func (n *numbers) take() int64 {
	if len(n.Free) == 0 {
		n.Next++
		return n.Next - 1
	}
	h := n.Free
	least := h[0]
	last := h[len(h)-1]
	h = h[:len(h)-1]
	n.Free = h
	for i := 0; len(h) > 0; {
		c := 2*i + 1
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if c >= len(h) || last <= h[c] {
			h[i] = last
			break
		}
		h[i] = h[c]
		i = c
	}
	return least
}

func (n *numbers) give(v int64) {
	n.Free = append(n.Free, v)
	h := n.Free
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up] <= h[i] {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

// object is a live object other than a request.
type object struct {
	Num  int64
	Refs int32
	// Dying: a call in progress frees it. Callbacks inside that call may still use it; an
	// object that another thread gets with the same handle is a new one.
	Dying bool
}

// objects are the live objects of one class, by handle.
type objects struct {
	Live map[uint64]object
	Nums numbers
}

// handles are what the handles of a process mean, but for requests.
type handles struct {
	abi    spec.ABI
	any    empty             // wildcards of the ABI
	predef map[predefKey]int // from the process itself, where handles are addresses
	objs   [spec.NumClasses]objects
	gen    uint32      // changes whenever a handle changes its meaning
	real   [512]uint64 // see nullRequest
}

type predefKey struct {
	class spec.Class
	raw   uint64
}

func newHandles() handles {
	h := handles{predef: map[predefKey]int{}}
	for i := range h.objs {
		h.objs[i].Live = map[uint64]object{}
	}
	return h
}

// ABI is the process's MPI; 0 while unknown.
func (h *handles) ABI() spec.ABI { return h.abi }

// setABI takes in the record that says which MPI it is, and what its predefined handles are.
func (h *handles) setABI(w []uint64) error {
	if len(w) < 3 {
		return fmt.Errorf("record %d of the runtime: %d words, want %d", ring.RABI, len(w), 3)
	}
	h.useABI(spec.ABI(w[0]))
	pairs, _, err := ring.Take(&spec.Slot{Array: true}, w[2:])
	if err != nil {
		return err
	}
	for i := 0; i+1 < pairs.N; i += 2 {
		if k := pairs.Data[i]; k < uint64(len(spec.Predefineds)) {
			h.predef[predefKey{spec.Predefineds[k].Class, pairs.Data[i+1]}] = int(k)
		}
	}
	return nil
}

func (h *handles) useABI(abi spec.ABI) { h.abi, h.any = abi, empties()[abi] }

// counted classes hand out the same handle several times; each must be freed.
func counted(c spec.Class) bool {
	return c == spec.Group || c == spec.Errhandler || c == spec.Type
}

// lookup gives the code of a handle that a call uses. A handle that nobody
// created in sight (by a call that cannot be intercepted) becomes an object now.
func (h *handles) lookup(c spec.Class, raw uint64) int64 {
	if o, ok := h.objs[c].Live[raw]; ok {
		return archive.DynamicRef(o.Num)
	}
	if code, ok := h.predefined(c, raw); ok {
		return code
	}
	return h.bind(c, raw)
}

// predefined gives the code of a predefined handle.
func (h *handles) predefined(c spec.Class, raw uint64) (int64, bool) {
	k, ok := h.predef[predefKey{c, raw}]
	if !ok {
		k, ok = h.abi.PredefinedByHandle(c, raw)
	}
	if !ok {
		return 0, false
	}
	if spec.Predefineds[k].Null {
		return 0, true
	}
	return archive.PredefinedRef(k), true
}

// nullRequest reports whether a handle is MPI_REQUEST_NULL. It remembers the
// handles that are not: few values are in use, and maps are slow.
func (h *handles) nullRequest(raw uint64) bool {
	at := &h.real[raw*mul1>>55]
	if *at == raw+1 {
		return false
	}
	if _, ok := h.predefined(spec.Request, raw); ok {
		return true
	}
	*at = raw + 1
	return false
}

// bind makes a new object of a handle and returns its code.
func (h *handles) bind(c spec.Class, raw uint64) int64 {
	t := &h.objs[c]
	if old, ok := t.Live[raw]; ok && !old.Dying { // its end was out of sight
		t.Nums.give(old.Num)
	}
	n := t.Nums.take()
	t.Live[raw] = object{Num: n, Refs: 1}
	h.gen++
	return archive.DynamicRef(n)
}

// create gives the code of a handle that a call returned as new, or as a
// reference to something that may exist.
func (h *handles) create(c spec.Class, life spec.Life, raw uint64) int64 {
	o, live := h.objs[c].Live[raw]
	live = live && !o.Dying
	switch {
	case live && (life == spec.Alias || life == spec.Update):
		return archive.DynamicRef(o.Num)
	case live && counted(c):
		o.Refs++
		h.objs[c].Live[raw] = o
		return archive.DynamicRef(o.Num)
	}
	if code, ok := h.predefined(c, raw); ok {
		return code
	}
	return h.bind(c, raw)
}

// release is an object that a call in progress frees, or takes a reference off.
type release struct {
	Class spec.Class
	Raw   uint64
	Num   int64
}

// releasing notes at the entry of a call that it frees the object of a handle:
// another thread may get the same handle for a new object before the call returns.
func (h *handles) releasing(c spec.Class, raw uint64) (release, bool) {
	t := &h.objs[c]
	o, ok := t.Live[raw]
	if !ok {
		return release{}, false
	}
	if o.Refs == 1 {
		o.Dying = true
		t.Live[raw] = o
	}
	return release{Class: c, Raw: raw, Num: o.Num}, true
}

// settle ends what a call freed, or keeps it if the call failed.
func (h *handles) settle(rs []release, failed bool) {
	for _, r := range rs {
		t := &h.objs[r.Class]
		o, ok := t.Live[r.Raw]
		switch same := ok && o.Num == r.Num; {
		case failed && same:
			o.Dying = false
			t.Live[r.Raw] = o
		case failed:
		case same && o.Refs > 1:
			o.Refs--
			t.Live[r.Raw] = o
		case same:
			delete(t.Live, r.Raw)
			h.gen++
			t.Nums.give(r.Num)
		default: // the handle names a new object already
			t.Nums.give(r.Num)
		}
	}
}

// request is a live request.
type request struct {
	Raw        uint64
	Num        int64
	Pool       int32 // index in requests.Pools
	K          int32 // its place in the pool
	Persistent bool
	Wild       bool  // of a receive from any source, or with any tag
	next       int32 // next live request with the same handle, -1 none
	claims     int32 // calls in progress that were given this request
}

// pool numbers the requests that one shape of call creates: what repeats in a
// loop gets the numbers of the iteration before, in whatever order the
// requests of other shapes completed.
type pool struct {
	Ks   numbers
	Nums []int64 // by place in the pool
	Send bool    // the requests are of sends
	// Thread makes the requests: each has numbers of its own.
	Thread int32
}

// requests are the live requests. Several may share one handle: then they
// are interchangeable, and the oldest is meant, of those that the same thread made.
type requests struct {
	Pools    []pool
	shapes   map[string]int32
	next     int64
	threaded bool // some were made by other threads than the first one

	nodes []request
	free  []int32
	heads table // handle -> first node
	tails map[uint64]int32
}

func newRequests() requests {
	return requests{shapes: map[string]int32{}, tails: map[uint64]int32{}}
}

// pool gives the pool of a shape.
func (q *requests) pool(shape []byte) int32 {
	i, ok := q.shapes[string(shape)]
	if !ok {
		i = int32(len(q.Pools))
		q.Pools = append(q.Pools, pool{Send: isSendShape(shape)})
		q.shapes[string(shape)] = i
	}
	return i
}

// poolOf gives the pool of a thread for the shape that a pool of the first thread is for.
func (q *requests) poolOf(first, thread int32) int32 {
	if thread == 0 {
		return first
	}
	q.threaded = true
	key := string(appendKeyWord(appendKeyWord([]byte("thread"), uint64(thread)), uint64(first)))
	i, ok := q.shapes[key]
	if !ok {
		i = int32(len(q.Pools))
		q.Pools = append(q.Pools, pool{Send: q.Pools[first].Send, Thread: thread})
		q.shapes[key] = i
	}
	return i
}

// add makes a live request and returns its place in the pool and its number.
func (q *requests) add(raw uint64, poolIndex int32, persistent, wild bool) (int, int64) {
	pl := &q.Pools[poolIndex]
	k := pl.Ks.take()
	for int(k) >= len(pl.Nums) {
		pl.Nums = append(pl.Nums, q.next)
		q.next++
	}
	q.link(request{Raw: raw, Num: pl.Nums[k], Pool: poolIndex, K: int32(k), Persistent: persistent, Wild: wild})
	return int(k), pl.Nums[k]
}

func (q *requests) link(r request) {
	r.next = -1
	var n int32
	if len(q.free) > 0 {
		n = q.free[len(q.free)-1]
		q.free = q.free[:len(q.free)-1]
		q.nodes[n] = r
	} else {
		n = int32(len(q.nodes))
		q.nodes = append(q.nodes, r)
	}
	head, ok := q.heads.get(r.Raw)
	if !ok {
		q.heads.put(r.Raw, n)
		return
	}
	last, ok := q.tails[r.Raw]
	if !ok {
		last = head
	}
	q.nodes[last].next = n
	q.tails[r.Raw] = n
}

// find gives the (skip+1)-th live request of a handle that no other call in progress was given: those that a thread
// made come before those of others, the oldest of them first. If all were given, it is the (skip+1)-th oldest; -1 if
// there is none.
// A request that a call is waiting for may be complete already, and the library may
// have used its handle again.
func (q *requests) find(raw uint64, skip int, thread int32) int32 {
	first, ok := q.heads.get(raw)
	if !ok {
		return -1
	}
	left := skip
	if n := q.ofThread(first, &left, thread); n >= 0 {
		return n
	}
	if n := q.walk(first, &left, func(r *request) bool { return r.claims == 0 && !q.made(r, thread) }); n >= 0 {
		return n
	}
	return q.walk(first, &skip, func(r *request) bool { return true })
}

// ofThread gives the (skip+1)-th request from n on that a thread made and no call was given, and takes those that it
// passed off skip.
func (q *requests) ofThread(n int32, skip *int, thread int32) int32 {
	if !q.threaded {
		return q.walk(n, skip, func(r *request) bool { return r.claims == 0 })
	}
	return q.walk(n, skip, func(r *request) bool { return r.claims == 0 && q.made(r, thread) })
}

// made tells whether a thread made a request; without threads all are by the first one.
func (q *requests) made(r *request, thread int32) bool {
	return !q.threaded || q.Pools[r.Pool].Thread == thread
}

// after gives the next request of the same handle that could be meant after one that find gave.
func (q *requests) after(n, thread int32) int32 {
	raw, skip := q.nodes[n].Raw, 0
	own := q.made(&q.nodes[n], thread)
	if own {
		if m := q.ofThread(q.nodes[n].next, &skip, thread); m >= 0 {
			return m
		}
		if !q.threaded {
			return -1
		}
	}
	from := q.nodes[n].next
	if own { // those of others begin anew
		from, _ = q.heads.get(raw)
	}
	return q.walk(from, &skip, func(r *request) bool { return r.claims == 0 && !q.made(r, thread) })
}

// walk gives the (skip+1)-th request from n on that fits, and takes those that it passed off skip.
func (q *requests) walk(n int32, skip *int, fits func(*request) bool) int32 {
	for ; n >= 0; n = q.nodes[n].next {
		if !fits(&q.nodes[n]) {
			continue
		}
		if *skip == 0 {
			return n
		}
		*skip--
	}
	return -1
}

// claim adds by to the claims of the requests that a call was given.
func (q *requests) claim(c *call, by int32) {
	if by < 0 && !c.claimed {
		return
	}
	c.claimed = by > 0
	for _, u := range c.reqs {
		if u.code <= 0 || u.code&1 != 0 {
			continue
		}
		if n := q.of(u); n >= 0 {
			q.nodes[n].claims += by
		}
	}
}

// of is node for a request that a call was given. It does not search where thousands share a
// handle.
func (q *requests) of(u requestUse) int32 {
	num := (u.code - 2) / 2
	if u.node >= 0 && q.nodes[u.node].Raw == u.raw && q.nodes[u.node].Num == num {
		return u.node
	}
	return q.node(u.raw, num)
}

// node finds the live request of a handle that has a number, -1 if there is none.
func (q *requests) node(raw uint64, num int64) int32 {
	n, ok := q.heads.get(raw)
	for ok && n >= 0 && q.nodes[n].Num != num {
		n = q.nodes[n].next
	}
	if !ok {
		return -1
	}
	return n
}

// remove ends the request of a handle that has a number, if there is one.
func (q *requests) remove(raw uint64, num int64) {
	n, ok := q.heads.get(raw)
	prev := int32(-1)
	for ok && n >= 0 && q.nodes[n].Num != num {
		prev, n = n, q.nodes[n].next
	}
	if !ok || n < 0 {
		return
	}
	r := q.nodes[n]
	switch {
	case prev >= 0:
		q.nodes[prev].next = r.next
	case r.next >= 0:
		q.heads.put(raw, r.next)
	default:
		q.heads.del(raw)
	}
	if t, ok := q.tails[raw]; ok {
		switch {
		case prev < 0 && r.next < 0:
			delete(q.tails, raw)
		case t == n:
			q.tails[raw] = prev
		}
	}
	q.nodes[n].Num = -1 // see of
	q.free = append(q.free, n)
	q.Pools[r.Pool].Ks.give(int64(r.K))
}

// live lists the live requests, those of one handle oldest first.
func (q *requests) live() []request {
	var rs []request
	q.heads.each(func(_ uint64, n int32) {
		for ; n >= 0; n = q.nodes[n].next {
			rs = append(rs, q.nodes[n])
		}
	})
	slices.SortStableFunc(rs, func(a, b request) int {
		switch {
		case a.Raw < b.Raw:
			return -1
		case a.Raw > b.Raw:
			return 1
		}
		return 0
	})
	return rs
}
