package symbol

import (
	"encoding/binary"
	"sync"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// The status of a completed send holds nothing but its error and whether it was cancelled (MPI 4.0,
// 3.7.3): what else lies there is whatever the program's memory held before. So it is recorded as
// the empty status (also 3.7.3) with these two, and equal sends look equal. Where an MPI uses one
// handle for sends and receives that are complete at once (Open MPI does), that handle's status is
// the empty one.

// sends are the functions that create requests of sends, by id.
var sends = sync.OnceValue(func() map[spec.ID]bool {
	ids := map[spec.ID]bool{}
	for _, f := range spec.Functions() {
		if f.Op == spec.OpSend && f.Slot(spec.RoleRequest) >= 0 {
			ids[f.ID] = true
		}
	}
	return ids
})

// isSendShape reports whether a shape (Process.shape) is one of sends.
func isSendShape(shape []byte) bool {
	return len(shape) >= 8 && sends()[spec.ID(binary.LittleEndian.Uint64(shape))]
}

// siteOfShape is the call site of a shape.
func siteOfShape(shape []byte) uint64 {
	if len(shape) < 16 {
		return 0
	}
	return binary.LittleEndian.Uint64(shape[8:])
}

// What the program ignored is kept where nothing else tells which message it got. That is so of
// receives and probes from any source or of any tag. It is also so of calls that were given
// requests of such receives, whichever they complete, so that what a call site looks like does not
// depend on the order of completion. The statuses of other requests are then recorded as empty, and
// of a cancelled receive there is nothing but that it was. The runtime knows requests by their
// handles only (capture/mpi/wildcards.c), so it may record more. Where a call is none of these, its
// statuses are dropped.

// empty are the source and the tag of an empty status.
type empty struct{ source, tag int64 }

var empties = sync.OnceValue(func() map[spec.ABI]empty {
	m := map[spec.ABI]empty{}
	for _, abi := range []spec.ABI{spec.OpenMPI, spec.MPICH, spec.MPI5} {
		var e empty
		e.source, _ = abi.Const(mpi.AnySource)
		e.tag, _ = abi.Const(mpi.AnyTag)
		m[abi] = e
	}
	return m
})

// appendReturned appends the column values of a return slot of a call, whose return values are
// p.raws.
func (p *Process) appendReturned(c *call, s *spec.Slot, r ring.Raw) {
	at := len(p.cols)
	p.appendCols(s, r)
	if s.Codec != spec.Status || len(c.reqs) == 0 {
		return
	}
	n := 1
	if s.Array {
		n = r.N
		at++
	}
	for k := range n {
		i := p.statusOf(c, s, k)
		empty := false
		if c.flags&ring.FIgnored != 0 {
			other := i < 0 || !p.isWildRequest(c.reqs[i])
			empty = other || r.Data[3*k+1]>>32 != 0
			if other {
				p.cols[at+4*k+3] = 0
			}
		}
		if empty || i >= 0 && p.isSend(c.reqs[i]) {
			p.cols[at+4*k], p.cols[at+4*k+1], p.cols[at+4*k+2] = p.any.source, p.any.tag, 0
		}
	}
}

// isWild tells whether a call receives or probes from any source, or with any tag, or was given a
// request of such a receive.
func (p *Process) isWild(c *call) bool {
	pl := c.plan
	if pl.route == uses {
		for _, u := range c.reqs {
			if p.isWildRequest(u) {
				return true
			}
		}
		return false
	}
	if pl.source < 0 || pl.tag < 0 || !pl.fixed || c.absent&pl.inMask != 0 {
		return false
	}
	return int64(c.body[pl.source]) == p.any.source || int64(c.body[pl.tag]) == p.any.tag
}

func (p *Process) isWildRequest(u requestUse) bool {
	if u.code <= 0 || u.code&1 != 0 {
		return false
	}
	n := p.reqs.of(u)
	return n >= 0 && p.reqs.nodes[n].Wild
}

// gone are the parameters that have no value in the record of a call that returned. What the
// program ignored and is kept has one.
func (c *call) gone() uint32 {
	if c.flags&ring.FIgnored != 0 {
		return c.absent &^ c.plan.statusMask
	}
	return c.absent
}

// decodeReturn puts the values known on return into p.raws, without statuses that are not kept.
func (p *Process) decodeReturn(c *call, ret int32, payload []uint64) error {
	f := c.plan.f
	raws := p.raws[:0]
	for range f.NumIn {
		raws = append(raws, ring.Raw{})
	}
	absent := c.absent
	if c.told {
		absent &^= c.plan.statusMask
	}
	raws, err := ring.DecodeReturn(raws, f, absent, ret, payload)
	p.raws = raws
	if err == nil && c.told && c.flags&ring.FIgnored == 0 && c.plan.status >= 0 {
		raws[c.plan.status] = ring.Raw{}
	}
	return err
}

// statusOf gives the request that status k of a call belongs to, -1 if none.
func (p *Process) statusOf(c *call, s *spec.Slot, k int) int {
	i := int64(k)
	if at := c.plan.statusIndex; at >= 0 {
		r := p.raws[at]
		switch {
		case !r.Present:
			return -1
		case !s.Array:
			i = int64(r.Word())
		case k < r.N:
			i = r.At(k)
		default:
			return -1
		}
	}
	if i < 0 || i >= int64(len(c.reqs)) {
		return -1
	}
	return int(i)
}

func (p *Process) isSend(u requestUse) bool {
	if u.code <= 0 || u.code&1 != 0 {
		return false
	}
	n := p.reqs.of(u)
	return n >= 0 && p.reqs.Pools[p.reqs.nodes[n].Pool].Send
}
