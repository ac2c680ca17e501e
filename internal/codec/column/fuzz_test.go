package column

import (
	"encoding/binary"
	"math/rand"
	"slices"
	"testing"
)

// FuzzBuilder reads its input as a program: an operation byte, then a value.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte{0, 5, 1, 9, 2, 200, 3, 7, 4, 0, 2, 255})
	f.Add([]byte{3, 1, 3, 2, 3, 9, 5, 50, 5, 250, 0, 1, 4, 0, 5, 90})
	f.Fuzz(func(t *testing.T, program []byte) {
		var vals []int64
		b := NewBuilder()
		add := func(v int64) {
			vals = append(vals, v)
			b.Append(v)
		}
		for ; len(program) > 1 && len(vals) < 20000; program = program[2:] {
			last := int64(0)
			if len(vals) > 0 {
				last = vals[len(vals)-1]
			}
			x := int64(program[1])
			switch program[0] % 7 {
			case 0:
				add(x)
			case 1:
				add(last*1_000_003 + x<<32)
			case 2:
				for i := range 8 * x {
					add(last + (i+1)*(x&7-3))
				}
			case 3:
				add(last ^ 1<<(x&63))
			case 4:
				var err error
				if b, err = Restore(b.Encode(nil)); err != nil {
					t.Fatal(err)
				}
			case 5: // repeat the latest values, moved
				n := min(len(vals), int(x%50))
				for _, v := range slices.Clone(vals[len(vals)-n:]) {
					add(v + x>>6)
				}
			case 6: // ramps
				for i := range 20 * x {
					add(last + i%(8+x&31) + x>>7*(i/(8+x&31)))
				}
			}
		}
		if b.Len() != uint64(len(vals)) {
			t.Fatalf("length %d, want %d", b.Len(), len(vals))
		}
		checkReader(t, rand.New(rand.NewSource(1)), b.Encode(nil), vals)
	})
}

// read uses an encoding that may be damaged in all ways; it must not panic. If
// the encoding is good, so must be what a restored builder makes of it.
func read(t *testing.T, in []byte) (good bool) {
	r, err := Open(in)
	if err != nil {
		return false
	}
	n := min(r.Len(), 1<<16)
	vals := make([]int64, n)
	if got := r.Read(0, vals); got != int(n) {
		t.Fatalf("read %d of %d values", got, n)
	}
	for _, i := range []uint64{0, n / 2, r.Len() - 1, r.Len(), r.Len() / 3} {
		if v := r.At(i); i < n && v != vals[i] {
			t.Fatalf("At(%d) = %d, Read gives %d", i, v, vals[i])
		}
	}
	b, err := Restore(in)
	if r.Check() != nil {
		return false
	}
	if err != nil {
		t.Fatalf("good, but cannot be restored: %v", err)
	}
	b.Append(12345)
	if b.Len() != r.Len()+1 && r.Len()+1 != 0 {
		t.Fatalf("restored with %d values, want %d", b.Len(), r.Len()+1)
	}
	again, err := Open(b.Encode(nil))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vals {
		if got := again.At(uint64(i)); got != v {
			t.Fatalf("restored value %d is %d, was %d", i, got, v)
		}
	}
	return true
}

func FuzzOpen(f *testing.F) {
	rng := rand.New(rand.NewSource(1))
	for range 30 {
		f.Add(build(streams(rng, 1+rng.Intn(300))).Encode(nil))
	}
	f.Add([]byte{100, segmentHigh, 49, 20, 3, 2, 1, segmentHigh | segmentToEnd, 9, 1, 2, 3})
	f.Add([]byte{9, segmentHigh | segmentToEnd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 2, 2})
	f.Fuzz(func(t *testing.T, in []byte) { read(t, in) })
}

// FuzzBlock decodes its input as a block of as many values as its first bytes tell.
func FuzzBlock(f *testing.F) {
	rng := rand.New(rand.NewSource(1))
	for range 30 {
		vals := streams(rng, 1+rng.Intn(1000))
		vals = vals[:min(len(vals), maxBlock)]
		sc := scratches.New().(*scratch)
		f.Add(sc.appendBlock(binary.LittleEndian.AppendUint16(nil, uint16(len(vals))), vals))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) < 2 {
			return
		}
		n := uint64(binary.LittleEndian.Uint16(in))%maxBlock + 1
		enc := append(binary.AppendUvarint(nil, n), segmentBlock|segmentToEnd)
		read(t, append(enc, in[2:]...))
	})
}

// damage changes enc somewhere.
func damage(rng *rand.Rand, enc []byte) []byte {
	for range 1 + rng.Intn(3) {
		i, j := rng.Intn(len(enc)), rng.Intn(len(enc))
		switch rng.Intn(4) {
		case 0:
			enc[i] ^= 1 << rng.Intn(8)
		case 1:
			enc[i] = byte(rng.Int())
		case 2:
			enc = append(enc[:max(1, i):i+1], enc[j:]...)
		case 3:
			copy(enc[i:], enc[j:])
		}
	}
	return enc
}

func TestDamagedInput(t *testing.T) {
	rng := rand.New(rand.NewSource(6))
	const rounds = 6000
	good := 0
	for range rounds {
		n := 1 + rng.Intn(1<<rng.Intn(12))
		if read(t, damage(rng, build(streams(rng, n)).Encode(nil))) {
			good++
		}
	}
	if good == 0 || good == rounds {
		t.Errorf("%d of %d damaged encodings can be read: nothing was tested", good, rounds)
	}
}
