package collectives

import (
	"container/heap"
	"maps"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/fingerprint"
)

// end is the call of one end of a message that is to be looked at, and then left - 1 more, each step calls later. Of
// those that close, nth is which of the calls that fetch it ends, and step how many these are.
type end struct {
	call, step, left uint64
	message, nth     int32 // the latter of the requests that the call starts
	side             side
}

// side is what the call of an end does with the message.
type side uint8

const (
	sends side = iota // also what puts or gets it
	receives
	closes // it is done: at its target if it was written, else here
	makes  // the message is the number of a window
)

// ends are a heap by call.
type ends []end

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i].call < e[j].call }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)        { *e = append(*e, x.(end)) }
func (e *ends) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// hash is that of what a call sends.
type hash struct {
	value    uint64
	known    bool
	amount   Amount
	elements Elements
	samples  []uint64
}

func hashOf(c *archive.Call) hash {
	i := c.Func.In("hash")
	if i < 0 {
		return hash{}
	}
	h := hash{value: uint64(c.Slots[i].N), known: true}
	h.amount.Hash = h.value
	if v, ok := c.In("sum"); ok {
		h.amount.Sum, h.elements = uint64(v.N), Integers
	}
	if v, ok := c.In("size"); ok {
		re, _ := c.In("re")
		im, _ := c.In("im")
		h.amount.Wave, h.elements = fingerprint.Wave{Re: real(re), Im: real(im), Size: real(v)}, Reals
	}
	return h
}

func samplesOf(v archive.Value) []uint64 {
	list := make([]uint64, len(v.Ints))
	for i, n := range v.Ints {
		list[i] = uint64(n)
	}
	return list
}

func real(v archive.Value) float64 { return math.Float64frombits(uint64(v.N)) }

// next is the amount of all instances up to one, from that of those before.
func (a Amount) next(h Amount) Amount {
	return Amount{a.Sum*0x9e3779b97f4a7c15 + h.Sum, a.Wave.Join(1, h.Wave), fingerprint.Join(a.Hash, h.Hash, 1)}
}

// visit is handed a call of an end, and what it sends or where it receives to. It tells whether the later ones are
// wanted.
type visit func(c *archive.Call, e *end, x *sent) bool

func (r *reader) readAll(all map[int32]ends, see visit) error {
	for _, stream := range slices.Sorted(maps.Keys(all)) { // sites are numbered, and samples kept, in this order
		of := all[stream]
		heap.Init(&of)
		if err := r.read(int(stream), of, see); err != nil {
			return err
		}
	}
	return nil
}

// read goes through a stream up to the last call that is asked for.
func (r *reader) read(stream int, of ends, see visit) error {
	var noted contents
	requests := &persistent{map[int64]*request{}, r.procNull}
	last := uint64(0) // that is asked for
	for i := range of {
		last = max(last, of[i].call+of[i].step*(max(1, of[i].left)-1))
	}
	for c, err := range r.a.Stream(stream).Iter(0) {
		if err != nil || len(of) == 0 && len(noted.closed) == 0 && requests.waiting() == 0 {
			return err
		}
		if c.Index&(1<<16-1) == 0 {
			if err := r.a.Hopeless(c.Index, last-min(last, c.Index)); err != nil {
				return err
			}
		}
		if c.Func.Category == "payload" {
			noted.note(c)
			r.res.Contents = true
			continue
		}
		if c.Func.Own() { // memory that is seen for the first time, between a hash and its call
			continue
		}
		r.fetched(&noted)
		hashes := noted.take()
		requests.see(c)
		if done := requests.ready(c, hashes); done != nil {
			see(c, &done.end, done.joined(r.messages[done.end.message].Bytes))
		}
		for len(of) > 0 && of[0].call <= c.Index {
			e := &of[0]
			if e.call == c.Index && e.side == closes {
				noted.closed = append(noted.closed, *e)
			}
			if e.call == c.Index && r.wanted(c, e, requests, hashes, see) && e.left > 1 {
				e.call, e.left = e.call+e.step, e.left-1
				heap.Fix(&of, 0)
				continue
			}
			heap.Pop(&of)
		}
	}
	r.fetched(&noted)
	return nil
}

// contents are what a stream notes: hashes of what the next call sends, and of what those have brought that the call
// before has ended.
type contents struct {
	sent, got []hash
	calls     int64 // so many hashes are of the latter
	closed    []end
}

func (n *contents) note(c *archive.Call) {
	if v, ok := c.In("calls"); ok {
		n.calls, n.got = v.N, nil
		return
	}
	to := &n.sent
	if len(n.sent) == 0 && int64(len(n.got)) < n.calls {
		to = &n.got
	}
	if v, ok := c.In("elements"); !ok {
		*to = append(*to, hashOf(c))
	} else if len(n.sent) == 0 && len(n.got) > 0 {
		n.got[len(n.got)-1].samples = samplesOf(v)
	} else if len(n.sent) > 0 {
		n.sent[len(n.sent)-1].samples = samplesOf(v)
	}
}

// take is what the next call sends.
func (n *contents) take() []hash {
	list := n.sent
	*n = contents{}
	return list
}

// fetched notes what is in messages that were got. If hashes are missing it is not known which.
func (r *reader) fetched(n *contents) {
	for _, e := range n.closed {
		if int64(e.step) == n.calls && len(n.got) == int(n.calls) && r.messages[e.message].Sided == Read {
			r.carries(e.message, &n.got[e.nth])
		}
	}
}

// carries notes what is in a message.
func (r *reader) carries(k int32, h *hash) {
	m := &r.messages[k]
	m.Hash, m.Known, m.Amount, m.Elements = h.value, h.known, h.amount, h.elements
	m.Width = width(m.Elems, m.Bytes)
	r.sample(m, h.samples)
}

// wanted hands a call of an end on. Of a partitioned request it waits until all partitions are ready.
func (r *reader) wanted(c *archive.Call, e *end, requests *persistent, hashes []hash, see visit) bool {
	x := requests.of(c, int(e.nth), hashes)
	if x.request != nil && x.partitions > 0 && e.side == sends {
		x.wait(e)
		return true
	}
	return see(c, e, x)
}

// at notes what a call says of a message.
func (r *reader) at(c *archive.Call, e *end, x *sent) bool {
	if e.side == makes {
		r.bases[r.sided.made[e.message]] = baseOf(c)
		return false
	}
	m := &r.messages[e.message]
	switch {
	case e.side != sends:
		if m.RecvSite = r.site(c); e.side == receives {
			m.Target = x.placeOf(c, "recvbuf")
		}
		return false
	case e.left == max(m.Count, 1): // the first one
		if m.Sided != Read {
			m.Sent = c.Index // of the last partition
		}
		if m.SendSite = r.site(c); m.Sided == Both {
			m.Source = x.placeOf(c, "sendbuf")
		} else {
			m.access(c)
		}
		m.Elems, m.Type = x.elementsOf(c, m.Sided == Read)
		if x.one && m.Sided != Read {
			r.carries(e.message, &x.hash)
		}
		r.last[e.message] = m.Hash
		return m.Known && e.left > 1
	}
	h, known := one(c, x)
	m.Digest = (m.Digest ^ h) * 0x9e3779b97f4a7c15
	m.Digest ^= m.Digest >> 29
	if known && h == r.last[e.message] {
		m.Again++
	}
	r.last[e.message] = h
	if known {
		m.Amount = m.Amount.next(x.hash.amount)
		r.sample(m, x.hash.samples)
	}
	return true
}

// mostSamples is how many elements are kept of all messages.
const mostSamples = 1 << 22

// sample keeps the samples of an instance.
func (r *reader) sample(m *Message, samples []uint64) {
	if m.Samples == nil {
		m.Sampled = len(samples)
	}
	if len(samples) == 0 || len(samples) != m.Sampled || r.sampled+len(samples) > mostSamples {
		m.Sampled = -1 // not all instances have them
		return
	}
	m.Samples = append(m.Samples, samples...)
	r.sampled += len(samples)
}

// width is the size of the reals in a message: 4 bytes of MPI_FLOAT, else 8.
func width(count, bytes int64) int64 {
	if count > 0 && bytes/count == 4 {
		return 4
	}
	return 8
}

// one is the hash of a call's message; if it is not known, a number that is like no other.
func one(c *archive.Call, x *sent) (value uint64, known bool) {
	if x.one && x.hash.known {
		return x.hash.value, true
	}
	return (c.Index + 1) * 0xbf58476d1ce4e5b9, false
}

// mostCompared is how many instances are compared one by one, in 9 bytes each.
const mostCompared = 1 << 24

// agree counts, for each item whose contents differ in some instances, in how many all messages carry the same.
func (r *reader) agree(items []*item) error {
	type comparison struct {
		hashes []uint64
		bad    []bool
		seen   []bool
	}
	of, all, room := map[int32]*comparison{}, map[int32]ends{}, uint64(mostCompared)
	where := map[*Message]int32{}
	for i := range r.messages {
		where[&r.messages[i]] = int32(i)
	}
	compared := map[*item]*comparison{}
	for _, x := range items {
		n := x.messages[0].Count
		if n > room {
			continue
		}
		room -= n
		c := &comparison{make([]uint64, n), make([]bool, n), make([]bool, n)}
		compared[x] = c
		for _, m := range x.messages {
			i := where[m]
			of[i] = c
			all[r.streams[i]] = append(all[r.streams[i]], end{r.posts[i], m.SendStep, m.Count, i, r.nths[i], sends})
		}
	}
	err := r.readAll(all, func(c *archive.Call, e *end, x *sent) bool {
		to := of[e.message]
		h, known := one(c, x)
		if k := r.messages[e.message].Count - e.left; k < uint64(len(to.hashes)) {
			to.bad[k] = to.bad[k] || !known || to.seen[k] && to.hashes[k] != h
			to.hashes[k], to.seen[k] = h, true
		}
		return true
	})
	for x, c := range compared {
		for _, bad := range c.bad {
			if !bad {
				x.agree++
			}
		}
	}
	return err
}
