//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// A fault is something that happens to a running job.
type fault struct {
	name string
	// strike does it and reports whether there was something to hit already.
	strike func(j *faultJob) bool
	// harmless faults hit only Tabard: the program must not notice. After a
	// signal to the launcher, output and exit code are its own affair.
	harmless, launcher bool
}

var faults = []fault{
	{name: "one rank killed", strike: func(j *faultJob) bool { return kill(j.ranks(), 1, j.rng) }},
	{name: "all ranks killed", strike: func(j *faultJob) bool { return kill(j.ranks(), faultRanks, j.rng) }},
	{name: "Ctrl-C", launcher: true, strike: func(j *faultJob) bool { return j.signal(syscall.SIGINT) }},
	{name: "launcher terminated", launcher: true, strike: func(j *faultJob) bool { return j.signal(syscall.SIGTERM) }},
	{name: "collector killed", harmless: true, strike: func(j *faultJob) bool {
		return kill(collectors(j.state), 1,
			j.rng)
	}},
	{name: "collector and one rank killed", strike: func(j *faultJob) bool {
		if !kill(collectors(j.state), 1, j.rng) {
			return false
		}
		time.Sleep(time.Duration(j.rng.IntN(200)) * time.Millisecond)
		kill(j.ranks(), 1, j.rng)
		return true
	}},
}

const (
	faultRanks   = 2
	faultSeconds = 0.7
)

// faultJob is one run of a program that a fault will hit.
type faultJob struct {
	*mpirun.Job
	rng             *rand.Rand
	command         []string // of a rank
	dir, state, out string
	full            string // which disk is; empty: none
	makeRoom        func() // on that of the recording
	begun           bool   // the moment counts from the start, not from the first call that returns
	launcher        int
}

func (j *faultJob) ranks() []int { return rankProcesses(j.command) }

func (j *faultJob) signal(s syscall.Signal) bool {
	return len(j.ranks()) > 0 && syscall.Kill(j.launcher, s) == nil
}

// kill kills n of the processes, which were found by the name of this job's
// own folder.
func kill(pids []int, n int, rng *rand.Rand) bool {
	rng.Shuffle(len(pids), func(a, b int) { pids[a], pids[b] = pids[b], pids[a] })
	for _, pid := range pids[:min(n, len(pids))] {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
	}
	return len(pids) > 0
}

// TestFaults kills program or collector at random moments and demands that no
// call is lost that had returned: each rank of the program counts those in a
// file mapped shared. In a third of the runs a disk is full, if root
// makes them. TABARD_FAULTS is the number of runs, TABARD_SEED repeats a sequence.
func TestFaults(t *testing.T) {
	testFaults(t, 1, logged)
}

// TestSourceFaults is TestFaults for events of other sources than MPI: each run for one of them, half as many runs.
func TestSourceFaults(t *testing.T) {
	testFaults(t, 2, sources...)
}

// testFaults makes a part of TABARD_FAULTS runs.
func testFaults(t *testing.T, part int, programs ...loggedProgram) {
	runs, seed := 30, uint64(time.Now().UnixNano())
	for name, set := range map[string]func(uint64){"TABARD_FAULTS": func(n uint64) { runs = int(n) },
		"TABARD_SEED": func(n uint64) { seed = n }} {
		if s := os.Getenv(name); s != "" {
			n, err := strconv.ParseUint(s, 10, 63)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			set(n)
		}
	}
	t.Logf("TABARD_SEED=%d", seed)
	struck := 0
	runs = max(1, runs/part)
	for i := range runs {
		p := programs[i%len(programs)]
		// Whatever the number of programs, each meets all MPIs and faults.
		k := i + i/(len(mpis)*len(programs))
		m, f := p.mpi(mpis[k%len(mpis)]), faults[i/len(mpis)%len(faults)]
		t.Run(fmt.Sprintf("%d %s %s %s", i, m.Name, p.name, f.name), func(t *testing.T) {
			testFault(t, m, p, f, rand.New(rand.NewPCG(seed, uint64(i))), &struck)
		})
	}
	t.Logf("%d runs, %d were hit while they ran", runs, struck)
	// About four fifths are: the moment is random, from before the start to after the end.
	if struck < runs/2 {
		t.Errorf("only %d of %d runs were hit", struck, runs)
	}
}

func testFault(t *testing.T, m *mpirun.MPI, p loggedProgram, f fault, rng *rand.Rand, hits *int) {
	j := newFaultJob(t, m, p, rng)
	delay := time.Duration(rng.Float64() * (faultSeconds + 0.4) * float64(time.Second))
	code, stdout, struck := j.run(t, f, delay)
	if struck {
		*hits++
	}
	want, err := returned(j.dir, faultRanks)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case f.harmless || !struck:
		if code != 0 || stdout != p.says() {
			t.Errorf("the program was harmed: exit code %d, output %q", code, stdout)
		}
	case !f.launcher && code == 0 && stdout != p.says():
		t.Errorf("exit code 0 after %s, output %q", f.name, stdout)
	}
	j.makeRoom()
	// As a user would: the next command finds or completes the recording.
	if out, err := tabardIn(j.Env, "recover", j.out); err != nil {
		t.Fatalf("after %s at %v with %d calls returned: %v%s", f.name, delay, want, err, out)
	}
	if err := waitNone(j.state); err != nil {
		t.Error(err)
	}
	done, open, err := p.recorded(j.out, faultRanks)
	if err != nil {
		t.Fatal(err)
	}
	for r := range want {
		// Some calls may have returned without their count.
		if done[r] < want[r] || done[r] > want[r]+p.uncounted+p.never && want[r] > 0 {
			t.Errorf("%s after %v: %d calls of rank %d returned, %d recorded", f.name, delay, want[r], r, done[r])
		}
		if open[r] > 1 {
			t.Errorf("%s: %d open calls of rank %d", f.name, open[r], r)
		}
	}
	left, _ := filepath.Glob(filepath.Join(j.state, "*", "*"))
	// The runtime stays for what the program may have left running.
	left = slices.DeleteFunc(left, func(path string) bool { return filepath.Ext(path) == ".so" })
	if len(left) > 0 {
		t.Errorf("state is left behind: %q", left)
	}
	full := ""
	if j.full != "" {
		full = ", " + j.full + " disk full"
	}
	t.Logf("%s after %v%s: %d calls returned", f.name, delay.Round(time.Millisecond), full, want)
}

func newFaultJob(t *testing.T, m *mpirun.MPI, p loggedProgram, rng *rand.Rand) *faultJob {
	dir := t.TempDir()
	j := &faultJob{rng: rng, command: p.command(t, m, dir, faultSeconds), dir: dir, state: stateRoot(t),
		out: filepath.Join(dir, "logged.tabard"), makeRoom: func() {}}
	j.begun = rng.IntN(3) == 0
	switch n := rng.IntN(6); {
	case os.Geteuid() != 0 || n > 1: // only root can mount a disk that is full
	case n == 0:
		j.full, j.state = "the segments'", smallDisk(t, "size=6m")
	default:
		j.full = "the recording's"
		j.fillOutput(t)
	}
	j.Job = &mpirun.Job{MPI: m, Ranks: faultRanks, Dir: dir, Env: []string{"TABARD_STATE=" + j.state},
		Args: slices.Concat([]string{tabardBin, "record", "--quiet", "--events=" + p.events, "-o", j.out}, j.command)}
	return j
}

// fillOutput lets the recording go to a disk with next to no room.
func (j *faultJob) fillOutput(t *testing.T) {
	disk := smallDisk(t, "size=64m")
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 64<<20-64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	j.out = filepath.Join(disk, "logged.tabard")
	j.makeRoom = func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}

// atWork tells that a call has returned.
func (j *faultJob) atWork() bool {
	n, err := returned(j.dir, faultRanks)
	return err == nil && slices.Max(n) > 0
}

// run starts the job, strikes after the delay, or as soon after it as there is
// something to hit, and waits for the launcher.
func (j *faultJob) run(t *testing.T, f fault, delay time.Duration) (code int, stdout string, struck bool) {
	c := j.Command()
	t.Cleanup(j.Close)
	out, err := os.Create(filepath.Join(j.dir, "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c.Stdout = out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	j.launcher = c.Process.Pid
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	const often = 5 * time.Millisecond
	strike := time.After(often)
	if j.begun {
		strike = time.After(delay)
	}
	limit := time.After(2 * time.Minute)
	for {
		select {
		case <-strike:
			switch {
			case !j.begun && j.atWork():
				j.begun, strike = true, time.After(delay)
			case !j.begun:
				strike = time.After(often)
			default:
				if struck = f.strike(j); !struck {
					strike = time.After(often)
				}
			}
		case <-done: // an exit code other than 0 is looked at by the caller
			b, err := os.ReadFile(out.Name())
			if err != nil {
				t.Fatal(err)
			}
			return c.ProcessState.ExitCode(), string(b), struck
		case <-limit:
			left := len(j.ranks())
			_ = syscall.Kill(-j.launcher, syscall.SIGKILL)
			if left == 0 && !f.harmless {
				// Open MPI's mpirun may wait for ever if its ranks die before they are known to it.
				t.Logf("%s after %v: the launcher did not end, though no rank was left", f.name, delay)
				continue
			}
			kill(j.ranks(), faultRanks, j.rng)
			t.Fatalf("%s after %v: the program did not end", f.name, delay)
		}
	}
}
