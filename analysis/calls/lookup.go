package calls

import (
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Slots says which parameters of a function matter to communication, as indices in
// Func.Slots; -1 for those that it has not. Analyses that work on whole classes of
// streams evaluate them as functions of the rank.
type Slots struct {
	Kind                    Kind
	Persistent, Partitioned bool
	Class                   spec.Class // of the object in On
	On                      int        // communicator, window or file

	SendPeer, SendCount, SendType, SendCounts, SendTypes int
	RecvPeer, RecvCount, RecvType, RecvCounts, RecvTypes int
	Parts, SendBuf, Root                                 int
	Request, Requests                                    int // the one that is made, those that are given
}

// SlotsOf is what matters of a function, nil if it neither communicates nor makes requests.
func SlotsOf(id spec.ID) *Slots {
	a := actions()[id]
	if a == nil {
		return nil
	}
	return &Slots{Kind: a.kind, Persistent: a.persistent, Partitioned: a.partitioned, Class: a.class, On: a.on,
		SendPeer: a.sendPeer, SendCount: a.sendCount, SendType: a.sendType, SendCounts: a.sendCounts,
		SendTypes: a.sendTypes, RecvPeer: a.recvPeer, RecvCount: a.recvCount, RecvType: a.recvType,
		RecvCounts: a.recvCounts, RecvTypes: a.recvTypes, Parts: a.parts, SendBuf: a.sendBuf, Root: a.root,
		Request: a.request, Requests: a.requests}
}

// Scope is what a communicator, window or file means in an event of a stream: the communicator
// (as Op.Comm), who its ranks are, and up to which event that holds.
func (p *Program) Scope(s *archive.Stream, class spec.Class, ref int64,
	event uint64) (comm int32, peers *Peers, to uint64) {
	sc, to := p.scopeOf(&p.processes[s.Process()], class, ref, s.Index(), event)
	return sc.comm, sc.Peers, to
}

// TypeSize is the size in bytes of a datatype in an event of a stream, UnknownBytes if it cannot
// be told, and up to which event that holds.
func (p *Program) TypeSize(s *archive.Stream, ref int64, event uint64) (size int64, to uint64) {
	return p.sizeOf(&p.processes[s.Process()], ref, s.Index(), event)
}

// PredefinedSize is the size of the datatype with a code if it is predefined, else UnknownBytes.
func PredefinedSize(ref int64) int64 {
	if ref > 0 && ref&1 == 1 {
		return predefinedSize(ref >> 1)
	}
	return UnknownBytes
}

// Comm is the communicator that p is about.
func (p *Peers) Comm() *comms.Comm { return p.comm }

// Group is the processes that the ranks which a call names are: in an intercommunicator
// those of the other group. It is nil if they are not known.
func (p *Peers) Group() *comms.Members { return p.group }

// Rank is the process's own rank in its group, -1 if it is not known.
func (p *Peers) Rank() int { return p.rank }
