package traffic

import (
	"cmp"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
)

// AddTimes adds to the cells of a matrix of r how long the calls that send, put, get or accumulate
// took. It returns how many of these calls have times. A call that starts several requests counts
// in full for each. AddTimes reads all events of the selected streams; progress, if it is not nil,
// is called with numbers of events.
func (m *Matrix) AddTimes(r *selection.Resolved, progress func(events uint64)) (n uint64, err error) {
	p, err := calls.Open(r.Archive)
	if err != nil {
		return 0, err
	}
	x := &timeReader{m: m, r: r, p: p, progress: progress}
	for part, err := range r.Parts() {
		if err != nil {
			return 0, err
		}
		if err := x.stream(part); err != nil {
			return 0, err
		}
	}
	return x.calls, nil
}

type timeReader struct {
	m        *Matrix
	r        *selection.Resolved
	p        *calls.Program
	progress func(uint64)
	calls    uint64
}

// target is where a persistent request sends to.
type target struct {
	to   int32
	comm int32
}

func (x *timeReader) stream(part *selection.Part) error {
	rd, err := x.p.Reader(part.Stream)
	if err != nil {
		return err
	}
	me := x.p.Number(part.Stream.Process())
	made := map[int64]target{}
	for {
		op, err := rd.Next()
		if err != nil {
			return err
		}
		if op == nil || op.Call >= part.Range.To {
			return nil
		}
		if op.Event&(1<<16-1) == 1<<16-1 {
			if x.progress != nil {
				x.progress(1 << 16)
			}
		}
		if err := rd.Hopeless(part.Range.To); err != nil {
			return err
		}
		if op.Flags&(archive.Failed|archive.Unfinished) != 0 {
			continue
		}
		switch op.Kind {
		case calls.SendInit:
			made[op.Request] = target{op.Send.Peer, op.Comm}
			continue
		case calls.RecvInit, calls.CollectiveInit:
			delete(made, op.Request)
			continue
		}
		if op.Call < part.Range.From || !op.Timed || !x.r.Selection.Function(op.Func.ID) {
			continue
		}
		if in, _ := part.Inside(op.Call); !in {
			continue
		}
		switch op.Kind {
		case calls.Send, calls.SendRecv:
			x.add(PointToPoint, me, op.Send.Peer, op.Comm, op)
		case calls.Start:
			for _, q := range op.Requests {
				if t, ok := made[q]; ok {
					x.add(PointToPoint, me, t.to, t.comm, op)
				}
			}
		case calls.Put, calls.Accumulate:
			x.add(OneSided, me, op.Send.Peer, op.Comm, op)
		case calls.Get:
			x.add(OneSided, op.Recv.Peer, me, op.Comm, op)
		}
	}
}

// add adds the time of a call to a cell that the matrix has.
func (x *timeReader) add(k Kind, from, to, comm int32, op *calls.Op) {
	if x.r.Selection.Comms != nil && (comm < 0 || !x.r.Chosen(x.p.Comms.Comms[comm])) {
		return
	}
	if from < 0 || to < 0 || int(from) >= len(x.m.rows[k]) {
		return
	}
	cells := x.m.rows[k][from].cells
	i, ok := slices.BinarySearchFunc(cells, to, func(c Cell, to int32) int { return cmp.Compare(c.To, to) })
	if ok {
		cells[i].Time += op.End - op.Begin
		x.calls++
	}
}
