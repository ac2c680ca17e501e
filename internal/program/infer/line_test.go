package infer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program/infer"
)

// line is a recording of ranks on a line, that send to those beside them in a loop, left first or
// right first.
func line(ranks int, moves ...int) string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init(argc=0) @ a.c:1 [main]\n", r, ranks)
		for _, by := range moves {
			if to := r + by; to >= 0 && to < ranks {
				fmt.Fprintf(&b, "MPI_Sendrecv(sendbuf=heap#0, sendcount=1, sendtype=MPI_INT, dest=%d, sendtag=1, "+
					"recvbuf=heap#0+64, recvcount=1, recvtype=MPI_INT, source=%[1]d, recvtag=1, "+
					"comm=MPI_COMM_WORLD) @ a.c:5 [f]\n",
					to)
			}
		}
		b.WriteString("MPI_Finalize() @ a.c:9 [main]\n")
	}
	return b.String()
}

// Neighbours on a line are not taken for those on a grid with short rows, which they are, too, for
// some numbers of ranks.
func TestLine(t *testing.T) {
	for _, ranks := range []int{4, 5, 6, 8, 9, 12} {
		for _, moves := range [][]int{{-1, 1}, {1, -1}} {
			m, err := infer.Infer(content(t, archivetest.Archive(t, line(ranks, moves...))), infer.Options{})
			if err != nil {
				t.Errorf("%d ranks, %v: %v", ranks, moves, err)
				continue
			}
			for _, size := range []int{7, 16} {
				c, err := m.At(size)
				if err != nil {
					t.Errorf("%d ranks, %v: %v", ranks, moves, err)
					continue
				}
				check(t, opened(t, c), archivetest.Archive(t, line(size, moves...)))
			}
			if t.Failed() {
				t.Fatalf("%d ranks, %v:\n%s", ranks, moves, m)
			}
		}
	}
}
