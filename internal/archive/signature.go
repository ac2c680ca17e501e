package archive

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
	"github.com/tabard-hpc/tabard/spec"
)

// A Signature is what all calls behind one terminal of a grammar have in
// common. Its encoding is normative (docs/format.md):
//
//	uvarint function id, uvarint site (0 none, else local site + 1),
//	byte flags, varint return code, then each slot of the function as below.
//
// A slot is a byte that holds its Kind, then for Int and Float a varint, for Ref a uvarint
// code, for Addr a byte class, (unless Literal) uvarint segment, varint
// offset, for Str a uvarint length and bytes, for Ints a uvarint length and
// varints, for List a uvarint length and values coded like slots, for Stat
// varints source, tag, bytes, error and a byte cancelled, for Sentinel a varint. A Hole with
// Value.Ignored is byte 12.
type Signature struct {
	Func  spec.ID
	Site  uint32 // 0: unknown, else index + 1 in the rank's site table
	Flags Flags
	Ret   int32
	Slots []Value // one for each of the function's slots
}

// ignoredKind stands for a Hole with Value.Ignored.
const ignoredKind = byte(Sentinel) + 2

// kindByte is what stands for the kind of v in the file.
func kindByte(v *Value) byte {
	if v.Kind == Hole && v.Ignored {
		return ignoredKind
	}
	return byte(v.Kind)
}

// setKind is the reverse of kindByte.
func (v *Value) setKind(b byte) {
	v.Kind = Kind(b)
	if b == ignoredKind {
		v.Kind, v.Ignored = Hole, true
	}
}

// AppendValue appends the encoding of v to dst. Of Value.Ignored it keeps that of a Hole.
func AppendValue(dst []byte, v *Value) []byte {
	dst = append(dst, kindByte(v))
	switch v.Kind {
	case Int, Float, Sentinel:
		dst = binary.AppendVarint(dst, v.N)
	case Ref:
		dst = binary.AppendUvarint(dst, uint64(v.N))
	case Addr:
		dst = append(dst, byte(v.Mem))
		if v.Mem != Literal {
			dst = binary.AppendUvarint(dst, uint64(v.Seg))
		}
		dst = binary.AppendVarint(dst, v.N)
	case Str:
		dst = byteio.AppendSized(dst, v.Str)
	case Ints:
		dst = binary.AppendUvarint(dst, uint64(len(v.Ints)))
		for _, x := range v.Ints {
			dst = binary.AppendVarint(dst, x)
		}
	case List:
		dst = binary.AppendUvarint(dst, uint64(len(v.List)))
		for i := range v.List {
			dst = AppendValue(dst, &v.List[i])
		}
	case Stat:
		dst = binary.AppendVarint(dst, int64(v.Stat.Source))
		dst = binary.AppendVarint(dst, int64(v.Stat.Tag))
		dst = binary.AppendVarint(dst, v.Stat.Bytes)
		dst = binary.AppendVarint(dst, int64(v.Stat.Error))
		c := byte(0)
		if v.Stat.Cancelled {
			c = 1
		}
		dst = append(dst, c)
	}
	return dst
}

// Append appends the encoding of s to dst.
func (s *Signature) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.Func))
	dst = binary.AppendUvarint(dst, uint64(s.Site))
	dst = append(dst, byte(s.Flags))
	dst = binary.AppendVarint(dst, int64(s.Ret))
	for i := range s.Slots {
		dst = AppendValue(dst, &s.Slots[i])
	}
	return dst
}

// Clone is a copy of s whose values can be set without changing those of s.
func (s *Signature) Clone() *Signature {
	c := *s
	c.Slots = cloneValues(s.Slots)
	return &c
}

// Equal tells whether s and t have the same encoding.
func (s *Signature) Equal(t *Signature) bool {
	return s == t || s.Func == t.Func && s.Site == t.Site && s.Flags == t.Flags && s.Ret == t.Ret &&
		equalValues(s.Slots, t.Slots)
}

func equalValues(xs, ys []Value) bool {
	return slices.EqualFunc(xs, ys, func(x, y Value) bool {
		return x.Kind == y.Kind && x.Mem == y.Mem && x.Seg == y.Seg && x.N == y.N && x.Ignored == y.Ignored &&
			x.Str == y.Str && x.Stat == y.Stat && slices.Equal(x.Ints, y.Ints) && equalValues(x.List, y.List)
	})
}

// sigReader decodes untrusted bytes.
type sigReader struct{ byteio.Reader }

func badSignature(offset int64, reason string) error {
	return fmt.Errorf("signature: %s at byte %d", reason, offset)
}

func (r *sigReader) int32() int32 {
	v := r.Varint()
	if v < math.MinInt32 || v > math.MaxInt32 {
		r.Fail("number out of range")
	}
	return int32(v)
}

func (r *sigReader) value(depth int) (v Value) {
	v.setKind(r.Byte())
	switch v.Kind {
	case Absent, Hole:
	case Int, Float, Sentinel:
		v.N = r.Varint()
	case Ref:
		v.N = int64(r.Uvarint())
		if v.N < 0 {
			r.Fail("reference out of range")
		}
	case Addr:
		v.Mem = Mem(r.Byte())
		switch v.Mem {
		case Literal:
		case Heap, Static, Stack, RawMem:
			s := r.Uvarint()
			if s > math.MaxUint32 {
				r.Fail("segment out of range")
			}
			v.Seg = uint32(s)
		default:
			r.Fail("unknown class of address")
		}
		v.N = r.Varint()
	case Str:
		v.Str = string(r.Sized())
	case Ints:
		n := r.Count()
		v.Ints = make([]int64, 0, n)
		for range n {
			v.Ints = append(v.Ints, r.Varint())
		}
	case List:
		if depth == 0 {
			r.Fail("lists nested too deep")
			return v
		}
		n := r.Count()
		for i := 0; i < n && r.Err == nil; i++ {
			v.List = append(v.List, r.value(depth-1))
		}
	case Stat:
		v.Stat.Source = r.int32()
		v.Stat.Tag = r.int32()
		v.Stat.Bytes = r.Varint()
		v.Stat.Error = r.int32()
		v.Stat.Cancelled = r.Byte() == 1
	default:
		r.Fail("unknown kind of value")
	}
	return v
}

// ParseSignature decodes a signature that AppendTo made. It trusts nothing
// in b; the error says where it is broken. The classes of references are
// filled in from the function's slots.
func ParseSignature(b []byte) (*Signature, error) {
	r := &sigReader{byteio.Reader{In: b, As: badSignature}}
	id := r.Uvarint()
	f := (*spec.Func)(nil)
	if r.Err == nil && id <= math.MaxUint16 {
		f = spec.ByID(spec.ID(id))
	}
	if f == nil {
		r.Fail(fmt.Sprintf("unknown function %d", id))
		return nil, r.Err
	}
	s := &Signature{Func: f.ID}
	site := r.Uvarint()
	if site > math.MaxUint32 {
		r.Fail("site out of range")
	}
	s.Site = uint32(site)
	s.Flags = Flags(r.Byte())
	s.Ret = r.int32()
	s.Slots = make([]Value, len(f.Slots))
	for i := range s.Slots {
		v := r.value(3)
		if v.Ignored && f.Slots[i].Codec != spec.Status {
			r.Fail("an ignored value that is no status")
		}
		setClass(&v, f.Slots[i].Class)
		s.Slots[i] = v
	}
	if r.Err == nil && r.Left() > 0 {
		r.Fail("trailing bytes")
	}
	return s, r.Err
}

// setClass marks the references in v as objects of class c, which is known
// from the function and therefore not stored.
func setClass(v *Value, c spec.Class) {
	if v.Kind == Ref {
		v.Class = c
	}
	for i := range v.List {
		setClass(&v.List[i], c)
	}
}

// Columns that belong to a terminal, in this order: for Polls the run's
// length; then for each slot that is a Hole, in slot order: for an array the
// number of elements, then one column for each field of the value. Elements of
// an array follow one another in its field columns.

// ColumnSpec describes one column of a terminal.
type ColumnSpec struct {
	// Slot is the index of the slot, -1 for the length of a run of polls.
	Slot int
	// Field is the index of the field, -1 for the number of elements of an array.
	Field int
	// Array is set for the columns of an array: the number of elements is in the
	// column with Field -1 that precedes them.
	Array bool
}

// Columns lists the columns of the terminal with signature s.
func (s *Signature) Columns() []ColumnSpec {
	var cs []ColumnSpec
	if s.Flags&Polls != 0 {
		cs = append(cs, ColumnSpec{Slot: -1})
	}
	f := spec.ByID(s.Func)
	for i := range s.Slots {
		if s.Slots[i].Kind != Hole {
			continue
		}
		sl := &f.Slots[i]
		if sl.Array {
			cs = append(cs, ColumnSpec{Slot: i, Field: -1, Array: true})
		}
		for k := range sl.Fields() {
			cs = append(cs, ColumnSpec{Slot: i, Field: k, Array: sl.Array})
		}
	}
	return cs
}
