package otf2

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// Kind is what an event is.
type Kind uint8

// Kinds of events whose values are read. Of others only the kind and the time are.
const (
	Enter              Kind = evEnter
	Leave              Kind = evLeave
	Send               Kind = evSend
	Isend              Kind = evIsend
	IsendComplete      Kind = evIsendComplete
	IrecvRequest       Kind = evIrecvRequest
	Recv               Kind = evRecv
	Irecv              Kind = evIrecv
	RequestTest        Kind = evRequestTest
	Cancelled          Kind = evCancelled
	CollectiveBegin    Kind = evCollBegin
	CollectiveEnd      Kind = evCollEnd
	RemotePut          Kind = evRmaPut
	RemoteGet          Kind = evRmaGet
	RemoteAtomic       Kind = evRmaAtomic
	CollectiveRequest  Kind = evNbcRequest
	CollectiveComplete Kind = evNbcComplete
	HandleCreate       Kind = evHandleCreate
	HandleDestroy      Kind = evHandleDestroy
	HandleDuplicate    Kind = evHandleDuplicate
	SeekFile           Kind = evSeek
	IOBegin            Kind = evIOBegin
	IOIssued           Kind = evIOIssued
	IOComplete         Kind = evIOComplete
	Metric             Kind = evMetric
	ParameterString    Kind = evParameterString
	ParameterInt       Kind = evParameterInt
	ParameterUint      Kind = evParameterUint

	evRequestTest  = 20
	evOmpFork      = 24
	evOmpTaskFirst = 28
	evOmpTaskLast  = 30
	evContextEnter = 66
	evContextLeave = 67
)

var kindNames = map[Kind]string{10: "BUFFER_FLUSH", 11: "MEASUREMENT_ON_OFF", Enter: "ENTER", Leave: "LEAVE",
	Send: "MPI_SEND", Isend: "MPI_ISEND", IsendComplete: "MPI_ISEND_COMPLETE", IrecvRequest: "MPI_IRECV_REQUEST",
	Recv: "MPI_RECV", Irecv: "MPI_IRECV", RequestTest: "MPI_REQUEST_TEST", Cancelled: "MPI_REQUEST_CANCELLED",
	CollectiveBegin: "MPI_COLLECTIVE_BEGIN", CollectiveEnd: "MPI_COLLECTIVE_END", 24: "OMP_FORK", 25: "OMP_JOIN",
	26: "OMP_ACQUIRE_LOCK", 27: "OMP_RELEASE_LOCK", 28: "OMP_TASK_CREATE", 29: "OMP_TASK_SWITCH",
	30: "OMP_TASK_COMPLETE", Metric: "METRIC", ParameterString: "PARAMETER_STRING",
	ParameterInt: "PARAMETER_INT", ParameterUint: "PARAMETER_UNSIGNED_INT", 35: "RMA_WIN_CREATE", 36: "RMA_WIN_DESTROY",
	37: "RMA_COLLECTIVE_BEGIN", 38: "RMA_COLLECTIVE_END", 39: "RMA_GROUP_SYNC", 40: "RMA_REQUEST_LOCK",
	41: "RMA_ACQUIRE_LOCK", 42: "RMA_TRY_LOCK", 43: "RMA_RELEASE_LOCK",
	44: "RMA_SYNC", 45: "RMA_WAIT_CHANGE", RemotePut: "RMA_PUT", RemoteGet: "RMA_GET", RemoteAtomic: "RMA_ATOMIC",
	49: "RMA_OP_COMPLETE_BLOCKING", 50: "RMA_OP_COMPLETE_NON_BLOCKING", 51: "RMA_OP_TEST",
	52: "RMA_OP_COMPLETE_REMOTE", 53: "THREAD_FORK", 54: "THREAD_JOIN", 55: "THREAD_TEAM_BEGIN", 56: "THREAD_TEAM_END",
	57: "THREAD_ACQUIRE_LOCK", 58: "THREAD_RELEASE_LOCK", 59: "THREAD_TASK_CREATE", 60: "THREAD_TASK_SWITCH",
	61: "THREAD_TASK_COMPLETE", 62: "THREAD_CREATE", 63: "THREAD_BEGIN", 64: "THREAD_WAIT", 65: "THREAD_END",
	66: "CALLING_CONTEXT_ENTER", 67: "CALLING_CONTEXT_LEAVE", 68: "CALLING_CONTEXT_SAMPLE",
	HandleCreate: "IO_CREATE_HANDLE", HandleDestroy: "IO_DESTROY_HANDLE", HandleDuplicate: "IO_DUPLICATE_HANDLE",
	SeekFile: "IO_SEEK", 73: "IO_CHANGE_STATUS_FLAGS", 74: "IO_DELETE_FILE", IOBegin: "IO_OPERATION_BEGIN",
	76: "IO_OPERATION_TEST", IOIssued: "IO_OPERATION_ISSUED", IOComplete: "IO_OPERATION_COMPLETE",
	79: "IO_OPERATION_CANCELLED", 80: "IO_ACQUIRE_LOCK", 81: "IO_RELEASE_LOCK", 82: "IO_TRY_LOCK", 83: "PROGRAM_BEGIN",
	84: "PROGRAM_END", CollectiveRequest: "NON_BLOCKING_COLLECTIVE_REQUEST",
	CollectiveComplete: "NON_BLOCKING_COLLECTIVE_COMPLETE", 87: "COMM_CREATE", 88: "COMM_DESTROY"}

// String is the name that otf2-print gives the kind.
func (k Kind) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return fmt.Sprintf("records of kind %d", uint8(k))
}

// Event is an event that was read.
type Event struct {
	Time uint64 // in ticks of the archive's clock
	Kind Kind
	// Region is that of Enter and Leave; Place is where it is entered, Undefined if that is not known.
	Region, Place uint32
	Message
	Collective
	Request uint64
	// Window, Peer, Bytes are those of one-sided accesses; those that fetch have Received in Collective.
	Window uint32
	IO     IOEvent
	// Metrics are values of metrics, or that of a parameter that is a number; Strict is set if they belong to the begin
	// or end of a region. Text and Value are the name and the value of a parameter that is a text.
	Metrics     []MetricValue
	Strict      bool
	Text, Value string
	Attributes  []Attribute
}

// EventReader reads the events of a location.
type EventReader struct {
	reader
	local *local
	a     *Archive
	f     io.Closer
	time  uint64
	ev    Event
	// Falling counts time stamps before the one before.
	Falling uint64
}

// Events opens the events of a location.
func (a *Archive) Events(l *LocationDef) (*EventReader, error) {
	base := filepath.Join(a.dir, fmt.Sprint(l.ID))
	loc := &local{}
	if f, err := a.open(base + ".def"); err == nil { // some tools write none
		loc, err = readLocal(f, base+".def", a.chunk)
		f.Close()
		if err != nil {
			return nil, err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := a.open(base + ".evt")
	if err != nil {
		return nil, err
	}
	return &EventReader{reader: *newReader(f, base+".evt", a.events), local: loc, a: a, f: f}, nil
}

// Close closes the file.
func (e *EventReader) Close() error { return e.f.Close() }

// Next is the next event, nil at the end. It is valid until the next call.
func (e *EventReader) Next() (*Event, error) {
	x := &e.ev
	x.Attributes, x.Metrics, x.Strict = x.Attributes[:0], x.Metrics[:0], false
	for {
		kind, ok := e.kind()
		if !ok {
			return nil, e.err
		}
		switch kind {
		case timeStamp:
			e.stamp(e.local.time(e.full()))
			continue
		case attributeList:
			v := e.sized()
			x.Attributes = v.attributes(x.Attributes)
			if e.err == nil {
				e.err = v.err
			}
			continue
		}
		x.Time, x.Kind = e.time, Kind(kind)
		e.values(x)
		if e.err != nil {
			return nil, e.err
		}
		return x, nil
	}
}

// lastTime bounds times: no clock comes there.
const lastTime = 1 << 61

// stamp is the time of the events that follow. Times do not fall: one that does is that before.
func (e *EventReader) stamp(t uint64) {
	if t > lastTime {
		e.fail("a time stamp of %d is out of range", t)
	}
	if t < e.time {
		e.Falling++
		return
	}
	e.time = t
}

// values reads what an event says.
func (e *EventReader) values(x *Event) {
	switch x.Kind {
	case Enter, Leave:
		x.Region, x.Place = e.local.global(mapRegion, e.u32()), Undefined
		return
	case IsendComplete, IrecvRequest, RequestTest, Cancelled:
		x.Request = e.u64()
		return
	case evOmpFork:
		e.u32()
		return
	}
	if x.Kind >= evOmpTaskFirst && x.Kind <= evOmpTaskLast {
		e.u64()
		return
	}
	v := e.sized()
	switch x.Kind {
	case Send, Recv, Isend, Irecv:
		x.Peer, x.Message.Comm = v.u32(), e.local.global(mapComm, v.u32())
		x.Tag, x.Bytes = v.u32(), v.u64()
		if x.Kind == Isend || x.Kind == Irecv {
			x.Request = v.u64()
		}
	case CollectiveEnd, CollectiveComplete:
		x.Op, x.Collective.Comm = CollectiveOp(v.u8()), e.local.global(mapComm, v.u32())
		x.Root, x.Sent, x.Received = v.u32(), v.u64(), v.u64()
		if x.Kind == CollectiveComplete {
			x.Request = v.u64()
		}
	case CollectiveRequest:
		x.Request = v.u64()
	case RemotePut, RemoteGet, RemoteAtomic:
		x.Window, x.Peer = e.local.global(mapWindow, v.u32()), v.u32()
		if x.Kind == RemoteAtomic {
			v.u8()
		}
		x.Bytes = v.u64()
		if x.Kind == RemoteAtomic {
			x.Received = v.u64()
		}
	case HandleCreate, HandleDestroy, HandleDuplicate, SeekFile, IOBegin, IOIssued, IOComplete:
		x.Request = x.IO.values(x.Kind, &v, func(id uint32) uint32 { return e.local.global(mapHandle, id) })
	case Metric, ParameterString, ParameterInt, ParameterUint:
		e.point(x, &v)
	case evContextEnter, evContextLeave:
		c := e.a.Contexts[e.local.global(mapContext, v.u32())]
		x.Region, x.Place = c.Region, c.Place
		if x.Kind -= evContextEnter - Enter; x.Kind == Leave {
			x.Place = Undefined
		}
	}
	if e.err == nil {
		e.err = v.err
	}
}
