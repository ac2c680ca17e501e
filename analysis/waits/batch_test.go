package waits_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/waits"
)

// rounds is a job of three ranks that go round a loop: a message that a blocking call receives, one that is waited
// for, sometimes together with another, and sometimes a collective. They come as early or as late as it happens.
func rounds(rng *rand.Rand, n int) string {
	together, barriers, over := rng.IntN(2) == 0, rng.IntN(2) == 0, 100+rng.IntN(1000)
	var ranks [3]strings.Builder
	var at [3]int
	call := func(r, most int, text string) {
		at[r] += 1 + rng.IntN(over)
		d := 1 + rng.IntN(most)
		fmt.Fprintf(&ranks[r], "%d+%d %s\n", at[r], d, text)
		at[r] += d
	}
	for range n {
		begin := 0
		for _, t := range at {
			begin = max(begin, t)
		}
		for r := range at {
			at[r] = begin - rng.IntN(begin-at[r]+1)
		}
		call(1, 3000, "MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=7, comm=MPI_COMM_WORLD) @ a.c:5 [f]")
		call(2, 30, "MPI_Isend(count=900, datatype=MPI_INT, dest=0, tag=7, comm=MPI_COMM_WORLD) @ a.c:6 [f] ; "+
			"request=request#0")
		call(2, 3000, "MPI_Wait(request=request#0) @ a.c:7 [f]")
		call(0, 3000, "MPI_Recv(count=1, datatype=MPI_INT, source=1, tag=7, comm=MPI_COMM_WORLD) @ a.c:8 [f] ; "+
			"status={source=1 tag=7 bytes=4}")
		call(0, 30, "MPI_Irecv(count=900, datatype=MPI_INT, source=2, tag=7, comm=MPI_COMM_WORLD) @ a.c:9 [f] ; "+
			"request=request#0")
		if together {
			call(1, 30, "MPI_Ssend(count=1, datatype=MPI_INT, dest=0, tag=8, comm=MPI_COMM_WORLD) @ a.c:10 [f]")
			call(0, 30, "MPI_Irecv(count=1, datatype=MPI_INT, source=1, tag=8, comm=MPI_COMM_WORLD) @ a.c:11 [f] ; "+
				"request=request#1")
			call(0, 3000, "MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) @ a.c:12 [f] ; "+
				"array_of_statuses=[{source=2 tag=7 bytes=3600}, {source=1 tag=8 bytes=4}]")
		} else {
			call(0, 3000, "MPI_Wait(request=request#0) @ a.c:13 [f] ; status={source=2 tag=7 bytes=3600}")
		}
		for r := range at {
			if barriers {
				call(r, 3000, barrier+" @ a.c:14 [f]")
			}
		}
	}
	return job(ranks[0].String(), ranks[1].String(), ranks[2].String())
}

// TestBatch: messages of loops that are told by their times alone wait as they do if each is looked at, as it is where
// clocks are corrected.
func TestBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 25 {
		desc := rounds(rng, 100+rng.IntN(100))
		for _, keep := range []int{0, 5, 40} {
			got := of(t, desc, waits.Options{Keep: keep})
			want := of(t, desc, waits.Options{Keep: keep, Clock: func(_ int32, t time.Duration) time.Duration {
				return t
			}})
			if got.Total.Count == 0 {
				t.Fatalf("job %d: nothing waits", i)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("job %d, keep %d:\n%+v, want\n%+v", i, keep, got, want)
			}
		}
	}
}
