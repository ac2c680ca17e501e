package diff

import (
	"errors"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/workers"
	"github.com/tabard-hpc/tabard/spec"
)

const (
	batchCalls = 256     // calls that go from one goroutine to another at once
	batchCount = 3       // batches of a reader: one is filled, one is ready, one is read
	batchItems = 1 << 14 // elements of arrays after which a batch is full
)

// reader reads the calls of a stream that count. It decodes them in a goroutine of its own, so that two
// recordings are decoded at the same time.
type reader struct {
	g   *group
	k   *class
	pos uint64

	full, empty chan *batch
	done        chan struct{}
	running     workers.Group
	now         *batch // calls of it before at have been read
	at          int
	numbers     map[number]string // see text
}

// number is a value of a slot of a function.
type number struct {
	f     spec.ID
	slot  int
	value int64
}

// maxNumbers is how many texts of numbers a reader keeps.
const maxNumbers = 1 << 12

// text is side.text of a slot of a call. Few numbers are most of what calls are given.
func (r *reader) text(f *spec.Func, slot int, v *archive.Value) string {
	if v.Kind != archive.Int || v.Ignored {
		return r.k.side.text(f, slot, v)
	}
	n := number{f.ID, slot, v.N}
	text, ok := r.numbers[n]
	if !ok {
		if r.numbers == nil || len(r.numbers) >= maxNumbers {
			r.numbers = map[number]string{}
		}
		text = r.k.side.text(f, slot, v)
		r.numbers[n] = text
	}
	return text
}

// batch is calls in a row, and the error that came after them.
type batch struct {
	calls []archive.Call
	slots []archive.Value // of all calls
	items int             // elements of their arrays
	err   error
}

// add adds a call whose values are in slots.
func (b *batch) add(c *archive.Call) {
	for i := range c.Slots {
		b.items += len(c.Slots[i].Ints) + len(c.Slots[i].List)
	}
	b.calls = append(b.calls, *c)
}

// open makes the reader begin with the first call of a stream. It reads at most so many calls, which are before an
// event unless that is 0.
func (r *reader) open(s *archive.Stream, most, before uint64) (stop func()) {
	kept := make([]bool, len(r.k.terms))
	for t := range kept {
		kept[t] = r.g.keeps(&r.k.terms[t])
	}
	r.full, r.empty, r.done = make(chan *batch, batchCount), make(chan *batch, batchCount), make(chan struct{})
	for range batchCount {
		r.empty <- &batch{}
	}
	r.running.Go(func() { r.decode(s, kept, most, before) })
	return func() {
		close(r.done)
		r.running.Wait()
	}
}

func (r *reader) decode(s *archive.Stream, kept []bool, most, before uint64) {
	defer close(r.full)
	if most == 0 {
		return
	}
	b, ok := r.next()
	if !ok {
		return
	}
	n := uint64(0)
	for call, err := range archive.OnlyInto(s, func(t uint32) bool { return kept[t] }, r.k.reads, before,
		func() *[]archive.Value { return &b.slots }) {
		if b.err = err; err == nil {
			b.add(call)
		}
		n++
		if err != nil || len(b.calls) == batchCalls || b.items >= batchItems {
			r.full <- b
			if b, ok = r.next(); !ok {
				return
			}
		}
		if n == most {
			break
		}
	}
	r.full <- b
}

// next is a batch to be filled; not ok if nobody reads on.
func (r *reader) next() (b *batch, ok bool) {
	select {
	case b = <-r.empty:
		return b, true
	case <-r.done:
		return nil, false
	}
}

// call is the next call. It is valid until the next one is asked for.
func (r *reader) call() (*archive.Call, error) {
	for r.now == nil || r.at == len(r.now.calls) {
		if b := r.now; b != nil {
			if b.err != nil {
				return nil, b.err
			}
			if b.items > 0 {
				clear(b.slots) // arrays of theirs are not kept
			}
			b.calls, b.slots, b.items = b.calls[:0], b.slots[:0], 0
			r.empty <- b
		}
		if r.now, r.at = <-r.full, 0; r.now == nil {
			return nil, errors.New("internal error: a stream has fewer calls than its grammar")
		}
	}
	r.at++
	r.pos++
	return &r.now.calls[r.at-1], nil
}

func (r *reader) skip(n uint64) error {
	for ; n > 0; n-- {
		if _, err := r.call(); err != nil {
			return err
		}
	}
	return nil
}
