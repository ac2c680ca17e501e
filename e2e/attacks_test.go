//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/collect"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
)

// Two ordinary users: one records, the other one wants to harm him. Nobody has these ids.
const victimID, attackerID = 20001, 20002

// A stage is where an attack happens.
type stage struct {
	t       *testing.T
	dir     string // everybody's, as /tmp is
	home    string // the victim's
	bin     string // tabard, a copy that ordinary users can run
	app     string // an MPI program
	out     string // what the victim records to
	launch  *exec.Cmd
	gate    io.WriteCloser // closed: the launcher goes on
	results bytes.Buffer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	if os.Getuid() != 0 {
		notTested(t, "attacks need two users: run these tests as root")
	}
	m := mpis[0]
	for _, mpi := range mpis { // a program of one rank needs no launcher there
		if mpi.Name == "mpich" {
			m = mpi
		}
	}
	p, err := program(m, "logged")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/dev/shm", "tabard-stage-")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, dir: dir, home: filepath.Join(dir, "home"), bin: filepath.Join(dir, "tabard"),
		app: filepath.Join(dir, "app")}
	s.out = filepath.Join(s.home, "app.tabard")
	t.Cleanup(func() {
		os.RemoveAll(dir)
		for _, place := range []string{"/dev/shm", "/tmp", "/var/tmp"} {
			roots, _ := filepath.Glob(fmt.Sprintf("%s/tabard-%d*", place, victimID))
			for _, r := range roots {
				os.RemoveAll(r)
			}
		}
	})
	s.must(os.Chmod(dir, 0o777|os.ModeSticky))
	s.copy(tabardBin, s.bin)
	s.copy(p[0], s.app)
	s.must(os.Mkdir(s.home, 0o755))
	s.must(os.Chown(s.home, victimID, victimID))
	return s
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) copy(from, to string) {
	b, err := os.ReadFile(from)
	s.must(errors.Join(err, os.WriteFile(to, b, 0o755)))
}

// own makes the files at or below path those of a user.
func (s *stage) own(path string, uid int) {
	s.t.Helper()
	s.must(filepath.WalkDir(path, func(p string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(p, uid, uid))
	}))
}

// victim is a command that the victim runs.
func (s *stage) victim(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = s.home
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: victimID, Gid: victimID}}
	return cmd
}

// begin starts what looks like an MPI launcher to the victim's tabard, and stops before the recording. Anybody can see
// its process, and so foretell the name of the state directory, which begin returns.
func (s *stage) begin(env ...string) (key string) {
	s.t.Helper()
	launcher := filepath.Join(s.dir, "mpirun")
	s.must(os.Symlink("/bin/sh", launcher))
	logs := filepath.Join(s.home, "logs")
	s.must(os.Mkdir(logs, 0o755))
	s.own(logs, victimID)
	s.launch = s.victim(env, launcher, "-c", fmt.Sprintf(
		`read go; "%s" record --quiet -o "%s" "%s" "%s" 0.3; code=$?; echo "code $code"; "%s" recover "%s"`,
		s.bin, s.out, s.app, logs, s.bin, s.out))
	gate, err := s.launch.StdinPipe()
	s.must(err)
	s.gate = gate
	s.launch.Stdout, s.launch.Stderr = &s.results, &s.results
	s.must(s.launch.Start())
	st, err := collect.ReadProcStat(s.launch.Process.Pid)
	for end := time.Now().Add(20 * time.Second); st.Comm != "mpirun"; {
		st, err = collect.ReadProcStat(s.launch.Process.Pid)
		if err != nil || time.Now().After(end) {
			s.t.Fatalf("the launcher is %q: %v", st.Comm, err)
		}
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	s.must(err)
	id := fmt.Sprintf("%s  %d %d", strings.TrimSpace(string(boot)), s.launch.Process.Pid, st.Start)
	return collect.StateKey(s.out, id)
}

// finish lets the victim record. The program must run as always, and the recording must be where it belongs.
func (s *stage) finish() {
	s.t.Helper()
	s.must(s.gate.Close())
	watchdog := time.AfterFunc(2*time.Minute, func() { s.launch.Process.Kill() })
	err := s.launch.Wait()
	if !watchdog.Stop() {
		s.t.Fatal("the victim hung")
	}
	if got := s.results.String(); err != nil || !strings.Contains(got, "logged: done\ncode 0\n") {
		s.t.Errorf("the program was harmed: %v\n%s", err, got)
	}
	show := s.victim(nil, s.bin, "info", s.out)
	if text, err := show.CombinedOutput(); err != nil || !bytes.Contains(text, []byte("MPI_Send")) &&
		!bytes.Contains(text, []byte("MPI_Init")) {
		s.t.Errorf("the recording: %v\n%s", err, text)
	}
}

// precious makes a directory of the victim, and returns what tells whether it is as it was.
func (s *stage) precious() (dir string, check func()) {
	s.t.Helper()
	dir = filepath.Join(s.home, "precious")
	s.must(os.MkdirAll(filepath.Join(dir, "deep"), 0o700))
	for _, f := range []string{"thesis.tex", "deep/data", ".bashrc"} {
		s.must(os.WriteFile(filepath.Join(dir, f), []byte("precious\n"), 0o600))
	}
	s.own(dir, victimID)
	return dir, func() {
		s.t.Helper()
		for _, f := range []string{"thesis.tex", "deep/data", ".bashrc"} {
			if b, err := os.ReadFile(filepath.Join(dir, f)); err != nil || string(b) != "precious\n" {
				s.t.Errorf("%s holds %d bytes: %v", f, len(b), err)
			}
		}
	}
}

// plant makes a state directory of the attacker's.
func (s *stage) plant(root, key string, job *collect.Job, spill string) (dir string) {
	s.t.Helper()
	dir = filepath.Join(root, key)
	s.must(os.MkdirAll(dir, 0o700))
	s.must(ring.CreateControl(private.Open(s.t, dir), ring.Config{}))
	control := filepath.Join(dir, ring.ControlFile)
	page, err := os.ReadFile(control)
	s.must(err)
	// The second place for segments was named here, before the summary.
	copy(page[len(page)-2048:], spill+"\x00")
	s.must(os.WriteFile(control, page, 0o666))
	b, err := json.Marshal(job)
	s.must(errors.Join(err, os.WriteFile(filepath.Join(dir, collect.JobFile), b, 0o666)))
	s.own(root, attackerID)
	for _, p := range []string{root, dir} {
		s.must(os.Chmod(p, 0o777))
	}
	for _, p := range []string{control, filepath.Join(dir, collect.JobFile)} {
		s.must(os.Chmod(p, 0o666))
	}
	return dir
}

func victimRoot(place string) string { return fmt.Sprintf("%s/tabard-%d", place, victimID) }

// A state directory that somebody else planted where the victim's would be: nothing in it is believed.
func TestPlantedState(t *testing.T) {
	for _, place := range []string{"/dev/shm", "/tmp"} {
		t.Run(filepath.Base(place), func(t *testing.T) {
			s := newStage(t)
			precious, check := s.precious()
			key := s.begin()
			job := &collect.Job{Output: filepath.Join(precious, ".bashrc"), Command: []string{"app"},
				Created:    time.Now(),
				LocalRanks: 1, SegmentsMax: 16, KeepRaw: precious}
			dir := s.plant(victimRoot(place), key, job, precious)
			before, err := os.ReadDir(dir)
			s.must(err)
			s.finish()
			check()
			if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
				t.Errorf("the planted directory has %d entries, %d before: %v", len(after), len(before), err)
			}
		})
	}
}

// Whatever stands where roots should be, another place is found, and links are not followed.
func TestPlantedRoots(t *testing.T) {
	s := newStage(t)
	precious, check := s.precious()
	names := func(place string) []string {
		return []string{victimRoot(place), victimRoot(place) + ".1", victimRoot(place) + ".2", victimRoot(place) + ".3"}
	}
	for i, root := range append(names("/dev/shm"), names("/tmp")...) {
		switch i % 4 {
		case 0:
			s.must(os.Symlink(precious, root)) // private, and the victim's
		case 1:
			s.must(syscall.Mkfifo(root, 0o666))
		case 2:
			s.must(os.WriteFile(root, nil, 0o666))
		case 3:
			s.must(os.Mkdir(root, 0o777))
			s.must(os.Chmod(root, 0o777))
		}
		s.must(os.Lchown(root, attackerID, attackerID))
	}
	s.begin()
	s.finish()
	check()
	if left, _ := os.ReadDir(precious); len(left) != 3 {
		t.Errorf("something was put behind a planted link: %v", left)
	}
}

// evil is a library that leaves a mark when a program loads it.
func (s *stage) evil(path, mark string) {
	s.t.Helper()
	source := fmt.Sprintf(`#include <fcntl.h>
__attribute__((constructor)) static void evil(void) { open("%s", O_CREAT | O_WRONLY, 0666); }
`, mark)
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-o", path, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
}

// A spawned program loads nothing that somebody else put there.
func TestPlantedRuntime(t *testing.T) {
	s := newStage(t)
	mark := filepath.Join(s.home, "taken-over")
	root := filepath.Join(s.dir, "evil")
	job := &collect.Job{Output: s.out, Command: []string{"app"}, Created: time.Now(), LocalRanks: 1, SegmentsMax: 16}
	dir := s.plant(root, collect.StateKey(s.out, "job"), job, "")
	s.evil(filepath.Join(dir, collect.LibraryFile), mark)
	s.must(os.Chmod(filepath.Join(dir, collect.LibraryFile), 0o755))
	out, err := s.victim(nil, s.bin, "__spawned", dir, "--", "/bin/echo", "done").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("done")) {
		t.Errorf("the spawned program: %v\n%s", err, out)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("the victim ran code of the attacker's")
	}
}

// A place that somebody else can change is no place for the runtime: its path could lead elsewhere when it is loaded.
func TestRuntimeInTrustedPlace(t *testing.T) {
	for name, mode := range map[string]os.FileMode{"open": 0o777, "foreign": 0o755,
		"foreign-sticky": 0o777 | os.ModeSticky} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			place := filepath.Join(s.dir, name)
			s.must(os.Mkdir(place, 0o777))
			root := filepath.Join(place, filepath.Base(victimRoot("/")))
			s.must(os.Mkdir(root, 0o700))
			s.must(os.Lchown(root, victimID, victimID))
			s.must(os.Lchown(place, attackerID, attackerID))
			s.must(os.Chmod(place, mode))
			cmd := s.victim([]string{"TABARD_STATE=" + place}, s.bin, "record", "--quiet", "-o", s.out, "/bin/sh", "-c",
				`echo "$LD_PRELOAD"`)
			out, err := cmd.CombinedOutput()
			path, _, _ := strings.Cut(strings.TrimSpace(string(out)), ":")
			if err != nil || !strings.HasSuffix(path, ".so") || strings.HasPrefix(path, place) {
				t.Errorf("%v: loads %q", err, out)
			}
		})
	}
}

// A program that is told of somebody else's state directory runs, and leaves it alone.
func TestForeignStateInProgram(t *testing.T) {
	s := newStage(t)
	s.begin()
	s.finish()
	lib := filepath.Join(s.dir, "libtabard.so")
	s.copy(filepath.Join(mpirun.Root(), "capture", "libtabard.so"), lib)
	job := &collect.Job{Output: s.out, Command: []string{"app"}, Created: time.Now(), LocalRanks: 1, SegmentsMax: 16}
	dir := s.plant(filepath.Join(s.dir, "evil"), "key", job, "")
	logs := filepath.Join(s.home, "more")
	s.must(os.Mkdir(logs, 0o755))
	s.own(logs, victimID)
	for _, at := range []string{dir, dir + "-link"} {
		if at != dir {
			s.must(os.Symlink(dir, at))
			s.own(dir, victimID) // even so: a link is not followed
			s.must(os.Chmod(dir, 0o700))
		}
		cmd := s.victim([]string{"LD_PRELOAD=" + lib, "TABARD_DIR=" + at}, s.app, logs, "0.1")
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "logged: done\n" {
			t.Errorf("%v: %s", err, out)
		}
		if segments, _ := filepath.Glob(dir + "/s.*"); len(segments) > 0 {
			t.Errorf("the program wrote %v", segments)
		}
	}
}

// What others put where the recording goes by default is left alone, and the program runs.
func TestPlantedOutputs(t *testing.T) {
	s := newStage(t)
	precious, check := s.precious()
	shared, logs := filepath.Join(s.dir, "shared"), filepath.Join(s.home, "logs")
	s.must(os.Mkdir(shared, 0o777))
	s.must(os.Chmod(shared, 0o777|os.ModeSticky))
	s.must(os.Mkdir(logs, 0o755))
	s.own(logs, victimID)
	s.must(syscall.Mkfifo(filepath.Join(shared, "app.tabard"), 0o666))
	s.must(os.Mkdir(filepath.Join(shared, "app-2.tabard"), 0o777))
	s.must(os.Symlink(filepath.Join(precious, "thesis.tex"), filepath.Join(shared, "app-3.tabard")))
	s.must(os.WriteFile(filepath.Join(shared, "app-4.tabard"), []byte("Tabard is recording to this file.\n"), 0o666))
	s.own(shared, attackerID)
	cmd := s.victim(nil, s.bin, "record", s.app, logs, "0.1")
	cmd.Dir = shared
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("logged: done\n")) ||
		!bytes.Contains(out, []byte("report app-5.tabard")) {
		t.Errorf("%v\n%s", err, out)
	}
	check()
}

// A umask that keeps the user himself out does not keep him from recording, then and later.
func TestUmasks(t *testing.T) {
	s := newStage(t)
	for i, mask := range []string{"0777", "0277", "0477", "0111", "0022"} {
		logs := filepath.Join(s.home, "logs"+mask)
		s.must(os.Mkdir(logs, 0o755))
		s.own(logs, victimID)
		file := fmt.Sprintf("mask%d.tabard", i)
		out, err := s.victim([]string{"UCX_TLS=self"}, "/bin/sh", "-c", fmt.Sprintf(
			`umask %s; "%s" record -o %s "%s" "%s" 0.1 && "%s" info %s`, mask, s.bin, file, s.app, logs,
			s.bin, file)).CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("complete   yes")) {
			t.Errorf("umask %s: %v\n%s", mask, err, out)
		}
	}
}
