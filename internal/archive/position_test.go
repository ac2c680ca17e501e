package archive_test

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// Positions of calls and events are those of an iteration over all calls.
func TestPositions(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 1 on n
clock 0 0 0
clock 1000000 3000000 3000000
MPI_Init()
loop 4
  poll 3 MPI_Test(request=request#0) ; flag=0
  MPI_Barrier(comm=MPI_COMM_WORLD)
  poll 1 MPI_Test(request=request#0) ; flag=0
end
MPI_Finalize()
`)
	s := a.Stream(0)
	event, inside := uint64(0), uint64(0)
	counts := make([]uint64, 8)
	runs := []uint64{1, 3, 1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 1, 1} // calls of each event
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if e, in, err := s.EventAt(c.Index); err != nil || e != event || in != inside {
			t.Errorf("call %d is in event %d, %d; want %d, %d (%v)", c.Index, e, in, event, inside, err)
		}
		if inside == 0 {
			if n, err := s.CallsBefore(event); err != nil || n != c.Index {
				t.Errorf("%d calls before event %d, want %d (%v)", n, event, c.Index, err)
			}
			before, err := s.OccurrencesBefore(event)
			if err != nil {
				t.Fatal(err)
			}
			for k, n := range before {
				if n != counts[k] {
					t.Errorf("terminal %d occurs %d times before event %d, want %d", k, n, event, counts[k])
				}
			}
			counts[c.Terminal]++
		}
		if inside++; inside == runs[event] {
			event, inside = event+1, 0
		}
		if s.Ticks(c.Start) != c.StartTicks || s.Since(c.EndTicks) != c.End {
			t.Errorf("call %d: ticks of %v are %d, want %d", c.Index, c.Start, s.Ticks(c.Start), c.StartTicks)
		}
	}
	if e, _, _ := s.EventAt(s.Calls()); e != uint64(len(runs)) || event != e {
		t.Errorf("%d events", e)
	}
	if n, _ := s.CallsBefore(99); n != s.Calls() {
		t.Errorf("%d calls before the end", n)
	}
	sigs, _ := s.Signatures()
	polls := uint64(0)
	occ, _ := s.Occurrences()
	for k, sig := range sigs {
		if sig.Flags.String() == "poll" {
			n, err := s.PollsIn(uint32(k), 0, occ[k])
			if err != nil {
				t.Fatal(err)
			}
			first, err := s.PollsIn(uint32(k), 0, 1)
			last, err2 := s.PollsIn(uint32(k), 1, occ[k])
			if err != nil || err2 != nil || first+last != n {
				t.Errorf("terminal %d: %d and %d polls of %d", k, first, last, n)
			}
			polls += n
		}
	}
	if polls != 16 {
		t.Errorf("%d polls", polls)
	}
}
