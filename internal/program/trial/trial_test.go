package trial

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/collectives"
)

// TestPlan: calls stand in the order in which the program makes them; a call that sends and receives does not block.
func TestPlan(t *testing.T) {
	f := &collectives.Finding{Operation: "allgather", Sets: [][]int32{{2, 5}}, Block: 16, One: []*collectives.Message{
		{From: 2, To: 5, Sent: 7, Freed: 7, Posted: 9, Received: 9, Bytes: 16},
		{From: 5, To: 2, Sent: 9, Freed: 9, Posted: 8, Received: 10, Bytes: 24},
	}}
	var plan bytes.Buffer
	if _, why := add(&plan, f, 6, nil); why != "" {
		t.Fatal(why)
	}
	want := `operation allgather 0 16 0 24 24
set 2 5
at 0 b 1 0 16
at 0 r 1 1 24
at 0 v 1 1 24
at 1 r 0 0 16
at 1 s 0 1 24
at 1 w 0 1 24
at 1 v 0 0 16
end
`
	if plan.String() != want {
		t.Errorf("the plan is\n%s", plan.String())
	}
}

// TestNotTried: what cannot be tried says why.
func TestNotTried(t *testing.T) {
	m := &collectives.Message{From: 0, To: 1, Bytes: 1 << 40}
	for _, f := range []collectives.Finding{
		{Operation: "sorting", Sets: [][]int32{{0, 1, 2}}, One: []*collectives.Message{m}},
		{Operation: "all-to-all", Call: "MPI_Alltoallv", Algorithm: "ring", Sets: [][]int32{{0, 1}},
			One: []*collectives.Message{{From: 0, To: 1, Bytes: 8}}},
		{Operation: "broadcast", Grade: collectives.NearMiss, Sets: [][]int32{{0, 1, 2}},
			One: []*collectives.Message{m}},
		{Operation: "broadcast", Sets: [][]int32{{0, 1, 2}}, One: []*collectives.Message{m}},
		{Operation: "broadcast", Sets: [][]int32{{0, 2}}, One: []*collectives.Message{m}},
		{Operation: "broadcast", Sets: [][]int32{{0, 1}}},
	} {
		r, err := Run(&Request{Findings: []collectives.Finding{f}, Ranks: 3, Rounds: 1, Compiler: []string{"none"},
			Launcher: []string{"none"}, Stderr: io.Discard})
		if err != nil || r[0].Why == "" {
			t.Errorf("%+v: %+v, %v", f, r, err)
		}
	}
}

// TestNoCompiler: an error says what to do.
func TestNoCompiler(t *testing.T) {
	f := collectives.Finding{Operation: "broadcast", Sets: [][]int32{{0, 1}}, Block: 8,
		One: []*collectives.Message{{From: 0, To: 1, Bytes: 8}}}
	_, err := Run(&Request{Findings: []collectives.Finding{f}, Ranks: 2, Rounds: 1,
		Compiler: []string{"no-such-compiler"},
		Launcher: []string{"none"}, Stderr: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "--mpicc") {
		t.Errorf("%v", err)
	}
}
