//go:build e2e

package e2e

import (
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/planted"
)

// TestFindings: some of the planted faults, each in one language; bench/findings has all of them. Those whose first
// finding depends on times are left out, as other jobs may slow a rank down.
func TestFindings(t *testing.T) {
	t.Parallel()
	some := map[string]string{"faults.c": "error", "faults.cc": "throw", "faults.f90": "comm-leak", "faults.py": "tag"}
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := t.TempDir()
		for i := range planted.Faults {
			f := &planted.Faults[i]
			if some[f.Source] != f.Name || !f.Runs(m) {
				continue
			}
			file, err := f.Record(m, tabardBin, dir)
			if err != nil {
				t.Fatal(err)
			}
			all, err := planted.Findings(tabardBin, file)
			if err != nil {
				t.Fatal(err)
			}
			if bad := f.Check(all); bad != "" {
				t.Errorf("%s %s: %s", f.Source, f.Name, bad)
			}
		}
	})
}
