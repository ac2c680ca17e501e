package infer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program/infer"
)

// Everybody receives from everybody in an order that follows no rule, and ignores the statuses.
func ignoring(ranks int, told bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "abi openmpi\ncommand ./app\n")
	order := 1
	status := func(array bool) string {
		order = order * 48271 % 2147483647
		text := fmt.Sprintf("{source=%d tag=1 bytes=4}", order%ranks)
		switch {
		case !told:
			return ""
		case array:
			return " ; array_of_statuses=ignored[" + text + ", {source=-1 tag=-1 bytes=0}]"
		}
		return " ; status=ignored" + text
	}
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init() @ a.c:1 [main]\n", r, ranks)
		for range 40 {
			fmt.Fprintf(&b, "MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:2 [main]\n",
				(r+1)%ranks)
			fmt.Fprintf(&b, "MPI_Recv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, "+
				"comm=MPI_COMM_WORLD) @ a.c:3 [main]%s\n", status(false))
			fmt.Fprintf(&b, "MPI_Irecv(count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, "+
				"comm=MPI_COMM_WORLD) @ a.c:4 [main] ; request=request#0\n")
			fmt.Fprintf(&b, "MPI_Isend(count=1, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:5 "+
				"[main] ; request=request#1\n", (r+1)%ranks)
			fmt.Fprintf(&b, "MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) @ a.c:6 [main]%s\n",
				status(true))
		}
		fmt.Fprintf(&b, "MPI_Finalize() @ a.c:7 [main]\n")
	}
	return b.String()
}

// What a program ignored is no obstacle: a job of another size is as if it had not been recorded.
func TestIgnoredStatuses(t *testing.T) {
	c, _, err := infer.Of(content(t, archivetest.Archive(t, ignoring(6, true))), 40, infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, opened(t, c), archivetest.Archive(t, ignoring(40, false)))
}

// What clocks show is no obstacle, whether it is a column or a value in the signature.
func TestClocks(t *testing.T) {
	timed := func(ranks int, told bool) string {
		var b strings.Builder
		fmt.Fprintf(&b, "abi openmpi\ncommand ./app\n")
		clock := func(r, i int) string {
			if !told {
				return ""
			}
			return fmt.Sprintf(" ; return=%v", 1000.125*float64(i+1)+0.37*float64(r*r))
		}
		for r := range ranks {
			fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init() @ a.c:1 [main]\n", r, ranks)
			fmt.Fprintf(&b, "MPI_Wtick() @ a.c:2 [main]%s\n", clock(r, -1))
			for i := range 5 {
				fmt.Fprintf(&b, "MPI_Wtime() @ a.c:3 [main]%s\nMPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:4 [main]\n",
					clock(r, i))
			}
			fmt.Fprintf(&b, "MPI_Finalize() @ a.c:7 [main]\n")
		}
		return b.String()
	}
	c, _, err := infer.Of(content(t, archivetest.Archive(t, timed(4, true))), 9, infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, opened(t, c), archivetest.Archive(t, timed(9, false)))
}
