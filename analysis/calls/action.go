package calls

import (
	"sync"

	"github.com/tabard-hpc/tabard/spec"
)

// action is what a function does, and the slots of the parameters that matter, -1 for those that it
// lacks. It is the row of the function in package spec, in the form that the readers of this
// package need.
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
	group                                  int
}

// shape is how the sizes of a collective's buffers follow from its parameters.
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

// kinds are the kinds of operations. Those of collectives, and of calls that make requests, follow
// from flags.
var kinds = map[spec.Operation]Kind{
	spec.OpSend: Send, spec.OpRecv: Recv, spec.OpSendrecv: SendRecv,
	spec.OpProbe: Probe, spec.OpMatchedProbe: Mprobe, spec.OpMatchedRecv: Mrecv,
	spec.OpStart: Start, spec.OpComplete: Complete, spec.OpQuery: Query,
	spec.OpRequestFree: FreeRequest, spec.OpCancel: Cancel,
	spec.OpPartReady: Pready, spec.OpPartArrived: Parrived,
	spec.OpPut: Put, spec.OpGet: Get, spec.OpAccumulate: Accumulate,
	spec.OpWindowPost: RMASync, spec.OpWindowWait: RMASync, spec.OpWindowStart: RMASync, spec.OpWindowComplete: RMASync,
	spec.OpWindowLock: RMASync, spec.OpWindowUnlock: RMASync, spec.OpWindowFlush: RMASync,
	spec.OpWindowFlushLocal: RMASync, spec.OpWindowSync: RMASync,
	spec.OpRead: Read, spec.OpWrite: Write,
}

// kindOf is what calls of a function do.
func kindOf(f *spec.Func) Kind {
	kind, persistent := kinds[f.Op], f.Has(spec.PersistentInit)
	switch {
	case f.Has(spec.Collective) && persistent:
		return CollectiveInit
	case f.Has(spec.Collective):
		return Collective
	case kind == Send && persistent:
		return SendInit
	case kind == Recv && persistent:
		return RecvInit
	}
	return kind
}

// shapes are how the sizes of buffers follow from the parameters, by who needs what from whom.
var shapes = map[spec.Flow]map[spec.Data]shape{
	spec.FlowFromRoot: {spec.DataWhole: bcastShape, spec.DataParts: scatterShape},
	spec.FlowToRoot:   {spec.DataWhole: gatherShape, spec.DataReduced: reduceShape},
	spec.FlowToAll: {spec.DataWhole: allgatherShape, spec.DataParts: alltoallShape,
		spec.DataReduced: allreduceShape, spec.DataReducedParts: scatterAllShape},
	spec.FlowPrefix:    {spec.DataReduced: allreduceShape},
	spec.FlowNeighbors: {spec.DataWhole: neighborAllgatherShape, spec.DataParts: neighborAlltoallShape},
}

// newAction works out what a function does; nil if it does not matter.
func newAction(f *spec.Func) *action {
	if f.Own() {
		return nil
	}
	a := &action{f: f, kind: kindOf(f), mode: f.Mode, shape: shapes[f.Flow][f.Data], newComm: -1,
		persistent: f.Has(spec.PersistentInit), partitioned: f.Has(spec.Partitioned)}
	a.slots()
	if a.kind == Other && a.request < 0 {
		return nil
	}
	return a
}

// slots finds the parameters.
func (a *action) slots() {
	f := a.f
	either := func(r spec.Role) (one, many int) {
		if i := f.Slot(r); i < 0 || f.Slots[i].Array {
			return -1, i
		}
		return f.Slot(r), -1
	}
	if a.on = f.Slot(spec.RoleOn); a.on >= 0 {
		a.class = f.Slots[a.on].Class
	}
	a.sendPeer, a.recvPeer = f.Slot(spec.RoleSendPeer), f.Slot(spec.RoleRecvPeer)
	a.sendTag, a.recvTag = f.Slot(spec.RoleSendTag), f.Slot(spec.RoleRecvTag)
	a.sendCount, a.sendCounts = either(spec.RoleSendCount)
	a.sendType, a.sendTypes = either(spec.RoleSendType)
	a.recvCount, a.recvCounts = either(spec.RoleRecvCount)
	a.recvType, a.recvTypes = either(spec.RoleRecvType)
	a.parts, a.root = f.Slot(spec.RolePartitions), f.Slot(spec.RoleRoot)
	a.sendBuf, a.recvBuf = f.Slot(spec.RoleSendBuffer), f.Slot(spec.RoleRecvBuffer)
	a.request, a.requests, a.after = f.Slot(spec.RoleRequest), f.Slot(spec.RoleRequests), f.Slot(spec.RoleAfter)
	a.flag, a.outcount, a.status = f.Slot(spec.RoleFlag), f.Slot(spec.RoleCompleted), f.Slot(spec.RoleStatus)
	a.index, a.indices = either(spec.RoleIndex)
	a.message, a.group = f.Slot(spec.RoleMessage), -1
	if a.kind == RMASync {
		a.group = f.Slot(spec.RoleGroup)
	}
	if f.Makes() == spec.Comm {
		a.newComm = f.Slot(spec.RoleNew)
	}
}
