package loops

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/nest"
)

func TestGroupSize(t *testing.T) {
	for _, c := range []struct {
		counts []uint64
		size   uint64
		clear  bool
	}{
		{[]uint64{50, 50, 50}, 50, false}, {[]uint64{0, 50, 50}, 50, true}, {[]uint64{50, 50, 0}, 50, true},
		{[]uint64{50, 50, 25}, 50, true}, {[]uint64{50, 50, 25, 0}, 50, true}, {[]uint64{0, 20, 50, 50, 30}, 50, true},
		{[]uint64{20, 50}, 50, true}, {[]uint64{50, 0, 50}, 0, false}, {[]uint64{50, 20, 50}, 0, false},
		{[]uint64{20, 20, 50}, 0, false}, {[]uint64{50, 50, 25, 25}, 0, false}, {[]uint64{50, 25, 0, 50}, 0, false},
		{[]uint64{1, 3, 2, 4, 1}, 0, false},
	} {
		counts := nest.Constant(c.counts[0], 1)
		for _, v := range c.counts[1:] {
			counts = counts.Cat(nest.Constant(v, 1))
		}
		if size, clear := groupSize(counts); size != c.size || clear != c.clear {
			t.Errorf("%v: %d, %t", c.counts, size, clear)
		}
	}
}
