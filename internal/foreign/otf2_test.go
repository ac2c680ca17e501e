package foreign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/comms"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/otf2"
)

// files are an archive in memory, by the names of its files.
type files map[string]*bytes.Buffer

func (f files) open(path string) (io.ReadCloser, error) {
	b := f[path]
	if b == nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return io.NopCloser(bytes.NewReader(b.Bytes())), nil
}

func (f files) make(name string) *bytes.Buffer {
	f[name] = &bytes.Buffer{}
	return f[name]
}

// written is an archive of two ranks, the first one with two threads, of everything that is understood.
func written(t testing.TB) files {
	t.Helper()
	f, d := files{}, otf2.NewDefinitions()
	must := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	d.MPI()
	site := d.Attribute(otf2.SiteAttribute, true)
	region := func(name string, p otf2.Paradigm) uint32 {
		return d.Region(otf2.Region{Name: name, File: "a.c", Line: 7, Paradigm: p})
	}
	main, user := region("main", otf2.Compiler), region("step", otf2.User)
	isend, irecv, waitall := region("MPI_Isend", otf2.MPI), region("MPI_Irecv", otf2.MPI),
		region("MPI_Waitall", otf2.MPI)
	send, recv := region("MPI_Send", otf2.MPI), region("mpi_recv_", otf2.User) // as in Fortran
	bcast, free := region("MPI_Bcast", otf2.MPI), region("MPI_Comm_free", otf2.MPI)
	gatherv, read := region("MPI_Gatherv", otf2.MPI), region("read", otf2.MPI)
	d.IOParadigms()
	d.File(0, "/data", 0)
	d.Handle(3, &otf2.Handle{File: 0, PreCreated: true})
	place := d.Place("b.c", 12)
	d.Callsite("b.c", 12, isend, main)
	d.Node(0, "node1", "node", otf2.Undefined, otf2.SharedMemory)
	for r := range 2 {
		d.Process(uint32(r), fmt.Sprint("rank ", r), 0)
		d.Location(uint64(r), "thread", 0, uint32(r))
	}
	d.Location(1<<32, "thread 1", 0, 0)
	d.Group(0, "", otf2.CommLocations, 2, func(i int) uint64 { return uint64(i) })
	d.Group(1, "", otf2.CommGroup, 2, func(i int) uint64 { return uint64(i) })
	d.Group(2, "", otf2.CommGroup, 2, func(i int) uint64 { return uint64(1 - i) })
	d.Comm(0, "world", 1, otf2.Undefined)
	d.Comm(1, "turned", 2, 0)
	for r := range uint32(2) {
		e := otf2.NewEvents(f.make(fmt.Sprintf("a/%d.evt", r)))
		must(otf2.WriteEmpty(f.make(fmt.Sprintf("a/%d.def", r))))
		now := uint64(1000)
		call := func(region uint32, do ...func(t uint64) error) {
			must(e.Enter(now, region, otf2.Attribute{ID: site, Source: true, Value: uint64(place)}))
			now += 10
			for _, x := range do {
				must(x(now))
			}
			must(e.Leave(now+5, region))
			now += 10
		}
		must(e.Enter(now, main), e.Enter(now+1, user))
		now += 10
		other := 1 - r
		m := &otf2.Message{Peer: other, Comm: 0, Tag: 5, Bytes: 80}
		call(irecv, func(t uint64) error { return e.IrecvRequest(t, 3) })
		call(isend, func(t uint64) error { return e.Isend(t, m, 4) })
		call(waitall, func(t uint64) error { return e.IsendComplete(t, 4) },
			func(t uint64) error { return e.Irecv(t, m, 3) })
		turned := &otf2.Message{Peer: r, Comm: 1, Tag: 6, Bytes: 8} // in turn, the other one has this rank
		if r == 0 {
			call(send, func(t uint64) error { return e.Send(t, turned) })
		} else {
			call(recv, func(t uint64) error { return e.Recv(t, &otf2.Message{Peer: 1, Comm: 1, Tag: 6, Bytes: 8}) })
		}
		for range 2 { // the second one is of another communicator with the same members
			c := &otf2.Collective{Op: otf2.OpBcast, Comm: 1, Root: 0, Received: 24}
			if r == 1 {
				c.Sent, c.Received = 24, 0
			}
			call(bcast, func(t uint64) error { return e.CollectiveEnd(t, c) })
			call(free, func(t uint64) error {
				return e.CollectiveEnd(t, &otf2.Collective{Op: otf2.OpDestroyHandle, Comm: 1, Root: otf2.RootNone})
			})
		}
		call(gatherv, func(t uint64) error {
			return e.CollectiveEnd(t, &otf2.Collective{Op: otf2.OpGatherv, Comm: 0, Root: 0, Sent: 4, Received: 8})
		})
		call(send, func(t uint64) error { return e.CollectiveBegin(t) }, func(t uint64) error { return e.Recv(t, m) })
		for _, handle := range []uint32{3, 4} { // the second one is not defined
			call(read, func(t uint64) error { return e.IOBegin(t, handle, otf2.ReadFile, 0, 16, 7) },
				func(t uint64) error { return e.IOComplete(t, handle, 12, 7) })
		}
		must(e.FenceBegin(now), e.Leave(now, user), e.Leave(now, main), e.Leave(now, main), e.Enter(now, send),
			e.Close())
	}
	e := otf2.NewEvents(f.make(fmt.Sprintf("a/%d.evt", uint64(1<<32))))
	must(e.Enter(1500, user), e.Parameter(1510, d.Marks(), d.String("here")), e.Metric(1520, d.Metric("error"), -0.5),
		e.Leave(1600, user), e.Close())
	d.Clock(1000, 2000, 1_700_000_000_000_000_000)
	must(d.Write(f.make("a.def")), d.WriteAnchor(f.make("a.otf2"), &otf2.Anchor{Locations: 3, Creator: "tabard test",
		Description: "./app -n 2"}))
	return f
}

func importOf(f files) (*Result, error) { return importAs(f, timing.Mode{Kind: timing.Lossless}) }

func importAs(f files, m timing.Mode) (*Result, error) {
	a, err := otf2.OpenBy("a.otf2", f.open)
	if err != nil {
		return nil, err
	}
	return ofArchive(a, Options{Timing: m, Tool: "tabard"})
}

// Times in another mode replace those of the archive.
func TestTimings(t *testing.T) {
	for _, name := range []string{timing.Default, "aggregate", "off", "lossless"} {
		m, err := timing.ParseMode(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := importAs(written(t), m)
		if err != nil {
			t.Fatal(err)
		}
		imported(t, r)
		if n := len(r.Content.Timings); n > 3 || (n == 0) != (m.Kind == timing.Off) {
			t.Errorf("%s: %d timings of 3 threads", name, n)
		}
	}
}

// imported is the archive of what was imported, which is a sound one.
func imported(t *testing.T, r *Result) *archive.Archive {
	t.Helper()
	var b bytes.Buffer
	if err := r.Content.Write(&b); err != nil {
		t.Fatal(err)
	}
	a, err := archive.OpenReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err == nil {
		err = archive.Validate(a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func calls(t *testing.T, s *archive.Stream) (list []string) {
	t.Helper()
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%d+%d %s", c.Start.Nanoseconds(), c.Duration().Nanoseconds(), c.String()))
	}
	return list
}

// What an archive tells is in the recording, and what is not is counted.
func TestImport(t *testing.T) {
	r, err := importOf(written(t))
	if err != nil {
		t.Fatal(err)
	}
	a := imported(t, r)
	got := map[string]string{}
	for s := range a.Streams() {
		got[fmt.Sprint(s.Process(), ".", s.Thread())] = strings.Join(calls(t, s), "\n")
	}
	want := map[string]string{"0.1": `500+0 region_begin(name="step", from=-)
510+0 region_mark(name="here", from=-)
520+0 region_value(name="error", from=-, value=-0.5)
600+0 region_end()`, "0.0": `0+0 tabard_comm(name="turned", commId=1, nranks=2, rank=1) ; newcomm=comm#0
0+0 function_open() @ a.c:7 [main]
1+0 region_begin(name="step", from=-) @ a.c [main]
10+15 MPI_Irecv(buf=-, count=-, datatype=-, source=1, tag=5, comm=MPI_COMM_WORLD) @ b.c:12 [main] ; request=request#0
30+15 MPI_Isend(buf=-, count=80, datatype=MPI_BYTE, dest=1, tag=5, comm=MPI_COMM_WORLD) @ b.c:12 [main] ; request=request#1
50+15 MPI_Waitall(count=2, array_of_requests=[request#1, request#0]) @ b.c:12 [main] ; ` +
		`array_of_statuses=[{source=-1 tag=-1 bytes=0}, {source=1 tag=5 bytes=80}]
70+15 MPI_Send(buf=-, count=8, datatype=MPI_BYTE, dest=0, tag=6, comm=comm#0) @ b.c:12 [main]
90+15 MPI_Bcast(buffer=-, count=24, datatype=MPI_BYTE, root=0, comm=comm#0) @ b.c:12 [main]
110+15 MPI_Comm_free(comm=comm#0) @ b.c:12 [main]
130+0 tabard_comm(name="turned", commId=1, nranks=2, rank=1) ; newcomm=comm#0
130+15 MPI_Bcast(buffer=-, count=24, datatype=MPI_BYTE, root=0, comm=comm#0) @ b.c:12 [main]
150+15 MPI_Comm_free(comm=comm#0) @ b.c:12 [main]
170+15 MPI_Gatherv(sendbuf=-, sendcount=4, sendtype=MPI_BYTE, recvbuf=-, recvcounts=-, displs=-, recvtype=-, root=0, ` +
		`comm=MPI_COMM_WORLD) @ b.c:12 [main]
190+15 MPI_Send(buf=-, count=-, datatype=-, dest=-, tag=-, comm=-) @ b.c:12 [main]
210+0 tabard_inherited(path="/data") ; result=fd#0
210+15 read(fd=fd#0) @ b.c:12 [main] ; count=16 ; bytes=12
230+15 read(fd=fd#1) @ b.c:12 [main] ; count=16 ; bytes=12
250+0 region_end()
250+0 function_close()
250+0 MPI_Send(buf=-, count=-, datatype=-, dest=-, tag=-, comm=-) ; unfinished`}
	for id, text := range want {
		if simple := strings.ReplaceAll(got[id], " ; comm=MPI_COMM_NULL", ""); simple != text {
			t.Errorf("thread %s:\n%s\nnot\n%s", id, simple, text)
		}
	}
	left := LeftText(r.Left)
	if left != "2 LEAVE without ENTER, 2 MPI_RECV in MPI_Send, 2 RMA_COLLECTIVE_BEGIN, 2 sizes of MPI_Gatherv" {
		t.Errorf("left out: %s", left)
	}
	if m := a.Meta(); m.Options[OptionLeft] != left || m.Options[OptionFrom] != "OTF2 3.0.0 by tabard test" ||
		fmt.Sprint(m.Command) != "[./app -n 2]" || m.Created.Unix() != 1_700_000_000 {
		t.Errorf("%+v", m)
	}
	c, err := comms.Analyze(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Comms) != 2 || c.Text(c.Comms[1].Members, 0) != "1,0" || c.Comms[1].Times != 2 || len(c.Notes) > 0 {
		t.Errorf("%d communicators, %s: %+v, %v", len(c.Comms), c.Text(c.Comms[1].Members, 0), c.Comms[1], c.Notes)
	}
}

// Attributes of other tools are not taken for those that have their names in archives of tabard.
func TestAttributesOfOthers(t *testing.T) {
	f := written(t)
	f["a.otf2"] = bytes.NewBuffer(bytes.Replace(f["a.otf2"].Bytes(), []byte("tabard"), []byte("nobody"), 1))
	r, err := importOf(f)
	if err != nil {
		t.Fatal(err)
	}
	for s := range imported(t, r).Streams() {
		if text := strings.Join(calls(t, s), "\n"); strings.Contains(text, "b.c:12") {
			t.Errorf("places by an attribute of another tool:\n%s", text)
		}
	}
}

// local is a file of definitions of a location, as the library writes them: numbers of regions stand for others, and
// clocks differ by -500 at 1000 and by -400 at 5000.
func local() *bytes.Buffer {
	var b bytes.Buffer
	b.Write([]byte{3, 0x42})
	b.Write(make([]byte, 16))
	b.Write([]byte{5, 10, 3, 1, 2, 1, 0, 1, 1, 1, 1, 0})
	for _, o := range [][2]int64{{1000, -500}, {5000, -400}} {
		b.Write([]byte{6, 25})
		binary.Write(&b, binary.LittleEndian, o[0])
		b.WriteByte(8)
		binary.Write(&b, binary.LittleEndian, o[1])
		binary.Write(&b, binary.LittleEndian, 0.25)
	}
	b.Write([]byte{2, 1})
	return &b
}

// Numbers and clocks of a location are its own.
func TestLocalDefinitions(t *testing.T) {
	f := written(t)
	f["a/0.def"] = local()
	r, err := importOf(f)
	if err != nil {
		t.Fatal(err)
	}
	for s := range imported(t, r).Streams() {
		if s.Process() > 0 || s.Thread() > 0 {
			continue
		}
		list := calls(t, s)
		if list[1] != `0+0 region_begin(name="step", from=-)` || !strings.Contains(list[2], "function_open") {
			t.Errorf("regions are not exchanged: %q", list[1:3])
		}
		// 1000 is 500 now, 1250 is 756: the offset is 6.25 less
		if last := list[len(list)-1]; !strings.HasPrefix(last, "256+0") {
			t.Errorf("%s", last)
		}
	}
}

// Archives that cannot be read are refused with the reason.
func TestRefused(t *testing.T) {
	change := func(name string, at int, b byte) func(files) {
		return func(f files) { f[name].Bytes()[at] = b }
	}
	for name, c := range map[string]struct {
		change func(files)
		want   string
	}{
		"no anchor":       {change("a.otf2", 3, 'x'), "no anchor file"},
		"compressed":      {change("a.otf2", 29, 2), "compressed"},
		"SION":            {change("a.otf2", 28, 2), "SIONlib"},
		"chunk":           {change("a.otf2", 15, 1), "out of range"},
		"big endian":      {change("a.def", 1, 0x23), "big-endian"},
		"definitions":     {change("a.def", 0, 9), "no chunk"},
		"cut definitions": {func(f files) { f["a.def"].Truncate(300) }, "left"},
		"no definitions":  {func(f files) { delete(f, "a.def") }, "a.def"},
		"no events":       {func(f files) { delete(f, "a/1.evt") }, "a/1.evt"},
		"cut events":      {func(f files) { f["a/1.evt"].Truncate(200) }, "left"},
		"record":          {change("a/1.evt", 18, 200), "byte"},
	} {
		f := written(t)
		c.change(f)
		if _, err := importOf(f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := OTF2(filepath.Join(t.TempDir(), "none.otf2"), Options{}); err == nil {
		t.Error("nothing was imported")
	}
	if _, err := OTF2(t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "0 anchor files") {
		t.Errorf("an empty directory: %v", err)
	}
}

// FuzzOTF2: whatever a file of an archive holds, it is refused or imported, and what is imported is sound.
func FuzzOTF2(f *testing.F) {
	whole := written(f)
	names := []string{"a.otf2", "a.def", "a/0.evt", "a/0.def"}
	for i, name := range names {
		f.Add(uint8(i), whole[name].Bytes())
	}
	f.Add(uint8(3), local().Bytes())
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		changed := files{}
		for name, old := range whole {
			changed[name] = old
		}
		changed[names[int(which)%len(names)]] = bytes.NewBuffer(b)
		r, err := importOf(changed)
		if err != nil {
			return
		}
		a, err := r.Content.Archive()
		if err != nil {
			t.Fatal(err)
		}
		if err := archive.Validate(a); err != nil {
			t.Fatal(err)
		}
	})
}

// Ticks of a nanosecond are nanoseconds, however many: the floating point of 1001484503 ticks was one less.
func TestNanos(t *testing.T) {
	x := &importer{Archive: &otf2.Archive{}}
	for _, c := range []struct{ resolution, ticks, want uint64 }{
		{1e9, 1001484503, 1001484503}, {1e9, 1 << 60, 1 << 60}, {2.5e9, 2_500_000_001, 1_000_000_000},
		{1000, 3, 3_000_000}, {1, 1 << 62, 1<<61 - 1}, {0, 7, 1<<61 - 1},
	} {
		if x.Resolution = c.resolution; x.nanos(c.ticks) != c.want {
			t.Errorf("%d ticks of %d a second: %d ns, want %d", c.ticks, c.resolution, x.nanos(c.ticks), c.want)
		}
	}
}
