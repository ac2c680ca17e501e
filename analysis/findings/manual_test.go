package findings

import (
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/collectives"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
)

// chain is a broadcast from process 0 that each of n passes on to the next.
func chain(n int32, instances uint64) collectives.Finding {
	f := collectives.Finding{Operation: "broadcast", Call: "MPI_Bcast", Grade: collectives.Proven, Sets: [][]int32{{0}},
		SendSites: []int32{0}, RecvSites: []int32{1}, Instances: instances, Messages: int(n - 1)}
	for p := int32(1); p < n; p++ {
		f.Sets[0] = append(f.Sets[0], p)
		f.One = append(f.One, &collectives.Message{From: p - 1, To: p, Sent: 2, Received: 1, Posted: 1})
	}
	return f
}

// TestManualFinding: the collective of messages that costs most is named, with its grade, if a library does it faster.
func TestManualFinding(t *testing.T) {
	usage := &efficiency.Result{End: time.Second, Processes: make([]efficiency.Process, 8), Places: []efficiency.Place{
		{Func: "MPI_Send", Site: "a.c:3", MPI: efficiency.Spread{Sum: time.Second}},
		{Func: "MPI_Recv", Site: "a.c:4", MPI: efficiency.Spread{Sum: time.Second}},
		{Func: "MPI_Recv", MPI: efficiency.Spread{Sum: 20 * time.Millisecond}}}}
	for i := range usage.Processes {
		usage.Processes[i] = efficiency.Process{Process: int32(i), End: time.Second}
	}
	of := func(contents bool, found ...collectives.Finding) string {
		r := &collectives.Result{Findings: found, Contents: contents,
			Sites: []string{"MPI_Send @ a.c:3", "MPI_Recv @ a.c:4", "MPI_Recv"}}
		var all []string
		for _, n := range Of(Input{Usage: usage, Collectives: r}) {
			all = append(all, string(n.Severity)+" "+string(n.Kind)+": "+n.Text)
		}
		return strings.Join(all, "\n")
	}
	large, once, unproven, near, pair := chain(8, 90), chain(8, 1), chain(8, 90), chain(8, 90), chain(2, 90)
	cheap := chain(8, 9000)
	cheap.SendSites, cheap.RecvSites = []int32{2}, []int32{2}
	unproven.Grade, near.Grade = collectives.Consistent, collectives.NearMiss
	const say = "collective of messages: Ranks 0-7 do by 7 messages what MPI_Bcast does, 90 times, the first of " +
		"them in MPI_Send at " +
		"a.c:3: "
	for _, c := range []struct{ got, want string }{
		{of(true, cheap, large), "warning " + say + "the contents of the messages prove it. Their calls take 2s, " +
			"25.0% of all ranks' time"},
		{of(true, unproven), "note " + say + "by the structure of the messages, not proven by their contents. Their " +
			"calls"},
		{of(false, unproven), "note " + say + "by the structure of the messages; contents can prove it (tabard " +
			"record --payload). Their"},
		{of(true, once, near, pair), ""}, // no loop, no broadcast, nothing to gain
	} {
		if !strings.HasPrefix(c.got, c.want) || c.want == "" && c.got != "" {
			t.Errorf("%q instead of %q", c.got, c.want)
		}
	}
}

// TestTokenIsNoCollective: by what makes ranks work one after the other a broadcast has to be proven.
func TestTokenIsNoCollective(t *testing.T) {
	usage := &efficiency.Result{End: time.Second, Processes: make([]efficiency.Process, 8), Places: []efficiency.Place{
		{Func: "MPI_Recv", Site: "a.c:4", MPI: efficiency.Spread{Sum: time.Second}}}}
	for grade, want := range map[collectives.Grade]int{collectives.Consistent: 1, collectives.Proven: 2} {
		c := chain(8, 90)
		c.Grade = grade
		f := &finder{total: 8 * time.Second, found: []Finding{{Kind: Serial, Func: "MPI_Recv", Site: "a.c:4"}},
			Input: Input{Usage: usage, Collectives: &collectives.Result{Findings: []collectives.Finding{c},
				Sites: []string{"MPI_Send @ a.c:3", "MPI_Recv @ a.c:4"}}}}
		f.Name = func(int32) string { return "" }
		f.Duration = time.Duration.String
		if f.manual(); len(f.found) != want {
			t.Errorf("%s: %v", grade, f.found)
		}
	}
}
