//go:build e2e

package e2e

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/spec"
)

// returned reads how many calls of each rank had returned by the log that
// testdata/mpi/logged.c keeps. A rank that died before it could open its log
// has none.
func returned(dir string, ranks int) ([]uint64, error) {
	n := make([]uint64, ranks)
	for r := range n {
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("returned.%d", r)))
		if os.IsNotExist(err) || err == nil && len(b) < 8 {
			continue
		}
		if err != nil {
			return nil, err
		}
		n[r] = binary.LittleEndian.Uint64(b)
	}
	return n, nil
}

// recorded counts the calls of each rank that the archive says returned,
// and those that it says did not; of events of one kind if it is not -1.
func recorded(file string, ranks, kind int) (done, open []uint64, err error) {
	a, err := archive.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	if err := archive.Validate(a); err != nil {
		return nil, nil, err
	}
	done, open = make([]uint64, ranks), make([]uint64, ranks)
	for s := range a.Streams() {
		r := s.Rank().Rank
		if r < 0 || r >= ranks {
			// A process that died in MPI_Init has no rank.
			continue
		}
		counts, err := s.Counts()
		if err != nil {
			return nil, nil, err
		}
		for t, n := range counts {
			sig, err := s.Signature(uint32(t))
			if err != nil {
				return nil, nil, err
			}
			switch f := spec.ByID(sig.Func); {
			case f.Own() || kind >= 0 && int(f.Kind) != kind:
			case sig.Flags&archive.Unfinished != 0:
				open[r] += n
			default:
				done[r] += n
			}
		}
	}
	return done, open, nil
}
