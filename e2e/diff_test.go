//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/diff"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// deterministic are programs that do the same in every run, and under every MPI but those that
// compile other calls for one of them (apart).
var deterministic = []struct {
	ranks   int
	program string
	apart   bool
}{
	{4, "attrs", false}, {4, "buffers", false}, {4, "callsites", false}, {4, "collectives", false}, {4, "comms", false},
	{4, "env", false},
	{4, "groups", false}, {4, "halo1d", false}, {4, "halo2d", false}, {4, "halo3d", false}, {2, "handles", false},
	{4, "icollectives", false},
	{4, "info", true}, {4, "intercomm", false}, {4, "io", false}, {4, "loops", false}, {4, "membership", false},
	{2, "modes", false}, {4, "neighbor", true},
	{4, "ops", false}, {2, "persistent", false}, {2, "pingpong", false}, {2, "polling", false}, {4, "rma", false},
	{4, "rmashared", false}, {4, "topo", false}, {4, "typeloop", true}, {4, "types", false},
}

// Two runs of a program are the same, also under different MPIs.
func TestDiffSame(t *testing.T) {
	t.Parallel()
	for _, p := range deterministic {
		t.Run(p.program, func(t *testing.T) {
			t.Parallel()
			var first *archive.Archive
			for _, m := range mpis {
				a, b := record(t, m, p.ranks, nil, p.program), recordAnew(t, m, p.ranks, nil, p.program)
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

func same(t *testing.T, what string, a, b *archive.Archive) {
	t.Helper()
	r, err := diff.Of(a, b, diff.Options{Structure: true, Parameters: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Calls == 0 || len(r.Notes) > 0 {
		t.Errorf("%s: %d calls, %q", what, r.Calls, r.Notes)
	}
	for _, d := range r.Differences {
		t.Errorf("%s: %v at ranks %v: %+v %v: %q, %q, %d of %d", what, d.Kind, d.Ranks, d.Calls, d.Call, d.A, d.B,
			d.Count, d.Of)
	}
}

// Programs that do what arrives first differ in order only.
func TestDiffArrival(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		ranks   int
		program string
	}{{4, "masterworker"}, {4, "probe"}, {4, "ignored"}} {
		t.Run(p.program, func(t *testing.T) {
			t.Parallel()
			var first *archive.Archive
			for _, m := range mpis {
				a, b := record(t, m, p.ranks, nil, p.program), recordAnew(t, m, p.ranks, nil, p.program)
				same(t, m.Name+" twice", a, b)
				if first != nil {
					same(t, "under two MPIs", first, a)
				}
				first = a
			}
		})
	}
}

// A source to which lines were added is the same program at other lines; what its calls are given
// still counts.
func TestDiffEditedSource(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(mpirun.Programs(), "differ.c"))
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), "static int is(", "/* One\n * comment\n * more. */\n\nstatic int is(", 1)
	edited = strings.Replace(edited, "    MPI_Wait(&r", "\n    MPI_Wait(&r", 1)
	for _, m := range mpis {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			source, program := filepath.Join(dir, "differ.c"), filepath.Join(dir, "differ")
			if err := os.WriteFile(source, []byte(edited), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := m.Build(source, program, "-I"+mpirun.Programs()); err != nil {
				t.Fatal(err)
			}
			a := record(t, m, 5, nil, "differ", "none")
			for _, fault := range []string{"none", "count"} {
				r, err := diff.Of(a, recordCommand(t, m, 5, nil, []string{program, fault}),
					diff.Options{Structure: true, Parameters: true})
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Moved) < 8 {
					t.Errorf("%s: moved: %v", fault, r.Moved)
				}
				for _, x := range r.Moved {
					if x.A == x.B {
						t.Errorf("%s: moved: %v", fault, x)
					}
				}
				switch {
				case fault == "none" && len(r.Differences) > 0:
					t.Errorf("none: %+v", r.Differences[0])
				case fault == "count" && (len(r.Differences) != 1 || r.Differences[0].Param != "count" ||
					r.Differences[0].B != "20" || r.Differences[0].Ranks.String() != "3"):
					t.Errorf("count: %+v", r.Differences)
				}
			}
		})
	}
}
