package rankfunc

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// uvarints encodes numbers.
func uvarints(xs ...int) (b []byte) {
	for _, x := range xs {
		b = appendUvarint(b, x)
	}
	return b
}

// TestBrokenSets checks that sets that cannot be are refused with an Error.
func TestBrokenSets(t *testing.T) {
	nested := []byte{2, 0} // copies of copies of copies ...
	for range 100 {
		nested = append(nested, uvarints(2<<2|kindCopies)...)
	}
	for name, in := range map[string][]byte{
		"empty input":         {},
		"cut off":             uvarints(4, 0, 4<<2),
		"beyond the limit":    uvarints(2, 90, 11<<2),
		"no ranks":            uvarints(2, 0, 0),
		"copies too far":      uvarints(2, 0, 3<<2|kindPoints, 60),
		"one copy":            uvarints(2, 0, 1<<2|kindPoints, 0),
		"too many runs":       uvarints(1<<50, 0, 1<<2),
		"distance overflows":  uvarints(2, 0, 50<<2|kindPoints, math.MaxInt64),
		"count overflows":     uvarints(2, 0, math.MaxInt64),
		"too deep":            nested,
		"long body":           uvarints(2, 0, 2<<2|kindBody, 1000),
		"columns of nothing":  uvarints(2*5+1, 1, 0, 1, 0),
		"intervals from air":  append(uvarints(2*1000000+1), 5, 0xC0, 0x84, 0x3D, 4, 2, 5, 0xC0, 0x84, 0x3D, 4, 0),
		"number of 65+ bits":  bytes.Repeat([]byte{255}, 20),
		"negative gap column": append(uvarints(2*1+1, 3), 1, 4, 1, 3, 1, 4, 0),
	} {
		_, _, err := ParseSet(in, 100)
		var broken *Error
		if !errors.As(err, &broken) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestBrokenFuncs checks the same of functions and arrays.
func TestBrokenFuncs(t *testing.T) {
	deep := bytes.Repeat([]byte{tagExcept, 0, 0, 2, 0, 4}, 100)
	for name, in := range map[string][]byte{
		"empty input":        {},
		"unknown kind":       {byte(kinds)},
		"unknown step":       {63},
		"step in no grid":    {byte(kStep) + 15, 0},
		"unknown grid":       {byte(FormulaNear), 47, 0, 0},
		"unknown course":     {byte(FormulaNear), 1, 32, 0},
		"too many a course":  {byte(FormulaNearNumber), 1, 0, 82, 0, 0},
		"no grid by number":  {byte(FormulaGrid), headNumbered + 46, 2, 2, 0},
		"grid of one number": {byte(FormulaGrid), headNumbered, 2, 0},
		"unknown tag":        {200},
		"division by zero":   {byte(FormulaDiv), 0},
		"endless modulus":    {byte(FormulaMod), 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1},
		"no second modulus":  {byte(FormulaDigit), 0, 0, 2, 0},
		"grid of one axis":   {byte(FormulaGrid), 2, 4, 0, 0},
		"axis of no ranks":   {byte(FormulaGrid), 4, 0, 0, 0, 0, 0},
		"grid too large":     {byte(FormulaGrid), 4, 100, 0, 100, 0, 0},
		"shift too far": append([]byte{byte(FormulaGrid), 4, 2},
			append(bytes.Repeat([]byte{255}, 9), 1, 2, 0, 0)...),
		"too many axes":      {byte(FormulaGrid), 100},
		"unknown order":      {byte(FormulaPermute), 9, 1, 1},
		"wrong values":       {tagColumn, 0, 0, 3, 5, 4, 0},
		"broken column":      {tagColumn, 0, 0, 2, 36, 99},
		"rank out of set":    {tagExcept, 0, 0, 2, 100, 4, 0, 0},
		"too deep":           deep,
		"column of a column": {tagColumn, tagColumn, 0},
	} {
		_, _, err := Parse(in, &Context{Size: 36}, Range(0, 36))
		var broken *Error
		if !errors.As(err, &broken) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, _, err := Parse([]byte{byte(FormulaRing), 2}, &Context{}, Range(0, 36)); err == nil {
		t.Error("a ring without the size of the communicator is accepted")
	}
	for name, in := range map[string][]byte{
		"empty input":     {},
		"unknown form":    {9},
		"empty base":      {byte(formSame), 1, 0},
		"endless base":    {byte(formSame), 8, 255, 255, 255, 255, 255, 15, 4, 2},
		"no function":     {byte(formAdded), 3, 1, 4, 0},
		"lengths differ":  {byte(formElements), 0, 4, 1, 0, 0},
		"elements of air": {byte(formElements), 0, 4, 255, 255, 3},
		"flat too short":  {byte(formFlat), 0, 4, 0, 0, 3, 36, 4, 0},
		"negative length": {byte(formFlat), 0, 1, 0, 0, 3, 36, 4, 0},
		"unknown columns": {byte(formElements), 1, 0, 1, tagColumn, 0, 0, 3, 36, 4, 0},
	} {
		_, _, err := ParseVec(in, &Context{Size: 36}, Range(0, 36))
		var broken *Error
		if !errors.As(err, &broken) {
			t.Errorf("arrays, %s: error %v", name, err)
		}
	}
}

// TestBrokenSetsIn checks the same of sets of regions and of what a set lacks.
func TestBrokenSetsIn(t *testing.T) {
	for name, in := range map[string][]byte{
		"cut off":              {headGrid},
		"unknown grid":         {headGrid, 40, 2},
		"cells out of range":   uvarints(headGrid, 1, 1<<9*2+1),
		"far too many cells":   uvarints(headGrid, 1, 1<<40),
		"ranks out of range":   {headGrid, 1, 8},
		"cell without ranks":   uvarints(headGrid, 16, 1<<3*2+1),
		"endless lack":         uvarints(headRest, 9, 0),
		"lack of copies":       uvarints(headRest, 1, 0, 5<<2|kindPoints, 0),
		"lack out of range":    uvarints(headRest, 1, 0, 37<<2),
		"rest is out of range": uvarints(headRest, 1, 0, 4),
	} {
		_, _, err := ParseSetIn(in, &Context{Size: 36}, 35)
		var broken *Error
		if !errors.As(err, &broken) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, _, err := ParseSetIn(in, &Context{}, 35); err == nil {
			t.Errorf("%s: accepted without the size of the communicator", name)
		}
	}
}

// TestParseMemory checks that a few bytes that tell of very many ranks and elements take little
// memory.
func TestParseMemory(t *testing.T) {
	ctx := &Context{Size: 1 << 30}
	set := uvarints(2, 0, 1<<29<<2|kindPoints, 0)
	half, _, err := ParseSet(set, 1<<30)
	if err != nil || half.Len() != 1<<29 || half.At(1<<28) != 1<<29 {
		t.Fatalf("%v: %v", half, err)
	}
	vec := append([]byte{byte(formSame)}, byteio.AppendSized(nil, append(uvarints(MaxLength), 4, 2))...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		if _, _, err := ParseSet(set, 1<<30); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Parse([]byte{tagColumn, 0, 0, 7, 128, 128, 128, 128, 2, 4, 2}, ctx, half); err != nil {
			t.Fatal(err)
		}
		if v, _, err := ParseVec(vec, ctx, half); err != nil || v.Len(0) != MaxLength {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / 300; n > 10000 {
		t.Errorf("%d bytes of memory for a few bytes", n)
	}
}

// TestConcurrent merges and writes one function in several goroutines; run it with -race.
func TestConcurrent(t *testing.T) {
	ctx := &Context{Size: 4000}
	vals := made(1000, func(i int) int64 { return int64(i * i % 1009) })
	s := Range(0, 1000)
	f := Fit(ctx, s, vals)
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			other := Range(1000+k, 2000+k)
			g := Fit(ctx, other, vals)
			m := Merge(ctx, f, s, g, other)
			for i, v := range vals {
				if m.At(i) != v || m.At(1000+k+i) != v {
					t.Errorf("goroutine %d: rank %d has %d, want %d", k, i, m.At(i), v)
					return
				}
			}
			if len(f.Append(nil)) == 0 || s.String() != "0-999" {
				t.Error("nothing written")
			}
		})
	}
	wg.Wait()
}
