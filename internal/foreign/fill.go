package foreign

import (
	"math"

	"github.com/tabard-hpc/tabard/internal/otf2"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// done is a request that a call completed.
type done struct {
	raw    uint64
	status ring.Status
}

// fill gives a call the parameters that the records in it tell.
func (t *thread) fill(o *opened) error {
	f, c := o.f, &t.call
	for i := range o.recs {
		e := &o.recs[i]
		if err := t.again(e, o.start); err != nil {
			return err
		}
		if isFile(e.Kind) {
			if err := t.used(e, o.start, f); err != nil {
				return err
			}
		}
	}
	c.reset(f)
	if o.offset >= 0 && (f.Op == spec.OpRead || f.Op == spec.OpWrite) {
		c.set(f.Slot(spec.RoleOffset), uint64(o.offset))
	}
	var completed []done
	for i := range o.recs {
		e := &o.recs[i]
		fits := true
		switch e.Kind {
		case otf2.Send, otf2.Isend:
			fits = t.sends(e)
		case otf2.Recv:
			fits = t.receives(e)
		case otf2.IrecvRequest, otf2.CollectiveRequest:
			w := t.later[t.next]
			t.next++
			fits = t.posts(e, &w)
		case otf2.CollectiveEnd:
			fits = f.Has(spec.Collective)
			if fits {
				t.collective(&e.Collective)
			}
		case otf2.RemotePut, otf2.RemoteGet, otf2.RemoteAtomic:
			fits = t.access(e)
		case otf2.RequestTest:
			if s := f.Slot(spec.RoleRequests); fits && s >= 0 && !f.Slots[s].Array && c.vals[s] == nil {
				c.set(s, requestHandle|e.Request<<8)
				c.after(s, requestHandle|e.Request<<8)
			}
		default:
			file := isFile(e.Kind)
			if file {
				fits = t.file(e)
			}
			if !file || e.Kind == otf2.IOComplete && f.Op == spec.OpComplete {
				completed = append(completed, t.completion(e))
			}
		}
		if !fits {
			t.left.add("%s in %s", e.Kind, f.Name)
		}
	}
	t.completes(completed, o)
	return nil
}

// again tells of a communicator that is used although it was freed.
func (t *thread) again(e *otf2.Event, at uint64) error {
	var id uint32
	switch e.Kind {
	case otf2.Send, otf2.Isend, otf2.Recv, otf2.Irecv:
		id = e.Message.Comm
	case otf2.CollectiveEnd, otf2.CollectiveComplete:
		id = e.Collective.Comm
	default:
		return nil
	}
	c := t.comms[id]
	if c == nil || !t.freed[c] {
		return nil
	}
	delete(t.freed, c)
	return t.tellOf(c, at)
}

// communicator sets what the call is made on.
func (t *thread) communicator(id uint32) *comm {
	k := t.comms[id]
	slot := t.call.f.Slot(spec.RoleOn)
	if k == nil || slot < 0 || t.call.f.Slots[slot].Class != spec.Comm {
		return k
	}
	t.call.set(slot, k.raw)
	if s := &t.call.f.Slots[slot]; s.Life == spec.Free {
		t.call.after(slot, 0)
		t.freed[k] = true
	}
	return k
}

// amount sets a count of bytes.
func (t *thread) amount(count, typ spec.Role, bytes uint64) {
	f := t.call.f
	c, y := f.Slot(count), f.Slot(typ)
	if c < 0 || y < 0 || f.Slots[c].Array || f.Slots[y].Array || bytes > math.MaxInt64 {
		return
	}
	t.call.set(c, bytes)
	t.call.set(y, t.raw[mpi.Byte])
}

func (t *thread) sends(e *otf2.Event) bool {
	f := t.call.f
	peer, request := f.Slot(spec.RoleSendPeer), f.Slot(spec.RoleRequest)
	if peer < 0 || (request >= 0) != (e.Kind == otf2.Isend) || t.call.vals[peer] != nil || f.Has(spec.PersistentInit) {
		return false
	}
	t.communicator(e.Message.Comm)
	t.call.set(peer, uint64(e.Peer))
	t.call.set(f.Slot(spec.RoleSendTag), uint64(e.Tag))
	t.amount(spec.RoleSendCount, spec.RoleSendType, e.Bytes)
	t.call.set(request, requestHandle|e.Request<<8)
	return true
}

// received is the status of a message.
func received(m *otf2.Message) ring.Status {
	s := ring.Status{Source: int32(m.Peer), Tag: int32(m.Tag)}
	if m.Bytes <= math.MaxInt64 {
		s.Bytes = int64(m.Bytes)
	}
	return s
}

func (t *thread) receives(e *otf2.Event) bool {
	f := t.call.f
	peer, at := f.Slot(spec.RoleRecvPeer), f.Slot(spec.RoleStatus)
	if f.Slot(spec.RoleRequest) >= 0 || peer < 0 && f.Op != spec.OpMatchedRecv || at < 0 || t.call.vals[at] != nil {
		return false
	}
	t.communicator(e.Message.Comm)
	if peer >= 0 {
		t.call.set(peer, uint64(e.Peer))
		t.call.set(f.Slot(spec.RoleRecvTag), uint64(e.Tag))
	}
	w := received(&e.Message).Words()
	t.call.set(at, w[:]...)
	return true
}

// posts begins a nonblocking receive or collective, which will get w.
func (t *thread) posts(e *otf2.Event, w *outcome) bool {
	f := t.call.f
	request := f.Slot(spec.RoleRequest)
	if request < 0 || t.call.vals[request] != nil || f.Has(spec.PersistentInit) {
		return false
	}
	switch {
	case e.Kind == otf2.CollectiveRequest && f.Has(spec.Collective):
		if w.known {
			t.collective(&w.Collective)
		}
	case e.Kind == otf2.IrecvRequest && f.Slot(spec.RoleRecvPeer) >= 0:
		if w.known {
			t.communicator(w.Message.Comm)
			t.call.set(f.Slot(spec.RoleRecvPeer), uint64(w.Peer))
			t.call.set(f.Slot(spec.RoleRecvTag), uint64(w.Tag))
		}
	default:
		return false
	}
	t.call.set(request, requestHandle|e.Request<<8)
	return true
}

// completion is what a record says of a request that is complete.
func (t *thread) completion(e *otf2.Event) done {
	d := done{raw: requestHandle | e.Request<<8, status: ring.Status{Source: t.any[0], Tag: t.any[1]}}
	switch e.Kind {
	case otf2.Irecv:
		d.status = received(&e.Message)
	case otf2.Cancelled:
		d.status.Cancelled = true
	case otf2.IOComplete:
		d.raw = ioRequest | e.Request<<8
		d.status.Bytes = int64(min(e.IO.Bytes, math.MaxInt64))
	}
	return d
}

// completes gives a call the requests that it completed.
func (t *thread) completes(list []done, o *opened) {
	f, c := t.call.f, &t.call
	at, flag, outcount := f.Slot(spec.RoleRequests), f.Slot(spec.RoleFlag), f.Slot(spec.RoleCompleted)
	stat, index := f.Slot(spec.RoleStatus), f.Slot(spec.RoleIndex)
	if at < 0 || f.Op == spec.OpStart {
		for i := range o.recs {
			switch e := &o.recs[i]; e.Kind {
			case otf2.IsendComplete, otf2.Irecv, otf2.CollectiveComplete, otf2.Cancelled:
				t.left.add("%s in %s", e.Kind, f.Name)
			}
		}
		return
	}
	if f.Op != spec.OpComplete && f.Op != spec.OpRequestFree && f.Op != spec.OpCancel {
		return
	}
	some := uint64(0)
	if len(list) > 0 {
		some = 1
	}
	c.set(flag, some)
	c.set(outcount, uint64(len(list)))
	if len(list) == 0 {
		if outcount >= 0 && index >= 0 && f.Slots[index].Array {
			c.set(index, indices(0)...)
		}
		return
	}
	null := t.raw[mpi.RequestNull]
	if !f.Slots[at].Array {
		for range list[1:] {
			t.left.add("completions in one %s", f.Name)
		}
		c.set(at, list[0].raw)
		c.after(at, null)
		w := list[0].status.Words()
		c.set(stat, w[:]...)
		return
	}
	raws, nulls, all := make([]uint64, len(list)), make([]uint64, len(list)), make([]ring.Status, len(list))
	for i := range list {
		raws[i], nulls[i], all[i] = list[i].raw, null, list[i].status
	}
	for _, name := range []string{"count", "incount"} {
		c.set(f.In(name), uint64(len(list)))
	}
	c.set(at, ring.AppendWords(nil, raws)...)
	c.after(at, ring.AppendWords(nil, nulls)...)
	switch {
	case index >= 0 && f.Slots[index].Array:
		c.set(index, indices(len(list))...)
	case index >= 0:
		c.set(index, 0)
	}
	switch {
	case stat >= 0 && f.Slots[stat].Array:
		c.set(stat, ring.AppendStatuses(nil, all)...)
	case stat >= 0:
		w := all[0].Words()
		c.set(stat, w[:]...)
	}
}

// rootNone: roots from there on are none, or are said by words.
const rootNone = otf2.Undefined - 15

// collective gives a collective its communicator, root and sizes: those of the process's own buffers.
func (t *thread) collective(e *otf2.Collective) {
	f, c := t.call.f, &t.call
	k := t.communicator(e.Comm)
	root := f.Slot(spec.RoleRoot)
	atRoot := false
	if root >= 0 && e.Root < rootNone {
		c.set(root, uint64(e.Root))
		if k != nil && k.ranks != nil {
			r, in := k.ranks[t.rank]
			atRoot = in && r == int(e.Root)
		}
	}
	n := uint64(0)
	if k != nil {
		n = uint64(k.size)
	}
	parts := func(bytes uint64) uint64 {
		if n == 0 || bytes%n != 0 {
			return otf2.Undefined64
		}
		return bytes / n
	}
	send := func(b uint64) { t.amount(spec.RoleSendCount, spec.RoleSendType, b) }
	recv := func(b uint64) { t.amount(spec.RoleRecvCount, spec.RoleRecvType, b) }
	lost := false
	switch {
	case f.Data == spec.DataNone:
		return
	case f.Vector != spec.VectorNone:
		lost = true
		switch {
		case f.Flow == spec.FlowToRoot || f.Data == spec.DataWhole:
			send(e.Sent)
		case f.Flow == spec.FlowFromRoot:
			recv(e.Received)
		}
	case f.Flow == spec.FlowFromRoot && f.Data == spec.DataWhole, f.Data == spec.DataReduced:
		send(max(e.Sent, e.Received))
	case f.Data == spec.DataReducedParts:
		recv(e.Received)
	case f.Flow == spec.FlowToRoot:
		if send(e.Sent); atRoot {
			recv(parts(e.Received))
		}
	case f.Flow == spec.FlowFromRoot:
		if recv(e.Received); atRoot {
			send(parts(e.Sent))
		}
	case f.Flow == spec.FlowToAll && f.Data == spec.DataWhole:
		send(e.Sent)
		recv(parts(e.Received))
	case f.Flow == spec.FlowToAll:
		send(parts(e.Sent))
		recv(parts(e.Received))
	default:
		lost = true
	}
	if lost {
		t.left.add("sizes of %s", f.Name)
	}
}

// access gives a one-sided call its target and sizes. Its window is not known.
func (t *thread) access(e *otf2.Event) bool {
	f := t.call.f
	peer := f.Slot(spec.RoleSendPeer)
	if f.Op != spec.OpPut && f.Op != spec.OpGet && f.Op != spec.OpAccumulate || peer < 0 {
		return false
	}
	t.call.set(peer, uint64(e.Peer))
	switch e.Kind {
	case otf2.RemoteGet:
		t.amount(spec.RoleRecvCount, spec.RoleRecvType, e.Bytes)
	case otf2.RemoteAtomic:
		t.amount(spec.RoleSendCount, spec.RoleSendType, e.Bytes)
		t.amount(spec.RoleRecvCount, spec.RoleRecvType, e.Received)
	default:
		t.amount(spec.RoleSendCount, spec.RoleSendType, e.Bytes)
	}
	t.left.add("windows of %s", f.Name)
	return true
}
