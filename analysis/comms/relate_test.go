package comms_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/merge"
)

// rows is a grid of processes in which each sends to a random-looking neighbour of its
// row, whose communicator numbers ranks backwards.
func rows(p, q int) string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	for r := range p * q {
		row, at := r/q, q-1-r%q
		fmt.Fprintf(&b, `rank %d of %d on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=%d) @ r.c:1 [main] ; newcomm=comm#0
loop 3
  MPI_Send(count=8, dest=%d, tag=1, comm=comm#0) @ r.c:5 [main]
  MPI_Recv(count=8, source=%d, tag=1, comm=comm#0) @ r.c:6 [main]
end
`, r, p*q, (row*7+3)%11, at, (at+1)%q, (at+q-1)%q)
	}
	return b.String()
}

func TestRelate(t *testing.T) {
	sizes := [2]int{}
	var calls [2][]string
	for i := range 2 {
		p, err := merge.FromArchive(archivetest.Archive(t, rows(9, 7)))
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := comms.Relate(p); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		a, err := archive.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		sizes[i] = int(a.Stats().Structure)
		for s := range a.Streams() {
			for c, err := range s.Iter(0) {
				if err != nil {
					t.Fatal(err)
				}
				calls[i] = append(calls[i], c.Format())
			}
		}
	}
	if strings.Join(calls[0], "\n") != strings.Join(calls[1], "\n") {
		t.Error("the calls differ")
	}
	if sizes[1] >= sizes[0] {
		t.Errorf("structure takes %d bytes relative to the rows, %d without", sizes[1], sizes[0])
	}
}
