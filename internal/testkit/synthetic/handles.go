package synthetic

import (
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// handle is an object as a rank of the program holds it.
type handle struct {
	class  spec.Class
	raw    uint64
	name   string // of a predefined object
	serial int
}

func (h handle) object() Object {
	if h.name == nullName {
		return Object{Class: h.class}
	}
	return Object{Class: h.class, Name: h.name, Serial: h.serial}
}

// nullName is the name of the null handles here.
const nullName = "null"

// predefined are the predefined objects that programs use, with their handles in MPICH.
// Those of Open MPI are addresses of the library's data.
var predefined = []struct {
	name  string
	mpich uint64
}{
	{"MPI_COMM_WORLD", 0x44000000}, {"MPI_COMM_SELF", 0x44000001},
	{"MPI_BYTE", 0x4c00010d}, {"MPI_INT", 0x4c000405}, {"MPI_DOUBLE", 0x4c00080b},
	{"MPI_SUM", 0x58000003}, {"MPI_MAX", 0x58000001}, {"MPI_REQUEST_NULL", 0x2c000000},
}

// typeBytes are the sizes of the predefined types.
var typeBytes = map[string]int{"MPI_BYTE": 1, "MPI_INT": 4, "MPI_DOUBLE": 8}

// library is an MPI as seen by a program.
type library struct {
	abi                            spec.ABI
	name, version                  string
	handleBits                     uint64
	anySource, anyTag, procNull    int
	inPlace                        int64
	world, byteT, intT, doubleT    handle
	sum, maxOp, nullRequest, eager handle
	pairs                          []uint64 // of the record about the ABI
	first, step                    [spec.NumClasses]uint64
	addresses                      bool // handles are addresses, which differ from rank to rank
}

func newLibrary(abi spec.ABI) *library {
	l := &library{abi: abi, name: "MPICH", version: "MPICH Version:  4.0.2", handleBits: 32}
	if abi == spec.OpenMPI {
		l.name, l.version, l.handleBits, l.addresses = "Open MPI", "Open MPI v4.1.4", 64, true
	}
	constant := func(name string) int {
		v, ok := abi.Const(name)
		if !ok {
			panic("internal error: the ABI has no " + name)
		}
		return int(v)
	}
	l.anySource, l.anyTag = constant("MPI_ANY_SOURCE"), constant("MPI_ANY_TAG")
	l.procNull, l.inPlace = constant("MPI_PROC_NULL"), int64(constant("MPI_IN_PLACE"))
	at := map[string]handle{}
	for i, p := range predefined {
		k, _ := spec.PredefinedByName(p.name)
		raw := p.mpich
		if l.addresses {
			raw = 0x7f3a5c2e0000 + 0x240*uint64(i)
		}
		at[p.name] = handle{class: spec.Predefineds[k].Class, raw: raw, name: p.name}
		l.pairs = append(l.pairs, uint64(k), raw)
	}
	l.world, l.byteT, l.intT, l.doubleT = at["MPI_COMM_WORLD"], at["MPI_BYTE"], at["MPI_INT"], at["MPI_DOUBLE"]
	l.sum, l.maxOp, l.nullRequest = at["MPI_SUM"], at["MPI_MAX"], at["MPI_REQUEST_NULL"]
	l.nullRequest.name = nullName
	l.first = [spec.NumClasses]uint64{spec.Comm: 0x84000000, spec.Type: 0x8c000005, spec.Request: 0xac000001}
	for i := range l.step {
		l.step[i] = 1
	}
	l.eager = handle{class: spec.Request, raw: 0xac000000}
	if l.addresses {
		l.first = [spec.NumClasses]uint64{spec.Comm: 0x55d0c0100000, spec.Type: 0x55d0c0200000,
			spec.Request: 0x55d0c0300000}
		l.step = [spec.NumClasses]uint64{spec.Comm: 0x630, spec.Type: 0x260, spec.Request: 0x180}
		l.eager.raw = 0x7f3a5c2f0000
	}
	return l
}

// pool hands out handle words. The one that was freed last comes first, as in both libraries.
type pool struct {
	next, step uint64
	free       []uint64
}

func (p *pool) take() uint64 {
	if n := len(p.free); n > 0 {
		w := p.free[n-1]
		p.free = p.free[:n-1]
		return w
	}
	w := p.next
	p.next += p.step
	return w
}

func (r *Rank) newHandle(c spec.Class) handle {
	r.serial++
	return handle{class: c, raw: r.pools[c].take(), serial: r.serial}
}

func (r *Rank) freeHandle(h handle) { r.pools[h.class].free = append(r.pools[h.class].free, h.raw) }

// Comm is a communicator of a rank.
type Comm struct {
	h          handle
	Rank, Size int
	world      func(int) int // rank in MPI_COMM_WORLD of a member, nil: the same
	context    uint64        // the same for all members
	children   uint64
}

func (c *Comm) worldRank(i int) int {
	if c.world == nil {
		return i
	}
	return c.world(i)
}

// Type is a datatype of a rank.
type Type struct {
	h     handle
	bytes int
}

// Request is a request of a rank.
type Request struct {
	h          handle
	status     Status
	eager      bool
	persistent bool
	// For persistent requests: the message, whether it is received, and whether there is none
	// (MPI_PROC_NULL).
	message          Message
	receive, nowhere bool
}

// eagerBytes is the size up to which a send completes at once, with the
// handle that all such requests share.
const eagerBytes = 4096

func (r *Rank) newRequest(eager bool) *Request {
	var q *Request
	if n := len(r.spare); n > 0 {
		q = r.spare[n-1]
		r.spare = r.spare[:n-1]
	} else {
		q = new(Request)
	}
	*q = Request{eager: eager}
	if eager {
		r.serial++
		q.h = handle{class: spec.Request, raw: r.lib.eager.raw, serial: r.serial}
	} else {
		q.h = r.newHandle(spec.Request)
	}
	return q
}

// done ends a request that a call completed and gives its status.
func (r *Rank) done(qs []*Request, i int) Status {
	q := qs[i]
	s := q.status
	if q.persistent {
		return s
	}
	r.drop(q)
	qs[i] = nil
	return s
}

func (r *Rank) drop(q *Request) {
	if !q.eager {
		r.freeHandle(q.h)
	}
	r.spare = append(r.spare, q)
}

func (r *Rank) handleOf(q *Request) handle {
	if q == nil {
		return r.lib.nullRequest
	}
	return q.h
}

// emptyStatus is what a completed send reports.
func (r *Rank) emptyStatus() Status {
	return Status{Source: int32(r.lib.anySource), Tag: int32(r.lib.anyTag)}
}

// Buffer is memory of the program that has been allocated but not yet been used in a call.
type Buffer struct {
	bytes  int
	number int // of its segment, -1 not announced
}

// Malloc allocates memory.
func (r *Rank) Malloc(bytes int) *Buffer { return &Buffer{bytes: bytes, number: -1} }

// Free frees memory.
func (r *Rank) Free(b *Buffer) {
	if b.number < 0 {
		return
	}
	r.begin(fnSegmentEnd, 0)
	r.num(b.number)
	r.end()
	r.segFree = append(r.segFree, b.number)
	b.number = -1
}

// At returns a place in the buffer. At its first use in a call it announces the segment, so that
// the next call must be the one that uses it.
func (r *Rank) At(b *Buffer, off int) Address {
	if b.number < 0 {
		b.number = r.segment()
		r.begin(fnSegment, 0)
		r.num(b.number)
		r.num(ring.MemHeap)
		r.num(b.bytes)
		r.end()
	}
	return Address{Class: ring.WHeap, Number: uint32(b.number), Off: int64(off)}
}

// segment returns the smallest unused number of a segment.
func (r *Rank) segment() int {
	if len(r.segFree) == 0 {
		r.segNext++
		return r.segNext - 1
	}
	least := 0
	for i, n := range r.segFree {
		if n < r.segFree[least] {
			least = i
		}
	}
	n := r.segFree[least]
	r.segFree[least] = r.segFree[len(r.segFree)-1]
	r.segFree = r.segFree[:len(r.segFree)-1]
	return n
}

// Static is a place in the program's static data, Stack one on the stack.
func (r *Rank) Static(off int) Address { return Address{Class: ring.WModule, Off: int64(0x8000 + off)} }

// Stack is a place on the stack, relative to the frame of main.
func (r *Rank) Stack(off int) Address { return Address{Class: ring.WStack, Off: int64(off)} }
