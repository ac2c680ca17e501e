//go:build e2e

package e2e

import (
	"testing"

	"tabard/analysis/compare"
	"tabard/trace"
)

// deterministic are programs that do the same in every run, and under every MPI but those that
// compile other calls for one of them (apart).
var deterministic = []struct {
	ranks   int
	program string
	apart   bool
}{
	{4, "attrs", false}, {4, "buffers", false}, {4, "callsites", false}, {4, "collectives", false}, {4, "comms", false}, {4, "env", false},
	{4, "groups", false}, {4, "halo1d", false}, {4, "halo2d", false}, {4, "halo3d", false}, {2, "handles", false}, {4, "icollectives", false},
	{4, "info", true}, {4, "intercomm", false}, {4, "io", false}, {4, "loops", false}, {4, "membership", false}, {2, "modes", false}, {4, "neighbor", true},
	{4, "ops", false}, {2, "persistent", false}, {2, "pingpong", false}, {2, "polling", false}, {4, "rma", false}, {4, "rmashared", false}, {4, "topo", false}, {4, "typeloop", true}, {4, "types", false},
}

// Two runs of a program are the same, also under different MPIs.
func TestDiffSame(t *testing.T) {
	for _, p := range deterministic {
		t.Run(p.program, func(t *testing.T) {
			var first *trace.Archive
			for _, m := range mpis {
				a, b := record(t, m, p.ranks, nil, p.program), record(t, m, p.ranks, nil, p.program)
				same(t, m.Name+" twice", a, b)
				if first != nil && !p.apart {
					same(t, "under two MPIs", first, a)
				}
				if first == nil {
					first = a
				}
			}
		})
	}
}

func same(t *testing.T, what string, a, b *trace.Archive) {
	t.Helper()
	r, err := compare.Of(a, b, compare.Options{Structure: true, Parameters: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Calls == 0 || len(r.Notes) > 0 {
		t.Errorf("%s: %d calls, %q", what, r.Calls, r.Notes)
	}
	for _, d := range r.Differences {
		t.Errorf("%s: %v at ranks %v: %+v %v: %q, %q, %d of %d", what, d.Kind, d.Ranks, d.Calls, d.Call, d.A, d.B, d.Count, d.Of)
	}
}
