package main

import (
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/bench/internal/roundtrip"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

func TestTrips(t *testing.T) {
	results := `{"MPI":"mpich","Dir":"pt2pt","Line":"pt2pt/a 2","Plain":"pass","Replay":{"Equal":false,"Stage":"replay","Reason":"out of time"}}
{"MPI":"mpich","Dir":"pt2pt","Line":"pt2pt/a 2","Plain":"pass","Replay":{"Equal":true}}
{"MPI":"mpich","Dir":"pt2pt","Line":"pt2pt/a 2","Plain":"pass","Proxy":{"Equal":false,"Stage":"diff","Reason":"3 differ; rank 1"}}
{"MPI":"mpich","Dir":"coll","Line":"coll/b 4","Plain":"fail"}
{"MPI":"mpich","Dir":"coll","Line":"coll/c 4","Plain":"pass","Replay":{"Equal":true},"Proxy":{"Equal":true}}
`
	known, err := readTrips(strings.NewReader(results))
	if err != nil || len(known) != 3 {
		t.Fatal(known, err)
	}
	s := &suite{
		options: &options{dirs: []string{"pt2pt", "coll"}, ways: []roundtrip.Way{roundtrip.Replay, roundtrip.Proxy}},
		mpi:     &mpirun.MPI{Name: "mpich"},
	}
	var list []*trip
	for _, line := range []string{"pt2pt/a 2", "coll/b 4", "coll/c 4"} {
		x := known["mpich "+line]
		if x == nil || !s.done(x) {
			t.Fatalf("%s: %+v", line, x)
		}
		list = append(list, x)
	}
	var b strings.Builder
	s.printTrips(&b, list)
	for _, want := range []string{"| folder | pass | replay | proxy |\n|---|---|---|---|\n",
		"| pt2pt | 1 | 1 (100.0 %) | 0 (0.0 %) |\n", "| coll | 1 | 1 (100.0 %) | 1 (100.0 %) |\n",
		"| **all** | 2 | 2 (100.0 %) | 1 (50.0 %) |\n", "Not equal, proxy:\n  pt2pt/a 2: diff: 3 differ; rank 1\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if s.done(&trip{Plain: pass, Replay: &roundtrip.Outcome{}}) {
		t.Error("a line without a proxy is done")
	}
	// A line that passed before and is now out of time is not counted. It is run again on demand.
	late := &trip{Dir: "coll", Line: "coll/d 4", Plain: timeout, Replay: &roundtrip.Outcome{Stage: "diff"},
		Proxy: &roundtrip.Outcome{Equal: true}}
	b.Reset()
	s.printTrips(&b, []*trip{late})
	if strings.Contains(b.String(), "coll/d") || !strings.Contains(b.String(), "proxy: 0 of 0") || !s.done(late) {
		t.Errorf("a line that is out of time counts:\n%s", b.String())
	}
	s.retry = true
	if s.done(late) || !s.done(&trip{Plain: fail}) {
		t.Error("lines that are out of time are not run again, or those that fail are")
	}
}
