package collectives

import (
	"math/bits"
	"slices"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
	"github.com/tabard-hpc/tabard/spec/mpi"
)

// One-sided calls are messages, too. What a process puts leaves it by that call, and is done by the one that ends the
// epoch, or flushes. The other process has it by its first call that comes after that, because of a fence, a barrier, a
// message and so on (see order). What a process gets left the other one before the first call that is not known to come
// before, and is there after the call that ends the epoch. Who accumulates writes what is combined with what is there.
// Loops are not folded.

// Sided tells by whose call alone a message goes.
type Sided uint8

// Sides of messages.
const (
	Both    Sided = iota // it is sent and received
	Written              // the sender puts it there, or accumulates
	Read                 // the receiver gets it
)

// window is the part of one that a process has.
type window struct{ process, comm, object int32 }

// An access is a one-sided call that is not done yet.
type access struct {
	message int32 // -1: it is not followed
	to      window
	call    uint64
	request int64 // -1: it has none
	read    bool  // it fetches
}

// oneSided goes through the calls of the processes, each of which has one thread.
type oneSided struct {
	*reader
	p      *calls.Program
	order  *order
	epochs map[[2]window]*epochs // of two processes, that with the memory first
	made   []window              // in the order of the calls that make them: ends have their number
	of     map[int32]window      // the memory that a message is written to or read from
}

// epochs are those of one process's calls on the memory of another: its opened is paired with the other's posted.
type epochs struct{ posted, waited, started, completed []uint64 }

// oneSided adds what one-sided calls move to the messages.
func (r *reader) oneSided(p *calls.Program) error {
	any, err := accesses(p.Archive)
	if !any || err != nil {
		return err
	}
	x := &oneSided{reader: r, p: p, order: newOrder(), epochs: map[[2]window]*epochs{}, of: map[int32]window{}}
	r.sided = x
	threads := map[int]int{}
	for s := range p.Archive.Streams() {
		threads[s.Process()]++
	}
	for s := range p.Archive.Streams() {
		if threads[s.Process()] > 1 { // which thread's calls come first is not known
			continue
		}
		x.order.streams[p.Number(s.Process())] = int32(s.Index())
		if err := x.stream(s); err != nil {
			return err
		}
	}
	for w, e := range x.epochs {
		for i := range min(len(e.posted), len(e.started)) {
			x.order.add([]spot{{w[0].process, e.posted[i]}}, []spot{{w[1].process, e.started[i]}})
		}
		for i := range min(len(e.completed), len(e.waited)) {
			x.order.add([]spot{{w[1].process, e.completed[i]}}, []spot{{w[0].process, e.waited[i]}})
		}
	}
	return x.order.resolve(p, r.most, r.messages)
}

// accesses tells whether an archive has one-sided calls.
func accesses(a *archive.Archive) (bool, error) {
	for s := range a.Streams() {
		sigs, err := s.Signatures()
		if err != nil {
			return false, err
		}
		for _, sig := range sigs {
			if op := spec.ByID(sig.Func).Op; op == spec.OpPut || op == spec.OpGet || op == spec.OpAccumulate {
				return true, nil
			}
		}
	}
	return false, nil
}

// process is what is known of the process whose stream is read.
type process struct {
	*oneSided
	me, stream    int32
	open          []access
	reads         int                       // of them that have a request
	made          map[int32]int32           // windows by communicator
	exposed, done map[window]*comms.Members // groups of the epochs that are open: let in, and called on
}

func (x *oneSided) stream(s *archive.Stream) error {
	rd, err := x.p.Reader(s)
	if err != nil {
		return err
	}
	of := &process{oneSided: x, me: x.p.Number(s.Process()), stream: int32(s.Index()), made: map[int32]int32{},
		exposed: map[window]*comms.Members{}, done: map[window]*comms.Members{}}
	for op, err := rd.Next(); op != nil || err != nil; op, err = rd.Next() {
		if err == nil {
			err = rd.Hopeless(s.Calls())
		}
		if err != nil {
			return err
		}
		if !op.Void {
			of.call(op)
		}
	}
	return nil
}

func (x *process) call(op *calls.Op) {
	w := window{x.me, op.Comm, op.Object}
	switch op.Func.Op {
	case spec.OpPut, spec.OpGet, spec.OpAccumulate:
		x.begin(op)
	case spec.OpWindowCreate, spec.OpWindowCreateDynamic:
		x.made[op.Comm]++
		x.ends[x.stream] = append(x.ends[x.stream], end{op.Call, 0, 1, int32(len(x.oneSided.made)), 0, makes})
		x.oneSided.made = append(x.oneSided.made, window{x.me, op.Comm, x.made[op.Comm]})
	case spec.OpFence, spec.OpWindowUnlock, spec.OpWindowFlush, spec.OpWindowFlushLocal, spec.OpComplete:
		x.end(op)
	case spec.OpWindowPost:
		x.exposed[w] = op.Group
		x.epoch(op.Group, w, func(e *epochs) { e.posted = append(e.posted, op.Call) })
	case spec.OpWindowWait:
		if op.Found {
			x.epoch(x.exposed[w], w, func(e *epochs) { e.waited = append(e.waited, op.Call) })
			delete(x.exposed, w)
		}
	case spec.OpWindowStart:
		x.done[w] = op.Group
		x.epochOn(op.Group, w, func(e *epochs) { e.started = append(e.started, op.Call) })
	case spec.OpWindowComplete:
		x.end(op)
		x.epochOn(x.done[w], w, func(e *epochs) { e.completed = append(e.completed, op.Call) })
	}
}

// epoch notes a call that lets the members of a group at the own memory, or waits for them.
func (x *process) epoch(group *comms.Members, w window, note func(*epochs)) {
	if group == nil {
		return
	}
	for p := range group.All() {
		note(x.between(w, window{int32(p), w.comm, w.object}))
	}
}

// epochOn notes a call that begins or ends calls on the memory of the members of a group.
func (x *process) epochOn(group *comms.Members, w window, note func(*epochs)) {
	if group == nil {
		return
	}
	for p := range group.All() {
		note(x.between(window{int32(p), w.comm, w.object}, w))
	}
}

func (x *oneSided) between(memory, caller window) *epochs {
	k := [2]window{memory, caller}
	if x.epochs[k] == nil {
		x.epochs[k] = &epochs{}
	}
	return x.epochs[k]
}

// begin adds the message of a call. When it is there is not known yet. Who fetches what is there and changes it, as
// counters do, sends no message, but what it gets is noted as that of gets is.
func (x *process) begin(op *calls.Op) {
	peer := op.Send.Peer
	fetches := op.Func.Slot(spec.RoleRecvType) >= 0
	a := access{-1, window{peer, op.Comm, op.Object}, op.Call, op.Request, fetches}
	bytes := op.Send.Bytes
	if a.read {
		bytes = op.Recv.Bytes
	}
	if peer == calls.ProcNull {
		return
	}
	if peer >= 0 && peer != x.me && bytes >= 0 && bytes <= mostMemory && (!fetches || x.changesNothing(op)) {
		x.res.Messages++
		if len(x.messages) >= x.most {
			x.res.Left++
		} else {
			a.message = x.add(op, a, bytes)
		}
	}
	if a.message < 0 && !fetches {
		return
	}
	x.open = append(x.open, a)
	if a.awaited() {
		x.reads++
	}
}

// changesNothing tells whether a call only fetches.
func (x *process) changesNothing(op *calls.Op) bool {
	if op.Kind == calls.Get {
		return true
	}
	i := op.Func.Slot(spec.RoleOperator)
	if i < 0 {
		return false
	}
	sig, err := x.p.Archive.Stream(int(x.stream)).Signature(op.Terminal)
	noOp, _ := spec.PredefinedByName(mpi.NoOp)
	return err == nil && sig.Slots[i].Kind == archive.Ref && int(sig.Slots[i].N-1)/2 == noOp
}

func (x *process) add(op *calls.Op, a access, bytes int64) int32 {
	n := int32(len(x.messages))
	nowhere := Place{Segment: -1 - int64(op.Comm)<<32 - int64(op.Object)} // until the window is known
	m := Message{From: x.me, To: a.to.process, Sent: op.Call, Comm: op.Comm, Bytes: bytes, Count: 1, Target: nowhere,
		Sided: Written}
	if a.read {
		m.From, m.To, m.Sent, m.Posted, m.Source, m.Target, m.Sided = m.To, m.From, 0, op.Call, nowhere, Place{}, Read
	}
	x.messages, x.of[n] = append(x.messages, m), a.to
	x.streams, x.last = append(x.streams, x.stream), append(x.last, 0)
	x.posts, x.nths = append(x.posts, op.Call), append(x.nths, 0)
	x.ends[x.stream] = append(x.ends[x.stream], end{op.Call, 0, 1, n, 0, sends})
	return n
}

// end is a call by which some of those that are open are done.
func (x *process) end(op *calls.Op) {
	if op.Kind == calls.Complete && (x.reads == 0 || len(op.Done) == 0) { // most waits are for other requests
		return
	}
	first, fetched := len(x.ends[x.stream]), int32(0)
	x.open = slices.DeleteFunc(x.open, func(a access) bool {
		if !a.endedBy(op) {
			return false
		}
		nth := fetched
		if a.read {
			fetched++
		}
		if a.awaited() {
			x.reads--
		}
		if a.message < 0 {
			return true
		}
		if a.read {
			x.messages[a.message].Received = op.Call
			x.order.asks(spot{x.me, a.call}, a.message)
		} else {
			x.order.awaits(spot{x.me, op.Call}, a.to.process, a.message)
		}
		x.ends[x.stream] = append(x.ends[x.stream], end{op.Call, 0, 1, a.message, nth, closes})
		return true
	})
	for i := range x.ends[x.stream][first:] {
		x.ends[x.stream][first+i].step = uint64(fetched)
	}
}

// awaited tells whether it may end with its request.
func (a *access) awaited() bool { return a.read && a.request >= 0 }

// endedBy tells whether a call is done by another one: at its target if it writes.
func (a *access) endedBy(op *calls.Op) bool {
	if op.Kind == calls.Complete {
		return a.awaited() &&
			slices.ContainsFunc(op.Done, func(d calls.Done) bool { return d.Request == a.request && !d.Failed })
	}
	if op.Comm != a.to.comm || op.Object != a.to.object || !a.read && op.Func.Op == spec.OpWindowFlushLocal {
		return false
	}
	return op.Send.Peer < 0 || op.Send.Peer == a.to.process
}

// access notes what a one-sided call says of its message.
func (m *Message) access(c *archive.Call) {
	own, other := &m.Source, &m.Target
	if m.Sided == Read {
		own, other = other, own
	}
	at, _ := c.In("target_disp")
	*own, other.Offset = buffer(c, "origin_addr"), at.N
	if v, ok := c.In("result_addr"); ok && m.Sided == Read {
		*own = placeOf(v)
	}
	if i := c.Func.Slot(spec.RoleOperator); i >= 0 && m.Sided != Read {
		replace, _ := spec.PredefinedByName(mpi.Replace)
		if k := int(c.Slots[i].N-1) / 2; k != replace {
			m.Operator = k + 1
		}
	}
}

// base is where a window begins in memory, and the unit of displacements in bytes.
type base struct {
	place Place
	unit  int64
}

// at is the place of a displacement.
func (b *base) at(displacement int64) Place {
	if high, low := bits.Mul64(magnitude(displacement), magnitude(b.unit)); high != 0 || low > mostMemory {
		return Place{}
	}
	return placeAt(b.place.Segment, b.place.Offset+displacement*b.unit)
}

func magnitude(n int64) uint64 { return uint64(max(n, -n)) }

func baseOf(c *archive.Call) base {
	unit, _ := c.In("disp_unit")
	b := base{buffer(c, "base"), unit.N}
	if v, ok := c.Out("baseptr"); ok { // MPI_Win_allocate
		b.place = placeOf(v)
	}
	return b
}

// finished says where in memory messages are written to or read from, and leaves out those of which nothing says when
// they are there.
func (r *reader) finished() {
	if r.sided == nil {
		return
	}
	kept := r.messages[:0]
	for i := range r.messages {
		m := &r.messages[i]
		if w, ok := r.sided.of[int32(i)]; ok {
			at := &m.Target
			if m.Sided == Read {
				at = &m.Source
			}
			b := r.bases[w]
			if b.place.Segment == 0 {
				b = base{Place{Segment: at.Segment}, 1}
			}
			*at = b.at(at.Offset)
			if !r.sided.order.known[int32(i)] {
				if r.sided.order.full {
					r.res.Left++
				}
				continue
			}
		}
		r.streams[len(kept)], r.posts[len(kept)], r.nths[len(kept)] = r.streams[i], r.posts[i], r.nths[i]
		kept = append(kept, *m)
	}
	r.messages = kept
}
