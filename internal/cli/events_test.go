package cli

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/spec"
)

// TestEvents: kinds are chosen by their names, which may come in several lists; others are refused, each in its way.
func TestEvents(t *testing.T) {
	l := eventList{kinds: defaultEvents()}
	if l.off()&1 != 0 || l.hidden(spec.FirstFunction) ||
		l.String() != strings.Join(eventNames()[:strings.Count(l.String(), ",")+1], ",") {
		t.Errorf("by default %q, off %#x", l.String(), l.off())
	}
	if err := l.Set("mpi"); err != nil || l.kinds != 1 {
		t.Errorf("%#x, %v", l.kinds, err)
	}
	for name, want := range map[string]string{"mpii": "did you mean mpi?", "": "there are mpi",
		"no such thing": "there are mpi"} {
		if err := l.Set(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	for i, k := range spec.EventKinds {
		err := new(eventList).Set(k.Name)
		if (err == nil) != k.Built || err != nil && !strings.Contains(err.Error(), "cannot record "+k.Name) {
			t.Errorf("%s (%d): %v", k.Name, i, err)
		}
	}
	if other := (eventList{kinds: 2}); !other.hidden(spec.FirstFunction) || other.off()&1 != 0 {
		t.Error("calls of MPI are not hidden, or not recorded at all")
	}
}
