//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
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

// runningJob is a job that the test looks at while it runs.
type runningJob struct {
	*nodeJob
	name  string
	cmd   *exec.Cmd
	lines *bufio.Scanner // of its standard output
	out   io.Reader
}

// begin starts a program that is recorded into NAME.tabard.
func (j *nodeJob) begin(name string, flags []string, args ...string) *runningJob {
	j.t.Helper()
	job := j.job(name, flags, args...)
	r := &runningJob{nodeJob: j, name: name, cmd: job.Command()}
	stdout, err := r.cmd.StdoutPipe()
	if err == nil {
		err = r.cmd.Start()
	}
	if err == nil && j.ranks > 16 { // they spin where they wait: other tests go first
		err = syscall.Setpriority(syscall.PRIO_PGRP, r.cmd.Process.Pid, 10)
	}
	if err != nil {
		j.t.Fatal(err)
	}
	r.out, r.lines = stdout, bufio.NewScanner(stdout)
	guard := time.AfterFunc(8*time.Minute, func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) })
	j.t.Cleanup(func() {
		guard.Stop()
		_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
		job.Close()
	})
	return r
}

// says waits until the program has printed a line.
func (r *runningJob) says(line string) {
	r.t.Helper()
	for r.lines.Scan() {
		if r.lines.Text() == line {
			return
		}
	}
	r.t.Fatalf("the program did not print %q", line)
}

// end waits for the end of the program, after an interrupt if it hangs.
func (r *runningJob) end(interrupt bool) {
	r.t.Helper()
	if interrupt {
		if err := syscall.Kill(r.cmd.Process.Pid, syscall.SIGINT); err != nil {
			r.t.Fatal(err)
		}
	}
	for r.lines.Scan() {
	}
	if err := r.cmd.Wait(); err != nil && !interrupt {
		r.t.Error(err)
	}
}

// look runs a command with --live and returns what it prints once that satisfies: ranks need time to get where they
// hang.
func (r *runningJob) look(satisfies func(out string) bool, args ...string) string {
	r.t.Helper()
	args = append(args, "--live", r.path(r.name+".tabard"))
	for end := time.Now().Add(6 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		out, err := tabard(args...)
		if err == nil && satisfies(string(out)) {
			return string(out)
		}
		if time.Now().After(end) {
			r.t.Fatalf("tabard %s does not show what it should: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

var (
	begins  = regexp.MustCompile(`(?m)^(\S+ +\d+) +\S+ +\S+ `)
	receive = regexp.MustCompile(`(?m)^\S+ +52 .*MPI_Recv\(.*tag=112.*@ live\.c:\d+ \[exchange\].*unfinished$`)
	barrier = regexp.MustCompile(`(?m)^\S+ +54 .*MPI_Barrier\(.*unfinished$`)
)

// TestLiveHang looks at a program that hangs: what is shown is what the recording shows after it was killed.
func TestLiveHang(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for _, ranks := range []int{3, 64} {
			r := newNodeJob(t, m, ranks).begin("hang", nil, "live", "hang")
			r.says("hangs")
			last := r.look(func(out string) bool {
				return len(barrier.FindAllString(out, -1)) == ranks-1 && receive.MatchString(out)
			}, "dump", "--last", "1")
			messages := r.look(shows("tag 113"), "messages")
			info := r.look(shows("still running"), "info")
			if !strings.Contains(info, "snapshot") {
				t.Errorf("info does not say that it is a snapshot:\n%s", info)
			}
			if strings.Contains(messages, "source not known") {
				t.Errorf("messages:\n%s", messages)
			}
			report := r.look(shows("Snapshot of the running job"), "report")
			if !regexp.MustCompile(fmt.Sprintf(`(?m)^ +%d .* MPI_Recv @ live\.c:\d+ \[exchange\].* +source=%d, tag=112`, ranks-1,
				ranks-2)).MatchString(report) {
				t.Errorf("the report does not say who waits for whom:\n%s", report)
			}
			if others, err := exec.Command("setpriv", "--reuid=65534", "--clear-groups", tabardBin, "info", "--live",
				r.path("hang.tabard")).CombinedOutput(); err == nil {
				t.Errorf("another user can look:\n%s", others)
			}
			r.end(true)
			killed, err := tabard("dump", "--last", "1", r.path("hang.tabard"))
			if err != nil {
				t.Fatal(err)
			}
			if a, b := begins.ReplaceAllString(last, "$1 "), begins.ReplaceAllString(string(killed), "$1 "); a != b {
				t.Errorf("%d ranks: looked at\n%s\nand killed\n%s", ranks, a, b)
			}
		}
	})
}

func shows(text string) func(string) bool {
	return func(out string) bool { return strings.Contains(out, text) }
}

// TestLiveSteps looks at two jobs while they run, several times: counts grow as the programs go on, and the
// recordings are those that nobody looked at.
func TestLiveSteps(t *testing.T) {
	t.Parallel()
	const phases = 4
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		j := newNodeJob(t, m, 3)
		for i := 1; i < phases; i++ {
			j.goOn(i)
		}
		j.run("plain", nil, "live", "phases", fmt.Sprint(phases))
		for i := 1; i < phases; i++ {
			if err := os.Remove(j.path(fmt.Sprint("go.", i))); err != nil {
				t.Fatal(err)
			}
		}
		var jobs []*runningJob
		for _, flags := range [][]string{nil, {"--collectors", "3"}} {
			name := fmt.Sprint("looked", len(flags))
			jobs = append(jobs, j.begin(name, append(flags, "--keep-raw", j.path(name+".raw")), "live", "phases",
				fmt.Sprint(phases)))
		}
		for phase := 1; phase < phases; phase++ {
			for _, r := range jobs {
				r.says(fmt.Sprint("phase ", phase))
				var i info
				if err := json.Unmarshal([]byte(r.look(func(string) bool { return true }, "info", "--json")),
					&i); err != nil {
					t.Fatal(err)
				}
				if n := i.Functions["MPI_Recv"]; n != uint64(3*1000*phase) || i.Ranks != 3 || i.Complete {
					t.Errorf("%s, phase %d: %d calls of MPI_Recv on %d ranks, complete %v", r.name, phase, n, i.Ranks,
						i.Complete)
				}
			}
			out, err := exec.Command(tabardBin, "info", "--live").CombinedOutput()
			if text := string(out); err == nil || !strings.Contains(text, j.path("looked0.tabard")) ||
				!strings.Contains(text, j.path("looked2.tabard")) {
				t.Errorf("which of two jobs? %v\n%s", err, out)
			}
			j.goOn(phase)
		}
		for _, r := range jobs {
			r.end(false)
			j.verify(r.name)
			if r.calls(r.name) != r.calls("plain") {
				t.Errorf("%s: other calls than without looking", r.name)
			}
		}
		out, err := exec.Command(tabardBin, "info", "--live", j.path("looked0.tabard")).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "its job is not running") {
			t.Errorf("after the end: %v\n%s", err, out)
		}
		out, err = exec.Command(tabardBin, "info", "--live", j.path("nothing.tabard")).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "no running job is known here that records to it") {
			t.Errorf("no job: %v\n%s", err, out)
		}
	})
}

// goOn lets the program go on after a phase.
func (j *nodeJob) goOn(phase int) {
	j.t.Helper()
	if err := os.WriteFile(j.path(fmt.Sprint("go.", phase)), nil, 0o666); err != nil {
		j.t.Fatal(err)
	}
}

// TestLiveStopped looks at a job whose collector does not answer, and then at one whose collector was killed: nothing
// is lost by it.
func TestLiveStopped(t *testing.T) {
	t.Parallel()
	m := mpis[0]
	j := newNodeJob(t, m, 2)
	r := j.begin("stopped", []string{"--keep-raw", j.path("stopped.raw")}, "live", "phases", "3")
	r.says("phase 1")
	signal := func(s syscall.Signal) {
		t.Helper()
		pids := collectors(j.path("state"))
		if len(pids) != 1 || syscall.Kill(pids[0], s) != nil {
			t.Fatalf("collectors %v", pids)
		}
	}
	check := func(phase int) {
		t.Helper()
		note := "its collector does not answer"
		for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			out, err := exec.Command(tabardBin, "dump", "--json", "--live", j.path("stopped.tabard")).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if n := strings.Count(string(out), `"MPI_Recv"`); n != 2*1000*phase {
				t.Fatalf("phase %d: %d calls of MPI_Recv", phase, n)
			}
			if strings.Contains(string(out), note) {
				return
			}
			if time.Now().After(end) {
				t.Fatal("the note is missing: " + note)
			}
		}
	}
	signal(syscall.SIGSTOP)
	check(1)
	j.goOn(1)
	r.says("phase 2")
	check(2)
	signal(syscall.SIGCONT)
	signal(syscall.SIGKILL)
	check(2)
	j.goOn(2)
	r.end(false)
	j.verify("stopped")
	if i, err := readInfo(j.path("stopped.tabard")); err != nil || i.Functions["MPI_Recv"] != 6000 || !i.Complete {
		t.Errorf("recorded %+v, %v", i, err)
	}
	if left, _ := filepath.Glob(j.path("state/*/*/*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
