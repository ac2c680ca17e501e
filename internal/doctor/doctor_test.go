package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// script writes an executable shell script.
func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	ompiScript  = `echo "mpirun (Open MPI) 4.1.4"`
	hydraScript = `echo "HYDRA build details:"; echo "    Version:                                 4.0.2"`
)

func TestFindLaunchers(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	script(t, dir, "mpirun.openmpi", ompiScript)
	if err := os.Symlink("mpirun.openmpi", filepath.Join(dir, "mpirun")); err != nil {
		t.Fatal(err)
	}
	script(t, other, "mpiexec.hydra", hydraScript)
	script(t, other, "srun", `echo "slurm 23.02"`)
	script(t, other, "mpiexec", "exit 1")
	ls := findLaunchers(context.Background(), dir+string(filepath.ListSeparator)+other)
	var got []string
	for _, l := range ls {
		got = append(got, filepath.Base(l.path)+" "+string(l.flavour)+" "+l.version)
	}
	want := "mpirun Open MPI mpirun (Open MPI) 4.1.4|mpiexec unknown MPI |" +
		"mpiexec.hydra MPICH MPICH (Hydra) 4.0.2|srun Slurm slurm 23.02"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if c := checkLaunchers(ls); c.Status != OK || !strings.Contains(c.Detail, "4.1.4") {
		t.Errorf("%+v", c)
	}
	if c := checkLaunchers(nil); c.Status != Fail || c.Fix == "" {
		t.Errorf("no launcher: %+v", c)
	}
}

func TestCachedLibraries(t *testing.T) {
	out := `123 libs found in cache
	libz.so.1 (libc6,x86-64) => /lib/libz.so.1
	libmpich.so.12 (libc6,x86-64) => /lib/libmpich.so.12
	libmpi.so.40 (libc6,x86-64) => /lib/libmpi.so.40
	libmpi_cxx.so.40 (libc6,x86-64) => /lib/libmpi_cxx.so.40
`
	if got := strings.Join(cachedLibraries(out), " "); got != "/lib/libmpich.so.12 /lib/libmpi.so.40" {
		t.Errorf("got %s", got)
	}
}

func TestClock(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Log("the counter of this machine is always usable")
		return
	}
	dir := t.TempDir()
	files := clockSource{filepath.Join(dir, "source"), filepath.Join(dir, "cpu")}
	write := func(source, flags string) {
		for name, text := range map[string]string{files.current: source + "\n",
			files.cpuinfo: "flags\t: fpu" + flags + " sse\n"} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		source, flags string
		want          Status
		detail        string
	}{
		{"tsc", " constant_tsc nonstop_tsc", OK, "invariant"},
		{"kvm-clock", " constant_tsc nonstop_tsc", OK, "kvm-clock"},
		{"hpet", " constant_tsc", Warn, "clock_gettime"},
		{"hpet", " constant_tsc nonstop_tsc", Warn, "does not trust"},
		{"tsc", "", Warn, "clock_gettime"},
	} {
		write(c.source, c.flags)
		if got := checkClock(files); got.Status != c.want || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%s%s: %+v", c.source, c.flags, got)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		l    limit
		cur  uint64
		want Status
		bad  bool
	}{
		{limits[0], segmentBytes - 1, Fail, true},
		{limits[0], segmentBytes, "", false},
		{limits[1], 10, Warn, true},
		{limits[1], 1 << 20, "", false},
	} {
		got, bad := c.l.judge(c.cur)
		if bad != c.bad || got.Status != c.want || bad && got.Fix == "" {
			t.Errorf("%s = %d: %+v", c.l.name, c.cur, got)
		}
	}
}

// A library that the loader cannot use is detected. One usable place is enough.
func TestPreload(t *testing.T) {
	dir := t.TempDir()
	bad := Config{Runtime: []byte("this is no library"), StateRoots: []string{dir}}
	checks := checkPreload(context.Background(), bad)
	if len(checks) != 1 || checks[0].Status != Fail || checks[0].Fix == "" {
		t.Errorf("%+v", checks)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := os.Chmod(dir, 0o770); err != nil { // others could load something else in its place
		t.Fatal(err)
	}
	c := checkRoot(context.Background(), dir, nil)
	if c.Status != Warn || !strings.Contains(c.Detail, "changed by others") {
		t.Errorf("a directory of a group: %+v", c)
	}
	if checks := checkPreload(context.Background(), Config{}); len(checks) != 1 || checks[0].Status != Fail {
		t.Errorf("no place: %+v", checks)
	}
}

func TestOutput(t *testing.T) {
	if c := checkOutput(t.TempDir()); c.Status == Fail || c.Detail == "" {
		t.Errorf("%+v", c)
	}
	if c := checkOutput(filepath.Join(t.TempDir(), "none")); c.Status != Warn || c.Fix == "" {
		t.Errorf("%+v", c)
	}
}

// fakeMPI makes a launcher and a compiler of scripts. The launcher runs its program once. The
// compiler makes a program that does nothing.
func fakeMPI(t *testing.T, run string) (launcher, string) {
	dir := t.TempDir()
	l := script(t, dir, "mpirun", run)
	script(t, dir, "mpicc", `[ "$1" = -show ] && { echo gcc -lmpi -L/openmpi; exit; }
printf '#!/bin/sh\nexit 0\n' > "$2" && chmod +x "$2"`)
	return launcher{path: l, flavour: openMPI}, dir
}

const runOnce = `while [ "$1" != "" ]; do case "$1" in -n) shift 2;; --*) shift;; *) break;; esac; done; exec "$@"`

func TestTrial(t *testing.T) {
	self := script(t, t.TempDir(), "tabard", `[ "$1 $2" = "record -o" ] && exec "$4"`)
	good := func(string) (int, uint64, error) { return 2, 2 * trialCalls, nil }
	for name, c := range map[string]struct {
		run     string
		inspect func(string) (int, uint64, error)
		want    Status
		detail  string
	}{
		"works":      {runOnce, good, OK, "recorded 12 calls of 2 ranks"},
		"broken MPI": {"echo no network; exit 1", good, Fail, "even unrecorded"},
		"no record":  {`case "$*" in *record*) exit 139;; esac`, good, Fail, "the recorded program failed"},
		"no archive": {runOnce, func(string) (int, uint64, error) { return 0, 0, errors.New("no such file") }, Fail,
			"no archive"},
		"calls short": {runOnce, func(string) (int, uint64, error) { return 2, 3, nil }, Fail, "3 calls of 2 ranks"},
	} {
		l, _ := fakeMPI(t, c.run)
		var told []string
		checks := trials(context.Background(),
			Config{Self: self, Inspect: c.inspect, Progress: func(s string) { told = append(told, s) }}, []launcher{l})
		if len(checks) != 1 || checks[0].Status != c.want || !strings.Contains(checks[0].Detail, c.detail) ||
			len(told) == 0 {
			t.Errorf("%s: %+v, told %q", name, checks, told)
		}
		if c.want == Fail != Failed(checks) {
			t.Errorf("%s: Failed is %v", name, Failed(checks))
		}
	}
}

// A launcher without a compiler of the same MPI is not tried, and the check reports that.
func TestTrialNeedsACompiler(t *testing.T) {
	dir := t.TempDir()
	l := launcher{path: script(t, dir, "mpirun", "exit 1"), flavour: mpich}
	script(t, dir, "mpicc", "echo gcc -L/openmpi") // of another MPI
	checks := trials(context.Background(), Config{Progress: func(string) {}}, []launcher{l})
	if len(checks) != 1 || checks[0].Status != Warn || !strings.Contains(checks[0].Detail, "was not tried") {
		t.Errorf("%+v", checks)
	}
	checks = trials(context.Background(), Config{Progress: func(string) {}}, nil)
	if len(checks) != 1 || checks[0].Status != Warn {
		t.Errorf("%+v", checks)
	}
}
