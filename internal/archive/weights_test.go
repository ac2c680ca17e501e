package archive

import (
	"testing"

	"github.com/tabard-hpc/tabard/spec"
)

// A weight of 3 is a weight, also where MPI_WEIGHTS_EMPTY has that number.
func TestNumbersInArraysAreNotSentinels(t *testing.T) {
	f := spec.ByName("MPI_Dist_graph_create_adjacent")
	for i := range f.Slots {
		s := &f.Slots[i]
		if !s.Array || f.Params[s.Param].Kind != "WEIGHT" {
			continue
		}
		if got := FormatValue(spec.OpenMPI, f, s, &Value{Kind: Ints, Ints: []int64{2, 3, 4}}); got != "[2, 3, 4]" {
			t.Errorf("%s: %s", f.Params[s.Param].Name, got)
		}
		if got := FormatValue(spec.OpenMPI, f, s, &Value{Kind: Sentinel, N: 1}); got != "MPI_UNWEIGHTED" {
			t.Errorf("%s: %s", f.Params[s.Param].Name, got)
		}
		return
	}
	t.Fatal("no weights")
}
