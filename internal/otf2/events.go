package otf2

import (
	"encoding/binary"
	"io"
)

// Kinds of events.
const (
	evEnter         = 12
	evLeave         = 13
	evSend          = 14
	evIsend         = 15
	evIsendComplete = 16
	evIrecvRequest  = 17
	evRecv          = 18
	evIrecv         = 19
	evCancelled     = 21
	evCollBegin     = 22
	evCollEnd       = 23
	evRmaCollBegin  = 37
	evRmaCollEnd    = 38
	evRmaPut        = 46
	evRmaGet        = 47
	evRmaAtomic     = 48
	evRmaComplete   = 49
	evNbcRequest    = 85
	evNbcComplete   = 86
	typeUint64      = 4
	typeSourceCode  = 20
	rmaSyncAll      = 3 // processes and memory
	rmaAccumulate   = 0
)

// Attribute is a value that an event has besides those of its kind: a number, or a place in the source.
type Attribute struct {
	ID     uint32
	Source bool // Value is a place, as Definitions.Place gives it
	Value  uint64
}

// Message is what events about messages have.
type Message struct {
	Peer, Comm, Tag uint32
	Bytes           uint64
}

// Collective is what events about collectives have.
type Collective struct {
	Op             CollectiveOp
	Comm, Root     uint32
	Sent, Received uint64
}

// Events writes the events of a location. Times never fall: an event that would be before another one that was written
// has that one's time.
type Events struct {
	chunks
	rec, values record
	time        uint64
	// First and Last are the times of the first and the last event; Count is how many there are.
	First, Last, Count uint64
}

// NewEvents begins a file of events.
func NewEvents(w io.Writer) *Events { return &Events{chunks: *newChunks(w, EventChunk)} }

// Close ends the file.
func (e *Events) Close() error { return e.close() }

// put writes an event: values with their length, or without for those that have none.
func (e *Events) put(t uint64, kind uint8, sized bool) error {
	if sized {
		e.rec.b = appendRecord(e.rec.b, kind, e.values.b)
	} else {
		e.rec.b = append(append(e.rec.b, kind), e.values.b...)
	}
	err := e.stamp(t, len(e.rec.b))
	e.b = append(e.b, e.rec.b...)
	e.rec.b, e.values.b = e.rec.b[:0], e.values.b[:0]
	return err
}

// stamp makes room for an event and says when it is.
func (e *Events) stamp(t uint64, n int) error {
	if err := e.room(stampBytes + n); err != nil {
		return err
	}
	if e.Count == 0 {
		e.First = t
	}
	e.Last = max(e.Last, t)
	e.Count++
	e.last = e.Count
	if e.empty() || e.Last > e.time {
		e.b = binary.LittleEndian.AppendUint64(append(e.b, timeStamp), e.Last)
		e.time = e.Last
	}
	return nil
}

// attributes writes a list of attributes, which belongs to the event behind it.
func (e *Events) attributes(list []Attribute) {
	if len(list) == 0 {
		return
	}
	e.values.u32(uint32(len(list)))
	for _, a := range list {
		e.values.u32(a.ID)
		if a.Source {
			e.values.u8(typeSourceCode)
			e.values.u32(uint32(a.Value))
		} else {
			e.values.u8(typeUint64)
			e.values.u64(a.Value)
		}
	}
	e.rec.b = appendRecord(e.rec.b, attributeList, e.values.b)
	e.values.b = e.values.b[:0]
}

// Enter and Leave begin and end a region.
func (e *Events) Enter(t uint64, region uint32, attributes ...Attribute) error {
	e.attributes(attributes)
	e.values.u32(region)
	return e.put(t, evEnter, false)
}

// Leave ends a region.
func (e *Events) Leave(t uint64, region uint32) error {
	e.values.u32(region)
	return e.put(t, evLeave, false)
}

func (e *Events) message(m *Message) {
	e.values.u32(m.Peer)
	e.values.u32(m.Comm)
	e.values.u32(m.Tag)
	e.values.u64(m.Bytes)
}

// Send is a blocking send, where it begins.
func (e *Events) Send(t uint64, m *Message) error {
	e.message(m)
	return e.put(t, evSend, true)
}

// Recv is a blocking receive, where it ends.
func (e *Events) Recv(t uint64, m *Message) error {
	e.message(m)
	return e.put(t, evRecv, true)
}

// Isend is a nonblocking send, where it begins.
func (e *Events) Isend(t uint64, m *Message, request uint64) error {
	e.message(m)
	e.values.u64(request)
	return e.put(t, evIsend, true)
}

// Irecv is a nonblocking receive, where it is complete.
func (e *Events) Irecv(t uint64, m *Message, request uint64) error {
	e.message(m)
	e.values.u64(request)
	return e.put(t, evIrecv, true)
}

// IsendComplete is the completion of a nonblocking send.
func (e *Events) IsendComplete(t, request uint64) error {
	e.values.u64(request)
	return e.put(t, evIsendComplete, false)
}

// IrecvRequest is the begin of a nonblocking receive.
func (e *Events) IrecvRequest(t, request uint64) error {
	e.values.u64(request)
	return e.put(t, evIrecvRequest, false)
}

// Cancelled is the end of a request that was cancelled.
func (e *Events) Cancelled(t, request uint64) error {
	e.values.u64(request)
	return e.put(t, evCancelled, false)
}

// CollectiveBegin is the begin of a blocking collective.
func (e *Events) CollectiveBegin(t uint64) error { return e.put(t, evCollBegin, true) }

func (e *Events) collective(c *Collective) {
	e.values.u8(uint8(c.Op))
	e.values.u32(c.Comm)
	e.values.u32(c.Root)
	e.values.u64(c.Sent)
	e.values.u64(c.Received)
}

// CollectiveEnd is the end of a blocking collective.
func (e *Events) CollectiveEnd(t uint64, c *Collective) error {
	e.collective(c)
	return e.put(t, evCollEnd, true)
}

// CollectiveRequest is the begin of a nonblocking collective.
func (e *Events) CollectiveRequest(t, request uint64) error {
	e.values.u64(request)
	return e.put(t, evNbcRequest, true)
}

// CollectiveComplete is the end of a nonblocking collective.
func (e *Events) CollectiveComplete(t uint64, c *Collective, request uint64) error {
	e.collective(c)
	e.values.u64(request)
	return e.put(t, evNbcComplete, true)
}

// FenceBegin is the begin of a collective that synchronises a window.
func (e *Events) FenceBegin(t uint64) error { return e.put(t, evRmaCollBegin, true) }

// FenceEnd is its end.
func (e *Events) FenceEnd(t uint64, window uint32) error {
	e.values.u8(uint8(OpBarrier))
	e.values.u32(rmaSyncAll)
	e.values.u32(window)
	e.values.u32(RootNone)
	e.values.u64(0)
	e.values.u64(0)
	return e.put(t, evRmaCollEnd, true)
}

func (e *Events) remote(kind uint8, t uint64, window, peer uint32, bytes, id uint64) error {
	e.values.u32(window)
	e.values.u32(peer)
	e.values.u64(bytes)
	e.values.u64(id)
	return e.put(t, kind, true)
}

// Put writes to another process's window; Complete has the same id.
func (e *Events) Put(t uint64, window, peer uint32, bytes, id uint64) error {
	return e.remote(evRmaPut, t, window, peer, bytes, id)
}

// Get reads another process's window.
func (e *Events) Get(t uint64, window, peer uint32, bytes, id uint64) error {
	return e.remote(evRmaGet, t, window, peer, bytes, id)
}

// Atomic combines with another process's window, and may fetch what was there.
func (e *Events) Atomic(t uint64, window, peer uint32, sent, received, id uint64) error {
	e.values.u32(window)
	e.values.u32(peer)
	e.values.u8(rmaAccumulate)
	e.values.u64(sent)
	e.values.u64(received)
	e.values.u64(id)
	return e.put(t, evRmaAtomic, true)
}

// Complete is where Put, Get or Atomic is complete.
func (e *Events) Complete(t uint64, window uint32, id uint64) error {
	e.values.u32(window)
	e.values.u64(id)
	return e.put(t, evRmaComplete, true)
}
