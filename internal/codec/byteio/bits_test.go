package byteio

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := rng.IntN(200)
		widths, values, total := make([]uint, n), make([]uint64, n), uint64(0)
		for i := range n {
			widths[i] = uint(rng.IntN(65))
			values[i] = rng.Uint64() & (1<<widths[i] - 1)
			total += uint64(widths[i])
		}
		w := NewBitWriter([]byte("x"), total)
		for i := range n {
			w.Write(values[i], widths[i])
		}
		out := w.Flush()
		if len(out) != 1+int(total+7)/8 {
			t.Fatalf("%d bytes for %d bits", len(out)-1, total)
		}
		r := BitReader{In: out[1:]}
		for i := range n {
			if got := r.Read(widths[i]); got != values[i] {
				t.Fatalf("field %d of %d bits: %x, want %x", i, widths[i], got, values[i])
			}
		}
		if r.Pos = uint(8 * len(out)); r.Read(64) != 0 {
			t.Fatal("bits behind the end")
		}
	}
}

func TestZigzag(t *testing.T) {
	for _, v := range []int64{0, -1, 1, -2, math.MinInt64, math.MaxInt64} {
		if Unzigzag(Zigzag(v)) != v {
			t.Errorf("%d becomes %d", v, Unzigzag(Zigzag(v)))
		}
	}
}
