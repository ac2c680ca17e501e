package synthetic

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// function is a traced function whose records this package writes.
type function struct {
	f *spec.Func
	// slots that a call without error has, in order.
	slots []int
	names []string
}

// define looks a function up and checks that its values are the ones that the code here
// writes, in that order: the standard enters through spec alone.
func define(name string, params ...string) *function {
	f := spec.ByName(name)
	if f == nil {
		panic("internal error: no function " + name)
	}
	fn := &function{f: f}
	for i := range f.Slots {
		if s := &f.Slots[i]; !s.OnError {
			fn.slots = append(fn.slots, i)
			fn.names = append(fn.names, f.Params[s.Param].Name)
		}
	}
	if fmt.Sprint(params) != fmt.Sprint(fn.names) {
		panic(fmt.Sprintf("internal error: %s has the values %v, not %v", name, fn.names, params))
	}
	return fn
}

// codeBase is the offset of line 0 of a program's code in its module, codeLine the
// distance between two lines.
const codeBase, codeLine = 0x1000, 16

// begin starts the record of a call of fn in a line of the program.
func (r *Rank) begin(fn *function, line int) {
	r.fn, r.slot, r.absent = fn, 0, 0
	site := uint64(0)
	if line > 0 {
		site = ring.WModule<<60 | uint64(codeBase+codeLine*line)
	}
	r.rec = append(r.rec[:0], uint64(fn.f.ID), 0, 0, site, 0)
	if r.timed {
		r.clock += 50 + r.noise(100)
		r.rec[1] = r.clock
	}
	if r.log != nil {
		r.log.Calls = append(r.log.Calls, Call{Func: fn.f.Name, Line: line, Values: make([]any, len(fn.f.Slots)),
			Start: r.clock})
	}
}

// end completes the record and hands it on.
func (r *Rank) end() {
	if r.slot != len(r.fn.slots) {
		panic(fmt.Sprintf("internal error: %s: %d values of %d", r.fn.f.Name, r.slot, len(r.fn.slots)))
	}
	if r.timed {
		r.clock += 100 + r.noise(400) + r.busy
		r.rec[2] = r.clock
	}
	r.busy = 0
	r.rec[0] |= uint64(len(r.rec)) << 32
	r.rec[4] = uint64(r.absent)
	r.Calls++
	if r.log != nil {
		r.log.Calls[len(r.log.Calls)-1].End = r.clock
	}
	r.emit(r.rec)
}

func (r *Rank) emit(rec ring.Record) {
	if r.err == nil {
		r.err = r.sink(rec)
	}
}

// meta hands on a record of the runtime itself.
func (r *Rank) meta(id spec.ID, payload ...uint64) {
	r.rec = append(r.rec[:0], uint64(id)|uint64(ring.HeadWords+len(payload))<<32, r.clock, 0, 0, 0)
	r.rec = append(r.rec, payload...)
	r.emit(r.rec)
}

// next moves on to the next value of the call, which must be of a codec.
func (r *Rank) next(array bool, codec spec.Codec) *spec.Slot {
	s := &r.fn.f.Slots[r.fn.slots[r.slot]]
	r.slot++
	if s.Array != array || s.Codec != codec {
		panic(fmt.Sprintf("internal error: %s: value %s is of another kind", r.fn.f.Name, r.fn.names[r.slot-1]))
	}
	return s
}

// note logs the value that was written last.
func (r *Rank) note(v any) {
	c := &r.log.Calls[len(r.log.Calls)-1]
	c.Values[r.fn.slots[r.slot-1]] = v
}

// none says that the next value is absent: NULL, ignored or not significant.
func (r *Rank) none() {
	s := &r.fn.f.Slots[r.fn.slots[r.slot]]
	r.slot++
	r.absent |= 1 << uint(s.Param)
}

func (r *Rank) num(v int) {
	r.next(false, spec.Int)
	r.rec = append(r.rec, uint64(int64(v)))
	if r.log != nil {
		r.note(int64(v))
	}
}

func (r *Rank) addr(a Address) {
	r.next(false, spec.Address)
	r.rec = append(r.rec, ring.Address{Class: a.Class, ID: a.Number, Off: a.Off}.Word())
	if r.log != nil {
		r.note(a)
	}
}

func (r *Rank) obj(h handle) {
	if s := r.next(false, spec.Handle); s.Class != h.class {
		panic(fmt.Sprintf("internal error: %s: %s is no object of class %d", r.fn.f.Name, r.fn.names[r.slot-1],
			h.class))
	}
	r.rec = append(r.rec, h.raw)
	if r.log != nil {
		r.note(h.object())
	}
}

// reqs writes an array of requests; nil is MPI_REQUEST_NULL.
func (r *Rank) reqs(qs []*Request) {
	r.next(true, spec.Handle)
	r.rec = append(r.rec, ring.ArrayHead(ring.APlain, 8, len(qs)))
	for _, q := range qs {
		r.rec = append(r.rec, r.handleOf(q).raw)
	}
	if r.log != nil {
		objs := make([]Object, len(qs))
		for i, q := range qs {
			objs[i] = r.handleOf(q).object()
		}
		r.note(objs)
	}
}

// ints writes an array of int.
func (r *Rank) ints(vs []int) {
	r.next(true, spec.Int)
	r.rec = ring.AppendInts(r.rec, vs)
	if r.log != nil {
		all := make([]int64, len(vs))
		for i, v := range vs {
			all[i] = int64(v)
		}
		r.note(all)
	}
}

func (r *Rank) strs(vs []string) {
	r.next(false, spec.StringArray)
	r.rec = ring.AppendStrings(r.rec, vs)
	if r.log != nil {
		r.note(vs)
	}
}

func (r *Rank) status(s Status) {
	r.next(false, spec.Status)
	words := s.Words()
	r.rec = append(r.rec, words[:]...)
	if r.log != nil {
		r.note(s)
	}
}

func (r *Rank) statuses(ss []Status) {
	r.next(true, spec.Status)
	r.rec = ring.AppendStatuses(r.rec, ss)
	if r.log != nil {
		r.note(append([]Status(nil), ss...))
	}
}
