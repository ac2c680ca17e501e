package replay

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/program"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
	"github.com/tabard-hpc/tabard/spec"
)

// madeBy gives the calls that the program of a stream makes.
func madeBy(t testing.TB, s *archive.Stream, o *Options) []made {
	t.Helper()
	p, err := Lower(s, o)
	if err != nil {
		t.Fatal(err)
	}
	x := &interpreter{words: p.Words()}
	if err := p.Feed(func(w []uint64) error { x.words = append(x.words, w...); return nil }); err != nil {
		t.Fatal(err)
	}
	var out []made
	if err := x.run(func(m made) { out = append(out, m) }); err != nil {
		t.Fatal(err)
	}
	return out
}

// same are options for the MPI that recorded.
func same(a *archive.Archive, forced bool) *Options {
	abi := a.Meta().ABI
	return &Options{Target: program.Target{Translation: program.Translation{From: abi, To: abi}}, Forced: forced,
		Scale: 1}
}

// expected writes a recorded call as the interpreter writes one, without looking at roles.
func expected(c *archive.Call) string {
	var args []string
	for i := range c.Func.Params {
		p := &c.Func.Params[i]
		in, hasIn := c.In(p.Name)
		out, hasOut := c.Out(p.Name)
		if out.Ignored { // the program passed the constant
			hasOut = false
		}
		entry := false
		for k := range c.Func.Slots {
			entry = entry || c.Func.Slots[k].Param == i && !c.Func.Slots[k].Out
		}
		switch {
		case p.Codec == spec.None:
		case p.Codec == spec.Address && strings.Contains(p.Kind, "FUNCTION"):
			args = append(args, "callback")
		case entry && !hasIn:
			args = append(args, "0")
		case entry:
			args = append(args, entryText(p, &in))
		case p.Codec == spec.Status && !hasOut && c.Flags&(archive.Failed|archive.Polls) == 0 && !unknown(c):
			ignore, _ := spec.MPICH.Const("MPI_STATUS_IGNORE")
			if s := c.Stream(); s.Archive().Meta().ABI == spec.OpenMPI {
				ignore, _ = spec.OpenMPI.Const("MPI_STATUS_IGNORE")
			}
			args = append(args, fmt.Sprint(ignore))
		case p.Codec == spec.Status:
			n := 1
			if p.Array {
				v, _ := c.In(c.Func.Params[max(p.LenCap, 0)].Name)
				n = int(v.N)
			}
			args = append(args, fmt.Sprintf("status %d", n))
		case p.Codec == spec.Handle && !p.Array:
			code := int64(noCode)
			if hasOut && out.N > 0 && out.N%2 == 0 {
				code = out.N
			}
			args = append(args, fmt.Sprintf("new %d:%d", p.Class, code))
		case p.Codec == spec.Address && p.Kind == "C_BUFFER":
			args = append(args, fmt.Sprintf("new %d#%d+%d", out.Mem, out.Seg, out.N))
		default:
			args = append(args, "room")
		}
	}
	return c.Func.Name + "(" + strings.Join(args, ", ") + ")"
}

// unknown tells whether a poll found nothing, so that its status says nothing.
func unknown(c *archive.Call) bool {
	flag, ok := c.Out("flag")
	return ok && flag.N == 0
}

func entryText(p *spec.Param, v *archive.Value) string {
	place := func(v *archive.Value) string {
		if v.Mem == archive.Literal {
			return fmt.Sprint(v.N)
		}
		return fmt.Sprintf("%d#%d+%d", v.Mem, v.Seg, v.N)
	}
	switch v.Kind {
	case archive.Int:
		if p.Pointer {
			return fmt.Sprintf("&%d", v.N)
		}
		return fmt.Sprint(v.N)
	case archive.Ref:
		if p.Pointer {
			return fmt.Sprintf("&%d:%d", p.Class, v.N)
		}
		return fmt.Sprintf("%d:%d", p.Class, v.N)
	case archive.Ints:
		return fmt.Sprint(v.Ints)
	case archive.Addr:
		return place(v)
	case archive.Str:
		return fmt.Sprintf("%q", v.Str)
	case archive.Stat:
		return fmt.Sprint([]int64{int64(v.Stat.Source), int64(v.Stat.Tag), v.Stat.Bytes, int64(v.Stat.Error)})
	case archive.List:
		var parts []string
		for i := range v.List {
			e := &v.List[i]
			switch e.Kind {
			case archive.Ref:
				parts = append(parts, fmt.Sprint(e.N))
			case archive.Str:
				parts = append(parts, fmt.Sprintf("%q", e.Str))
			default:
				parts = append(parts, place(e))
			}
		}
		text := "[" + strings.Join(parts, " ") + "]"
		if p.Codec == spec.Handle {
			return fmt.Sprintf("%d:%s", p.Class, text)
		}
		return text
	}
	return "?"
}

// sources finds out for each receive from any source, by the number of its call, who it heard from:
// what completes it is looked for in all later calls.
func sources(t testing.TB, s *archive.Stream) map[uint64]string {
	t.Helper()
	var calls []*archive.Call
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c.Clone())
	}
	out := map[uint64]string{}
	by := map[int64]string{} // what will be told of a request
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		if c.Func.Name == "MPI_Irecv" {
			req, _ := c.Out("request")
			if by[req.N] == "" {
				by[req.N] = fmt.Sprint(int64(anyone), int64(anyone))
			}
			out[c.Index] = by[req.N]
			by[req.N] = ""
			continue
		}
		if c.Flags&archive.Polls != 0 {
			continue
		}
		var codes []int64
		if v, ok := c.In("request"); ok && c.Func.Name != "MPI_Start" {
			codes = append(codes, v.N)
		} else if v, ok := c.In("array_of_requests"); ok {
			for _, e := range v.List {
				codes = append(codes, e.N)
			}
		}
		var stats []archive.Value
		if v, ok := c.Out("status"); ok {
			stats = []archive.Value{v}
		} else if v, ok := c.Out("array_of_statuses"); ok {
			stats = v.List
		}
		if v, ok := c.Out("array_of_indices"); ok {
			var some []int64
			for _, i := range v.Ints {
				some = append(some, codes[i])
			}
			codes = some
		} else if v, ok := c.Out("index"); ok && v.N >= 0 {
			codes = []int64{codes[v.N]}
		}
		for k, code := range codes {
			if k < len(stats) {
				by[code] = fmt.Sprint(stats[k].Stat.Source, stats[k].Stat.Tag)
			}
		}
	}
	return out
}

// compareStream compares the program of a stream with its calls.
func compareStream(t *testing.T, s *archive.Stream) (n int) {
	t.Helper()
	got := madeBy(t, s, same(s.Archive(), true))
	i := 0
	who := sources(t, s)
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if i >= len(got) {
			t.Fatalf("%d calls, but there are more: %v", i, c)
		}
		m := got[i]
		i++
		if m.flags&callSkip != 0 {
			if !c.Func.Own() && c.Flags&(archive.Nested|archive.Unfinished) == 0 {
				t.Fatalf("call %d is skipped: %v", c.Index, c)
			}
			continue
		}
		if want := expected(c); m.call != want {
			t.Fatalf("call %d:\n%v\ngot  %s\nwant %s", c.Index, c, m.call, want)
		}
		if want := outcomeText(c, who); m.outcome != want {
			t.Fatalf("call %d:\n%v\noutcome %s, want %s", c.Index, c, m.outcome, want)
		}
		n++
	}
	if i != len(got) {
		t.Fatalf("%d calls, want %d", len(got), i)
	}
	return n
}

// outcomeText is what is forced on a call.
func outcomeText(c *archive.Call, who map[uint64]string) string {
	status, known := c.Out("status")
	from := fmt.Sprint(int64(anyone), int64(anyone))
	if known {
		from = fmt.Sprint(status.Stat.Source, status.Stat.Tag)
	}
	source, _ := c.In("source")
	tag, _ := c.In("tag")
	abi := c.Stream().Archive().Meta().ABI
	anySource, _ := abi.Const("MPI_ANY_SOURCE")
	anyTag, _ := abi.Const("MPI_ANY_TAG")
	wild := source.Kind == archive.Int && source.N == anySource || tag.Kind == archive.Int && tag.N == anyTag
	// A parameter that varies at a call site may be a wildcard at any time.
	sig, _ := c.Stream().Signature(c.Terminal)
	for i := range sig.Slots {
		if name := archive.SlotName(c.Func, &c.Func.Slots[i]); sig.Slots[i].Kind == archive.Hole &&
			(name == "source" || name == "tag") {
			wild = true
		}
	}
	switch {
	case c.Flags&archive.Failed != 0:
		return ""
	case c.Flags&archive.Polls != 0:
		return "no"
	case c.Func.Name == "MPI_Iprobe":
		return "flag 1 " + from
	case c.Func.Name == "MPI_Test" || c.Func.Name == "MPI_Testall":
		return "flag 1"
	case (c.Func.Name == "MPI_Recv" || c.Func.Name == "MPI_Probe") && wild && known:
		return from
	case c.Func.Name == "MPI_Irecv" && wild:
		return who[c.Index]
	}
	undefined, _ := abi.Const("MPI_UNDEFINED")
	index := func(n int64) int64 {
		if n == undefined {
			return -1
		}
		return n
	}
	if v, ok := c.Out("index"); ok && c.Func.Name == "MPI_Testany" {
		return fmt.Sprint("flag 1 ", index(v.N))
	} else if ok && c.Func.Name == "MPI_Waitany" {
		return fmt.Sprint(index(v.N))
	}
	if n, ok := c.Out("outcount"); ok {
		v, _ := c.Out("array_of_indices")
		if index(n.N) < 0 {
			return "-1[]"
		}
		return fmt.Sprint(int64(len(v.Ints)), v.Ints)
	}
	return ""
}

// The programs of all ranks of all synthetic jobs make exactly the calls that the archive holds.
func TestProgramsOfSyntheticJobs(t *testing.T) {
	tried := 0
	for _, p := range synthetic.Programs() {
		for _, params := range []synthetic.Params{{Ranks: 9, Steps: 12, Seed: 1},
			{Ranks: 16, Steps: 40, Seed: 2, ABI: spec.OpenMPI, Timing: true}} {
			a := makeJob(t, p, params)
			if a == nil {
				continue
			}
			tried++
			for s := range a.Streams() {
				if compareStream(t, s) == 0 {
					t.Errorf("%s: no calls", p.Name)
				}
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d jobs", tried)
	}
}

func makeJob(t testing.TB, p *synthetic.Program, params synthetic.Params) *archive.Archive {
	t.Helper()
	j, err := synthetic.NewJob(p, params)
	if err != nil {
		return nil
	}
	b, err := j.Recording()
	if err != nil {
		t.Fatal(err)
	}
	return archivetest.Open(t, b)
}

const small = `
abi openmpi
rank 0 of 2 on node1
MPI_Init()
MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
loop 3
  MPI_Irecv(buf=heap#0+8, count=?4, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=comm#0) @ a.c:1 [main] ; request=request#0
  poll 3 MPI_Test(request=request#0) @ a.c:2 [main] ; flag=0
  MPI_Test(request=request#0) @ a.c:2 [main] ; flag=1 ; status=?{source=1 tag=7 bytes=16}
  poll 2 MPI_Iprobe(source=MPI_ANY_SOURCE, tag=5, comm=comm#0) @ a.c:3 [main] ; flag=0
end
loop 3
  MPI_Recv(buf=heap#0, count=4, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=8, comm=comm#0) @ a.c:4 [main] ; status=?ignored{source=1 tag=8 bytes=16}
  MPI_Irecv(buf=heap#0, count=4, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=9, comm=comm#0) @ a.c:5 [main] ; request=request#3
  MPI_Isend(buf=heap#0, count=4, datatype=MPI_INT, dest=1, tag=9, comm=comm#0) @ a.c:6 [main] ; request=request#4
  MPI_Waitall(count=2, array_of_requests=[request#4, request#3]) @ a.c:7 [main] ; array_of_statuses=?ignored[{source=-1 tag=-1 bytes=0}, {source=1 tag=9 bytes=16}]
end
MPI_Irecv(buf=heap#0, count=4, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=9, comm=comm#0) @ a.c:5 [main] ; request=request#3
MPI_Waitany(count=2, array_of_requests=[MPI_REQUEST_NULL, request#3]) @ a.c:8 [main] ; index=?1 ; status=?ignored{source=1 tag=9 bytes=16}
MPI_Waitsome(incount=2, array_of_requests=[request#1, request#2]) ; outcount=1 ; array_of_indices=[1]
MPI_Waitany(count=2, array_of_requests=[request#1, MPI_REQUEST_NULL]) ; index=?0
MPI_Waitany(count=1, array_of_requests=[MPI_REQUEST_NULL]) ; index=MPI_UNDEFINED
MPI_Allreduce(sendbuf=MPI_IN_PLACE, recvbuf=heap#0+0, count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=comm#0)
MPI_Recv(buf=MPI_BOTTOM, count=1, datatype=MPI_INT, source=MPI_PROC_NULL, tag=3, comm=comm#0)
MPI_Send(buf=raw+64, count=1, datatype=MPI_INT, dest=?1, tag=3, comm=comm#0)
MPI_Finalize() ; unfinished
`

func TestSmall(t *testing.T) {
	a := archivetest.Archive(t, strings.ReplaceAll(small, "raw+64", "stack#0-64"))
	for s := range a.Streams() {
		if n := compareStream(t, s); n < 20 {
			t.Errorf("%d calls", n)
		}
	}
}

// Constants are those of the MPI that makes the calls; what polls find is waited for if order is
// free.
func TestOtherMPI(t *testing.T) {
	a := archivetest.Archive(t, strings.ReplaceAll(small, "raw+64", "stack#0-64"))
	o := same(a, false)
	o.Target.To = spec.MPICH
	var list []string
	skipped, until := 0, 0
	for _, m := range madeBy(t, a.Stream(0), o) {
		switch {
		case m.flags&callSkip != 0:
			skipped++
			continue
		case m.flags&callUntil != 0:
			until++
		}
		list = append(list, strings.TrimSpace(m.call+" "+m.outcome))
	}
	text := strings.Join(list, "\n")
	for _, want := range []string{
		"MPI_Irecv(1#0+8, 4, 3:27, -2, -1, 1:2, new 9:2)", "MPI_Allreduce(-1, 1#0+0, 1, ",
		"MPI_Recv(0, 1, 3:27, -1, 3, 1:2, 1)",
		"MPI_Waitany(2, 9:[4 0], room, 1) 0", "MPI_Waitany(1, 9:[0], room, 1) -1",
		"MPI_Waitsome(2, 9:[4 6], room, room, 1) 1 [1]", "MPI_Iprobe(-2, 5, 1:2, room, ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if skipped != 3+1 || until != 3 {
		t.Errorf("%d calls skipped, %d polls repeated", skipped, until)
	}
}

// Where datatypes lead far away, there is to be memory.
func TestFar(t *testing.T) {
	const text = `abi openmpi
rank 0 of 1 on node1
MPI_Init()
MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 1], array_of_displacements=[0, %s], array_of_types=[MPI_INT, MPI_INT]) ; newtype=type#0
MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 100000000], array_of_displacements=?[0, %s], array_of_types=[MPI_INT, MPI_INT]) ; newtype=type#1
MPI_Type_create_hvector(count=2, blocklength=1, stride=?%s, oldtype=MPI_INT) ; newtype=type#1
MPI_Type_create_resized(oldtype=type#0, lb=140000000000000, extent=4) ; newtype=type#2
MPI_Send(buf=heap#0, count=1, datatype=type#0, dest=0, tag=0, comm=MPI_COMM_WORLD)
MPI_Send(buf=heap#0, count=1, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD)
MPI_Send(buf=heap#0, count=1, datatype=?type#1, dest=0, tag=0, comm=MPI_COMM_WORLD)
MPI_Finalize()
`
	for _, c := range []struct {
		d    []any
		want []int64
	}{
		{[]any{"4096", "-4096", "68719476735"}, nil},
		{[]any{"46179488366592", "4", "8"}, []int64{46179488366592 - farMargin, 46179488366592 + farMargin}},
		{[]any{"4", "-46179488366592", "-46179488366600"}, []int64{-46179488366600 - farMargin,
			-46179488366592 + 6400000000}},
		{[]any{"4", "8", "68719476736"}, []int64{68719476736 - farMargin, 68719476736 + farMargin}},
		{[]any{"140737488355328", "4", "8"}, nil},
	} {
		a := archivetest.Archive(t, fmt.Sprintf(text, c.d...))
		p, err := Lower(a.Stream(0), same(a, true))
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		if n := p.tables.header[hFar]; n > 0 {
			got = p.tables.arrays[n-1]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v instead of %v", c.d, got, c.want)
		}
		flags := 0
		for _, m := range madeBy(t, a.Stream(0), same(a, true)) {
			if m.flags&callFar != 0 {
				flags++
			}
		}
		if want := 2 * min(len(c.want), 1); flags != want {
			t.Errorf("%v: %d calls with distances instead of %d", c.d, flags, want)
		}
	}
}

// Between the calls passes the time that passed in the recording, times the scale.
func TestGaps(t *testing.T) {
	a := archivetest.Archive(t, `
abi openmpi
rank 0 of 1 on node1
clock 0 0 0
clock 1000000 1000000 1000000
100+50 MPI_Init()
1150+50 MPI_Barrier(comm=MPI_COMM_WORLD)
1300+10 MPI_Comm_rank(comm=MPI_COMM_WORLD) ; nested
1250+100 MPI_Barrier(comm=MPI_COMM_WORLD)
1350+50 MPI_Finalize()
`)
	o := same(a, true)
	o.Gaps, o.Scale = true, 2
	var gaps []int64
	for _, m := range madeBy(t, a.Stream(0), o) {
		gaps = append(gaps, m.gap)
	}
	if fmt.Sprint(gaps) != "[0 2000 0 100 0]" {
		t.Error(gaps)
	}
}

// A communicator is freed when the other threads have done what they did before.
func TestThreads(t *testing.T) {
	a := archivetest.Archive(t, `
abi openmpi
rank 0 of 1 on node1
clock 0 0 0
clock 1000000000000 1000000000000 1000000000000
100000+50000 MPI_Init_thread(required=MPI_THREAD_MULTIPLE) ; provided=MPI_THREAD_MULTIPLE
200000+50000 MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
900000+10000 MPI_Comm_free(comm=comm#0)
1000000+50000 MPI_Finalize()
thread 1
300000+10000 MPI_Barrier(comm=comm#0)
400000+10 poll 3 MPI_Iprobe(source=MPI_ANY_SOURCE, tag=5, comm=comm#0) ; flag=0
700000+10000 MPI_Barrier(comm=comm#0)
950000+10000 MPI_Barrier(comm=MPI_COMM_WORLD)
`)
	o := same(a, true)
	o.Threads = []*archive.Stream{a.Stream(0), a.Stream(1)}
	for i, want := range []string{"[[] [0 0] [0 3] []]", "[[2 0] [2 0] [2 0] [2 0] [2 0] [3 0]]"} {
		p, err := Lower(a.Stream(i), o)
		if err != nil {
			t.Fatal(err)
		}
		p.thread(i, 2, false)
		x := &interpreter{words: p.Words()}
		if err := p.Feed(func(w []uint64) error { x.words = append(x.words, w...); return nil }); err != nil {
			t.Fatal(err)
		}
		var after [][]int64
		if err := x.run(func(m made) { after = append(after, m.after) }); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(after) != want {
			t.Errorf("thread %d: %v", i, after)
		}
	}
}

// What streams of no varying value need is in the tables.
func TestNothingStreams(t *testing.T) {
	a := makeJob(t, synthetic.ByName("stencil-2d"), synthetic.Params{Ranks: 9, Steps: 1000})
	p, err := Lower(a.Stream(4), same(a, true))
	if err != nil {
		t.Fatal(err)
	}
	if p.Streams || len(p.Words()) > 10000 {
		t.Errorf("values: %v, %d words", p.Streams, len(p.Words()))
	}
}

// Broken archives give errors, not panics.
func TestDamaged(t *testing.T) {
	d, err := archivetest.NewDamager(1, archivetest.Bytes(t, strings.ReplaceAll(small, "raw+64", "stack#0-64")))
	if err != nil {
		t.Fatal(err)
	}
	for range 400 {
		b, _ := d.Next()
		lowerAll(b)
	}
}

// lowerAll lowers all streams of an archive that may be broken.
func lowerAll(b []byte) {
	a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<24))
	if err != nil {
		return
	}
	streams := 0
	for s := range a.Streams() {
		if streams++; streams > 8 {
			return
		}
		if p, err := Lower(s, same(a, true)); err == nil {
			p.Words()
			left := 1 << 16
			_ = p.Feed(func(w []uint64) error {
				if left -= len(w); left < 0 {
					return fmt.Errorf("enough")
				}
				return nil
			})
		}
	}
}

// Whatever an archive holds, lowering it neither panics nor hangs.
func FuzzLower(f *testing.F) {
	f.Add(archivetest.Bytes(f, strings.ReplaceAll(small, "raw+64", "stack#0-64")))
	f.Add(archivetest.Bytes(f, skipping))
	f.Fuzz(func(_ *testing.T, b []byte) { lowerAll(b) })
}

// The numbers of program.h are those of this package.
func TestProgramHeader(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Fatal(err)
	}
	values := map[string]any{
		"RP_MAGIC": uint64(programMagic), "RP_RULE": ruleBit, "RP_NEXT": nextBit, "RP_ANY": int64(anyone),
		"RP_NO_CODE":        int64(noCode),
		"RP_HEADER_VERSION": hVersion, "RP_HEADER_WORDS": hWords, "RP_HEADER_THREAD": hThread,
		"RP_HEADER_THREADS": hThreads, "RP_HEADER_ABI": hABI, "RP_HEADER_FLAGS": hFlags,
		"RP_HEADER_PATIENCE": hPatience, "RP_HEADER_RANK": hRank, "RP_HEADER_SIZE": hSize, "RP_HEADER_CALLS": hCalls,
		"RP_HEADER_SCRATCH": hScratch, "RP_HEADER_FAR": hFar, "RP_HEADER_END": headerFields,
		"RP_FLAG_GAPS": flagGaps, "RP_FLAG_FORCED": flagForced, "RP_FLAG_UNFINISHED": flagUnfinished,
		"RP_FLAG_OWN":      flagOwn,
		"RP_TERMINAL_NAME": tName, "RP_TERMINAL_TEXT": tText, "RP_TERMINAL_FLAGS": tFlags,
		"RP_TERMINAL_OUTCOME": tOutcome, "RP_TERMINAL_OUTCOME_PARAM": tOutcomeParam,
		"RP_TERMINAL_SITE": tSite, "RP_TERMINAL_PARAMS": tParams, "RP_TERMINAL_END": terminalFields,
		"RP_CALL_SKIP": callSkip, "RP_CALL_FLOAT": callFloat, "RP_CALL_VOIDP": callVoid, "RP_CALL_FAILS": callFails,
		"RP_CALL_UNTIL": callUntil, "RP_CALL_ORDERED": callOrdered, "RP_CALL_REMOTE": callRemote,
		"RP_CALL_FAR":     callFar,
		"RP_OUTCOME_FREE": outcomeFree, "RP_OUTCOME_SOURCE": outcomeSource, "RP_OUTCOME_FLAG": outcomeFlag,
		"RP_OUTCOME_POLLS": outcomePolls, "RP_OUTCOME_INDEX": outcomeIndex, "RP_OUTCOME_SOME": outcomeSome,
		"RP_OP_WORD": opWord, "RP_OP_HANDLE": opHandle, "RP_OP_HANDLE_IO": opHandleIO, "RP_OP_HANDLE_NEW": opHandleNew,
		"RP_OP_HANDLES": opHandles, "RP_OP_HANDLES_NEW": opHandlesNew,
		"RP_OP_ADDRESS": opAddress, "RP_OP_VARIABLE": opVariable, "RP_OP_ADDRESS_NEW": opAddressNew,
		"RP_OP_INT_IO": opIntIO, "RP_OP_INTS": opInts, "RP_OP_ADDRESSES": opAddresses,
		"RP_OP_STRING": opString, "RP_OP_STRINGS": opStrings, "RP_OP_STRINGS2": opStrings2, "RP_OP_ROOM": opRoom,
		"RP_OP_STATUS": opStatus, "RP_OP_STATUS_IN": opStatusIn,
		"RP_OP_CALLBACK": opCallback, "RP_OP_ARGV": opArgv,
		"RP_CALLBACK_OP": callbackOp, "RP_CALLBACK_OP_C": callbackOpLarge, "RP_CALLBACK_COPY": callbackCopy,
		"RP_CALLBACK_NO_COPY": callbackNoCopy, "RP_CALLBACK_DELETE": callbackDelete,
		"RP_CALLBACK_ERRHANDLER": callbackErrhandler, "RP_CALLBACK_GREQUEST_QUERY": callbackGrequestQuery,
		"RP_CALLBACK_GREQUEST_FREE":   callbackGrequestFree,
		"RP_CALLBACK_GREQUEST_CANCEL": callbackGrequestCancel, "RP_CALLBACK_GREQUEST_POLL": callbackGrequestPoll,
		"RP_CALLBACK_GREQUEST_WAIT":      callbackGrequestWait,
		"RP_CALLBACK_DATAREP_EXTENT":     callbackDatarepExtent,
		"RP_CALLBACK_DATAREP_CONVERSION": callbackDatarepConversion, "RP_CALLBACK_EVENT": callbackEvent,
		"RP_CALLBACK_EVENT_DROPPED": callbackEventDropped, "RP_CALLBACK_EVENT_FREE": callbackEventFree,
		"RP_CALLBACK_NONE": callbackNone,
	}
	var b strings.Builder
	b.WriteString("#include \"program.h\"\n")
	for name, v := range values {
		fmt.Fprintf(&b, "_Static_assert((int64_t)%s == (int64_t)%vULL, \"%s is not %v\");\n", name, asUnsigned(v), name,
			v)
	}
	file := filepath.Join(t.TempDir(), "check.c")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("executor")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-fsyntax-only", "-I", dir, file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func asUnsigned(v any) uint64 {
	switch v := v.(type) {
	case int:
		return uint64(v)
	case int64:
		return uint64(v)
	case uint64:
		return v
	}
	return 0
}
