package openmp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

func of(t *testing.T, desc string) *Result {
	t.Helper()
	p, err := calls.Open(archivetest.Archive(t, desc))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Of(p, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, desc)
	}
	return r
}

// script is a team at work: what each thread is told, and what that comes to.
type script struct {
	text [8]strings.Builder
	now  [8]int
	want Times
	most time.Duration
	work [8]int
}

func (s *script) event(thread int, name string) {
	fmt.Fprintf(&s.text[thread], "%d+0 %s @ a.c:1 [f]\n", s.now[thread], name)
}

// body is what a thread does: work, barriers, locks, tasks in waits, tasks after its end.
func (s *script) body(r *rand.Rand, thread int) {
	pause := func() (d int) { d = r.IntN(50); s.now[thread] += d; return d }
	work := func() { s.work[thread] += pause() }
	tasks := func() {
		for range r.IntN(3) {
			s.event(thread, "omp_task_begin()")
			work()
			s.event(thread, "omp_task_end()")
		}
	}
	for range r.IntN(4) {
		work()
		switch r.IntN(3) {
		case 0:
			s.event(thread, "omp_barrier_begin()")
			s.want.Barrier += time.Duration(pause())
			tasks()
			s.want.Barrier += time.Duration(pause())
			s.event(thread, "omp_barrier_end()")
		case 1:
			s.event(thread, "omp_lock_begin(kind=5)")
			s.want.Lock += time.Duration(pause())
			s.event(thread, "omp_lock_acquired(kind=5)")
			work()
			s.event(thread, "omp_lock_released(kind=5)")
		case 2:
			s.event(thread, "omp_taskwait_begin()")
			s.want.Taskwait += time.Duration(pause())
			tasks()
			s.event(thread, "omp_taskwait_end()")
		}
	}
	work()
}

// TestRandom compares with what is counted while teams of all sizes are made up. Threads skip regions that are too
// small for them.
func TestRandom(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := &script{}
		skipped := [8]int{}
		now, calls := 10, 1+r.IntN(5)
		var elapsed time.Duration
		for range calls {
			size := 1 + r.IntN(8)
			s.now[0] = now
			s.event(0, "omp_parallel_begin()")
			end, ends, after := now, 0, 0
			most, sum := 0, 0
			for i := range 8 {
				if i >= size {
					skipped[i]++
					continue
				}
				s.now[i], s.work[i] = now+r.IntN(9), 0
				s.want.Start += time.Duration(s.now[i] - now)
				s.event(i, fmt.Sprintf("omp_body_begin(thread_num=%d, num_threads=%d, parent=0, skipped=%d)", i, size,
					skipped[i]))
				skipped[i] = 0
				s.body(r, i)
				s.event(i, "omp_body_end()")
				ends += s.now[i]
				if r.IntN(3) == 0 {
					before := s.now[i]
					s.event(i, "omp_task_begin()")
					s.now[i] += r.IntN(20)
					s.event(i, "omp_task_end()")
					after += s.now[i] - before
					s.work[i] += s.now[i] - before
				}
				end = max(end, s.now[i])
				most, sum = max(most, s.work[i]), sum+s.work[i]
			}
			end++
			s.want.Work += time.Duration(sum)
			s.want.Implicit += time.Duration(size*end - ends - after)
			s.most += time.Duration(most)
			elapsed += time.Duration(end - now)
			s.now[0] = end
			s.event(0, "omp_parallel_end()")
			now = end + r.IntN(30)
		}
		desc := "abi openmpi\nrank 0 of 1 on n\n0+5 MPI_Init()\n" + s.text[0].String() +
			fmt.Sprintf("%d+5 MPI_Finalize()\n", now+10)
		for i := 1; i < 8; i++ {
			desc += fmt.Sprintf("thread %d\n%s", i, s.text[i].String())
		}
		got := of(t, desc)
		if len(got.Regions) != 1 || got.Unfinished != 0 {
			t.Fatalf("seed %d: %+v\n%s", seed, got, desc)
		}
		g := got.Regions[0]
		if g.Times != s.want || g.Calls != uint64(calls) || g.Most != s.most || g.Elapsed != elapsed {
			t.Fatalf("seed %d: %+v, want %+v, most %v, elapsed %v\n%s", seed, g, s.want, s.most, elapsed, desc)
		}
	}
}

// TestBroken: events that do not fit together are no regions, and nothing breaks.
func TestBroken(t *testing.T) {
	names := []string{"omp_parallel_begin()", "omp_parallel_end()", "omp_barrier_begin()", "omp_barrier_end()",
		"omp_body_end()", "omp_task_begin()", "omp_task_end()", "omp_lock_begin(kind=1)", "omp_taskwait_end()",
		"omp_body_begin(thread_num=0, num_threads=1, parent=0, skipped=0)",
		"omp_body_begin(thread_num=1, num_threads=2, parent=0, skipped=7)",
		"omp_body_begin(thread_num=-1, num_threads=0, parent=-3, skipped=-9)",
		"omp_body_begin(thread_num=1, num_threads=2000000000, parent=0, skipped=0)"}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		desc := "abi openmpi\nrank 0 of 1 on n\n"
		for thread := range 3 {
			if thread > 0 {
				desc += fmt.Sprintf("thread %d\n", thread)
			}
			for range 1 + r.IntN(40) {
				desc += names[r.IntN(len(names))] + "\n"
			}
		}
		got := of(t, desc)
		for _, g := range got.Regions {
			if g.Work < 0 || g.Waits() < 0 || g.Elapsed < 0 {
				t.Fatalf("seed %d: %+v\n%s", seed, g, desc)
			}
		}
	}
}
