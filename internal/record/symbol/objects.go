package symbol

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// numbers hands out the smallest free number.
type numbers struct {
	Next int64
	Free []int64 // a binary heap
}

func (n *numbers) take() int64 {
	if len(n.Free) == 0 {
		n.Next++
		return n.Next - 1
	}
	h := n.Free
	least := h[0]
	last := h[len(h)-1]
	h = h[:len(h)-1]
	n.Free = h
	for i := 0; len(h) > 0; {
		c := 2*i + 1
		if c+1 < len(h) && h[c+1] < h[c] {
			c++
		}
		if c >= len(h) || last <= h[c] {
			h[i] = last
			break
		}
		h[i] = h[c]
		i = c
	}
	return least
}

func (n *numbers) give(v int64) {
	n.Free = append(n.Free, v)
	h := n.Free
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up] <= h[i] {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

// object is a live object other than a request.
type object struct {
	Num  int64
	Refs int32
	// Dying: a call in progress frees it. Callbacks inside that call may still use it; an
	// object that another thread gets with the same handle is a new one.
	Dying bool
}

// objects are the live objects of one class, by handle.
type objects struct {
	Live map[uint64]object
	Nums numbers
}

// handles are what the handles of a process mean, but for requests.
type handles struct {
	abi    spec.ABI
	any    empty             // wildcards of the ABI
	predef map[predefKey]int // from the process itself, where handles are addresses
	objs   [spec.NumClasses]objects
	gen    uint32      // changes whenever a handle changes its meaning
	real   [512]uint64 // see nullRequest
}

type predefKey struct {
	class spec.Class
	raw   uint64
}

func newHandles() handles {
	h := handles{predef: map[predefKey]int{}}
	for i := range h.objs {
		h.objs[i].Live = map[uint64]object{}
	}
	return h
}

// ABI is the process's MPI; 0 while unknown.
func (h *handles) ABI() spec.ABI { return h.abi }

// setABI takes in the record that says which MPI it is, and what its predefined handles are.
func (h *handles) setABI(w []uint64) error {
	if len(w) < 3 {
		return fmt.Errorf("record %d of the runtime: %d words, want %d", ring.RABI, len(w), 3)
	}
	h.useABI(spec.ABI(w[0]))
	pairs, _, err := ring.Take(&spec.Slot{Array: true}, w[2:])
	if err != nil {
		return err
	}
	for i := 0; i+1 < pairs.N; i += 2 {
		if k := pairs.Data[i]; k < uint64(len(spec.Predefineds)) {
			h.predef[predefKey{spec.Predefineds[k].Class, pairs.Data[i+1]}] = int(k)
		}
	}
	return nil
}

func (h *handles) useABI(abi spec.ABI) { h.abi, h.any = abi, empties()[abi] }

// counted classes hand out the same handle several times; each must be freed.
func counted(c spec.Class) bool {
	return c == spec.Group || c == spec.Errhandler || c == spec.Type
}

// lookup gives the code of a handle that a call uses. A handle that nobody
// created in sight (by a call that cannot be intercepted) becomes an object now.
func (h *handles) lookup(c spec.Class, raw uint64) int64 {
	if o, ok := h.objs[c].Live[raw]; ok {
		return archive.DynamicRef(o.Num)
	}
	if code, ok := h.predefined(c, raw); ok {
		return code
	}
	return h.bind(c, raw)
}

// predefined gives the code of a predefined handle.
func (h *handles) predefined(c spec.Class, raw uint64) (int64, bool) {
	k, ok := h.predef[predefKey{c, raw}]
	if !ok {
		k, ok = h.abi.PredefinedByHandle(c, raw)
	}
	if !ok {
		return 0, false
	}
	if spec.Predefineds[k].Null {
		return 0, true
	}
	return archive.PredefinedRef(k), true
}

// nullRequest reports whether a handle is MPI_REQUEST_NULL. It remembers the
// handles that are not: few values are in use, and maps are slow.
func (h *handles) nullRequest(raw uint64) bool {
	at := &h.real[raw*mul1>>55]
	if *at == raw+1 {
		return false
	}
	if _, ok := h.predefined(spec.Request, raw); ok {
		return true
	}
	*at = raw + 1
	return false
}

// bind makes a new object of a handle and returns its code.
func (h *handles) bind(c spec.Class, raw uint64) int64 {
	t := &h.objs[c]
	if old, ok := t.Live[raw]; ok && !old.Dying { // its end was out of sight
		t.Nums.give(old.Num)
	}
	n := t.Nums.take()
	t.Live[raw] = object{Num: n, Refs: 1}
	h.gen++
	return archive.DynamicRef(n)
}

// create gives the code of a handle that a call returned as new, or as a
// reference to something that may exist.
func (h *handles) create(c spec.Class, life spec.Life, raw uint64) int64 {
	o, live := h.objs[c].Live[raw]
	live = live && !o.Dying
	switch {
	case live && (life == spec.Alias || life == spec.Update):
		return archive.DynamicRef(o.Num)
	case live && counted(c):
		o.Refs++
		h.objs[c].Live[raw] = o
		return archive.DynamicRef(o.Num)
	}
	if code, ok := h.predefined(c, raw); ok {
		return code
	}
	return h.bind(c, raw)
}

// release is an object that a call in progress frees, or takes a reference off.
type release struct {
	Class spec.Class
	Raw   uint64
	Num   int64
}

// releasing notes at the entry of a call that it frees the object of a handle:
// another thread may get the same handle for a new object before the call returns.
func (h *handles) releasing(c spec.Class, raw uint64) (release, bool) {
	t := &h.objs[c]
	o, ok := t.Live[raw]
	if !ok {
		return release{}, false
	}
	if o.Refs == 1 {
		o.Dying = true
		t.Live[raw] = o
	}
	return release{Class: c, Raw: raw, Num: o.Num}, true
}

// settle ends what a call freed, or keeps it if the call failed.
func (h *handles) settle(rs []release, failed bool) {
	for _, r := range rs {
		t := &h.objs[r.Class]
		o, ok := t.Live[r.Raw]
		switch same := ok && o.Num == r.Num; {
		case failed && same:
			o.Dying = false
			t.Live[r.Raw] = o
		case failed:
		case same && o.Refs > 1:
			o.Refs--
			t.Live[r.Raw] = o
		case same:
			delete(t.Live, r.Raw)
			h.gen++
			t.Nums.give(r.Num)
		default: // the handle names a new object already
			t.Nums.give(r.Num)
		}
	}
}
