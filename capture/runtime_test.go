package capture_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/internal/testkit/private"
	"github.com/tabard-hpc/tabard/spec"
)

// each runs a test under both flavours of the fake MPI.
func each(t *testing.T, f func(t *testing.T, flavour string)) {
	for _, flavour := range flavours {
		t.Run(flavour, func(t *testing.T) { f(t, flavour) })
	}
}

func TestShapes(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		r := (&run{t: t, flavour: flavour, config: quiet}).start("shapes")
		r.wantCode(0)
		if r.stderr != "" {
			t.Errorf("stderr %q", r.stderr)
		}
		r.wantCalls(0, "Init", "Comm_rank", "Send", "Recv", "Recv", "Isend", "Irecv", "Waitall", "Irecv", "Irecv",
			"Irecv",
			"Waitall", "Type_create_struct", "Type_commit", "Alltoallv", "Gatherv", "Gatherv", "Allreduce",
			"Info_create", "Info_set", "Comm_dup", "Comm_free", "Comm_spawn", "Send", "Wtime", "Finalize")
		for _, rec := range r.of(0) {
			values(t, rec) // every record decodes exactly
			if rec.Start() == 0 || rec.End() < rec.Start() {
				t.Errorf("%s lasts from %d to %d", spec.ByID(rec.ID()).Name, rec.Start(), rec.End())
			}
		}
		checkPointToPoint(t, r, flavour)
		checkCollectives(t, r, flavour)
		checkProcess(t, r, flavour)
	})
}

func checkPointToPoint(t *testing.T, r *run, flavour string) {
	abi := spec.OpenMPI
	if flavour == "mpich" {
		abi = spec.MPICH
	}
	inStatus, _ := abi.Const("MPI_ERR_IN_STATUS")
	sends := r.of(0, "MPI_Send")
	if v := values(t, sends[0]); v["count"].Word() != 3 || v["dest"].Word() != 1 || v["tag"].Word() != 5 ||
		sends[0].Ret() != 0 {
		t.Errorf("first send: %v, returned %d", v, sends[0].Ret())
	}
	if v := values(t, sends[1]); v["dest"].Word() != 100 || sends[1].Ret() != 6 {
		t.Errorf("failing send: %v, returned %d", v, sends[1].Ret())
	}
	recvs := r.of(0, "MPI_Recv")
	if s := values(t, recvs[0])["=status"].Status(0); s != (ring.Status{Source: 2, Tag: 17, Bytes: 12}) {
		t.Errorf("status of the wildcard receive: %+v", s)
	}
	if v := values(t, recvs[1]); v["=status"].Present {
		t.Errorf("status of a receive that ignores it: %v", v)
	}
	waits := r.of(0, "MPI_Waitall")
	v := values(t, waits[0])
	requests, all := v["array_of_requests"], v["=array_of_statuses"]
	if requests.N != 2 || requests.At(0) == requests.At(1) || all.N != 2 || all.Kind != ring.AStatus {
		t.Fatalf("first Waitall: %v", v)
	}
	if s := all.Status(1); s != (ring.Status{Source: 1, Tag: 8, Bytes: 8}) {
		t.Errorf("second status of Waitall: %+v", s)
	}
	isend := values(t, r.of(0, "MPI_Isend")[0])
	if isend["=request"].Word() != uint64(requests.At(0)) {
		t.Errorf("Isend gave request %#x, Waitall waited for %#x", isend["=request"].Word(), requests.At(0))
	}
	v = values(t, waits[1])
	if waits[1].Ret() != int32(inStatus) || v["=array_of_statuses"].N != 3 ||
		v["=array_of_statuses"].Status(1).Error != 6 ||
		v["=array_of_statuses"].Status(0).Error != 0 {
		t.Errorf("Waitall with an error returned %d: %v", waits[1].Ret(), v)
	}
	if v["=array_of_requests!"].N != 3 {
		t.Errorf("requests after the error: %v", v["=array_of_requests!"])
	}
}

func checkCollectives(t *testing.T, r *run, flavour string) {
	v := values(t, r.of(0, "MPI_Alltoallv")[0])
	for i := range 4 {
		if v["sendcounts"].N != 4 || v["sendcounts"].At(i) != int64(i+1) || v["rdispls"].At(3) != 6 {
			t.Fatalf("Alltoallv: %v", v)
		}
	}
	newtype := values(t, r.of(0, "MPI_Type_create_struct")[0])
	if v["recvtype"].Word() != newtype["=newtype"].Word() {
		t.Errorf("Alltoallv has type %#x, made as %#x", v["recvtype"].Word(), newtype["=newtype"].Word())
	}
	d := newtype["array_of_displacements"]
	if d.N != 2 || ring.ParseAddress(uint64(d.At(0))) != (ring.Address{}) {
		t.Errorf("displacements %v", d)
	}
	gathers := r.of(0, "MPI_Gatherv")
	if v := values(t, gathers[0]); v["recvcounts"].N != 4 || v["recvcounts"].At(3) != 4 {
		t.Errorf("Gatherv at the root: %v", v)
	}
	if v := values(t, gathers[1]); v["recvcounts"].Present {
		t.Errorf("Gatherv elsewhere: %v", v)
	}
	place := int64(1)
	if flavour == "mpich" {
		place = -1
	}
	if a := ring.ParseAddress(values(t,
		r.of(0, "MPI_Allreduce")[0])["sendbuf"].Word()); a != (ring.Address{Off: place}) {
		t.Errorf("MPI_IN_PLACE is recorded as %+v", a)
	}
	if v := values(t, r.of(0, "MPI_Info_set")[0]); v["key"].Text() != "key" || v["value"].Text() != "a longer value" {
		t.Errorf("Info_set: %v", v)
	}
	if v := values(t, r.of(0, "MPI_Comm_spawn")[0]); v["command"].Text() != "./worker" || v["argv"].N != 2 ||
		v["argv"].Items()[1].Text() != "long argument" {
		t.Errorf("Comm_spawn: %v", v)
	}
}

func checkProcess(t *testing.T, r *run, flavour string) {
	first := r.threads[0][0]
	if first.ID() != ring.RProcess {
		t.Fatalf("first record is %d", first.ID())
	}
	info, _, err := ring.Take(&spec.Slot{Codec: spec.StringArray}, first.Payload())
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, item := range info.Items() {
		k, v, _ := strings.Cut(item.Text(), "=")
		text[k] = v
	}
	name := map[string]string{"openmpi": "Open MPI fake", "mpich": "MPICH Version: fake"}[flavour]
	if filepath.Base(text["exe"]) != "scenarios" || text["lib"] != name ||
		!strings.HasSuffix(text["cmd"], "scenarios shapes") || text["host"] == "" {
		t.Errorf("process record: %q", text)
	}
	abi := r.own(0, ring.RABI)[0].Payload()
	if want := uint64(slices.Index(flavours, flavour) + 1); abi[0] != want ||
		abi[1] != map[uint64]uint64{1: 64, 2: 32}[want] {
		t.Errorf("ABI record %v", abi[:2])
	}
	world, ok := spec.PredefinedByName("MPI_COMM_WORLD")
	pairs, _, err := ring.Take(&spec.Slot{Array: true}, abi[2:])
	if err != nil || !ok {
		t.Fatal(err, ok)
	}
	handle := int64(values(t, r.of(0, "MPI_Comm_rank")[0])["comm"].Word())
	found := false
	for i := 0; i < pairs.N; i += 2 {
		found = found || pairs.At(i) == int64(world) && pairs.At(i+1) == handle
	}
	if !found {
		t.Errorf("the ABI record has no pair (%d, %#x) for MPI_COMM_WORLD", world, handle)
	}
	if w := r.own(0, ring.RWorld); len(w) != 1 || w[0].Payload()[0] != 0 || w[0].Payload()[1] != 4 {
		t.Errorf("world records %v", w)
	}
	clocks := r.own(0, ring.RClock)
	if len(clocks) < 3 {
		t.Fatalf("%d clock records", len(clocks))
	}
	a, b := clocks[0].Payload(), clocks[len(clocks)-1].Payload()
	if b[0] <= a[0] || b[1] <= a[1] || b[2] <= a[2] {
		t.Errorf("clocks do not advance: %v, %v", a, b)
	}
	if e := r.own(0, ring.REnd); len(e) != 1 || e[0].Payload()[0] != 1 {
		t.Errorf("end records %v", e)
	}
}

// Records larger than a segment, and one that is cut at every possible place by a segment's end.
func TestLargeRecords(t *testing.T) {
	r := (&run{t: t, flavour: "mpich", config: small}).start("large", "100000")
	r.wantCode(0)
	r.wantTags(0, []int{1, 2, 3})
	types := r.of(0, "MPI_Type_create_struct")
	if len(types) != 2 {
		t.Fatalf("%d calls", len(types))
	}
	for _, rec := range types {
		v := values(t, rec)
		if l := v["array_of_blocklengths"]; l.N != 100000 || l.At(99999) != 99999 || v["array_of_types"].N != 100000 ||
			v["array_of_types"].At(99999) != 0x4c000405 {
			t.Errorf("arrays of %d and %d", l.N, v["array_of_types"].N)
		}
	}
}

func TestSegmentBoundaries(t *testing.T) {
	for n := 1; n < 40; n++ { // sizes of one record that shift all following ones
		r := (&run{t: t, flavour: "openmpi", dead: true, config: small}).start("boundaries", fmt.Sprint(n))
		r.wantCode(0)
		r.wantTags(0, upTo(3000))
		for _, rec := range r.of(0) {
			values(t, rec)
		}
		if r.segments[0] < 4 {
			t.Fatalf("%d segments", r.segments[0])
		}
	}
}

// The program waits for the collector and reuses segments in turn.
func TestReuse(t *testing.T) {
	d := &drain{t: t, records: map[int][]ring.Record{}}
	r := &run{t: t, flavour: "openmpi", config: ring.Config{SegmentBytes: 64 << 10, SegmentsMax: 2}}

	r.during = d.run
	r.start("many", "20000")
	r.wantCode(0)
	if r.segments[0] != 2 || d.reused == 0 {
		t.Errorf("%d segment files, %d times reused", r.segments[0], d.reused)
	}
	rest := r.threads[0]
	r.threads[0] = append(d.records[0], rest...)
	r.wantTags(0, upTo(20000))
}

// Calls that repeat refer to what was recorded before: in a loop, in one that has more distinct
// calls than are remembered, across segments, and with other calls inside them.
func TestRepeated(t *testing.T) {
	for _, n := range []int{50, 3000, 140000} {
		if testing.Short() && n > 100000 {
			continue
		}
		d := &drain{t: t, records: map[int][]ring.Record{}}
		r := &run{t: t, flavour: "openmpi", config: ring.Config{SegmentBytes: 256 << 10, SegmentsMax: 3}}
		r.during = d.run
		r.start("rounds", strconv.Itoa(n))
		r.wantCode(0)
		r.threads[0] = append(d.records[0], r.threads[0]...)
		var tags []int
		for range 4 {
			tags = append(append(tags, upTo(n)...), 1)
		}
		r.wantTags(0, tags)
		refs, inner := 0, 0
		for _, rec := range r.threads[0] {
			if rec.Flags()&ring.FRef != 0 {
				refs++
				if rec.Flags()&ring.FEnter != 0 || rec.Flags()&ring.FNested != 0 {
					inner++
				}
			}
		}
		if want := 3 * n; n < 100000 && (refs < want || inner == 0) || n > 100000 && refs > 100 {
			t.Errorf("%d distinct calls: %d records refer to definitions, %d of them nested or nesting", n, refs, inner)
		}
		for i, rec := range r.of(0, "MPI_Recv") {
			if rec.Site() != 0 || len(rec.Payload()) != 6 || rec.Absent() != 1<<6 {
				t.Errorf("receive %d: %v", i, rec)
			}
		}
	}
}

// One segment only: the record in progress moves to the front of its own segment.
func TestReuseOfOne(t *testing.T) {
	d := &drain{t: t, records: map[int][]ring.Record{}}
	r := &run{t: t, flavour: "mpich", config: ring.Config{SegmentBytes: 64 << 10, SegmentsMax: 1}}
	r.during = d.run
	r.start("many", "5000")
	r.wantCode(0)
	r.threads[0] = append(d.records[0], r.threads[0]...)
	r.wantTags(0, upTo(5000))
}

// Without a collector the program does not wait, and loses nothing up to the limit.
func TestSpill(t *testing.T) {
	for name, r := range map[string]*run{
		"done":         {dead: true},
		"no heartbeat": {config: ring.Config{DeadAfter: 50 * time.Millisecond}},
		"lives, but gives nothing back": {config: ring.Config{DeadAfter: 50 * time.Millisecond},
			during: func(_ string, c *ring.Control) {
				beat(c)
			}},
		"lives, and may be slow": {config: ring.Config{DeadAfter: time.Minute, Spill: true},
			during: func(_ string, c *ring.Control) { beat(c) }},
	} {
		t.Run(name, func(t *testing.T) {
			r.t, r.flavour = t, "openmpi"
			r.config.SegmentBytes, r.config.SegmentsMax = 64<<10, 2
			r.start("many", "20000")
			r.wantCode(0)
			r.wantTags(0, upTo(20000))
			if len(r.own(0, ring.RLost)) != 0 || r.segments[0] < 10 {
				t.Errorf("%d segments, lost %v", r.segments[0], r.own(0, ring.RLost))
			}
		})
	}
}

// beat is a collector that does nothing else until the program ends.
func beat(c *ring.Control) {
	for end := time.Now().Add(30 * time.Second); c.Finalized() == 0 && time.Now().Before(end); c.Beat() {
		time.Sleep(time.Millisecond)
	}
}

// Beyond the limit calls are lost and counted, and recording resumes when there is room.
func TestLost(t *testing.T) {
	r := &run{t: t, flavour: "openmpi", dead: true,
		config: ring.Config{SegmentBytes: 64 << 10, SegmentsMax: 2, SpillBytes: 128 << 10}}
	r.start("many", "20000")
	r.wantCode(0)
	if got := r.tags(0); len(got) >= 20000 || len(got) < 1000 || !slices.Equal(got, upTo(len(got))) {
		t.Errorf("%d sends recorded", len(got))
	}
	if r.segments[0] != 4 {
		t.Errorf("%d segments", r.segments[0])
	}

	// The same with a collector that comes back to life once calls have been lost.
	d := &drain{t: t, records: map[int][]ring.Record{}}
	r = &run{t: t, flavour: "openmpi", dead: true, config: r.config}
	r.during = func(dir string, c *ring.Control) {
		for fullSegments(t, dir) < 4 { // the call that finds the last one full is lost
			time.Sleep(100 * time.Microsecond)
		}
		c.SetCollector(ring.CollectorRunning)
		d.run(dir, c)
	}
	const batches = 1200 // more than a second, in which the collector comes back
	r.start("paced", strconv.Itoa(batches))
	r.wantCode(0)
	r.threads[0] = append(d.records[0], r.threads[0]...)
	tags, lost := r.tags(0), 0
	for _, rec := range r.own(0, ring.RLost) {
		lost += int(rec.Payload()[0])
	}
	if total := batches * 100; lost == 0 || len(tags)+lost != total || tags[len(tags)-1] != total-1 {
		t.Errorf("%d sends recorded, %d counted as lost, last tag %d", len(tags), lost, tags[len(tags)-1])
	}
}

// fullSegments counts the segments of a state directory that the program has filled.
func fullSegments(t *testing.T, dir string) (n int) {
	files, _ := filepath.Glob(filepath.Join(dir, "s.*"))
	for _, f := range files {
		if s, err := ring.OpenSegment(private.Open(t, dir), filepath.Base(f)); err == nil {
			if s.State() == ring.SegFull {
				n++
			}
			s.Close()
		}
	}
	return n
}

// A full file system (here: a limit on file sizes) never harms the program.
func TestNoSpace(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", limitFS: 1024, config: ring.Config{SegmentBytes: 4 << 20}}).start("many",
		"100")
	r.wantCode(0)
	r.wantTags(0, upTo(100)) // in a smaller segment

	r = (&run{t: t, flavour: "openmpi", limitFS: 16, config: ring.Config{SegmentBytes: 4 << 20}}).start("many",
		"100000")
	r.wantCode(0)
	if len(r.threads) != 0 || r.stdout+r.stderr != "" {
		t.Errorf("%d threads, output %q", len(r.threads), r.stdout+r.stderr)
	}
}

// The second place takes the segments when the first cannot.
func TestSecondDirectory(t *testing.T) {
	second, gone := private.Path(t), filepath.Join(t.TempDir(), "gone")
	r := &run{t: t, flavour: "openmpi", spill: second,
		config: ring.Config{SegmentBytes: 64 << 10}}
	r.during = func(dir string, c *ring.Control) {
		for files, _ := filepath.Glob(filepath.Join(dir, "s.*")); len(files) == 0; {
			time.Sleep(100 * time.Microsecond)
			files, _ = filepath.Glob(filepath.Join(dir, "s.*"))
		}
		if err := os.Rename(dir, gone); err != nil {
			t.Error(err)
		}
	}
	r.start("paced", "100")
	r.read(gone, second)
	r.wantCode(0)
	r.wantTags(0, upTo(10000))
	if files, _ := filepath.Glob(filepath.Join(second, "s.*")); len(files) < 5 {
		t.Errorf("%d segments in the second directory", len(files))
	}
}

func TestNested(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		r := (&run{t: t, flavour: flavour, config: quiet}).start("nested")
		r.wantCode(0)
		// Neither MPI_Comm_rank inside MPI_Send nor MPI_Type_size by the library is the program's.
		r.wantCalls(0, "Init", "Send", "Op_create", "Allreduce<", "Type_size~", "Comm_rank~", "Allreduce>", "Send",
			"Op_free", "Finalize")
		recs := r.of(0, "MPI_Allreduce")
		enter, exit := recs[0], recs[1]
		f := spec.ByID(enter.ID())
		in, rest, err := ring.DecodeEntry(nil, f, enter.Absent(), enter.Payload())
		if err != nil || len(rest) != 0 || in[2].Word() != 1 {
			t.Errorf("entry part: %v, %d words left, %v", in, len(rest), err)
		}
		if _, err := ring.DecodeReturn(nil, &spec.Func{}, exit.Absent(), exit.Ret(), exit.Payload()); err != nil {
			t.Errorf("exit part: %v", err)
		}
		inner := r.of(0, "MPI_Comm_rank")[0]
		if exit.Start() != enter.Start() || !(enter.Start() <= inner.Start() && inner.End() <= exit.End()) {
			t.Errorf("times: entered %d and %d, inner %d to %d, left %d", enter.Start(), exit.Start(), inner.Start(),
				inner.End(), exit.End())
		}
	})
}

func TestCallsThatNeverReturn(t *testing.T) {
	for scenario, want := range map[string][]string{
		"jump": {"Init", "Op_create", "Allreduce<", "Type_size~", "Send", "Op_free", "Finalize"},
		"jump_inside": {"Init", "Op_create", "Allreduce<", "Type_size~", "Op_create~", "Allreduce<~", "Type_size~",
			"Comm_rank~", "Allreduce>", "Send", "Op_free", "Finalize"},
	} {
		r := (&run{t: t, flavour: "openmpi", config: quiet}).start(scenario)
		r.wantCode(0)
		r.wantCalls(0, want...)
	}
	r := (&run{t: t, flavour: "mpich", config: quiet}).start("exit_inside")
	r.wantCode(3)
	r.wantCalls(0, "Init", "Op_create", "Allreduce<", "Type_size~")
	if e := r.own(0, ring.REnd); len(e) != 1 || e[0].Payload()[0] != 0 {
		t.Errorf("end records %v", e)
	}
	r = (&run{t: t, flavour: "openmpi", program: "exception", config: quiet}).start()
	r.wantCode(0)
	if r.stdout != "caught: out of the callback\n" {
		t.Errorf("output %q", r.stdout)
	}
	r.wantCalls(0, "Init", "Op_create", "Allreduce<", "Comm_rank", "Finalize")
}

func TestThreads(t *testing.T) {
	const n = 3000
	r := (&run{t: t, flavour: "openmpi", config: small, dead: true}).start("threads", fmt.Sprint(n))
	r.wantCode(0)
	r.wantCalls(0, "Init", "Finalize")
	sent := map[int]int{} // by sender: next number expected
	for thread := 1; thread < len(r.threads); thread++ {
		for _, tag := range r.tags(thread) {
			if sender, i := tag/1000000, tag%1000000; sent[sender] != i {
				t.Fatalf("thread %d: sender %d sends %d after %d", thread, sender, i, sent[sender]-1)
			} else {
				sent[sender]++
			}
		}
	}
	for sender := 1; sender <= 8; sender++ {
		if sent[sender] != n {
			t.Errorf("sender %d: %d sends", sender, sent[sender])
		}
	}
}

// Threads that live one after the other share one stream.
func TestThreadsOneByOne(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", config: quiet}).start("one_by_one", "5")
	r.wantCode(0)
	if len(r.threads) != 2 || len(r.tags(1)) != 250 {
		t.Errorf("%d streams, %d sends", len(r.threads), len(r.tags(1)))
	}
}

func TestForks(t *testing.T) {
	each(t, func(t *testing.T, flavour string) {
		r := (&run{t: t, flavour: flavour, config: quiet}).start("forks")
		r.wantCode(0)
		r.wantTags(0, []int{1, 2, 3})
		for _, scenario := range []string{"fork_inside", "clone_inside"} {
			r := (&run{t: t, flavour: flavour, config: quiet}).start(scenario)
			r.wantCode(0)
			r.wantCalls(0, "Init", "Op_create", "Allreduce<", "Type_size~", "Comm_rank~", "Allreduce>", "Send",
				"Op_free", "Finalize")
			if len(r.threads) != 1 || len(r.own(0, ring.REnd)) != 1 {
				t.Errorf("%s: %d streams, %d ends", scenario, len(r.threads), len(r.own(0, ring.REnd)))
			}
		}
	})
}

// An image that takes the process over goes on in a stream of its own.
func TestExec(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", config: quiet}).start("exec_again")
	r.wantCode(0)
	if len(r.threads) != 2 {
		t.Fatalf("%d streams", len(r.threads))
	}
	r.wantCalls(0, "Init", "Send", "Finalize")
	r.wantCalls(1, "Init", "Send", "Send", "Finalize")
}

func TestSwitches(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", config: quiet}).start("switches")
	r.wantCode(0)
	r.wantCalls(0, "Init", "Send", "Comm_dup-", "Pcontrol", "Send", "Info_create", "Info_set", "Send", "Finalize")
	r.wantTags(0, []int{1, 3, 5})
	var switches []uint64
	for _, rec := range r.own(0, ring.RControl) {
		switches = append(switches, rec.Payload()[0])
	}
	if !slices.Equal(switches, []uint64{0, 1, 0, 1}) {
		t.Errorf("switched %v", switches)
	}
	r = (&run{t: t, flavour: "openmpi", config: ring.Config{StartOff: true}}).start("switches")
	r.wantCode(0)
	r.wantTags(0, []int{3, 5})
	if len(r.own(0, ring.RWorld)) != 1 {
		t.Error("the rank is unknown when tracing starts switched off")
	}
}

// Recording that is limited to regions is on as long as a thread is in one of them, and the program has not switched it
// off; each region that has begun in the stream ends there.
func TestRegions(t *testing.T) {
	for _, x := range []struct {
		in   string
		tags []int
	}{
		{"", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 16, 17, 18, 19, 20, 21, 22}},
		{"in", []int{3, 4, 8, 15, 18, 20, 21}}, // 17 is in more than 64 regions
		{"*eeper,nix", []int{4}},
		{"a/b/c/d", []int{7, 8, 9}},
		{"b/c,out/in", []int{3, 4, 6, 7, 8, 9, 10, 11}},
		{"nix", nil},
	} {
		r := (&run{t: t, flavour: "openmpi", config: ring.Config{In: x.in}}).start("regions")
		r.wantCode(0)
		r.wantTags(0, x.tags)
		depth := 0
		for _, rec := range r.threads[0] {
			switch f := spec.ByID(rec.ID()); {
			case f == nil:
			case f.Name == "region_begin":
				depth++
			case f.Name == "region_end":
				depth--
			}
			if depth < 0 && x.in != "" {
				t.Errorf("in %q: an end of a region without its begin", x.in)
			}
		}
		if want := min(len(x.in), 1) - 1; depth != want { // one end is too many
			t.Errorf("in %q: %d begins of regions more than ends, want %d", x.in, depth, want)
		}
	}
}

func TestFilter(t *testing.T) {
	var ids []uint16
	for _, name := range []string{"MPI_Send", "MPI_Comm_dup", "MPI_Comm_rank", "MPI_Init"} {
		ids = append(ids, uint16(spec.ByName(name).ID))
	}
	r := (&run{t: t, flavour: "openmpi", config: ring.Config{Filter: ids}}).start("switches")
	r.wantCode(0)
	r.wantCalls(0, "Init-", "Comm_dup-", "Pcontrol", "Info_create", "Info_set", "Finalize")
}

func TestKill(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", config: small}).start("killed", "990")
	r.wantCode(-1)
	r.wantTags(0, upTo(990))
	p := r.pending[0]
	if p == nil || p.ID() != spec.ByName("MPI_Send").ID || p.Start() == 0 {
		t.Fatalf("pending call %v", p)
	}
	in, rest, err := ring.DecodeEntry(nil, spec.ByID(p.ID()), p.Absent(), p.Payload())
	if err != nil || len(rest) != 0 || int64(in[4].Word()) != -9 {
		t.Errorf("pending call %v, %d words left, %v", in, len(rest), err)
	}
	if len(r.own(0, ring.REnd)) != 0 {
		t.Error("a killed process says that it ended in order")
	}
}

// Calls of a signal handler fall anywhere, also into the middle of a record.
func TestSignals(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", dead: true, config: small}).start("signals", "900")
	r.wantCode(0)
	next := 0
	for _, rec := range r.of(0, "MPI_Send") {
		if rec.Flags()&ring.FExit != 0 {
			continue
		}
		in, _, err := ring.DecodeEntry(nil, spec.ByID(rec.ID()), rec.Absent(), rec.Payload())
		if err != nil || int(in[4].Word()) != next%900 {
			t.Fatalf("send %d has tag %v, %v", next, in[4], err)
		}
		next++
	}
	if next < 900 || len(r.of(0, "MPI_Comm_rank")) == 0 {
		t.Errorf("%d sends, %d calls of the handler", next, len(r.of(0, "MPI_Comm_rank")))
	}
}

func TestMemoryOfMPI(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", config: quiet}).start("memory")
	r.wantCode(0)
	alloc := r.own(0, ring.RSegAlloc)
	if len(alloc) == 0 || alloc[0].Payload()[1] != ring.MemMPI || alloc[0].Payload()[2] < 1000 {
		t.Fatalf("segments %v", alloc)
	}
	got := ring.ParseAddress(values(t, r.of(0, "MPI_Send")[0])["buf"].Word())
	if got != (ring.Address{Class: ring.WHeap, ID: uint32(alloc[0].Payload()[0])}) {
		t.Errorf("buffer %+v", got)
	}
}

func TestNoTiming(t *testing.T) {
	t.Parallel()
	check := func(r *run) {
		r.t.Helper()
		r.wantCode(0)
		r.wantTags(0, upTo(10))
		for _, rec := range r.of(0) {
			if rec.Start() != 0 || rec.End() != 0 {
				r.t.Fatalf("times %d, %d", rec.Start(), rec.End())
			}
		}
	}
	r := (&run{t: t, flavour: "openmpi", config: ring.Config{NoTiming: true}}).start("many")
	check(r)
	if len(r.own(0, ring.RClock)) < 2 {
		t.Error("no readings of the clock")
	}
	checkOrdered(t)
	lib := filepath.Join(t.TempDir(), "no-timing.so")
	if err := command("sh", "build.sh", lib, "-O0", "-DTB_NO_TIMING"); err != nil {
		t.Fatal(err)
	}
	check((&run{t: t, flavour: "openmpi", runtime: lib, config: quiet}).start("many"))
}

// checkOrdered: with several threads there are times, because only they tell the order.
func checkOrdered(t *testing.T) {
	t.Helper()
	r := (&run{t: t, flavour: "openmpi", config: ring.Config{NoTiming: true}}).start("threads", "1000")
	r.wantCode(0)
	if len(r.threads) < 2 {
		t.Fatalf("%d threads", len(r.threads))
	}
	for i := range r.threads {
		for _, rec := range r.of(i) {
			name := spec.ByID(rec.ID()).Name
			if timed := rec.Start() != 0 && rec.End() >= rec.Start(); timed != (i > 0 || name == "MPI_Finalize") {
				t.Errorf("thread %d: %s from %d to %d", i, name, rec.Start(), rec.End())
			}
		}
	}
}

// Calls inside calls inside calls: all are there, and those beyond the limit are counted.
func TestDeep(t *testing.T) {
	const limit = 4096 // TB_NEST_MAX
	for _, depth := range []int{2, 17, 300, limit + 1, limit + 51} {
		c := ring.Config{SegmentBytes: 64 << 10, SegmentsMax: 64}
		r := (&run{t: t, flavour: "openmpi", config: c}).start("deep", strconv.Itoa(depth))
		r.wantCode(0)
		enter, exit, whole := 0, 0, 0
		for _, rec := range r.of(0, "MPI_Allreduce") {
			switch {
			case rec.Flags()&ring.FEnter != 0:
				enter++
			case rec.Flags()&ring.FExit != 0:
				exit++
			default:
				whole++
			}
		}
		lost := 0
		for _, rec := range r.own(0, ring.RLost) {
			lost += int(rec.Payload()[0])
		}
		want := min(depth, limit+1)
		if whole != 1 || enter != exit || enter+whole != want || lost != depth-want {
			t.Errorf("%d deep: %d complete calls, %d entries, %d returns, %d lost", depth, whole, enter, exit, lost)
		}
		r.wantTags(0, []int{1})
	}
}

func TestNoOp(t *testing.T) {
	t.Parallel()
	lib := filepath.Join(t.TempDir(), "no-op.so")
	if err := command("sh", "build.sh", lib, "-O0", "-DTB_NOOP"); err != nil {
		t.Fatal(err)
	}
	r := (&run{t: t, flavour: "openmpi", runtime: lib}).start("switches")
	r.wantCode(0)
	if len(r.threads) != 0 {
		t.Errorf("%d streams", len(r.threads))
	}
}

// Without a valid state directory the program runs as if nothing were there. If there was one, what is
// started too late says so.
func TestInert(t *testing.T) {
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, ring.ControlFile), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(broken, "missing"), broken, strings.Repeat("long", 1000)} {
		r := &run{t: t, flavour: "mpich", dir: dir}
		r.execute(nil, []string{"threads"})
		r.wantCode(0)
		said := strings.Contains(r.stderr, " is not recorded: its recording had ended before it called MPI\n")
		if said != strings.HasSuffix(dir, "missing") || r.stdout != "" || !said && r.stderr != "" {
			t.Errorf("%.20q: output %q", dir, r.stdout+r.stderr)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(broken, "s.*")); len(files) != 0 {
		t.Errorf("segments %q", files)
	}
}

// say is a collector that has nothing but a summary.
func say(dir string, c *ring.Control) {
	for range 10000 {
		c.Beat()
		if c.Finalized() == 1 {
			c.SetSummary("tabard: the line")
			c.SetArchive(ring.ArchiveDone)
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestSummary(t *testing.T) {
	for _, test := range []struct {
		env    string
		config ring.Config
		want   string
	}{
		{"FAKEMPI_RANK=0", ring.Config{SummaryWait: 10 * time.Second}, "tabard: the line\n"},
		{"FAKEMPI_RANK=1", ring.Config{SummaryWait: 10 * time.Second}, ""},
	} {
		r := (&run{t: t, flavour: "openmpi", config: test.config, env: []string{test.env}, during: say}).start("many")
		r.wantCode(0)
		if r.stdout != "" || r.stderr != test.want {
			t.Errorf("%s, %+v: output %q, %q, want %q", test.env, test.config, r.stdout, r.stderr, test.want)
		}
	}
	// The second program of a script finds the summary of the first one.
	r := (&run{t: t, flavour: "openmpi", env: []string{"FAKEMPI_RANK=0"},
		summary: "tabard: of another program", said: true}).start("many")
	if r.wantCode(0); r.stderr != "" {
		t.Errorf("second program: output %q", r.stderr)
	}
	start := time.Now()
	r = (&run{t: t, flavour: "openmpi", config: ring.Config{SummaryWait: 50 * time.Millisecond}}).start("many")
	if r.wantCode(0); r.stderr != "" || time.Since(start) > 10*time.Second {
		t.Errorf("nobody answers: waited %v, output %q", time.Since(start), r.stderr)
	}
}

// follows is said where the recording comes later than the end of the program.
const follows = "tabard: the recording is still being written, and follows\n"

// A collector that has a lot to do is waited for, until it begins and until it is done. One that takes too long is said
// to be at work, also where nobody wants a summary.
func TestSlowCollector(t *testing.T) {
	slow := func(begins, takes time.Duration) func(string, *ring.Control) {
		return func(_ string, c *ring.Control) {
			var ended time.Time
			for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(time.Millisecond) {
				c.Beat()
				if ended.IsZero() && c.Finalized() == 1 {
					ended = time.Now()
				}
				switch since := time.Since(ended); {
				case ended.IsZero() || since < begins:
				case since < begins+takes:
					c.SetArchive(ring.ArchiveWriting)
				default:
					c.SetSummary("tabard: the line")
					c.SetArchive(ring.ArchiveDone)
					return
				}
			}
		}
	}
	for _, test := range []struct {
		begins, takes, wait time.Duration
		rank, want          string
	}{
		{time.Second, time.Second, 100 * time.Millisecond, "0", "tabard: the line\n"},
		{0, 6 * time.Second, 10 * time.Millisecond, "0", follows},
		{6 * time.Second, 0, 10 * time.Millisecond, "0", follows},
		{6 * time.Second, 0, 10 * time.Millisecond, "1", ""},
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			t.Parallel()
			r := (&run{t: t, flavour: "openmpi", config: ring.Config{SummaryWait: test.wait, LocalRanks: 1},
				env: []string{"FAKEMPI_RANK=" + test.rank}, during: slow(test.begins, test.takes)}).start("many")
			if r.wantCode(0); r.stderr != test.want {
				t.Errorf("output %q, want %q", r.stderr, test.want)
			}
		})
	}
}

// Whatever has become of standard error, the program ends as it would have.
func TestSummaryThatCannotBePrinted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	env := []string{"FAKEMPI_RANK=0", "SCENARIO_FILE=" + file}
	config := ring.Config{SummaryWait: 10 * time.Second}
	(&run{t: t, flavour: "openmpi", config: config, env: env, during: say}).start("stderr_gone").wantCode(0)
	(&run{t: t, flavour: "openmpi", config: config, env: env, during: say}).start("stderr_taken").wantCode(0)
	if b, err := os.ReadFile(file); err != nil || len(b) > 0 {
		t.Errorf("the program's file: %q, %v", b, err)
	}
}

// Pointers that the kernel refuses are the program's business: the runtime reads no name that a call did not.
func TestRefusedPointers(t *testing.T) {
	r := &run{t: t, flavour: "openmpi", config: quiet,
		env: []string{"SCENARIO_FILE=" + filepath.Join(t.TempDir(), "data")}}
	if r.start("refused").wantCode(0); r.stderr != "" {
		t.Errorf("stderr %q", r.stderr)
	}
	var names []string
	for _, rec := range r.of(0, "open", "fopen", "truncate", "stat", "unlink") {
		names = append(names, spec.ByID(rec.ID()).Name+" "+filepath.Base(values(t, rec)["path"].Text()))
	}
	if want := []string{"open data", "unlink nosuch"}; !slices.Equal(names, want) {
		t.Errorf("recorded %q, want %q", names, want)
	}
}

// The runtime's own pauses and files are no cancellation points of the program.
func TestCancelledThread(t *testing.T) {
	const n = 3000
	r := (&run{t: t, flavour: "openmpi", config: small, dead: true}).start("cancelled", fmt.Sprint(n))
	r.wantCode(0)
	r.wantCalls(0, "Init", "Send", "Finalize")
	if got := len(r.tags(1)); got != n {
		t.Errorf("%d sends, want %d", got, n)
	}
}

// A thread that can be cancelled anywhere ends as cancelled, also if the runtime is at work at that moment.
func TestCancelledAnywhere(t *testing.T) {
	if sanitizer == "thread" {
		t.Skip("the thread sanitizer does not survive that a thread is cancelled while it is at work")
	}
	config := small
	config.SegmentsMax, config.DeadAfter = 1, time.Second
	r := (&run{t: t, flavour: "openmpi", config: config}).start("cancelled_anywhere")
	r.wantCode(0)
	r.wantCalls(0, "Init", "Send", "Finalize")
}

// The program goes on when what the runtime has mapped loses its file, whoever makes it shorter.
func TestTruncatedFiles(t *testing.T) {
	for _, pattern := range []string{"s.*", "control", "*"} {
		r := &run{t: t, flavour: "openmpi", config: small}
		r.config.DeadAfter = time.Second
		cut := 0
		r.during = func(dir string, c *ring.Control) {
			for fullSegments(t, dir) == 0 {
				time.Sleep(time.Millisecond)
			}
			files, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, f := range files {
				if err := os.Truncate(f, 0); err != nil {
					t.Error(err)
				}
				cut++
			}
		}
		c := r.prepare()
		r.execute(c, []string{"paced", "300"})
		c.Close()
		if r.code != 0 || cut == 0 {
			t.Errorf("%s: exit code %d after %d files; stderr %q", pattern, r.code, cut, r.stderr)
		}
		whole := 0
		files, _ := filepath.Glob(filepath.Join(r.dir, "s.*"))
		for _, f := range files {
			if st, err := os.Stat(f); err == nil && st.Size() > 0 {
				whole++
			}
		}
		if whole == 0 {
			t.Errorf("%s: no segment was begun since", pattern)
		}
	}
}

// A new segment whose file is gone before anything was written to it: the call that needs it is counted as lost, and
// the next ones have another segment.
func TestSegmentGoneAtOnce(t *testing.T) {
	shim := filepath.Join(t.TempDir(), "vanish.so")
	if err := command("gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "testdata/programs/vanish.c", "-o",
		shim); err != nil {
		t.Fatal(err)
	}
	r := &run{t: t, flavour: "openmpi", dead: true, config: small, runtime: shim + " " + built.runtime}
	const total = 20000
	c := r.prepare()
	r.execute(c, []string{"many", strconv.Itoa(total)})
	c.Close()
	r.wantCode(0)
	var segments []*ring.Segment
	files, _ := filepath.Glob(filepath.Join(r.dir, "s.*"))
	for _, f := range files {
		s, err := ring.OpenSegment(private.Open(t, r.dir), filepath.Base(f))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		segments = append(segments, s)
	}
	slices.SortFunc(segments, func(a, b *ring.Segment) int { return cmp.Compare(a.Seq(), b.Seq()) })
	r.threads = make([][]ring.Record, 1)
	for _, s := range segments {
		r.threads[0] = append(r.threads[0], records(t, s)...)
	}
	lost := 0
	for _, rec := range r.own(0, ring.RLost) {
		lost += int(rec.Payload()[0])
	}
	if tags := r.tags(0); lost == 0 || len(tags)+lost != total || tags[len(tags)-1] != total-1 {
		t.Errorf("%d sends recorded, %d counted as lost, last tag %d; stderr %q", len(tags), lost, tags[len(tags)-1],
			r.stderr)
	}
}

// What the program does with SIGBUS itself is as without the runtime.
func TestProgramsOwnSIGBUS(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", config: quiet}).start("bus", "0")
	r.wantCode(0)
	r.wantTags(0, []int{1, 2, 3, 4})
	r = (&run{t: t, flavour: "openmpi", config: quiet}).start("bus", "1")
	r.wantCode(-1)
}

// The dynamic linker's message at the moment of the call, not before.
func TestMissingFunction(t *testing.T) {
	r := (&run{t: t, flavour: "openmpi", config: quiet}).start("missing")
	r.wantCode(127)
	if !strings.Contains(r.stderr, "symbol lookup error") || !strings.Contains(r.stderr, "MPI_Bsend") {
		t.Errorf("stderr %q", r.stderr)
	}
	r.wantTags(0, []int{1})
}

// Spawned processes are started through the launcher; the record keeps what the program asked for.
func TestSpawn(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plain := "spawn ./worker -a long argument\n"
	for _, test := range []struct {
		flavour string
		env     []string
		want    string
	}{
		{"openmpi", []string{"TABARD_EXE=" + exe}, "spawn " + exe + " __spawned DIR -- ./worker -a long argument\n"},
		{"openmpi", []string{"TABARD_EXE=" + exe, "TABARD_SPAWN=off"}, plain},
		{"openmpi", []string{"TABARD_EXE=/does/not/exist"}, plain},
		{"openmpi", nil, plain},
		{"mpich", []string{"TABARD_EXE=" + exe}, plain},
	} {
		r := (&run{t: t, flavour: test.flavour, env: test.env, config: quiet}).start("shapes")
		r.wantCode(0)
		if want := strings.Replace(test.want, "DIR", r.dir, 1); r.stdout != want {
			t.Errorf("%s %v: %q, want %q", test.flavour, test.env, r.stdout, want)
		}
		if v := values(t, r.of(0, "MPI_Comm_spawn")[0]); v["command"].Text() != "./worker" || v["argv"].N != 2 {
			t.Errorf("recorded %v", v)
		}
	}
}
