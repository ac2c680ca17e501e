package collect

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/safefile"
)

// Somebody makes files shorter that the collector has mapped. It has all that it had taken in, goes on where the
// program goes on, and the archive says that calls are missing.
func TestShortenedSegments(t *testing.T) {
	const n = 1200
	want := reference(t, 11, n)
	for _, size := range []int64{0, ring.HeaderBytes, ring.HeaderBytes + 1024} {
		for _, cut := range []string{"at the position", "ahead"} {
			out := filepath.Join(t.TempDir(), "a.tabard")
			dir := state(t, out, nil)
			p := newProgram(t, dir, os.Getpid(), 1)
			p.ring, p.capacity = 1000, 1<<16
			f := p.threads[0]
			register(t, dir, p.id, 0, 1)
			recs := append(p.prologue(0, 1), p.work(rng(11), n)...)
			c := testCollector(t, dir)
			taken := 0
			for i, r := range recs {
				if !f.try(r) {
					t.Fatal("the ring is full")
				}
				if i == n/3 {
					if lost := turn(c); lost > 0 {
						t.Fatalf("%d turns were broken off", lost)
					}
					taken = n/3 - 4
				}
				if i == n/2 && cut == "at the position" || i == n/3 && cut == "ahead" {
					// As the program's runtime would, the one of the test goes on in memory, and then in another file.
					if err := os.Truncate(f.cur.Path, size); err != nil {
						t.Fatal(err)
					}
					f.cur = nil
				}
			}
			for range 3 {
				turn(c)
			}
			f.try(p.epilogue()[0])
			finishAll(t, c)
			got := text(t, out)
			if len(got) < taken || !slices.Equal(got[:taken], want[:taken]) {
				t.Errorf("%d bytes, %s: %d calls, %d had been taken in before", size, cut, len(got), taken)
			}
			if got[len(got)-1] != want[n-1] {
				t.Errorf("%d bytes, %s: ends with %s", size, cut, got[len(got)-1])
			}
			a, err := archive.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			if s := archive.Incomplete(a.Gaps()); len(got) < n &&
				!strings.Contains(s, "calls of rank 0 are missing (files") {
				t.Errorf("%d bytes, %s: %d of %d calls, and it says %q", size, cut, len(got), n, s)
			}
			a.Close()
		}
	}
}

// The control page is gone, while a collector is at work or before one begins: nothing is missing for that.
func TestShortenedControl(t *testing.T) {
	const n = 600
	want := reference(t, 12, n)
	for _, collector := range []string{"at work", "later"} {
		out := filepath.Join(t.TempDir(), "a.tabard")
		dir := state(t, out, nil)
		p := newProgram(t, dir, deadPID+1, 1)
		p.ring = 1000
		register(t, dir, p.id, 0, 1)
		recs := slices.Concat(p.prologue(0, 1), p.work(rng(12), n), p.epilogue())
		c := testCollector(t, dir)
		for i, r := range recs {
			if i == n/2 {
				turn(c)
				if err := os.Truncate(filepath.Join(dir, ring.ControlFile), 0); err != nil {
					t.Fatal(err)
				}
			}
			p.threads[0].try(r)
		}
		if collector == "later" {
			c = testCollector(t, dir)
		} else if _ = ring.Guarded(func() error { c.control.Beat(); return nil }); !c.control.Lost() {
			t.Error("the collector does not know that the control page is gone")
		}
		c.retry = false
		c.scan()
		finishAll(t, c)
		equal(t, text(t, out), want)
	}
}

// The file system of the state is gone, and what was in memory of it can still be read: the process, which did not end
// in order, may have written elsewhere.
func TestStateGone(t *testing.T) {
	for _, gone := range []bool{false, true} {
		out := filepath.Join(t.TempDir(), "a.tabard")
		dir := state(t, out, nil)
		p := newProgram(t, dir, deadPID+1, 1)
		p.ring = 1000
		register(t, dir, p.id, 0, 1)
		for _, r := range append(p.prologue(0, 1), p.work(rng(13), 300)...) {
			p.threads[0].try(r)
		}
		c := testCollector(t, dir)
		c.look()
		if gone {
			d, err := safefile.OpenDir(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			d.Close()
			c.dirs = append(c.dirs, d)
			c.blind.Store(true)
		}
		finishAll(t, c)
		if said := strings.Contains(c.lines(), "INCOMPLETE: calls of rank 0 are missing"); said != gone {
			t.Errorf("the file system is gone: %v; it says: %s", gone, c.lines())
		}
	}
}

// turn goes round once as the collector does, and counts how often that was broken off.
func turn(c *collector) (lost int) {
	c.retry = true
	for range 10 {
		revive(c)
		err := ring.Guarded(func() error { c.round(); return nil })
		if err == nil {
			return lost
		}
		if !errors.Is(err, ring.ErrShortened) {
			panic(err)
		}
		lost++
	}
	return lost
}
