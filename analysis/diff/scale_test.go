package diff_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// ring is an archive of n ranks that send to the next one, rank 3 count numbers, made of
// the text of one of 8 ranks.
func ring(t *testing.T, n, count int) *archive.Archive {
	t.Helper()
	var desc, few, file bytes.Buffer
	desc.WriteString("abi mpich\nnotiming\n")
	for r := range 8 {
		c := 10
		if r == 3 {
			c = count
		}
		fmt.Fprintf(&desc, "rank %d of 8 on node\nMPI_Init() @ h.c:5 [main]\nloop 1000\n"+
			"MPI_Send(count=%d, dest=%d, tag=1, comm=MPI_COMM_WORLD) @ h.c:41 [exchange]\nend\n", r, c, (r+1)%8)
	}
	if err := archive.WriteText(&few, archivetest.Archive(t, desc.String())); err != nil {
		t.Fatal(err)
	}
	many := few.String()
	for _, x := range [][2]string{
		{"size 8\n", fmt.Sprintf("size %d\n", n)}, {" ranks 0:1:8\n", fmt.Sprintf(" ranks 0:1:%d\n", n)},
		{" pid 1000:1:8\n", fmt.Sprintf(" pid 1000:1:%d\n", n)}, {" 1:1:7 0", fmt.Sprintf(" 1:1:%d 0", n-1)},
		{fmt.Sprintf(" 10*3 %d 10*4", count), fmt.Sprintf(" 10*3 %d 10*%d", count, n-4)},
	} {
		if !strings.Contains(many, x[0]) {
			if strings.Contains(x[0], "10*3") && count == 10 {
				continue
			}
			t.Fatalf("%q is not in\n%s", x[0], few.String())
		}
		many = strings.ReplaceAll(many, x[0], x[1])
	}
	if err := archive.ParseText(&file, strings.NewReader(many)); err != nil {
		t.Fatal(err)
	}
	return archivetest.Open(t, file.Bytes())
}

// Classes of a million ranks are compared without a look at each of them where they are
// equal, and the one rank that differs is found.
func TestManyRanks(t *testing.T) {
	const ranks = 1 << 20
	x, y := ring(t, ranks, 10), ring(t, ranks, 10)
	o := diff.Options{Structure: true, Parameters: true}
	allocs := testing.AllocsPerRun(1, func() {
		r, err := diff.Of(x, y, o)
		if err != nil || len(r.Differences) != 0 || r.Ranks != ranks || r.Calls != 1001*ranks {
			t.Fatal(r, err)
		}
	})
	if allocs > 20_000 {
		t.Errorf("%.0f allocations for %d ranks", allocs, ranks)
	}
	few := ring(t, 1<<12, 10)
	r, err := diff.Of(few, ring(t, 1<<12, 20), o)
	if err != nil || len(r.Differences) != 1 || r.Differences[0].Ranks.String() != "3" || r.Differences[0].B != "20" ||
		r.Differences[0].Count != 1000 {
		t.Fatalf("%+v, %v", r, err)
	}
	// Twice as many ranks.
	r, err = diff.Of(few, ring(t, 1<<13, 10), o)
	if err != nil || r.Ranks != 1<<12 || len(r.Differences) != 2 || r.Differences[0].Call.Func != "MPI_Send" ||
		r.Differences[1].Kind != diff.Processes {
		t.Fatalf("%+v, %v", r, err)
	}
}
