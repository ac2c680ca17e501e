package collect

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
)

// What was used beyond the share is slept off; what was not used may be used later, but little of it.
func TestCPULimit(t *testing.T) {
	const ms = time.Millisecond
	began := time.Now()
	l := &cpuLimit{cpus: 0.5, then: began}
	for _, step := range []struct{ at, used, want time.Duration }{
		{1000 * ms, 700 * ms, 400 * ms}, // 200 ms too much
		{1400 * ms, 700 * ms, 0},        // slept off
		{9400 * ms, 700 * ms, 0},        // of four seconds that were its own, 100 ms are left
		{9400 * ms, 900 * ms, 200 * ms},
		{9500 * ms, 900 * ms, 100 * ms},
	} {
		if got := l.pause(began.Add(step.at), step.used); got != step.want {
			t.Errorf("after %v, of which %v were used: a pause of %v, want %v", step.at, step.used, got, step.want)
		}
	}
	done := false
	l.wait(func() bool { done = true; return false })
	if !done {
		t.Error("the limit holds although the program has ended")
	}
	(&cpuLimit{}).wait(func() bool { t.Error("there is no limit"); return false })
}

// Whether the limit holds is said by the control page, which may be gone: that ends neither a drain nor the collector.
func TestCPULimitWithoutControl(t *testing.T) {
	dir := state(t, filepath.Join(t.TempDir(), "a.tabard"), nil)
	for pid := 1; pid <= 2; pid++ {
		p := newProgram(t, dir, deadPID+pid, 1)
		register(t, dir, p.id, pid-1, 2)
		p.threads[0].try(p.prologue(pid-1, 2)[0])
	}
	c := testCollector(t, dir)
	c.scan()
	revive(c)
	c.limit = &cpuLimit{cpus: 128, then: time.Now()}
	if err := os.Truncate(filepath.Join(dir, ring.ControlFile), 0); err != nil {
		t.Fatal(err)
	}
	c.drainEach(func() { c.limit.wait(c.computing) })
	if !c.control.Lost() {
		t.Error("nobody looked at the control page")
	}
}

// What a program spilled beside its ring is taken in like the ring, and its files go once a checkpoint covers them.
func TestSpilledSegments(t *testing.T) {
	want := reference(t, 3, 3000)
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	p.ring = 1 << 20
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(3), 3000)...)
	recs = append(recs, p.epilogue()...)
	c := testCollector(t, dir)
	f := p.threads[0]
	for i, r := range recs {
		f.try(r)
		f.cur.SetOnce()
		if i%500 == 499 {
			c.retry = true
			c.scan()
			revive(c)
			c.round()
			if c.round(); !covered(f) {
				t.Fatalf("record %d: a segment that a checkpoint covers was not handed back", i)
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "s.*"))
	if err != nil || len(left) >= len(f.segs)/2 || len(f.segs) < 20 {
		t.Errorf("of %d segments %d files are left (%v)", len(f.segs), len(left), err)
	}
	finishAll(t, c)
	equal(t, text(t, out), want)
}

// covered tells whether all segments before the last one have been handed back and their files are gone.
func covered(f *fakeThread) bool {
	for _, s := range f.segs[:len(f.segs)-1] {
		if _, err := os.Stat(s.Path); err == nil || s.State() != ring.SegFree {
			return false
		}
	}
	return true
}
