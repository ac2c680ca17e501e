package comms

import (
	"slices"
	"testing"
)

func TestSpan(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000} {
		list := make([]int, n)
		for i := range list {
			list[i] = 5 + i
		}
		a, b := Span(5, n), NewMembers(list)
		if a.Len() != n || !slices.Equal(slices.Collect(a.All()), slices.Collect(b.All())) {
			t.Errorf("%d members: %v", n, slices.Collect(a.All()))
		}
		for i := range n {
			if a.At(i) != b.At(i) || a.Index(5+i) != i || !a.Contains(5+i) {
				t.Errorf("member %d of %d", i, n)
			}
		}
		if a.Contains(4) || a.Contains(5+n) {
			t.Errorf("%d members: others are contained", n)
		}
	}
}
