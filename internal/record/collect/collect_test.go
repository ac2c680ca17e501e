package collect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
	"github.com/tabard-hpc/tabard/internal/record/symbol"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// record feeds records through a small ring, with the collector working in
// between, and calls each after every record.
func drive(t *testing.T, c **collector, f *fakeThread, recs []ring.Record, each func(i int)) {
	t.Helper()
	for i, r := range recs {
		for !f.try(r) {
			(*c).retry = true
			(*c).scan()
			revive(*c)
			before := f.cur.Seq()
			(*c).round()
			if !slices.ContainsFunc(f.segs, func(s *ring.Segment) bool { return s.State() == ring.SegFree }) {
				t.Fatalf("record %d: the ring is full (segment %d) and nothing is freed", i, before)
			}
		}
		if each != nil {
			each(i)
		}
	}
}

func reference(t *testing.T, seed uint64, n int) []string {
	out := filepath.Join(t.TempDir(), "ref.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	p.ring = 1000
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(seed), n)...)
	recs = append(recs, p.epilogue()...)
	for _, r := range recs {
		p.threads[0].try(r)
	}
	finishAll(t, testCollector(t, dir))
	lines := text(t, out)
	if len(lines) != n {
		t.Fatalf("%d calls, want %d", len(lines), n)
	}
	for i, name := range funcs(recs) {
		if !strings.Contains(lines[i], name+"(") && !strings.Contains(lines[i], name) {
			t.Fatalf("call %d: %s, want %s", i, lines[i], name)
		}
	}
	return lines
}

// A ring of four small segments is reused many times.
func TestReuse(t *testing.T) {
	want := reference(t, 3, 3000)
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(3), 3000)...)
	recs = append(recs, p.epilogue()...)
	c := testCollector(t, dir)
	drive(t, &c, p.threads[0], recs, nil)
	if n := len(p.threads[0].segs); n != 4 {
		t.Errorf("%d segment files, want 4", n)
	}
	finishAll(t, c)
	equal(t, text(t, out), want)
	if exists(dir) {
		t.Error("the state directory is still there")
	}
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	r := a.Rank(0)
	if !r.Complete || r.Host != "node1" || r.Rank != 0 || r.Size != 1 || a.Meta().MPI != "MPICH 4.0" {
		t.Errorf("rank %+v", r)
	}
}

// The collector is killed at random moments, with or without a checkpoint
// behind it, and a new one goes on: the archive is the same.
func TestRestarts(t *testing.T) {
	const n = 2000
	want := reference(t, 5, n)
	for seed := range uint64(12) {
		out := filepath.Join(t.TempDir(), "a.tabard")
		dir := state(t, out, nil)
		p := newProgram(t, dir, deadPID+1, 1)
		register(t, dir, p.id, 0, 1)
		recs := append(p.prologue(0, 1), p.work(rng(5), n)...)
		recs = append(recs, p.epilogue()...)
		c := testCollector(t, dir)
		r := rng(100 + seed)
		drive(t, &c, p.threads[0], recs, func(int) {
			switch r.IntN(40) {
			case 0: // SIGKILL
				c = testCollector(t, dir)
				c.scan()
				revive(c)
			case 1, 2, 3:
				c.retry = true
				c.scan()
				revive(c)
				c.round()
			case 4:
				for _, pr := range c.order {
					if err := pr.checkpoint(c.dirs); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
		finishAll(t, testCollector(t, dir))
		equal(t, text(t, out), want)
	}
}

// Enough calls for times to leave memory, with restarts, and with a disk that is full for a while.
func TestSpool(t *testing.T) {
	if !alone(t) {
		return
	}
	const n = 30000
	want := reference(t, 5, n)
	for seed := range uint64(3) {
		out := filepath.Join(t.TempDir(), "a.tabard")
		dir := state(t, out, nil)
		p := newProgram(t, dir, deadPID+1, 1)
		p.capacity = 1 << 16
		register(t, dir, p.id, 0, 1)
		recs := append(p.prologue(0, 1), p.work(rng(5), n)...)
		recs = append(recs, p.epilogue()...)
		c := testCollector(t, dir)
		r := rng(200 + seed)
		full := false
		safe := uint64(0) // the first checkpoint that can be relied on again
		gen := func() uint64 {
			if len(c.order) == 0 {
				return 0
			}
			return c.order[0].gen
		}
		lift := func() {}
		drive(t, &c, p.threads[0], recs, func(i int) {
			switch r.IntN(2000) {
			case 0:
				if !full && gen() >= safe {
					c = testCollector(t, dir)
					c.scan()
					revive(c)
				}
			case 1, 2:
				if full = !full && len(p.threads[0].segs) == p.ring; full {
					safe = gen() + 1
					lift = limitFiles(t, 5000)
				} else {
					lift()
				}
			}
		})
		lift()
		if st, err := os.Stat(filepath.Join(dir, spoolName(p.id, 0))); err != nil || st.Size() < 1000 {
			t.Fatalf("nothing was spooled: %v", err)
		}
		if !full && gen() >= safe {
			c = testCollector(t, dir)
		}
		finishAll(t, c)
		equal(t, text(t, out), want)
	}
}

// Killed in the middle of a call, nested in another.
func TestPendingCalls(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	th := p.threads[0]
	for _, r := range p.prologue(0, 1) {
		th.try(r)
	}
	th.try(ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: p.tick(), End: p.tick()}))
	th.try(ringtest.Record(ringtest.Call{Func: "MPI_Comm_free", Flags: ring.FEnter, In: []any{commWorld},
		Start: p.tick()}))
	th.begin(ringtest.Record(ringtest.Call{Func: "MPI_Recv", Flags: ring.FNested,
		In: []any{heapAt(1, 0), 8, mpiInt, 3, 7, commWorld}, Start: p.tick()}))
	finishAll(t, testCollector(t, dir))
	lines := text(t, out)
	if len(lines) != 3 || !strings.Contains(lines[1], "MPI_Recv") || !strings.Contains(lines[2], "MPI_Comm_free") {
		t.Fatalf("%q", lines)
	}
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for i := range uint64(3) {
		call, err := a.Stream(0).CallAt(i)
		if err != nil {
			t.Fatal(err)
		}
		if un := call.Flags&archive.Unfinished != 0; un != (i > 0) {
			t.Errorf("call %d: flags %v", i, call.Flags)
		}
	}
	if r := a.Rank(0); r.Complete || r.End != "ended abruptly" {
		t.Errorf("rank %+v", r)
	}
}

// Threads are passed on in the order of time whatever the order of arrival,
// and a thread in a long call does not hold back the others.
func TestThreads(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 3)
	register(t, dir, p.id, 0, 1)
	for _, r := range p.prologue(0, 1) {
		p.threads[0].try(r)
	}
	// One thread makes a request, another completes it, the next one makes one with the same
	// handle: only in the right order each completes what the one before has made.
	isend := func(th int) {
		p.threads[th].try(ringtest.Record(ringtest.Call{Func: "MPI_Isend", Start: p.tick(), End: p.tick(),
			In: []any{heapAt(1, 0), 8, mpiInt, 1, 7, commWorld}, Out: []any{9}}))
	}
	wait := func(th int) {
		p.threads[th].try(ringtest.Record(ringtest.Call{Func: "MPI_Wait", Start: p.tick(), End: p.tick(),
			In: []any{9}, Out: []any{nil}}))
	}
	const rounds = 300
	for i := range rounds {
		isend(i % 3)
		wait((i + 1) % 3)
	}
	finishAll(t, testCollector(t, dir))
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	calls := uint64(0)
	for s := range a.Streams() {
		calls += s.Calls()
		for c, err := range s.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			v, ok := c.Out("request")
			maker := s.Thread()
			if c.Func.Name == "MPI_Wait" {
				v, ok = c.In("request")
				maker = (maker + 2) % 3
			}
			if !ok || v.Kind != archive.Ref || v.N != archive.DynamicRef(int64(maker)) {
				t.Fatalf("thread %d: %s: request %+v", s.Thread(), c, v)
			}
		}
	}
	if calls != 2*rounds {
		t.Errorf("%d calls, want %d", calls, 2*rounds)
	}
}

// While they live, threads that are idle or in a call let the others pass; one between its entry
// time stamp and publication holds them back, but not for ever.
func TestThreadsLive(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 2)
	register(t, dir, p.id, 0, 1)
	for _, r := range p.prologue(0, 1) {
		p.threads[0].try(r)
	}
	barrier := func(th int) {
		p.threads[th].try(ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: p.tick(),
			End: p.tick()}))
	}
	barrier(1)
	barrier(0)
	c := testCollector(t, dir)
	c.scan()
	revive(c)
	c.drainAll() // finds out which clock it is
	count := func() uint64 { c.drainAll(); return c.order[0].calls() }
	if n := count(); n != 2 {
		t.Fatalf("idle threads: %d calls, want 2", n)
	}
	p.threads[1].begin(ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: p.tick()}))
	barrier(0)
	if n := count(); n != 3 {
		t.Fatalf("a thread in a call: %d calls, want 3", n)
	}
	// Thread 1 returns and is about to publish its next call.
	end := p.tick()
	rec := ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: end - 25, End: end})
	p.threads[1].try(rec)
	p.threads[1].cur.SetPending(1) // in a call, but too short for an entry part
	if p.threads[1].cur.Pending() != nil || !p.threads[1].cur.InCall() {
		t.Fatal("the test does not make the state that it wants")
	}
	barrier(0)
	if n := count(); n != 4 {
		t.Fatalf("an unpublished entry: %d calls, want 4", n)
	}
	time.Sleep(holdAtMost + 10*time.Millisecond)
	if n := count(); n != 5 {
		t.Fatalf("after a while: %d calls, want 5", n)
	}
}

// Restarts with several threads, at random moments of a random interleaving.
func TestThreadRestarts(t *testing.T) {
	run := func(seed uint64, restart bool) []string {
		out := filepath.Join(t.TempDir(), "a.tabard")
		dir := state(t, out, nil)
		p := newProgram(t, dir, deadPID+1, 3)
		p.ring = 1000
		register(t, dir, p.id, 0, 1)
		for _, r := range p.prologue(0, 1) {
			p.threads[0].try(r)
		}
		c := testCollector(t, dir)
		work, r := rng(9), rng(seed)
		for range 200 {
			th := p.threads[work.IntN(3)]
			for _, rec := range p.work(work, 1+work.IntN(6)) {
				th.try(rec)
			}
			if !restart {
				continue
			}
			c.retry = true
			c.scan()
			revive(c)
			switch r.IntN(6) {
			case 0:
				for _, pr := range c.order {
					if err := pr.checkpoint(c.dirs); err != nil {
						t.Fatal(err)
					}
				}
			case 1:
				c = testCollector(t, dir)
			default:
				c.round()
			}
		}
		finishAll(t, testCollector(t, dir))
		return text(t, out)
	}
	want := run(0, false)
	for seed := range uint64(5) {
		equal(t, run(seed, true), want)
	}
}

// A collector that was killed: the next command recovers, whatever the moment.
func TestRecover(t *testing.T) {
	const n = 1500
	want := reference(t, 11, n)
	for seed := range uint64(6) {
		out := filepath.Join(t.TempDir(), "a.tabard")
		dir := state(t, out, nil)
		p := newProgram(t, dir, deadPID+1, 1)
		register(t, dir, p.id, 0, 1)
		recs := append(p.prologue(0, 1), p.work(rng(11), n)...)
		recs = append(recs, p.epilogue()...)
		c := testCollector(t, dir)
		stop := int(rng(seed).IntN(len(recs)))
		drive(t, &c, p.threads[0], recs[:stop], nil)
		path, rep, err := Recover(out, true, io.Discard)
		if err != nil || path != out || rep.Ranks != 1 {
			t.Fatal(path, rep, err)
		}
		got := text(t, out)
		equal(t, got, want[:len(got)])
		if want := len(funcs(recs[:stop])); len(got) != want {
			t.Errorf("%d calls recovered, want %d", len(got), want)
		}
		if exists(dir) {
			t.Error("the state directory is still there")
		}
	}
	path, _, err := Recover(filepath.Join(t.TempDir(), "nothing.tabard"), true, io.Discard)
	if path != "" || err != nil {
		t.Errorf("nothing to recover: %q, %v", path, err)
	}
}

// Recovery waits for a collector that lives.
func TestRecoverWaits(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	for _, r := range p.prologue(0, 1) {
		p.threads[0].try(r)
	}
	lock, err := Elect(dir)
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	if _, _, err := Recover(out, false, io.Discard); !errors.Is(err, ErrRecording) {
		t.Errorf("without waiting: %v", err)
	}
	go func() {
		time.Sleep(50 * time.Millisecond)
		lock.Close()
	}()
	var progress bytes.Buffer
	path, _, err := Recover(out, true, &progress)
	if err != nil || path != out || !strings.Contains(progress.String(), "waiting") {
		t.Errorf("%q %v %q", path, err, progress.String())
	}
}

// An archive that cannot be written to its place is kept and brought home later.
func TestOutputNotWritable(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "gone")
	out := filepath.Join(parent, "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(1), 50)...)
	for _, r := range recs {
		p.threads[0].try(r)
	}
	finishAll(t, testCollector(t, dir))
	path, rep, err := Recover(out, true, io.Discard)
	if err != nil || filepath.Base(path) != KeptArchive || len(rep.Problems) != 1 ||
		!strings.Contains(rep.Problems[0], parent) {
		t.Fatal(path, rep, err)
	}
	if n := len(text(t, path)); n != 50 {
		t.Errorf("%d calls", n)
	}
	if err := os.Mkdir(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	path, _, err = Recover(out, true, io.Discard)
	if err != nil || path != out || len(text(t, out)) != 50 || len(FindStates(out)) != 0 {
		t.Error(path, err)
	}
}

// Recovery of an old recording leaves a newer archive of the same name alone.
func TestRecoverBesideNewer(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	for _, r := range append(p.prologue(0, 1), p.work(rng(1), 5)...) {
		p.threads[0].try(r)
	}
	if err := os.WriteFile(out, []byte("newer"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, _, err := Recover(out, true, io.Discard)
	if err != nil || !strings.HasSuffix(path, "a-2.tabard") || len(text(t, path)) != 5 {
		t.Error(path, err)
	}
	if b, _ := os.ReadFile(out); string(b) != "newer" {
		t.Error("the newer archive was overwritten")
	}
}

// What is damaged is reported, what is not is kept.
func TestDamage(t *testing.T) {
	begin := func(name string) (string, string, *program, []ring.Record) {
		out := filepath.Join(t.TempDir(), name)
		dir := state(t, out, nil)
		p := newProgram(t, dir, deadPID+1, 1)
		p.ring = 1000
		register(t, dir, p.id, 0, 1)
		recs := append(p.prologue(0, 1), p.work(rng(2), 400)...)
		for _, r := range recs {
			p.threads[0].try(r)
		}
		return out, dir, p, recs
	}
	t.Run("record", func(t *testing.T) {
		out, dir, p, _ := begin("a.tabard")
		seg := p.threads[0].segs[1]
		seg.Words(0, 1)[0] = 3 << 32 // shorter than any record
		finishAll(t, testCollector(t, dir))
		rank := firstRank(t, out)
		if n := len(text(t, out)); n < 300 || n == 400 || rank.Complete || rank.LostCalls != 1 ||
			!strings.Contains(rank.Info["problems"], "segment 1") {
			t.Errorf("%d calls, %+v", n, rank)
		}
	})
	t.Run("function", func(t *testing.T) {
		out, dir, p, _ := begin("b.tabard")
		p.threads[0].segs[2].Words(0, 1)[0] |= 0xffff
		finishAll(t, testCollector(t, dir))
		if rank := firstRank(t, out); len(text(t, out)) != 399 || rank.LostCalls != 1 {
			t.Errorf("%d calls, %+v", len(text(t, out)), rank)
		}
	})
	t.Run("segment", func(t *testing.T) {
		out, dir, p, _ := begin("c.tabard")
		os.Remove(p.threads[0].segs[1].Path)
		finishAll(t, testCollector(t, dir))
		if rank := firstRank(t, out); len(text(t, out)) < 300 || rank.Complete ||
			!strings.Contains(rank.Info["problems"], "missing") {
			t.Errorf("%d calls, %+v", len(text(t, out)), rank)
		}
	})
	t.Run("checkpoint", func(t *testing.T) {
		out, dir, p, recs := begin("d.tabard")
		c := testCollector(t, dir)
		c.scan()
		revive(c)
		c.round()
		if err := c.order[0].checkpoint(c.dirs); err != nil {
			t.Fatal(err)
		}
		ck := filepath.Join(dir, checkpointName(p.id))
		b, err := os.ReadFile(ck)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b { // any flipped byte is noticed
			if i%97 == 0 || i < 32 {
				bad := slices.Clone(b)
				bad[i] ^= 1
				if _, err := decodeProcess(bad, private.Open(t, dir), newSpool); err == nil {
					t.Fatalf("byte %d of the checkpoint may be anything", i)
				}
			}
		}
		b[len(b)/2] ^= 1
		if err := os.WriteFile(ck, b, 0o600); err != nil {
			t.Fatal(err)
		}
		finishAll(t, testCollector(t, dir))
		// Only the segment that was not handed back is left.
		rank := firstRank(t, out)
		if n := len(text(t, out)); n == 0 || n > len(recs)/2 || rank.Complete ||
			!strings.Contains(rank.Info["problems"], "checkpoint") {
			t.Errorf("%d calls, %+v", n, rank)
		}
	})
}

func firstRank(t *testing.T, path string) *archive.RankData {
	t.Helper()
	a, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	return a.Rank(0)
}

// The raw log holds every record, once, whatever happens to the collector.
func TestKeepRaw(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	raw := filepath.Join(t.TempDir(), "raw")
	dir := state(t, out, func(j *Job) { j.KeepRaw, j.Private = raw, true })
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(4), 1000)...)
	c := testCollector(t, dir)
	r := rng(8)
	drive(t, &c, p.threads[0], recs, func(int) {
		if r.IntN(100) == 0 {
			c = testCollector(t, dir)
			c.scan()
			revive(c)
		}
	})
	pending := ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: p.tick()})
	if p.threads[0].at+len(pending) > p.threads[0].cur.Capacity() {
		t.Fatal("choose another number of calls")
	}
	p.threads[0].begin(pending)
	finishAll(t, testCollector(t, dir))
	logs, err := RawLogs(raw)
	if err != nil || len(logs) != 1 || logs[0].PID != p.id.PID || logs[0].Thread != 0 {
		t.Fatal(logs, err)
	}
	if st, err := os.Stat(logs[0].Path); err != nil || st.Mode() != PrivateMode {
		t.Errorf("the log of a private recording: %v, mode %v", err, st.Mode())
	}
	i := 0
	for rec, err := range logs[0].Records() {
		if err != nil {
			t.Fatal(err)
		}
		want := pending
		if i < len(recs) {
			want = recs[i]
		}
		if !slices.Equal(rec.Record, want) || rec.Pending != (i == len(recs)) {
			t.Fatalf("record %d: %v, want %v", i, rec, want)
		}
		i++
	}
	if i != len(recs)+1 {
		t.Errorf("%d records, want %d", i, len(recs)+1)
	}
	// A log that is cut off says so.
	st, _ := os.Stat(logs[0].Path)
	if err := os.Truncate(logs[0].Path, st.Size()-8); err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range logs[0].Records() {
		last = err
	}
	if !errors.Is(last, io.ErrUnexpectedEOF) {
		t.Errorf("cut off: %v", last)
	}
}

// What cannot be kept uncompressed is said, and is recorded as ever.
func TestKeepRawNowhere(t *testing.T) {
	dir := t.TempDir()
	raw := filepath.Join(dir, "raw")
	if err := os.WriteFile(raw, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := state(t, filepath.Join(dir, "a.tabard"), func(j *Job) { j.KeepRaw = raw })
	p := newProgram(t, s, deadPID+1, 1)
	register(t, s, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(4), 100)...)
	c := testCollector(t, s)
	drive(t, &c, p.threads[0], recs, func(int) {})
	finishAll(t, c)
	if got := c.lines(); c.report.Calls == 0 || !strings.Contains(got, "not all uncompressed records are in "+raw) {
		t.Errorf("%d calls\n%s", c.report.Calls, got)
	}
}

// Several processes: ranks, a shell around one, a rank that was never traced, spawned worlds.
func TestIdentities(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	write := func(pid, rank, size int) {
		p := newProgram(t, dir, pid, 1)
		for _, r := range append(p.prologue(rank, size), p.work(rng(1), 3)...) {
			p.threads[0].try(r)
		}
	}
	reg := func(r Registration) {
		r.Time = time.Now()
		if err := Register(dir, &r); err != nil {
			t.Fatal(err)
		}
	}
	reg(Registration{ProcessID: ring.ProcessID{PID: deadPID + 1}, Rank: 1, Size: 3, World: "job", Traced: true})
	// a shell
	reg(Registration{ProcessID: ring.ProcessID{PID: deadPID + 2}, Rank: 0, Size: 3, World: "job", Traced: true})
	reg(Registration{ProcessID: ring.ProcessID{PID: deadPID + 3}, Rank: 2, Size: 3, World: "job",
		Reason: "statically linked"})
	reg(Registration{ProcessID: ring.ProcessID{PID: deadPID + 4}, Rank: 0, Size: 2, World: "job2", Spawned: true,
		Traced: true})
	reg(Registration{ProcessID: ring.ProcessID{PID: deadPID + 5}, Rank: 1, Size: 2, World: "job2", Spawned: true,
		Traced: true})
	write(deadPID+1, 1, 3)
	write(deadPID+9, 0, 3) // the shell's child
	write(deadPID+4, 0, 2)
	write(deadPID+5, 1, 2)
	finishAll(t, testCollector(t, dir))
	a, err := archive.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var got []string
	for _, r := range a.Ranks() {
		got = append(got, fmt.Sprintf("%d:%d/%d %d", r.World, r.Rank, r.Size, r.PID-deadPID))
	}
	equal(t, got, []string{"0:0/3 9", "0:1/3 1", "0:2/3 3", "1:0/2 4", "1:1/2 5"})
	if r := a.Rank(2); r.End != "not traced: statically linked" || r.Complete {
		t.Errorf("%+v", r)
	}
}

// The kernel uses numbers of processes again, also within a job, with the collector at work or not.
func TestNumberUsedAgain(t *testing.T) {
	for _, between := range []bool{true, false} {
		out := filepath.Join(t.TempDir(), "app.tabard")
		dir := state(t, out, nil)
		c := testCollector(t, dir)
		var want []string
		for i := range 3 {
			p := newProgram(t, dir, deadPID+1, 1)
			p.id.Start = uint64(100 + i)
			register(t, dir, p.id, i, 3)
			recs := append(p.prologue(i, 3), p.work(rng(uint64(i)), 50*(i+1))...)
			p.ring = 1000
			for _, r := range recs {
				p.threads[0].try(r)
			}
			want = append(want, fmt.Sprint(i, " ", 50*(i+1)))
			if between {
				c.retry = true
				c.scan()
				c.round()
			}
		}
		finishAll(t, c)
		a, err := archive.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		var got []string
		for s := range a.Streams() {
			got = append(got, fmt.Sprint(s.Rank().Rank, " ", s.Calls()))
		}
		equal(t, got, want)
	}
}

func TestSelectedRanks(t *testing.T) {
	for s, want := range map[string]string{"": "012345678", "1": "1", "0-2,5": "0125", "2-8:3": "258", "6-": "678"} {
		f, err := ParseRanks(s)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for r := range 9 {
			if f == nil || f(r) {
				got += fmt.Sprint(r)
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	for _, s := range []string{"x", "3-1", "-1", "1-2:0", ","} {
		if _, err := ParseRanks(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

// The collector notices a real process and how it ended, and a job that has ended takes no more
// processes.
func TestRegisterAfterEnd(t *testing.T) {
	out := filepath.Join(t.TempDir(), "gone", "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	for _, r := range p.prologue(0, 1) {
		p.threads[0].try(r)
	}
	finishAll(t, testCollector(t, dir))
	if err := Register(dir, &Registration{ProcessID: ring.ProcessID{PID: 1}}); !errors.Is(err, ErrEnded) {
		t.Error(err)
	}
	kept := FindStates(out)
	if len(kept) != 1 {
		t.Fatal(kept)
	}
	if err := Register(kept[0], &Registration{ProcessID: ring.ProcessID{PID: 1}}); !errors.Is(err, ErrEnded) {
		t.Error(err)
	}
}

func TestSummary(t *testing.T) {
	c := &collector{job: &Job{Output: "/x/my app.tabard", Shown: "my app.tabard"}}
	c.report = Report{Ranks: 4, Calls: 1234567, Bytes: 12345}
	want := "tabard: 4 ranks, 1,234,567 calls in 12.1 KiB; next: tabard report 'my app.tabard'"
	if got := c.summary(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c.report.In, c.report.NeverEntered = []string{"a", "b/c"}, []string{"b/c"}
	want = strings.Replace(want, ";", ", in regions a, b/c only; region b/c was never entered;", 1)
	if got := c.summary(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// An event that does not fit its signature is a bug of ours: it costs one call, not the recording.
func TestMisfit(t *testing.T) {
	p := newProcess(ring.ProcessID{PID: 1}, true)
	for _, r := range []ring.Record{
		ringtest.Meta(ring.RABI, 0, 2, 32, []uint64{}),
		ringtest.Record(ringtest.Call{Func: "MPI_Recv", Start: 1, End: 2,
			In: []any{heapAt(2, 64), 8, mpiInt, -2, -1, commWorld}, Out: []any{ring.Status{Source: 3}}}),
	} {
		p.chain(0)
		if err := p.syms.Record(0, r, p); err != nil {
			t.Fatal(err)
		}
	}
	s := p.chains[0].s
	if s.calls != 1 || s.misfits != 0 {
		t.Fatal(s.calls, s.misfits)
	}
	for _, cols := range [][]int64{nil, {1}, {1, 2, 3, 4, 5}} {
		s.event(&symbol.Event{Sig: 0, Cols: cols})
	}
	if s.calls != 1 || s.misfits != 3 || p.misfits() != 3 {
		t.Error(s.calls, s.misfits)
	}
}

// A panic while a record is taken in costs that record.
func TestInternalError(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	barrier := func() {
		p.threads[0].try(ringtest.Record(ringtest.Call{Func: "MPI_Barrier", In: []any{commWorld}, Start: p.tick(),
			End: p.tick()}))
	}
	for _, r := range p.prologue(0, 1) {
		p.threads[0].try(r)
	}
	barrier()
	c := testCollector(t, dir)
	c.scan()
	c.drainAll()
	pr := c.order[0]
	s := pr.chains[0].s
	pr.chains[0].s = nil
	barrier()
	c.drainAll()
	pr.chains[0].s = s
	barrier()
	finishAll(t, c)
	if rank := firstRank(t, out); len(text(t, out)) != 2 || rank.LostCalls != 1 ||
		!strings.Contains(rank.Info["problems"], "internal error") {
		t.Errorf("%q %+v", text(t, out), rank)
	}
}

// alone runs the test in a process of its own, since limits are a process's. It
// reports whether this is that process.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv("TABARD_TEST_ALONE") == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "TABARD_TEST_ALONE="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// limitFiles makes files larger than n bytes fail, as a full disk does.
func limitFiles(t *testing.T, n uint64) (lift func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	lift = func() { syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old) }
	t.Cleanup(lift)
	return lift
}

// No room anywhere for the archive: everything stays until there is.
func TestDiskFull(t *testing.T) {
	if !alone(t) {
		return
	}
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	p.ring = 1000
	register(t, dir, p.id, 0, 1)
	for _, r := range append(p.prologue(0, 1), p.work(rng(1), 500)...) {
		p.threads[0].try(r)
	}
	c := testCollector(t, dir)
	c.scan()
	c.round()
	c.began = time.Now().Add(-time.Hour)
	lift := limitFiles(t, 100)
	if ended, err := c.end(); !ended || err == nil {
		t.Fatal(ended, err)
	}
	lift()
	if exists(out) {
		t.Error("half an archive was left")
	}
	path, rep, err := Recover(out, true, io.Discard)
	if err != nil || path != out || rep.Calls != 500 || len(text(t, out)) != 500 || len(FindStates(out)) != 0 {
		t.Error(path, rep, err)
	}
}

// No room for checkpoints: the program goes on, and the collector keeps all in memory.
func TestNoRoomForCheckpoints(t *testing.T) {
	if !alone(t) {
		return
	}
	want := reference(t, 6, 1500)
	out := filepath.Join(t.TempDir(), "a.tabard")
	dir := state(t, out, nil)
	p := newProgram(t, dir, deadPID+1, 1)
	register(t, dir, p.id, 0, 1)
	recs := append(p.prologue(0, 1), p.work(rng(6), 1500)...)
	recs = append(recs, p.epilogue()...)
	for len(p.threads[0].segs) < p.ring { // the segments exist already
		p.threads[0].tryAdvance()
	}
	for _, s := range p.threads[0].segs {
		s.SetState(ring.SegFree)
	}
	p.threads[0].seq, p.threads[0].cur = 0, nil
	c := testCollector(t, dir)
	lift := limitFiles(t, 1000)
	drive(t, &c, p.threads[0], recs, nil)
	lift()
	finishAll(t, c)
	equal(t, text(t, out), want)
	if rank := firstRank(t, out); rank.Complete || !strings.Contains(rank.Info["problems"], "no checkpoint") {
		t.Errorf("%+v", rank)
	}
}
