package ring

import (
	"slices"
	"testing"
)

// A record finds its definition, also after a restart, and never an older one in its place.
func TestDefs(t *testing.T) {
	var d Defs
	define := func(number uint64, body ...uint64) {
		t.Helper()
		if _, err := d.Define(append([]uint64{number, 77, 5}, body...)); err != nil {
			t.Fatal(err)
		}
	}
	ref := func(number uint64, returned ...uint64) Record {
		n := uint64(RefWords + len(returned))
		return append(Record{77 | FRef<<16 | n<<32, 10, 20, number | 3<<32}, returned...)
	}
	define(0, 1, 2)
	define(1, 9)
	define(DefMax, 4) // numbers began anew
	want := Record{77 | 7<<32, 10, 20, 5, 3 << 32, 4, 8}
	for range 2 {
		if r, err := d.Expand(ref(DefMax, 8)); err != nil || !slices.Equal(r, want) {
			t.Fatalf("%v, %v", r, err)
		}
		for _, number := range []uint64{0, 2, DefMax + 1, 2 * DefMax} {
			if r, err := d.Expand(ref(number, 8)); err == nil {
				t.Errorf("definition %d: %v", number, r)
			}
		}
		again, rest, err := RestoreDefs(d.Append(nil))
		if err != nil || len(rest) != 0 {
			t.Fatal(err)
		}
		d = *again
	}
	if _, _, err := RestoreDefs([]byte{3, 1}); err == nil {
		t.Error("definitions cut off were accepted")
	}
}
