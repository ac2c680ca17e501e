//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/testkit/mpirun"
)

// runJob records a program of testdata/mpi in dir and returns how that ended.
func runJob(t *testing.T, m *mpirun.MPI, dir string, flags ...string) *mpirun.Result {
	t.Helper()
	p, err := program(m, "halo1d")
	if err != nil {
		t.Fatal(err)
	}
	j := &mpirun.Job{MPI: m, Ranks: 2, Dir: dir, Args: append(append([]string{tabardBin, "record"}, flags...), p...)}
	r, err := j.Start()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, path, text string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != text {
		t.Errorf("%s holds %.40q, %v; want %.40q", filepath.Base(path), b, err, text)
	}
}

// The file is there, whole and complete, when the launcher returns, also where nobody has a summary to wait for.
func TestRecordingIsThereAtTheEnd(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		for i := range 4 {
			dir := t.TempDir()
			flags := [][]string{{"--quiet"}, {"--quiet", "--collectors=2"}}[i%2]
			if r := runJob(t, m, dir, append(flags, "-o", "x.tabard")...); r.Code != 0 {
				t.Fatal(r.Stderr)
			}
			b, err := os.ReadFile(filepath.Join(dir, "x.tabard"))
			if err != nil {
				t.Fatal(err)
			}
			taken := filepath.Join(t.TempDir(), "copy.tabard") // as it was at that moment
			put(t, taken, string(b))
			if i, err := readInfo(taken); err != nil || !i.Complete {
				t.Errorf("%v: %v, complete %v", flags, err, i != nil && i.Complete)
			}
		}
	})
}

// A recording gets a free name, all ranks the same one; --force replaces a recording, and nothing replaces anything
// else.
func TestOutputsThatAreThere(t *testing.T) {
	t.Parallel()
	eachMPI(t, func(t *testing.T, m *mpirun.MPI) {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		for n, name := range []string{"x.tabard", "x-2.tabard", "x-3.tabard"} {
			r := runJob(t, m, dir, "-o", "x.tabard")
			if r.Code != 0 || !strings.Contains(r.Stderr, "tabard report "+name) {
				t.Fatalf("recording %d: code %d, %s", n, r.Code, r.Stderr)
			}
			if i, err := readInfo(at(name)); err != nil || !i.Complete || i.Ranks != 2 {
				t.Fatalf("%s: %v", name, err)
			}
		}
		first, _ := os.ReadFile(at("x.tabard"))
		if r := runJob(t, m, dir, "-o", "x.tabard", "--force", "--private"); r.Code != 0 {
			t.Fatal(r.Stderr)
		}
		waitFor(t, at("x.tabard"))
		now, err := os.ReadFile(at("x.tabard"))
		if st, e := os.Stat(at("x.tabard")); err != nil || e != nil || bytes.Equal(first, now) ||
			st.Mode().Perm() != 0o600 {
			t.Errorf("--force --private: %v %v %v", err, e, st.Mode())
		}
		put(t, at("notes.txt"), "precious")
		for _, flags := range [][]string{{"-o", "notes.txt"}, {"-o", "notes.txt", "--force"}, {"-o", "none/x.tabard"},
			{"-o", "."}} {
			if r := runJob(t, m, dir, flags...); r.Code == 0 || strings.Contains(r.Stdout, "halo1d") {
				t.Errorf("%v: code %d, output %q", flags, r.Code, r.Stdout)
			}
			holds(t, at("notes.txt"), "precious")
		}
		names, _ := filepath.Glob(at("*"))
		if hidden, _ := filepath.Glob(at(".*")); len(names) != 4 || len(hidden) > 0 {
			t.Errorf("left: %v %v", names, hidden)
		}
	})
}

func waitFor(t *testing.T, out string) {
	t.Helper()
	if text, err := tabard("recover", out); err != nil {
		t.Fatalf("%v %s", err, text)
	}
}

// Commands never replace what they read, whatever its name is, nor what is not theirs.
func TestCommandsKeepOtherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if r := runJob(t, mpis[0], dir, "-o", "x.tabard"); r.Code != 0 {
		t.Fatal(r.Stderr)
	}
	waitFor(t, at("x.tabard"))
	b, err := os.ReadFile(at("x.tabard"))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Link(at("x.tabard"), at("hard.tabard")), os.Symlink("x.tabard", at("soft.tabard")),
		syscall.Mkfifo(at("fifo"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	put(t, at("photo.png"), "\x89PNG\r\n\x1a\nof somebody")
	put(t, at("notes.txt"), "precious")
	for _, cmd := range []string{"timeline x.tabard --png x.tabard", "timeline x.tabard --png x.tabard --force",
		"timeline x.tabard --png hard.tabard --force", "timeline soft.tabard --svg x.tabard --force",
		"timeline x.tabard --svg soft.tabard --force", "matrix x.tabard --png x.tabard",
		"histogram x.tabard --svg hard.tabard",
		"scale x.tabard --ranks 4 -o x.tabard", "scale x.tabard --ranks 4 -o hard.tabard --force",
		"timeline x.tabard --png photo.png",
		"timeline x.tabard --svg notes.txt", "scale x.tabard --ranks 4 -o notes.txt --force",
		"timeline x.tabard --svg fifo --force",
		"proxy x.tabard -o x.tabard --force", "proxy x.tabard -o notes.txt"} {
		c := exec.Command(tabardBin, strings.Fields(cmd)...)
		c.Dir = dir
		if out, code := within(t, c); code == 0 {
			t.Errorf("%s: done: %s", cmd, out)
		}
		for name, text := range map[string]string{"x.tabard": string(b), "hard.tabard": string(b),
			"soft.tabard": string(b),
			"photo.png":   "\x89PNG\r\n\x1a\nof somebody", "notes.txt": "precious"} {
			holds(t, at(name), text)
		}
	}
	for _, cmd := range []string{"timeline x.tabard --png new.png", "timeline x.tabard --svg new.svg",
		"proxy x.tabard -o new.c"} {
		for range 2 { // what a command made it may make again
			c := exec.Command(tabardBin, strings.Fields(cmd)...)
			c.Dir = dir
			if out, code := within(t, c); code != 0 {
				t.Errorf("%s: code %d: %s", cmd, code, out)
			}
		}
	}
}

// within runs a command that must not hang.
func within(t *testing.T, c *exec.Cmd) (string, int) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
			_ = c.Process.Kill()
		case <-done:
		}
	}()
	_ = c.Wait()
	close(done)
	if ctx.Err() != nil {
		t.Errorf("%v: hangs", c.Args)
	}
	return out.String(), c.ProcessState.ExitCode()
}

// recordedByVictim makes a recording of one rank in a place that everybody can write to, without a sticky bit: there
// the kernel does not refuse planted links.
func (s *stage) recordedByVictim() (place, out string) {
	place = filepath.Join(s.dir, "shared")
	s.must(os.Mkdir(place, 0o777))
	s.must(os.Chmod(place, 0o777))
	out = filepath.Join(place, "app.tabard")
	if text, code := within(s.t, s.victim(nil, s.bin, "record", "--quiet", "-o", out, s.app, s.home,
		"0.1")); code != 0 {
		s.t.Fatalf("code %d: %s", code, text)
	}
	if text, code := within(s.t, s.victim(nil, s.bin, "info", out)); code != 0 {
		s.t.Fatalf("code %d: %s", code, text)
	}
	return place, out
}

// What others put beside a recording neither hangs nor fails whoever reads it, and is not merged.
func TestHostileNeighbours(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	place, out := s.recordedByVictim()
	before, err := os.ReadFile(out)
	s.must(err)
	beside := func(name string) string { return filepath.Join(place, "app."+name+".tabard") }
	s.must(syscall.Mkfifo(beside("fifo"), 0o666))
	s.must(os.Mkdir(beside("dir"), 0o755))
	s.must(os.Symlink(beside("loop"), beside("loop")))
	s.must(os.Symlink("/dev/zero", beside("device")))
	s.must(os.WriteFile(beside("secret"), before, 0o600))
	s.must(os.WriteFile(beside("foreign"), before, 0o644))
	s.must(os.Chown(beside("foreign"), attackerID, attackerID))
	s.must(os.WriteFile(beside("sparse"), nil, 0o644))
	s.must(os.Truncate(beside("sparse"), 1<<40))
	s.must(os.Chown(beside("sparse"), victimID, victimID))
	for _, cmd := range []string{"info", "report", "dump", "merge", "recover", "verify"} {
		args := []string{cmd, out}
		text, code := within(t, s.victim(nil, append([]string{s.bin}, args...)...))
		if cmd == "verify" {
			continue // it wants a raw log
		}
		if code != 0 {
			t.Errorf("%s: code %d: %s", cmd, code, text)
		}
		if cmd == "info" && (!strings.Contains(text, "belongs to another user") ||
			!strings.Contains(text, "left out")) {
			t.Errorf("info says nothing of its neighbours: %s", text)
		}
	}
	holds(t, out, string(before))
	for _, name := range []string{"fifo", "dir", "loop", "device", "secret", "foreign", "sparse"} {
		if _, err := os.Lstat(beside(name)); err != nil {
			t.Errorf("a neighbour was removed: %v", err)
		}
		text, code := within(t, s.victim(nil, s.bin, "merge", filepath.Join(s.home, "all.tabard"), out, beside(name)))
		if code == 0 && name != "foreign" {
			t.Errorf("merged %s: %s", name, text)
		}
	}
}

// Links and FIFOs under names that Tabard might use lead nowhere and block nobody.
func TestPlantedTemporaries(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	place, out := s.recordedByVictim()
	precious := filepath.Join(s.home, ".bashrc")
	s.must(os.WriteFile(precious, []byte("precious"), 0o600))
	s.must(os.Chown(precious, victimID, victimID))
	fresh := filepath.Join(s.home, "fresh")
	for i, name := range []string{"app.tabard", "new.tabard", "merged.tabard"} {
		s.must(os.Symlink(fresh, filepath.Join(place, "."+name+".lock")))
		for pid := os.Getpid(); pid < os.Getpid()+6000; pid++ { // those of the next processes
			link := filepath.Join(place, fmt.Sprintf(".%s.%d.tmp", name, pid))
			if i == 1 && pid%2 == 0 {
				s.must(syscall.Mkfifo(link, 0o666))
			} else {
				s.must(os.Symlink(precious, link))
			}
		}
	}
	at := func(name string) string { return filepath.Join(place, name) }
	if text, code := within(t, s.victim(nil, s.bin, "merge", at("merged.tabard"), out)); code != 0 {
		t.Errorf("merge: code %d: %s", code, text)
	}
	for range 2 {
		if text, code := within(t, s.victim(nil, s.bin, "record", "--quiet", "-o", at("new.tabard"), s.app, s.home,
			"0.1")); code != 0 {
			t.Errorf("record: code %d: %s", code, text)
		}
	}
	for _, name := range []string{"new.tabard", "new-2.tabard", "merged.tabard"} {
		if text, code := within(t, s.victim(nil, s.bin, "info", at(name))); code != 0 {
			t.Errorf("%s: code %d: %s", name, code, text)
		}
	}
	holds(t, precious, "precious")
	if _, err := os.Lstat(fresh); err == nil {
		t.Error("a planted lock made a file")
	}
}

// Nothing that a program calls itself reaches the terminal as a terminal would obey it.
func TestHostileCommandLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, err := program(mpis[0], "halo1d")
	if err != nil {
		t.Fatal(err)
	}
	evil := "\x1b[2J\x1b]0;owned\a\u202e\u009b31m\xff"
	app := filepath.Join(dir, "app"+evil)
	b, err := os.ReadFile(p[0])
	if err == nil {
		err = os.WriteFile(app, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	j := &mpirun.Job{MPI: mpis[0], Ranks: 2, Dir: dir, Args: []string{tabardBin, "record", app}}
	r, err := j.Start()
	if err != nil || r.Code != 0 {
		t.Fatal(err, r)
	}
	out := app + ".tabard"
	texts := map[string]string{"summary": r.Stderr}
	for _, cmd := range []string{"info", "report", "loops", "dump", "profile", "waits", "merge", "recover"} {
		texts[cmd], _ = within(t, exec.Command(tabardBin, cmd, out))
	}
	for what, text := range texts {
		if strings.ContainsAny(text, "\x1b\a\u202e\u009b") || strings.Contains(text, "\xff") {
			t.Errorf("%s: %q", what, text)
		}
	}
}
