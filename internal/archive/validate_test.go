package archive_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// alikeRanks describes n ranks without time stamps in two classes of several ranks, with requests,
// strings, statuses and values that differ between ranks.
func alikeRanks(n int) string {
	var d strings.Builder
	d.WriteString("notiming\n")
	for r := range n {
		fmt.Fprintf(&d, "rank %d of %d on node\nMPI_Comm_set_name(comm=MPI_COMM_WORLD, comm_name=?\"x\")\nloop 4\n",
			r, n)
		fmt.Fprintf(&d, "MPI_Irecv(buf=heap#%d+8, source=%d, comm=MPI_COMM_WORLD) ; request=request#0\n", r%3, (r+1)%n)
		fmt.Fprintf(&d, "MPI_Isend(buf=heap#%d, dest=%d, tag=%d, comm=MPI_COMM_WORLD) ; request=request#1\n", r,
			(r+n-1)%n, r*r%7)
		d.WriteString("MPI_Waitall(array_of_requests=[request#0, request#1])\n")
		if r%4 != 0 {
			fmt.Fprintf(&d, "MPI_Recv(source=-1, comm=comm#%d) ; status=?{source=2 tag=3 bytes=%d}\n", r%2, 8*r)
		}
		d.WriteString("end\n")
	}
	return d.String()
}

// TestValidateByClass checks that validation by class and stream by stream agree, on sound archives
// and on damaged ones.
func TestValidateByClass(t *testing.T) {
	sound := append(samples(t), archivetest.Bytes(t, alikeRanks(16)), archivetest.Bytes(t, alikeRanks(9)))
	answers := 0
	for i, b := range sound {
		a := archivetest.Open(t, b)
		answers += archive.Answering(a)
		if one, all := archive.Validate(a), archive.ValidateStreams(archivetest.Open(t, b)); one != nil || all != nil {
			t.Errorf("sound archive %d: %v by class, %v by stream", i, one, all)
		}
	}
	if answers < 4 {
		t.Errorf("only %d classes answer for all their streams", answers)
	}
	d, err := archivetest.NewDamager(77, sound[len(sound)-2:]...)
	if err != nil {
		t.Fatal(err)
	}
	broken, fine := 0, 0
	for range 6000 {
		b, what := d.Next()
		open := func() *archive.Archive {
			a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxWork(1<<16),
				archive.MaxSection(1<<20))
			if err != nil {
				return nil
			}
			return a
		}
		a := open()
		if a == nil || a.NumStreams() > 1<<12 {
			continue
		}
		one, all := archive.Validate(a), archive.ValidateStreams(open())
		switch {
		case all != nil && strings.Contains(all.Error(), "trace.MaxWork"):
		case (one == nil) != (all == nil):
			t.Errorf("%s: %v by class, %v by stream", what, one, all)
		case one == nil:
			fine++
		default:
			broken++
		}
	}
	if broken < 50 || fine < 10 {
		t.Errorf("%d archives were broken and %d were not", broken, fine)
	}
}
