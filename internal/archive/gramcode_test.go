package archive

import (
	"math"
	"reflect"
	"testing"

	"github.com/tabard-hpc/tabard/internal/codec/byteio"
)

// sizes of communicators around where numbers relative to them begin.
var sizes = []int{-1, 0, 1, 2, 3, 63, 64, 65, 66, 126, 127, 128, 129, 130, 131, 132, 255, 4096, 1 << 20, math.MaxInt32}

func TestNumbersRelativeToTheSize(t *testing.T) {
	for _, size := range sizes {
		n := int64(size)
		for _, v := range []int64{0, 1, 2, -1, -2, -3, -4, -5, 62, 63, 64, 65, n - 2, n - 1, n, n + 1, math.MinInt64,
			math.MaxInt64} {
			x := swapSize(v, size)
			if back := swapSize(x, size); back != v {
				t.Errorf("size %d: %d is %d, which is %d", size, v, x, back)
			}
			if short := byteio.Zigzag(x) < 128; size > 0 && (v == n || v == n-1) && !short {
				t.Errorf("size %d: %d is %d", size, v, x)
			}
		}
	}
}

func TestExponentsRelativeToTheSize(t *testing.T) {
	for _, size := range sizes {
		var want []Symbol
		for _, v := range []int{0, 2, 3, 126, 127, 128, 129, 130, size - 2, size - 1, size, size + 1, math.MaxInt64} {
			if v < 0 || v == 1 {
				continue
			}
			x := swapExponent(uint64(v), size)
			if x == 1 || (x == 0) != (v == 0) || swapExponent(x, size) != uint64(v) {
				t.Errorf("size %d: %d is %d, which is %d", size, v, x, swapExponent(x, size))
			}
			if (v == size || v == size-1) && x > lastShort+1 {
				t.Errorf("size %d: %d is %d", size, v, x)
			}
			want = append(want, Symbol{ID: 0, Count: uint64(v)})
		}
		want = append(want, Symbol{ID: 0, Count: math.MaxUint64})
		b, _, err := appendGrammar(nil, &Grammar{Rules: [][]Symbol{want}}, size)
		if err != nil {
			t.Fatal(err)
		}
		d := decode(b, "", 0)
		g := parseGrammar(d, &items{}, size, 100)
		if err := d.end(); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(g.Rules, [][]Symbol{want}) {
			t.Errorf("size %d: %v, want %v", size, g.Rules, want)
		}
	}
}
