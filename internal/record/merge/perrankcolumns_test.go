package merge_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// random describes ranks of one structure with short columns of random numbers, which are written
// rank by rank.
func random(n int, rng *rand.Rand) (descs []string) {
	for r := range n {
		var d strings.Builder
		fmt.Fprintf(&d, "rank %d of %d on n\n", r, n)
		for site := range 6 {
			for k := range 5 {
				fmt.Fprintf(&d, "MPI_Send(count=?%d, dest=?%d, tag=?%d, comm=MPI_COMM_WORLD) @ a.c:%d [f]\n",
					rng.IntN(1000), rng.IntN(n), k%2, site)
			}
			fmt.Fprintf(&d, "MPI_Alltoallv(sendcounts=?[%d, %d, %d], comm=MPI_COMM_WORLD)\n", rng.IntN(99),
				rng.IntN(99), rng.IntN(99))
		}
		descs = append(descs, d.String())
	}
	return descs
}

// TestSpread merges ranks whose columns are lists of what each has, in any order and over archives,
// which give the same bytes, and checks that such columns are coded together.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	descs := random(17, rng)
	want := file(t, part(t, descs...))
	a := archivetest.Open(t, want)
	found := false
	for _, p := range a.Stats().Parts {
		found = found || p.Name == "bundles" && p.Bytes > 0
	}
	if !found {
		t.Error("no columns are coded together")
	}
	if err := archive.Validate(a); err != nil {
		t.Error(err)
	}
	calls(t, a)
	for range 8 {
		if got := file(t, tree(t, rng, descs, 4)); !bytes.Equal(got, want) {
			t.Fatalf("another order gives %d other bytes instead of %d", len(got), len(want))
		}
	}
	single := archivetest.Open(t, file(t, part(t, descs[3])))
	if got, want := calls(t, single), calls(t, a); len(got) != 1 {
		t.Errorf("%d streams", len(got))
	} else {
		for k, v := range got {
			if want[k] != v {
				t.Error(difference(v, want[k]))
			}
		}
	}
}
