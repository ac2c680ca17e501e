package timeline_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
	"github.com/tabard-hpc/tabard/spec"
)

// program is ranks that make random calls at random times: nested ones, runs of polls, threads,
// and calls that did not return. Nested calls begin later after the outer one. (A window that ends
// between both ends before the outer one, which the selection says.)
func program(rng *rand.Rand, ranks, later int) string {
	var b strings.Builder
	b.WriteString("abi mpich\n")
	calls := []string{
		"MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD)", "MPI_Wait(request=request#0)",
		"MPI_Barrier(comm=MPI_COMM_WORLD)", "MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_SELF)",
		"MPI_Win_fence()", "MPI_File_sync()", "MPI_Comm_rank(comm=MPI_COMM_WORLD)", "tabard_tracing()",
	}
	now := 0
	line := func(text string) {
		d := rng.IntN(200)
		now += rng.IntN(100)
		fmt.Fprintf(&b, "%d+%d %s\n", now, d, text)
		now += d
	}
	for r := range ranks {
		fmt.Fprintf(&b, "rank %d of %d on n\nclock 0 0 0\nclock 1000 1000 1000\n", r, ranks)
		for th := range 1 + r%2 {
			if th > 0 {
				b.WriteString("thread 1\n")
			}
			now = rng.IntN(500)
			for range 20 + rng.IntN(60) {
				switch rng.IntN(12) {
				case 0:
					// Polls begin 100 after the call before.
					fmt.Fprintf(&b, "%d+5 MPI_Comm_size(comm=MPI_COMM_WORLD)\npoll %d MPI_Test(request=request#0) ; "+
						"flag=0\n", now,
						1+rng.IntN(5))
					now += 600
				case 1:
					d := 40 + rng.IntN(100)
					fmt.Fprintf(&b, "%d+5 MPI_Comm_size(comm=MPI_COMM_WORLD) ; nested\n%d+%d "+
						"MPI_Comm_dup(comm=MPI_COMM_WORLD)\n",
						now+10+later, now+10, d)
					now += d + 10
				default:
					line(calls[rng.IntN(len(calls))])
				}
			}
			if rng.IntN(3) == 0 {
				fmt.Fprintf(&b, "%d+0 MPI_Recv(count=1, datatype=MPI_INT, source=0, tag=0, comm=MPI_COMM_WORLD) ; "+
					"unfinished\n",
					now+7)
			}
		}
	}
	return b.String()
}

// reference computes shares from single calls, cell by cell.
func reference(t *testing.T, a *archive.Archive, s *archive.Stream, r *timeline.Result, functions *selection.Functions,
	col int) (out [timeline.NumCategories]float64) {
	t.Helper()
	w := float64(r.To-r.From) / float64(r.Columns)
	lo, hi := float64(r.From)+float64(col)*w, float64(r.From)+float64(col+1)*w
	overlap := func(from, to time.Duration) float64 {
		return math.Max(0, math.Min(hi, float64(to))-math.Max(lo, float64(from))) / w
	}
	begin, end := time.Duration(math.MaxInt64), time.Duration(0)
	mpi := 0.0
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		begin = min(begin, c.Start)
		to := c.End
		if c.Flags&archive.Unfinished != 0 {
			to = r.To
		}
		end = max(end, to)
		if c.Flags&archive.Nested != 0 || c.Func.Own() {
			continue
		}
		k := timeline.CategoryOf(c.Func)
		if !functions.Contains(c.Func.ID) {
			k = timeline.Unselected
		}
		out[k] += overlap(c.Start, to)
		mpi += overlap(c.Start, to)
	}
	out[0] = overlap(begin, end) - mpi
	return out
}

func TestAgainstSingleCalls(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		flags, later := selection.Flags{}, 15
		if seed%3 > 0 {
			later = 0
			from := rng.IntN(3000)
			flags.Time = fmt.Sprintf("%dns..%dns", from, from+1+rng.IntN(4000))
		}
		if seed%4 == 3 {
			flags.Functions = "p2p,MPI_Test,MPI_Win*"
		}
		a := archivetest.Archive(t, program(rng, 1+rng.IntN(5), later))
		sel, err := selection.Parse(flags)
		if err != nil {
			t.Fatal(err)
		}
		res, err := sel.Resolve(a)
		if err != nil {
			t.Fatal(err)
		}
		r, err := timeline.Of(res, timeline.Options{Columns: 1 + rng.IntN(40), MaxRows: rng.IntN(4), MaxSpans: 10_000})
		if err != nil {
			if strings.Contains(err.Error(), "no calls are selected") {
				continue
			}
			t.Fatalf("seed %d: %v", seed, err)
		}
		check(t, seed, a, r, sel)
	}
}

// around tells whether a stream makes no call in the window of a timeline, but some before and some after it.
func around(t *testing.T, s *archive.Stream, r *timeline.Result) bool {
	t.Helper()
	before, after := false, false
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		before, after = before || c.End <= r.From, after || c.Start >= r.To
	}
	return before && after
}

// A rank that lives in the window and makes no call there computes: it has a row like the others, in timelines of many
// ranks and of all that are there, and so have ranks of which none makes a call.
func TestComputing(t *testing.T) {
	const ranks = `abi mpich
rank 0 of 3 on n
0+100 MPI_Init()
1000+500 MPI_Barrier(comm=MPI_COMM_WORLD)
9000+100 MPI_Finalize()
rank 1 of 3 on n
0+100 MPI_Init()
9000+100 MPI_Finalize()
rank 2 of 3 on n
0+100 MPI_Init()
500+100 MPI_Finalize()
`
	a := archivetest.Archive(t, ranks)
	for _, c := range []struct {
		flags selection.Flags
		ranks []int
		total float64 // of computation
	}{
		{selection.Flags{Time: "1us..2us"}, []int{0, 1}, 0.75},
		{selection.Flags{Time: "1us..2us", Ranks: "1-2"}, []int{1}, 1},
		{selection.Flags{Time: "3us..4us"}, []int{0, 1}, 1},
		{selection.Flags{Time: "200ns..400ns"}, []int{0, 1, 2}, 1},
		{selection.Flags{Time: "1us..2us", Ranks: "2"}, nil, 0},
	} {
		sel, err := selection.Parse(c.flags)
		if err != nil {
			t.Fatal(err)
		}
		for _, exact := range []uint64{0, 1} {
			r, err := timeline.Of(mustResolve(t, sel, a), timeline.Options{Columns: 4, Exact: exact})
			if c.ranks == nil {
				if err == nil {
					t.Errorf("%+v: no error", c.flags)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, row := range r.Rows {
				got = append(got, row.Rank)
			}
			if !slices.Equal(got, c.ranks) || math.Abs(r.Total[timeline.Computation]-c.total) > 1e-9 {
				t.Errorf("%+v: ranks %v, computation %g", c.flags, got, r.Total[timeline.Computation])
			}
			want := c.total * float64(r.To-r.From) * float64(len(c.ranks))
			if got := tileComputation(t, a, c.flags, 9100); math.Abs(got-want) > want/100 {
				t.Errorf("%+v: %g ns of computation in tiles, %g in the timeline", c.flags, got, want)
			}
		}
	}
}

// tileComputation is the computation of all lines of a selection in a job that ends at end, in ns.
func tileComputation(t *testing.T, a *archive.Archive, flags selection.Flags, end time.Duration) (ns float64) {
	t.Helper()
	tile := &timeline.Tile{Level: timeline.GridLevel(end), Group: 1, Rows: 64}
	fill(t, newTiler(t, a, flags, end), tile)
	for line := range a.NumStreams() {
		for bin := range timeline.TileBins {
			ns += tile.Time(line, bin, timeline.Computation)
		}
	}
	return ns
}

func check(t *testing.T, seed uint64, a *archive.Archive, r *timeline.Result, sel *selection.Selection) {
	t.Helper()
	for i, row := range r.Rows {
		for col := range r.Columns {
			var want [timeline.NumCategories]float64
			n := 0
			for k := row.First; k <= row.Last; k++ {
				part, err := mustResolve(t, sel, a).Part(a.Stream(k))
				if err != nil {
					t.Fatal(err)
				}
				if part == nil && !around(t, a.Stream(k), r) {
					continue
				}
				n++
				for c, v := range reference(t, a, a.Stream(k), r, sel.Functions, col) {
					want[c] += v
				}
			}
			if n != row.Threads {
				t.Fatalf("seed %d: row %d has %d threads instead of %d", seed, i, row.Threads, n)
			}
			for c, v := range r.Shares(i, col) {
				if math.Abs(v-want[c]/float64(n)) > 1e-9 {
					t.Fatalf("seed %d: row %d column %d: %v is %g, want %g", seed, i, col, timeline.Category(c), v,
						want[c]/float64(n))
				}
			}
		}
		for _, s := range row.Spans {
			if s.End < r.From || s.Start > r.To || s.End < s.Start {
				t.Errorf("seed %d: span %+v is outside of %v..%v", seed, s, r.From, r.To)
			}
		}
	}
}

func mustResolve(t *testing.T, sel *selection.Selection, a *archive.Archive) *selection.Resolved {
	t.Helper()
	r, err := sel.Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTotalsAndSpans(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 2 on n
0+100 MPI_Init()
300+100 MPI_Send(count=1, datatype=MPI_INT, dest=1, tag=0, comm=MPI_COMM_WORLD)
900+100 MPI_Barrier(comm=MPI_COMM_WORLD)
rank 1 of 2 on n
500+500 MPI_Barrier(comm=MPI_COMM_WORLD)
`)
	sel := mustResolve(t, selection.All, a)
	r, err := timeline.Of(sel, timeline.Options{Columns: 10, MaxSpans: 4})
	if err != nil {
		t.Fatal(err)
	}
	if r.From != 0 || r.To != 1000 || r.Calls != 4 || !r.Spans || len(r.Rows) != 2 || len(r.Rows[0].Spans) != 3 {
		t.Errorf("%+v", r)
	}
	if s := r.Shares(1, 4); s[0] != 0 || s[timeline.Collective] != 0 { // nothing is known before the first call
		t.Errorf("%v", s)
	}
	// 1500 ns are known: 700 of computation, 600 of collectives, 100 each of the others.
	for c, want := range map[timeline.Category]float64{timeline.Computation: 700, timeline.Collective: 600,
		timeline.PointToPoint: 100, timeline.Lifecycle: 100} {
		if got := r.Total[c] * 1500; math.Abs(got-want) > 1e-6 {
			t.Errorf("%v: %g ns, want %g", c, got, want)
		}
	}
	if a, b := &r.Rows[0], &r.Rows[1]; a.From != 0 || a.To != 1000 || b.From != 500 || b.To != 1000 {
		t.Errorf("%+v %+v", a, b)
	}
	if s := r.Rows[0].Spans[1]; s.Func.Name != "MPI_Send" || s.Start != 300 || s.End != 400 || s.Call != 1 {
		t.Errorf("%+v", s)
	}
	if r, err = timeline.Of(sel, timeline.Options{Columns: 10, MaxSpans: 3, MaxRows: 1}); err != nil || r.Spans ||
		len(r.Rows) != 1 || r.Rows[0].LastRank != 1 {
		t.Errorf("%+v, error %v", r, err)
	}
}

func TestSteps(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 1 on n
0+10 MPI_Init()
loop 50
  MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD)
  MPI_Barrier(comm=MPI_COMM_WORLD)
end
MPI_Finalize()
`)
	sel, err := selection.Parse(selection.Flags{Steps: "3-4"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := timeline.Of(mustResolve(t, sel, a), timeline.Options{Columns: 4, MaxSpans: 10})
	if err != nil {
		t.Fatal(err)
	}
	// Calls begin every 100 ticks and take 10. Step 3 is the 7th and 8th call after MPI_Init.
	if got := r.Rows[0].Spans; len(got) != 4 || r.To-r.From != 400 || got[3].End != r.To {
		t.Errorf("%v..%v %+v", r.From, r.To, got)
	}
	for col := range 4 {
		if s := r.Shares(0, col); math.Abs(s[0]-0.9) > 1e-9 {
			t.Errorf("column %d: %v", col, s)
		}
	}
}

// makeJob makes the archive of a synthetic program.
func makeJob(t testing.TB, name string, ranks, steps int) *archive.Archive {
	t.Helper()
	job, err := synthetic.NewJob(synthetic.ByName(name),
		synthetic.Params{Ranks: ranks, Steps: steps, Seed: 1, Timing: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := job.Recording()
	if err != nil {
		t.Fatal(err)
	}
	return archivetest.Open(t, b)
}

// Adding up ticks gives the same shares as adding up times, but for rounding the borders of
// columns.
func TestTicks(t *testing.T) {
	same := func(_ *archive.Stream, t time.Duration) time.Duration { return t }
	compared := 0
	for _, name := range []string{"stencil-2d", "polls", "amr"} {
		a := makeJob(t, name, 3, 600)
		for _, flags := range []selection.Flags{{}, {Time: "2%..60%"}, {Functions: "MPI_Waitall,MPI_Send"},
			{Ranks: "1,3", Steps: "10-80"}} {
			sel, err := selection.Parse(flags)
			if err != nil {
				t.Fatal(err)
			}
			want, err := timeline.Of(mustResolve(t, sel, a), timeline.Options{Columns: 25, MaxRows: 3, Clock: same})
			if err != nil && flags.Steps != "" {
				continue // irregular programs have no steps
			} else if err != nil {
				t.Fatalf("%s %+v: %v", name, flags, err)
			}
			compared++
			got, err := timeline.Of(mustResolve(t, sel, a), timeline.Options{Columns: 25, MaxRows: 3})
			if err != nil {
				t.Fatal(err)
			}
			width := float64(got.To-got.From) / 25
			if width < 10_000 && flags.Steps != "" {
				continue // so few steps take little time
			}
			if width < 10_000 {
				t.Fatalf("columns of %g ns are added up by times", width)
			}
			for row := range got.Rows {
				if x, y := got.Rows[row], want.Rows[row]; x.From != y.From || x.To != y.To {
					t.Errorf("%s %+v: row %+v, want %+v", name, flags, x, y)
				}
				for col := range 25 {
					for c, v := range got.Shares(row, col) {
						if w := want.Shares(row, col)[c]; math.Abs(v-w) > 8/width {
							t.Errorf("%s %+v: %d,%d: %v is %g, want %g", name, flags, row, col, timeline.Category(c), v,
								w)
						}
					}
				}
			}
		}
	}
	if compared < 10 {
		t.Errorf("%d comparisons", compared)
	}
}

// Summaries give the same shares as single calls, but for the borders of columns.
func TestSummaries(t *testing.T) {
	a := makeJob(t, "stencil-2d", 2, 40_000)
	for _, flags := range []selection.Flags{{}, {Time: "21%..67%"}, {Functions: "MPI_Waitall,MPI_Send"}} {
		sel, err := selection.Parse(flags)
		if err != nil {
			t.Fatal(err)
		}
		const columns = 6
		want, err := timeline.Of(mustResolve(t, sel, a), timeline.Options{Columns: columns, Exact: math.MaxUint64})
		if err != nil {
			t.Fatal(err)
		}
		for _, exact := range []uint64{1, 5_000} {
			got, err := timeline.Of(mustResolve(t, sel, a), timeline.Options{Columns: columns, Exact: exact})
			if err != nil {
				t.Fatal(err)
			}
			if want.Blur != 0 || got.Blur == 0 || got.Blur > (got.To-got.From)/columns*5/2 || got.Calls != want.Calls ||
				got.From != want.From || got.To != want.To {
				t.Errorf("%+v: %v..%v, blur %v, %d calls, want %v..%v, %v, %d", flags, got.From, got.To, got.Blur,
					got.Calls, want.From, want.To, want.Blur, want.Calls)
			}
			for c := range got.Total {
				if math.Abs(got.Total[c]-want.Total[c]) > 1e-6 {
					t.Errorf("%+v: %v %g, want %g", flags, timeline.Category(c), got.Total[c], want.Total[c])
				}
			}
			for row := range got.Rows {
				if x, y := got.Rows[row], want.Rows[row]; x.From != y.From || x.To != y.To {
					t.Errorf("%+v: row %+v, want %+v", flags, x, y)
				}
				for col := range columns {
					for c, v := range got.Shares(row, col) {
						if w := want.Shares(row, col)[c]; math.Abs(v-w) > 0.01 {
							t.Errorf("%+v: %d,%d: %v is %g, want %g", flags, row, col, timeline.Category(c), v, w)
						}
					}
				}
			}
		}
	}
}

func TestUntimed(t *testing.T) {
	a := archivetest.Archive(t, "abi mpich\nnotiming\nrank 0 of 1 on n\nMPI_Init()\n")
	if _, err := timeline.Of(mustResolve(t, selection.All, a),
		timeline.Options{Columns: 1}); err != timeline.ErrUntimed {
		t.Error(err)
	}
}

func TestCategories(t *testing.T) {
	for name, want := range map[string]timeline.Category{
		"MPI_Isend": timeline.PointToPoint, "MPI_Waitall": timeline.Wait, "MPI_Testsome": timeline.Wait,
		"MPI_Startall": timeline.PointToPoint,
		"MPI_Ibcast":   timeline.Collective, "MPI_Neighbor_alltoall": timeline.Collective, "MPI_Put": timeline.RMA,
		"MPI_Win_fence":     timeline.RMA,
		"MPI_File_read_all": timeline.IO, "MPI_File_open": timeline.IO, "MPI_Init": timeline.Lifecycle,
		"MPI_Type_commit": timeline.Other, "MPI_Comm_split": timeline.Other,
	} {
		if got := timeline.CategoryOf(spec.ByName(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func BenchmarkTimeline(b *testing.B) {
	a := makeJob(b, "stencil-2d", 2, 40_000)
	for _, c := range []struct {
		name  string
		exact uint64
	}{{"calls", math.MaxUint64}, {"summaries", 1}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				sel, err := selection.All.Resolve(a)
				if err != nil {
					b.Fatal(err)
				}
				r, err := timeline.Of(sel, timeline.Options{Columns: 8, Exact: c.exact})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Calls), "calls/op")
			}
			b.ReportAllocs()
		})
	}
}
