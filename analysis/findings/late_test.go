package findings

import (
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/waits"
)

// Each of two ranks is late now and then: one of them stands out if others wait for it three times as long. Of more
// ranks the others' median is known.
func TestLateRankStandsOut(t *testing.T) {
	for _, c := range []struct {
		late []time.Duration // how much waiting goes back to each rank, of a second
		want Kind
	}{
		{[]time.Duration{200, 80}, Jitter}, {[]time.Duration{300, 80}, LateRank}, {[]time.Duration{200}, LateRank},
		{[]time.Duration{15, 2}, ""}, {[]time.Duration{400, 80, 60, 50}, LateRank},
		{[]time.Duration{200, 180, 160, 150}, Jitter},
	} {
		usage := &efficiency.Result{End: time.Second}
		r := &waits.Result{Elapsed: time.Second * time.Duration(max(2, len(c.late)))}
		for i := range max(2, len(c.late)) {
			usage.Processes = append(usage.Processes, efficiency.Process{Process: int32(i), End: time.Second,
				MPI: time.Second / 2})
		}
		for i, d := range c.late {
			r.Roots = append(r.Roots, waits.Root{Process: int32(i), Late: waits.Place{Func: "MPI_Send"},
				Time:  d * time.Millisecond,
				Waits: 10, Worst: -1})
			r.Total.Time += d * time.Millisecond
		}
		got := Kind("")
		for _, n := range Of(Input{Usage: usage, Waits: r}) {
			if got == "" && (n.Kind == LateRank || n.Kind == Jitter) {
				got = n.Kind
			}
		}
		if got != c.want {
			t.Errorf("%v: %q instead of %q", c.late, got, c.want)
		}
	}
}

// Slow time steps are exceptions. Where more than a quarter are, as of the iterations of a loop over dimensions those
// that computing comes before, there is nothing slow about them.
func TestSlowStepsAreExceptions(t *testing.T) {
	for _, c := range []struct{ slow, steps, want int }{{1, 40, 1}, {4, 40, 1}, {10, 40, 1}, {40, 120, 0},
		{43, 120, 0}} {
		usage := &efficiency.Result{End: time.Second, MedianStep: time.Millisecond,
			Processes: []efficiency.Process{{End: time.Second}}, Steps: make([]efficiency.Step, c.steps)}
		for i := range c.slow {
			usage.SlowSteps = append(usage.SlowSteps,
				efficiency.SlowStep{Step: uint64(3 * i), Length: 100 * time.Millisecond, Cause: efficiency.AllCompute})
		}
		found := 0
		for _, n := range Of(Input{Usage: usage}) {
			if n.Kind == SlowStep {
				found++
			}
		}
		if found != c.want {
			t.Errorf("%d of %d: %d findings", c.slow, c.steps, found)
		}
	}
}

// Work that moves from rank to rank makes each late for some steps in a row; noise makes one or another late.
func TestMovingWork(t *testing.T) {
	for _, c := range []struct {
		late func(step int) int
		want Kind
	}{
		{func(step int) int { return 3 - step/15%4 }, Imbalance},
		{func(step int) int { return []int{0, 2, 1, 3, 3, 1, 0, 2}[step%8] }, Jitter},
		{func(step int) int { return step % 4 }, Jitter},
	} {
		usage := &efficiency.Result{End: time.Second, Steps: make([]efficiency.Step, 120)}
		r := &waits.Result{Elapsed: 4 * time.Second}
		for i := range 4 {
			usage.Processes = append(usage.Processes, efficiency.Process{Process: int32(i), End: time.Second})
			r.Roots = append(r.Roots, waits.Root{Process: int32(i), Late: waits.Place{Func: "MPI_Allreduce"},
				Worst: -1})
		}
		for step := range usage.Steps {
			root := c.late(step)
			r.Roots[root].Time += 10 * time.Millisecond
			r.Total.Time += 10 * time.Millisecond
			r.Steps = append(r.Steps, waits.Step{Step: uint64(step), Time: 10 * time.Millisecond, Root: root,
				RootTime: 9 * time.Millisecond})
		}
		found := Of(Input{Usage: usage, Waits: r})
		if len(found) == 0 || found[0].Kind != c.want {
			t.Errorf("%v instead of %s", found, c.want)
		}
	}
}

// Where ranks take turns, as at a file, each waits for those before it or for those after it: equally long in all.
// Where they are late by chance, they wait in all calls alike.
func TestTakingTurns(t *testing.T) {
	const turn = 25 * time.Millisecond
	for _, c := range []struct {
		name        string
		turns, rest []time.Duration // how many turns each of four ranks waits for its own, and elsewhere
		causers     int
		want        Kind
	}{
		{"a token", []time.Duration{0, 1, 2, 3}, []time.Duration{3, 2, 1, 0}, 3, Serial},
		{"about", []time.Duration{0, 1, 2, 3}, []time.Duration{3, 2, 1, 1}, 3, Serial},
		{"chance", []time.Duration{2, 1, 2, 1}, []time.Duration{1, 2, 1, 2}, 4, Jitter},
		{"chance at the end of a chain", []time.Duration{0, 2, 2, 2}, []time.Duration{3, 1, 1, 1}, 3, Jitter},
		{"nothing afterwards", []time.Duration{0, 1, 2, 3}, []time.Duration{0, 0, 0, 0}, 3, Jitter},
		{"one that all wait for", []time.Duration{0, 1, 2, 3}, []time.Duration{3, 2, 1, 0}, 1, Jitter},
	} {
		usage := &efficiency.Result{End: time.Second}
		r := &waits.Result{Elapsed: 4 * time.Second}
		g := waits.Group{Kind: waits.LateSender, Waiting: waits.Place{Func: "MPI_Recv"}}
		for i := range int32(4) {
			usage.Processes = append(usage.Processes, efficiency.Process{Process: i, End: time.Second})
			p := waits.Process{Process: i}
			p.Waited[waits.LateSender], p.Waited[waits.WaitAtBarrier] = c.turns[i]*turn, c.rest[i]*turn
			r.Processes = append(r.Processes, p)
			if c.turns[i] > 0 {
				g.Waiters = append([]waits.Share{{Process: i, Time: c.turns[i] * turn}}, g.Waiters...)
				g.Time += c.turns[i] * turn
			}
			r.Total.Time += p.Total()
			r.Roots = append(r.Roots, waits.Root{Process: i, Late: waits.Place{Func: "MPI_Send"},
				Time:  75 * time.Millisecond,
				Worst: -1})
		}
		g.Causers = make([]waits.Share, c.causers)
		r.Groups = []waits.Group{g}
		found := Of(Input{Usage: usage, Waits: r})
		if len(found) == 0 || found[0].Kind != c.want {
			t.Errorf("%s: %v instead of %s", c.name, found, c.want)
		}
	}
}
