package ops

import (
	"strings"
	"sync"

	"tabard/spec"
)

// action is what a function does, and the slots of its parameters that say so; -1 for those that it has not.
type action struct {
	f           *spec.Func
	kind        Kind
	mode        Mode
	shape       shape
	persistent  bool
	partitioned bool
	class       spec.Class // of the object in on

	on                                     int // communicator, window or file
	sendPeer, sendTag, sendCount, sendType int
	recvPeer, recvTag, recvCount, recvType int
	parts                                  int
	sendCounts, sendTypes                  int // arrays, instead of count and type
	recvCounts, recvTypes                  int
	sendBuf, recvBuf                       int
	root                                   int
	request                                int // the one that is made
	requests                               int // those that are given
	after                                  int // those that are left after a failure
	flag, index, outcount, indices         int
	status                                 int
	message                                int
	newComm                                int
}

// shape is how the buffers of a collective go with its parameters.
type shape uint8

const (
	noData          shape = iota
	bcastShape            // one buffer, from the root
	reduceShape           // to the root
	allreduceShape        // the same at all; also scans
	gatherShape           // one part to the root
	scatterShape          // one part from the root
	allgatherShape        // one part to all
	alltoallShape         // a part for each
	scatterAllShape       // reduced, a part for each: MPI_Reduce_scatter
	neighborAllgatherShape
	neighborAlltoallShape
)

// actions are the functions that matter, by id.
var actions = sync.OnceValue(func() map[spec.ID]*action {
	m := map[spec.ID]*action{}
	for _, f := range spec.Functions() {
		if a := newAction(f); a != nil {
			m[f.ID] = a
		}
	}
	return m
})

// pointToPoint are the functions that send and receive, without what "I", "_init" and "_c" say.
var pointToPoint = map[string]struct {
	kind Kind
	mode Mode
}{
	"send": {Send, Standard}, "bsend": {Send, Buffered}, "ssend": {Send, Synchronous}, "rsend": {Send, Ready}, "psend": {Send, Standard},
	"recv": {Recv, Standard}, "precv": {Recv, Standard}, "mrecv": {Mrecv, Standard}, "sendrecv": {SendRecv, Standard},
	"sendrecv_replace": {SendRecv, Standard}, "probe": {Probe, Standard}, "mprobe": {Mprobe, Standard},
}

var shapes = map[string]shape{
	"bcast": bcastShape, "reduce": reduceShape, "allreduce": allreduceShape, "scan": allreduceShape, "exscan": allreduceShape,
	"gather": gatherShape, "gatherv": gatherShape, "scatter": scatterShape, "scatterv": scatterShape, "allgather": allgatherShape,
	"allgatherv": allgatherShape, "alltoall": alltoallShape, "alltoallv": alltoallShape, "alltoallw": alltoallShape,
	"reduce_scatter": scatterAllShape, "reduce_scatter_block": scatterAllShape,
	"neighbor_allgather": neighborAllgatherShape, "neighbor_allgatherv": neighborAllgatherShape,
	"neighbor_alltoall": neighborAlltoallShape, "neighbor_alltoallv": neighborAlltoallShape, "neighbor_alltoallw": neighborAlltoallShape,
}

var single = map[string]Kind{
	"MPI_Start": Start, "MPI_Startall": Start, "MPI_Request_free": FreeRequest, "MPI_Cancel": Cancel,
	"MPI_Pready": Pready, "MPI_Pready_range": Pready, "MPI_Pready_list": Pready, "MPI_Parrived": Parrived,
	"MPI_Put": Put, "MPI_Rput": Put, "MPI_Get": Get, "MPI_Rget": Get, "MPI_Accumulate": Accumulate, "MPI_Raccumulate": Accumulate,
	"MPI_Get_accumulate": Accumulate, "MPI_Rget_accumulate": Accumulate, "MPI_Fetch_and_op": Accumulate, "MPI_Compare_and_swap": Accumulate,
}

// newAction works out what a function does; nil if it does not matter.
func newAction(f *spec.Func) *action {
	if f.Has(spec.Pseudo) {
		return nil
	}
	name := f.Name
	if f.LargeOf != 0 {
		name = strings.TrimSuffix(name, "_c")
	}
	a := &action{f: f}
	_, stem, _ := strings.Cut(strings.ToLower(name), "_")
	stem, a.persistent = strings.CutSuffix(stem, "_init")
	a.persistent = a.persistent && f.Has(spec.PersistentInit)
	a.partitioned = f.Category == "partitioned"
	p, known := pointToPoint[stem]
	if rest, ok := strings.CutPrefix(stem, "i"); !known && ok {
		p, known = pointToPoint[rest]
	}
	kind, one := single[name]
	switch {
	case known:
		a.kind, a.mode = p.kind, p.mode
		if a.persistent {
			a.kind += SendInit - Send
		}
	case one:
		a.kind = kind
	case f.Has(spec.Completion):
		a.kind = Complete
	case f.Category == "completion_query":
		a.kind = Query
	case f.Has(spec.Collective) && a.persistent:
		a.kind = CollectiveInit
	case f.Has(spec.Collective):
		a.kind = Collective
	case f.Category == "io_data" && strings.Contains(name, "read"):
		a.kind = Read
	case f.Category == "io_data":
		a.kind = Write
	case f.Category == "rma_sync":
		a.kind = RMASync
	}
	a.slots()
	if a.kind == Collective || a.kind == CollectiveInit {
		if a.shape = shapes[stem]; a.shape == noData {
			a.shape = shapes[strings.TrimPrefix(stem, "i")]
		}
		a.file(name)
	}
	if a.kind == Other && a.request < 0 {
		return nil
	}
	return a
}

// file says in which direction collective file access goes.
func (a *action) file(name string) {
	if a.f.Category != "io_data" {
		return
	}
	count, typ := a.sendCount, a.sendType
	a.sendCount, a.sendType = -1, -1
	if strings.Contains(name, "read") {
		a.recvCount, a.recvType = count, typ
	} else {
		a.sendCount, a.sendType = count, typ
	}
}

// in is the slot of the first of some parameters that the function has.
func (a *action) in(names ...string) int { return a.slot(false, names) }

// out is likewise among those that are known on return.
func (a *action) out(names ...string) int { return a.slot(true, names) }

func (a *action) slot(out bool, names []string) int {
	for _, name := range names {
		for i := range a.f.Slots {
			if s := &a.f.Slots[i]; s.Out == out && s.Param >= 0 && !s.OnError && a.f.Params[s.Param].Name == name {
				return i
			}
		}
	}
	return -1
}

// slots finds the parameters.
func (a *action) slots() {
	array := func(names ...string) (one, many int) {
		if i := a.in(names...); i < 0 || a.f.Slots[i].Array {
			return -1, i
		}
		return a.in(names...), -1
	}
	for _, on := range []struct {
		class spec.Class
		names []string
	}{{spec.Win, []string{"win"}}, {spec.File, []string{"fh"}}, {spec.Comm, []string{"comm", "comm_old", "local_comm", "intercomm"}}} {
		if a.on = a.in(on.names...); a.on >= 0 {
			a.class = on.class
			break
		}
	}
	a.sendPeer, a.recvPeer = a.in("dest", "target_rank"), a.in("source")
	a.sendTag, a.recvTag = a.in("sendtag", "tag"), a.in("recvtag", "tag")
	a.sendCount, a.sendCounts = array("sendcount", "sendcounts", "count", "origin_count")
	a.sendType, a.sendTypes = array("sendtype", "sendtypes", "datatype", "origin_datatype")
	a.recvCount, a.recvCounts = array("recvcount", "recvcounts", "count", "result_count")
	a.recvType, a.recvTypes = array("recvtype", "recvtypes", "datatype", "result_datatype")
	a.parts = a.in("partitions")
	a.sendBuf, a.recvBuf = a.in("sendbuf"), a.in("recvbuf")
	a.root = a.in("root")
	a.request = a.out("request")
	a.requests = a.in("array_of_requests", "request")
	a.after = -1
	for i := range a.f.Slots {
		if a.f.Slots[i].OnError {
			a.after = i
		}
	}
	a.flag, a.index, a.outcount, a.indices = a.out("flag"), a.out("index"), a.out("outcount"), a.out("array_of_indices")
	a.status = a.out("array_of_statuses", "status")
	if a.message = a.in("message"); a.message < 0 {
		a.message = a.out("message")
	}
	a.newComm = -1
	for i := range a.f.Slots {
		if s := &a.f.Slots[i]; s.Out && s.Class == spec.Comm && !s.Array && s.Param >= 0 {
			a.newComm = i
		}
	}
	switch a.kind {
	case Get:
		a.recvCount, a.recvType = a.sendCount, a.sendType
		a.sendCount, a.sendType = -1, -1
	case Put, Write:
		a.recvCount, a.recvType = -1, -1
	case Read:
		a.sendCount, a.sendType = -1, -1
	case Accumulate:
		a.accumulate()
	}
}

// accumulate sets what the functions that both send and fetch have.
func (a *action) accumulate() {
	if a.in("result_addr") < 0 {
		a.recvCount, a.recvType = -1, -1
	} else if a.recvType < 0 {
		a.recvType = a.sendType
	}
}
