package collectives

import (
	"math"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// Where a file says that memory lies where there is none, places are unknown: sums of them would overflow.
func TestPlaces(t *testing.T) {
	for offset, known := range map[int64]bool{0: true, -8: true, 1 << 40: true, math.MaxInt64: false,
		math.MinInt64: false} {
		at := placeOf(archive.Value{Kind: archive.Addr, N: offset})
		if at != (Place{}) != known || known && at.Offset != offset {
			t.Errorf("%d is at %+v", offset, at)
		}
		b := base{Place{7, 16}, 8}
		if at := b.at(offset); at != (Place{}) != known || known && at != (Place{7, 16 + 8*offset}) {
			t.Errorf("displacement %d is at %+v", offset, at)
		}
	}
	b := base{Place{7, 16}, 1 << 40}
	if at := b.at(1 << 30); at != (Place{}) {
		t.Errorf("a displacement whose product overflows is at %+v", at)
	}
}
