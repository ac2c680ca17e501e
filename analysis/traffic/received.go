package traffic

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// AddReceived adds to a matrix of r the point-to-point messages that unrecorded processes have
// sent, as far as the selected receives tell, and returns their number. A sender is known from the
// receive's parameters or from its status. The size is that of the status; without one, the size of
// the receive counts, which is the most that can have come. AddReceived reads all events of the
// selected streams.
func (m *Matrix) AddReceived(r *selection.Resolved) (v Volume, err error) {
	p, err := calls.Open(r.Archive)
	if err != nil {
		return v, err
	}
	x := &receiptReader{m: m, r: r, p: p}
	for part, err := range r.Parts() {
		if err != nil {
			return v, err
		}
		if err := x.stream(part); err != nil {
			return v, err
		}
	}
	m.finish()
	return x.sum, nil
}

type receiptReader struct {
	m   *Matrix
	r   *selection.Resolved
	p   *calls.Program
	sum Volume
}

func (x *receiptReader) stream(part *selection.Part) error {
	rd, err := x.p.Reader(part.Stream)
	if err != nil {
		return err
	}
	me := part.Stream.Process()
	pending := arrivals{}
	for {
		op, err := rd.Next()
		if err != nil {
			return err
		}
		if op == nil || op.Call >= part.Range.To {
			return nil
		}
		if err := rd.Hopeless(part.Range.To); err != nil {
			return err
		}
		if op.Flags&(archive.Failed|archive.Unfinished|archive.Polls) != 0 {
			continue
		}
		in := op.Call >= part.Range.From && x.r.Selection.Function(op.Func.ID)
		if in {
			in, _ = part.Inside(op.Call)
		}
		pending.next(op, func(q receipt, d *calls.Done) {
			if !in {
				return
			}
			if d != nil && d.Status && q.Peer == calls.AnySource {
				q.Peer = x.source(me, q.comm, d.Source)
			}
			x.add(me, q.Side, q.comm)
		})
	}
}

// source is the process of a rank in a communicator that a status names.
func (x *receiptReader) source(process int, comm, rank int32) int32 {
	for _, o := range x.p.Comms.Processes[process].Objects {
		if o.Comm == nil || int32(o.Comm.ID) != comm {
			continue
		}
		group := o.Comm.Members
		if o.Comm.Inter && o.Side == 0 {
			group = o.Comm.RemoteMembers
		}
		return at(group, rank)
	}
	return calls.UnknownPeer
}

func at(group *comms.Members, rank int32) int32 {
	if rank < 0 || int(rank) >= group.Len() {
		return calls.UnknownPeer
	}
	return int32(group.At(int(rank)))
}

// add adds a message if nobody recorded its sending.
func (x *receiptReader) add(me int, s calls.Side, comm int32) {
	if s.Peer < 0 || int(s.Peer) >= x.m.Processes || x.p.Process(s.Peer) >= 0 || s.Bytes < 0 {
		return
	}
	if x.r.Selection.Comms != nil && (comm < 0 || !x.r.Chosen(x.p.Comms.Comms[comm])) {
		return
	}
	v := Volume{Messages: 1, Bytes: s.Bytes}
	x.m.add(PointToPoint, s.Peer, x.p.Number(me), v)
	x.sum.add(v)
}
