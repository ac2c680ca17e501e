//go:build e2e

package e2e

import (
	"maps"
	"math"
	"testing"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// Marks and values of the program are in all timelines, as their readers have them, and from a moment on in those of a
// window.
func TestExportMarks(t *testing.T) {
	t.Parallel()
	perfetto := foreign(t, "perfetto")
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		file := record(t, m, 2, nil, "marks").File()
		marks := map[string]uint64{"start": 2, "restart": 8}
		sum := 3 * (1 - math.Pow(0.75, 40)) / 1.75 // of both ranks
		for name, r := range map[string]timelineRead{
			"otf2":     readOTF2(t, exported(t, "otf2", file))[0].timelineRead,
			"perfetto": readTimelines[timelineRead](t, perfetto, "read_perfetto.py", exported(t, "perfetto", file))[0],
			"chrome":   readTimelines[timelineRead](t, "python3", "read_chrome.py", exported(t, "chrome", file))[0],
			"prv":      readTimelines[timelineRead](t, "python3", "read_prv.py", exported(t, "prv", file))[0],
		} {
			if !maps.Equal(r.Marks, marks) {
				t.Errorf("%s has marks %v, want %v", name, r.Marks, marks)
			}
			if v := r.Values["particles"]; v != [2]float64{80, 80 * 125} {
				t.Errorf("%s has %v of particles", name, v)
			}
			if v := r.Values["error"]; v[0] != 80 || math.Abs(v[1]-sum) > 80*0.0005 {
				t.Errorf("%s has %v of error, want %v", name, v, sum)
			}
		}
		table := readTables(t, file).Marks
		if table["start"] != [2]float64{2, 0} || table["restart"][0] != 8 ||
			table["particles"] != [2]float64{80, 10000} ||
			table["error"][0] != 80 || math.Abs(table["error"][1]-sum) > 1e-9 {
			t.Errorf("the table of marks has %v", table)
		}
		printed(t, exported(t, "otf2", file))
		whole := readOTF2(t, exported(t, "otf2", file, "--steps", "0-39"))[0]
		part := readOTF2(t, exported(t, "otf2", file, "--steps", "20-39"))[0]
		if w, p := whole.Values["error"], part.Values["error"]; w[0] != 2*p[0] || math.Abs(p[1]) > math.Abs(w[1])/100 {
			t.Errorf("values of the second half are %v, of all steps %v", p, w)
		}
	})
}
