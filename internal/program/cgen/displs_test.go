package cgen

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// Displacements of collective calls may lead from one block to others, which lie elsewhere: the
// block is as long as they reach. Where they stay inside it has the recorded length.
func TestDisplacementsOutside(t *testing.T) {
	text, _ := generate(t, archivetest.Archive(t, `
abi mpich
rank 0 of 1 on node
MPI_Init()
tabard_segment(segment=0, kind=1, bytes=4096)
MPI_Bcast(buffer=heap#0, count=4096, datatype=MPI_BYTE, root=0, comm=MPI_COMM_WORLD) @ a.c:1 [main]
tabard_segment_end(segment=0)
tabard_segment(segment=0, kind=1, bytes=3)
MPI_Gatherv(sendbuf=stack#0, sendcount=3, sendtype=MPI_CHAR, recvbuf=heap#0, recvcounts=[3, 3], displs=[0, 32], recvtype=MPI_CHAR, root=0, comm=MPI_COMM_WORLD) @ a.c:2 [main]
tabard_segment_end(segment=0)
tabard_segment(segment=0, kind=1, bytes=24)
MPI_Gatherv(sendbuf=stack#0, sendcount=3, sendtype=MPI_INT, recvbuf=heap#0, recvcounts=[4, 2, 0], displs=[0, 4, 6], recvtype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ a.c:3 [main]
tabard_segment_end(segment=0)
MPI_Finalize()
`), Options{})
	checkSyntax(t, "displacements", text)
	var got []string
	for line := range strings.Lines(text) {
		if _, size, ok := strings.Cut(line, "heap[0] = memory("); ok {
			got = append(got, strings.TrimSuffix(strings.TrimSpace(size), ");"))
		}
	}
	if want := "4096 | 3 + 64 | 24"; strings.Join(got, " | ") != want {
		t.Errorf("%q instead of %q in\n%s", strings.Join(got, " | "), want, text)
	}
}
