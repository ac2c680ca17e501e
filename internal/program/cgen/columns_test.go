package cgen

import (
	"encoding/binary"
	"slices"
	"testing"
)

// expand is what next() gives for the code of a column, n times.
func expand(code []int64, n int) []int64 {
	var out []int64
	at := 0
	for len(out) < n {
		k := code[at]
		at++
		switch {
		case k == 0:
			at = 0
		case k > 0:
			for i := range k {
				out = append(out, code[at+1]+i*code[at])
			}
			at += 2
		default:
			out = append(out, code[at:at-int(k)]...)
			at -= int(k)
		}
	}
	return out[:n]
}

// FuzzCompact compresses any sequence, reads it again, and checks that repetitions cost nothing.
func FuzzCompact(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 9, 9, 9, 1}, uint8(3))
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{7}, uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, times uint8) {
		var vals []int64
		for len(b) > 0 {
			v, n := binary.Varint(b)
			if n <= 0 {
				v, n = int64(b[0]), 1
			}
			vals, b = append(vals, v), b[n:]
		}
		code := compact(vals)
		if got := expand(code, len(vals)); !slices.Equal(got, vals) {
			t.Fatalf("%v is %v, read as %v", vals, code, got)
		}
		if len(code) > 2*len(vals)+3 {
			t.Errorf("%d values take %d numbers", len(vals), len(code))
		}
		if repeated := compact(slices.Repeat(vals, 1+int(times%4))); len(repeated) > 2*len(vals)+3 {
			t.Errorf("%v takes %d numbers, %d times %d", vals, len(code), 1+times%4, len(repeated))
		}
	})
}
