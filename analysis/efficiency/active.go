package efficiency

import (
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// edge is how many calls before MPI_Init and after MPI_Finalize Active looks at: few are allowed
// there.
const edge = 64

// Active is the time from the end of MPI_Init to the begin of MPI_Finalize in a stream, or where
// there is no such call, from the begin of the first call and to the end of the last one. It is
// zero without times.
func Active(s *archive.Stream) (from, to time.Duration, err error) {
	n := s.Calls()
	if n == 0 || !s.Timed() {
		return 0, 0, nil
	}
	for i := uint64(0); i < min(n, edge); i++ {
		c, err := s.CallAt(i)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			from = c.Start
		}
		if c.Func.Op == spec.OpInit {
			from = c.End
			break
		}
	}
	for i := uint64(0); i < min(n, edge); i++ {
		c, err := s.CallAt(n - 1 - i)
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			to = c.End
		}
		if c.Func.Op == spec.OpFinalize {
			to = c.Start
			break
		}
	}
	return from, max(from, to), nil
}
