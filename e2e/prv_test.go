//go:build e2e

package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// prvRead is what a reader by the rules of Paraver's format found in a trace.
type prvRead struct {
	timelineRead
	Pairs      [][4]int64
	Constructs map[string]uint64
}

// Traces keep the rules of the format: order, places, states without gaps, labels. Calls and their time are those of
// the profile, communications those of the matrix.
func TestExportPrv(t *testing.T) {
	t.Parallel()
	eachExport(t, 2, func(t *testing.T, file string) {
		whole, part := exported(t, "prv", file), exported(t, "prv", file, "--time", "20%..60%")
		r := readTimelines[prvRead](t, "python3", "read_prv.py", whole, part)
		r[0].compare(t, file)
		r[1].compare(t, file, "--time", "20%..60%")
		cells := jsonOf[struct{ Cells [][4]int64 }](t, "matrix", file, "--kind", "p2p").Cells
		if !slices.Equal(r[0].Pairs, cells) {
			t.Errorf("communications %v, matrix %v", r[0].Pairs, cells)
		}
	})
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		file := record(t, m, 2, nil, "regions").File()
		r := readTimelines[prvRead](t, "python3", "read_prv.py", exported(t, "prv", file),
			exported(t, "prv", file, "--time", "30%..70%"))
		counts := regionCounts(t, file)
		if len(counts) == 0 || len(r[0].Regions) != len(counts) {
			t.Errorf("regions %v, profile %v", r[0].Regions, counts)
		}
		for name, n := range counts {
			if r[0].Regions[name] != n {
				t.Errorf("%s: %d, profile has %d", name, r[0].Regions[name], n)
			}
		}
	})
}

// Constructs of OpenMP begin and end as in the other timelines.
func TestExportPrvOpenMP(t *testing.T) {
	t.Parallel()
	file, _ := recordOpenMP(t, openMPProgram(t, "gcc", "constructs.c"))
	prv := readTimelines[prvRead](t, "python3", "read_prv.py", exported(t, "prv", file))[0]
	chrome := readTimelines[timelineRead](t, "python3", "read_chrome.py", exported(t, "chrome", file))[0]
	want := map[string]uint64{}
	for name, n := range chrome.Regions {
		if strings.HasPrefix(name, "omp_") {
			want[name] = n
		}
	}
	if len(want) == 0 || !maps.Equal(prv.Constructs, want) {
		t.Errorf("constructs %v, for Chrome %v", prv.Constructs, want)
	}
}
