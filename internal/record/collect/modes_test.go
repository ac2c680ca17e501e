package collect

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
)

// The collector is killed while it stores times within a bound, or their distributions alone: the
// archive says the same as without that.
func TestRestartsOfModes(t *testing.T) {
	const n = 20000 // more than a block of times
	exact := recordAs(t, "lossless", n, 0)
	for _, mode := range []string{"lossy:1%", "lossy:10%;MPI_Test=2%", "lossy:1%,100ns", "aggregate"} {
		want := recordAs(t, mode, n, 0)
		if want.mode != mode {
			t.Fatalf("%s: the archive says %s", mode, want.mode)
		}
		for seed := range uint64(2) {
			got := recordAs(t, mode, n, 1+seed)
			if got.killed < 3 {
				t.Fatalf("%s: killed %d times only", mode, got.killed)
			}
			if mode == "aggregate" {
				if !slices.Equal(got.distributions, want.distributions) || len(want.distributions) == 0 {
					t.Errorf("%s: distributions differ after restarts:\n%q\nwant\n%q", mode, got.distributions,
						want.distributions)
				}
				continue
			}
			// Absolute bounds are converted with a rate that each collector measures; others give
			// the same.
			if mode != "lossy:1%,100ns" && !slices.Equal(got.times, want.times) {
				t.Errorf("%s: times differ after restarts", mode)
			}
			if slices.Equal(got.times, exact.times) || got.errors.Calls != n {
				t.Errorf("%s: exact times, or errors of %d calls", mode, got.errors.Calls)
			}
			if d, s := greatestErrors(got.times, exact.times); d != got.errors.Durations.Max ||
				s != got.errors.Starts.Max {
				t.Errorf("%s: errors of up to %d and %d ticks are said to be %d and %d", mode, d, s,
					got.errors.Durations.Max, got.errors.Starts.Max)
			}
		}
	}
}

// A recorded is what an archive says of times.
type recorded struct {
	mode          string
	times         [][2]uint64 // starts and ends
	errors        archive.TimingErrors
	distributions []string
	killed        int
}

// recordAs records n calls with times stored as mode says. The collector is killed now and then,
// unless seed is 0.
func recordAs(t *testing.T, mode string, n int, seed uint64) (rec recorded) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, func(j *Job) { j.Options = map[string]string{"timing": mode} })
	p := newProgram(t, dir, deadPID+1, 1)
	p.capacity = 1 << 16
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(5), n)...)
	recs = append(recs, p.epilogue()...)
	c := testCollector(t, dir)
	r := rng(300 + seed)
	drive(t, &c, p.threads[0], recs, func(int) {
		if seed == 0 {
			return
		}
		switch r.IntN(2500) {
		case 0:
			c = testCollector(t, dir)
			c.scan()
			revive(c)
			rec.killed++
		case 1:
			for _, pr := range c.order {
				if err := pr.checkpoint(c.dirs); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	finishAll(t, c)
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for s := range a.Streams() {
		rec.add(t, s)
	}
	return rec
}

func distribution(d archive.Distribution) string {
	s := fmt.Sprint(d.Count, d.Sum, d.Min, d.Max)
	d.Bins(func(from, to, n uint64) { s += fmt.Sprint(" ", from, to, n) })
	return s
}

func (rec *recorded) add(t *testing.T, s *archive.Stream) {
	t.Helper()
	times, err := s.Timing()
	if err != nil {
		t.Fatal(err)
	}
	if times == nil {
		sums, err := s.Aggregates()
		if err != nil || sums == nil {
			t.Fatal(sums, err)
		}
		rec.mode = "aggregate"
		for _, c := range sums.Classes() {
			rec.distributions = append(rec.distributions, fmt.Sprint("class ", c, distribution(sums.Durations(c))))
		}
		for _, p := range sums.Pairs() {
			rec.distributions = append(rec.distributions, fmt.Sprint("pair ", p, distribution(sums.Gaps(p))))
		}
		return
	}
	rec.mode, rec.errors = times.Mode().String(), times.Errors()
	for _, span := range times.Range(0, times.Len()) {
		rec.times = append(rec.times, [2]uint64{span.Start, span.End})
	}
	if err := times.Check(); err != nil {
		t.Fatal(err)
	}
}

// greatestErrors are those of durations and starts.
func greatestErrors(got, exact [][2]uint64) (duration, start uint64) {
	distance := func(x, y uint64) uint64 { return max(x, y) - min(x, y) }
	for i, g := range got {
		duration = max(duration, distance(g[1]-g[0], exact[i][1]-exact[i][0]))
		start = max(start, distance(g[0], exact[i][0]))
	}
	return duration, start
}
