package calls

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Kind is what a call does, as far as communication is concerned.
type Kind uint8

// Kinds of calls.
const (
	// Other calls neither communicate nor touch requests.
	Other Kind = iota
	// Send, Recv and SendRecv are point to point. Op.Request tells nonblocking
	// ones, which only begin here.
	Send
	Recv
	SendRecv
	// SendInit and RecvInit make persistent or partitioned requests.
	SendInit
	RecvInit
	// Probe asks for a message and leaves it where it is (MPI_Probe, MPI_Iprobe).
	Probe
	// Mprobe takes a message out of matching (MPI_Mprobe, MPI_Improbe); an Mrecv
	// receives it.
	Mprobe
	Mrecv
	// Start starts persistent requests (Op.Requests).
	Start
	// Complete waits or tests for requests: Op.Done are those that it completed.
	Complete
	// Query tells of requests without completing them (MPI_Request_get_status*).
	Query
	// FreeRequest and Cancel concern Op.Requests[0].
	FreeRequest
	Cancel
	// Pready and Parrived concern parts of a partitioned request.
	Pready
	Parrived
	// Collective calls are made by all members of a communicator in the
	// same order, also what makes and frees communicators, windows and files.
	// Op.Request tells nonblocking ones.
	Collective
	// CollectiveInit makes a persistent collective request.
	CollectiveInit
	// Put, Get and Accumulate (of any kind) are one-sided.
	Put
	Get
	Accumulate
	// RMASync synchronises a window, not collectively.
	RMASync
	// Read and Write are independent file access.
	Read
	Write
)

var kindNames = [...]string{"other", "send", "recv", "sendrecv", "send_init", "recv_init", "probe", "mprobe", "mrecv",
	"start", "complete", "query", "free_request", "cancel", "pready", "parrived", "collective", "collective_init",
	"put", "get", "accumulate", "rma_sync", "read", "write"}

// String is the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Mode is the mode of a send.
type Mode = spec.SendMode

// Modes of sends.
const (
	Standard    = spec.SendStandard
	Buffered    = spec.SendBuffered
	Synchronous = spec.SendSynchronous
	Ready       = spec.SendReady
)

// What stands in place of a process number.
const (
	// NoPeer: there is no such partner, e.g. no root.
	NoPeer int32 = -1 - iota
	// ProcNull is MPI_PROC_NULL.
	ProcNull
	// AnySource is MPI_ANY_SOURCE while it is not known who has sent.
	AnySource
	// UnknownPeer: the members of the communicator are not all known.
	UnknownPeer
)

// AnyTag stands for MPI_ANY_TAG while the message's tag is not known.
const AnyTag int32 = -1

// UnknownBytes stands for a size that cannot be told.
const UnknownBytes int64 = -1

// NoComm stands for the communicator of a call that has none. Other negative
// numbers are communicators that are not known: equal numbers, equal communicators of one process.
const NoComm int32 = -1

// Side is a sending or a receiving part of a call.
type Side struct {
	// Peer is the other process. The source of a receive that any source may
	// have is AnySource unless the call itself tells which one it was.
	Peer int32
	// Tag is AnyTag likewise.
	Tag int32
	// Wild is set if the call was given MPI_ANY_SOURCE or MPI_ANY_TAG.
	Wild bool
	// Known is set if a status tells Peer, Tag and Bytes of a wildcard.
	Known bool
	// Count is the number of elements (times partitions) and Bytes its size; for a receive that has a
	// status Bytes is the size of what was received.
	Count int64
	Bytes int64
}

// Done is a request that a call completed, or of a Query that is complete.
type Done struct {
	Request int64 // number, as in Op.Request
	// Status tells whether Source, Tag, Bytes and Cancelled are known. Source
	// is a rank in the communicator of the request; Op.Peers of what made the request translates it.
	Status    bool
	Cancelled bool
	Failed    bool // the operation failed: what it did is not known
	Source    int32
	Tag       int32
	Bytes     int64
}

// Op is what one event of a stream does. An event is a call, or a run of
// equal unsuccessful polls.
type Op struct {
	Kind     Kind
	Mode     Mode
	Terminal uint32
	Func     *spec.Func
	Flags    archive.Flags
	// Event is the number of the event, Call that of its first call, Calls how many there are.
	Event, Call, Calls uint64
	// Timed tells whether Begin and End are known: since the start of the
	// trace, of a run of polls from the first to the last.
	Timed      bool
	Begin, End time.Duration
	// Comm is the communicator (comms.Comm.ID), also that of a window or file; NoComm for none.
	Comm int32
	// Object tells windows and files on a communicator apart, by the order
	// of their creation on it, from 1; 0 for the communicator itself.
	Object int32
	// Class is spec.Comm, spec.Win or spec.File accordingly.
	Class spec.Class
	// Send and Recv are the parts of Send, Recv and SendRecv and their Inits; Recv that of
	// probes; Send is data that leaves the process and Recv data that
	// reaches it for one-sided calls, file access and collectives (bytes of all members
	// together, of its own buffers; 0 where they are not significant).
	Send, Recv Side
	// Found is set if a probe found a message, or a test of a window that others have done with it. Message is the
	// number of the message of Mprobe and Mrecv; -1 for none (MPI_MESSAGE_NO_PROC).
	Found   bool
	Message int64
	// SourceRank is the source of an Mrecv as its status has it, a rank in the communicator that
	// the message was probed on (see Peers); only if Recv.Known.
	SourceRank int32
	// Root is the root of a collective, NoPeer if there is none. In an intercommunicator
	// the group of the root has ProcNull, or the process itself for MPI_ROOT.
	Root int32
	// InPlace is set if a collective has MPI_IN_PLACE.
	InPlace bool
	// Group is the group of the processes that an RMASync lets in, or begins calls on; nil if it has none, or one that
	// is not known. The process of one that has a target is Send.Peer.
	Group *comms.Members
	// Request is the number of the request that the call makes, -1 for none. Numbers are used again
	// after the end of a request. Persistent tells whether it is a persistent one.
	Request     int64
	Persistent  bool
	Partitioned bool
	// Requests are those that the call was given, -1 for MPI_REQUEST_NULL. Done
	// are those that it completed. Both are valid until the next event.
	Requests []int64
	Done     []Done
	// Void is set if the call failed and neither sent nor received anything.
	Void bool
	// MadeComm is the communicator that the call makes, NoComm for none.
	MadeComm int32

	peers *Peers
}

// Peers translates ranks in the communicator of the call, nil if it has none that is known.
func (o *Op) Peers() *Peers { return o.peers }

// Nonblocking tells whether the operation only begins with the call.
func (o *Op) Nonblocking() bool { return o.Request >= 0 && !o.Persistent }
