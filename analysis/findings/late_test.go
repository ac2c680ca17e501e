package findings

import (
	"strings"
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

// Rank 1 computes longer than others in some of 40 time steps, by so many milliseconds.
func TestLateFromAStepOn(t *testing.T) {
	for name, c := range map[string]struct {
		more func(step int) int
		want int64
	}{
		"from 15 on":      {func(s int) int { return s / 15 * 8 }, 15},
		"with exceptions": {func(s int) int { return map[bool]int{true: 8}[s >= 15 && s != 20] }, 15},
		"always":          {func(s int) int { return 8 }, -1},
		"but for one":     {func(s int) int { return min(s, 1) * 8 }, -1},
		"at the end":      {func(s int) int { return s / 35 * 8 }, -1},
		"now and then":    {func(s int) int { return s / 15 * 8 * min(s%3, 1) }, -1},
		"more and more":   {func(s int) int { return s }, -1},
		"never":           {func(s int) int { return 0 }, -1},
	} {
		usage, r := four()
		r.Roots[1].Time, r.Roots[1].Steps, r.Roots[1].Worst = 1600*time.Millisecond, 20, 3
		for s := range 40 {
			d := time.Duration(c.more(s)) * time.Millisecond
			usage.Steps = append(usage.Steps, efficiency.Step{Begin: time.Duration(s) * time.Millisecond,
				Useful: efficiency.Spread{Processes: 4, Most: 1, Max: 10*time.Millisecond + d, Sum: 40*time.Millisecond + d}})
		}
		usage.Places = []efficiency.Place{{Func: "MPI_Send", Before: efficiency.Spread{Processes: 4, Most: 1,
			Max: time.Second, Sum: 1100 * time.Millisecond}}}
		n := first(Input{Usage: usage, Waits: r})
		says := strings.Contains(n.Text, "It is so from time step 15 on (at 15ms), and was not before")
		if n.Kind != LateRank || says != (c.want >= 0) || says && n.Step != c.want {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

// A rank that others wait for, but that computes as long as they do, is no more than a note if the run would take as
// long without its lateness. Of two that compute longer each alone makes no difference.
func TestLateButNoLonger(t *testing.T) {
	for _, c := range []struct {
		without, useful time.Duration
		ok              bool
		severity        Severity
	}{
		{999 * time.Millisecond, 500 * time.Millisecond, true, Note},
		{999 * time.Millisecond, 900 * time.Millisecond, true, Warning},
		{900 * time.Millisecond, 500 * time.Millisecond, true, Warning},
		{0, 500 * time.Millisecond, false, Warning},
	} {
		usage, r := four()
		r.Roots[1].Time, usage.Processes[1].MPI = 1600*time.Millisecond, time.Second-c.useful
		found := false
		for _, n := range Of(Input{Usage: usage, Waits: r, Without: func(*Finding) (time.Duration, bool) {
			return c.without, c.ok
		}}) {
			found = found || n.Kind == LateRank && n.Process == 1 && n.Severity == c.severity &&
				strings.Contains(n.Text, "In all it computes no longer") == (c.severity == Note)
		}
		if !found {
			t.Errorf("%+v", c)
		}
	}
}

// Ranks compute one at a time on the average. If their waits for messages were gone, and the run took as long, that is
// chance.
func TestSerialOrChance(t *testing.T) {
	for saved, want := range map[time.Duration]Kind{0: Jitter, 400 * time.Millisecond: Serial} {
		usage, r := four()
		for i := range usage.Processes {
			usage.Processes[i].MPI = 750 * time.Millisecond
		}
		r.Total.Time = 2 * time.Second
		r.Kinds[waits.LateSender].Time = r.Total.Time
		for i, line := range []string{"a.c:3 [f]", "a.c:5 [f]"} {
			r.Groups = append(r.Groups, waits.Group{Sum: waits.Sum{Time: time.Second}, Kind: waits.LateSender,
				Waiting: waits.Place{Func: "MPI_Recv", Site: line}, Late: waits.Place{Func: "MPI_Send"},
				Waiters: []waits.Share{{Process: int32(i)}}, Causers: []waits.Share{{Process: int32(i + 1)}}})
		}
		n := first(Input{Usage: usage, Waits: r, Without: func(n *Finding) (time.Duration, bool) {
			if n.Site == "a.c:5 [f]" {
				return time.Second - saved, true
			}
			return time.Second, true
		}})
		if n.Kind != want || want == Serial && (n.Site != "a.c:5 [f]" || !strings.Contains(n.Text, "in MPI_Recv at "+
			"a.c:5 [f] for what MPI_Send sends, and in MPI_Recv at a.c:3 [f] for what MPI_Send sends")) {
			t.Errorf("%v saved: %+v", saved, n)
		}
	}
}
