package calls

import (
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// Scalar parameters by what they mean.
const (
	rOn = iota
	rSendPeer
	rSendTag
	rSendCount
	rSendType
	rRecvPeer
	rRecvTag
	rRecvCount
	rRecvType
	rParts
	rRoot
	rSendBuf
	rRecvBuf
	rRequest
	rRequests
	rAfter
	rFlag
	rIndex
	rOutcount
	rMessage
	rNewComm
	rGroup
	rSource // of a status
	rTag
	rBytes
	rError
	numScalars
)

// Array parameters.
const (
	aSendCounts = iota
	aSendTypes
	aRecvCounts
	aRecvTypes
	aRequests
	aAfter
	aIndices
	aSources // of statuses
	aTags
	aBytes
	aErrors
	numArrays
)

// term is a terminal of a stream, compiled: which of its parameters matter and where they are.
type term struct {
	op      Op
	act     *action
	polls   *column // lengths of runs
	scope   scope
	to      uint64 // the event up to which what follows from the entry values holds
	in      []hole
	out     []hole
	void    bool // what the call returned means nothing
	failed  bool
	ret     int32 // what the call returned
	ignored bool  // the status, or statuses, are those of archive.Value.Ignored
	// What a status fills in, as Recv holds what the occurrence before was told.
	sourceWild, tagWild bool

	have   uint32 // bit r: scalar r is there
	arrays uint32
	v      *[numScalars]int64 // nil once nothing will be asked of them any more
	a      *[numArrays][]int64
}

// hole is a parameter in columns.
type hole struct {
	value *column
	dst   *int64
	count *column // of an array
	first bool    // count is to be read (it is shared by the fields of statuses)
	array *[]int64
}

func (t *term) has(r int) bool      { return t.have>>r&1 != 0 }
func (t *term) hasArray(a int) bool { return t.arrays>>a&1 != 0 }

// array is an array parameter.
func (t *term) array(a int) []int64 {
	if t.a == nil {
		return nil
	}
	return t.a[a]
}

// compile makes the term of terminal k.
func (r *Reader) compile(k uint32) (*term, error) {
	sig, err := r.stream.Signature(k)
	if err != nil {
		return nil, err
	}
	f := spec.ByID(sig.Func)
	t := &term{act: actions()[sig.Func], ret: sig.Ret, failed: sig.Flags&archive.Failed != 0}
	t.op = Op{Terminal: k, Func: f, Flags: sig.Flags, Timed: r.times.timing != nil, Comm: NoComm, MadeComm: NoComm,
		Root: NoPeer, Send: noSide, Recv: noSide, Request: -1, Message: -1, Calls: 1}
	if sig.Flags&archive.Polls != 0 {
		c, err := openColumn(r.stream, k, -1, 0)
		if err != nil {
			return nil, err
		}
		t.polls = c
	}
	if t.act == nil {
		t.to = forever
		return t, nil
	}
	a := t.act
	t.op.Kind, t.op.Mode, t.op.Class, t.op.Persistent, t.op.Partitioned = a.kind, a.mode, a.class, a.persistent,
		a.partitioned
	if a.kind == Start {
		t.op.Persistent = true
	}
	t.v = new([numScalars]int64)
	b := binder{r: r, t: t, sig: sig, k: k}
	b.bind()
	return t, b.err
}

var noSide = Side{Peer: NoPeer, Tag: AnyTag}

// binder finds where the parameters of a terminal are.
type binder struct {
	r   *Reader
	t   *term
	sig *archive.Signature
	k   uint32
	err error
}

func (b *binder) bind() {
	a := b.t.act
	for role, slot := range map[int]int{rOn: a.on, rSendPeer: a.sendPeer, rSendTag: a.sendTag, rSendCount: a.sendCount,
		rSendType: a.sendType, rRecvPeer: a.recvPeer, rRecvTag: a.recvTag, rRecvCount: a.recvCount,
		rRecvType: a.recvType, rParts: a.parts, rRoot: a.root, rRequest: a.request, rRequests: a.requests,
		rAfter: a.after, rFlag: a.flag, rIndex: a.index, rOutcount: a.outcount, rMessage: a.message,
		rNewComm: a.newComm, rGroup: a.group} {
		if slot >= 0 && !a.f.Slots[slot].Array {
			b.scalar(role, slot)
		}
	}
	if a.kind == Collective || a.kind == CollectiveInit {
		b.scalar(rSendBuf, a.sendBuf)
		b.scalar(rRecvBuf, a.recvBuf)
	}
	for role, slot := range map[int]int{aSendCounts: a.sendCounts, aSendTypes: a.sendTypes, aRecvCounts: a.recvCounts,
		aRecvTypes: a.recvTypes, aRequests: a.requests, aAfter: a.after, aIndices: a.indices} {
		if slot >= 0 && a.f.Slots[slot].Array {
			b.list(role, slot)
		}
	}
	if a.status >= 0 {
		b.status(a.status)
	}
}

// column opens a column.
func (b *binder) column(slot, field int) *column {
	if b.err != nil {
		return nil
	}
	c, err := openColumn(b.r.stream, b.k, slot, field)
	b.err = err
	return c
}

func (b *binder) add(slot int, h hole) {
	if slot < b.t.act.f.NumIn {
		b.t.in = append(b.t.in, h)
	} else {
		b.t.out = append(b.t.out, h)
	}
}

// scalar binds a single value.
func (b *binder) scalar(role, slot int) {
	if slot < 0 {
		return
	}
	v := &b.sig.Slots[slot]
	switch v.Kind {
	case archive.Hole:
		b.t.have |= 1 << role
		b.add(slot, hole{value: b.column(slot, 0), dst: &b.t.v[role]})
	case archive.Int, archive.Ref:
		b.t.have |= 1 << role
		b.t.v[role] = v.N
	case archive.Addr:
		if v.Mem == archive.Literal {
			b.t.have |= 1 << role
			b.t.v[role] = v.N
		}
	}
}

func (b *binder) listOf(role int) *[]int64 {
	if b.t.a == nil {
		b.t.a = new([numArrays][]int64)
	}
	b.t.arrays |= 1 << role
	return &b.t.a[role]
}

// list binds an array.
func (b *binder) list(role, slot int) {
	v := &b.sig.Slots[slot]
	switch v.Kind {
	case archive.Hole:
		b.add(slot, hole{value: b.column(slot, 0), count: b.column(slot, -1), first: true, array: b.listOf(role)})
	case archive.Ints, archive.List:
		*b.listOf(role) = Numbers(v)
	}
}

// status binds a status, or an array of them. Source and tag are read only where they tell
// something new.
func (b *binder) status(slot int) {
	v, t := &b.sig.Slots[slot], b.t
	t.ignored = v.Ignored
	wanted := func(field int) bool {
		switch t.act.kind {
		case Recv, SendRecv:
			return field >= 2 || field == 0 && b.wild(rRecvPeer, b.r.p.consts.anySource) ||
				field == 1 && b.wild(rRecvTag, b.r.p.consts.anyTag)
		case Complete, Query, Probe, Mprobe, Mrecv:
			return true
		}
		return field == 2
	}
	set := func(s *archive.Status) [4]int64 {
		e := int64(uint32(s.Error))
		if s.Cancelled {
			e |= 1 << 32
		}
		return [4]int64{int64(s.Source), int64(s.Tag), s.Bytes, e}
	}
	if !t.act.f.Slots[slot].Array {
		switch v.Kind {
		case archive.Hole:
			for f := range 4 {
				if wanted(f) {
					t.have |= 1 << (rSource + f)
					b.add(slot, hole{value: b.column(slot, f), dst: &t.v[rSource+f]})
				}
			}
		case archive.Stat:
			for f, n := range set(&v.Stat) {
				t.have |= 1 << (rSource + f)
				t.v[rSource+f] = n
			}
		}
		return
	}
	switch v.Kind {
	case archive.Hole:
		count := b.column(slot, -1)
		for f := range 4 {
			b.add(slot, hole{value: b.column(slot, f), count: count, first: f == 0, array: b.listOf(aSources + f)})
		}
	case archive.List:
		for f := range 4 {
			l := b.listOf(aSources + f)
			for i := range v.List {
				*l = append(*l, set(&v.List[i].Stat)[f])
			}
		}
	}
}

// wild tells whether a parameter may be a wildcard.
func (b *binder) wild(role int, wildcard int64) bool {
	if slot := map[int]int{rRecvPeer: b.t.act.recvPeer, rRecvTag: b.t.act.recvTag}[role]; slot >= 0 &&
		b.sig.Slots[slot].Kind == archive.Hole {
		return true
	}
	return b.t.v[role] == wildcard
}

// read takes the values of the next occurrence from the columns.
func (t *term) read(holes []hole) error {
	n := int64(0)
	for i := range holes {
		h := &holes[i]
		if h.array == nil {
			*h.dst = h.value.next()
		} else {
			if h.first {
				if n = h.count.next(); h.count.err != nil {
					return h.count.err
				}
			}
			*h.array = h.value.appendNext((*h.array)[:0], n)
		}
		if h.value.err != nil {
			return h.value.err
		}
	}
	return nil
}
