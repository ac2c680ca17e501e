package sequence

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// walk makes n symbols below m: each follows from the two before, but one in so many.
func walk(rng *rand.Rand, n, m, odd int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		if i < 2 || rng.IntN(odd) == 0 {
			out[i] = uint32(rng.IntN(m))
		} else {
			out[i] = (out[i-1]*7 + out[i-2]*3 + 1) % uint32(m)
		}
	}
	return out
}

func encode(in []uint32, width int) []byte {
	c := NewEncoder(width, len(in))
	for i, s := range in {
		if i%1000 == 999 {
			c.Restart()
		}
		c.Code(s)
	}
	return c.Bytes()
}

func decode(code []byte, width, n int) []uint32 {
	c := NewDecoder(code, width, n)
	out := make([]uint32, n)
	for i := range out {
		if i%1000 == 999 {
			c.Restart()
		}
		out[i] = c.Code(0)
	}
	return out
}

// TestRoundTrip decodes what was encoded, in about as many bytes as it has information.
func TestRoundTrip(t *testing.T) {
	for _, test := range []struct{ n, m, width, odd, most int }{
		{0, 1, 0, 1, 0}, {1, 2, 1, 1, 2}, {5000, 1, 0, 1, 0}, {5000, 17, 5, 1, 2900}, {20000, 17, 5, 50, 1900},
		{20000, 100, 7, 1, 18800}, {3000, 1 << 31, 32, 1, 13500},
	} {
		in := walk(rand.New(rand.NewPCG(1, uint64(test.n))), test.n, test.m, test.odd)
		code := encode(in, test.width)
		for i, s := range decode(code, test.width, len(in)) {
			if s != in[i] {
				t.Fatalf("%+v: symbol %d is %d instead of %d", test, i, s, in[i])
			}
		}
		if len(code) > test.most {
			t.Errorf("%+v: %d bytes", test, len(code))
		}
	}
}

// FuzzDecode: any bytes give symbols, and those are coded again.
func FuzzDecode(f *testing.F) {
	const most = 640 // bits, so that a try does not take long
	f.Add([]byte{}, uint8(3))
	f.Add(encode(walk(rand.New(rand.NewPCG(1, 2)), most/4, 9, 5), 4), uint8(4))
	f.Fuzz(func(t *testing.T, code []byte, width uint8) {
		width %= 33
		in := decode(code, int(width), most/max(int(width), 3))
		for i, s := range decode(encode(in, int(width)), int(width), len(in)) {
			if s != in[i] {
				t.Fatalf("symbol %d is %d instead of %d", i, s, in[i])
			}
		}
	})
}

// FuzzBytes: any bytes come back, and any code stands for as many bytes as it says.
func FuzzBytes(f *testing.F) {
	f.Add([]byte("compressible compressible compressible"))
	f.Add([]byte{0, 0, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), 128)] // so that a try does not take long
		if got := DecodeBytes(EncodeBytes(b), len(b)); !bytes.Equal(got, b) {
			t.Errorf("%x comes back as %x", b, got)
		}
		if got := DecodeBytes(b, 32); len(got) != 32 {
			t.Errorf("%d bytes", len(got))
		}
	})
}
