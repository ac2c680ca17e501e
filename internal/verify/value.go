package verify

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// The functions of this file compare plain values, which need no knowledge of earlier calls. Each
// returns the raw value in words if it differs, else "".

func sameInt(n int64, v *archive.Value) string {
	if v.Kind == archive.Int && v.N == n {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func sameFloat(bits uint64, v *archive.Value) string {
	if v.Kind == archive.Float && v.N == int64(bits) {
		return ""
	}
	return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
}

// sameAddress compares a segment word. A displacement that is no address may
// also be stored as an integer.
func sameAddress(word uint64, plain bool, v *archive.Value) string {
	a := ring.ParseAddress(word)
	if plain && a.Class == ring.WLiteral && v.Kind == archive.Int && v.N == a.Off {
		return ""
	}
	if v.Kind == archive.Addr && uint8(v.Mem) == a.Class && v.Seg == a.ID && v.N == a.Off {
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

func sameString(s string, v *archive.Value) string {
	if v.Kind == archive.Str && v.Str == s {
		return ""
	}
	return strconv.Quote(s)
}

func sameStatus(s ring.Status, v *archive.Value) string {
	want := archive.Status{Source: s.Source, Tag: s.Tag, Bytes: s.Bytes, Error: s.Error, Cancelled: s.Cancelled}
	if v.Kind == archive.Stat && v.Stat == want {
		return ""
	}
	return fmt.Sprintf("%+v", want)
}

// sameStrings compares a list of strings or of lists of strings.
func sameStrings(raw ring.Raw, v *archive.Value) string {
	if raw.Kind != ring.AList {
		return sameString(raw.Text(), v)
	}
	items := raw.Items()
	if v.Kind != archive.List || len(v.List) != len(items) {
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
func element(v *archive.Value, i int) archive.Value {
	if v.Kind == archive.Ints {
		return archive.Value{Kind: archive.Int, N: v.Ints[i]}
	}
	return v.List[i]
}

// elements is the number of elements of an archived array, -1 if v is none.
func elements(v *archive.Value) int {
	switch v.Kind {
	case archive.Ints:
		return len(v.Ints)
	case archive.List:
		return len(v.List)
	}
	return -1
}

// valueText renders an archived value for a message.
func valueText(v *archive.Value) string {
	switch v.Kind {
	case archive.Absent:
		return "absent"
	case archive.Int:
		return strconv.FormatInt(v.N, 10)
	case archive.Float:
		return strconv.FormatFloat(math.Float64frombits(uint64(v.N)), 'g', -1, 64)
	case archive.Ref:
		return codeText(v.N)
	case archive.Addr:
		return addressText(ring.Address{Class: uint8(v.Mem), ID: v.Seg, Off: v.N})
	case archive.Str:
		return strconv.Quote(v.Str)
	case archive.Ints:
		return fmt.Sprintf("%d integers", len(v.Ints))
	case archive.List:
		return fmt.Sprintf("a list of %d", len(v.List))
	case archive.Stat:
		return fmt.Sprintf("%+v", v.Stat)
	case archive.Sentinel:
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
