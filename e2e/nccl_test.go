//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// ncclJob is a program of testdata/nccl with the stand-in for NCCL, and its launcher.
type ncclJob struct {
	t   *testing.T
	dir string
}

func newNCCLJob(t *testing.T) *ncclJob {
	t.Helper()
	j := &ncclJob{t, t.TempDir()}
	from := filepath.Join(mpirun.Root(), "testdata", "nccl")
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-Wl,-soname,libnccl.so.2", "-o", j.path("libnccl.so.2"),
			filepath.Join(from, "fakenccl.c")},
		{"-g", "-o", j.path("train"), filepath.Join(from, "train.c"), j.path("libnccl.so.2"), "-Wl,-rpath," + j.dir},
	} {
		if out, err := exec.Command("gcc", append([]string{"-O1", "-Wall", "-Wextra", "-Werror"},
			args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	put(t, j.path("ranks.sh"), ranksScript)
	if err := os.Chmod(j.path("ranks.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *ncclJob) path(name string) string { return filepath.Join(j.dir, name) }

// start runs 4 ranks into x.tabard; what is what goes wrong.
func (j *ncclJob) start(what ...string) *exec.Cmd {
	j.t.Helper()
	for _, old := range []string{"id", "x.tabard"} {
		os.Remove(j.path(old))
	}
	c := exec.Command("./ranks.sh", append([]string{"4", tabardBin, "record", "-q", "--events=mpi,nccl", "--state",
		j.path("state"), "-o", "x.tabard", "./train", "id"}, what...)...)
	c.Dir, c.SysProcAttr = j.dir, &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	return c
}

// TestNCCL records ranks that call NCCL alone: communicators, messages and collectives are known as those of MPI.
func TestNCCL(t *testing.T) {
	t.Parallel()
	j := newNCCLJob(t)
	if err := j.start().Wait(); err != nil {
		t.Fatal(err)
	}
	for args, wants := range map[string][]string{
		"info":         {"4 ranks, 4 threads", "301 nccl", "40 .* ncclAllReduce", "complete   yes"},
		"info --comms": {`nccl0 +4 +0-3 +ncclCommInitRank`, `split0:0 +2 +0,2 `, `split0:1 +2 +1,3 `},
		"messages":     {"40 messages of 10.0 KiB, every send and receive has its partner", "every member took part"},
		"matrix":       {`3 +0 +10  2\.5 KiB`},
		"waits":        {"wait at NxN"},
		"dump":         {`ncclAllReduce\(.*count=64, datatype=ncclFloat32, op=ncclSum, comm=comm#0, stream=queue#0\) @ train\.c:\d+ \[main\]`},
	} {
		out, err := tabard(append(strings.Fields(args), j.path("x.tabard"))...)
		for _, want := range wants {
			if err != nil || !regexp.MustCompile(want).Match(out) {
				t.Errorf("%s: %v, %q is missing:\n%s", args, err, want, out)
			}
		}
		if strings.Contains(string(out), "contradiction") {
			t.Errorf("%s:\n%s", args, out)
		}
	}
	// Without them nothing is recorded.
	c := exec.Command("./ranks.sh", "1", tabardBin, "record", "-o", "none.tabard", "./train", "id2", "alone")
	c.Dir = j.dir
	if out, _ := c.CombinedOutput(); strings.Contains(string(out), "calls in") ||
		strings.Contains(string(out), "INCOMPLETE") {
		t.Errorf("recorded: %s", out)
	}
}

// TestNCCLHangs: as TestHangReport and TestMismatchReport.
func TestNCCLHangs(t *testing.T) {
	t.Parallel()
	j := newNCCLJob(t)
	for what, other := range map[string]string{
		"sleep": `Ranks 0-1,3 wait in ncclAllReduce at train\.c:\d+ \[main\], number \d+ on nccl0.*: rank 2 is not there: its ` +
			`last call was ncclBroadcast at train\.c:\d+ \[main\], number \d+ on nccl0, which ended`,
		"exit":  `Ranks 0-1,3 wait in ncclAllReduce .*: rank 2 is not there: its last call was ncclBroadcast .*(exited with status 3|ended abruptly)`,
		"skip":  `rank 2 .*ncclReduceScatter at train\.c:\d+`,
		"other": `rank 2 calls ncclAllGather at train\.c:\d+ \[main\] instead|rank 2 .* ncclAllGather at train\.c:\d+ \[main\] in its place`,
		"count": `ncclAllReduce at train\.c.*rank 0 takes part with 256 bytes, rank 2 with 128`,
		"root":  `ncclBroadcast at train\.c.*root: rank 0 has 0, rank 2 has 1`,
	} {
		want := regexp.MustCompile(`  1\. .*` + other)
		c := j.start(what)
		shown := ""
		for end := time.Now().Add(2 * time.Minute); !want.MatchString(shown); time.Sleep(100 * time.Millisecond) {
			out, _ := tabard("report", "--live", j.path("x.tabard"))
			if shown = string(out); time.Now().After(end) {
				t.Fatalf("%s: want %s\n%s", what, want, shown)
			}
		}
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	}
}
