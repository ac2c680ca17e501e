package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// The test binary plays tabard: it is started as collector, as launcher and
// as the child of MPI_Comm_spawn.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case CollectorCommand:
			os.Exit(Collector(os.Args[2:]))
		case "__spawned":
			lib, err := os.ReadFile(os.Getenv("TEST_RUNTIME"))
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(99)
			}
			os.Exit(Spawned(os.Args[2:], lib))
		case JobCommand:
			lib, _ := os.ReadFile(os.Getenv("TEST_RUNTIME"))
			os.Exit(Join(os.Args[2:], lib))
		case "record":
			lib, err := os.ReadFile(os.Getenv("TEST_RUNTIME"))
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(99)
			}
			code, err := Record(Options{Command: os.Args[3:], Output: os.Args[2], Runtime: lib,
				Ranks: os.Getenv("TEST_RANKS"), Tool: "test"})
			if err != nil {
				fmt.Fprintln(os.Stderr, "option:", err)
			}
			os.Exit(code)
		}
	}
	os.Exit(m.Run())
}

// sandbox prepares a place for state, and a library that can be preloaded and does nothing.
type sandbox struct {
	t    *testing.T
	dir  string
	root string
	env  []string
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	s := &sandbox{t: t, dir: t.TempDir(), root: t.TempDir()}
	lib := filepath.Join(s.dir, "empty.so")
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-o", lib, "-x", "c", "/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("TABARD_STATE", s.root)
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "PMI") && !strings.HasPrefix(name, "OMPI_") &&
			!strings.HasPrefix(name, "SLURM_") && name != "LD_PRELOAD" && name != "RANK" {
			s.env = append(s.env, kv)
		}
	}
	s.env = append(s.env, "TABARD_STATE="+s.root, "TEST_RUNTIME="+lib)
	return s
}

// record runs a command under the launcher.
func (s *sandbox) record(env []string, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"record", filepath.Join(s.dir, "out.tabard")}, args...)...)
	cmd.Env = append(slices.Clone(s.env), env...)
	cmd.Dir = s.dir
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	runErr := cmd.Run()
	var exit *exec.ExitError
	if runErr != nil && !errors.As(runErr, &exit) {
		s.t.Fatal(runErr)
	}
	if exit != nil && exit.ExitCode() < 0 {
		return out.String(), err.String(), -int(exit.Sys().(syscall.WaitStatus).Signal())
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// idle waits until no collector and no state is left, but for the runtime, which what the program
// has started may still need.
func (s *sandbox) idle() {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left, _ := filepath.Glob(filepath.Join(s.root, "tabard-*", "*"))
		left = slices.DeleteFunc(left, func(path string) bool { return filepath.Ext(path) == ".so" })
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(left[0], collect.LogFile))
			s.t.Fatalf("still there: %v\n%s", left, log)
		}
	}
}

func TestRecordBecomesTheProgram(t *testing.T) {
	s := newSandbox(t)
	out, stderr, code := s.record([]string{"LD_PRELOAD=" + filepath.Join(s.dir, "empty.so")}, "/bin/sh", "-c",
		"echo $LD_PRELOAD; echo $TABARD_DIR; echo $TABARD_EXE; ls -l /proc/$$/fd | wc -l; exit 7")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 7 || len(lines) != 4 || strings.Count(stderr, "tabard: ") > 1 {
		t.Fatalf("code %d\n%s%s", code, out, stderr)
	}
	lib, _, _ := strings.Cut(lines[0], ":")
	if filepath.Dir(lib) != filepath.Dir(lines[1]) || lines[0] != lib+":"+filepath.Join(s.dir, "empty.so") ||
		lines[2] == "" {
		t.Errorf("environment %q", lines)
	}
	s.idle()
	if _, err := os.Stat(filepath.Join(s.dir, "out.tabard")); err != nil {
		t.Error(err)
	}
	// What the program has left running starts something more when the recording is over.
	late := exec.Command("/bin/true")
	late.Env = append(slices.Clone(s.env), "LD_PRELOAD="+lines[0], "TABARD_DIR="+lines[1])
	if out, err := late.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	if _, _, code := s.record(nil, "/bin/sh", "-c", "kill -USR1 $$"); code != -int(syscall.SIGUSR1) {
		t.Errorf("code %d", code)
	}
	s.idle()
}

// What a shell says and returns when it cannot run a command.
func TestNoSuchProgram(t *testing.T) {
	s := newSandbox(t)
	plain := filepath.Join(s.dir, "plain")
	if err := os.WriteFile(plain, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Whoever opens a pipe waits for somebody who writes to it.
	pipe := filepath.Join(s.dir, "pipe")
	script := fmt.Appendf(nil, "#!%s\n", pipe)
	if err := errors.Join(syscall.Mkfifo(pipe, 0o700),
		os.WriteFile(filepath.Join(s.dir, "piped"), script, 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		code       int
	}{
		{"./nothing", "tabard: ./nothing: No such file or directory\n", 127},
		{"surely-no-such-command", "tabard: surely-no-such-command: command not found\n", 127},
		{"./plain", "tabard: ./plain: Permission denied\n", 126},
		{"/tmp", "tabard: /tmp: Is a directory\n", 126},
		{"./plain/x", "tabard: ./plain/x: Not a directory\n", 127},
		{"./pipe", "tabard: ./pipe: Permission denied\n", 126},
		{"./piped", "tabard: ./piped: Permission denied\n", 126},
	} {
		_, stderr, code := s.record(nil, c.name)
		if stderr != c.want || code != c.code {
			t.Errorf("%s: %q, code %d", c.name, stderr, code)
		}
	}
	plain = filepath.Join(s.dir, "script") // without #!
	if err := os.WriteFile(plain, []byte("echo from $1; exit 4\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, _, code := s.record(nil, "./script", "me"); out != "from me\n" || code != 4 {
		t.Errorf("script without #!: %q, code %d", out, code)
	}
	s.idle()
}

// What is ours breaks, and the program runs all the same.
func TestProgramRunsWhateverFails(t *testing.T) {
	s := newSandbox(t)
	empty := filepath.Join(s.dir, "none")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr, code := s.record([]string{"TEST_RUNTIME=" + empty}, "/bin/sh", "-c", "echo ran$LD_PRELOAD; exit 3")
	if out != "ran\n" || code != 3 || strings.Count(stderr, "\n") != 1 ||
		!strings.Contains(stderr, "recording is off") {
		t.Errorf("%q %q %d", out, stderr, code)
	}
	static := filepath.Join(s.dir, "static")
	cmd := exec.Command("gcc", "-static", "-o", static, "-x", "c", "-")
	cmd.Stdin = strings.NewReader("#include <stdio.h>\nint main(void) { puts(\"static\"); return 5; }\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, stderr, code = s.record(nil, static)
	if out != "static\n" || code != 5 || !strings.Contains(stderr, "statically linked") {
		t.Errorf("%q %q %d", out, stderr, code)
	}
	s.idle()
}

// No descriptor of the launcher may live on in the collector, and the program must get all of them.
func TestDescriptors(t *testing.T) {
	s := newSandbox(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(os.Args[0], "record", filepath.Join(s.dir, "out.tabard"), "/bin/sh", "-c",
		"echo on fd 9 >&9; sleep 1")
	cmd.Env = s.env
	cmd.ExtraFiles = make([]*os.File, 7)
	for i := range cmd.ExtraFiles {
		cmd.ExtraFiles[i] = w // 3 to 9
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	for pid, end := 0, time.Now().Add(10*time.Second); ; time.Sleep(time.Millisecond) {
		if pid = collectorOf(s.root); pid != 0 {
			checkDescriptors(t, pid)
			break
		}
		if time.Now().After(end) {
			t.Fatal("no collector")
		}
	}
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || buf.String() != "on fd 9\n" {
		t.Errorf("%v %q", err, buf.String())
	}
	s.idle()
}

// collectorOf finds the collector that works below root.
func collectorOf(root string) int {
	pids, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range pids {
		b, _ := os.ReadFile(p)
		args := strings.Split(string(b), "\x00")
		if len(args) >= 3 && args[1] == CollectorCommand && strings.HasPrefix(args[2], root) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(p)))
			return pid
		}
	}
	return 0
}

func checkDescriptors(t *testing.T, pid int) {
	t.Helper()
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		if strings.HasPrefix(to, "pipe:") || strings.HasPrefix(to, "socket:") {
			t.Errorf("the collector holds %s", to)
		}
	}
	if cwd, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); cwd != "/" {
		t.Errorf("the collector is in %s", cwd)
	}
	st, err := collect.ReadProcStat(pid)
	if sid, e := unix.Getsid(pid); err != nil || e != nil || sid != pid || st.Parent == os.Getpid() {
		t.Errorf("session %d, parent %d", sid, st.Parent)
	}
}

// The program has no child that it did not make: it may wait for all of them.
func TestNoExtraChild(t *testing.T) {
	s := newSandbox(t)
	bin := filepath.Join(s.dir, "waiter")
	cmd := exec.Command("gcc", "-o", bin, "-x", "c", "-")
	cmd.Stdin = strings.NewReader("#include <sys/wait.h>\n#include <errno.h>\n" +
		"int main(void) { return wait(0) < 0 && errno == ECHILD ? 0 : 1; }\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, _, code := s.record(nil, bin); code != 0 {
		t.Error("the program has a child")
	}
	s.idle()
}

// Many ranks at once: one state, one collector, one archive.
func TestManyRanks(t *testing.T) {
	s := newSandbox(t)
	const n = 12
	dirs := make([]string, n)
	// The shell is the launcher: its name makes them one job.
	launcher := filepath.Join(s.dir, "mpirun")
	if err := os.Symlink("/bin/sh", launcher); err != nil {
		t.Fatal(err)
	}
	script := "for i in 0 1 2 3 4 5 6 7 8 9 10 11; do PMI_RANK=$i " + os.Args[0] + " record " +
		filepath.Join(s.dir, "out.tabard") +
		" /bin/sh -c 'echo $PMI_RANK $TABARD_DIR; sleep 0.5' & done; wait"
	cmd := exec.Command(launcher, "-c", script)
	cmd.Env = append(slices.Clone(s.env), fmt.Sprintf("PMI_SIZE=%d", n), fmt.Sprintf("MPI_LOCALNRANKS=%d", n),
		"TEST_RANKS=0-10")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		rank, dir, _ := strings.Cut(line, " ")
		i, err := strconv.Atoi(rank)
		if err != nil || i >= n {
			t.Fatalf("%q", out)
		}
		dirs[i] = dir
	}
	for i, d := range dirs {
		if i == n-1 && d != "" || i < n-1 && (d == "" || d != dirs[0]) {
			t.Fatalf("rank %d: %q, rank 0: %q", i, d, dirs[0])
		}
	}
	s.idle()
}

// The children of MPI_Comm_spawn join the job of their parents.
func TestSpawned(t *testing.T) {
	s := newSandbox(t)
	out, stderr, code := s.record(nil, "/bin/sh", "-c",
		`env -i TEST_RUNTIME="$TEST_RUNTIME" "$TABARD_EXE" __spawned "$TABARD_DIR" -- /bin/sh -c 'echo $TABARD_DIR; exit 6'; echo $? $TABARD_DIR`)
	lines := strings.Fields(out)
	if code != 0 || len(lines) != 3 || lines[1] != "6" || lines[0] != lines[2] {
		t.Errorf("%q %q %d", out, stderr, code)
	}
	s.idle()
	cmd := exec.Command(os.Args[0], "__spawned", "/nonexistent", "--", "/bin/sh", "-c", "exit 9")
	cmd.Env = s.env
	if code := cmd.Run(); code == nil || code.Error() != "exit status 9" {
		t.Errorf("without a job: %v", code)
	}
	cmd = exec.Command(os.Args[0], "__spawned", "/nonexistent", "--", "/no\x1b[31m/program")
	cmd.Env = s.env
	if said, _ := cmd.CombinedOutput(); !bytes.Contains(said, []byte(`/no\x1b[31m/program`)) {
		t.Errorf("what a terminal obeys is in the name of the program: %q", said)
	}
}

// Ranks of a job that a script starts are recorded for themselves. Whatever goes wrong with that, they run.
func TestJoin(t *testing.T) {
	s := newSandbox(t)
	out, stderr, code := s.record(nil, "/bin/sh", "-c", `export PMIX_NAMESPACE=7 PMIX_RANK=0
echo "$TABARD_DIR" "$TABARD_JOB"
"$TABARD_EXE" __job -- /bin/sh job -c 'echo $0 $TABARD_DIR $TABARD_JOB; exit 6'; echo $?
TABARD_RECORD= "$TABARD_EXE" __job -- /bin/sh job -c 'echo $0 $TABARD_DIR; exit 7'; echo $?
"$TABARD_EXE" __job -- /bin/sh; echo $?`)
	f := strings.Fields(out)
	if code != 0 || len(f) != 8 || f[1] != "job" || f[2] == f[0] || f[3] != "7" || f[4] != "6" || f[5] != "job" ||
		f[6] != "7" || f[7] != "2" || strings.Count(stderr, "recording is off") != 1 {
		t.Errorf("%q %q %d", out, stderr, code)
	}
	s.idle()
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{
		{Output: "x"},
		{Command: []string{"true"}},
		{Command: []string{"true"}, Output: t.TempDir()},
		{Command: []string{"true"}, Output: "x", Ranks: "3-1"},
	} {
		var oe *OptionError
		if code, err := Record(o); code != 2 || !errors.As(err, &oe) {
			t.Errorf("%+v: %d, %v", o, code, err)
		}
	}
}

func TestRankEnv(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want rankEnv
	}{
		"none": {nil, rankEnv{-1, -1, -1, -1, "", "", -1, false, ""}},
		"mpich": {map[string]string{"PMI_RANK": "2", "PMI_SIZE": "4", "MPI_LOCALNRANKS": "4",
			"MPI_LOCALRANKID": "2"}, rankEnv{2, 4, 2, 4, "", "", -1, false, ""}},
		"openmpi": {map[string]string{"PMIX_RANK": "1", "OMPI_COMM_WORLD_SIZE": "8",
			"OMPI_COMM_WORLD_LOCAL_SIZE": "2", "PMIX_NAMESPACE": "77", "OMPI_COMM_WORLD_LOCAL_RANK": "0",
			"OMPI_NUM_APP_CTX": "2"}, rankEnv{1, 8, 0, 2, "77", "", 2, false, ""}},
		"slurm": {map[string]string{"SLURM_JOB_ID": "5", "SLURM_STEP_ID": "0", "SLURM_PROCID": "4",
			"SLURM_STEP_NUM_TASKS": "7", "SLURM_STEP_TASKS_PER_NODE": "2(x3),1", "SLURM_NODEID": "2",
			"SLURM_LOCALID": "1"},
			rankEnv{4, 7, 1, 2, "", "5.0", -1, false, ""}},
		"slurm batch script": {map[string]string{"SLURM_JOB_ID": "5", "SLURM_PROCID": "0", "SLURM_NTASKS": "64"},
			rankEnv{-1, -1, -1, -1, "", "", -1, false, ""}},
		"torchrun": {map[string]string{"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4",
			"MASTER_ADDR": "n1", "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": "r"},
			rankEnv{5, 8, 1, 4, "", "", -1, true, "ranks r n1 29500 8"}},
		"torchrun that MPI started": {map[string]string{"PMIX_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2",
			"PMIX_NAMESPACE": "77", "RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"},
			rankEnv{3, 4, 1, 2, "77", "", -1, true, "ranks    4"}},
		"MPI where RANK is something else": {map[string]string{"PMI_RANK": "2", "PMI_SIZE": "4", "RANK": "0",
			"WORLD_SIZE": "1"}, rankEnv{2, 4, -1, -1, "", "", -1, false, ""}},
		"ranks of this machine": {map[string]string{"RANK": "1", "WORLD_SIZE": "2"},
			rankEnv{1, 2, -1, 2, "", "", -1, true, "ranks    2"}},
		"no rank": {map[string]string{"RANK": "2", "WORLD_SIZE": "2"}, rankEnv{-1, -1, -1, -1, "", "", -1, false, ""}},
	} {
		if got := readRankEnv(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if slurmLocal("2(x3),1", 3) != 1 || slurmLocal("2(x3),1", 4) != -1 || slurmLocal("", 0) != -1 {
		t.Error("slurmLocal")
	}
}

func TestPreloadEnv(t *testing.T) {
	got := preloadEnv([]string{"A=1", "LD_PRELOAD=/x/libtabard.so /y/a.so:/z/b.so", "TABARD_DIR=/old",
		"TABARD_SPILL=/old"},
		"/s/libtabard.so", "/s", "/d/s.spill", "/bin/tabard")
	want := []string{"A=1", "TABARD_SPILL=/d/s.spill", "LD_PRELOAD=/s/libtabard.so:/y/a.so:/z/b.so",
		"ASAN_OPTIONS=verify_asan_link_order=0", "TABARD_DIR=/s", "TABARD_EXE=/bin/tabard"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for value, want := range map[string]string{"": "verify_asan_link_order=0",
		"verbosity=1":              "verbosity=1:verify_asan_link_order=0",
		"verify_asan_link_order=1": "verify_asan_link_order=1"} {
		got := preloadEnv([]string{"ASAN_OPTIONS=" + value}, "/s/libtabard.so", "/s", "", "/bin/tabard")
		if !slices.Contains(got, "ASAN_OPTIONS="+want) {
			t.Errorf("%q: %q", value, got)
		}
	}
	// A tool stands before us, and an MPI library behind us.
	dir := t.TempDir()
	tool, library := library(t, dir, "tool", "int MPI_Send(void) { return 0; }"),
		library(t, dir, "mpi", "int MPI_Send(void) { return 0; } int PMPI_Send(void) { return 0; } int "+
			"PMPI_Comm_size(void) { return 0; }")
	got = preloadEnv([]string{"LD_PRELOAD=" + library + " " + tool}, "/s/libtabard.so", "/s", "", "/bin/tabard")
	if want := "LD_PRELOAD=" + tool + ":/s/libtabard.so:" + library; got[0] != want {
		t.Errorf("%q, want %q", got[0], want)
	}
}

func library(t *testing.T, dir, name, source string) string {
	t.Helper()
	path := filepath.Join(dir, name+".so")
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-o", path, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// The program ignores what the user told the job to ignore, and nothing else.
func TestIgnoredSignals(t *testing.T) {
	s := newSandbox(t)
	launcher := filepath.Join(s.dir, "launcher") // with its symbols, which go test leaves out
	if out, err := exec.Command("go", "test", "-c", "-o", launcher, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got [2]string
	for i, how := range [][]string{{}, {launcher, "record", filepath.Join(s.dir, "out.tabard")}} {
		run := append([]string{"-c", `trap '' HUP PIPE USR1 TERM CHLD; exec "$@"`, "bash"}, how...)
		cmd := exec.Command("bash", append(run, "/bin/grep", "Sig[BI]", "/proc/self/status")...)
		cmd.Env = s.env
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		got[i] = string(out)
	}
	if got[0] != got[1] {
		t.Errorf("untraced:\n%straced:\n%s", got[0], got[1])
	}
	s.idle()
}

// A state directory that LD_PRELOAD cannot name, and one that somebody else could change.
func TestPlaces(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	path, err := extract(odd, []byte("not really a library"))
	if err != nil || strings.Contains(path, " ") {
		t.Fatal(path, err)
	}
	defer os.Remove(path)
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := install(filepath.Join(open, "lib.so"), []byte("x")); err == nil {
		t.Error("a library in a directory that all may write to")
	}
	job := &collect.Job{Output: "/x", Command: []string{"x"}}
	if _, err := collect.CreateState(filepath.Join(open, "key"), job, ring.Config{}); err == nil {
		t.Error("state in a directory that all may write to")
	}
}

// The second place for segments lies on another file system.
func TestSpillDirectory(t *testing.T) {
	disk := t.TempDir()
	memory, err := os.MkdirTemp("/dev/shm", "tabard-launch-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(memory) })
	for _, c := range []struct {
		root   string
		others []string
		want   string
	}{
		{memory, []string{memory + "/again", disk + "/root"}, disk + "/root"},
		{disk, []string{disk + "/again", "/proc/nowhere", memory + "/root"}, memory + "/root"},
		{disk, []string{disk + "/again"}, ""},
		{memory, []string{disk}, ""},                  // not private
		{memory, []string{disk + "/gone/tabard"}, ""}, // whoever named it did not ask for a directory
	} {
		root, err := safefile.MakePrivate(filepath.Join(c.root, "state"))
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if in := strings.HasPrefix(c.root, memory); root.InMemory() != in {
			t.Errorf("%s lies in memory: %v, want %v", c.root, !in, in)
		}
		want := ""
		if c.want != "" {
			other, err := safefile.MakePrivate(c.want)
			if err != nil {
				t.Fatal(err)
			}
			if !sameDevice(root, other) {
				want = other.Join("key.spill")
			}
			other.Close()
		}
		out := filepath.Join(disk, "out.tabard")
		if got := makeSpill(out, c.others, root, "key"); got != want {
			t.Errorf("beside %s: %q, want %q", c.root, got, want)
		}
	}
}

func TestCloseOnExec(t *testing.T) {
	fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	restore := closeOnExec()
	if flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); flags != unix.FD_CLOEXEC {
		t.Error("inherited descriptor is not marked")
	}
	restore()
	if flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); flags != 0 {
		t.Error("the mark was not taken back")
	}
}

func TestIsLauncher(t *testing.T) {
	for comm, want := range map[string]bool{"mpirun": true, "mpirun.openmpi": true, "mpiexec.hydra": true,
		"hydra_pmi_proxy": true, "orted": true, "bash": false, "mpirunner": false} {
		if isLauncher(comm) != want {
			t.Errorf("%s: %v", comm, !want)
		}
	}
}

// One rank of each command line says what is wrong with it, where the launcher tells which ranks have the same.
func TestSpeaks(t *testing.T) {
	for _, c := range []struct {
		rank, programs int
		counts         string
		want           bool
	}{{-1, -1, "", true}, {0, 1, "2", true}, {1, 1, "2", false}, {2, 2, "2 3", true}, {3, 2, "2 3", false},
		{3, 2, "", true}, {3, 1, "", false}} {
		if got := (rankEnv{rank: c.rank, programs: c.programs}).speaks(c.counts); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
