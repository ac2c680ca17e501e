//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// TestCrowd makes short runs of many more ranks than processors, every second one beside eight busy processes: no
// rank may be missing. TABARD_CROWDS is the number of runs.
func TestCrowd(t *testing.T) {
	runs := 4
	if s := os.Getenv("TABARD_CROWDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("TABARD_CROWDS: %v", err)
		}
		runs = n
	}
	for i := range runs {
		m, ranks := mpis[i%len(mpis)], 64
		if i%len(mpis) == 0 && i/len(mpis)%4 == 3 {
			ranks = 128
		}
		t.Run(fmt.Sprintf("%d %s %d", i, m.Name, ranks), func(t *testing.T) {
			if i/len(mpis)%2 == 1 {
				crowd(t, 8)
			}
			everyRank(t, m, ranks)
		})
	}
}

// TestReturn records irregular calls beside eight busy processes: the file is there, and has all of them, at the moment
// when mpirun returns, also where nothing is said. TABARD_RETURN_CALLS is how many calls there are.
func TestReturn(t *testing.T) {
	calls := uint64(50_000)
	if s := os.Getenv("TABARD_RETURN_CALLS"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("TABARD_RETURN_CALLS: %v", err)
		}
		calls = n
	}
	m, dir := openMPI(), t.TempDir()
	program, out := filepath.Join(dir, "unruly"), filepath.Join(dir, "return.tabard")
	if err := m.Build(filepath.Join(mpirun.Root(), "bench", "programs", "unruly.c"), program, "-O2"); err != nil {
		t.Fatal(err)
	}
	crowd(t, 8)
	job := &mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Timeout: time.Hour,
		Env:  []string{"OMPI_MCA_mpi_yield_when_idle=0"}, // a rank that yields to busy processes makes a call in milliseconds
		Args: []string{tabardBin, "record", "--quiet", "-o", out, program, "types", strconv.FormatUint(calls, 10)}}
	begin := time.Now()
	r, err := job.Start()
	if err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	recorded := uint64(0)
	for s := range a.Streams() {
		recorded += s.Calls()
	}
	t.Logf("%d calls in %v", recorded, time.Since(begin).Round(time.Second))
	if s := archive.Incomplete(a.Gaps()); s != "" || recorded < calls || r.Code != 0 || r.Stderr != "" {
		t.Errorf("%d of %d calls, exit code %d: %s%s", recorded, calls, r.Code, s, r.Stderr)
	}
}

// crowd keeps processors busy until the test ends.
func crowd(t *testing.T, processes int) {
	for range processes {
		c := exec.Command("sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			c.Process.Kill()
			c.Wait()
		})
	}
}

// everyRank records a program that makes as many calls on each rank but the first.
func everyRank(t *testing.T, m *mpirun.MPI, ranks int) {
	args, err := program(m, "ring")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "crowd.tabard")
	job := &mpirun.Job{MPI: m, Ranks: ranks, Dir: dir, Timeout: 10 * time.Minute,
		Args: append([]string{tabardBin, "record", "-o", out}, args...)}
	r, err := job.Start()
	if err != nil {
		t.Fatal(err)
	}
	hasty := hastyEnd(m, r)
	if hasty {
		t.Logf("Open MPI did not wait for a rank's farewell: exit code %d", r.Code)
	} else if r.Code != 0 {
		t.Fatalf("exit code %d: %s", r.Code, r.Stderr)
	}
	if text, err := tabardIn(nil, "info", out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if s := archive.Incomplete(a.Gaps()); s != "" || a.NumRanks() != ranks || a.NumStreams() != ranks {
		t.Errorf("%d ranks and %d threads of %d: %s", a.NumRanks(), a.NumStreams(), ranks, s)
	}
	for n, p := range a.Ranks() {
		if !p.Complete && !hasty {
			t.Errorf("process %d: %s", n, p.End)
		}
	}
}

// hastyEnd tells that Open MPI 4.1 has taken an orderly end of a rank for a crash, which it does where the farewell of
// PMIx comes later than the news that the process is gone, recorded or not (github.com/open-mpi/ompi, issue 7833). It
// kills the other ranks then, so that not all of them need be complete.
func hastyEnd(m *mpirun.MPI, r *mpirun.Result) bool {
	return m.Name == "openmpi" && r.Code == 1 && strings.Contains(r.Stderr, "with PID 0 on") &&
		strings.Contains(r.Stderr, "exiting improperly")
}
