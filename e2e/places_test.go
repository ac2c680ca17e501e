//go:build e2e

package e2e

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// smallDisk mounts a file system of some bytes in memory. Without the right to
// mount, the tests that need it cannot run; they say so.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tabard-e2e", dir, "tmpfs", 0, options); errors.Is(err, syscall.EPERM) {
		notTested(t, "this test mounts a small file system and needs the right to: run it as root")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// recordLogged records testdata/mpi/logged.c, which must not notice anything,
// and compares the recording with its log.
func recordLogged(t *testing.T, m *mpirun.MPI, out, cwd string, env ...string) {
	t.Helper()
	logged.record(t, m, out, cwd, env...)
}

// stateRoot is a folder in memory for the state of one test's recordings.
func stateRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "tabard-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// readable gives a file to read the recording from: the output, or where
// `tabard recover` says that it is if that could not be written.
func readable(t *testing.T, out string, env []string) string {
	t.Helper()
	said, err := tabardIn(env, "recover", out)
	if err != nil {
		t.Fatalf("%v%s", err, said)
	}
	// A file that holds the place of a recording is none.
	if a, err := archive.Open(out); err == nil {
		a.Close()
		return out
	}
	raw, err := tabardIn(env, "recover", "--json", out)
	if err != nil {
		t.Fatalf("%v%s", err, raw)
	}
	if m := regexp.MustCompile(`"file": *"([^"]+)"`).FindSubmatch(raw); m != nil {
		return string(m[1])
	}
	t.Fatalf("there is no %s and recover does not say where the recording is:\n%s%s", out, said, raw)
	return ""
}

// TestOutputFull: no room for the archive. It is found all the same, and can
// be completed when there is room.
func TestOutputFull(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		disk := smallDisk(t, "size=64k")
		ballast := filepath.Join(disk, "ballast")
		if err := os.WriteFile(ballast, make([]byte, 60<<10), 0o666); err != nil {
			t.Fatal(err)
		}
		recordLogged(t, m, filepath.Join(disk, "full.tabard"), t.TempDir())
	})
}

// TestStateFull: the place for the segments is tiny; the runtime spills beside
// the output.
func TestStateFull(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		disk := smallDisk(t, "size=6m")
		dir := t.TempDir()
		recordLogged(t, m, filepath.Join(dir, "out.tabard"), dir, "TABARD_STATE="+disk)
		if m != mpis[0] {
			return
		}
		for _, p := range sources {
			p.record(t, m, filepath.Join(dir, p.name+".tabard"), dir, "TABARD_STATE="+disk)
		}
	})
}

// TestOutputNotWritable: no file can be made where the recording is to go. That is known before the program starts, and
// it does not start.
func TestOutputNotWritable(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for _, c := range []struct{ out, cwd string }{{"/proc/out.tabard", t.TempDir()}, {"logged.tabard", "/proc"}} {
			dir := t.TempDir()
			r := startLogged(t, m, c.out, c.cwd, dir)
			logs, _ := os.ReadDir(dir)
			if r.Code == 0 || r.Stdout != "" || len(logs) > 0 || !strings.Contains(r.Stderr, "cannot be written") {
				t.Errorf("%s in %s: code %d, %d logs, output %q, %q", c.out, c.cwd, r.Code, len(logs), r.Stdout,
					r.Stderr)
			}
		}
	})
}

func startLogged(t *testing.T, m *mpirun.MPI, out, cwd, dir string) *mpirun.Result {
	t.Helper()
	p, err := program(m, "logged")
	if err != nil {
		t.Fatal(err)
	}
	j := &mpirun.Job{MPI: m, Ranks: 2, Dir: cwd, Args: []string{tabardBin, "record", "-o", out, p[0], dir, "0.3"}}
	r, err := j.Start()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLongDirectory: the path of the working folder is almost as long as a
// path can be.
func TestLongDirectory(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := t.TempDir()
		for len(dir) < 3900 {
			dir = filepath.Join(dir, strings.Repeat("d", 150))
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		p, err := program(m, "info")
		if err != nil {
			t.Fatal(err)
		}
		plain, err := (&mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: p}).Start()
		if err != nil || plain.Code != 0 {
			// Some launchers cannot start there: then only the output is far away.
			t.Logf("%s cannot start in a folder with a path of %d bytes: %v", m.Run, len(dir), err)
			recordLogged(t, m, filepath.Join(dir, "out.tabard"), t.TempDir())
			return
		}
		recordLogged(t, m, "", dir)
	})
}

// TestDeadlock: a program that hangs is interrupted by its user; the recording
// shows the call and the line where each rank hangs.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		p, err := program(m, "dies")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		out := filepath.Join(dir, "dead.tabard")
		j := &mpirun.Job{MPI: m, Ranks: 3, Dir: dir, Args: append([]string{tabardBin, "record", "--quiet", "-o", out},
			append(p, "deadlock")...)}
		interruptAfter(t, j, "dies: deadlock")
		i, err := readInfo(out)
		if err != nil {
			t.Fatal(err)
		}
		if i.Complete || i.Open != 3 || i.LostCalls != 0 {
			t.Errorf("complete %v, %d open calls, %d lost", i.Complete, i.Open, i.LostCalls)
		}
		last, err := tabard("dump", out, "--last", "1")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(last)), "\n")
		hangs := regexp.MustCompile(`MPI_Recv\(.*tag=77.*@ dies\.c:10 \[wait_for_nobody\].*unfinished`)
		if len(lines) != 3 {
			t.Fatalf("%d last calls:\n%s", len(lines), last)
		}
		for _, line := range lines {
			if !hangs.MatchString(line) {
				t.Errorf("does not show where the rank hangs: %s", line)
			}
		}
	})
}

// interruptAfter presses Ctrl-C a while after the job has printed a line: on a busy
// machine all ranks need some time to get to where they hang.
func interruptAfter(t *testing.T, j *mpirun.Job, line string) {
	t.Helper()
	c := j.Command()
	t.Cleanup(j.Close)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	guard := time.AfterFunc(4*time.Minute, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	defer guard.Stop()
	seen := false
	for scan := bufio.NewScanner(stdout); !seen && scan.Scan(); {
		seen = scan.Text() == line
	}
	time.Sleep(2 * time.Second)
	if err := syscall.Kill(c.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, stdout); err != nil {
		t.Fatal(err)
	}
	// The exit code is the launcher's: MPICH's gives 0 or 2, without recording, too.
	_ = c.Wait()
	if !seen {
		t.Fatalf("the program did not print %q", line)
	}
}
