// Package ringtest makes records and segments as the runtime would, for tests.
package ringtest

import (
	"fmt"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// Call describes a call for Record. In and Out hold the values of the slots known on entry and on
// return (the return value of functions without return code included), in
// slot order; nil means absent. A value is an int or int64 or uint64 (one word), a
// float64's bits are up to the caller, a string, a []string, a []int32 (4-byte elements), a
// []int64 or []uint64 (8-byte elements: handles, displacements, large integers), a ring.Status or
// []ring.Status, or Sentinel.
type Call struct {
	Func       string
	Flags      uint16
	Start, End uint64
	Site       uint64
	Ret        int32
	In, Out    []any
}

// Sentinel is a constant in place of an array.
type Sentinel int

// Record encodes c. It panics if the values do not fit the function.
func Record(c Call) ring.Record {
	f := spec.ByName(c.Func)
	if f == nil {
		panic("no function " + c.Func)
	}
	absent := uint32(0)
	var payload []uint64
	put := func(s *spec.Slot, v any) {
		if v == nil {
			if s.Param >= 0 && (!s.Out || c.Ret == 0 || f.Has(spec.OutOnError)) {
				absent |= 1 << uint(s.Param)
			}
			return
		}
		if s.Out && s.Codec == spec.Status && c.Flags&ring.FIgnored != 0 {
			absent |= 1 << uint(s.Param)
		}
		payload = append(payload, Words(v)...)
	}
	if c.Flags&ring.FExit == 0 {
		if len(c.In) != f.NumIn {
			panic(fmt.Sprintf("%s: %d entry values, want %d", c.Func, len(c.In), f.NumIn))
		}
		for i, v := range c.In {
			put(&f.Slots[i], v)
		}
	}
	if c.Flags&ring.FEnter == 0 {
		i := f.NumIn
		for _, v := range c.Out {
			for i < len(f.Slots) && !ring.HasReturn(f, &f.Slots[i], c.Ret) {
				i++
			}
			if i == len(f.Slots) {
				panic(c.Func + ": too many return values")
			}
			put(&f.Slots[i], v)
			i++
		}
	}
	rec := append(ring.Record{0, c.Start, c.End, c.Site, uint64(absent) | uint64(uint32(c.Ret))<<32}, payload...)
	rec[0] = uint64(f.ID) | uint64(c.Flags)<<16 | uint64(len(rec))<<32
	return rec
}

// Meta encodes one of the runtime's own records.
func Meta(id spec.ID, ticks uint64, values ...any) ring.Record {
	rec := ring.Record{0, ticks, 0, 0, 0}
	for _, v := range values {
		rec = append(rec, Words(v)...)
	}
	rec[0] = uint64(id) | uint64(len(rec))<<32
	return rec
}

// Words encodes one value.
func Words(v any) []uint64 {
	switch v := v.(type) {
	case int:
		return []uint64{uint64(int64(v))}
	case int64:
		return []uint64{uint64(v)}
	case uint64:
		return []uint64{v}
	case string:
		return ring.AppendString(nil, v)
	case []string:
		return ring.AppendStrings(nil, v)
	case []int32:
		return ring.AppendInts(nil, v)
	case []int64:
		return ring.AppendWords(nil, v)
	case []uint64:
		return ring.AppendWords(nil, v)
	case ring.Status:
		words := v.Words()
		return words[:]
	case []ring.Status:
		return ring.AppendStatuses(nil, v)
	case Sentinel:
		return []uint64{ring.ArrayHead(ring.ASentinel, 0, int(v))}
	}
	panic(fmt.Sprintf("value of type %T", v))
}
