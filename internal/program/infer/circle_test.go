package infer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program/infer"
)

// pairing is a program in which every fourth rank sends to the right before it receives, the others receive first.
func pairing(ranks, steps int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "abi openmpi\ncommand ./app\n")
	for r := range ranks {
		send := fmt.Sprintf("MPI_Send(count=1, datatype=MPI_INT, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:2 [main]\n",
			(r+1)%ranks)
		recv := fmt.Sprintf("MPI_Recv(count=1, datatype=MPI_INT, source=%d, tag=1, comm=MPI_COMM_WORLD) @ a.c:3 [main]\n",
			(r+ranks-1)%ranks)
		if r%4 != 3 {
			send, recv = recv, send
		}
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init() @ a.c:1 [main]\nloop %d\n%s%send\nMPI_Finalize() @ a.c:4 "+
			"[main]\n",
			r, ranks, steps, send, recv)
	}
	return b.String()
}

// A job in which calls would wait for each other in a circle is refused, though all messages have both ends; so it is
// if a smaller one has to stand for it.
func TestCircle(t *testing.T) {
	for _, x := range []struct {
		to, steps int
		refused   bool
	}{{8, 10, false}, {3, 10, true}, {3, 30_000, true}} {
		_, m, err := infer.Of(content(t, archivetest.Archive(t, pairing(16, x.steps))), x.to, infer.Options{})
		var obstacles *infer.Obstacles
		refused := errors.As(err, &obstacles)
		if refused != x.refused || err != nil && !refused ||
			refused && !strings.Contains(err.Error(), "waits in MPI_Recv for process") {
			t.Errorf("%d ranks, %d steps: %v\n%v", x.to, x.steps, err, m)
		}
	}
}
