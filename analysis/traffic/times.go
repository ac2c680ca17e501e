package traffic

import (
	"cmp"
	"slices"

	"tabard/analysis/ops"
	"tabard/analysis/selection"
	"tabard/trace"
)

// AddTimes adds to the cells of a matrix of r how long the calls took that send, put, get or
// accumulate, and returns how many calls it found times of. A call that starts several requests counts in full for each. It reads
// all events of the selected streams; progress, if it is not nil, is told of events.
func (m *Matrix) AddTimes(r *selection.Resolved, progress func(events uint64)) (calls uint64, err error) {
	p, err := ops.Open(r.Archive)
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
	p        *ops.Program
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
		if x.progress != nil && op.Event&(1<<16-1) == 1<<16-1 {
			x.progress(1 << 16)
		}
		if op.Flags&(trace.Failed|trace.Unfinished) != 0 {
			continue
		}
		switch op.Kind {
		case ops.SendInit:
			made[op.Request] = target{op.Send.Peer, op.Comm}
			continue
		case ops.RecvInit, ops.CollectiveInit:
			delete(made, op.Request)
			continue
		}
		if op.Call < part.Range.From || !op.Timed || !x.r.Selection.Function(op.Func.ID) {
			continue
		}
		switch op.Kind {
		case ops.Send, ops.SendRecv:
			x.add(PointToPoint, me, op.Send.Peer, op.Comm, op)
		case ops.Start:
			for _, q := range op.Requests {
				if t, ok := made[q]; ok {
					x.add(PointToPoint, me, t.to, t.comm, op)
				}
			}
		case ops.Put, ops.Accumulate:
			x.add(OneSided, me, op.Send.Peer, op.Comm, op)
		case ops.Get:
			x.add(OneSided, op.Recv.Peer, me, op.Comm, op)
		}
	}
}

// add adds the time of a call to a cell that the matrix has.
func (x *timeReader) add(k Kind, from, to, comm int32, op *ops.Op) {
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
