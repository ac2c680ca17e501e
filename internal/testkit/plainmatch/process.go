package plainmatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// refProc replays one process.
type refProc struct {
	r        *reference
	i        int
	requests map[int64]*refRequest
	messages map[int64]*refEnd
	types    map[int64]int64
	counts   map[string]int
}

func (c refCall) id() string { return fmt.Sprintf("%d/%d", c.s.Index(), c.Index) }

// arg is a parameter on entry.
func (c refCall) arg(names ...string) (archive.Value, bool) {
	for _, n := range names {
		if v, ok := c.In(n); ok && v.Kind != archive.Absent {
			return v, true
		}
	}
	return archive.Value{}, false
}

func (c refCall) num(names ...string) int64 { v, _ := c.arg(names...); return v.N }

func (c refCall) res(name string) (archive.Value, bool) {
	v, ok := c.Out(name)
	return v, ok && v.Kind != archive.Absent
}

// comm is the communicator of a call: its identity and what its ranks are.
func (p *refProc) comm(c refCall, name string) (id string, peers func(int) int) {
	v, ok := c.arg(name)
	if !ok {
		return "", nil
	}
	me := p.r.number[p.i]
	var o *comms.Object
	if v.N == worldCode {
		for _, cm := range p.r.comms.Comms {
			if cm.How == "world" && cm.Members.Contains(me) {
				o = &comms.Object{Comm: cm}
			}
		}
	} else if v.N == selfCode {
		return fmt.Sprintf("self %d", me), func(rank int) int {
			if rank == 0 {
				return me
			}
			return -1
		}
	} else {
		o = p.r.comms.Lookup(p.i, v.N, c.s.Index(), c.event)
	}
	if o == nil || o.Comm == nil {
		return fmt.Sprintf("unknown %d %d", me, v.N), nil
	}
	group := o.Comm.Members
	if o.Comm.Inter && o.Side == 0 {
		group = o.Comm.RemoteMembers
	}
	return fmt.Sprint(o.Comm.ID), func(rank int) int {
		if group == nil || rank < 0 || rank >= group.Len() {
			return -1
		}
		return group.At(rank)
	}
}

var worldCode, selfCode = predefinedCode("MPI_COMM_WORLD"), predefinedCode("MPI_COMM_SELF")

func predefinedCode(name string) int64 {
	k, _ := spec.PredefinedByName(name)
	return archive.PredefinedRef(k)
}

// call replays one call.
func (p *refProc) call(c refCall) {
	name := strings.TrimSuffix(c.Func.Name, "_c")
	failed := c.Flags&archive.Failed != 0
	truncated := failed && (int64(c.Ret) == p.r.truncate ||
		p.r.a.Meta().ABI == spec.MPICH && int64(c.Ret)&0x7f == p.r.truncate)
	unfinished := c.Flags&archive.Unfinished != 0
	done := c.id()
	if unfinished {
		done = ""
	}
	lower := strings.ToLower(strings.TrimPrefix(name, "MPI_"))
	switch {
	case strings.HasPrefix(name, "MPI_Type_"):
		p.makeType(c, name)
	case slices.Contains([]string{"send", "bsend", "ssend", "rsend", "isend", "ibsend", "issend", "irsend"}, lower):
		if failed {
			return
		}
		p.finish(c, done, p.send(c, "dest", "tag", "count", "datatype"), nil)
	case lower == "recv" || lower == "irecv":
		if failed && !truncated {
			return
		}
		p.finish(c, done, nil, p.recv(c, "source", "tag"))
	case strings.Contains(lower, "sendrecv"):
		if failed && !truncated {
			return
		}
		p.finish(c, done, p.send(c, "dest", "sendtag", "sendcount|count", "sendtype|datatype"),
			p.recv(c, "source", "recvtag"))
	case strings.HasSuffix(lower, "send_init"):
		if q := p.made(c); q != nil && !failed {
			q.persistent = true
			q.again = func(s *archive.Call) *refRequest {
				return &refRequest{send: p.send(c, "dest", "tag", "count", "datatype")}
			}
			p.ordinal(c, q, "dest")
		}
	case strings.HasSuffix(lower, "recv_init"):
		if q := p.made(c); q != nil && !failed {
			q.persistent = true
			q.again = func(s *archive.Call) *refRequest { return &refRequest{recv: p.recv(c, "source", "tag")} }
			p.ordinal(c, q, "source")
		}
	case lower == "start" || lower == "startall":
		if failed {
			return
		}
		v, _ := c.arg("request", "array_of_requests")
		for _, n := range refNumbers(v) {
			q := p.requests[n]
			if q == nil || q.again == nil {
				continue
			}
			p.drop(q)
			x := q.again(c.Call)
			q.send, q.recv, q.coll = x.send, x.recv, x.coll
			for _, e := range []*refEnd{q.send, q.recv} {
				if e != nil {
					e.post, e.begin, e.done = c.id(), int64(c.Start), ""
					e.seq = p.r.next()
					p.r.ends = append(p.r.ends, e)
				}
			}
			if q.coll != nil {
				q.coll.post = c.id()
				p.r.parts = append(p.r.parts, q.coll)
			}
		}
	case lower == "mprobe" || lower == "improbe":
		m, ok := c.res("message")
		if failed || unfinished || c.Flags&archive.Polls != 0 || !ok || m.N <= 0 || m.N&1 != 0 {
			return
		}
		if f, ok := c.res("flag"); ok && f.N == 0 {
			return
		}
		if e := p.recv(c, "source", "tag"); e != nil {
			e.seq = p.r.next()
			p.r.ends = append(p.r.ends, e)
			p.messages[m.N] = e
		}
	case lower == "mrecv" || lower == "imrecv":
		if failed && !truncated {
			return
		}
		m, _ := c.arg("message")
		q := p.made(c)
		e := p.messages[m.N]
		if e == nil {
			return
		}
		delete(p.messages, m.N)
		e.post, e.begin = c.id(), int64(c.Start)
		if q != nil {
			q.recv = e
		} else {
			if s, ok := c.res("status"); ok {
				e.told(s.Stat)
			}
			e.done, e.finished = done, true
		}
	case slices.Contains([]string{"wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome"},
		lower):
		p.complete(c, lower, failed)
	case strings.HasPrefix(lower, "request_get_status"):
		p.query(c, lower)
	case lower == "request_free":
		if v, ok := c.arg("request"); ok && !failed && !unfinished {
			if q := p.requests[v.N]; q != nil {
				if q.recv != nil && q.recv.toCancel && !q.recv.finished {
					q.recv.cancelled = true
				}
				p.drop(q)
				delete(p.requests, v.N)
			}
		}
	case lower == "cancel":
		if v, ok := c.arg("request"); ok && !failed {
			if q := p.requests[v.N]; q != nil && q.recv != nil {
				q.recv.toCancel = true
			}
		}
	case c.Func.Has(spec.Collective):
		p.collective(c, name, failed, done)
	default:
		if _, ok := c.Out("request"); ok && !failed {
			p.made(c)
		}
	}
}

func (r *reference) next() int { r.seq++; return r.seq }

// ordinal numbers partitioned requests.
func (p *refProc) ordinal(c refCall, q *refRequest, peer string) {
	if !strings.HasPrefix(c.Func.Name, "MPI_P") {
		return
	}
	id, _ := p.comm(c, "comm")
	k := fmt.Sprint(id, peer, c.num(peer), c.num("tag"))
	p.counts[k]++
	n, inner := p.counts[k], q.again
	q.again = func(s *archive.Call) *refRequest {
		x := inner(s)
		for _, e := range []*refEnd{x.send, x.recv} {
			if e != nil {
				e.part = n
			}
		}
		return x
	}
}

// made returns the request that a call makes.
func (p *refProc) made(c refCall) *refRequest {
	v, ok := c.res("request")
	if !ok || v.N <= 0 || v.N&1 != 0 || c.Flags&archive.Unfinished != 0 {
		return nil
	}
	if old := p.requests[v.N]; old != nil {
		p.drop(old)
	}
	q := &refRequest{}
	p.requests[v.N] = q
	return q
}

// drop ends a request that nothing will complete.
func (p *refProc) drop(q *refRequest) { q.send, q.recv, q.coll = nil, nil, nil }

// finish adds the ends of a call.
func (p *refProc) finish(c refCall, done string, send, recv *refEnd) {
	q := p.made(c)
	for _, e := range []*refEnd{send, recv} {
		if e == nil {
			continue
		}
		e.seq = p.r.next()
		p.r.ends = append(p.r.ends, e)
		if q == nil {
			e.done, e.finished = done, done != ""
			if s, ok := c.res("status"); ok && e == recv {
				e.told(s.Stat)
			}
		}
	}
	if q != nil {
		q.send, q.recv = send, recv
	}
}

// told fills in a receive from its status.
func (e *refEnd) told(s archive.Status) {
	e.bytes = s.Bytes
	if e.anySrc {
		e.source = e.peers(int(s.Source))
	}
	if e.anyTag {
		e.tag = int(s.Tag)
	}
	e.known = true
}

func (p *refProc) send(c refCall, dest, tag, count, typ string) *refEnd {
	d, _ := c.arg(dest)
	if d.N == p.r.procNull {
		return nil
	}
	id, peers := p.comm(c, "comm")
	e := &refEnd{proc: p.i, number: p.r.number[p.i], send: true, comm: id, source: p.r.number[p.i], dest: -1,
		tag: int(c.num(tag)), post: c.id(), begin: int64(c.Start), known: true, peers: peers}
	if peers != nil {
		e.dest = peers(int(d.N))
	}
	e.bytes = -1
	if size := p.size(c.num(strings.Split(typ, "|")...)); size >= 0 {
		e.bytes = size * c.num(strings.Split(count, "|")...)
		if parts, ok := c.arg("partitions"); ok {
			e.bytes *= parts.N
		}
	}
	return e
}

func (p *refProc) recv(c refCall, source, tag string) *refEnd {
	s, _ := c.arg(source)
	if s.N == p.r.procNull {
		return nil
	}
	id, peers := p.comm(c, "comm")
	e := &refEnd{proc: p.i, number: p.r.number[p.i], comm: id, dest: p.r.number[p.i], source: -1, tag: int(c.num(tag)),
		post: c.id(), begin: int64(c.Start), peers: peers, bytes: -1}
	e.anySrc, e.anyTag = s.N == p.r.anySource, c.num(tag) == p.r.anyTag
	e.known = !e.anySrc && !e.anyTag
	if !e.anySrc && peers != nil {
		e.source = peers(int(s.N))
	}
	if st, ok := c.res("status"); ok && peers != nil {
		e.told(st.Stat)
	}
	return e
}

func refNumbers(v archive.Value) []int64 {
	if v.Kind == archive.Ref {
		return []int64{v.N}
	}
	var ns []int64
	for _, x := range v.List {
		ns = append(ns, x.N)
	}
	return ns
}

// complete replays a Wait or Test.
func (p *refProc) complete(c refCall, lower string, failed bool) {
	if c.Flags&(archive.Unfinished|archive.Polls) != 0 {
		return
	}
	v, _ := c.arg("request", "array_of_requests")
	reqs := refNumbers(v)
	var which []int
	var statuses []*archive.Status
	one, hasOne := c.res("status")
	all, hasAll := c.res("array_of_statuses")
	status := func(k int) (s *archive.Status) {
		ignored := one.Ignored
		switch {
		case hasAll && k < len(all.List):
			s, ignored = &all.List[k].Stat, all.Ignored
		case hasOne:
			s = &one.Stat
		}
		if ignored && s != nil && int64(s.Source) == p.r.anySource && !s.Cancelled {
			return nil // not kept
		}
		return s
	}
	if f, ok := c.res("flag"); strings.HasPrefix(lower, "test") && lower != "testsome" && (!ok || f.N == 0) && !failed {
		return
	}
	switch {
	case failed:
		left, _ := c.Out("request")
		if v, ok := c.Out("array_of_requests"); ok {
			left = v
		}
		after := refNumbers(left)
		for i := range reqs {
			if i < len(after) && after[i] == 0 {
				which = append(which, i)
				statuses = append(statuses, nil)
			}
		}
	case strings.HasSuffix(lower, "some"):
		idx, _ := c.res("array_of_indices")
		for k, i := range idx.Ints {
			which, statuses = append(which, int(i)), append(statuses, status(k))
		}
	case strings.HasSuffix(lower, "any"):
		i, ok := c.res("index")
		if ok {
			which, statuses = append(which, int(i.N)), append(statuses, status(0))
		}
	default:
		for i := range reqs {
			which, statuses = append(which, i), append(statuses, status(i))
		}
	}
	for k, i := range which {
		if i < 0 || i >= len(reqs) {
			continue
		}
		q := p.requests[reqs[i]]
		if q == nil {
			continue
		}
		if e := q.recv; e != nil {
			e.done, e.finished = c.id(), true
			switch s := statuses[k]; {
			case s != nil && s.Cancelled || s == nil && e.toCancel:
				e.cancelled = true
			case s != nil && e.peers != nil:
				e.told(*s)
			}
		}
		if e := q.send; e != nil {
			e.done, e.finished = c.id(), true
			e.cancelled = statuses[k] != nil && statuses[k].Cancelled && q.recv == nil
		}
		if q.coll != nil {
			q.coll.done = c.id()
		}
		p.drop(q)
		if !q.persistent {
			delete(p.requests, reqs[i])
		}
	}
}

// query notes what a call tells without completing anything.
func (p *refProc) query(c refCall, lower string) {
	f, ok := c.res("flag")
	if s, told := c.res("status"); lower == "request_get_status" && ok && f.N != 0 && told && !s.Stat.Cancelled {
		if q := p.requests[c.num("request")]; q != nil && q.recv != nil && !q.recv.known && q.recv.peers != nil {
			bytes := q.recv.bytes
			q.recv.told(s.Stat)
			q.recv.bytes = bytes
		}
	}
}

// collective replays a collective call.
func (p *refProc) collective(c refCall, name string, failed bool, done string) {
	if failed || name == "MPI_Comm_create_group" { // not all members call it
		return
	}
	id := ""
	for _, n := range []string{"comm", "comm_old", "local_comm", "intercomm"} {
		if id == "" {
			id, _ = p.comm(c, n)
		}
	}
	if id == "" {
		return
	}
	index := p.counts["coll "+id]
	p.counts["coll "+id]++
	part := &refPart{proc: p.r.number[p.i], key: fmt.Sprintf("%s %d/0", id, index), post: c.id(), fname: name}
	p.r.parts = append(p.r.parts, part)
	q := p.made(c)
	switch {
	case c.Func.Has(spec.PersistentInit):
		part.done = done
		if q != nil {
			q.persistent = true
			round := 0
			q.again = func(*archive.Call) *refRequest {
				round++
				return &refRequest{coll: &refPart{proc: part.proc, key: fmt.Sprintf("%s %d/%d", id, index, round),
					fname: name}}
			}
		}
	case q != nil:
		q.coll = part
	default:
		part.done = done
	}
}
