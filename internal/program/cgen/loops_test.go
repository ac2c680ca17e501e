package cgen

import (
	"io"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// A loop is found by its iterations and by what it calls.
func TestLoops(t *testing.T) {
	long := ""
	for _, count := range []string{"4", "9", "5"} {
		long += "MPI_Bcast(buffer=stack#0, count=" + count + ", datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)\n" +
			"MPI_Barrier(comm=MPI_COMM_SELF)\n"
	}
	text := "abi mpich\nrank 0 of 1 on n\nMPI_Init()\n" + strings.Repeat("MPI_Barrier(comm=MPI_COMM_WORLD)\n", 7) +
		strings.Repeat(long, 5) + "MPI_Finalize()\n"
	a := archivetest.Archive(t, text)
	for _, x := range []struct {
		loop  *Loop
		found int
		has   string
	}{
		{nil, 0, ""}, {&Loop{Times: 7}, 1, "MPI_Barrier("}, {&Loop{Times: 7, Call: "MPI_Bcast"}, 0, ""},
		{&Loop{Times: 8}, 0, ""},
		{&Loop{Times: 5, Call: "MPI_Bcast"}, 1, ""},
	} {
		r, err := Generate(a, io.Discard, Options{Loop: x.loop})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Loops) != x.found || x.found > 0 && (!strings.HasPrefix(r.Loops[0], "for (long ") ||
			!strings.Contains(r.Loops[0], x.has)) {
			t.Errorf("%+v: %q", x.loop, r.Loops)
		}
	}
}
