package efficiency_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/efficiency"
	"github.com/tabard-hpc/tabard/analysis/loops"
	"github.com/tabard-hpc/tabard/analysis/match"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/quantile"
)

// program is ranks with time steps of a barrier and a send to nobody; rank r computes work(r, s) ns
// before the barrier of step s.
func program(ranks, steps int, work func(r, s int) int) string {
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./app\n")
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n0+10 MPI_Init() @ a.c:1 "+
			"[main]\n",
			r, ranks)
		at := 10
		for s := range steps {
			at += work(r, s)
			fmt.Fprintf(&b, "%d+30 MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:5 [step]\n", at)
			at += 35
			fmt.Fprintf(&b, "%d+5 MPI_Send(count=1, datatype=MPI_INT, dest=MPI_PROC_NULL, tag=0, "+
				"comm=MPI_COMM_WORLD) @ a.c:6 "+
				"[step]\n", at)
			at += 5
		}
		fmt.Fprintf(&b, "%d+20 MPI_Finalize() @ a.c:9 [main]\n", at+7)
	}
	return b.String()
}

func of(t *testing.T, a *archive.Archive, f selection.Flags) *efficiency.Result {
	t.Helper()
	p, err := calls.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := selection.FindSteps(a, loops.StepLoop{})
	if err != nil {
		t.Fatal(err)
	}
	o := efficiency.Options{Steps: steps}
	if f != (selection.Flags{}) {
		s, err := selection.Parse(f)
		if err != nil {
			t.Fatal(err)
		}
		if o.Selection, err = s.Resolve(a); err != nil {
			t.Fatal(err)
		}
	}
	r, err := efficiency.Of(p, o)
	if err != nil {
		t.Fatal(err)
	}
	observed(t, p, o, r)
	return r
}

// observed checks that an observer finds out the same, with loops handed to it as such and without.
func observed(t *testing.T, p *calls.Program, o efficiency.Options, want *efficiency.Result) {
	t.Helper()
	x, err := efficiency.Observe(p, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := match.RunProgram(p, match.Options{Observer: x}); err != nil {
		t.Fatal(err)
	}
	text := func(r *efficiency.Result) string {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		s := string(b)
		for i := range r.Places { // distributions that are equal may be kept in different ways
			d := &r.Places[i].Durations
			s += fmt.Sprintln("\nplace", i, d.Count(), d.Quantile(.1), d.Quantile(.5), d.Quantile(.9), d.Quantile(.99),
				d.Excess(), d.Bins())
		}
		return s
	}
	got, err := x.Result()
	if err != nil {
		t.Fatal(err)
	}
	if a, b := text(got), text(want); a != b {
		t.Errorf("an observer found\n%s\nwant\n%s", a, b)
	}
}

// TestObserver: many steps, so that loops are handed over as such, with something in between.
func TestObserver(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	desc := program(3, 900, func(r, s int) int { return rng.IntN(500) })
	for _, f := range []selection.Flags{{}, {Functions: "MPI_Barrier"}, {Time: "10%..60%"}, {Steps: "100-700"},
		{Ranks: "1"}} {
		if r := of(t, archivetest.Archive(t, desc), f); f == (selection.Flags{}) && len(r.Steps) != 900 {
			t.Errorf("%d steps", len(r.Steps))
		}
	}
}

func TestTimes(t *testing.T) {
	r := of(t, archivetest.Archive(t, program(3, 20, func(r, s int) int { return 100 + 100*r })), selection.Flags{})
	if len(r.Processes) != 3 {
		t.Fatalf("%d processes", len(r.Processes))
	}
	for i, p := range r.Processes {
		useful := time.Duration(20*(100+100*i) + 20*5 + 7)
		if p.Process != int32(i) || p.Useful() != useful || p.MPI != 20*35 || p.Around != 30 || p.Calls != 40 {
			t.Errorf("process %d: %+v, useful %v", i, p, p.Useful())
		}
	}
	total := float64(20*300 + 20*5 + 7 + 20*35)
	e := r.Efficiency()
	if want := (20*300 + 107) / total; math.Abs(e.Communication-want) > 1e-9 {
		t.Errorf("communication efficiency %v, want %v", e.Communication, want)
	}
	if want := (20*200 + 107.0) / (20*300 + 107); math.Abs(e.LoadBalance-want) > 1e-9 {
		t.Errorf("load balance %v, want %v", e.LoadBalance, want)
	}
	if math.Abs(e.Parallel-e.LoadBalance*e.Communication) > 1e-9 {
		t.Errorf("parallel efficiency %v is not the product of %v and %v", e.Parallel, e.LoadBalance, e.Communication)
	}
	i := slices.IndexFunc(r.Places, func(p efficiency.Place) bool { return p.Func == "MPI_Barrier" })
	p := &r.Places[i]
	if p.Site != "a.c:5 [step]" || p.Calls != 60 || p.MPI.Sum != 60*30 || p.Before.Max != 20*300 ||
		p.Before.Most != 2 || p.Before.Min != 20*100 || p.Before.Least != 0 ||
		p.Before.Mean() != 20*200 || p.Before.Imbalance() != 20*100 || p.Durations.Count() != 60 {
		t.Errorf("barrier: %+v", p)
	}
}

// TestIn: of a region the time in it counts, from its begins to its ends.
func TestIn(t *testing.T) {
	a := archivetest.InMemory(t, `abi mpich
rank 0 of 1 on n
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Init() @ a.c:2 [main]
20+0 region_begin(name="r")
25+10 MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
40+0 region_end()
50+20 MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
100+0 region_begin(name="r")
130+0 region_end()
200+0 region_begin(name="r")
210+30 MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
250+0 region_end()
260+0 region_begin(name="r")
262+0 region_end()
300+10 MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
400+10 MPI_Finalize() @ a.c:9 [main]
`)
	part, err := a.Calls()
	if err != nil {
		t.Fatal(err)
	}
	r := of(t, part, selection.Flags{In: "r"})
	p := r.Processes[0]
	if p.Begin != 20 || p.MPI != 40 || p.Calls != 2 || p.Inside() != 20+30+50+2 || p.Useful() != 62 ||
		r.Elapsed() != 102 {
		t.Errorf("%+v: %v inside, %v useful of %v", p, p.Inside(), p.Useful(), r.Elapsed())
	}
}

// TestAround: calls before MPI_Init and after MPI_Finalize are allowed, and no part of the time.
func TestAround(t *testing.T) {
	r := of(t, archivetest.Archive(t, `abi mpich
rank 0 of 1 on n
clock 0 0 0
clock 1000000 1000000 1000000
0+10 MPI_Initialized() @ a.c:1 [main]
100+900 MPI_Init() @ a.c:2 [main]
1050+20 MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:3 [main]
1100+500 MPI_Finalize() @ a.c:4 [main]
5000+10 MPI_Finalized() @ a.c:5 [main]
`), selection.Flags{})
	p := r.Processes[0]
	if p.Begin != 1000 || p.End != 1100 || p.MPI != 20 || p.Useful() != 80 || p.Around != 1400 || p.Calls != 1 ||
		len(r.Places) != 1 {
		t.Errorf("%+v, %d places", p, len(r.Places))
	}
}

func TestSlowSteps(t *testing.T) {
	for _, c := range []struct {
		cause efficiency.Cause
		work  func(r, s int) int
	}{
		{efficiency.OneComputes, func(r, s int) int {
			if r == 1 && s == 13 {
				return 2000
			}
			return 100 + (r+s)%3
		}},
		{efficiency.AllCompute, func(r, s int) int {
			if s == 13 {
				return 2000
			}
			return 100 + (r+s)%3
		}},
		{"", func(r, s int) int { return 100 + (r+s)%3 }},
	} {
		r := of(t, archivetest.Archive(t, program(4, 30, c.work)), selection.Flags{})
		if len(r.Steps) != 30 || r.Stride != 1 {
			t.Fatalf("%d steps", len(r.Steps))
		}
		if c.cause == "" {
			if len(r.SlowSteps) != 0 {
				t.Errorf("slow: %+v", r.SlowSteps)
			}
			continue
		}
		if len(r.SlowSteps) != 1 || r.SlowSteps[0].Step != 13 || r.SlowSteps[0].Cause != c.cause ||
			c.cause == efficiency.OneComputes && r.SlowSteps[0].Process != 1 {
			t.Errorf("slow: %+v, want step 13: %s", r.SlowSteps, c.cause)
		}
	}
}

// TestReference compares with a plain walk over all calls.
func TestReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		ranks, n := 1+rng.IntN(4), 1+rng.IntN(40)
		a := archivetest.Archive(t, program(ranks, n, func(r, s int) int { return rng.IntN(1000) }))
		for _, f := range []selection.Flags{{}, {Functions: "MPI_Barrier"}, {Time: "10%..60%"}, {Ranks: "0"}} {
			got := of(t, a, f)
			sel, _ := selection.Parse(f)
			res, err := sel.Resolve(a)
			if err != nil {
				t.Fatal(err)
			}
			mpi, before, cs := map[string]time.Duration{}, map[string]time.Duration{}, map[string]uint64{}
			for part, err := range res.Parts() {
				if err != nil {
					t.Fatal(err)
				}
				last, first := time.Duration(0), true
				for c, err := range part.Stream.Iter(part.Range.From) {
					if err != nil {
						t.Fatal(err)
					}
					if c.Index >= part.Range.To {
						break
					}
					switch c.Func.Name {
					case "MPI_Init":
						first, last = false, c.End
						continue
					case "MPI_Finalize":
						continue
					}
					if !first {
						before[c.Func.Name] += c.Start - last
					}
					first, last = false, c.End
					mpi[c.Func.Name] += c.Duration()
					cs[c.Func.Name]++
				}
			}
			for _, p := range got.Places {
				if p.MPI.Sum != mpi[p.Func] || p.Before.Sum != before[p.Func] || p.Calls != cs[p.Func] {
					t.Errorf("%+v: %s: %v %v %d, want %v %v %d", f, p.Func, p.MPI.Sum, p.Before.Sum, p.Calls,
						mpi[p.Func], before[p.Func], cs[p.Func])
				}
				delete(cs, p.Func)
			}
			if f.Functions == "" && len(cs) > 0 {
				t.Errorf("%+v: missing %v", f, cs)
			}
		}
	}
}

// TestDistribution compares quantiles with sorted durations.
func TestDistribution(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 30 {
		n := 1 + rng.IntN(3000)
		var durations []time.Duration
		b := &strings.Builder{}
		b.WriteString("abi mpich\nrank 0 of 1 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n")
		at := 0
		for range n {
			d := int(math.Exp(rng.Float64() * 20))
			fmt.Fprintf(b, "%d+%d MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:5 [step]\n", at, d)
			durations = append(durations, time.Duration(d))
			at += d
		}
		r := of(t, archivetest.Archive(t, b.String()), selection.Flags{})
		slices.Sort(durations)
		d := &r.Places[0].Durations
		for _, q := range []float64{0, .1, .5, .9, .99, 1} {
			want := durations[int(q*float64(n-1))]
			if got := d.Quantile(q); math.Abs(float64(got-want)) > quantile.Error*float64(want) {
				t.Errorf("%v-quantile %v, want %v", q, got, want)
			}
		}
		count := uint64(0)
		for _, x := range d.Bins() {
			count += x.Count
		}
		if count != uint64(n) || d.Count() != uint64(n) {
			t.Errorf("%d of %d", count, n)
		}
	}
}

func TestUntimed(t *testing.T) {
	a := archivetest.Archive(t, "abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Init()\n")
	p, err := calls.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := selection.FindSteps(a, loops.StepLoop{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := efficiency.Of(p, efficiency.Options{Steps: steps}); err != efficiency.ErrUntimed {
		t.Errorf("error %v", err)
	}
}
