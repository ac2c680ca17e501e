package ring

import (
	"fmt"

	"github.com/tabard-hpc/tabard/spec"
)

// HeadWords is the number of words before a record's payload, RefWords that
// before the payload of a record with FRef.
const (
	HeadWords = 5
	RefWords  = 4
)

// Record is one record: HeadWords words, then the payload.
type Record []uint64

// ID is the function's id, or one of the R constants.
func (r Record) ID() spec.ID { return spec.ID(r[0]) }

// Flags are the F constants that are set.
func (r Record) Flags() uint16 { return uint16(r[0] >> 16) }

// Len is the length that the record states, in words, head included. In a
// pending record it is not valid.
func (r Record) Len() int { return int(r[0] >> 32) }

func (r Record) headWords() int {
	if r.Flags()&FRef != 0 {
		return RefWords
	}
	return HeadWords
}

// Start is the time of the call, in ticks.
func (r Record) Start() uint64 { return r[1] }

// End is the time of the return, in ticks.
func (r Record) End() uint64 { return r[2] }

// What follows is not for records with FRef, see Defs.

// Site is the call site: a segment word, or a stack id with FStack.
func (r Record) Site() uint64 { return r[3] }

// Absent has bit i set if parameter i has no value.
func (r Record) Absent() uint32 { return uint32(r[4]) }

// Ret is the return code.
func (r Record) Ret() int32 { return int32(r[4] >> 32) }

// Payload is what follows the head.
func (r Record) Payload() []uint64 { return r[HeadWords:] }

// Next splits the first record off words. An impossible length is an error
// that gives the words left.
func Next(words []uint64) (Record, []uint64, error) {
	if len(words) < RefWords {
		return nil, nil, fmt.Errorf("record cut off: %d words left", len(words))
	}
	n := int(words[0] >> 32)
	if n < Record(words).headWords() || n > len(words) {
		return nil, nil, fmt.Errorf("record of %d words where %d are left", n, len(words))
	}
	return Record(words[:n:n]), words[n:], nil
}

// Address is a decoded segment word.
type Address struct {
	Class uint8  // W constant
	ID    uint32 // segment, module or thread; 0 for literals and raw addresses
	Off   int64
}

// ParseAddress decodes a segment word.
func ParseAddress(w uint64) Address {
	switch c := uint8(w >> 60); c {
	case WLiteral:
		return Address{Class: c, Off: int64(w<<4) >> 4}
	case WStack:
		return Address{Class: c, ID: uint32(w>>40) & 0xfffff, Off: int64(w<<24) >> 24}
	case WHeap, WModule, WFunction, WTree:
		return Address{Class: c, ID: uint32(w>>40) & 0xfffff, Off: int64(w & (1<<40 - 1))}
	default:
		return Address{Class: WRaw, Off: int64(w & (1<<60 - 1))}
	}
}

// Word encodes an address as a segment word.
func (a Address) Word() uint64 {
	switch a.Class {
	case WLiteral:
		return uint64(a.Off) & (1<<60 - 1)
	case WStack, WHeap, WModule, WFunction, WTree:
		return uint64(a.Class)<<60 | uint64(a.ID&0xfffff)<<40 | uint64(a.Off)&(1<<40-1)
	default:
		return WRaw<<60 | uint64(a.Off)&(1<<60-1)
	}
}

// Raw is the value of one slot as it lies in a record.
type Raw struct {
	Present bool
	// Kind is the kind of an array (A constants).
	Kind uint8
	// Elem is the size of an array's elements in bytes: 1, 4 or 8.
	Elem uint8
	// N is the number of an array's elements, or of the sentinel.
	N int
	// Data are the words of the value: one of a scalar, three of a status,
	// an array's packed elements.
	Data []uint64
}

// Word is a scalar.
func (r Raw) Word() uint64 { return r.Data[0] }

// At is element i of a plain array, sign extended.
func (r Raw) At(i int) int64 {
	switch r.Elem {
	case 4:
		return int64(int32(r.Data[i/2] >> (32 * uint(i&1))))
	case 1:
		return int64(uint8(r.Data[i/8] >> (8 * uint(i&7))))
	default:
		return int64(r.Data[i])
	}
}

// Text is the string that the array of bytes holds.
func (r Raw) Text() string {
	b := make([]byte, r.N)
	for i := range b {
		b[i] = byte(r.Data[i/8] >> (8 * uint(i&7)))
	}
	return string(b)
}

// Status is element i of an array of statuses (0 of a scalar).
func (r Raw) Status(i int) Status {
	w := r.Data[3*i:]
	return Status{
		Source:    int32(w[0]),
		Tag:       int32(w[0] >> 32),
		Error:     int32(w[1]),
		Cancelled: w[1]>>32 != 0,
		Bytes:     int64(w[2]),
	}
}

// Items are the elements of a list of strings or of lists of strings. It must
// only be called on values that Decode returned.
func (r Raw) Items() []Raw {
	items := make([]Raw, 0, r.N)
	rest := r.Data
	for range r.N {
		var it Raw
		it, rest, _ = takeArray(rest)
		items = append(items, it)
	}
	return items
}

// Status is an MPI_Status as the runtime records it.
type Status struct {
	Source, Tag, Error int32
	Cancelled          bool
	Bytes              int64
}

// takeArray splits an array off w.
func takeArray(w []uint64) (Raw, []uint64, error) {
	if len(w) == 0 {
		return Raw{}, nil, fmt.Errorf("array cut off")
	}
	n := w[0] & (1<<48 - 1)
	r := Raw{Present: true, Kind: uint8(w[0] >> 48), Elem: uint8(w[0] >> 56), N: int(n)}
	w = w[1:]
	var words uint64
	switch r.Kind {
	case ASentinel:
		return r, w, nil
	case AStatus:
		words = 3 * n
	case AList:
		rest := w
		for range n {
			var err error
			if _, rest, err = takeArray(rest); err != nil {
				return Raw{}, nil, err
			}
		}
		r.Data = w[:len(w)-len(rest)]
		return r, rest, nil
	case APlain:
		if r.Elem != 1 && r.Elem != 4 && r.Elem != 8 {
			return Raw{}, nil, fmt.Errorf("array with elements of %d bytes", r.Elem)
		}
		words = (n*uint64(r.Elem) + 7) / 8
	default:
		return Raw{}, nil, fmt.Errorf("array of unknown kind %d", r.Kind)
	}
	if words > uint64(len(w)) {
		return Raw{}, nil, fmt.Errorf("array of %d words where %d are left", words, len(w))
	}
	r.Data = w[:words]
	return r, w[words:], nil
}

// Take splits the value of a slot off payload.
func Take(s *spec.Slot, payload []uint64) (Raw, []uint64, error) {
	if s.Array || s.Codec == spec.String || s.Codec == spec.StringArray || s.Codec == spec.StringArray2 {
		return takeArray(payload)
	}
	n := 1
	if s.Codec == spec.Status {
		n = 3
	}
	if len(payload) < n {
		return Raw{}, nil, fmt.Errorf("value cut off")
	}
	return Raw{Present: true, Data: payload[:n]}, payload[n:], nil
}

// StatusMask has bit i set if parameter i of f is a status, or an array of them, that the program
// may ignore: see FIgnored.
func StatusMask(f *spec.Func) uint32 {
	mask := uint32(0)
	for i := f.NumIn; i < len(f.Slots); i++ {
		if s := &f.Slots[i]; s.Codec == spec.Status && s.Param >= 0 {
			mask |= 1 << uint(s.Param)
		}
	}
	return mask
}

// HasReturn reports whether the record of a call of f that returned ret holds slot s, which
// is known on return and whose parameter is not absent.
func HasReturn(f *spec.Func, s *spec.Slot, ret int32) bool {
	if s.OnError {
		return ret != 0
	}
	return ret == 0 || f.Has(spec.OutOnError)
}

// DecodeEntry splits a record's payload into the slots of f known on entry,
// appended to dst, and returns the rest of the payload.
func DecodeEntry(dst []Raw, f *spec.Func, absent uint32, payload []uint64) ([]Raw, []uint64, error) {
	for i := range f.Slots[:f.NumIn] {
		s := &f.Slots[i]
		var r Raw
		if absent>>uint(s.Param)&1 == 0 {
			var err error
			if r, payload, err = Take(s, payload); err != nil {
				return dst, nil, fmt.Errorf("%s, entry value %d: %w", f.Name, i, err)
			}
		}
		dst = append(dst, r)
	}
	return dst, payload, nil
}

// DecodeReturn splits what DecodeEntry left into the slots of f known on return. If the record has
// FIgnored, the bits of StatusMask are not to be set in absent.
func DecodeReturn(dst []Raw, f *spec.Func, absent uint32, ret int32, payload []uint64) ([]Raw, error) {
	for i := f.NumIn; i < len(f.Slots); i++ {
		s := &f.Slots[i]
		var r Raw
		if (s.Param < 0 || absent>>uint(s.Param)&1 == 0) && HasReturn(f, s, ret) {
			var err error
			if r, payload, err = Take(s, payload); err != nil {
				return dst, fmt.Errorf("%s, return value %d: %w", f.Name, i, err)
			}
		}
		dst = append(dst, r)
	}
	if len(payload) != 0 {
		return dst, fmt.Errorf("%s: %d words too many", f.Name, len(payload))
	}
	return dst, nil
}
