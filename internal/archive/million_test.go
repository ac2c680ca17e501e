package archive_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/cputime"
)

// TestManyRanks opens an archive of 1,048,576 ranks: its size, the time to open it and the memory
// follow from its two classes.
func TestManyRanks(t *testing.T) {
	const n = 1 << 20
	var desc strings.Builder
	desc.WriteString("notiming\n")
	for r := range 8 {
		fmt.Fprintf(&desc, "rank %d of 8 on node\nMPI_Init()\nloop 10\n"+
			"MPI_Send(dest=%d, tag=1, comm=MPI_COMM_WORLD)\nend\n", r, (r+1)%8)
		if r == 0 {
			desc.WriteString("MPI_Barrier(comm=MPI_COMM_WORLD)\n")
		}
	}
	few := text(t, archivetest.Archive(t, desc.String()))
	many := few
	for old, new := range map[string]string{
		"size 8\n": fmt.Sprintf("size %d\n", n), " ranks 0:1:8\n": fmt.Sprintf(" ranks 0:1:%d\n", n),
		" ranks 1:1:7\n":  fmt.Sprintf(" ranks 1:1:%d\n", n-1),
		" pid 1000:1:8\n": fmt.Sprintf(" pid 1000:1:%d\n", n), " 2:1:6 0\n": fmt.Sprintf(" 2:1:%d 0\n", n-2),
	} {
		if !strings.Contains(many, old) {
			t.Fatalf("%q is not in\n%s", old, few)
		}
		many = strings.Replace(many, old, new, 1)
	}
	var file bytes.Buffer
	if err := archive.ParseText(&file, strings.NewReader(many)); err != nil {
		t.Fatal(err)
	}
	if file.Len() > 500 {
		t.Errorf("%d bytes for two classes", file.Len())
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cputime.Used()
	a := archivetest.Open(t, file.Bytes())
	if a.NumRanks() != n || a.NumStreams() != n || len(a.Classes()) != 2 {
		t.Fatalf("%d ranks, %d streams, %d classes", a.NumRanks(), a.NumStreams(), len(a.Classes()))
	}
	for _, r := range []int{0, 1, 2, n / 2, n - 1} {
		s := a.Stream(r)
		c, err := s.CallAt(3)
		if err != nil {
			t.Fatal(err)
		}
		if dest, _ := c.In("dest"); s.Rank().Rank != r || dest.N != int64((r+1)%n) || a.Rank(r).PID != 1000+r {
			t.Errorf("rank %d: %v of rank %d", r, c, s.Rank().Rank)
		}
	}
	for _, c := range a.Classes() {
		calls, _, err := c.Counts()
		if err != nil || calls[1] != 10*uint64(c.Ranks().Len()) {
			t.Errorf("class %d: %v %v", c.Index(), calls, err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := cputime.Since(start); took > time.Second {
		t.Errorf("it took %v", took)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 4<<20 {
		t.Errorf("it took %d bytes of memory", bytes)
	}
	if err := archive.Validate(archivetest.Open(t, file.Bytes(), archive.MaxWork(1000))); err != nil {
		t.Errorf("validating two classes is more work than that of a stream of each: %v", err)
	}
	if err := archive.ValidateStreams(archivetest.Open(t, file.Bytes(), archive.MaxWork(1000))); err == nil ||
		!strings.Contains(err.Error(), "trace.MaxWork") {
		t.Errorf("validating every rank is no work: %v", err)
	}
}
