package files

import (
	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// opReader follows a stream's calls of MPI: what bytes they move.
type opReader struct {
	r  *calls.Reader
	op *calls.Op
}

// collective is what a call of MPI-IO reads or writes, nil if it does not.
func (r *reader) collective(stream int, c *archive.Call, on *Handle) (*access, error) {
	if c.Func.Op != spec.OpRead && c.Func.Op != spec.OpWrite || c.Flags&archive.Failed != 0 {
		return nil, nil
	}
	op, err := r.op(stream, c.Index)
	if err != nil || op == nil {
		return nil, err
	}
	a := &access{begin: c.Start, end: c.End, offset: -1, writes: c.Func.Op == spec.OpWrite}
	side := &op.Recv
	if a.writes {
		side = &op.Send
	}
	a.bytes = max(0, side.Bytes)
	if i := c.Func.Slot(spec.RoleOffset); i >= 0 && c.Slots[i].Kind == archive.Int && (on == nil || !on.viewed) {
		a.offset = c.Slots[i].N
	}
	return a, nil
}

// op is a call of a stream of the process as package calls reads it. Calls have to be asked for in order.
func (r *reader) op(stream int, call uint64) (*calls.Op, error) {
	var err error
	if r.program == nil {
		if r.program, err = calls.Open(r.archive); err != nil {
			return nil, err
		}
	}
	o := r.ops[stream]
	if o == nil {
		o = &opReader{}
		if o.r, err = r.program.Reader(r.streams[stream]); err != nil {
			return nil, err
		}
		r.ops[stream] = o
	}
	for o.op == nil || o.op.Call+o.op.Calls <= call {
		if o.op, err = o.r.Next(); err != nil || o.op == nil {
			return nil, err
		}
	}
	return o.op, nil
}
