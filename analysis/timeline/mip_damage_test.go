package timeline

import (
	"math"
	"testing"
)

// TestMipOfAnyTimes: blocks of a damaged file end before they begin, or take longer than there are numbers for.
func TestMipOfAnyTimes(t *testing.T) {
	for _, c := range [][2]int64{{0, 0}, {5, 3}, {math.MaxInt64, math.MinInt64}, {math.MinInt64, math.MaxInt64}} {
		m, cells := newMip(c[0], c[1])
		if len(cells) == 0 || len(cells) > mipBins+1 {
			t.Errorf("%v: %d bins", c, len(cells))
		}
		m.pack(cells)
	}
}
