package collect

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
)

// look makes a snapshot. It returns the calls that returned, those that did not, and what was noted.
func look(t *testing.T, out string) (done, open []string, a *archive.Archive, notes string) {
	t.Helper()
	var said []string
	a, err := Live(out, func(text string) { said = append(said, text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	if _, ok := a.Meta().Snapshot(); !ok {
		t.Errorf("the snapshot does not say that it is one: %v", a.Meta().Options)
	}
	for s := range a.Streams() {
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Flags&archive.Unfinished != 0 {
				open = append(open, line(s, c))
			} else {
				done = append(done, line(s, c))
			}
		}
	}
	return done, open, a, strings.Join(said, "; ")
}

// contents is all that lies in a directory.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		st, err2 := e.Info()
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %d %v %x\n", e.Name(), st.Size(), st.ModTime(), sha256.Sum256(data))
	}
	return b.String()
}

// TestLive looks at a job again and again: a snapshot has all that has happened, changes nothing, and leaves the
// recording as it would have been. The processes that play the program are this one and its parent: they live.
func TestLive(t *testing.T) {
	const n = 1500
	want := reference(t, 7, n)
	for _, collector := range []string{"at work", "gone"} {
		out := filepath.Join(t.TempDir(), "a.tabard")
		dir := state(t, out, nil)
		p := newProgram(t, dir, os.Getpid(), 1)
		if collector == "gone" {
			p.ring = 1000
		}
		register(t, dir, p.id, 0, 1)
		recs := append(p.prologue(0, 1), p.work(rng(7), n)...)
		end := p.epilogue()
		c := testCollector(t, dir)
		if collector == "gone" {
			c.control.SetCollector(ring.CollectorDone)
		}
		begun := 0
		drive(t, &c, p.threads[0], recs, func(i int) {
			if recs[i].ID() >= 64 {
				begun++
			}
			if i%173 != 172 {
				return
			}
			before := contents(t, dir)
			done, open, a, notes := look(t, out)
			equal(t, done, want[:begun])
			if len(open) > 0 || (notes != "") != (collector == "gone") {
				t.Errorf("collector %s: calls %q have not returned, notes %q", collector, open, notes)
			}
			if r := a.Rank(0); r.Complete || r.End != archive.Running {
				t.Errorf("rank %+v", r)
			}
			if after := contents(t, dir); after != before {
				t.Errorf("the snapshot changed the state directory:\n%s\nbefore:\n%s", after, before)
			}
		})
		drive(t, &c, p.threads[0], end, nil)
		if done, _, a, _ := look(t, out); len(done) != n || a.Rank(0).End == archive.Running {
			t.Errorf("at the end: %d calls, rank %+v", len(done), a.Rank(0))
		}
		finishAll(t, c)
		equal(t, text(t, out), want)
		if _, err := Live(out, func(string) {}); !errors.Is(err, ErrNotRunning) {
			t.Errorf("after the end: %v", err)
		}
	}
}

// TestLiveRaces looks while the program writes and the collector hands segments back as fast as they can: what a
// snapshot shows is a beginning of what there is.
func TestLiveRaces(t *testing.T) {
	const n = 30000
	want := reference(t, 8, n)
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, os.Getpid(), 1)
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(8), n)...)
	c := testCollector(t, dir)
	p.threads[0].try(recs[0])
	var over atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		defer over.Store(true)
		for _, r := range recs[1:] {
			for !p.threads[0].try(r) {
				c.retry = true
				c.round()
			}
		}
	})
	looks, last := 0, 0
	for !over.Load() {
		done, open, _, notes := look(t, out)
		if len(done) < last || len(done) > len(want) || len(open) > 0 {
			t.Fatalf("%d calls after %d, of %d; %d have not returned", len(done), last, n, len(open))
		}
		equal(t, done, want[:len(done)])
		looks, last = looks+1, len(done)
		if notes != "" {
			t.Log(notes)
		}
	}
	wg.Wait()
	t.Logf("%d snapshots", looks)
	drive(t, &c, p.threads[0], p.epilogue(), nil)
	finishAll(t, c)
	equal(t, text(t, out), want)
}

// TestLiveHang looks at a job that hangs: which process is in which call, also in calls of callbacks and of several
// threads, before and after a checkpoint.
func TestLiveHang(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	var programs []*program
	for rank, pid := range []int{os.Getpid(), os.Getppid()} {
		p := newProgram(t, dir, pid, 2-rank)
		register(t, dir, ring.ProcessID{PID: pid}, rank, 2)
		for _, r := range p.prologue(rank, 2) {
			p.threads[0].try(r)
		}
		programs = append(programs, p)
	}
	call := func(p *program, name string, flags uint16, in ...any) ring.Record {
		return ringtest.Record(ringtest.Call{Func: name, Flags: flags, In: in, Start: p.tick(), End: p.tick()})
	}
	a, b := programs[0], programs[1]
	a.threads[0].try(call(a, "MPI_Barrier", 0, commWorld))
	a.threads[0].begin(call(a, "MPI_Send", 0, heapAt(1, 0), 8, mpiInt, 1, 7, commWorld))
	a.threads[1].begin(call(a, "MPI_Barrier", 0, commWorld))
	b.threads[0].try(call(b, "MPI_Barrier", 0, commWorld))
	b.threads[0].try(call(b, "MPI_Comm_free", ring.FEnter, commWorld))
	b.threads[0].begin(call(b, "MPI_Recv", ring.FNested, heapAt(1, 0), 8, mpiInt, 0, 7, commWorld))

	check := func(when string) {
		t.Helper()
		done, open, arch, notes := look(t, out)
		if len(done) != 2 || len(open) != 4 || notes != "" || arch.NumRanks() != 2 {
			t.Fatalf("%s: returned %q, not returned %q, notes %q", when, done, open, notes)
		}
		for i, name := range []string{"0.0 MPI_Send", "0.1 MPI_Barrier", "1.0 MPI_Recv", "1.0 MPI_Comm_free"} {
			if !strings.HasPrefix(open[i], name) {
				t.Errorf("%s: call %d is %s, want %s", when, i, open[i], name)
			}
		}
	}
	check("before the collector")
	c := testCollector(t, dir)
	c.scan()
	c.round()
	check("taken in")
	for _, p := range c.order {
		if err := p.checkpoint(c.dirs); err != nil {
			t.Fatal(err)
		}
	}
	check("after a checkpoint")
	c = testCollector(t, dir) // the first was killed
	c.scan()
	c.round()
	check("recovered")
	finishAll(t, c)
	lines := text(t, out)
	if len(lines) != 6 {
		t.Errorf("recorded %q", lines)
	}
}

// TestLiveMoment: processes are looked at one after the other, but as they were at one moment.
func TestLiveMoment(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, os.Getpid(), 2)
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(3), 40)...)
	for _, r := range recs {
		p.threads[0].try(r)
	}
	// What follows is of the future.
	now := ticks()
	call := func(name string, start, end uint64, in ...any) ring.Record {
		return ringtest.Record(ringtest.Call{Func: name, In: in, Start: start, End: end})
	}
	p.threads[0].try(call("MPI_Barrier", now, now+1<<50, commWorld))
	p.threads[0].try(call("MPI_Barrier", now+2<<50, now+3<<50, commWorld))
	p.threads[1].try(call("MPI_Barrier", now, now+1<<50, commWorld))
	done, open, _, _ := look(t, out)
	if len(done) != 40 || len(open) != 2 || !strings.Contains(open[0], "0.0 MPI_Barrier") ||
		!strings.Contains(open[1], "0.1 MPI_Barrier") {
		t.Errorf("%d calls, not returned: %q", len(done), open)
	}
}

// TestLiveNodes: several collectors of a job on a machine.
func TestLiveNodes(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	for rank, pid := range []int{os.Getpid(), os.Getppid()} {
		dir := state(t, out, func(j *Job) { j.Shared, j.Node, j.Run = true, fmt.Sprint("n", rank), "run" })
		p := newProgram(t, dir, pid, 1)
		p.ring = 100
		register(t, dir, ring.ProcessID{PID: pid}, rank, 2)
		for _, r := range append(p.prologue(rank, 2), p.work(rng(9), 50)...) {
			p.threads[0].try(r)
		}
	}
	done, open, a, notes := look(t, out)
	if len(done) != 100 || len(open) != 0 || a.NumRanks() != 2 || notes != "" {
		t.Errorf("%d calls of %d ranks, %d not returned, notes %q", len(done), a.NumRanks(), len(open), notes)
	}
	target, err := CanonicalOutput(out)
	if err != nil {
		t.Fatal(err)
	}
	if jobs := Running(); !slices.ContainsFunc(jobs, func(l Leftover) bool {
		return l.Output == target && l.Processes == 2
	}) {
		t.Errorf("running: %+v", jobs)
	}
}

// TestLiveNothing: no job, a job that has not begun, one of others.
func TestLiveNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	fails := func(when string) {
		t.Helper()
		if a, err := Live(out, func(string) {}); !errors.Is(err, ErrNotRunning) {
			t.Errorf("%s: %v, %v", when, a, err)
		}
	}
	fails("no job")
	dir := state(t, out, nil)
	fails("nobody registered")
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	fails("a dead process")
	register(t, dir, ring.ProcessID{PID: os.Getpid()}, 1, 3)
	if _, open, a, notes := look(t, out); a.NumRanks() != 2 || len(open) != 0 ||
		!strings.Contains(notes, "2 of 3 ranks") {
		t.Errorf("%d ranks, notes %q", a.NumRanks(), notes)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	fails("a place where others may write")
}

// TestLiveDamage: a checkpoint that cannot be used is said, and left alone.
func TestLiveDamage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, os.Getpid(), 1)
	register(t, dir, p.id, 0, 1)
	c := testCollector(t, dir)
	drive(t, &c, p.threads[0], append(p.prologue(0, 1), p.work(rng(4), 2000)...), nil)
	path := filepath.Join(dir, checkpointName(p.id))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, good[:len(good)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, a, _ := look(t, out)
	if problems := a.Rank(0).Info["problems"]; !strings.Contains(problems, "checkpoint") {
		t.Errorf("problems %q", problems)
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, a, _ := look(t, out); a.Rank(0).Info["problems"] != "" {
		t.Errorf("problems %q", a.Rank(0).Info["problems"])
	}
}
