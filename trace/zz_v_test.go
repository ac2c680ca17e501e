package trace_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tabard/trace/tracetest"
)

func TestVList(t *testing.T) {
	for _, x := range []string{"[]", "()", "[1, 2]", "(1, 2)", "\"x\"", "{source=1 tag=2 bytes=3}"} {
		rng := rand.New(rand.NewPCG(1, 2))
		d := strings.Builder{}
		for r := range 2 {
			fmt.Fprintf(&d, "rank %d of 2 on n\n", r)
			for range 400 {
				c := rng.IntN(1000)
				fmt.Fprintf(&d, "MPI_Send(count=?%d, dest=%s, tag=?%d, comm=%s)\nMPI_Send(count=?%d, dest=1, tag=5, comm=MPI_COMM_WORLD)\n", c, x, c%7, x, 3*c)
				fmt.Fprintf(&d, "MPI_Waitall(count=1, array_of_requests=%s) ; array_of_statuses=%s\n", x, x)
				fmt.Fprintf(&d, "MPI_Waitany(count=1, array_of_requests=[request#1]) ; index=%s ; status=%s\n", x, x)
				fmt.Fprintf(&d, "MPI_Waitsome(incount=1, array_of_requests=[request#1]) ; outcount=1 ; array_of_indices=%s ; array_of_statuses=[%s]\n", x, x)
			}
		}
		func() {
			defer func() {
				if e := recover(); e != nil {
					t.Errorf("%s: %v", x, e)
				}
			}()
			b, err := func() (b []byte, err error) { a := tracetest.Bytes(t, d.String()); return a, nil }()
			_ = err
			a := tracetest.Open(t, b)
			t.Log(x, bundles(a))
			lines(t, a)
		}()
	}
}
