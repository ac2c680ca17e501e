package archive

import (
	"fmt"
	"math"

	"github.com/tabard-hpc/tabard/spec"
)

// LeafKind is the type of a Leaf.
type LeafKind uint8

// Kinds of leaves.
const (
	IntLeaf LeafKind = iota // an integer
	VecLeaf                 // an array of integers or references
	StrLeaf                 // a string
)

// A Leaf is a part of a signature that may differ between the streams of a class. Everything else
// is part of the structure: function, call site, flags, return code, kinds of values, classes of
// addresses, lengths of lists (but not of arrays of integers or references). Int, Float, Ref and
// Sentinel have one leaf, N; Addr has Seg, unless it is a Literal, and N; Stat has source, tag,
// bytes, and error + 2^32 * cancelled; Str, Ints and lists of references have one; other lists have
// those of their elements.
type Leaf struct {
	v    *Value
	part uint8
	kind LeafKind
	slot uint16
}

// Leaves appends the leaves of s to dst, in the order of slots. They refer to s.
func Leaves(dst []Leaf, s *Signature) []Leaf {
	for i := range s.Slots {
		dst = appendLeaves(dst, &s.Slots[i], uint16(i))
	}
	return dst
}

func appendLeaves(dst []Leaf, v *Value, slot uint16) []Leaf {
	kind, n := IntLeaf, leafCount(v)
	switch v.Kind {
	case Str:
		kind = StrLeaf
	case Ints:
		kind = VecLeaf
	case List:
		if IsRefs(v) {
			kind = VecLeaf
			break
		}
		for i := range v.List {
			dst = appendLeaves(dst, &v.List[i], slot)
		}
	}
	for k := range n {
		part := uint8(k)
		if v.Kind == Addr && v.Mem == Literal {
			part = 1
		}
		dst = append(dst, Leaf{v, part, kind, slot})
	}
	return dst
}

// leafCount is the number of leaves of v itself, not of elements.
func leafCount(v *Value) int {
	if v.Kind == Str || v.Kind == Ints || IsRefs(v) {
		return 1
	}
	return Integers(v.Kind, v.Mem)
}

// Integers is how many leaves that are integers a value has, given its kind and, for an address,
// its class of memory.
func Integers(kind Kind, mem Mem) int {
	switch kind {
	case Int, Float, Ref, Sentinel:
		return 1
	case Addr:
		if mem == Literal {
			return 1
		}
		return 2
	case Stat:
		return 4
	}
	return 0
}

// Integer is leaf k of a value that is made of integers, from 0 to Integers-1. It refers to the
// value.
func (v *Value) Integer(k int) *Leaf {
	if v.Kind == Addr && v.Mem == Literal {
		k = 1
	}
	return &Leaf{v: v, part: uint8(k)}
}

// IsRefs tells whether v is a list of references, or empty.
func IsRefs(v *Value) bool {
	if v.Kind != List {
		return false
	}
	for i := range v.List {
		if v.List[i].Kind != Ref {
			return false
		}
	}
	return true
}

// Kind is the type of the leaf.
func (l *Leaf) Kind() LeafKind { return l.kind }

// Slot is the index of the slot that the leaf is in, Part which of the slot's leaves it is.
func (l *Leaf) Slot() int { return int(l.slot) }

// Int is the value of an IntLeaf.
func (l *Leaf) Int() int64 {
	switch {
	case l.v.Kind == Addr && l.part == 0:
		return int64(l.v.Seg)
	case l.v.Kind == Stat:
		return statusWords(&l.v.Stat)[l.part]
	}
	return l.v.N
}

// SetInt sets an IntLeaf; it fails if the value is out of its range.
func (l *Leaf) SetInt(n int64) error {
	bad := false
	switch l.v.Kind {
	case Addr:
		if l.part == 0 {
			bad = n < 0 || n > math.MaxUint32
			l.v.Seg = uint32(n)
		} else {
			l.v.N = n
		}
	case Stat:
		bad = l.part < 2 && n != int64(int32(n))
		switch st := &l.v.Stat; l.part {
		case 0:
			st.Source = int32(n)
		case 1:
			st.Tag = int32(n)
		case 2:
			st.Bytes = n
		default:
			st.Error, st.Cancelled = int32(n), n>>32 != 0
			bad = n>>32 != 0 && n>>32 != 1
		}
	case Ref:
		bad = n < 0
		l.v.N = n
	default:
		l.v.N = n
	}
	if bad {
		return fmt.Errorf("value %d is out of range", n)
	}
	return nil
}

// Vec is the value of a VecLeaf: integers, or the codes of references.
func (l *Leaf) Vec() []int64 {
	if l.v.Kind == Ints {
		return l.v.Ints
	}
	codes := make([]int64, len(l.v.List))
	for i := range l.v.List {
		codes[i] = l.v.List[i].N
	}
	return codes
}

// SetVec sets a VecLeaf and keeps a reference to vals. It fails if a value is out of range.
func (l *Leaf) SetVec(vals []int64, class spec.Class) error {
	if l.v.Kind == Ints {
		l.v.Ints = vals
		return nil
	}
	l.v.List = make([]Value, len(vals))
	for i, n := range vals {
		if n < 0 {
			return fmt.Errorf("reference %d is out of range", n)
		}
		l.v.List[i] = Value{Kind: Ref, Class: class, N: n}
	}
	return nil
}

// Str is the value of a StrLeaf, SetStr sets it.
func (l *Leaf) Str() string     { return l.v.Str }
func (l *Leaf) SetStr(s string) { l.v.Str = s }

// statusWords is a status as it is in columns.
func statusWords(s *Status) [4]int64 {
	w := [4]int64{int64(s.Source), int64(s.Tag), s.Bytes, int64(uint32(s.Error))}
	if s.Cancelled {
		w[3] |= 1 << 32
	}
	return w
}

// AppendKinds appends to dst what is part of the structure in s: signatures with the same kinds
// differ in leaves only. The call site is left out, as its number means nothing elsewhere.
func AppendKinds(dst []byte, s *Signature) []byte {
	head := Signature{Func: s.Func, Flags: s.Flags, Ret: s.Ret}
	dst = head.Append(dst)
	for i := range s.Slots {
		dst = appendKind(dst, &s.Slots[i])
	}
	return dst
}

func appendKind(dst []byte, v *Value) []byte {
	if IsRefs(v) {
		return append(dst, refsKind)
	}
	dst = append(dst, kindByte(v))
	switch v.Kind {
	case Addr:
		dst = append(dst, byte(v.Mem))
	case List:
		dst = append(dst, byte(len(v.List)), byte(len(v.List)>>8), byte(len(v.List)>>16), byte(len(v.List)>>24))
		for i := range v.List {
			dst = appendKind(dst, &v.List[i])
		}
	}
	return dst
}

// refsKind stands for List in templates if all elements are references.
const refsKind = byte(Sentinel) + 1

// A Template is what terminals of several classes, or several terminals of a class, have in
// common: a signature in which some leaves are open. Open leaves are zero.
type Template struct {
	// Signature.Site is 0 or 1 + an index in Content.Sites.
	Signature
	// Open tells for each leaf whether each terminal has its own value.
	Open []bool
}

// opens is the number of open leaves.
func (t *Template) opens() int {
	n := 0
	for _, o := range t.Open {
		if o {
			n++
		}
	}
	return n
}
