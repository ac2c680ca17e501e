package byteio

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A Reader reads what a Writer wrote; cut off anywhere, it says where, and gives zeros from then
// on.
func TestReader(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var w Writer
		type item struct {
			write func()
			read  func(r *Reader) any
			want  any
		}
		var items []item
		for range 1 + rng.IntN(20) {
			u, s := rng.Uint64()>>rng.IntN(64), strings.Repeat("x", rng.IntN(5))
			items = append(items, []item{
				{func() { w.Uvarint(u) }, func(r *Reader) any { return r.Uvarint() }, u},
				{func() { w.Varint(int64(u)) }, func(r *Reader) any { return r.Varint() }, int64(u)},
				{func() { w.Byte(byte(u)) }, func(r *Reader) any { return r.Byte() }, byte(u)},
				{func() { w.Bool(u&1 != 0) }, func(r *Reader) any { return r.Bool() }, u&1 != 0},
				{func() { w.Text(s) }, func(r *Reader) any { return string(r.Sized()) }, s},
				{func() { w.Sized([]byte(s)) }, func(r *Reader) any { return string(r.Sized()) }, s},
			}[rng.IntN(6)])
			items[len(items)-1].write()
		}
		r := Reader{In: w.Out}
		for i, x := range items {
			if got := x.read(&r); got != x.want {
				t.Fatalf("item %d is %v, want %v", i, got, x.want)
			}
		}
		if r.Err != nil || r.Left() != 0 {
			t.Fatalf("%v, %d bytes left", r.Err, r.Left())
		}
		cut := rng.IntN(len(w.Out))
		r = Reader{In: w.Out[:cut], What: "list", Base: 100}
		for _, x := range items {
			x.read(&r)
		}
		var broken *Error
		if !errors.As(r.Err, &broken) || broken.Offset < 100 || broken.Offset > 100+int64(cut) {
			t.Fatalf("cut off after %d bytes: %v", cut, r.Err)
		}
		if r.Uvarint() != 0 || r.Varint() != 0 || r.Byte() != 0 || r.Bool() || r.Sized() != nil || r.Count() != 0 {
			t.Fatal("something behind an error")
		}
	}
}

// The first error stays, also one that is found elsewhere, and has the type that the package wants.
func TestFail(t *testing.T) {
	r := Reader{In: []byte{5, 1, 2}, Base: 10, What: "list"}
	if r.Count() != 0 || r.Err.Error() != "broken list, byte 11: more items than bytes" {
		t.Errorf("count: %v", r.Err)
	}
	r.Fail("something else")
	r.Stop(errors.New("something else"))
	if r.Err.Error() != "broken list, byte 11: more items than bytes" {
		t.Errorf("another error took its place: %v", r.Err)
	}
	own := func(at int64, reason string) error { return fmt.Errorf("%s at %d", reason, at) }
	r = Reader{In: []byte{0x80, 0x80}, As: own}
	if r.Uvarint(); r.Err.Error() != BadNumber+" at 0" {
		t.Errorf("number: %v", r.Err)
	}
	r = Reader{In: []byte{1, 2, 3, 4}, As: own}
	r.Byte()
	p := r.Part(2, 3)
	if p.Bytes(2); p.Err == nil || p.Err.Error() != Cut+" at 2" {
		t.Errorf("part: %v", p.Err)
	}
	if r.Stop(nil); r.Err != nil || r.Byte() != 2 {
		t.Error("no error is an error")
	}
	r = Reader{In: []byte{1}}
	if r.Bytes(math.MaxUint64); r.Err == nil {
		t.Error("more bytes than there are")
	}
}

// A BitWriter grows where nobody knows the number of bits, and goes on behind a padded byte.
func TestGrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var w BitWriter
	var widths []uint
	var values []uint64
	for i := range 5000 {
		width := uint(rng.IntN(65))
		v := rng.Uint64() & (1<<width - 1)
		w.Write(v, width)
		widths, values = append(widths, width), append(values, v)
		if i%1000 == 999 {
			w.Flush()
			widths, values = append(widths, 0), append(values, 0) // here is padding
		}
	}
	r := BitReader{In: w.Flush()}
	for i, width := range widths {
		if i%1001 == 1000 {
			r.Pos = 8 * uint(r.Used())
			continue
		}
		if got := r.Peek() & (1<<min(width, MaxWidth) - 1); got != values[i]&(1<<min(width, MaxWidth)-1) {
			t.Fatalf("field %d seems to be %x, want %x", i, got, values[i])
		}
		if got := r.Read(width); got != values[i] {
			t.Fatalf("field %d is %x, want %x", i, got, values[i])
		}
	}
	if r.Used() != len(r.In) || r.Over() {
		t.Errorf("%d of %d bytes", r.Used(), len(r.In))
	}
	if r.Read(9); !r.Over() {
		t.Error("read beyond the end")
	}
}
