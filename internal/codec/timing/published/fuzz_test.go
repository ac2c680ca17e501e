package published

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
)

// fromBytes makes values of all sizes, and classes, from what the fuzzer has.
func fromBytes(in []byte) (values []uint64, classes []uint32) {
	for len(in) >= 3 && len(values) < 300 {
		shift := in[0] % 64
		values = append(values, (1<<63|uint64(binary.LittleEndian.Uint16(in[1:]))<<40)>>shift)
		classes = append(classes, uint32(in[0]>>6)*7)
		in = in[3:]
	}
	return values, classes
}

func FuzzRoundTrip(f *testing.F) {
	f.Add(uint8(0), uint8(0), []byte{})
	f.Add(uint8(1), uint8(2), []byte{50, 1, 2, 51, 3, 4, 63, 9, 9, 0, 255, 255})
	f.Fuzz(func(t *testing.T, method, which uint8, in []byte) {
		name := Names()[int(method)%len(methods)]
		all := paramsOf(name)
		c, err := New(name, all[int(which)%len(all)])
		if err != nil {
			t.Fatal(err)
		}
		values, classes := fromBytes(in)
		checkSeries(t, c, &series{values: values, classes: classes})
	})
}

// FuzzDecode gives decoders anything: they may fail, but with an Error.
func FuzzDecode(f *testing.F) {
	for i, name := range Names() {
		c, err := New(name, paramsOf(name)[0])
		if err != nil {
			f.Fatal(err)
		}
		for _, n := range []int{1, 30, 300} {
			values, classes := randomValues(n)
			f.Add(uint8(i), uint16(n), c.Append(nil, values, classes))
		}
	}
	f.Fuzz(func(t *testing.T, method uint8, n uint16, in []byte) {
		c := &Codec{method: methods[int(method)%len(methods)]}
		_, classes := randomValues(int(n))
		var broken *Error
		if err := c.Decode(in, make([]uint64, n), classes); err != nil && !errors.As(err, &broken) {
			t.Fatalf("not the error of a broken encoding: %v", err)
		}
	})
}

func randomValues(n int) (values []uint64, classes []uint32) {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	for range n {
		class := uint32(r.IntN(5))
		classes = append(classes, class)
		values = append(values, uint64(100*(class+1))+r.Uint64N(50))
	}
	return values, classes
}

// TestDamage decodes encodings with bytes changed: no panic, and memory in proportion.
func TestDamage(t *testing.T) {
	const n = 600
	r := rand.New(rand.NewPCG(5, 6))
	values, classes := randomValues(n)
	for _, name := range Names() {
		for _, params := range paramsOf(name) {
			c, err := New(name, params)
			if err != nil {
				t.Fatal(err)
			}
			good := c.Append(nil, values, classes)
			got := make([]uint64, n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			const tries = 300
			for range tries {
				bad := append([]byte(nil), good...)
				for range 1 + r.IntN(3) {
					bad[r.IntN(len(bad))] = byte(r.Uint32())
				}
				// The result tells nothing: some changes are of values only.
				var broken *Error
				if err := c.Decode(bad, got, classes); err != nil && !errors.As(err, &broken) {
					t.Fatalf("not the error of a broken encoding: %v", err)
				}
			}
			runtime.ReadMemStats(&after)
			if per := (after.TotalAlloc - before.TotalAlloc) / tries; per > 4<<20 {
				t.Errorf("%s: %d bytes allocated for %d values", name, per, n)
			}
		}
	}
}
