package collectives

import (
	"slices"

	"github.com/tabard-hpc/tabard/internal/fingerprint"
	"github.com/tabard-hpc/tabard/spec"
)

// A Message is one that a process sent and another received.
type Message struct {
	From, To int32
	// Sent is the call that sends it, in the order of the sender's calls; Received the call by which the receiver has
	// it.
	Sent, Received uint64
	// Posted is the call that posts the receive, Freed that after which the send is over: 0 if that is not known.
	Posted, Freed uint64
	Synchronous   bool // the send waits for its receive
	Sided         Sided
	// Operator is how what is accumulated is combined with what is there, 0 of other messages: a number in
	// spec.Predefineds, and one more.
	Operator int
	Comm     int32
	Bytes    int64
	// Hash is that of what it carries, if that is known.
	Hash  uint64
	Known bool
	// Amount adds up if what it carries does. Its elements are of so many bytes.
	Amount   Amount
	Elements Elements
	Width    int64
	// Elems are that many of the sender's datatype; its code is 0 if that is not known.
	Elems, Type int64
	// Source and Target are where it lies in the memory of both.
	Source, Target Place
	// SendSite and RecvSite number the places in the program.
	SendSite, RecvSite int32
	// Samples are elements of it, as numbers of 64 bits, those of each instance one after the other: Sampled of each.
	// Some are missing if the recording does not have them of all instances.
	Samples []uint64
	Sampled int
	// Count is how many such messages it stands for, in loops; what else is said is that of the first one. Digest is
	// equal for those whose contents are equal in each of them. Again is how many have the contents of the one before.
	// SendStep and RecvStep are by how many calls of the sender and the receiver they are apart.
	Count, Digest, Again, SendStep, RecvStep uint64
}

// Predefined is the number of the message's datatype in spec.Predefineds. It is not ok if the datatype is none of
// these, or of unknown size, or if the message is not that many of it.
func (m *Message) Predefined() (k int, ok bool) {
	k = int((m.Type - 1) / 2)
	if m.Type < 0 || m.Type%2 == 0 || k >= len(spec.Predefineds) {
		return 0, false
	}
	size := int64(spec.Predefineds[k].Size)
	return k, size > 0 && m.Elems*size == m.Bytes
}

// Amount is what of contents adds up where they are added element by element: the sum of integers, the wave of reals;
// or the hash under exclusive or. Of a message that stands for several it is a combination of theirs.
type Amount struct {
	Sum  uint64
	Wave fingerprint.Wave
	Hash uint64
}

// Elements are what sums are known of.
type Elements uint8

// Elements.
const (
	Bytes Elements = iota
	Integers
	Reals
)

// A Place is somewhere in the memory of a process.
type Place struct {
	Segment int64 // 0: it is not known
	Offset  int64
}

// content is what data is known by: its hash and size, or else where it lies.
type content struct {
	hash  uint64
	place Place
	bytes int64
}

func (m *Message) sent() content {
	if m.Known {
		return content{hash: m.Hash, bytes: m.Bytes}
	}
	return content{place: m.Source, bytes: m.Bytes}
}

func (m *Message) received() content {
	if m.Known {
		return content{hash: m.Hash, bytes: m.Bytes}
	}
	return content{place: m.Target, bytes: m.Bytes}
}

// An item is data that one process had at first, and how it went on from there.
type item struct {
	origin   int32
	bytes    int64
	source   Place
	known    bool // by its hash
	zero     bool
	shared   bool // another process had the same contents by itself
	messages []*Message
	holders  map[int32]uint64 // who received it first by which call
	first    uint64           // the call of the origin that sent it first
	// redundant counts messages to those that had it, returned to the origin among them.
	redundant, returned int
	// chosen counts messages that pass it on from where their sender's own data was, and nothing was received to since.
	chosen int
	// answers counts messages to those that the origin heard of last: who asks is answered.
	answers     int
	again       bool // the origin sent the same before
	varies      bool // contents of instances after the first differ: agree is in how many they do not
	agree       uint64
	depth       int // messages on the critical path
	ready, busy map[int32]int
}

// flow follows data through processes.
type flow struct {
	held  map[int32]map[content]*item
	heard map[int32]int32 // who sent what a process received last
	left  map[memorySegment][]leaving
	items []*item
}

// leaving is what a process sent last from a place.
type leaving struct {
	offset, bytes int64
	of            *item
}

const mostLeaving = 64 // of a segment

// passedOn tells whether the sender of a message, that is not the first to have an item, had data of its own in the
// same place before: it computed what it sends.
func (f *flow) passedOn(x *item, m *Message) (chosen bool) {
	k := memorySegment{m.From, m.Source.Segment}
	if m.Source.Segment == 0 || m.Bytes == 0 {
		return false
	}
	list := f.left[k]
	i := slices.IndexFunc(list, func(l leaving) bool { return l.offset == m.Source.Offset && l.bytes == m.Bytes })
	if i >= 0 {
		chosen = x.origin != m.From && list[i].of != x && list[i].of.origin == m.From
		list[i].of = x
		return chosen
	}
	if len(list) == mostLeaving {
		list = list[1:]
	}
	f.left[k] = append(list, leaving{m.Source.Offset, m.Bytes, x})
	return false
}

// received forgets what was sent from where a message is received to.
func (f *flow) received(m *Message) {
	k := memorySegment{m.To, m.Target.Segment}
	f.left[k] = slices.DeleteFunc(f.left[k], func(l leaving) bool {
		return l.offset < m.Target.Offset+m.Bytes && m.Target.Offset < l.offset+l.bytes
	})
}

// event is a message at one of its ends.
type event struct {
	call uint64
	recv bool
	m    int
}

// follow goes through messages in an order in which none is received before it is sent. Those that do not fit together
// are left out.
func follow(ms []*Message) []*item {
	f := &flow{held: map[int32]map[content]*item{}, heard: map[int32]int32{}, left: map[memorySegment][]leaving{}}
	of := make([]*item, len(ms))
	inOrder(ms, func(m int, recv bool) {
		if recv {
			f.arrives(of[m], ms[m])
		} else {
			of[m] = f.leaves(ms[m])
		}
	})
	return f.items
}

func (f *flow) heldBy(p int32) map[content]*item {
	if f.held[p] == nil {
		f.held[p] = map[content]*item{}
	}
	return f.held[p]
}

// leaves finds what a message carries: what its sender received, or sent before, or something new. Who sends the same
// to the same process once more does it all again.
func (f *flow) leaves(m *Message) *item {
	held, key := f.heldBy(m.From), m.sent()
	x := held[key]
	unknown := !m.Known && m.Source.Segment == 0 || m.Bytes == 0
	again := false
	if x != nil && x.origin == m.From {
		if slices.ContainsFunc(x.messages, func(o *Message) bool { return o.From == m.From && o.To == m.To }) {
			x, again = nil, m.Known
		}
	}
	if x != nil && !m.Known { // whoever gets what it has gets something new: the buffer was filled again
		if _, has := x.ready[m.To]; has || m.To == x.origin {
			x = nil
		}
	}
	if x == nil || unknown {
		x = &item{origin: m.From, bytes: m.Bytes, source: m.Source, known: m.Known, zero: m.Known && m.Hash == 0,
			holders: map[int32]uint64{}, first: m.Sent, again: again, ready: map[int32]int{}, busy: map[int32]int{}}
		f.items = append(f.items, x)
		held[key] = x
	}
	if f.passedOn(x, m) {
		x.chosen++
	}
	x.messages = append(x.messages, m)
	x.varies = x.varies || m.Digest != x.messages[0].Digest
	x.again = x.again || m.Again > m.Count/2 || m.Count != x.messages[0].Count
	if from, has := f.heard[m.From]; has && from == m.To && m.From == x.origin {
		x.answers++
	}
	at := max(x.ready[m.From], x.busy[m.From]) + 1
	x.busy[m.From] = at
	if _, has := x.ready[m.To]; !has && m.To != x.origin {
		x.ready[m.To] = at
	}
	x.depth = max(x.depth, at)
	return x
}

func (f *flow) arrives(x *item, m *Message) {
	held, key := f.heldBy(m.To), m.received()
	f.heard[m.To] = m.From
	f.received(m)
	if old := held[key]; old != nil && old != x && m.Known && old.origin != x.origin {
		old.shared, x.shared = true, true
	}
	_, has := x.holders[m.To]
	switch {
	case m.To == x.origin:
		x.returned++
	case has:
		x.redundant++
	default:
		x.holders[m.To] = m.Received
		if m.Bytes > 0 {
			held[key] = x
		}
	}
}

// members are the origin and all who have it, ascending.
func (x *item) members() []int32 {
	list := []int32{x.origin}
	for p := range x.holders {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}
