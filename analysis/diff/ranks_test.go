package diff_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// Of ranks that were compared nothing is kept but their differences.
func TestRanksMemory(t *testing.T) {
	const ranks, calls, most = 50, 4200, 40 << 20
	run := func(seed uint64) string {
		r := rand.New(rand.NewPCG(seed, 41))
		var b strings.Builder
		b.WriteString("abi mpich\nnotiming\n")
		for k := range ranks {
			fmt.Fprintf(&b, "rank %d of %d on n\n", k, ranks)
			for range calls {
				fmt.Fprintf(&b, "MPI_Send(count=?%d, datatype=MPI_INT, dest=?%d, tag=?%d, comm=MPI_COMM_WORLD) @ s.c:3 [main]\n",
					r.IntN(2), r.IntN(2), r.IntN(2))
			}
		}
		return b.String()
	}
	a, b := archivetest.InMemory(t, run(1)), archivetest.InMemory(t, run(2))
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, peak := inUse(), uint64(0)
	o := diff.Options{Structure: true, Parameters: true, Progress: func(uint64, uint64) { peak = max(peak, inUse()) }}
	if result, err := diff.Of(a, b, o); err != nil || len(result.Differences) == 0 {
		t.Fatal(err)
	}
	if peak > before+most {
		t.Errorf("%d MB for %d ranks", (peak-before)>>20, ranks)
	}
}

// Of calls that are looked up only those count that are compared: each once, with its partner.
func TestFewCallsCount(t *testing.T) {
	run := func(step int) string {
		var b strings.Builder
		b.WriteString("abi mpich\n")
		for r := range 10 {
			fmt.Fprintf(&b, "rank %d of 10 on n\nloop 3000\nMPI_Barrier(comm=MPI_COMM_WORLD) @ s.c:2 [main]\nend\n", r)
			for _, n := range []int{5, 6 + r*step, 9} {
				fmt.Fprintf(&b, "MPI_Bcast(count=?%d, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ s.c:3 [main]\n", n)
			}
		}
		return b.String()
	}
	for calls, all := range map[uint64]bool{500: true, 300: false} { // 3 of each rank, each like 16 in a row
		o := diff.Options{Structure: true, Parameters: true, Calls: calls}
		result, err := diff.Of(archivetest.InMemory(t, run(1)), archivetest.InMemory(t, run(3)), o)
		if err != nil {
			t.Fatal(err)
		}
		if (len(result.Notes) == 0) != all {
			t.Errorf("%d calls: %q", calls, result.Notes)
		}
	}
}
