package regions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

func of(t *testing.T, a *archive.Archive, flags selection.Flags) *Result {
	t.Helper()
	s, err := selection.Parse(flags)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Of(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func lines(r *Result) (list []string) {
	for _, g := range r.Regions {
		list = append(list, fmt.Sprintf("%s: %d times, %d calls, %d ns, %d in calls, most %d at %d of %d", g.Name(),
			g.Count,
			g.Calls, g.Time, g.InCalls, g.Most, g.Process, g.Ranks))
	}
	return list
}

// TestOf: regions are told apart by those that they are in; what is not balanced is counted.
func TestOf(t *testing.T) {
	var d strings.Builder
	for r := range 2 {
		fmt.Fprintf(&d, "rank %d of 2 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n", r)
		fmt.Fprintf(&d, "100+0 region_begin(name=\"a\")\n200+50 MPI_Barrier(comm=MPI_COMM_WORLD)\n"+
			"300+0 region_begin(name=\"b\", from=\"nvtx\")\n310+%d MPI_Barrier(comm=MPI_COMM_WORLD)\n"+
			"400+0 region_end()\n500+0 region_end()\n510+0 region_end()\n"+
			"600+0 region_begin(name=\"b\")\n700+100 MPI_Barrier(comm=MPI_COMM_WORLD)\n", 20+40*r)
	}
	a := archivetest.InMemory(t, d.String())
	r := of(t, a, selection.Flags{})
	want := []string{"a: 2 times, 4 calls, 800 ns, 180 in calls, most 400 at 0 of 2",
		"a/b: 2 times, 2 calls, 200 ns, 80 in calls, most 100 at 0 of 2",
		"b: 2 times, 2 calls, 400 ns, 200 in calls, most 200 at 0 of 2"}
	if got := lines(r); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Open != 2 || r.Unmatched != 2 || !r.Timed || r.Elapsed != 1400 {
		t.Errorf("%d open, %d unmatched, %v", r.Open, r.Unmatched, r.Elapsed)
	}
	if r.Regions[1].From != "nvtx" {
		t.Errorf("from %q", r.Regions[1].From)
	}
	if got := lines(of(t, a, selection.Flags{Ranks: "1", Functions: "MPI_Send"})); len(got) != 3 ||
		got[0] != "a: 1 times, 0 calls, 400 ns, 0 in calls, most 400 at 1 of 1" {
		t.Errorf("of rank 1: %q", got)
	}
	if p, err := a.MPI(); err != nil || p.Stream(0).Calls() != 3 || len(of(t, p, selection.Flags{}).Regions) != 0 {
		t.Error("regions are left in the calls of MPI", err)
	}
}

// TestBands: regions that are too short are taken together, and what has not ended lasts to the end.
func TestBands(t *testing.T) {
	var d strings.Builder
	d.WriteString("rank 0 of 1 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n100+0 region_begin(name=\"all\")\n")
	for i := range 10 {
		fmt.Fprintf(&d, "%d+0 region_begin(name=\"short\")\n%d+0 region_end()\n", 200+10*i, 205+10*i)
	}
	d.WriteString("400+0 region_begin(name=\"long\")\n410+0 region_begin(name=\"deep\")\n420+0 region_end()\n" +
		"800+0 region_end()\n900+50 MPI_Barrier(comm=MPI_COMM_WORLD)\n")
	a := archivetest.InMemory(t, d.String())
	at := func(t time.Duration) time.Duration { return t }
	got, err := Bands(a.Stream(0), BandOptions{To: 1000, Levels: 2, Least: 20, At: at})
	want := []Band{{1, 200, 295, "short", 10, false}, {1, 400, 800, "long", 1, false}, {0, 100, 950, "all", 1, false}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	got, err = Bands(a.Stream(0), BandOptions{From: 500, To: 600, Levels: 1, Least: 1, At: at})
	if want := []Band{{0, 500, 600, "all", 1, false}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// TestFunctionBands: functions are shown from those on that main calls, trees of calls as one.
func TestFunctionBands(t *testing.T) {
	const begin = "rank 0 of 1 on n\nclock 0 0 0\nclock 1000000 1000000 1000000\n10+0 function_open() @ a.c:1 [main]\n"
	for _, tt := range []struct {
		rest string
		want []Band
	}{
		{"100+300 function_calls(times=4) @ a.c:2 [work]\n500+0 function_open() @ a.c:3 [step]\n" +
			"550+50 MPI_Barrier(comm=MPI_COMM_WORLD)\n600+100 function_calls(times=1) @ a.c:2 [work]\n" +
			"800+0 function_close()\n900+0 function_close()\n910+40 function_calls(times=1) @ a.c:9 [last]\n",
			[]Band{{0, 100, 400, "work", 4, true}, {1, 600, 700, "work", 1, true}, {0, 500, 800, "step", 1, true},
				{0, 910, 950, "last", 1, true}}},
		{"550+50 MPI_Barrier(comm=MPI_COMM_WORLD)\n", []Band{{0, 10, 600, "main", 1, true}}},
	} {
		a := archivetest.InMemory(t, begin+tt.rest)
		at := func(t time.Duration) time.Duration { return t }
		if got, err := Bands(a.Stream(0), BandOptions{To: 1000, Levels: 2, At: at}); err != nil ||
			!slices.Equal(got, tt.want) {
			t.Errorf("%v, %v, want %v", got, err, tt.want)
		}
	}
}
