package verify

import (
	"fmt"
	"math"
	"strconv"

	"tabard/internal/ring"
	"tabard/spec"
	"tabard/trace"
)

// The functions of this file compare plain values: what needs no knowledge of
// earlier calls. Each returns "" or the raw value, in words, if it differs.

func sameInt(n int64, v *trace.Value) string {
	if v.Kind == trace.Int && v.N == n {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func sameFloat(bits uint64, v *trace.Value) string {
	if v.Kind == trace.Float && v.N == int64(bits) {
		return ""
	}
	return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
}

// sameAddress compares a segment word. A displacement that is no address may
// also be stored as an integer.
func sameAddress(word uint64, plain bool, v *trace.Value) string {
	a := ring.ParseAddress(word)
	if plain && a.Class == ring.WLiteral && v.Kind == trace.Int && v.N == a.Off {
		return ""
	}
	if v.Kind == trace.Addr && uint8(v.Mem) == a.Class && v.Seg == a.ID && v.N == a.Off {
		return ""
	}
	return addressText(a)
}

func addressText(a ring.Address) string {
	switch a.Class {
	case ring.WLiteral:
		return strconv.FormatInt(a.Off, 10)
	case ring.WHeap:
		return fmt.Sprintf("heap %d+%d", a.ID, a.Off)
	case ring.WModule:
		return fmt.Sprintf("module %d+%#x", a.ID, a.Off)
	case ring.WStack:
		return fmt.Sprintf("stack %d%+d", a.ID, a.Off)
	default:
		return fmt.Sprintf("raw %#x", a.Off)
	}
}

func sameString(s string, v *trace.Value) string {
	if v.Kind == trace.Str && v.Str == s {
		return ""
	}
	return strconv.Quote(s)
}

func sameStatus(s ring.Status, v *trace.Value) string {
	want := trace.Status{Source: s.Source, Tag: s.Tag, Bytes: s.Bytes, Error: s.Error, Cancelled: s.Cancelled}
	if v.Kind == trace.Stat && v.Stat == want {
		return ""
	}
	return fmt.Sprintf("%+v", want)
}

// sameStrings compares a list of strings or of lists of strings.
func sameStrings(raw ring.Raw, v *trace.Value) string {
	if raw.Kind != ring.AList {
		return sameString(raw.Text(), v)
	}
	items := raw.Items()
	if v.Kind != trace.List || len(v.List) != len(items) {
		return fmt.Sprintf("a list of %d", len(items))
	}
	for i := range items {
		if d := sameStrings(items[i], &v.List[i]); d != "" {
			return fmt.Sprintf("[%d] %s", i, d)
		}
	}
	return ""
}

// element gives element i of an archived array of any representation.
func element(v *trace.Value, i int) trace.Value {
	if v.Kind == trace.Ints {
		return trace.Value{Kind: trace.Int, N: v.Ints[i]}
	}
	return v.List[i]
}

// elements is the number of elements of an archived array, -1 if v is none.
func elements(v *trace.Value) int {
	switch v.Kind {
	case trace.Ints:
		return len(v.Ints)
	case trace.List:
		return len(v.List)
	}
	return -1
}

// valueText renders an archived value for a message.
func valueText(v *trace.Value) string {
	switch v.Kind {
	case trace.Absent:
		return "absent"
	case trace.Int:
		return strconv.FormatInt(v.N, 10)
	case trace.Float:
		return strconv.FormatFloat(math.Float64frombits(uint64(v.N)), 'g', -1, 64)
	case trace.Ref:
		return codeText(v.N)
	case trace.Addr:
		return addressText(ring.Address{Class: uint8(v.Mem), ID: v.Seg, Off: v.N})
	case trace.Str:
		return strconv.Quote(v.Str)
	case trace.Ints:
		return fmt.Sprintf("%d integers", len(v.Ints))
	case trace.List:
		return fmt.Sprintf("a list of %d", len(v.List))
	case trace.Stat:
		return fmt.Sprintf("%+v", v.Stat)
	case trace.Sentinel:
		return fmt.Sprintf("sentinel %d", v.N)
	}
	return fmt.Sprintf("value of kind %d", v.Kind)
}

// codeText renders the code of a reference.
func codeText(code int64) string {
	switch {
	case code == 0:
		return "the null handle"
	case code&1 == 1:
		if k := code / 2; k < int64(len(spec.Predefineds)) {
			return spec.Predefineds[k].Name
		}
		return fmt.Sprintf("predefined object %d", code/2)
	default:
		return fmt.Sprintf("object %d", code/2-1)
	}
}
