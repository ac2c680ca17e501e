package foreign

import (
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// call is the values of a call that is being put together, as words of a raw record.
type call struct {
	f    *spec.Func
	vals [][]uint64 // by slot; nil: absent
	room []uint64
}

func (c *call) reset(f *spec.Func) {
	c.f = f
	c.vals = append(c.vals[:0], make([][]uint64, len(f.Slots))...)
	c.room = c.room[:0]
}

// words keeps the words of a value.
func (c *call) words(w ...uint64) []uint64 {
	at := len(c.room)
	c.room = append(c.room, w...)
	return c.room[at:len(c.room):len(c.room)]
}

// set gives a slot a value, if the function has it.
func (c *call) set(slot int, w ...uint64) {
	if slot >= 0 {
		c.vals[slot] = c.words(w...)
	}
}

// after gives the result of the parameter of a slot a value: one that is known on entry and on return is known on both
// or none.
func (c *call) after(slot int, w ...uint64) {
	for i := range c.f.Slots {
		if s := &c.f.Slots[i]; s.Out && !s.OnError && s.Param == c.f.Slots[slot].Param {
			c.set(i, w...)
		}
	}
}

// indices are the numbers below n as an array of int.
func indices(n int) []uint64 {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return ring.AppendInts(nil, list)
}

// text is a string.
func text(s string) []uint64 { return ring.AppendString(nil, s) }

// record is the raw record of the call; entry leaves out what is known on return only.
func (c *call) record(rec ring.Record, start, end, site uint64, flags uint16) ring.Record {
	rec = append(rec[:0], uint64(c.f.ID)|uint64(flags)<<16, start, end, site, 0)
	absent := uint32(0)
	for i := range c.f.Slots {
		s := &c.f.Slots[i]
		if c.vals[i] == nil && !s.OnError && s.Param >= 0 {
			absent |= 1 << uint(s.Param)
		}
	}
	for i := range c.f.Slots {
		s := &c.f.Slots[i]
		switch {
		case s.OnError || flags&ring.FEnter != 0 && i >= c.f.NumIn:
		case s.Param < 0: // what the function returns is in each record
			rec = append(rec, 0)
		case absent>>uint(s.Param)&1 == 0:
			rec = append(rec, c.vals[i]...)
		}
	}
	rec[4] = uint64(absent)
	rec[0] |= uint64(len(rec)) << 32
	return rec
}

// about is a record of the runtime's own.
func about(id spec.ID, payload ...uint64) ring.Record {
	rec := append(ring.Record{uint64(id), 0, 0, 0, 0}, payload...)
	rec[0] |= uint64(len(rec)) << 32
	return rec
}
