package traffic

import (
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// A Log goes through the calls of a stream and says what each sends and receives at its own process, and when. What is
// sent counts when the call begins that sends it, or that starts the persistent request; what is received when the call
// ends that completes it, with the size of its status. A collective counts once, what it gives when it begins and what
// it gets when it ends; so do one-sided operations and file access. Calls that failed or did not return do not count.
type Log struct {
	part    *selection.Part
	rd      *calls.Reader
	terms   map[uint32]bool // whether all calls of a terminal are selected; without those of which none is
	pending arrivals
	starts  map[int64][]Moved // of persistent requests that were made
	op      *calls.Op         // the next one; nil at the end
	moved   []Moved
}

// Moved is data that goes out of a process or comes into it.
type Moved struct {
	Kind     Kind
	Received bool
	// Bytes is calls.UnknownBytes if the size is not known, or with Most the size of a receive without a status: the
	// most that can have come.
	Bytes int64
	Most  bool
	At    time.Duration
}

// NewLog begins with the first call of a stream.
func NewLog(p *calls.Program, part *selection.Part) (*Log, error) {
	rd, err := p.Reader(part.Stream)
	if err != nil {
		return nil, err
	}
	l := &Log{part: part, rd: rd, terms: map[uint32]bool{}, pending: arrivals{}, starts: map[int64][]Moved{}}
	sigs, err := part.Stream.Signatures()
	if err != nil {
		return nil, err
	}
	for t := range sigs {
		all, none, err := part.Terminal(uint32(t))
		if err != nil {
			return nil, err
		}
		if !none {
			l.terms[uint32(t)] = all
		}
	}
	l.op, err = rd.Next()
	return l, err
}

// Read says what the next calls move, up to a call number; it can be read on from there. Calls without times are passed
// over. The list is valid until the next call.
func (l *Log) Read(to uint64) ([]Moved, error) {
	l.moved = l.moved[:0]
	var err error
	for err == nil && l.op != nil && l.op.Call < to {
		l.call(l.op)
		l.op, err = l.rd.Next()
	}
	return l.moved, err
}

// Asks tells whether it has to be asked of single calls if they are selected, which one goroutine at a time may do of
// what was resolved together.
func (l *Log) Asks() bool {
	for _, all := range l.terms {
		if !all {
			return true
		}
	}
	return false
}

// counts tells whether a call is selected, and has times.
func (l *Log) counts(op *calls.Op) bool {
	r := &l.part.Range
	all, some := l.terms[op.Terminal]
	return some && op.Timed && op.Call >= r.From && op.Call < r.To && (all || l.part.Selects(op.Terminal, op.Call))
}

func (l *Log) call(op *calls.Op) {
	if op.Flags&(archive.Failed|archive.Unfinished|archive.Polls) != 0 {
		return
	}
	counts := l.counts(op)
	if op.Persistent && op.Kind != calls.Start {
		l.starts[op.Request] = sent(nil, op) // nothing for receives: the number may be that of a send which was freed
	} else if counts && op.Kind == calls.Start {
		for _, q := range op.Requests {
			l.add(op, l.starts[q]...)
		}
	} else if counts {
		l.add(op, sent(nil, op)...)
	}
	l.pending.next(op, func(q receipt, d *calls.Done) {
		if counts && q.Peer != calls.ProcNull {
			l.add(op, Moved{Kind: PointToPoint, Received: true, Bytes: q.Bytes, Most: d != nil && !d.Status})
		}
	})
}

// add adds what a call moves. A time at which something ends is in the interval before.
func (l *Log) add(op *calls.Op, list ...Moved) {
	for _, m := range list {
		if m.At = op.Begin; m.Received {
			m.At = max(op.Begin, op.End-1)
		}
		l.moved = append(l.moved, m)
	}
}

// sent appends what a call moves, but for what it receives point to point.
func sent(list []Moved, op *calls.Op) []Moved {
	kind := PointToPoint
	switch op.Kind {
	case calls.Send, calls.SendRecv, calls.SendInit:
		if op.Send.Peer == calls.ProcNull {
			return list
		}
		return append(list, Moved{Kind: kind, Bytes: op.Send.Bytes})
	case calls.Put, calls.Get, calls.Accumulate:
		if op.Send.Peer == calls.ProcNull {
			return list
		}
		kind = OneSided
	case calls.Read, calls.Write:
		kind = File
	case calls.Collective, calls.CollectiveInit:
		if kind = Collective; op.Class == spec.File {
			kind = File
		}
	default:
		return list
	}
	if op.Send.Bytes != 0 {
		list = append(list, Moved{Kind: kind, Bytes: op.Send.Bytes})
	}
	if op.Recv.Bytes != 0 {
		list = append(list, Moved{Kind: kind, Received: true, Bytes: op.Recv.Bytes})
	}
	return list
}

// arrivals are the receives of a stream that have not been completed, by request.
type arrivals map[int64]receipt

// receipt is a receive. When it is complete, its size is that of the status, as far as there is one.
type receipt struct {
	calls.Side
	comm       int32
	persistent bool
}

// next takes in a call and calls each for what it receives, with the status of nonblocking receives.
func (a arrivals) next(op *calls.Op, each func(q receipt, d *calls.Done)) {
	switch op.Kind {
	case calls.Recv, calls.SendRecv, calls.Mrecv, calls.RecvInit:
		if q := (receipt{op.Recv, op.Comm, op.Kind == calls.RecvInit}); op.Request >= 0 {
			a[op.Request] = q
		} else {
			each(q, nil)
		}
	case calls.Complete:
		for i := range op.Done {
			d := &op.Done[i]
			q, ok := a[d.Request]
			if !ok {
				continue
			}
			if !q.persistent {
				delete(a, d.Request)
			}
			if d.Cancelled || d.Failed {
				continue
			}
			if d.Status {
				q.Bytes = d.Bytes
			}
			each(q, d)
		}
	default:
		if op.Request >= 0 {
			delete(a, op.Request) // its number was that of a receive
		}
	}
}
