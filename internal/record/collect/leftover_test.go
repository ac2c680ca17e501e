package collect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
)

// leftover finds the one in dir.
func leftover(t *testing.T, output, dir string) *Leftover {
	t.Helper()
	all := Leftovers(output)
	i := slices.IndexFunc(all, func(l Leftover) bool { return l.Dir == dir })
	if i < 0 {
		return nil
	}
	return &all[i]
}

func TestLeftovers(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	for _, r := range append(p.prologue(0, 1), p.work(rng(1), 50)...) {
		p.threads[0].try(r)
	}
	l := leftover(t, out, dir)
	if l == nil || !l.Collector || !l.Running() || l.Processes != 0 || l.Kept {
		t.Fatalf("just begun: %+v", l)
	}
	c, err := ring.OpenControl(private.Open(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	c.SetCollector(ring.CollectorDone)
	c.Close()
	// It is found also when the environment does not name the place any more.
	t.Setenv("TABARD_STATE", "")
	l = leftover(t, out, dir)
	canonical, _ := CanonicalOutput(out)
	if l == nil || l.Running() || l.Output != canonical || l.Bytes < 4096 || time.Since(l.Created) < 50*time.Minute ||
		!slices.Equal(l.Dirs, []string{dir}) {
		t.Fatalf("interrupted: %+v", l)
	}
	register(t, dir, ring.ProcessID{PID: os.Getpid()}, 1, 2)
	if l = leftover(t, out, dir); l == nil || l.Processes != 1 || !l.Running() {
		t.Fatalf("with a process: %+v", l)
	}
	if err := os.WriteFile(filepath.Join(dir, JobFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l = leftover(t, out, dir); l == nil || l.Output != "" {
		t.Fatalf("unreadable: %+v", l)
	}
}

// A recording set aside because its archive could not be written, and second places for segments.
func TestLeftoversKept(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "gone")
	out := filepath.Join(parent, "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	for _, r := range append(p.prologue(0, 1), p.work(rng(1), 50)...) {
		p.threads[0].try(r)
	}
	finishAll(t, testCollector(t, dir))
	root := filepath.Dir(dir)
	var kept *Leftover
	for _, l := range Leftovers(out) {
		if strings.HasPrefix(l.Dir, dir+keptMark) {
			kept = &l
		}
	}
	if kept == nil || !kept.Kept || kept.Running() || kept.Output != out {
		t.Fatalf("%+v", kept)
	}
	place := func(name string, age time.Duration, file bool) string {
		d := filepath.Join(root, name+SpillSuffix)
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		if file {
			if err := os.WriteFile(filepath.Join(d, "s.1.0.0"), make([]byte, 10000), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(d, at, at); err != nil {
			t.Fatal(err)
		}
		return d
	}
	full, young := place("full", time.Hour, true), place("young", 0, true)
	empty, used := place("empty", time.Hour, false), place(filepath.Base(dir), time.Hour, false)
	if l := leftover(t, out, full); l == nil || l.Output != "" || l.Bytes < 10000 {
		t.Errorf("%+v", l)
	}
	for _, d := range []string{young, empty, used} {
		if l := leftover(t, out, d); l != nil {
			t.Errorf("%+v", l)
		}
	}
	tidySpills(out)
	for _, d := range []string{full, young, used} {
		if !exists(d) {
			t.Errorf("%s was removed", d)
		}
	}
	if exists(empty) {
		t.Error("an empty second place is still there")
	}
}

// What is left of a recording that took the next free name is found by the name that was asked for.
func TestNumbered(t *testing.T) {
	dir := t.TempDir()
	second := filepath.Join(dir, "a-2.tabard")
	state(t, second, nil)
	want, _ := CanonicalOutput(second)
	if got := Numbered(filepath.Join(dir, "a.tabard")); !slices.Equal(got, []string{want}) {
		t.Errorf("%q", got)
	}
	if got := append(Numbered(second), Numbered(filepath.Join(dir, "b.tabard"))...); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
