package calls_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// A reader among many gives the times that one alone gives: also those that do not fit 32 bits, and also if what it
// reads is a part of the calls.
func TestTimesAmongMany(t *testing.T) {
	for _, long := range []int{1 << 20, 1 << 34} { // nanoseconds
		rnd := rand.New(rand.NewPCG(1, uint64(long)))
		var text strings.Builder
		text.WriteString("rank 0 of 1 on n\nclock 0 0 0\nclock 1000000000 1000000000 1000000000\n")
		now := 0
		for i := range 700 {
			gap, d := rnd.IntN(1000), rnd.IntN(1000)
			if i%97 == 96 {
				gap = rnd.IntN(long)
			}
			if i%101 == 100 {
				d = rnd.IntN(long)
			}
			name := "MPI_Barrier(comm=MPI_COMM_WORLD)"
			if i%3 == 0 {
				name = "MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=0"
			}
			fmt.Fprintf(&text, "%d+%d %s\n", now+gap, d, name)
			now += gap + d
		}
		whole := archivetest.Archive(t, text.String())
		part, err := whole.Project(func(f *spec.Func) bool { return f.Name != "MPI_Comm_rank" })
		if err != nil {
			t.Fatal(err)
		}
		for name, a := range map[string]*archive.Archive{"all": whole, "a part": part} {
			p, err := calls.Open(a)
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Reader(a.Stream(0))
			if err != nil {
				t.Fatal(err)
			}
			r.Among(1 << 24)
			begins, ends := make([]time.Duration, 50), make([]time.Duration, 50)
			for c, err := range a.Stream(0).Iter(0) {
				if err != nil {
					t.Fatal(err)
				}
				op, err := r.Next()
				if err != nil || op == nil || op.Begin != c.Start || op.End != c.End {
					t.Fatalf("%s: call %d: %+v, %v, want %v to %v", name, c.Index, op, err, c.Start, c.End)
				}
				if c.Index%100 == 30 && c.Index+50 <= a.Stream(0).Calls() {
					if err := r.Times(c.Index, begins, ends); err != nil || begins[0] != c.Start || ends[0] != c.End {
						t.Fatalf("%s: call %d: %v to %v, %v", name, c.Index, begins[0], ends[0], err)
					}
				}
			}
			if op, err := r.Next(); op != nil || err != nil {
				t.Errorf("%s: %v, %v", name, op, err)
			}
		}
	}
}
