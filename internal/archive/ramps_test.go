package archive_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// TestRamps has ranks that receive in each step from the ranks after theirs, all but some: how
// many, and from whom, is a function of the rank, and the file does not depend on how many ranks
// and steps there are.
func TestRamps(t *testing.T) {
	const ranks, steps, few = 300, 6, 9
	source := func(r, i int) int { return r + 1 + 2*i }
	n := func(r int) int { return ranks - 1 - 4*r }
	var desc strings.Builder
	desc.WriteString("notiming\npartial\n")
	for r := range few {
		fmt.Fprintf(&desc, "rank %d of %d on node\nMPI_Init()\n", r, ranks)
		for range steps {
			for i := range n(r) {
				fmt.Fprintf(&desc, "MPI_Recv(source=?%d, tag=1, comm=MPI_COMM_WORLD)\n", source(r, i))
			}
			desc.WriteString("MPI_Barrier(comm=MPI_COMM_WORLD)\n")
		}
	}
	b := archivetest.Bytes(t, desc.String())
	a := archivetest.Open(t, b)
	if err := archive.Validate(a); err != nil {
		t.Fatal(err)
	}
	if s := a.Stats(); len(a.Classes()) != 1 || s.Columns != 0 || s.Structure > 250 {
		t.Errorf("%d classes, %d bytes of structure, %d of columns", len(a.Classes()), s.Structure, s.Columns)
	}
	for r := range few {
		s, at := a.Stream(r), 0
		if want := uint64(1 + steps*(n(r)+1)); s.Calls() != want {
			t.Fatalf("rank %d: %d calls, want %d", r, s.Calls(), want)
		}
		for c, err := range s.Iter(1) {
			if err != nil {
				t.Fatal(err)
			}
			i := at % (n(r) + 1)
			at++
			if v, ok := c.In("source"); i < n(r) && (!ok || v.N != int64(source(r, i))) {
				t.Fatalf("rank %d, call %d: %v, want source %d", r, at, c, source(r, i))
			}
		}
	}
	twin := text(t, a)
	var back bytes.Buffer
	if err := archive.ParseText(&back, strings.NewReader(twin)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(back.Bytes(), b) {
		t.Errorf("the text twin gives another file:\n%s", twin)
	}
	// A period of nothing at some ranks is broken, and says so when it is read.
	period := fmt.Sprintf(" value %d:%d:%d ", n(0), n(1)-n(0), few)
	if strings.Count(twin, period) != 1 {
		t.Fatalf("no %q in\n%s", period, twin)
	}
	var broken bytes.Buffer
	if err := archive.ParseText(&broken, strings.NewReader(strings.Replace(twin, period, " value 0*9 ",
		1))); err == nil {
		if err := archivetest.ReadAll(archivetest.Open(t, broken.Bytes()), 1<<20); err == nil {
			t.Error("periods of nothing are read")
		}
	}
}
