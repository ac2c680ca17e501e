package findings

import (
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/waits"
	"github.com/tabard-hpc/tabard/analysis/whatif"
)

// four are the processes of a run of a second in which each is in MPI half of the time, and all are late in turn.
func four() (*efficiency.Result, *waits.Result) {
	usage, r := &efficiency.Result{End: time.Second}, &waits.Result{Elapsed: 4 * time.Second}
	for i := range int32(4) {
		usage.Processes = append(usage.Processes, efficiency.Process{Process: i, End: time.Second, MPI: time.Second / 2})
		r.Processes = append(r.Processes, waits.Process{Process: i, Root: 400 * time.Millisecond})
		r.Roots = append(r.Roots, waits.Root{Process: i, Late: waits.Place{Func: "MPI_Barrier"}, Worst: -1,
			Time: 400 * time.Millisecond})
		r.Total.Time += 400 * time.Millisecond
	}
	return usage, r
}

func first(in Input) Finding {
	if all := Of(in); len(all) > 0 {
		return all[0]
	}
	return Finding{}
}

// What a barrier or an early wait explains is no chance.
func TestAvoidable(t *testing.T) {
	usage, r := four()
	if n := first(Input{Usage: usage, Waits: r}); n.Kind != Jitter || n.Severity != Warning {
		t.Fatalf("%+v", n)
	}
	for _, c := range []struct {
		saved    time.Duration
		kind     Kind
		severity Severity
	}{
		{5 * time.Millisecond, Jitter, Warning}, {100 * time.Millisecond, Jitter, Warning},
		{300 * time.Millisecond, Overlap, Warning},
	} {
		g := []whatif.Gain{{Elapsed: time.Second, Without: time.Second - c.saved}}
		if n := first(Input{Usage: usage, Waits: r, EarlyWaits: g}); n.Kind != c.kind || n.Severity != c.severity {
			t.Errorf("early waits, %v saved: %+v", c.saved, n)
		}
	}
	few := []whatif.Gain{{Elapsed: time.Second, Without: 900 * time.Millisecond, Calls: 90, Rows: 10, Bytes: 8}}
	for saved, severity := range map[time.Duration]Severity{20 * time.Millisecond: "", 100 * time.Millisecond: Note,
		300 * time.Millisecond: Warning} {
		few[0].Without = time.Second - saved
		got := Severity("")
		for _, n := range Of(Input{Usage: usage, Waits: r, SmallCollectives: few}) {
			if n.Kind == Small {
				got = n.Severity
			}
		}
		if got != severity {
			t.Errorf("small collectives, %v saved: %q", saved, got)
		}
	}
	g := []whatif.Gain{{Elapsed: time.Second, Without: 700 * time.Millisecond, Calls: 1}}
	all := Of(Input{Usage: usage, Waits: r, Barriers: g})
	if len(all) != 1 || all[0].Kind != Barrier || all[0].Without != 700*time.Millisecond || all[0].Share != .3 {
		t.Errorf("%+v", all)
	}
}

// The sender comes before the receiver whose lateness makes it wait.
func TestFarAhead(t *testing.T) {
	usage, r := four()
	q := waits.Queue{From: 1, To: 0, Most: 100, Bytes: 800, Sent: waits.Place{Func: "MPI_Send", Site: "a.c:5 [f]"}}
	for _, c := range []struct {
		most     int
		blocked  time.Duration
		severity Severity
	}{{100, 0, ""}, {300, 0, Note}, {2000, 0, Warning}, {100, time.Second, Warning}} {
		q.Most, q.Blocked = c.most, waits.Sum{Count: 1, Time: c.blocked}
		r.Queues = []waits.Queue{q}
		got := Severity("")
		for _, n := range Of(Input{Usage: usage, Waits: r}) {
			if n.Kind == Unexpected {
				got = n.Severity
			}
		}
		if got != c.severity {
			t.Errorf("%d messages, %v: %q", c.most, c.blocked, got)
		}
	}
}

// A process that waits for work does not wait for somebody late, and its computing is no measure for the others'.
func TestServer(t *testing.T) {
	usage, r := four()
	usage.Processes[0].MPI = 850 * time.Millisecond // what it computes has been held up by the machine, too
	r.Processes[0].Serving, r.Processes[0].Waited[waits.LateSender] = time.Second, time.Second
	for i := range r.Roots {
		r.Roots[i].Serving = 395 * time.Millisecond
	}
	if all := Of(Input{Usage: usage, Waits: r}); len(all) > 1 || len(all) == 1 && all[0].Severity != Note {
		t.Errorf("%+v", all)
	}
	usage.SlowSteps, usage.Steps = []efficiency.SlowStep{{Step: 3, Length: time.Second}}, make([]efficiency.Step, 40)
	usage.MedianStep = time.Millisecond
	if all := Of(Input{Usage: usage, Waits: r}); len(all) > 1 || len(all) == 1 && all[0].Severity != Note {
		t.Errorf("tasks are no time steps: %+v", all)
	}
	usage.SlowSteps, usage.Processes[1].MPI = nil, time.Second/5
	for without, severity := range map[time.Duration]Severity{time.Second: Note, time.Second / 2: Warning} {
		found := false
		for _, n := range Of(Input{Usage: usage, Waits: r,
			Without: func(*Finding) (time.Duration, bool) { return without, true }}) {
			found = found || n.Kind == Imbalance && n.Severity == severity
		}
		if !found {
			t.Errorf("a worker with more tasks, %v without", without)
		}
	}
	usage.Processes[1].MPI = time.Second / 2
	r.Processes[0].Serving = 0
	if n := first(Input{Usage: usage, Waits: r}); n.Severity != Warning {
		t.Errorf("who does not serve: %+v", n)
	}
}
