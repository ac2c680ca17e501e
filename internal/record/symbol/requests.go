package symbol

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// request is a live request.
type request struct {
	Raw        uint64 // its word: see ring.RequestDone
	Seq        uint64 // the earlier it was made, the less
	Num        int64
	Pool       int32 // index in requests.Pools
	K          int32 // its place in the pool
	Persistent bool
	Wild       bool  // of a receive from any source, or with any tag
	next, prev int32 // live requests with the same handle, made after and before it, -1 none
	// Live requests that the program kept in the same place before and after this one, -1 none.
	under, over int32
	claims      int32 // calls in progress that were given this request
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
	Site   uint64 // where they are made
}

// requests are the live requests. Several may share one handle: all that are complete when they are made. They are told
// by where the program keeps them. Of those that it has moved the oldest is meant, of those that the same thread made.
type requests struct {
	Pools    []pool
	shapes   map[string]int32
	next     int64
	threaded bool // some were made by other threads than the first one

	nodes  []request
	free   []int32
	heads  table // handle -> first node
	tails  map[uint64]int32
	places table // word of a request that says where it is kept -> the newest one there
	made   uint64
}

// handle is what a word says of a request but for its place.
func handle(raw uint64) uint64 {
	if raw&ring.RequestDone != 0 {
		return raw &^ ring.RequestPlace
	}
	return raw
}

// placed tells whether a word says where the program keeps a request whose handle others may have.
func placed(raw uint64) bool { return raw&ring.RequestDone != 0 && raw&ring.RequestPlace != 0 }

func newRequests() requests {
	return requests{shapes: map[string]int32{}, tails: map[uint64]int32{}}
}

// pool gives the pool of a shape.
func (q *requests) pool(shape []byte) int32 {
	i, ok := q.shapes[string(shape)]
	if !ok {
		i = int32(len(q.Pools))
		q.Pools = append(q.Pools, pool{Send: isSendShape(shape), Site: siteOfShape(shape)})
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
		q.Pools = append(q.Pools, pool{Send: q.Pools[first].Send, Site: q.Pools[first].Site, Thread: thread})
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
	q.made++
	q.link(request{Raw: raw, Seq: q.made, Num: pl.Nums[k], Pool: poolIndex, K: int32(k), Persistent: persistent,
		Wild: wild})
	return int(k), pl.Nums[k]
}

func (q *requests) link(r request) {
	r.next, r.prev, r.under, r.over = -1, -1, -1, -1
	var n int32
	if len(q.free) > 0 {
		n = q.free[len(q.free)-1]
		q.free = q.free[:len(q.free)-1]
	} else {
		n = int32(len(q.nodes))
		q.nodes = append(q.nodes, request{})
	}
	if placed(r.Raw) {
		if before, ok := q.places.get(r.Raw); ok {
			r.under, q.nodes[before].over = before, n
		}
		q.places.put(r.Raw, n)
	}
	h := handle(r.Raw)
	if head, ok := q.heads.get(h); !ok {
		q.heads.put(h, n)
	} else {
		last, ok := q.tails[h]
		if !ok {
			last = head
		}
		q.nodes[last].next, r.prev = n, last
		q.tails[h] = n
	}
	q.nodes[n] = r
}

// mostUnder bounds how many requests that were kept at one place are looked at.
const mostUnder = 64

// at gives the request that the program keeps at a place and no call in progress was given, -1 if there is none. If it
// has stored several there, those that it keeps elsewhere now, or has lost, were made by other calls than the last one;
// else it has moved them and brings them back, the oldest first.
func (q *requests) at(raw uint64) int32 {
	n, ok := q.places.get(raw)
	if !ok {
		return -1
	}
	found, site := int32(-1), uint64(0)
	for range mostUnder {
		switch r := &q.nodes[n]; {
		case r.claims > 0:
		case found < 0:
			found, site = n, q.Pools[r.Pool].Site
		case q.Pools[r.Pool].Site == site:
			found = n
		}
		if n = q.nodes[n].under; n < 0 {
			break
		}
	}
	return found
}

// find gives the (skip+1)-th live request of a handle that no other call in progress was given: those that a thread
// made come before those of others, the oldest of them first. If all were given, it is the (skip+1)-th oldest; -1 if
// there is none.
// A request that a call is waiting for may be complete already, and the library may
// have used its handle again.
func (q *requests) find(raw uint64, skip int, thread int32) int32 {
	first, ok := q.heads.get(handle(raw))
	if !ok {
		return -1
	}
	left := skip
	if n := q.ofThread(first, &left, thread); n >= 0 {
		return n
	}
	if n := q.walk(first, &left, func(r *request) bool { return r.claims == 0 && !q.madeBy(r, thread) }); n >= 0 {
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
	return q.walk(n, skip, func(r *request) bool { return r.claims == 0 && q.madeBy(r, thread) })
}

// madeBy tells whether a thread made a request; without threads all are by the first one.
func (q *requests) madeBy(r *request, thread int32) bool {
	return !q.threaded || q.Pools[r.Pool].Thread == thread
}

// after gives the next request of the same handle that could be meant after one that find gave.
func (q *requests) after(n, thread int32) int32 {
	h, skip := handle(q.nodes[n].Raw), 0
	own := q.madeBy(&q.nodes[n], thread)
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
		from, _ = q.heads.get(h)
	}
	return q.walk(from, &skip, func(r *request) bool { return r.claims == 0 && !q.madeBy(r, thread) })
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
	if u.node >= 0 && handle(q.nodes[u.node].Raw) == handle(u.raw) && q.nodes[u.node].Num == num {
		return u.node
	}
	return q.node(u.raw, num)
}

// node finds the live request of a handle that has a number, -1 if there is none.
func (q *requests) node(raw uint64, num int64) int32 {
	n, ok := q.heads.get(handle(raw))
	for ok && n >= 0 && q.nodes[n].Num != num {
		n = q.nodes[n].next
	}
	if !ok {
		return -1
	}
	return n
}

// remove ends a live request.
func (q *requests) remove(n int32) {
	r := q.nodes[n]
	h := handle(r.Raw)
	switch {
	case r.prev >= 0:
		q.nodes[r.prev].next = r.next
	case r.next >= 0:
		q.heads.put(h, r.next)
	default:
		q.heads.del(h)
	}
	switch {
	case r.next >= 0:
		q.nodes[r.next].prev = r.prev
	case r.prev >= 0:
		q.tails[h] = r.prev
	default:
		delete(q.tails, h)
	}
	if placed(r.Raw) {
		q.leave(&r)
	}
	q.nodes[n].Num = -1 // see of
	q.free = append(q.free, n)
	q.Pools[r.Pool].Ks.give(int64(r.K))
}

// leave takes a request off the place where the program keeps it.
func (q *requests) leave(r *request) {
	if r.under >= 0 {
		q.nodes[r.under].over = r.over
	}
	switch {
	case r.over >= 0:
		q.nodes[r.over].under = r.under
	case r.under >= 0:
		q.places.put(r.Raw, r.under)
	default:
		q.places.del(r.Raw)
	}
}

// live lists the live requests, those made first before others.
func (q *requests) live() []request {
	var rs []request
	q.heads.each(func(_ uint64, n int32) {
		for ; n >= 0; n = q.nodes[n].next {
			rs = append(rs, q.nodes[n])
		}
	})
	slices.SortFunc(rs, func(a, b request) int { return cmp.Compare(a.Seq, b.Seq) })
	return rs
}
