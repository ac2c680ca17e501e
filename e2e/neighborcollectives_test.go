//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/report"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// neighbors are the cases of testdata/collectives/neighbors.c: exchanges with neighbours, with their topology, the call
// and an argument of it, by whether contents are known; and what is none.
var neighbors = []struct {
	what, topology, call, argument, value string
	ranks                                 int
}{
	{"ring", "ring of 7", "MPI_Neighbor_alltoallv", "sdispls", "(int[]){0, 32}", 7},
	{"grid", "2x4 grid", "MPI_Neighbor_alltoallv", "sendcounts", "(int[]){32, 32, 16, 16}", 8},
	{"grid", "2x4 grid", "MPI_Neighbor_alltoallv", "rdispls", "(int[]){0, 32, 64, 96}", 8},
	{"columns", "ring of 5", "MPI_Neighbor_alltoallw", "sdispls", "(MPI_Aint[]){0, 232}", 5},
	{"columns", "ring of 5", "MPI_Neighbor_alltoallw", "sendcounts", "(int[]){1, 1}", 5},
	{"same", "ring of 6", "MPI_Neighbor_allgather", "", "", 6},
	{"sweeps", "", "", "", "", 6},
	{"changing", "", "", "", "", 7},
}

func TestNeighborCollectives(t *testing.T) {
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			exe := collectiveProgram(t, m, dir, "neighbors")
			for _, c := range neighbors {
				for _, payload := range []string{"hashes", "off"} {
					if c.what == "same" && payload == "off" {
						continue // that both get the same is in contents
					}
					d := manualCase(t, m, dir, c.ranks, payload, []string{exe, c.what})
					name := fmt.Sprint(c.what, " ", payload)
					if c.topology == "" {
						for _, f := range d.Findings { // sweeps may be a scan
							if f.Topology != "" || f.Grade == proven {
								t.Errorf("%s: %+v", name, f)
							}
						}
						continue
					}
					if len(d.Findings) != 1 {
						t.Errorf("%s: %d findings: %+v", name, len(d.Findings), d.Findings)
						continue
					}
					f := d.Findings[0]
					if f.Topology != c.topology || f.Call != c.call || f.Instances != 3 || f.Grade != consistent ||
						f.Arguments[c.argument] != c.value || !strings.Contains(f.Sends[0], "neighbors.c:") ||
						!strings.HasPrefix(f.Make, "MPI_Cart_create(") {
						t.Errorf("%s: %+v", name, f)
					}
				}
			}
		})
	}
}

// TestTrialWithGaps: an exchange with neighbours of different sizes is tried, with what is computed between its calls.
func TestTrialWithGaps(t *testing.T) {
	for _, m := range mpis {
		dir := t.TempDir()
		exe, file := collectiveProgram(t, m, dir, "neighbors"), filepath.Join(dir, "timed.tabard")
		r, err := (&mpirun.Job{MPI: m, Ranks: 4, Dir: dir,
			Args: []string{tabardBin, "record", "--quiet", "--payload", "-o", file, exe, "ring"}}).Start()
		if err != nil || r.Code != 0 {
			t.Fatalf("%s: %v, exit code %d\n%s", m.Name, err, r.Code, r.Stderr)
		}
		launcher := m.Run
		if m.Name == "openmpi" {
			launcher += " --oversubscribe"
		}
		try := exec.Command(tabardBin, "collectives", file, "--json", "--try", "3", "--mpicc", m.CC, "--mpirun", launcher)
		try.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		var d report.Collectives
		out, err := try.Output()
		if err == nil {
			err = json.Unmarshal(out, &d)
		}
		if err != nil || len(d.Findings) != 1 {
			t.Fatalf("%s: %v\n%s", m.Name, err, out)
		}
		if x := d.Findings[0].Trial; x == nil || x.Why != "" || !x.Gaps || x.Computed <= 0 || x.Library.Median <= 0 {
			t.Errorf("%s: %+v", m.Name, x)
		}
	}
}
