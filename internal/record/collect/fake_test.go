package collect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
	"github.com/tabard-hpc/tabard/internal/safefile"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
	"github.com/tabard-hpc/tabard/spec"
)

// program plays traced processes: it writes segments as the runtime does.
type program struct {
	t        *testing.T
	dir      string
	id       ring.ProcessID
	capacity int // bytes of a segment
	ring     int // segments of a thread
	threads  []*fakeThread
	clock    uint64
	noise    uint64
}

type fakeThread struct {
	p    *program
	n    int
	segs []*ring.Segment
	next int // oldest in segs
	cur  *ring.Segment
	at   int
	seq  uint64

	repeats ringtest.Repeats
	todo    []ring.Record // what is left of a record that did not fit as a whole
}

const (
	commWorld = 0x44000000
	mpiInt    = 0x4c000405
)

// newProgram plays a process with a pid that is nobody's: it is dead from the
// beginning, as seen by the collector.
func newProgram(t *testing.T, dir string, pid, threads int) *program {
	p := &program{t: t, dir: dir, id: ring.ProcessID{PID: pid}, capacity: 4096, ring: 4, clock: 1000}
	for i := range threads {
		// Few enough to be forgotten now and then.
		p.threads = append(p.threads, &fakeThread{p: p, n: i, repeats: ringtest.Repeats{Max: 40 + 160*(i&1)}})
	}
	return p
}

// tryAdvance gives the thread its next segment, unless it has to wait.
func (f *fakeThread) tryAdvance() bool {
	if f.cur != nil && f.cur.State() == ring.SegActive {
		f.cur.SetState(ring.SegFull)
	}
	if len(f.segs) == f.p.ring {
		s := f.segs[f.next]
		if s.State() != ring.SegFree {
			return false
		}
		f.next = (f.next + 1) % len(f.segs)
		s.Publish(0)
		s.SetPending(0)
		s.SetSeq(f.seq)
		s.SetState(ring.SegActive)
		f.cur = s
	} else {
		s, err := ring.CreateSegment(private.Open(f.p.t, f.p.dir), f.p.id, f.n, len(f.segs), f.seq, f.p.capacity)
		if err != nil {
			f.p.t.Fatal(err)
		}
		f.segs = append(f.segs, s)
		f.cur = s
	}
	f.seq++
	f.at = 0
	return true
}

// try writes a record if there is room. If not, it must be tried again.
func (f *fakeThread) try(rec ring.Record) bool {
	if len(f.todo) == 0 {
		f.todo = f.repeats.Records(rec)
	}
	for len(f.todo) > 0 {
		if !f.write(f.todo[0]) {
			return false
		}
		f.todo = f.todo[1:]
	}
	return true
}

func (f *fakeThread) write(rec ring.Record) bool {
	if f.cur == nil || f.at+len(rec) > f.cur.Capacity() {
		if !f.tryAdvance() {
			return false
		}
	}
	copy(f.cur.Words(f.at, f.at+len(rec)), rec)
	f.at += len(rec)
	f.cur.Publish(f.at)
	return true
}

// begin leaves the thread in a call: rec is its entry part.
func (f *fakeThread) begin(rec ring.Record) {
	for all := f.repeats.Records(rec); ; all = all[1:] {
		if rec = all[0]; len(all) == 1 {
			break
		}
		if !f.write(rec) {
			f.p.t.Fatal("no room for a definition")
		}
	}
	if f.cur == nil || f.at+len(rec) > f.cur.Capacity() {
		if !f.tryAdvance() {
			f.p.t.Fatal("no room for a pending call")
		}
	}
	copy(f.cur.Words(f.at, f.at+len(rec)), rec)
	f.cur.SetPending(len(rec))
}

// tick is the next time stamp; the steps are irregular and the same in each run.
func (p *program) tick() uint64 {
	p.noise = p.noise*6364136223846793005 + 1442695040888963407
	p.clock += 10 + p.noise>>52
	return p.clock
}

// prologue is what a runtime writes first.
func (p *program) prologue(rank, size int) []ring.Record {
	return []ring.Record{
		ringtest.Meta(ring.RProcess, p.tick(), []string{"exe=/bin/app", "host=node1", "lib=MPICH 4.0"}),
		ringtest.Meta(ring.RABI, p.tick(), 2, 32, []uint64{}),
		ringtest.Meta(ring.RClock, p.tick(), p.clock, 1_000_000_000, 2_000_000_000, ring.ClockTSC),
		ringtest.Meta(ring.RWorld, p.tick(), rank, size),
	}
}

func heapAt(seg uint32, off int64) uint64 {
	return ring.Address{Class: ring.WHeap, ID: seg, Off: off}.Word()
}

// work is n calls of a program with a loop, polls, an irregular column, and strings.
func (p *program) work(rng *rand.Rand, n int) []ring.Record {
	var recs []ring.Record
	call := func(c ringtest.Call) {
		c.Start, c.End = p.tick(), p.tick()
		c.Site = ring.Address{Class: ring.WModule, ID: 0, Off: 0x1000 + int64(len(c.Func))}.Word()
		recs = append(recs, ringtest.Record(c))
	}
	for len(recs) < n {
		call(ringtest.Call{Func: "MPI_Isend", In: []any{heapAt(1, 0), 8, mpiInt, 1, 7, commWorld}, Out: []any{9}})
		for range rng.IntN(4) {
			call(ringtest.Call{Func: "MPI_Test", In: []any{9}, Out: []any{0, nil}})
		}
		call(ringtest.Call{Func: "MPI_Test", In: []any{9}, Out: []any{1, nil}})
		call(ringtest.Call{Func: "MPI_Recv", In: []any{heapAt(2, 64), 8, mpiInt, -2, -1, commWorld},
			Out: []any{ring.Status{Source: int32(rng.IntN(5)), Tag: 7, Bytes: 32}}})
		if rng.IntN(10) == 0 {
			call(ringtest.Call{Func: "MPI_Comm_set_name", In: []any{commWorld, strings.Repeat("x", rng.IntN(30))}})
		}
	}
	return recs[:n]
}

// epilogue ends a process in order.
func (p *program) epilogue() []ring.Record {
	return []ring.Record{ringtest.Meta(ring.REnd, p.tick(), 1)}
}

// state makes a state directory for output.
func state(t *testing.T, output string, edit func(*Job)) string {
	t.Helper()
	root := t.TempDir()
	t.Setenv("TABARD_STATE", root)
	out, err := CanonicalOutput(output)
	if err != nil {
		t.Fatal(err)
	}
	job := &Job{Output: out, Command: []string{"app", "-x"}, Created: time.Now().Add(-time.Hour), Host: "node1",
		SegmentsMax: 4}
	if edit != nil {
		edit(job)
	}
	dir := filepath.Join(StateRoots(out)[0], StateKey(out, t.Name()))
	created, err := CreateState(dir, job, ring.Config{})
	if err != nil || !created {
		t.Fatal(created, err)
	}
	t.Cleanup(func() {
		for _, link := range rootLinks(out) {
			os.Remove(link)
		}
	})
	return dir
}

// deadPID is a pid that no process has: beyond the kernel's limit.
const deadPID = 1 << 22

func register(t *testing.T, dir string, id ring.ProcessID, rank, size int) {
	t.Helper()
	err := Register(dir, &Registration{ProcessID: id, Rank: rank, Size: size, LocalSize: size, Traced: true,
		Command: []string{"app"}, Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
}

// testCollector is a collector that the test drives.
func testCollector(t *testing.T, dir string) *collector {
	t.Helper()
	c, err := newCollector(dir, &testLog{t})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type testLog struct{ t *testing.T }

func (l *testLog) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// revive makes the collector believe that the fake processes live.
func revive(c *collector) {
	for _, p := range c.order {
		p.watch.dead = false
		p.watch.fd = -1
		p.watch.next = time.Now().Add(time.Hour)
	}
}

// finishAll lets them die and writes the archive.
func finishAll(t *testing.T, c *collector) {
	t.Helper()
	c.look()
	for _, p := range c.order {
		p.watch.dead = true
	}
	c.round()
	c.began = time.Now().Add(-time.Hour)
	if !c.over() {
		t.Fatal("the job is not over")
	}
	if _, err := c.end(); err != nil {
		t.Fatal(err)
	}
}

// text is the calls of an archive, one per line, with times.
func text(t *testing.T, path string) []string {
	t.Helper()
	a, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var lines []string
	for s := range a.Streams() {
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line(s, c))
		}
	}
	return lines
}

// want is what the records should read as.
func funcs(recs []ring.Record) []string {
	var names []string
	for _, r := range recs {
		if f := spec.ByID(r.ID()); f != nil && r.ID() >= spec.FirstFunction {
			names = append(names, f.Name)
		}
	}
	return names
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%d lines, want %d", len(got), len(want))
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d: %s\nwant %s", i, got[i], want[i])
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func line(s *archive.Stream, c *archive.Call) string {
	return fmt.Sprintf("%d.%d %s @%d-%d", s.Rank().Rank, s.Thread(), c.Format(), c.StartTicks, c.EndTicks)
}

// rootLinks are the links in roots to where a recording to output has its state.
func rootLinks(output string) []string {
	_, fixed := places(output)
	var links []string
	for _, r := range existingRoots(fixed...) {
		eachEntry(r, func(d *safefile.Dir, name string) {
			if strings.HasPrefix(name, outputKey(output)+linkMark) {
				links = append(links, d.Join(name))
			}
		})
	}
	return links
}
