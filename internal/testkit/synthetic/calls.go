package synthetic

import "github.com/tabard-hpc/tabard/internal/record/ring"

var (
	fnInit     = define("MPI_Init", "argc", "argv", "argc", "argv")
	fnFinalize = define("MPI_Finalize")
	fnSend     = define("MPI_Send", "buf", "count", "datatype", "dest", "tag", "comm")
	fnRecv     = define("MPI_Recv", "buf", "count", "datatype", "source", "tag", "comm", "status")
	fnIsend    = define("MPI_Isend", "buf", "count", "datatype", "dest", "tag", "comm", "request")
	fnIrecv    = define("MPI_Irecv", "buf", "count", "datatype", "source", "tag", "comm", "request")
	fnSendInit = define("MPI_Send_init", "buf", "count", "datatype", "dest", "tag", "comm", "request")
	fnRecvInit = define("MPI_Recv_init", "buf", "count", "datatype", "source", "tag", "comm", "request")
	fnStartall = define("MPI_Startall", "count", "array_of_requests")
	fnReqFree  = define("MPI_Request_free", "request")
	fnSendrecv = define("MPI_Sendrecv", "sendbuf", "sendcount", "sendtype", "dest", "sendtag", "recvbuf", "recvcount",
		"recvtype", "source", "recvtag", "comm", "status")
	fnWait     = define("MPI_Wait", "request", "status")
	fnWaitall  = define("MPI_Waitall", "count", "array_of_requests", "array_of_statuses")
	fnWaitsome = define("MPI_Waitsome", "incount", "array_of_requests", "outcount", "array_of_indices",
		"array_of_statuses")
	fnTest     = define("MPI_Test", "request", "flag", "status")
	fnTestsome = define("MPI_Testsome", "incount", "array_of_requests", "outcount", "array_of_indices",
		"array_of_statuses")
	fnIprobe     = define("MPI_Iprobe", "source", "tag", "comm", "flag", "status")
	fnSegment    = define("tabard_segment", "segment", "kind", "bytes")
	fnSegmentEnd = define("tabard_segment_end", "segment")
)

// Data is what a message or a collective works on.
type Data struct {
	Addr  Address
	Count int
	Type  Type
}

// Bytes is the size of the data.
func (d Data) Bytes() int { return d.Count * d.Type.bytes }

func (r *Rank) data(d Data) {
	r.addr(d.Addr)
	r.num(d.Count)
	r.obj(d.Type.h)
}

// sent notes a send for Check.
func (r *Rank) sent(c *Comm, dest, tag, bytes int) {
	if r.log != nil && dest != r.lib.procNull {
		r.log.Sends = append(r.log.Sends, r.sending(c, dest, tag, bytes))
	}
}

func (r *Rank) sending(c *Comm, dest, tag, bytes int) Message {
	return Message{Context: c.context, From: r.Rank, To: c.worldRank(dest), Tag: int32(tag), Bytes: int64(bytes)}
}

// received notes a receive, given the status that it ends with.
func (r *Rank) received(c *Comm, s Status) {
	if r.log != nil && int(s.Source) != r.lib.procNull {
		r.log.Receives = append(r.log.Receives, r.receiving(c, s))
	}
}

func (r *Rank) receiving(c *Comm, s Status) Message {
	return Message{Context: c.context, From: c.worldRank(int(s.Source)), To: r.Rank, Tag: s.Tag, Bytes: s.Bytes}
}

// From is the status of a message.
func (r *Rank) From(source, tag, bytes int) Status {
	if source == r.lib.procNull {
		return Status{Source: int32(source), Tag: int32(r.lib.anyTag)}
	}
	return Status{Source: int32(source), Tag: int32(tag), Bytes: int64(bytes)}
}

// Send is MPI_Send.
func (r *Rank) Send(line int, d Data, dest, tag int, c *Comm) {
	r.begin(fnSend, line)
	r.data(d)
	r.num(dest)
	r.num(tag)
	r.obj(c.h)
	r.end()
	r.sent(c, dest, tag, d.Bytes())
}

// Recv is MPI_Recv of the message that got describes, with MPI_STATUS_IGNORE if ignore is set.
func (r *Rank) Recv(line int, d Data, source, tag int, c *Comm, got Status, ignore bool) {
	r.begin(fnRecv, line)
	r.data(d)
	r.num(source)
	r.num(tag)
	r.obj(c.h)
	r.maybe(got, ignore)
	r.end()
	r.received(c, got)
}

func (r *Rank) maybe(s Status, ignore bool) {
	if ignore {
		r.none()
	} else {
		r.status(s)
	}
}

// Sendrecv is MPI_Sendrecv without a status.
func (r *Rank) Sendrecv(line int, out Data, dest, sendTag int, in Data, source, recvTag int, c *Comm, bytes int) {
	r.begin(fnSendrecv, line)
	r.data(out)
	r.num(dest)
	r.num(sendTag)
	r.data(in)
	r.num(source)
	r.num(recvTag)
	r.obj(c.h)
	r.none()
	r.end()
	r.sent(c, dest, sendTag, out.Bytes())
	r.received(c, r.From(source, recvTag, bytes))
}

// Isend is MPI_Isend.
func (r *Rank) Isend(line int, d Data, dest, tag int, c *Comm) *Request {
	q := r.newRequest(d.Bytes() <= eagerBytes || dest == r.lib.procNull)
	q.status = r.emptyStatus()
	r.starting(fnIsend, line, d, dest, tag, c, q)
	r.sent(c, dest, tag, d.Bytes())
	return q
}

// Irecv is MPI_Irecv of the message that got describes.
func (r *Rank) Irecv(line int, d Data, source, tag int, c *Comm, got Status) *Request {
	q := r.newRequest(source == r.lib.procNull)
	q.status = got
	r.starting(fnIrecv, line, d, source, tag, c, q)
	r.received(c, got)
	return q
}

func (r *Rank) starting(fn *function, line int, d Data, peer, tag int, c *Comm, q *Request) {
	r.begin(fn, line)
	r.data(d)
	r.num(peer)
	r.num(tag)
	r.obj(c.h)
	r.obj(q.h)
	r.end()
}

// SendInit is MPI_Send_init.
func (r *Rank) SendInit(line int, d Data, dest, tag int, c *Comm) *Request {
	q := r.newRequest(false)
	q.status, q.persistent = r.emptyStatus(), true
	if q.nowhere = dest == r.lib.procNull; !q.nowhere {
		q.message = r.sending(c, dest, tag, d.Bytes())
	}
	r.starting(fnSendInit, line, d, dest, tag, c, q)
	return q
}

// RecvInit is MPI_Recv_init for messages that got describes.
func (r *Rank) RecvInit(line int, d Data, source, tag int, c *Comm, got Status) *Request {
	q := r.newRequest(false)
	q.status, q.persistent, q.receive = got, true, true
	if q.nowhere = source == r.lib.procNull; !q.nowhere {
		q.message = r.receiving(c, got)
	}
	r.starting(fnRecvInit, line, d, source, tag, c, q)
	return q
}

// Startall is MPI_Startall.
func (r *Rank) Startall(line int, qs []*Request) {
	r.begin(fnStartall, line)
	r.num(len(qs))
	r.reqs(qs)
	r.end()
	for _, q := range qs {
		switch {
		case r.log == nil || q.nowhere:
		case q.receive:
			r.log.Receives = append(r.log.Receives, q.message)
		default:
			r.log.Sends = append(r.log.Sends, q.message)
		}
	}
}

// RequestFree is MPI_Request_free of an inactive persistent request.
func (r *Rank) RequestFree(line int, q *Request) {
	r.begin(fnReqFree, line)
	r.obj(q.h)
	r.end()
	r.drop(q)
}

// Wait is MPI_Wait.
func (r *Rank) Wait(line int, q *Request, ignore bool) {
	r.begin(fnWait, line)
	r.obj(q.h)
	r.maybe(q.status, ignore)
	r.end()
	r.done([]*Request{q}, 0)
}

// Waitall is MPI_Waitall. It sets the requests to nil.
func (r *Rank) Waitall(line int, qs []*Request, ignore bool) {
	r.begin(fnWaitall, line)
	r.num(len(qs))
	r.reqs(qs)
	r.stats = r.stats[:0]
	for i, q := range qs {
		if q == nil {
			r.stats = append(r.stats, r.emptyStatus())
		} else {
			r.stats = append(r.stats, r.done(qs, i))
		}
	}
	if ignore {
		r.none()
	} else {
		r.statuses(r.stats)
	}
	r.end()
}

// Waitsome is MPI_Waitsome that completes the requests with the indices which.
func (r *Rank) Waitsome(line int, qs []*Request, which []int) { r.some(fnWaitsome, line, qs, which) }

// Testsome is MPI_Testsome that completes the requests with the indices which, maybe none.
func (r *Rank) Testsome(line int, qs []*Request, which []int) { r.some(fnTestsome, line, qs, which) }

func (r *Rank) some(fn *function, line int, qs []*Request, which []int) {
	r.begin(fn, line)
	r.num(len(qs))
	r.reqs(qs)
	r.num(len(which))
	r.ints(which)
	r.stats = r.stats[:0]
	for _, i := range which {
		r.stats = append(r.stats, r.done(qs, i))
	}
	r.statuses(r.stats)
	r.idle(len(which) == 0)
	r.end()
}

func (r *Rank) idle(yes bool) {
	if yes && r.log != nil {
		r.log.Calls[len(r.log.Calls)-1].Idle = true
	}
}

// Test is MPI_Test. Its request must not be used again if it is done.
func (r *Rank) Test(line int, q *Request, done bool) {
	r.begin(fnTest, line)
	r.obj(q.h)
	r.flag(done, q.status)
	r.end()
	if done {
		r.done([]*Request{q}, 0)
	}
}

// flag writes the outcome of a poll.
func (r *Rank) flag(yes bool, s Status) {
	if yes {
		r.num(1)
		r.status(s)
		return
	}
	r.num(0)
	r.status(Status{Tag: int32(r.noise(1000))}) // undefined: what was in memory
	r.idle(true)
}

// Iprobe is MPI_Iprobe; got describes the message that it found, if it did.
func (r *Rank) Iprobe(line, source, tag int, c *Comm, found bool, got Status) {
	r.begin(fnIprobe, line)
	r.num(source)
	r.num(tag)
	r.obj(c.h)
	r.flag(found, got)
	r.end()
}

func (r *Rank) initialize() {
	r.meta(ring.RProcess, r.about()...)
	r.meta(ring.RABI, ring.AppendWords([]uint64{uint64(r.lib.abi), r.lib.handleBits}, r.lib.pairs)...)
	module := ring.AppendString([]uint64{0, r.base(), 1 << 20}, r.prog.path())
	r.meta(ring.RModule, ring.AppendString(module, r.prog.buildID())...)
	r.clockRecord()
	r.begin(fnInit, 1)
	argv := []string{r.prog.path()}
	r.num(1)
	r.strs(argv)
	r.num(1)
	r.strs(argv)
	r.busy = 100_000
	r.end()
	r.meta(ring.RWorld, uint64(r.Rank), uint64(r.Ranks))
}

func (r *Rank) finalize() {
	r.begin(fnFinalize, 9)
	r.busy = 50_000
	r.end()
	r.clockRecord()
	r.meta(ring.REnd, 1)
}

func (r *Rank) clockRecord() {
	if r.timed {
		r.meta(ring.RClock, r.clock, uint64(created.UnixNano())+r.clock, 1_000_000_000+r.clock, ring.ClockTSC)
	}
}
