//go:build e2e

package e2e

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestVectors: of the arrays of collectives only the counts that are drawn take room, each once.
func TestVectors(t *testing.T) {
	t.Parallel()
	const ranks, steps, half = 6, 60, 3
	// What ranks draw for each other, in four calls a step; what they have to collect, and what the
	// root distributes: below 40, so 5.33 bits each, and as much as a fifth more.
	drawn := steps * (4*(ranks*ranks+2*half*half) + 2*2*ranks)
	most := int64(drawn)*533*12/10/800 + 600
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		a := record(t, m, ranks, nil, "vectors")
		if got := a.Stats().Columns; got > most {
			t.Errorf("columns of %d bytes, want at most %d", got, most)
		}
	})
}
