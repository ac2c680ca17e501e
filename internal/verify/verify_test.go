package verify

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/record/ring/ringtest"
	"github.com/tabard-hpc/tabard/spec"
)

// Handles of MPICH, whose predefined ones are constants.
const (
	world   = 0x44000000
	mpiInt  = 0x4c000405
	mpiSum  = 0x58000003
	nullReq = 0x2c000000
	nullInf = 0x1c000000
	dup     = 0x84000000
)

// step is one record of a thread and its values in the archive.
type step struct {
	thread int
	raw    ringtest.Call
	// values are the slots in the archive; nil if the record is not shown as a call.
	values  []any
	flags   archive.Flags
	site    uint32
	pending bool
}

// scenario is the two sides of one process.
type scenario struct {
	meta  []ring.Record
	steps []step
	now   uint64
}

func (s *scenario) tick() uint64 { s.now += 10; return s.now }

// call adds a call of a thread that begins after all before have returned.
func (s *scenario) call(thread int, name string, in, out []any, values ...any) *step {
	start := s.tick()
	s.steps = append(s.steps, step{thread: thread, values: values,
		raw: ringtest.Call{Func: name, Start: start, End: s.tick(), In: in, Out: out}})
	return &s.steps[len(s.steps)-1]
}

func in(v ...any) []any  { return v }
func out(v ...any) []any { return v }

func obj(n int64) archive.Value { return archive.Value{Kind: archive.Ref, N: archive.DynamicRef(n)} }
func null() archive.Value       { return archive.Value{Kind: archive.Ref} }

func pre(name string) archive.Value {
	k, ok := spec.PredefinedByName(name)
	if !ok {
		panic(name)
	}
	return archive.Value{Kind: archive.Ref, N: archive.PredefinedRef(k)}
}

func list(vs ...archive.Value) archive.Value { return archive.Value{Kind: archive.List, List: vs} }

func heapWord(seg uint32, off int64) uint64 {
	return ring.Address{Class: ring.WHeap, ID: seg, Off: off}.Word()
}

func heap(seg uint32, off int64) archive.Value {
	return archive.Value{Kind: archive.Addr, Mem: archive.Heap, Seg: seg, N: off}
}

func stat(source, tag int32, n int64) archive.Value {
	return archive.Value{Kind: archive.Stat, Stat: archive.Status{Source: source, Tag: tag, Bytes: n}}
}

func rawStat(source, tag int32, n int64) ring.Status {
	return ring.Status{Source: source, Tag: tag, Bytes: n}
}

// value makes an archived value of a Go value.
func value(v any) archive.Value {
	switch v := v.(type) {
	case nil:
		return archive.Value{}
	case int:
		return archive.Value{Kind: archive.Int, N: int64(v)}
	case float64:
		return archive.Value{Kind: archive.Float, N: int64(math.Float64bits(v))}
	case string:
		return archive.Value{Kind: archive.Str, Str: v}
	case []int64:
		return archive.Value{Kind: archive.Ints, Ints: v}
	case archive.Value:
		return v
	}
	panic(fmt.Sprintf("value of type %T", v))
}

// archived is one call as it goes into the archive.
type archived struct {
	sig        archive.Signature
	start, end uint64
}

// archive gives the archived calls of each thread.
func (s *scenario) archive() [][]archived {
	var threads [][]archived
	open := map[int][]ringtest.Call{}
	for _, st := range s.steps {
		for len(threads) <= st.thread {
			threads = append(threads, nil)
		}
		if st.raw.Flags&ring.FEnter != 0 {
			open[st.thread] = append(open[st.thread], st.raw)
			continue
		}
		start := st.raw.Start
		if st.raw.Flags&ring.FExit != 0 {
			o := open[st.thread]
			start = o[len(o)-1].Start
			open[st.thread] = o[:len(o)-1]
		}
		if st.values == nil {
			continue
		}
		f := spec.ByName(st.raw.Func)
		c := archived{start: start, end: max(st.raw.End, start)}
		c.sig = archive.Signature{Func: f.ID, Flags: st.flags, Ret: st.raw.Ret, Site: st.site}
		if st.pending {
			c.end = start
		}
		for _, v := range st.values {
			c.sig.Slots = append(c.sig.Slots, value(v))
		}
		if len(c.sig.Slots) != len(f.Slots) {
			panic(fmt.Sprintf("%s: %d values, want %d", f.Name, len(c.sig.Slots), len(f.Slots)))
		}
		threads[st.thread] = append(threads[st.thread], c)
	}
	return threads
}

// logs gives the raw side.
func (s *scenario) logs() []Log {
	var logs []Log
	for thread := range s.archive() {
		var recs []Record
		if thread == 0 {
			for _, m := range s.meta {
				recs = append(recs, Record{Record: m})
			}
		}
		for _, st := range s.steps {
			if st.thread == thread {
				r := ringtest.Record(st.raw)
				if st.pending {
					r = r[:len(r):len(r)]
				}
				recs = append(recs, Record{Record: r, Pending: st.pending})
			}
		}
		logs = append(logs, Log{Name: fmt.Sprint(thread), PID: 7, Thread: thread,
			Records: func() iter.Seq2[Record, error] {
				return func(yield func(Record, error) bool) {
					for _, r := range recs {
						r.Record = slices.Clone(r.Record)
						if !yield(r, nil) {
							return
						}
						clear(r.Record) // valid until the next is asked for
					}
				}
			}})
	}
	return logs
}

func rankData() archive.RankData {
	return archive.RankData{Rank: 0, Size: 2, PID: 7, Complete: true,
		Modules: []archive.Module{{Path: "/bin/app"}, {Path: "/lib/libx.so"}},
		Sites: []archive.Site{{Frames: []archive.Frame{{Module: 0, Offset: 0x40}}},
			{Frames: []archive.Frame{{Module: 0, Offset: 0x50}, {Module: 1, Offset: 0x60}}},
			{Frames: []archive.Frame{{Module: 0, Offset: 0x41}}}},
		Clocks: []archive.Clock{{Ticks: 1, RealNS: 2, MonoNS: 3}}}
}

// thisRun is when the recordings of these tests were created, in Unix ns.
const thisRun = 1700000000_123456789

// pack writes an archive of one process.
func pack(t testing.TB, r archive.RankData, threads [][]archived) *archive.Archive {
	t.Helper()
	return packAll(t, r, [][][]archived{threads})
}

// packAll writes an archive of several processes, which differ in their calls.
func packAll(t testing.TB, r archive.RankData, processes [][][]archived) *archive.Archive {
	t.Helper()
	b := merge.New()
	b.SetMeta(archive.Meta{ABI: spec.MPICH, Created: time.Unix(0, thisRun)})
	for n, threads := range processes {
		r.World = n // the rank is the same in all
		addProcess(t, b, r, threads)
	}
	return open(t, b)
}

func addProcess(t testing.TB, b *merge.Part, r archive.RankData, threads [][]archived) {
	t.Helper()
	var streams []archive.StreamData
	for i, calls := range threads {
		st := archivetest.NewStream()
		for _, c := range calls {
			x := archivetest.Call{Sig: c.sig, Holes: make([]archive.Value, len(c.sig.Slots)), Run: 1, Start: c.start,
				End: c.end}
			x.Sig.Slots = slices.Clone(c.sig.Slots)
			for k := range x.Sig.Slots {
				if v := &x.Sig.Slots[k]; v.Ignored { // always in columns
					x.Holes[k], *v = *v, archive.Value{Kind: archive.Hole, Ignored: true}
				}
			}
			if err := st.Add(&x); err != nil {
				t.Fatal(err)
			}
		}
		streams = append(streams, st.Data(i, true))
	}
	if err := b.Add(r, streams); err != nil {
		t.Fatal(err)
	}
}

// open writes an archive and reads it back.
func open(t testing.TB, b *merge.Part) *archive.Archive {
	t.Helper()
	var buf bytes.Buffer
	if err := b.Write(&buf); err != nil {
		t.Fatal(err)
	}
	a, err := archive.OpenReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// variants are archives of the same process that are wrong in one place each.
type variants struct {
	names     []string
	processes [][][]archived
}

func (v *variants) add(threads [][]archived, name string, args ...any) {
	v.names = append(v.names, fmt.Sprintf(name, args...))
	v.processes = append(v.processes, threads)
}

// check demands that each variant is detected. They are packed together to save time.
func (v *variants) check(t *testing.T, logs []Log) {
	t.Helper()
	a := packAll(t, rankData(), v.processes)
	streams := make([]map[int]*archive.Stream, len(v.processes))
	for s := range a.Streams() {
		if streams[s.Process()] == nil {
			streams[s.Process()] = map[int]*archive.Stream{}
		}
		streams[s.Process()][s.Thread()] = s
	}
	for i, name := range v.names {
		r := &Report{}
		if err := compareProcess(r, a.Rank(i), logs, streams[i], nil); err != nil {
			t.Fatal(err)
		}
		if r.Equal() {
			t.Errorf("%s is not found", name)
		}
	}
}

func compare(t testing.TB, a *archive.Archive, logs []Log) *Report {
	t.Helper()
	r, err := Compare(a, logs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func siteWord(module uint32, off int64) uint64 {
	return ring.Address{Class: ring.WModule, ID: module, Off: off}.Word()
}

// full is a process that does a bit of everything. Every object is used after
// its creation, so that a wrong number anywhere must show.
func full() *scenario {
	s := &scenario{now: 100}
	s.meta = []ring.Record{
		ringtest.Meta(ring.RABI, 0, 2, 32, []uint64{}),
		ringtest.Meta(ring.RWorld, 0, 0, 2),
		ringtest.Meta(ring.RModule, 0, 0, 0x1000, 0x1000, "/bin/app", "aa"),
		ringtest.Meta(ring.RModule, 0, 1, 0x9000, 0x1000, "/lib/libx.so", "bb"),
		ringtest.Meta(ring.RStack, 0, 77, []uint64{siteWord(0, 0x50), siteWord(1, 0x60)}),
		ringtest.Meta(ring.RClock, 0, 1, 2, 3, 1),
	}
	s.communicators()
	s.requests()
	s.others()
	s.nesting()
	s.hidden()
	s.ignored()
	s.threads()
	c := s.call(0, "MPI_Recv", in(heapWord(1, 0), 4, mpiInt, 1, 9, world), nil,
		heap(1, 0), 4, pre("MPI_INT"), 1, 9, pre("MPI_COMM_WORLD"), nil)
	c.pending, c.flags = true, archive.Unfinished
	return s
}

func (s *scenario) barrier(comm uint64, v archive.Value) {
	s.call(0, "MPI_Barrier", in(comm), nil, v)
}

func (s *scenario) communicators() {
	s.call(0, "MPI_Comm_dup", in(world), out(dup), pre("MPI_COMM_WORLD"), obj(0)).site = 1
	s.steps[len(s.steps)-1].raw.Site = siteWord(0, 0x40)
	s.call(0, "MPI_Comm_dup", in(dup), out(dup+1), obj(0), obj(1)).site = 2
	st := &s.steps[len(s.steps)-1]
	st.raw.Site, st.raw.Flags = 77, ring.FStack
	s.barrier(dup, obj(0))
	s.barrier(dup+1, obj(1))
	s.call(0, "MPI_Comm_free", in(dup), nil, obj(0))
	// The handle comes back for another object, under the number that is free.
	s.call(0, "MPI_Comm_dup", in(world), out(dup), pre("MPI_COMM_WORLD"), obj(0))
	s.barrier(dup, obj(0))
	// Two references to one group.
	const group = 0x88000000
	for range 2 {
		s.call(0, "MPI_Comm_group", in(world), out(group), pre("MPI_COMM_WORLD"), obj(0))
	}
	s.call(0, "MPI_Group_free", in(group), nil, obj(0))
	s.call(0, "MPI_Group_size", in(group), out(2), obj(0), 2)
	s.call(0, "MPI_Group_free", in(group), nil, obj(0))
	s.call(0, "MPI_Comm_group", in(dup), out(group), obj(0), obj(3))
	s.call(0, "MPI_Group_size", in(group), out(2), obj(3), 2)
}

func (s *scenario) isend(req uint64, v archive.Value) {
	s.call(0, "MPI_Isend", in(heapWord(2, 64), 8, mpiInt, 1, 7, world), out(req),
		heap(2, 64), 8, pre("MPI_INT"), 1, 7, pre("MPI_COMM_WORLD"), v)
}

// sent is the archived status of a completed send, whatever the library left there.
var sent = stat(-2, -1, 0)

// failed is one with an error.
func failed(code int32) archive.Value {
	v := sent
	v.Stat.Error = code
	return v
}

func (s *scenario) requests() {
	// Requests that share a handle.
	s.isend(9, obj(0))
	s.isend(9, obj(1))
	s.isend(10, obj(2))
	s.call(0, "MPI_Waitall", in(3, []uint64{9, 9, 10}),
		out([]ring.Status{rawStat(1, 2, 3), rawStat(4, 5, 6), rawStat(7, 8, 9)}),
		3, list(obj(0), obj(1), obj(2)), nil, list(sent, sent, sent))
	// Polls, whose other results mean nothing while they fail.
	s.isend(9, obj(5))
	for range 3 {
		s.call(0, "MPI_Testany", in(1, []uint64{9}), out(-32766, 0, rawStat(99, 99, 99)), 1, list(obj(5)), nil, -32766,
			0, nil).flags = archive.Polls
	}
	s.call(0, "MPI_Testany", in(1, []uint64{9}), out(0, 1, rawStat(1, 7, 32)), 1, list(obj(5)), nil, 0, 1, sent)
	// Some complete.
	s.isend(9, obj(0))
	s.isend(11, obj(1))
	s.call(0, "MPI_Waitsome", in(2, []uint64{9, 11}), out(1, []int32{1}, []ring.Status{rawStat(1, 1, 1)}),
		2, list(obj(0), obj(1)), nil, 1, []int64{1}, list(sent))
	s.isend(11, obj(1)) // the number is free again
	// A call that fails says which requests it ended.
	c := s.call(0, "MPI_Waitall", in(2, []uint64{9, 11}),
		out([]uint64{nullReq, 11}, []ring.Status{{Error: 15}, {Error: 18}}),
		2, list(obj(0), obj(1)), list(null(), obj(1)),
		list(failed(15), failed(18)))
	c.raw.Ret, c.flags = 17, archive.Failed
	s.isend(9, obj(0))
	s.call(0, "MPI_Waitall", in(3, []uint64{11, nullReq, 9}), out(nil), 3, list(obj(1), null(), obj(0)), nil, nil)
	// Persistent requests outlive their completion.
	s.call(0, "MPI_Send_init", in(heapWord(2, 0), 1, mpiInt, 1, 7, world), out(12),
		heap(2, 0), 1, pre("MPI_INT"), 1, 7, pre("MPI_COMM_WORLD"), obj(4))
	for range 2 {
		s.call(0, "MPI_Start", in(12), nil, obj(4))
		s.call(0, "MPI_Wait", in(12), out(nil), obj(4), nil, nil)
	}
	s.call(0, "MPI_Request_free", in(12), nil, obj(4))
}

func (s *scenario) others() {
	const info, typ = 0x9c000001, 0xcc000002
	s.call(0, "MPI_Info_create", in(), out(info), obj(0))
	s.call(0, "MPI_Info_set", in(info, "key", "value"), nil, obj(0), "key", "value")
	s.call(0, "MPI_Type_create_struct", in(2, []int32{1, 2}, []uint64{heapWord(3, 0), heapWord(3, 8)},
		[]uint64{mpiInt, mpiInt}), out(typ),
		2, []int64{1, 2}, list(heap(3, 0), heap(3, 8)), list(pre("MPI_INT"), pre("MPI_INT")), obj(0))
	s.call(0, "MPI_Type_create_struct", in(1, []int32{1}, []uint64{16}, []uint64{typ}), out(typ+1),
		1, []int64{1}, []int64{16}, list(obj(0)), obj(1))
	s.call(0, "MPI_Type_commit", in(typ), out(typ), obj(0), obj(0))
	s.call(0, "MPI_Type_size", in(typ+1), out(8), obj(1), 8)
	s.call(0, "MPI_Comm_spawn", in("./child", []string{"a", "b c"}, 1, nullInf, 0, world), out(dup+2, []int32{0}),
		"./child", list(value("a"), value("b c")), 1, null(), 0, pre("MPI_COMM_WORLD"), obj(2), []int64{0})
	s.barrier(dup+2, obj(2))
	s.call(0, "MPI_Dist_graph_create_adjacent",
		in(world, 1, []int32{1}, ringtest.Sentinel(1), 1, []int32{1}, ringtest.Sentinel(1), nullInf, 0), out(dup+3),
		pre("MPI_COMM_WORLD"), 1, []int64{1}, archive.Value{Kind: archive.Sentinel, N: 1}, 1, []int64{1},
		archive.Value{Kind: archive.Sentinel, N: 1}, null(), 0, obj(3))
	s.barrier(dup+3, obj(3))
	s.call(0, "MPI_Wtime", in(), out(math.Float64bits(1.5)), 1.5)
	s.call(0, "tabard_segment", in(5, 1, 4096), nil, 5, 1, 4096).raw.End = 0
	s.call(0, "MPI_Send", in(heapWord(2, 0), 1, mpiInt, 1, 7, world), nil,
		heap(2, 0), 1, pre("MPI_INT"), 1, 7, pre("MPI_COMM_WORLD")).flags = archive.Failed
	s.steps[len(s.steps)-1].raw.Ret = 6
}

// nesting is a reduction whose operation calls MPI.
func (s *scenario) nesting() {
	args := in(heapWord(2, 0), heapWord(2, 8), 1, mpiInt, mpiSum, world)
	enter := s.call(0, "MPI_Allreduce", args, nil)
	enter.raw.Flags = ring.FEnter
	nested := s.call(0, "MPI_Type_size", in(mpiInt), out(4), pre("MPI_INT"), 4)
	nested.raw.Flags, nested.flags = ring.FNested, archive.Nested
	exit := s.call(0, "MPI_Allreduce", nil, nil, heap(2, 0), heap(2, 8), 1, pre("MPI_INT"), pre("MPI_SUM"),
		pre("MPI_COMM_WORLD"))
	exit.raw.Flags = ring.FExit
}

// hidden is a process whose calls that make and end objects were filtered out.
func (s *scenario) hidden() {
	hide := func(name string, in, out []any) { s.call(0, name, in, out).raw.Flags = ring.FHidden }
	hide("MPI_Comm_dup", in(world), out(dup+4))
	s.barrier(dup+4, obj(4)) // gives the object its number
	s.barrier(dup+4, obj(4))
	hide("MPI_Comm_free", in(dup+4), nil)
	s.call(0, "MPI_Comm_dup", in(world), out(dup+5), pre("MPI_COMM_WORLD"), obj(4))
	s.barrier(dup+5, obj(4))
	// Which of two requests with one handle a hidden call ends cannot be known.
	s.isend(20, obj(6))
	s.isend(20, obj(7))
	s.call(0, "MPI_Testall", in(2, []uint64{20, 20}), out(0, nil), 2, list(obj(6), obj(7)), nil, 0,
		nil).flags = archive.Polls
	hide("MPI_Wait", in(20), out(nil))
	s.isend(21, obj(7))
	s.call(0, "MPI_Waitall", in(2, []uint64{20, 21}), out(nil), 2, list(obj(6), obj(7)), nil, nil)
}

// threads lets a second thread get a handle while the first is still in the
// call that frees it.
func (s *scenario) threads() {
	s.call(0, "MPI_Comm_dup", in(world), out(dup+6), pre("MPI_COMM_WORLD"), obj(5))
	s.call(1, "MPI_Barrier", in(dup+6), nil, obj(5))
	free := s.call(0, "MPI_Comm_free", in(dup+6), nil, obj(5))
	end := &free.raw.End
	*end = 0
	at := len(s.steps) - 1
	s.call(1, "MPI_Comm_dup", in(world), out(dup+6), pre("MPI_COMM_WORLD"), obj(8))
	s.steps[at].raw.End = s.tick()
	s.call(1, "MPI_Barrier", in(dup+6), nil, obj(8))
	s.call(0, "MPI_Barrier", in(dup+6), nil, obj(8))
}

func TestEqual(t *testing.T) {
	s := full()
	r := compare(t, pack(t, rankData(), s.archive()), s.logs())
	for _, d := range r.First {
		t.Error(d)
	}
	calls := 0
	for _, th := range s.archive() {
		for _, c := range th {
			if !spec.ByID(c.sig.Func).Own() {
				calls++
			}
		}
	}
	if r.Calls != uint64(calls) || r.Hidden != 3 || r.Threads != 2 || r.Processes != 1 {
		t.Errorf("report %+v, want %d calls, 3 hidden, 2 threads, 1 process", r, calls)
	}
}

// ignored are calls whose statuses the program ignored and the runtime recorded. Those of wildcards are in the archive.
func (s *scenario) ignored() {
	ignores := func(v archive.Value) archive.Value { v.Ignored = true; return v }
	told := func(name string, in, out []any, values ...any) {
		s.call(0, name, in, out, values...).raw.Flags = ring.FIgnored
	}
	irecv := func(source, tag int, raw uint64, o archive.Value) {
		s.call(0, "MPI_Irecv", in(heapWord(1, 0), 4, mpiInt, source, tag, world), out(raw), heap(1, 0), 4,
			pre("MPI_INT"), source, tag, pre("MPI_COMM_WORLD"), o)
	}
	empty, any := stat(-2, -1, 0), -2
	cancelled := ring.Status{Source: 50, Tag: 60, Bytes: 70, Cancelled: true}
	told("MPI_Recv", in(heapWord(1, 0), 4, mpiInt, any, 9, world), out(rawStat(3, 9, 16)),
		heap(1, 0), 4, pre("MPI_INT"), any, 9, pre("MPI_COMM_WORLD"), ignores(stat(3, 9, 16)))
	told("MPI_Probe", in(3, -1, world), out(rawStat(3, 9, 16)), 3, -1, pre("MPI_COMM_WORLD"), ignores(stat(3, 9, 16)))
	irecv(3, 9, 31, obj(31))
	told("MPI_Wait", in(31), out(rawStat(3, 9, 16)), obj(31), nil, nil)
	irecv(any, 9, 31, obj(31))
	irecv(3, 9, 32, obj(32))
	s.isend(33, obj(33))
	told("MPI_Waitall", in(4, []uint64{32, 31, nullReq, 33}),
		out([]ring.Status{rawStat(3, 9, 16), rawStat(3, 9, 20), rawStat(7, 7, 7), cancelled}),
		4, list(obj(32), obj(31), null(), obj(33)), nil, ignores(list(empty, stat(3, 9, 20), empty, empty)))
	irecv(3, -1, 31, obj(31))
	s.isend(33, obj(33))
	told("MPI_Waitany", in(2, []uint64{33, 31}), out(0, rawStat(3, 9, 16)), 2, list(obj(33), obj(31)), nil, 0,
		ignores(empty))
	told("MPI_Waitany", in(2, []uint64{nullReq, 31}), out(1, cancelled), 2, list(null(), obj(31)), nil, 1,
		ignores(archive.Value{Kind: archive.Stat, Stat: archive.Status{Source: -2, Tag: -1, Cancelled: true}}))
}

// mutations returns every way in which a value can be wrong.
func mutations(v archive.Value) []archive.Value {
	var ms []archive.Value
	change := func(f func(*archive.Value)) {
		m := v
		m.Ints, m.List = slices.Clone(v.Ints), slices.Clone(v.List)
		f(&m)
		ms = append(ms, m)
	}
	switch v.Kind {
	case archive.Absent:
		return []archive.Value{{Kind: archive.Int, N: 1}, {Kind: archive.Stat}, list()}
	case archive.Int, archive.Float, archive.Sentinel:
		change(func(m *archive.Value) { m.N++ })
		change(func(m *archive.Value) { m.N ^= 1 << 40 })
	case archive.Ref:
		for _, n := range []int64{0, v.N + 1, archive.DynamicRef(999)} {
			if n != v.N {
				change(func(m *archive.Value) { m.N = n })
			}
		}
	case archive.Addr:
		change(func(m *archive.Value) { m.N++ })
		change(func(m *archive.Value) { m.Seg++ })
		change(func(m *archive.Value) { m.Mem = archive.Stack })
	case archive.Str:
		change(func(m *archive.Value) { m.Str += "x" })
	case archive.Ints:
		for i := range v.Ints {
			change(func(m *archive.Value) { m.Ints[i]++ })
		}
		change(func(m *archive.Value) { m.Ints = m.Ints[1:] })
		change(func(m *archive.Value) { m.Ints = append(m.Ints, 0) })
	case archive.List:
		for i := range v.List {
			for _, e := range mutations(v.List[i]) {
				if v.Ignored && e.Kind != archive.Stat { // cannot be in columns
					continue
				}
				change(func(m *archive.Value) { m.List[i] = e })
			}
		}
		change(func(m *archive.Value) { m.List = m.List[1:] })
	case archive.Stat:
		change(func(m *archive.Value) { m.Stat.Source++ })
		change(func(m *archive.Value) { m.Stat.Tag++ })
		change(func(m *archive.Value) { m.Stat.Bytes++ })
		change(func(m *archive.Value) { m.Stat.Error++ })
		change(func(m *archive.Value) { m.Stat.Cancelled = !v.Stat.Cancelled })
	}
	if v.Ignored {
		change(func(m *archive.Value) { m.Ignored = false })
	}
	return append(ms, archive.Value{})
}

// Every single value that is wrong in the archive is found.
func TestEveryWrongValueIsFound(t *testing.T) {
	s := full()
	logs := s.logs()
	var vs variants
	for th, calls := range s.archive() {
		for i := range calls {
			for k := range calls[i].sig.Slots {
				for _, m := range mutations(calls[i].sig.Slots[k]) {
					threads := s.archive()
					was := threads[th][i].sig.Slots[k]
					threads[th][i].sig.Slots[k] = m
					vs.add(threads, "thread %d call %d %s, %s: %s in place of %s", th, i,
						spec.ByID(calls[i].sig.Func).Name,
						slotName(spec.ByID(calls[i].sig.Func), k), valueText(&m), valueText(&was))
				}
			}
		}
	}
	vs.check(t, logs)
	if n := len(vs.names); n < 900 {
		t.Errorf("only %d differences tried", n)
	}
}

// Every property of a call besides its values.
func TestEveryWrongPropertyIsFound(t *testing.T) {
	s := full()
	logs := s.logs()
	changes := map[string]func(c *archived){
		"return code": func(c *archived) { c.sig.Ret++ },
		"nested":      func(c *archived) { c.sig.Flags ^= archive.Nested },
		"failed":      func(c *archived) { c.sig.Flags ^= archive.Failed },
		"unfinished":  func(c *archived) { c.sig.Flags ^= archive.Unfinished },
		"start":       func(c *archived) { c.start++; c.end = max(c.end, c.start) },
		"end":         func(c *archived) { c.end++ },
		"site":        func(c *archived) { c.sig.Site = (c.sig.Site + 1) % 3 },
		"offset":      func(c *archived) { c.sig.Site = 3 },
	}
	var vs variants
	for name, change := range changes {
		for th, calls := range s.archive() {
			for i := range calls {
				threads := s.archive()
				change(&threads[th][i])
				vs.add(threads, "thread %d call %d: a wrong %s", th, i, name)
			}
		}
	}
	vs.check(t, logs)
}

// Calls that are missing, too many, or in another order.
func TestWrongSequenceIsFound(t *testing.T) {
	s := full()
	logs := s.logs()
	var vs variants
	for th, calls := range s.archive() {
		for i := range calls {
			missing := s.archive()
			missing[th] = slices.Delete(missing[th], i, i+1)
			twice := s.archive()
			twice[th] = slices.Insert(twice[th], i, twice[th][i])
			vs.add(missing, "thread %d call %d missing", th, i)
			vs.add(twice, "thread %d call %d twice", th, i)
		}
	}
	vs.check(t, logs)
	whole := s.archive()
	if r := compare(t, pack(t, rankData(), whole[:1]), logs); r.Equal() {
		t.Error("a missing thread is not found")
	}
	if r := compare(t, pack(t, rankData(), append(whole, whole[1])), logs); r.Equal() {
		t.Error("a thread too many is not found")
	}
	if r := compare(t, pack(t, rankData(), whole), nil); r.Equal() {
		t.Error("a process without a log is not found")
	}
}

func TestWrongRankDataIsFound(t *testing.T) {
	s := full()
	logs := s.logs()
	for what, change := range map[string]func(r *archive.RankData){
		"rank":   func(r *archive.RankData) { r.Rank = 1 },
		"size":   func(r *archive.RankData) { r.Size = 3 },
		"pid":    func(r *archive.RankData) { r.PID = 8 },
		"lost":   func(r *archive.RankData) { r.LostCalls = 1 },
		"module": func(r *archive.RankData) { r.Modules[0].Path = "/bin/other" },
		"clock":  func(r *archive.RankData) { r.Clocks[0].MonoNS++ },
		"frame":  func(r *archive.RankData) { r.Sites[1].Frames[1].Offset++ },
	} {
		data := rankData()
		change(&data)
		if r := compare(t, pack(t, data, s.archive()), logs); r.Equal() {
			t.Errorf("a wrong %s is not found", what)
		}
	}
}

// A log that is cut off or broken is an error of the input, not a difference.
func TestBrokenLog(t *testing.T) {
	s := full()
	a := pack(t, rankData(), s.archive())
	for what, bad := range map[string]Record{
		"unknown function": {Record: ring.Record{60000 | 5<<32, 0, 0, 0, 0}},
		"short record":     {Record: ring.Record{uint64(spec.ByName("MPI_Send").ID) | 5<<32, 0, 0, 0, 0}},
		"short meta":       {Record: ring.Record{ring.RModule | 5<<32, 0, 0, 0, 0}},
	} {
		logs := s.logs()
		good := logs[0].Records
		logs[0].Records = func() iter.Seq2[Record, error] {
			return func(yield func(Record, error) bool) {
				if !yield(bad, nil) {
					return
				}
				good()(yield)
			}
		}
		_, err := Compare(a, logs, nil)
		if err == nil || !strings.Contains(err.Error(), "broken raw log") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

// Without times it is not known how the calls of several threads interleave:
// then handles are not followed, but all else is compared.
func TestThreadsWithoutTimes(t *testing.T) {
	s := full()
	s.meta = s.meta[:len(s.meta)-1]
	data := rankData()
	data.Clocks = nil
	if r := compare(t, pack(t, data, s.archive()), s.logs()); !r.Equal() {
		t.Errorf("differences: %v", r.First)
	}
	threads := s.archive()
	threads[0][0].sig.Slots[0] = null()
	if r := compare(t, pack(t, data, threads), s.logs()); r.Equal() {
		t.Error("a wrong predefined handle is not found")
	}
}
