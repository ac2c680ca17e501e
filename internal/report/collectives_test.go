package report

import (
	"testing"

	"github.com/tabard-hpc/tabard/analysis/collectives"
)

// TestSetsRule: rows and columns of a grid are a formula, whatever the order of the sets.
func TestSetsRule(t *testing.T) {
	for want, sets := range map[string][][]int32{
		"4k to 4k+3, k = 0 to 1":    {{4, 5, 6, 7}, {0, 1, 2, 3}},
		"k to k+8 by 4, k = 0 to 3": {{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 11}},
		"3k+1 to 3k+2, k = 0 to 2":  {{1, 2}, {4, 5}, {7, 8}},
	} {
		if got := setsRule(sets); got != want {
			t.Errorf("%v: %q, want %q", sets, got, want)
		}
	}
	for _, sets := range [][][]int32{{{0, 1}}, {{0, 1}, {2, 3, 4}}, {{0, 1}, {2, 3}, {5, 6}},
		{{0, 1}, {0, 2}}, {{0, 1, 3}, {4, 5, 7}}} {
		if got := setsRule(sets); got != "" {
			t.Errorf("%v: %q", sets, got)
		}
	}
}

// TestTopologyCall: the call to paste has the grid's sizes.
func TestTopologyCall(t *testing.T) {
	grid := &collectives.Topology{Dims: []int{4, 3}, Periods: []bool{true, false}, Least: 3, Most: 4}
	want := "MPI_Cart_create(comm_old, 2, (int[]){4, 3}, (int[]){1, 0}, 0, &grid)"
	if got := topologyCall(grid); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want = "MPI_Dist_graph_create_adjacent(comm_old, 2, (int[]){(rank + size - 1) % size, (rank + size - 4) % size}, " +
		"MPI_UNWEIGHTED, 2, (int[]){(rank + 1) % size, (rank + 4) % size}, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph)"
	if got := topologyCall(&collectives.Topology{Distances: []int{1, 4}, Least: 2, Most: 2}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
