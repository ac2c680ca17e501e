package collectives

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/fingerprint"
	"github.com/tabard-hpc/tabard/spec"
)

// persistent are requests of a stream by their number. What they send and where they receive to is said when they are
// made; contents are noted before the call that starts them, or that makes their partitions ready.
type persistent struct {
	requests map[int64]*request
	procNull int64
}

type request struct {
	place      Place
	count      int64
	datatype   int64
	sends      bool // its contents are noted
	partitions int
	parts      []hash
	open       int // partitions that are not ready yet
	end        end // of a message that waits for them
	waits      bool
}

// sent is what a call says of one of its messages.
type sent struct {
	*request // nil if it is no persistent one
	hash     hash
	one      bool // it is known which hash is that of the message
}

// placeOf is where what it sends lies, or what it receives goes: of a call, the parameter with this name.
func (x *sent) placeOf(c *archive.Call, name string) Place {
	if x.request != nil {
		return x.place
	}
	return buffer(c, name)
}

// elementsOf is how many elements of which datatype a call sends, or fetches.
func (x *sent) elementsOf(c *archive.Call, fetches bool) (n, datatype int64) {
	if x.request != nil {
		return x.count * int64(max(x.partitions, 1)), x.datatype
	}
	count, of := spec.RoleSendCount, spec.RoleSendType
	if fetches {
		count, of = spec.RoleRecvCount, spec.RoleRecvType
	}
	if i := c.Func.Slot(count); i >= 0 {
		n = c.Slots[i].N
	}
	if i := c.Func.Slot(of); i >= 0 {
		datatype = c.Slots[i].N
	}
	return n, datatype
}

// see takes in a call that makes a persistent request.
func (p *persistent) see(c *archive.Call) {
	f := c.Func
	if !f.Has(spec.PersistentInit) || f.Has(spec.Collective) {
		return
	}
	v, ok := c.Out("request")
	if !ok {
		return
	}
	q := &request{place: buffer(c, "buf")}
	n, _ := c.In("count")
	t, _ := c.In("datatype")
	q.count, q.datatype = n.N, t.N
	if i := f.Slot(spec.RoleSendPeer); i >= 0 && f.Op == spec.OpSend {
		q.sends = c.Slots[i].Kind == archive.Int && c.Slots[i].N != p.procNull
	}
	if i := f.Slot(spec.RolePartitions); i >= 0 {
		q.partitions = int(c.Slots[i].N)
	}
	p.requests[v.N] = q
}

// of is what a call says of the nth request that it starts, or of its only message.
func (p *persistent) of(c *archive.Call, nth int, hashes []hash) *sent {
	if c.Func.Op != spec.OpStart {
		x := &sent{one: len(hashes) == 1}
		if x.one {
			x.hash = hashes[0]
		}
		return x
	}
	x, k := &sent{}, 0
	for i, n := range requestsOf(c) {
		q := p.requests[n]
		if q == nil { // it is not known what hashes are whose
			return &sent{}
		}
		noted := q.sends && q.partitions == 0
		if i == nth {
			x.request = q
			if noted && k < len(hashes) {
				x.hash, x.one = hashes[k], true
			}
			return x
		}
		if noted {
			k++
		}
	}
	return x
}

func requestsOf(c *archive.Call) (list []int64) {
	if v, ok := c.In("request"); ok {
		return []int64{v.N}
	}
	v, _ := c.In("array_of_requests")
	for i := range v.List {
		list = append(list, v.List[i].N)
	}
	return list
}

// wait notes that a message is that of a started partitioned request.
func (q *request) wait(e *end) {
	q.parts, q.open, q.end, q.waits = make([]hash, q.partitions), q.partitions, *e, true
}

// ready takes in partitions that a call makes ready. It returns the request if these were the last ones.
func (p *persistent) ready(c *archive.Call, hashes []hash) *request {
	if c.Func.Op != spec.OpPartReady {
		return nil
	}
	v, _ := c.In("request")
	q := p.requests[v.N]
	if q == nil || !q.waits {
		return nil
	}
	k := 0
	for _, i := range partitionsOf(c) {
		if i < 0 || i >= int64(q.partitions) {
			continue
		}
		if k < len(hashes) && q.sends {
			q.parts[i] = hashes[k]
		}
		k++
		q.open--
	}
	if q.open > 0 {
		return nil
	}
	q.waits = false
	return q
}

func partitionsOf(c *archive.Call) (list []int64) {
	if v, ok := c.In("array_of_partitions"); ok {
		return v.Ints
	}
	first, ok := c.In("partition")
	last := first
	if !ok {
		first, _ = c.In("partition_low")
		last, _ = c.In("partition_high")
	}
	for i := first.N; i <= last.N; i++ {
		list = append(list, i)
	}
	return list
}

// joined is the message of all partitions, of so many bytes. Sums are not put together.
func (q *request) joined(bytes int64) *sent {
	x := &sent{request: q, one: true, hash: hash{known: true}}
	for _, h := range q.parts {
		x.hash.known = x.hash.known && h.known
		x.hash.value = fingerprint.Join(x.hash.value, h.value, uint64(bytes/int64(q.partitions)))
	}
	x.hash.amount.Hash = x.hash.value
	return x
}

// waiting is how many messages wait for their partitions.
func (p *persistent) waiting() (n int) {
	for _, q := range p.requests {
		if q.waits {
			n++
		}
	}
	return n
}
