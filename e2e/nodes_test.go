//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// nodeJob records a test program with several collectors.
type nodeJob struct {
	t     *testing.T
	m     *mpirun.MPI
	dir   string
	ranks int
}

func newNodeJob(t *testing.T, m *mpirun.MPI, ranks int) *nodeJob {
	return &nodeJob{t: t, m: m, dir: t.TempDir(), ranks: ranks}
}

func (j *nodeJob) path(name string) string { return filepath.Join(j.dir, name) }

// job is the run of a program into NAME.tabard.
func (j *nodeJob) job(name string, flags []string, args ...string) *mpirun.Job {
	j.t.Helper()
	command, err := program(j.m, args[0])
	if err != nil {
		j.t.Fatal(err)
	}
	wrap := append([]string{tabardBin, "record", "-q", "--state", j.path("state"), "-o", j.path(name + ".tabard")},
		flags...)
	return &mpirun.Job{MPI: j.m, Ranks: j.ranks, Dir: j.dir, Args: slices.Concat(wrap, command, args[1:])}
}

// run runs it to its end, which must be a good one.
func (j *nodeJob) run(name string, flags []string, args ...string) *mpirun.Result {
	j.t.Helper()
	r, err := j.job(name, flags, args...).Start()
	if err != nil {
		j.t.Fatal(err)
	}
	if r.Code != 0 || r.TimedOut {
		j.t.Fatalf("exit code %d, timed out %v\n%s%s", r.Code, r.TimedOut, r.Stdout, r.Stderr)
	}
	return r
}

// settled waits until no collector of this job is at work and lists the files of NAME.
func (j *nodeJob) settled(name string) string {
	j.t.Helper()
	if err := waitNone(j.path("state")); err != nil {
		j.t.Fatal(err)
	}
	files, err := filepath.Glob(j.path(name) + "*.tabard")
	if err != nil {
		j.t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	return strings.Join(files, " ")
}

var ucxWarning = regexp.MustCompile(`(?m)^\[.* UCX  WARN .*\n`)

var times = regexp.MustCompile(`,"(start|end)_ns":-?\d+`)

// calls is all calls of an archive without their times.
func (j *nodeJob) calls(name string) string {
	j.t.Helper()
	out, err := tabard("dump", "--json", j.path(name+".tabard"))
	if err != nil {
		j.t.Fatal(err)
	}
	return times.ReplaceAllString(string(out), "")
}

func (j *nodeJob) verify(name string) {
	j.t.Helper()
	if _, err := tabard("verify", j.path(name+".tabard"), j.path(name+".raw")); err != nil {
		j.t.Error(err)
	}
}

// TestNodesOneFile: however many collectors there are, the calls are the same, and in one
// file when the program has ended.
func TestNodesOneFile(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for _, ranks := range []int{4, 7} {
			j := newNodeJob(t, m, ranks)
			j.run("one", nil, "halo2d")
			want := j.calls("one")
			for _, collectors := range []int{2, ranks} {
				name := fmt.Sprint("many", collectors)
				// On a busy machine ranks can be further apart than they wait for each other.
				j.run(name, []string{"--collectors", fmt.Sprint(collectors), "--merge-wait", "2m", "--keep-raw",
					j.path(name + ".raw")}, "halo2d")
				if files := j.settled(name); files != name+".tabard" {
					t.Errorf("%d ranks, %d collectors: files %s", ranks, collectors, files)
				}
				if got := j.calls(name); got != want {
					t.Errorf("%d ranks, %d collectors: other calls than with one", ranks, collectors)
				}
				j.verify(name)
				if i, err := readInfo(j.path(name + ".tabard")); err != nil || !i.Complete {
					t.Errorf("%d ranks, %d collectors: %+v, %v", ranks, collectors, i, err)
				}
			}
		}
	})
}

// TestNodesParts: without the exchange the parts lie side by side until somebody reads; what is
// missing is said.
func TestNodesParts(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		j := newNodeJob(t, m, 4)
		j.run("one", nil, "halo2d")
		j.run("app", []string{"--collectors", "4", "--merge=read", "--keep-raw", j.path("app.raw")}, "halo2d")
		files := strings.Fields(j.settled("app"))
		if len(files) != 4 {
			t.Fatalf("files %s", files)
		}
		last := ""
		for _, f := range files {
			if strings.HasSuffix(f, "-3.tabard") {
				last = f
			}
		}
		if err := os.Rename(j.path(last), j.path("away")); err != nil {
			t.Fatal(err)
		}
		i, err := readInfo(j.path("app.tabard"))
		if err != nil {
			t.Fatal(err)
		}
		if i.Complete || i.Ranks != 3 || strings.Join(i.Missing, "") != "nothing was recorded of rank 3" {
			t.Errorf("without the part of rank 3: %+v", i)
		}
		if _, err := tabard("merge", j.path("app.tabard"), j.path("away")); err != nil {
			t.Error(err)
		}
		if files := j.settled("app"); files != "app.tabard" {
			t.Errorf("files %s", files)
		}
		if j.calls("app") != j.calls("one") {
			t.Error("other calls than with one collector")
		}
		j.verify("app")
	})
}

// TestNodesCollectorKilled: a node that lost its collector takes part with nothing; what it left is
// recovered and merged by who reads.
func TestNodesCollectorKilled(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for victim := range 3 {
			j := newNodeJob(t, m, 4)
			job := j.job("app", []string{"--collectors", "3", "--keep-raw", j.path("app.raw")}, "ends", "late", "4")
			done := make(chan *mpirun.Result, 1)
			go func() {
				r, err := job.Start()
				if err != nil {
					t.Error(err)
				}
				done <- r
			}()
			var pids []int
			end := time.Now().Add(time.Minute)
			for ; len(pids) < 3 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				pids = collectors(j.path("state"))
			}
			if len(pids) != 3 {
				t.Fatalf("%d collectors", len(pids))
			}
			time.Sleep(time.Second)
			if err := syscall.Kill(pids[victim], syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			r := <-done
			if r == nil || r.Code != 0 || r.TimedOut || r.Stdout != "ends on 4 ranks: 0\n" {
				t.Fatalf("the program was harmed: %+v", r)
			}
			i, err := readInfo(j.path("app.tabard"))
			if err != nil {
				t.Fatal(err)
			}
			if i.Ranks != 4 || !i.Complete || i.LostCalls != 0 {
				t.Errorf("victim %d: %+v", victim, i)
			}
			j.verify("app")
		}
	})
}

// TestNodesUntracedRank: a rank that nobody records never takes part. The others do not wait for
// ever.
func TestNodesUntracedRank(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		j := newNodeJob(t, m, 4)
		script := j.path("some.sh")
		text := "[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 3 ] && exec \"$@\"\nexec " + tabardBin +
			" record -q --collectors 3 --merge-wait 2s -o " + j.path("app.tabard") + " \"$@\"\n"
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		command, err := program(m, "ends")
		if err != nil {
			t.Fatal(err)
		}
		r, err := (&mpirun.Job{MPI: m, Ranks: 4, Dir: j.dir, Args: append([]string{"sh", script}, command...)}).Start()
		if err != nil {
			t.Fatal(err)
		}
		// MPICH's UCX warns about the operation that stays open.
		if out := ucxWarning.ReplaceAllString(r.Stdout, ""); r.Code != 0 || out != "ends on 4 ranks: 0\n" ||
			r.TimedOut {
			t.Errorf("the program was harmed: %+v", r)
		}
		if r.Wall > 20*time.Second {
			t.Errorf("it took %v", r.Wall)
		}
		i, err := readInfo(j.path("app.tabard"))
		if err != nil {
			t.Fatal(err)
		}
		if i.Ranks != 3 || strings.Join(i.Missing, "") != "nothing was recorded of rank 3" {
			t.Errorf("%+v", i)
		}
	})
}
