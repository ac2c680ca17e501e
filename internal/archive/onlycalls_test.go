package archive_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// The calls of some terminals are those that there are among all calls, with values from columns;
// polls count once.
func TestOnly(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 2 on node
MPI_Init()
loop 3
  MPI_Send(buf=heap#0, count=?3, datatype=MPI_INT, dest=1, tag=7, comm=MPI_COMM_WORLD) @ a.c:6 [work]
  loop 2
    poll 4 MPI_Test(request=request#0) @ a.c:5 [work] ; flag=0
    MPI_Alltoallv(sendbuf=heap#0, sendcounts=?[1, 2], sdispls=[0, 1], sendtype=MPI_INT, recvbuf=heap#1, recvcounts=[1, 1], rdispls=[0, 1], recvtype=MPI_INT, comm=MPI_COMM_WORLD) @ a.c:7 [work]
  end
  MPI_Send(buf=heap#0, count=?5, datatype=MPI_INT, dest=1, tag=7, comm=MPI_COMM_WORLD) @ a.c:6 [work]
  MPI_Barrier(comm=MPI_COMM_WORLD)
end
MPI_Finalize()
`)
	s := a.Stream(0)
	for _, names := range [][]string{{"MPI_Send"}, {"MPI_Test", "MPI_Alltoallv"}, {"MPI_Barrier"},
		{"MPI_Init", "MPI_Finalize"}, {}} {
		wanted := map[string]bool{}
		for _, n := range names {
			wanted[n] = true
		}
		type call struct {
			terminal uint32
			slots    []archive.Value
		}
		var got, want []call
		polled := false
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			poll := c.Flags&archive.Polls != 0
			if wanted[c.Func.Name] && !(poll && polled) {
				want = append(want, call{c.Terminal, c.Clone().Slots})
			}
			polled = poll
		}
		sigs, err := s.Signatures()
		if err != nil {
			t.Fatal(err)
		}
		for c, err := range archive.Only(s, func(t uint32) bool { return wanted[spec.ByID(sigs[t].Func).Name] }) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, call{c.Terminal, c.Clone().Slots})
		}
		if !reflect.DeepEqual(got, want) || len(got) == 0 && len(names) > 0 {
			t.Errorf("%v: %v\nnot %v", names, got, want)
		}
		for range archive.Only(s, func(t uint32) bool { return true }) {
			break
		}
	}
}

// Calls of some terminals are those of Iter, with their numbers and times, whatever is between them.
func TestIterOnly(t *testing.T) {
	text := func(c *archive.Call) string { return fmt.Sprint(c.Index, c.StartTicks, c.EndTicks, c.Format()) }
	for _, b := range samples(t) {
		for s := range archivetest.Open(t, b).Streams() {
			sigs, err := s.Signatures()
			if err != nil {
				t.Fatal(err)
			}
			for seldom := range uint32(5) {
				wanted := func(t uint32) bool { return (t+1)%(seldom+1) == 0 && int(t) < len(sigs) }
				var got, want []string
				for c, err := range s.Iter(0) {
					if err != nil {
						t.Fatal(err)
					}
					if wanted(c.Terminal) {
						want = append(want, text(c))
					}
				}
				for c, err := range s.IterOnly(wanted) {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, text(c))
				}
				if !slices.Equal(got, want) {
					t.Fatalf("stream %d, every %d-th terminal: %d calls\n%v\ninstead of %d\n%v", s.Index(), seldom+1, len(got),
						got[:min(len(got), 5)], len(want), want[:min(len(want), 5)])
				}
			}
		}
	}
}
