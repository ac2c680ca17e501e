package infer

import (
	"fmt"
	"testing"
)

// TestAssumed puts together what is assumed in several places.
func TestAssumed(t *testing.T) {
	got := assumed(map[assumption]bool{
		{"it is a grid", ""}: true, {"c rests on few values", "B, count"}: true, {"c rests on few values", "A, count"}: true,
		{"d rests on few values", "A, count"}: true,
	})
	want := "[A, count: d rests on few values c rests on few values (2 times, such as A, count) it is a grid]"
	if text := fmt.Sprint(got); text != want {
		t.Errorf("%s, not %s", text, want)
	}
	if w := got[1].Where; len(w) != 2 || w[1] != "B, count" {
		t.Errorf("%q", w)
	}
}
