package symbol

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
	"github.com/tabard-hpc/tabard/spec"
)

type rc = ringtest.Call

// recorder keeps events as text.
type recorder struct {
	p     *Process
	lines []string
	sigs  []uint32
	polls int
}

func (r *recorder) Event(thread int, e *Event) {
	s := r.p.Signature(e.Sig)
	f := spec.ByID(s.Func)
	line := fmt.Sprintf("%d %s flags=%d ret=%d", thread, f.Name, s.Flags, s.Ret)
	for i := range s.Slots {
		line += " " + show(&s.Slots[i])
	}
	r.lines = append(r.lines, line+fmt.Sprint(" ", e.Cols))
	r.sigs = append(r.sigs, e.Sig)
	if e.Poll {
		r.polls++
	}
}

func show(v *archive.Value) string {
	switch v.Kind {
	case archive.Absent:
		return "-"
	case archive.Hole:
		return "*"
	case archive.Ref:
		switch {
		case v.N == 0:
			return "null"
		case v.N&1 == 1:
			return spec.Predefineds[(v.N-1)/2].Name
		}
		return fmt.Sprintf("#%d", (v.N-2)/2)
	case archive.Addr:
		return fmt.Sprintf("%d:%d+%d", v.Mem, v.Seg, v.N)
	case archive.Str:
		return fmt.Sprintf("%q", v.Str)
	case archive.Ints:
		return fmt.Sprint(v.Ints)
	case archive.List:
		t := "["
		for i := range v.List {
			t += show(&v.List[i]) + ","
		}
		return t + "]"
	}
	return fmt.Sprint(v.N)
}

const (
	world   = 0x44000000
	mpiInt  = 0x4c000405
	nullReq = 0x2c000000
)

func mpich(t testing.TB) (*Process, *recorder) {
	p := NewProcess()
	if err := p.Record(0, ringtest.Meta(ring.RABI, 0, 2, 32, []uint64{}), nil); err != nil {
		t.Fatal(err)
	}
	return p, &recorder{p: p}
}

func heap(seg uint32, off int64) uint64 {
	return ring.Address{Class: ring.WHeap, ID: seg, Off: off}.Word()
}

func isend(peer int, req uint64) rc {
	return rc{Func: "MPI_Isend", Site: 5 | ring.WModule<<60, In: []any{heap(1, 0), 8, mpiInt, peer, 7, world},
		Out: []any{req}}
}

func feed(t testing.TB, p *Process, s Sink, calls ...rc) {
	t.Helper()
	for _, c := range calls {
		if err := p.Record(0, ringtest.Record(c), s); err != nil {
			t.Fatal(err)
		}
	}
}

// Several live requests may share one handle, as eager sends do in both MPIs.
func TestRequestsSharingAHandle(t *testing.T) {
	p, r := mpich(t)
	for range 3 {
		feed(t, p, r, isend(1, 9), isend(2, 9), isend(1, 9),
			rc{Func: "MPI_Waitall", In: []any{3, []uint64{9, 9, 9}}, Out: []any{nil}})
	}
	n := len(r.sigs) / 3
	if !slices.Equal(r.sigs[:n], r.sigs[n:2*n]) || !slices.Equal(r.sigs[:n], r.sigs[2*n:]) {
		t.Errorf("iterations differ: %v", r.lines)
	}
	if want := "0 MPI_Waitall flags=0 ret=0 3 [#0,#1,#2,] - - []"; r.lines[3] != want {
		t.Errorf("got  %s\nwant %s", r.lines[3], want)
	}
}

// The order of completion must not show in later iterations.
func TestRequestNumbersAreStable(t *testing.T) {
	p, r := mpich(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var first []uint32
	for it := range 50 {
		at := len(r.sigs)
		handles := rng.Perm(40)
		reqs := make([]uint64, 4)
		for i := range reqs {
			reqs[i] = uint64(100 + handles[i])
			feed(t, p, r, isend(i, reqs[i]))
		}
		sigs := slices.Clone(r.sigs[at:])
		if it == 0 {
			first = sigs
		} else if !slices.Equal(first, sigs) {
			t.Fatalf("iteration %d differs", it)
		}
		for range reqs {
			live := []int{}
			for i, h := range reqs {
				if h != nullReq {
					live = append(live, i)
				}
			}
			i := live[rng.IntN(len(live))]
			feed(t, p, r, rc{Func: "MPI_Waitany", In: []any{4, slices.Clone(reqs)},
				Out: []any{i, ring.Status{Source: int32(i), Tag: 7, Bytes: 32}}})
			reqs[i] = nullReq
		}
	}
	if n := p.reqs.heads.n; n != 0 {
		t.Errorf("%d requests left", n)
	}
}

// A poll that uses no request takes the same ways.
func TestPlainPolls(t *testing.T) {
	p, r := mpich(t)
	idle := rc{Func: "MPI_Iprobe", In: []any{1, 7, world}, Out: []any{0, ring.Status{Source: 9}}}
	hit := rc{Func: "MPI_Iprobe", In: []any{1, 7, world}, Out: []any{1, ring.Status{Source: 1, Tag: 7}}}
	feed(t, p, r, idle, hit, idle, idle, hit)
	if r.polls != 3 || r.sigs[0] != r.sigs[2] || r.sigs[0] != r.sigs[3] || r.sigs[1] != r.sigs[4] ||
		r.sigs[0] == r.sigs[1] {
		t.Errorf("%d unsuccessful polls, signatures %v", r.polls, r.sigs)
	}
	if want := "0 MPI_Iprobe flags=0 ret=0 1 7 MPI_COMM_WORLD * * [1 1 7 0 0]"; r.lines[4] != want {
		t.Errorf("got  %s\nwant %s", r.lines[4], want)
	}
}

func TestPolls(t *testing.T) {
	p, r := mpich(t)
	idle := rc{Func: "MPI_Test", In: []any{9}, Out: []any{0, ring.Status{Source: 77, Tag: 12345}}}
	for range 2 {
		feed(t, p, r, isend(1, 9), idle, idle, idle,
			rc{Func: "MPI_Test", In: []any{9}, Out: []any{1, ring.Status{Source: 1, Tag: 7, Bytes: 4}}})
	}
	if r.polls != 6 {
		t.Errorf("%d unsuccessful polls, want 6", r.polls)
	}
	if r.sigs[1] != r.sigs[3] || r.sigs[1] == r.sigs[4] || !slices.Equal(r.sigs[:5], r.sigs[5:]) {
		t.Errorf("signatures %v", r.sigs)
	}
	if want := "0 MPI_Test flags=0 ret=0 #0 - * * [1 -2 -1 0 0]"; r.lines[4] != want {
		t.Errorf("got  %s\nwant %s", r.lines[4], want)
	}
	if want := "0 MPI_Test flags=8 ret=0 #0 - 0 - []"; r.lines[1] != want {
		t.Errorf("got  %s\nwant %s", r.lines[1], want)
	}
}

// A handle value is reused right after its object has ended.
func TestHandleReuse(t *testing.T) {
	p, r := mpich(t)
	dup := func(h uint64) rc { return rc{Func: "MPI_Comm_dup", In: []any{world}, Out: []any{h}} }
	send := rc{Func: "MPI_Send", In: []any{heap(1, 0), 8, mpiInt, 1, 7, 0x84000000}}
	free := rc{Func: "MPI_Comm_free", In: []any{0x84000000}}
	feed(t, p, r, dup(0x84000000), send, free, dup(0x84000001), dup(0x84000000), send, free, send)
	for i, want := range map[int]string{1: "#0", 4: "#1", 5: "#1", 6: "#1"} {
		if got := r.lines[i]; !slices.Contains(fields(got), want) {
			t.Errorf("call %d: %s, want %s", i, got, want)
		}
	}
}

func fields(s string) []string {
	var fs []string
	at := 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == ' ' {
			fs = append(fs, s[at:i])
			at = i + 1
		}
	}
	return fs
}

func TestGroupsAreCounted(t *testing.T) {
	p, r := mpich(t)
	get := rc{Func: "MPI_Comm_group", In: []any{world}, Out: []any{0x88000001}}
	free := rc{Func: "MPI_Group_free", In: []any{0x88000001}}
	size := rc{Func: "MPI_Group_size", In: []any{0x88000001}, Out: []any{4}}
	feed(t, p, r, get, get, free, size, free)
	if got := len(p.objs[spec.Group].Live); got != 0 {
		t.Errorf("%d groups left", got)
	}
	if !slices.Contains(fields(r.lines[3]), "#0") {
		t.Error(r.lines[3])
	}
}

// A failed free leaves the object alive.
func TestFailedFree(t *testing.T) {
	p, r := mpich(t)
	feed(t, p, r, rc{Func: "MPI_Comm_dup", In: []any{world}, Out: []any{5}},
		rc{Func: "MPI_Comm_free", In: []any{5}, Ret: 3},
		rc{Func: "MPI_Comm_rank", In: []any{5}, Out: []any{0}})
	if !slices.Contains(fields(r.lines[2]), "#0") {
		t.Error(r.lines)
	}
}

func TestNestedAndAbandoned(t *testing.T) {
	p, r := mpich(t)
	red := rc{Func: "MPI_Allreduce", In: []any{heap(1, 0), heap(2, 0), 1, mpiInt, 0x58000003, world}}
	in, out := red, red
	in.Flags, out.Flags, out.In = ring.FEnter, ring.FExit, nil
	size := rc{Func: "MPI_Type_size", Flags: ring.FNested, In: []any{mpiInt}, Out: []any{4}}
	feed(t, p, r, in, size, out, in, size, rc{Func: "MPI_Barrier", In: []any{world}})
	var names []string
	for _, l := range r.lines {
		names = append(names, fields(l)[1]+" "+fields(l)[2])
	}
	want := []string{"MPI_Type_size flags=1", "MPI_Allreduce flags=0", "MPI_Type_size flags=1",
		"MPI_Allreduce flags=4", "MPI_Barrier flags=0"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
	feed(t, p, r, in)
	p.Finish(r)
	if got := fields(r.lines[5]); got[1] != "MPI_Allreduce" || got[2] != "flags=4" {
		t.Errorf("got %q", got)
	}
}

// A process restored from a checkpoint at any moment goes on as if nothing had happened,
// and the cache never changes what comes out.
func TestRestoreAndCacheAreInvisible(t *testing.T) {
	calls := randomProgram(rand.New(rand.NewPCG(3, 4)), 3000)
	p, r := mpich(t)
	feed(t, p, r, calls...)

	q, cold := mpich(t)
	for _, c := range calls {
		q.cache = cache{}
		q.thread(0).last = nil
		feed(t, q, cold, c)
	}
	if !slices.Equal(r.lines, cold.lines) {
		t.Fatal(diff("with and without cache", r.lines, cold.lines))
	}

	m, again := mpich(t)
	rng, journal := rand.New(rand.NewPCG(5, 6)), []byte(nil)
	for _, c := range calls {
		if rng.IntN(50) == 0 {
			b, err := m.AppendState(nil)
			if err != nil {
				t.Fatal(err)
			}
			journal = append(journal, m.Journal()...)
			if m, err = RestoreProcess(b, journal); err != nil {
				t.Fatal(err)
			}
			again.p = m
		}
		feed(t, m, again, c)
	}
	if !slices.Equal(r.lines, again.lines) {
		t.Fatal(diff("with restores", r.lines, again.lines))
	}
}

// Records that refer to definitions give what records in full give, whether they come one by one
// or in bursts, also after a restore.
func TestReferences(t *testing.T) {
	calls := randomProgram(rand.New(rand.NewPCG(7, 8)), 3000)
	p, r := mpich(t)
	feed(t, p, r, calls...)
	for _, limit := range []int{0, 25} {
		q, refs := mpich(t)
		q.Journal()
		rng, journal := rand.New(rand.NewPCG(5, 6)), []byte(nil)
		repeats, burst := ringtest.Repeats{Max: limit}, 0
		for i, c := range calls {
			for _, rec := range repeats.Records(ringtest.Record(c)) {
				done := 0
				if i%3 > 0 {
					q.Burst(0, rec, ^uint64(0), &done, refs)
				}
				if done == len(rec) {
					burst++
				} else if done != 0 {
					t.Fatalf("%d of %d words taken in", done, len(rec))
				} else if err := q.Record(0, rec, refs); err != nil {
					t.Fatal(err)
				}
			}
			if rng.IntN(100) == 0 {
				state, err := q.AppendState(nil)
				if err != nil {
					t.Fatal(err)
				}
				journal = append(journal, q.Journal()...)
				if q, err = RestoreProcess(state, journal); err != nil {
					t.Fatal(err)
				}
				refs.p = q
			}
		}
		if !slices.Equal(r.lines, refs.lines) {
			t.Fatal(diff("with references", r.lines, refs.lines))
		}
		if limit == 0 && burst == 0 {
			t.Errorf("%d records in bursts", burst)
		}
	}
}

// A damaged journal is an error.
func TestDamagedJournal(t *testing.T) {
	p, r := mpich(t)
	feed(t, p, r, randomProgram(rand.New(rand.NewPCG(1, 2)), 200)...)
	state, err := p.AppendState(nil)
	if err != nil {
		t.Fatal(err)
	}
	journal := p.Journal()
	if _, err := RestoreProcess(state, journal); err != nil {
		t.Fatal(err)
	}
	for _, j := range [][]byte{journal[:len(journal)-1], append([]byte{99, 0}, journal...),
		append(slices.Clone(journal), journalDef, 0, 200)} {
		if _, err := RestoreProcess(state, j); err == nil {
			t.Error("accepted")
		}
	}
}

// Calls in progress at a checkpoint keep the requests that they were given, and teach the cache
// nothing.
func TestRestoreInProgress(t *testing.T) {
	p, r := mpich(t)
	feed(t, p, r, isend(1, 9), isend(2, 9))
	wait := func(start uint64) ring.Record {
		return ringtest.Record(rc{Func: "MPI_Wait", Start: start, In: []any{9}, Out: []any{nil}})
	}
	// Two threads wait for requests with one handle; the second returns first.
	for th := range 2 {
		if err := p.Begin(th, wait(1), r); err != nil {
			t.Fatal(err)
		}
	}
	var journal []byte
	for range 5 {
		b, err := p.AppendState(nil)
		if err != nil {
			t.Fatal(err)
		}
		journal = append(journal, p.Journal()...)
		if p, err = RestoreProcess(b, journal); err != nil {
			t.Fatal(err)
		}
		r.p = p
	}
	for _, th := range []int{1, 0} {
		if err := p.End(th, wait(1), r); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := fields(r.lines[2]), fields(r.lines[3]); a[0] != "1" || a[4] != "#1" || b[0] != "0" || b[4] != "#0" {
		t.Errorf("got %q and %q", a, b)
	}
	if n := len(p.reqs.live()); n != 0 {
		t.Errorf("%d live requests", n)
	}
	if n := len(p.cache.byHash); n != 0 {
		t.Errorf("%d entries in the cache", n)
	}
}

// Few calls with long arrays must not fill the memory.
func TestCacheIsBounded(t *testing.T) {
	p, _ := mpich(t)
	long := make([]int32, 1<<20)
	for i := range 12 {
		long[0] = int32(i)
		feed(t, p, nullSink{}, rc{Func: "MPI_Alltoallv",
			In: []any{heap(1, 0), long, long, mpiInt, heap(2, 0), []int32{1}, []int32{1}, mpiInt, world}})
	}
	words := 0
	for _, e := range p.cache.byHash {
		words += len(e.body)
	}
	if words == 0 || words > maxWords+1<<21 {
		t.Errorf("the cache holds %d words", words)
	}
}

func diff(what string, a, b []string) string {
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("%s: call %d:\n%s\n%v", what, i, a[i], b[min(i, len(b)):min(i+1, len(b))])
		}
	}
	return what + ": lengths differ"
}

// randomProgram makes a legal sequence of calls with requests, communicators and polls.
func randomProgram(rng *rand.Rand, n int) []rc {
	var calls []rc
	var reqs, comms []uint64
	next := uint64(1000)
	comm := func() uint64 {
		if len(comms) > 0 && rng.IntN(2) == 0 {
			return comms[rng.IntN(len(comms))]
		}
		return world
	}
	for len(calls) < n {
		switch rng.IntN(8) {
		case 0, 1, 2:
			h := uint64(500 + rng.IntN(3)) // shared handles
			calls = append(calls, rc{Func: "MPI_Irecv",
				In: []any{heap(1, int64(rng.IntN(2))), 8, mpiInt, rng.IntN(3), 7, comm()}, Out: []any{h}})
			reqs = append(reqs, h)
		case 3:
			if len(reqs) > 0 {
				calls = append(calls, rc{Func: "MPI_Wait", In: []any{reqs[0]},
					Out: []any{ring.Status{Source: 1, Bytes: int64(rng.IntN(3))}}})
				reqs = reqs[1:]
			}
		case 4:
			if len(reqs) > 0 {
				calls = append(calls, rc{Func: "MPI_Test", In: []any{reqs[0]}, Out: []any{0, nil}})
			}
		case 5:
			if len(comms) < 4 {
				next++
				calls = append(calls, rc{Func: "MPI_Comm_dup", In: []any{comm()}, Out: []any{next}})
				comms = append(comms, next)
			}
		case 6:
			if len(comms) > 0 {
				calls = append(calls, rc{Func: "MPI_Comm_free", In: []any{comms[0]}})
				comms = comms[1:]
			}
		case 7:
			calls = append(calls, rc{Func: "MPI_Send", In: []any{heap(1, 0), rng.IntN(2), mpiInt, rng.IntN(3), 7,
				comm()}, Ret: int32(rng.IntN(20) / 19)})
		}
	}
	return calls
}

func BenchmarkSend(b *testing.B) {
	p, _ := mpich(b)
	rec := ringtest.Record(rc{Func: "MPI_Send", In: []any{heap(1, 0), 8, mpiInt, 1, 7, world}})
	rec2 := ringtest.Record(rc{Func: "MPI_Recv", In: []any{heap(1, 0), 8, mpiInt, 1, 7, world},
		Out: []any{ring.Status{Source: 1}}})
	for b.Loop() {
		_ = p.Record(0, rec, nullSink{})
		_ = p.Record(0, rec2, nullSink{})
	}
}

func BenchmarkIsendWait(b *testing.B) {
	p, _ := mpich(b)
	rec := ringtest.Record(isend(1, 9))
	rec2 := ringtest.Record(rc{Func: "MPI_Wait", In: []any{9}, Out: []any{ring.Status{Source: 1}}})
	for b.Loop() {
		_ = p.Record(0, rec, nullSink{})
		_ = p.Record(0, rec2, nullSink{})
	}
}

type nullSink struct{}

func (nullSink) Event(int, *Event) {}

// replaceSink counts replacements.
type replaceSink struct {
	*recorder
	replaced int
}

func (f *replaceSink) Replace(*Replacement) { f.replaced++ }

// TestManyNames: names of regions from one place are told apart up to a bound.
func TestManyNames(t *testing.T) {
	for _, c := range []struct {
		names int
		many  bool
	}{{MaxFamily * moreNames, false}, {MaxFamily*moreNames + 1, true}} {
		p, r := mpich(t)
		s := &replaceSink{recorder: r}
		for i := range c.names {
			rec := ringtest.Record(rc{Func: "region_begin", Site: 9 | ring.WModule<<60,
				In: []any{fmt.Sprint("name ", i), ""}})
			if err := p.Record(0, rec, s); err != nil {
				t.Fatal(err)
			}
		}
		if (s.replaced > 0) != c.many {
			t.Errorf("%d names: %d replacements", c.names, s.replaced)
		}
	}
}

// A call in progress while values leave signatures keeps what its handles meant when it began.
func TestReplaceDuringCall(t *testing.T) {
	old := MaxFamily
	defer func() { MaxFamily = old }()
	var lines [2]string
	for i, size := range []int{1 << 30, 1} {
		MaxFamily = size
		p, r := mpich(t)
		s := &replaceSink{recorder: r}
		do := func(th int, c rc) {
			t.Helper()
			rec := ringtest.Record(c)
			if err := p.Begin(th, rec, s); err != nil {
				t.Fatal(err)
			}
			if err := p.End(th, rec, s); err != nil {
				t.Fatal(err)
			}
		}
		const first, second = 0x8c000001, 0x8c000002
		send := func(count int) rc {
			return rc{Func: "MPI_Send", Site: 9 | ring.WModule<<60, In: []any{heap(2, 0), count, mpiInt, 1, 7, world}}
		}
		recv := rc{Func: "MPI_Recv", Site: 5 | ring.WModule<<60, In: []any{heap(1, 0), 8, second, 1, 7, world},
			Out: []any{ring.Status{Source: 1, Tag: 7, Bytes: 36}}}
		do(0, rc{Func: "MPI_Type_contiguous", In: []any{3, mpiInt}, Out: []any{first}})
		do(0, rc{Func: "MPI_Type_contiguous", In: []any{4, mpiInt}, Out: []any{second}})
		do(0, recv)
		do(0, recv)
		if err := p.Begin(0, ringtest.Record(recv), s); err != nil {
			t.Fatal(err)
		}
		do(1, send(8))
		do(1, send(9))
		do(1, rc{Func: "MPI_Type_free", In: []any{first}})
		do(1, rc{Func: "MPI_Type_free", In: []any{second}})
		if err := p.End(0, ringtest.Record(recv), s); err != nil {
			t.Fatal(err)
		}
		if (s.replaced > 0) != (size == 1) || len(p.objs[spec.Type].Live) != 0 {
			t.Errorf("families of %d: %d replacements, live types %v", size, s.replaced, p.objs[spec.Type].Live)
		}
		lines[i] = r.lines[len(r.lines)-1]
	}
	if lines[0] != lines[1] {
		t.Errorf("with a r\n%s, without\n%s", lines[1], lines[0])
	}
}

// Requests of several threads that share a handle are told by the thread that made them; one that completes those of
// others, too, gets each of them once, its own first.
func TestSharedHandles(t *testing.T) {
	q := newRequests()
	const raw = 9
	var nodes []int64
	for _, thread := range []int32{2, 1, 2, 1, 0} {
		_, num := q.add(raw, q.poolOf(q.pool([]byte("shape")), thread), false, false)
		nodes = append(nodes, num)
	}
	for thread, want := range map[int32][]int{0: {4, 0, 1, 2, 3}, 1: {1, 3, 0, 2, 4}, 2: {0, 2, 1, 3, 4},
		3: {0, 1, 2, 3, 4}} {
		last := int32(-1)
		for i, k := range want {
			n := q.find(raw, i, thread)
			if n < 0 || q.nodes[n].Num != nodes[k] {
				t.Errorf("thread %d: request %d is not the one made as number %d", thread, i, k)
			}
			if last >= 0 && q.after(last, thread) != n {
				t.Errorf("thread %d: another one follows request %d", thread, i-1)
			}
			last = n
		}
		if n := q.find(raw, len(want), thread); n >= 0 {
			t.Errorf("thread %d: there is one more", thread)
		}
	}
}
