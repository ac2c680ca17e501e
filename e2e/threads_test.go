//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestThreadWaits: where threads wait is recorded with its line, locks only if they are taken, and nothing of the
// threads that MPI has for itself.
func TestThreadWaits(t *testing.T) {
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := t.TempDir()
		exe, file := filepath.Join(dir, "contend"), filepath.Join(dir, "t.tabard")
		if err := m.Build(filepath.Join(mpirun.Root(), "testdata", "threads", "contend.c"), exe, "-g",
			"-pthread"); err != nil {
			t.Fatal(err)
		}
		job := &mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Timeout: 2 * time.Minute,
			Args: []string{tabardBin, "record", "--quiet", "--events=mpi,threads", "-o", file, exe}}
		if out, err := job.Start(); err != nil || out.Stdout != "60\n60\n" {
			t.Fatalf("%+v, %v", out, err)
		}
		var p struct {
			Rows []struct {
				Func  string
				Calls int
				Site  []struct{ Func string }
			}
		}
		raw := runCommand(t, nil, tabardBin, "profile", "--by", "site", "--json", file).out
		if err := json.Unmarshal([]byte(raw), &p); err != nil {
			t.Fatal(err)
		}
		calls := map[string]int{}
		for _, r := range p.Rows {
			if len(r.Site) == 0 {
				t.Fatalf("no call site: %+v", r)
			}
			calls[r.Func+" "+r.Site[0].Func] += r.Calls
		}
		// How often a thread comes late enough to find a lock free is chance on a busy machine.
		if n := calls["pthread_mutex_lock critical"]; n < 10 || n > 60 {
			t.Errorf("%d of 60 locks were taken: %v", n, calls)
		}
		for what, want := range map[string]int{"pthread_barrier_wait work": 60, "pthread_cond_wait work": 6,
			"sem_wait work":              6,
			"pthread_rwlock_rdlock work": 0, "MPI_Allreduce main": 2, "MPI_Finalize main": 2,
			"MPI_Init_thread main": 2} {
			if calls[what] != want && (want != 6 || calls[what] > 6) {
				t.Errorf("%s: %d calls instead of %d: %v", what, calls[what], want, calls)
			}
			delete(calls, what)
		}
		delete(calls, "pthread_mutex_lock critical")
		delete(calls, "pthread_mutex_lock work") // the door, when all come through it
		if len(calls) != 0 {
			t.Errorf("others were recorded: %v", calls)
		}
	})
}

// TestThreadWaitsSacred: locks of all kinds give back what they give back otherwise, in odd cases, too.
func TestThreadWaitsSacred(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "odd")
	source := filepath.Join(mpirun.Root(), "testdata", "threads", "odd.cc")
	if r := runCommand(t, nil, "g++", "-g", "-O1", "-pthread", "-o", exe, source); r.code != 0 {
		t.Fatal("g++ failed")
	}
	plain := runCommand(t, nil, exe)
	file := exe + ".tabard"
	recorded := runCommand(t, nil, tabardBin, "record", "-q", "--events=threads", "-o", file, exe)
	if plain != recorded || plain.code != 3 {
		t.Errorf("%+v, but recorded %+v", plain, recorded)
	}
	counts := recordedCounts(t, file)
	for _, f := range []string{"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_cond_wait",
		"pthread_cond_timedwait", "sem_wait"} {
		if counts[f] == 0 {
			t.Errorf("no %s: %v", f, counts)
		}
	}
}
