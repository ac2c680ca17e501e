package selection_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// even is a program whose steps are as long as the calls in braces tell.
const even = `abi mpich
command ./even
rank 0 of 1 on n
MPI_Init() @ a.c:1 [main]
loop 50
  loop 9
    MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:2 [main]
    MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
  end
  MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:2 [main]
  MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
  MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:4 [main]
end
MPI_Finalize() @ a.c:5 [main]
`

// TestStepCursor compares runs of steps and cursors with Range, step by step and call by call.
func TestStepCursor(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	longest := uint64(0)
	for _, program := range []string{app(), even} {
		a := archivetest.Archive(t, program)
		x, err := selection.FindSteps(a, loops.StepLoop{})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for s := range a.Streams() {
			of, err := x.Of(s)
			if err != nil {
				t.Fatal(err)
			}
			if of == nil {
				continue
			}
			found++
			ranges := make([]selection.Range, of.Len())
			for k := range ranges {
				if ranges[k], err = of.Range(uint64(k)); err != nil {
					t.Fatal(err)
				}
			}
			for k := range ranges {
				r, n, err := of.Run(uint64(k))
				if err != nil || r != ranges[k] || n == 0 || n > of.Len()-uint64(k) {
					t.Fatalf("run of %d steps from %d: %v, want %v (%v)", n, k, r, ranges[k], err)
				}
				longest = max(longest, n)
				for i := range n {
					if at := ranges[uint64(k)+i]; at.From != r.From+i*r.Len() || at.Len() != r.Len() {
						t.Fatalf("run of %d steps from %d: step %d is %v", n, k, uint64(k)+i, at)
					}
				}
			}
			for _, skip := range []uint64{1, 2, 7, 100} {
				c, k := of.Cursor(), 0
				for call := uint64(0); call < s.Calls(); call += 1 + rng.Uint64N(skip) {
					for k < len(ranges) && ranges[k].To <= call {
						k++
					}
					want := k < len(ranges) && ranges[k].From <= call
					near, sure := c.Near(call)
					step, ok, err := c.Find(call)
					if err != nil || ok != want || ok && step != uint64(k) || sure && (!ok || near != step) {
						t.Fatalf("call %d is in step %d (%v), near %d (%v), want %d (%v): %v", call, step, ok, near,
							sure, k, want, err)
					}
					for _, stride := range []uint64{1, 2, 7, 1000} {
						if !ok {
							break
						}
						// The steps of a range share the quotient, and nothing but steps is in it.
						r, first := c.Range(stride), k
						for first > 0 && ranges[first-1].From >= r.From {
							first--
						}
						at := ranges[first].From
						for i := first; i < len(ranges) && ranges[i].To <= r.To; i++ {
							if ranges[i].From != at || uint64(i)/stride != step/stride {
								t.Fatalf("call %d: stride %d gives %v, in which is step %d at %v", call, stride, r, i,
									ranges[i])
							}
							at = ranges[i].To
						}
						if r.From != ranges[first].From || r.To != at || call < r.From || call >= r.To {
							t.Fatalf("call %d: stride %d gives %v", call, stride, r)
						}
					}
				}
			}
		}
		if found == 0 {
			t.Error("no steps")
		}
	}
	if longest < 9 {
		t.Errorf("no run is longer than %d steps", longest)
	}
}
