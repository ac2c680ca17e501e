package collect

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
	"github.com/tabard-hpc/tabard/spec"
)

// The runtime may write records of its own in front of a call whose entry has been taken in.
func TestRuntimeRecordsInsideCalls(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 2)
	register(t, dir, p.id, 0, 1)
	for _, r := range p.prologue(0, 1) {
		p.threads[0].try(r)
	}
	for i := range 2 {
		p.threads[i].try(ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: p.tick(),
			End: p.tick()}))
	}
	c := testCollector(t, dir)
	c.scan()
	revive(c)
	rec := ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: p.tick(),
		End: p.clock + 1000})
	c.drainAll() // finds out which clock it is
	c.drainAll()
	f := p.threads[1]
	f.begin(rec)
	c.drainAll()
	if !c.order[0].chains[1].begun {
		t.Fatal("the call's entry was not taken in")
	}
	f.cur.SetPending(0)
	alloc := ringtest.Meta(ring.RSegAlloc, p.tick(), 5, ring.MemHeap, 100)
	alloc[2] = alloc[1]
	f.try(alloc)
	f.try(ringtest.Meta(ring.RLost, p.tick(), 3))
	f.begin(rec)
	c.drainAll()
	f.cur.SetPending(0)
	f.try(rec)
	finishAll(t, c)
	want := []string{"MPI_Barrier", "MPI_Barrier", "", "MPI_Barrier"}
	got := text(t, out)
	if len(got) != len(want) {
		t.Fatalf("%d calls: %q", len(got), got)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) || strings.Contains(got[i], "unfinished") {
			t.Errorf("call %d: %s", i, got[i])
		}
	}
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if n := a.Rank(0).LostCalls; n != 3 {
		t.Errorf("%d lost calls, want 3", n)
	}
}

// What a process did after the last look for new threads is left for the next round, but not for
// ever.
func TestUnseenThreads(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	for _, r := range p.prologue(0, 1) {
		p.threads[0].try(r)
	}
	c := testCollector(t, dir)
	c.scan()
	revive(c)
	c.drainAll()
	late := c.order[0].idleFrontier() + 1<<50
	p.threads[0].try(ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: p.tick(),
		End: p.tick()}))
	p.threads[0].try(ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: late, End: late}))
	c.round()
	if n := c.order[0].calls(); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
	time.Sleep(holdAtMost + 10*time.Millisecond)
	c.round()
	if n := c.order[0].calls(); n != 2 {
		t.Errorf("after a while: %d calls, want 2", n)
	}
}

// Whoever waited for a collector that could not write the output finds the archive where it was set
// aside.
func TestRecoverAfterKept(t *testing.T) {
	out := filepath.Join(t.TempDir(), "gone", "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	for _, r := range append(p.prologue(0, 1), p.work(rng(1), 50)...) {
		p.threads[0].try(r)
	}
	lock, err := Elect(dir)
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	c := testCollector(t, dir)
	var waiting signalWriter
	waiting.c = make(chan bool, 1)
	done := make(chan bool)
	go func() {
		defer close(done)
		<-waiting.c
		finishAll(t, c)
		lock.Close()
	}()
	path, _, err := Recover(out, true, &waiting)
	<-done
	if err != nil || filepath.Base(path) != KeptArchive || len(text(t, path)) != 50 {
		t.Errorf("%q %v", path, err)
	}
}

type signalWriter struct{ c chan bool }

func (w *signalWriter) Write(b []byte) (int, error) {
	w.c <- true
	return len(b), nil
}

// The archive after MPI_Finalize went to the state directory, then the collector was killed: what
// came later is not forgotten.
func TestKilledAfterKeptEarly(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "gone")
	out := filepath.Join(parent, "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	p.capacity = 1 << 20
	register(t, dir, p.id, 0, 1)
	for _, r := range append(p.prologue(0, 1), p.work(rng(1), 50)...) {
		p.threads[0].try(r)
	}
	c := testCollector(t, dir)
	c.scan()
	revive(c)
	c.drainAll()
	if err := c.archive(); err != nil || c.job.Archive == "" {
		t.Fatal(err, c.job.Archive)
	}
	for _, r := range append(p.work(rng(2), 10), p.epilogue()...) {
		p.threads[0].try(r)
	}
	if err := os.Mkdir(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	path, rep, err := Recover(out, true, io.Discard)
	if err != nil || path != out || rep.Calls != 60 || rep.Unfinished != 0 {
		t.Error(path, rep, err)
	}
}

// Filters, switching off, and what must have been missed make an archive partial. That a call is hidden says no more
// than the filter or the switch, and that nothing of MPI is recorded is no filter: its events were not asked for.
func TestPartial(t *testing.T) {
	for name, want := range map[string]bool{"all": false, "hidden": false, "off": true, "filter": true,
		"foreign": true, "without MPI": false} {
		out := filepath.Join(t.TempDir(), "a.tabard")
		dir := state(t, out, nil)
		var filter []uint16
		switch name {
		case "filter":
			filter = []uint16{100}
		case "without MPI":
			for _, f := range spec.Functions() {
				if f.Kind == 0 && !f.Own() {
					filter = append(filter, uint16(f.ID))
				}
			}
		}
		if filter != nil {
			if err := errors.Join(os.Remove(filepath.Join(dir, ring.ControlFile)),
				ring.CreateControl(private.Open(t, dir), ring.Config{Filter: filter})); err != nil {
				t.Fatal(err)
			}
		}
		p := newProgram(t, dir, deadPID+1, 1)
		register(t, dir, p.id, 0, 1)
		recs := p.prologue(0, 1)
		switch name {
		case "hidden":
			recs = append(recs, ringtest.Record(ringtest.Call{Func: "MPI_Comm_dup", Flags: ring.FHidden,
				In: []any{commWorld}, Out: []any{9}}))
		case "foreign":
			recs = append(recs, ringtest.Record(ringtest.Call{Func: "MPI_Wait", In: []any{77}, Out: []any{nil}}))
		case "off":
			recs = append(recs, ringtest.Meta(ring.RControl, p.tick(), 0))
		}
		for _, r := range append(recs, p.epilogue()...) {
			p.threads[0].try(r)
		}
		finishAll(t, testCollector(t, dir))
		a, err := archive.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		for s := range a.Streams() { // no request without a creator is refused
			for _, err := range s.Iter(0) {
				if err != nil {
					t.Error(name, err)
				}
			}
		}
		if got := a.Meta().Partial; got != want {
			t.Errorf("%s: partial %v, want %v", name, got, want)
		}
		a.Close()
	}
}

// A state directory at a place of the user's choice is found by commands that are not told where.
func TestStateElsewhere(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil) // below TABARD_STATE
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	for _, r := range append(p.prologue(0, 1), p.work(rng(1), 20)...) {
		p.threads[0].try(r)
	}
	twice := FindStates(out)
	t.Setenv("TABARD_STATE", "")
	if got := FindStates(out); len(got) != 1 || got[0] != dir || len(twice) != 1 {
		t.Fatalf("found %q and %q, want %q", twice, got, dir)
	}
	leftover := dir + removedMark + "1"
	if err := os.Mkdir(leftover, 0o700); err != nil {
		t.Fatal(err)
	}
	links := rootLinks(out)
	gone := strings.Replace(links[0], linkMark, linkMark+"gone", 1)
	if err := os.Symlink(filepath.Join(dir, "gone"), gone); err != nil {
		t.Fatal(err)
	}
	path, rep, err := Recover(out, true, io.Discard)
	if err != nil || path != out || rep.Calls != 20 {
		t.Error(path, rep, err)
	}
	if len(links) != 1 || len(rootLinks(out)) != 0 || exists(leftover) {
		t.Errorf("links %q, then %q; leftover removed: %v", links, rootLinks(out), !exists(leftover))
	}
}

// What others can write to is not believed.
func TestForeignState(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	if err := os.Chmod(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := FindStates(out); len(got) != 0 {
		t.Errorf("found %q", got)
	}
}
