package match

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Ref is a call, with its times.
type Ref struct {
	// Stream is the number of the stream, -1 if there is no such call.
	Stream   int32
	Terminal uint32
	Call     uint64
	// Begin and End are since the start of the trace; only if Timed.
	Begin, End time.Duration
	Timed      bool
}

// Known tells whether there is such a call.
func (r *Ref) Known() bool { return r.Stream >= 0 }

// End is one end of a message.
type End struct {
	// Process is the number of the process (see package calls).
	Process int32
	// Post is the call that sends or posts the receive: MPI_Send, MPI_Irecv,
	// MPI_Start, MPI_Mrecv. Done is the call that completed it: the same for a blocking call, else
	// MPI_Wait and so on; not Known if nothing completed it in sight.
	Post, Done Ref
	// Probe is the MPI_Mprobe or MPI_Improbe that found the message, for a receive by MPI_Mrecv and
	// MPI_Imrecv; else nil.
	Probe *Ref
	Func  *spec.Func // of Post; of a persistent request what made it
	Mode  calls.Mode // of a send
	// Nth is the place of a persistent request among those that Post starts.
	Nth int32
	// Wild is set for a receive with MPI_ANY_SOURCE or MPI_ANY_TAG.
	Wild bool
	// Blocking tells that Done is Post.
	Blocking bool
	// Freed tells that the request was freed before it completed.
	Freed bool
	// Tests are the unsuccessful tests before Done.
	Tests Tests
}

// Tests are unsuccessful tests of the requests that a later call completes. They come directly
// before that call in its stream: nothing else was called in between. There are none if Calls is 0.
type Tests struct {
	Call, Calls uint64 // the number of the first one, and how many
	// Begin is that of the first one, End that of the last one; only if the call that completes is
	// timed.
	Begin, End time.Duration
}

// Message is a send and the receive that belongs to it.
type Message struct {
	// Comm is the communicator, an index in ops.Program.Comms.Comms.
	Comm int32
	Tag  int32
	// Bytes is the size of the message, calls.UnknownBytes if neither end tells.
	Bytes      int64
	Send, Recv *End
	// Guessed is set if the receive took any source or tag and no status says
	// which: it has one of the sends that are left over, the earliest that fits.
	Guessed bool
	// Count is 1; with Options.Fold it is how many messages this one stands for. SendStep and RecvStep are by how many
	// calls the ends move on from one to the next.
	Count              uint64
	SendStep, RecvStep uint64
}

// Part is one member's call of a collective.
type Part struct {
	Process int32
	// Post is the call, Done the one that completed it (the same if blocking).
	Post, Done Ref
	// Sent and Received are the bytes of the member's own buffers.
	Sent, Received int64
	// Tests are the unsuccessful tests before Done.
	Tests Tests
}

// Collective is what the members of a communicator did together.
type Collective struct {
	Comm int32
	// Class and Object are as in ops.Op: collectives of a window or file count by themselves.
	Class  spec.Class
	Object int32
	// Index is the number of the collective on it. Round is for persistent collectives the number
	// of the start, from 1.
	Index, Round uint64
	Func         *spec.Func // of the first part
	// Root is as in ops.Op, of the root's own call if it was recorded.
	Root int32
	// Parts are the calls, in the order of processes.
	Parts []Part
	// Members is how many processes should have called. Missing is how many of the recorded ones
	// did not.
	Members, Missing int
	// Mixed is set if the members called different functions.
	Mixed bool
	// Count is as in Message.
	Count uint64
}

// Reason says why an end of a message has no partner.
type Reason uint8

// Reasons.
const (
	// NoPartner: the other process never made the other call.
	NoPartner Reason = iota
	// NotRecorded: the other process is not in the archive, or not all of its calls are.
	NotRecorded
	// CommUnknown: it is not known which processes the communicator has.
	CommUnknown
	// SourceUnknown: a wildcard receive that has no status, and no send is left over that fits.
	SourceUnknown
	// NeverCompleted: a wildcard receive that nothing completed.
	NeverCompleted
)

var reasonNames = [...]string{"no partner", "partner not recorded", "communicator not known", "source not known",
	"never completed"}

// String says it in words.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

// Unmatched is an end of a message without the other. Done is not Known where it was clear from the
// beginning that there is no partner, or nothing completed it.
type Unmatched struct {
	End
	Send bool
	Comm int32
	// Peer and Tag are as in ops.Side.
	Peer, Tag int32
	Bytes     int64
	Reason    Reason
}

// Options are what to do with what is found. What a function is handed is
// valid until it returns; an error from it ends Run.
type Options struct {
	// Message is called for every message, when both ends are complete, in no particular order.
	Message func(*Message) error
	// Collective is called for every collective.
	Collective func(*Collective) error
	// Batch is called for iterations of loops instead of Message and Collective, which it has to call for all of them
	// or do the same; nil for none.
	Batch func(*Batch) error
	// Unmatched is called for every end of a message that has no partner, in no particular order.
	Unmatched func(*Unmatched) error
	// Progress is called now and then with the number of events that were read and the number of all.
	Progress func(done, total uint64)
	// Observer is handed all calls, unless it is nil; not together with Untimed or Fold.
	Observer Observer
	// Untimed leaves out the times of calls where matching does not need them: to put threads in
	// order, and to guess, for which few are read.
	Untimed bool
	// Fold hands out messages and collectives that loops repeat once with their Count where that is
	// known without reading all calls; the calls of messages are then those of the first one, and Collectives have
	// those of the one before it.
	Fold bool
	// Most is how many events are matched one by one, if it is not 0. Those of loops that are known to repeat do not
	// count. It is an error if there are more.
	Most uint64
}

// An Observer is handed all calls of each stream in order. An error from it ends Run.
type Observer interface {
	// Event is handed an event.
	Event(stream int32, op *calls.Op) error
	// Repeat is handed calls of a stream with times, one for each event, that repeat the terminals
	// of body, from body[at] on. What calls of a stream without times repeat is left out.
	Repeat(stream int32, call uint64, body []uint32, at int, begins, ends []time.Duration) error
}

// Summary counts what Run found.
type Summary struct {
	Calls, Events uint64
	Messages      uint64
	// Bytes is the sum of the sizes that are known, UnknownSizes how many messages have none.
	Bytes        uint64
	UnknownSizes uint64
	// Guessed counts the messages with Guessed set, ToNobody sends to and receives from MPI_PROC_NULL,
	// Cancelled cancelled ends, Failed operations that returned an error.
	Guessed, ToNobody, Cancelled, Failed uint64
	Collectives, Incomplete, Mixed       uint64
	UnmatchedSends, UnmatchedRecvs       uint64
	// Waiting is the greatest number of message ends that were in memory at once.
	Waiting int
	// Partial is set when calls were left out of the recording on purpose: numbers in order may
	// then be off.
	Partial bool
}

// Run matches all messages and collectives of an archive.
func Run(a *archive.Archive, opts Options) (*Summary, error) {
	p, err := calls.Open(a)
	if err != nil {
		return nil, err
	}
	return RunProgram(p, opts)
}
