package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
)

// Parameters in columns are compared where their calls are few among many, also if the calls around
// them differ.
func TestFewColumns(t *testing.T) {
	program := func(before, after int, counts ...int) string {
		var b strings.Builder
		b.WriteString("abi mpich\n")
		for r := range 3 {
			fmt.Fprintf(&b, "rank %d of 3 on n\nMPI_Init() @ s.c:1 [main]\nloop %d\n"+
				"MPI_Barrier(comm=MPI_COMM_WORLD) @ s.c:2 [main]\nend\n", r, before)
			for i, n := range counts {
				if r == 1 && i == 1 && n == 0 {
					n = 77
				}
				fmt.Fprintf(&b, "MPI_Bcast(count=?%d, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ s.c:3 [main]\n",
					n)
			}
			fmt.Fprintf(&b, "loop %d\nMPI_Barrier(comm=MPI_COMM_WORLD) @ s.c:4 [main]\n"+
				"MPI_Bcast(count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ s.c:5 [main]\nend\n"+
				"MPI_Finalize() @ s.c:6 [main]\n", after)
		}
		return b.String()
	}
	const count = " MPI_Bcast s.c:3 [main] count "
	for _, c := range []struct {
		b    string
		want []string
	}{
		{program(3000, 2000, 5, 6, 9), nil},
		{program(3001, 2000, 5, 6, 9), []string{"loop 0-2 MPI_Barrier s.c:2 [main]  3000 3001 1/0"}},
		{program(3000, 2000, 5, 8, 9), []string{"parameter 0-2" + count + "6 8 1/3 []"}},
		{program(3000, 2000, 5, 0, 9), []string{"parameter 1" + count + "6 77 1/3 []", "parameter 0-2:2" + count +
			"6 0 1/3 []"}},
		{program(3001, 1999, 5, 6, 7), []string{"parameter 0-2" + count + "9 7 1/3 []",
			"loop 0-2 MPI_Barrier s.c:2 [main]  3000 3001 1/0",
			"loop 0-2 MPI_Barrier s.c:4 [main]  2000 1999 1/0 step"}},
	} {
		// far fewer than there are
		for _, o := range []diff.Options{{Structure: true, Parameters: true}, {Structure: true, Parameters: true,
			Calls: 400}} {
			var got []string
			for _, d := range with(t, program(3000, 2000, 5, 6, 9), c.b, o).Differences {
				got = append(got, text(d))
			}
			if fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(c.want)) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		}
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
