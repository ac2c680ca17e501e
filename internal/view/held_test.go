package view

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/view/api"
)

// What takes a lot of memory is held until somebody agrees to it; all else is not.
func TestHeld(t *testing.T) {
	s, err := New(archivetest.Archive(t, "rank 0 of 1 on n\n0+10 MPI_Init()\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		threads uint64
		path    string
		code    int
		held    bool
	}{
		{1, "report", 200, false}, {1, "report?heavy=1", 200, false}, {1 << 17, "report", 202, true},
		{1 << 17, "waits?kind=late+sender", 202, true}, {1 << 17, "report?heavy=1", 200, false},
		{1 << 17, "steps", 200, false}, {1 << 17, "steps?heavy=1", 400, false},
	} {
		s.burden.threads = c.threads
		w := ask(t.Context(), s, c.path)
		var p api.Pending
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != c.code || p.Held != c.held {
			t.Errorf("%d threads, %s: code %d: %s (%v)", c.threads, c.path, w.Code, w.Body, err)
		}
		if c.held && !strings.Contains(p.What, "3.3 GB") {
			t.Errorf("it is said to take: %s", p.What)
		}
	}
}
