package selection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// stepped is two ranks with a loop, each iteration of which has a call and a region with more.
func stepped(name string, inside int) string {
	var b strings.Builder
	for r := range 2 {
		fmt.Fprintf(&b, "rank %d of 2 on n\nMPI_Init() @ a.c:1 [main]\nregion_begin(name=\"all\")\nloop 12\n"+
			"  MPI_Bcast(count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ a.c:3 [main]\n"+
			"  region_begin(name=%q)\n  region_begin(name=\"part\")\n", r, name)
		for i := range inside {
			fmt.Fprintf(&b, "  MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:%d [main]\n", 5+i)
		}
		b.WriteString("  region_end()\n  region_end()\nend\nregion_end()\nMPI_Finalize() @ a.c:20 [main]\n")
	}
	return b.String()
}

// TestStepRegions: a region is the time step if it is called so, if it is what iterations do, or if the user says so.
func TestStepRegions(t *testing.T) {
	for _, c := range []struct {
		name   string
		inside int
		loop   string
		region string
		from   uint64 // calls of step 2
		calls  uint64
	}{
		{"Time-step", 1, "", "Time-step", 1 + 2*2 + 1, 1},
		{"work", 1, "", "", 1 + 2*2, 2},
		{"work", 3, "", "work", 1 + 2*4 + 1, 3},
		{"work", 1, "part", "part", 1 + 2*2 + 1, 1},
		{"work", 1, "all/work", "all/work", 1 + 2*2 + 1, 1},
		{"Time-step", 1, "a.c:3", "", 1 + 2*2, 2},
	} {
		a, err := archivetest.InMemory(t, stepped(c.name, c.inside)).Calls()
		if err != nil {
			t.Fatal(err)
		}
		named := loops.StepLoop{}
		if c.loop != "" {
			if named, err = loops.ParseStepLoop(c.loop); err != nil {
				t.Fatal(err)
			}
		}
		x, err := selection.FindSteps(a, named)
		if err != nil {
			t.Fatal(err)
		}
		for s := range a.Streams() {
			steps, err := x.Of(s)
			if err != nil || steps == nil {
				t.Fatalf("%+v: no steps, %v", c, err)
			}
			r, err := steps.Range(2)
			if err != nil || x.Region != c.region || steps.Len() != 12 || r.From != c.from || r.Len() != c.calls {
				t.Errorf("%+v: %d steps of %q, step 2 is %v, %v", c, steps.Len(), x.Region, r, err)
			}
			cursor := steps.Cursor()
			for call := range s.Calls() {
				step, ok, err := cursor.Find(call)
				want := call >= c.from-2*(1+uint64(c.inside)) && call < s.Calls()-1 &&
					(call-1)%(1+uint64(c.inside)) >= 1+uint64(c.inside)-c.calls
				if err != nil || ok != want || ok && step != (call-1)/(1+uint64(c.inside)) {
					t.Errorf("%+v: call %d is in step %d (%t), %v", c, call, step, ok, err)
				}
			}
		}
	}
	sel, err := selection.Parse(selection.Flags{Steps: "12", StepLoop: "work"})
	if err != nil {
		t.Fatal(err)
	}
	a := archivetest.InMemory(t, stepped("work", 1))
	if _, err := sel.Resolve(a); err == nil || !strings.Contains(err.Error(),
		`the regions "work", of which there are 12`) {
		t.Error(err)
	}
}
