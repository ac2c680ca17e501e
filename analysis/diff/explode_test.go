package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
)

// exploding is the program explode of 4 ranks: from a step on, rank 2 sends a thousand times as much.
func exploding(from int) string {
	var b strings.Builder
	b.WriteString("abi openmpi\nnotiming\n")
	const ranks, base = 4, 200
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on n\nMPI_Init() @ e.c:6 [main]\n", r, ranks)
		to, peer := (r+1)%ranks, (r+ranks-1)%ranks
		for i := range 100 {
			size := func(rank int) int {
				if i >= from && rank == 2 {
					return base * 1000
				}
				return base + i%7
			}
			fmt.Fprintf(&b, "MPI_Sendrecv(sendcount=%d, sendtype=MPI_DOUBLE, dest=%d, sendtag=2, recvcount=%d, "+
				"recvtype=MPI_DOUBLE, source=%d, recvtag=2, comm=MPI_COMM_WORLD) @ e.c:12 [main]\n", size(r), to,
				size(peer), peer)
			b.WriteString("MPI_Barrier(comm=MPI_COMM_WORLD) @ e.c:14 [main]\n")
		}
		b.WriteString("MPI_Finalize() @ e.c:16 [main]\n")
	}
	return b.String()
}

// Values that vary before and after do not hide when a parameter began to differ, nor how often it
// does: each time the same answer.
func TestFirstOfManyValues(t *testing.T) {
	a, b := exploding(1000), exploding(60)
	for range 12 {
		r := compareTexts(t, a, b)
		if len(r.Differences) != 2 {
			t.Fatalf("%d differences: %v", len(r.Differences), r.Differences)
		}
		for i, want := range []struct {
			rank  int
			param string
		}{{2, "sendcount"}, {3, "recvcount"}} {
			d := r.Differences[i]
			if d.Kind != diff.Parameter || d.Ranks.Min() != want.rank || d.Ranks.Len() != 1 || d.Param != want.param {
				t.Fatalf("difference %d is %s at ranks %v", i+1, d.Param, d.Ranks)
			}
			if d.Count != 40 || d.Of != 100 || d.A != "204" || d.B != "200000" || !d.FromThereOn {
				t.Errorf("%s: %d of %d, %s to %s, from there on: %v", d.Param, d.Count, d.Of, d.A, d.B, d.FromThereOn)
			}
			if len(d.Places) != 1 || d.Places[0].Iteration != 60 || d.Places[0].Iterations != 100 {
				t.Errorf("%s: first in %+v, want iteration 60 of 100", d.Param, d.Places)
			}
		}
	}
}
