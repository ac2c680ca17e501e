//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
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
