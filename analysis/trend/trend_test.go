package trend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/analysis/waits"
)

// noisy is a run of steps that take base times factor, and now and then much longer, as on a busy machine; the content
// of steps differs from step to step in the same way in all runs.
func noisy(r *rand.Rand, n int, factor, busy float64) *Run {
	run := &Run{Ranks: 4, Elapsed: time.Second}
	for i := range n {
		t := 1e6 * factor * (2 + math.Sin(float64(i))) * (1 + 0.02*r.ExpFloat64())
		if r.Float64() < busy {
			t *= 1 + r.ExpFloat64()
		}
		run.series[StepTime] = append(run.series[StepTime], t)
		run.series[Waiting] = append(run.series[Waiting], 0.1+0.02*r.Float64())
		run.series[LoadBalance] = append(run.series[LoadBalance], 0.9-0.02*r.Float64())
		run.series[Communication] = append(run.series[Communication], math.NaN())
	}
	run.series[Elapsed] = []float64{1e9 * factor * (1 + 0.01*r.Float64())}
	return run
}

func several(r *rand.Rand, k, n int, factor, busy float64) (runs []*Run) {
	for range k {
		runs = append(runs, noisy(r, n, factor, busy))
	}
	return runs
}

// Noise is no regression, 5 % are one, and an improvement is none, also where one side has more recordings.
func TestCheckTime(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		base, now, steps int
		factor, busy     float64
		want             Verdict
	}{
		{1, 1, 40, 1, 0.2, Same}, {3, 3, 40, 1, 0.3, Same}, {5, 3, 40, 1, 0.3, Same}, {1, 5, 60, 1, 0.3, Same},
		{3, 3, 60, 1.05, 0.2, Worse}, {5, 3, 100, 1.05, 0.3, Worse}, {3, 3, 60, 0.9, 0.2, Better},
		{1, 1, 3000, 1.05, 0.1, Worse},
	} {
		for k := range 3 {
			now := several(r, c.now, c.steps, c.factor, c.busy)
			list := Checks(several(r, c.base, c.steps, 1, c.busy), now, Structure{}, Defaults())
			got := map[string]Verdict{}
			for _, x := range list {
				got[x.Name] = x.Verdict
			}
			if got[OfTime] != c.want || got[OfWaiting] != Same || got[OfLoadBalance] != Same ||
				got[OfCommunication] != NotJudged {
				t.Errorf("%+v, try %d: %v", c, k, got)
			}
			if three := c.base >= 3 && c.now >= 3; (got[OfElapsed] == NotJudged) == three {
				t.Errorf("%+v: elapsed %v", c, got[OfElapsed])
			}
		}
	}
}

// What is slower in every third step only shows in the mean.
func TestCheckSomeSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	now := several(r, 3, 90, 1, 0.01)
	for _, x := range now {
		for i := 0; i < 90; i += 3 {
			x.series[StepTime][i] *= 1.2
		}
	}
	for _, c := range Checks(several(r, 3, 90, 1, 0.01), now, Structure{}, Defaults()) {
		if c.Name == OfTime && (c.Verdict != Worse || !c.Change.Mean) {
			t.Errorf("%s, %+v", c.Verdict, c.Change)
		}
	}
}

// What is counted is exact unless a tolerance says otherwise, or the baseline itself varies by as much.
func TestCounted(t *testing.T) {
	run := func(bytes int64) *Run { return &Run{Bytes: bytes, Messages: 7} }
	for _, c := range []struct {
		base, now []*Run
		tolerance string
		want      Verdict
	}{
		{[]*Run{run(100)}, []*Run{run(100)}, "", Same},
		{[]*Run{run(100)}, []*Run{run(100), run(101)}, "", Differs},
		{[]*Run{run(100)}, []*Run{run(99)}, "", Differs},
		{[]*Run{run(100)}, []*Run{run(104)}, "bytes=5%", Same},
		{[]*Run{run(100)}, []*Run{run(106)}, "bytes=0.05", Differs},
		{[]*Run{run(100)}, []*Run{run(106)}, "time=1%,bytes=off", NotJudged},
		{[]*Run{run(90), run(110)}, []*Run{run(105)}, "", Same},
		{[]*Run{run(90), run(110)}, []*Run{run(111)}, "", Differs},
	} {
		tol := Defaults()
		if c.tolerance != "" {
			if err := tol.Parse(c.tolerance); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range Checks(c.base, c.now, Structure{}, tol) {
			if x.Name == OfBytes && x.Verdict != c.want || x.Name == OfMessages && x.Verdict != Same {
				t.Errorf("%v: %s is %s", c, x.Name, x.Verdict)
			}
		}
	}
	for _, text := range []string{"", "time", "tme=5%", "time=-1%", "time=NaN", "time=x", "structure=1%", "bytes=inf"} {
		if err := Defaults().Parse(text); err == nil {
			t.Errorf("%q is a tolerance", text)
		}
	}
}

func TestStructureVerdict(t *testing.T) {
	for _, c := range []struct {
		s         Structure
		tolerance string
		want      Verdict
	}{
		{Structure{}, "structure=0", Same}, {Structure{Differences: []string{"x"}}, "structure=0", Differs},
		{Structure{Differences: []string{"x"}}, "structure=off", NotJudged},
		{Structure{Differences: []string{"x"}, Unsteady: true}, "structure=0", NotJudged},
	} {
		tol := Defaults()
		if err := tol.Parse(c.tolerance); err != nil {
			t.Fatal(err)
		}
		if x := Checks([]*Run{{}}, []*Run{{}}, c.s, tol)[0]; x.Verdict != c.want ||
			x.Verdict.Regression() != (c.want == Differs) {
			t.Errorf("%+v: %s", c, x.Verdict)
		}
	}
}

// A program whose all-to-all grows with the number of ranks, under strong and weak scaling.
func TestScale(t *testing.T) {
	for _, weak := range []bool{false, true} {
		var runs []*Run
		for _, p := range []int{16, 4, 8, 4} {
			work := 8e9 / float64(p)
			if weak {
				work = 2e9
			}
			n := float64(p)
			r := &Run{File: fmt.Sprint(p), Ranks: p, Processes: p, Useful: time.Duration(work * n),
				MedianStep: time.Duration(work/100 + 1e6*n),
				Elapsed:    time.Duration(work + 1e8*n)}
			if len(runs) == 3 { // a second one of 4 ranks, slower
				r.MedianStep *= 2
			}
			r.Places = []Place{{"MPI_Alltoall", "a.c:1", uint64(100 * p), uint64(1000 * p * p),
				time.Duration(1e8 * n * n), time.Duration(work * n)},
				{"MPI_Barrier", "a.c:2", uint64(10 * p), 0, time.Duration(1e3 * p), 0}}
			r.Efficiency.Parallel = work / (work + 1e8*n)
			runs = append(runs, r)
		}
		s := Scale(runs, nil)
		if s.Weak != weak || !s.Stepwise || len(s.Sizes) != 3 || s.Sizes[0].Run != runs[1] || s.Sizes[0].Runs != 2 {
			t.Fatalf("weak %t: %+v", weak, s)
		}
		last := s.Sizes[2]
		speedup := float64(runs[1].MedianStep) / float64(runs[0].MedianStep)
		efficiency := speedup
		if !weak {
			efficiency /= 4
		}
		if math.Abs(last.Speedup-speedup) > 1e-9 || math.Abs(last.Efficiency-efficiency) > 1e-9 ||
			math.Abs(last.Computation-1) > 1e-9 || math.Abs(last.Global-runs[0].Efficiency.Parallel) > 1e-9 {
			t.Errorf("weak %t: %+v", weak, last)
		}
		if len(s.Growing) != 2 || s.Growing[0].Quantity != TimeInCalls || math.Abs(s.Growing[0].Exponent-1) > 1e-9 ||
			s.Growing[1].Quantity != BytesFromOne || s.Growing[1].Values[2] != 16000 || !(s.Growing[0].Loss > 0.1) {
			t.Errorf("weak %t: growing %+v", weak, s.Growing)
		}
		if forced := Scale(runs, new(bool)); forced.Weak {
			t.Error("weak was not asked for")
		}
	}
}

// TestUntimed: of recordings without times, on one side or both, nothing that is a time is judged.
func TestUntimed(t *testing.T) {
	timed := func() *Run {
		r := &Run{Ranks: 2, Elapsed: time.Second, together: 1}
		for m := range r.series {
			r.series[m] = make([]float64, 20)
			for i := range r.series[m] {
				r.series[m][i] = 1 + float64(i%3)
			}
		}
		return r
	}
	for _, now := range [][]*Run{{{}, {}, {}}, {timed(), {}, timed()}} {
		for m := range NumMeasures {
			if c := Compare([]*Run{timed(), timed(), timed()}, now, m); c.Steps != 0 {
				t.Errorf("measure %d: %+v", m, c)
			}
		}
	}
	other := timed()
	other.together = 2
	if c := Compare([]*Run{timed()}, []*Run{other}, StepTime); c.Steps != 0 {
		t.Errorf("steps of two kinds were compared: %+v", c)
	}
}

// TestFarthest: of runs beside the baseline the farthest is told, but one that the baseline explains never hides
// another.
func TestFarthest(t *testing.T) {
	of := func(r *Run) float64 { return float64(r.Messages) }
	runs := func(n ...uint64) (list []*Run) {
		for _, x := range n {
			list = append(list, &Run{Messages: x})
		}
		return list
	}
	base := runs(100, 100, 130)
	for _, c := range []struct {
		now     []*Run
		verdict Verdict
		value   float64
	}{{runs(129, 95), Differs, 95}, {runs(95, 129), Differs, 95}, {runs(129, 101), Same, 129},
		{runs(95, 150), Differs, 150}} {
		if x := counted("messages", base, c.now, Tolerances{}, of); x.Verdict != c.verdict || x.Now != c.value {
			t.Errorf("%+v: want %v, %g", x, c.verdict, c.value)
		}
	}
}

// The waiting of a run is what is compared: that of its steps, not what comes before the first one.
func TestWaitingIsThatOfSteps(t *testing.T) {
	runs := make([]*Run, 2)
	for k := range runs {
		u := &efficiency.Result{Stride: 1}
		w := &waits.Result{Elapsed: 100, Total: waits.Sum{Count: 21, Time: 90}}
		for i := range 20 {
			u.Steps = append(u.Steps, efficiency.Step{Length: efficiency.Spread{Processes: 2, Sum: 200, Max: 100},
				Useful: efficiency.Spread{Processes: 2, Sum: 100, Max: 60}})
			w.Steps = append(w.Steps, waits.Step{Step: uint64(i), Time: time.Duration(40 * (k + 1))})
		}
		runs[k] = NewRun(Input{Usage: u, Waits: w, Matrix: &traffic.Matrix{}})
	}
	c := Compare(runs[:1], runs[1:], Waiting)
	if c.Base != .2 || c.Now != .4 || runs[0].Waiting != c.Base || runs[1].Waiting != c.Now {
		t.Errorf("%+v, of %v and %v", c, runs[0].Waiting, runs[1].Waiting)
	}
}
