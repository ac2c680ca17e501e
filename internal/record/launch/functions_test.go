package launch

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestBesideStacks(t *testing.T) {
	here, err := unix.Auxv()
	if err != nil {
		t.Fatal(err)
	}
	if err := besideStacks(here); err != nil {
		t.Errorf("here: %v", err)
	}
	for _, c := range []struct {
		stack uintptr
		ok    bool
	}{{0x7ffd1234_5678, true}, {0xffff_1234_5678, true}, {0x7f_1234_5678, false}, {0x3ff_1234_5678, false}} {
		if err := besideStacks([][2]uintptr{{6, 4096}, {25, c.stack}}); (err == nil) != c.ok {
			t.Errorf("stack at %#x: %v", c.stack, err)
		}
	}
}
