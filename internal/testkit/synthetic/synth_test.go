package synthetic

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/record/merge"
	"github.com/tabard-hpc/tabard/internal/record/ring"
	"github.com/tabard-hpc/tabard/spec"
)

// small are the sizes that every program is tested at, where it fits.
var small = []Params{
	{Ranks: 1, Steps: 3},
	{Ranks: 2, Steps: 11, Seed: 5},
	{Ranks: 4, Steps: 12, ABI: spec.OpenMPI},
	{Ranks: 6, Steps: 7, Dims: []int{2, 3}},
	{Ranks: 9, Steps: 25, Seed: 1, Timing: true},
	{Ranks: 12, Steps: 10, Timing: true, ABI: spec.OpenMPI},
	{Ranks: 30, Steps: 2, Dims: []int{2, 3, 5}},
	{Ranks: 36, Steps: 4, Seed: 2},
	{Ranks: 64, Steps: 3, Seed: 9},
}

// jobs calls f for every program at all small sizes that it fits.
func jobs(t *testing.T, f func(t *testing.T, j *Job)) {
	for _, p := range Programs() {
		n := 0
		for _, params := range small {
			if params.Dims != nil && len(params.Dims) != max(1, p.Dims) {
				continue
			}
			j, err := NewJob(p, params)
			if err != nil {
				continue
			}
			n++
			t.Run(fmt.Sprintf("%s/%d", p.Name, params.Ranks), func(t *testing.T) { f(t, j) })
		}
		if n < 3 {
			t.Errorf("%s fits only %d of the sizes", p.Name, n)
		}
	}
}

// openJob makes an archive of some ranks of a job, and the logs of these ranks.
func openJob(t *testing.T, j *Job, ranks []int, inMemory bool) (*archive.Archive, []*Log) {
	t.Helper()
	// In two parts, the second half of the ranks first.
	parts := [2]*merge.Part{merge.New(), merge.New()}
	parts[0].SetMeta(j.Meta())
	var logs []*Log
	for i, rank := range ranks {
		log := &Log{}
		d, streams, size, err := j.Rank(rank, log)
		if err != nil {
			t.Fatal(err)
		}
		if size.Calls != uint64(len(log.Calls)) {
			t.Fatalf("%d calls, %d in the log", size.Calls, len(log.Calls))
		}
		if err := parts[2*i/len(ranks)].Add(d, streams); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, log)
	}
	p, err := merge.Merge(parts[1], parts[0])
	if err != nil {
		t.Fatal(err)
	}
	if inMemory {
		c, err := p.Content()
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Archive()
		if err != nil {
			t.Fatal(err)
		}
		return a, logs
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		t.Fatal(err)
	}
	a, err := archive.OpenReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return a, logs
}

// readBack makes an archive of some ranks of a job and compares it with their logs.
func readBack(t *testing.T, j *Job, ranks []int, inMemory bool) {
	t.Helper()
	a, logs := openJob(t, j, ranks, inMemory)
	if err := archive.Validate(a); err != nil {
		t.Fatal(err)
	}
	if a.Meta().Partial || a.NumStreams() != len(logs) {
		t.Fatalf("%d streams of %d ranks, partial: %v", a.NumStreams(), len(logs), a.Meta().Partial)
	}
	i := -1
	for s := range a.Streams() {
		i++
		d := s.Rank()
		if d.Rank != ranks[i] || d.Size != j.Params().Ranks || !d.Complete || d.Host != host(ranks[i]) {
			t.Fatalf("rank %d is %+v", ranks[i], d)
		}
		if err := compare(s, logs[i], j.Params().Timing); err != nil {
			t.Fatalf("rank %d: %v", ranks[i], err)
		}
	}
}

func all(n int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i
	}
	return ranks
}

// An archive of a synthetic job gives exactly the calls that were made.
func TestArchivesSayWhatWasDone(t *testing.T) {
	jobs(t, func(t *testing.T, j *Job) { readBack(t, j, all(j.Params().Ranks), false) })
}

// The same holds for ranks of jobs that are too large for memory.
func TestRanksOfHugeJobs(t *testing.T) {
	const n = 1 << 20
	for _, p := range Programs() {
		j, err := NewJob(p, Params{Ranks: n, Steps: 2, Seed: 3})
		if p.Name == "alltoallv" {
			if err == nil {
				t.Error("a million counts in each of a million ranks")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Run(p.Name, func(t *testing.T) { readBack(t, j, []int{1, 3*n/4 + 5, n - 1}, false) })
	}
}

func FuzzJobs(f *testing.F) {
	ps := Programs()
	for i := range ps {
		f.Add(uint8(i), uint8(4), uint8(2), uint64(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, program, ranks, steps uint8, seed uint64, how uint8) {
		params := Params{Ranks: int(ranks) % 4, Steps: int(steps) % 3, Seed: seed, ABI: spec.ABI(1 + how&1),
			Timing: how&2 != 0}
		j, err := NewJob(ps[int(program)%len(ps)], params)
		if err != nil {
			return
		}
		readBack(t, j, all(j.Params().Ranks), true)
	})
}

// Every message has its two ends, and every collective call all its members.
func TestMessagesMatch(t *testing.T) {
	jobs(t, func(t *testing.T, j *Job) {
		var logs []*Log
		for rank := range j.Params().Ranks {
			log := &Log{}
			if _, err := j.pl.play(rank, log, func(ring.Record) error { return nil }); err != nil {
				t.Fatal(err)
			}
			logs = append(logs, log)
		}
		if err := Check(logs); err != nil {
			t.Fatal(err)
		}
	})
}

// Check finds messages and collective calls that do not fit together.
func TestCheckFinds(t *testing.T) {
	send := Message{Context: 1, From: 0, To: 1, Tag: 3, Bytes: 8}
	other := send
	other.Bytes = 16
	bar := Collective{1, 2, "barrier"}
	for name, logs := range map[string][]*Log{
		"no receive": {{Sends: []Message{send}}, {}},
		"no send":    {{}, {Receives: []Message{send}}},
		"size":       {{Sends: []Message{send}}, {Receives: []Message{other}}},
		"order":      {{Sends: []Message{send, other}}, {Receives: []Message{other, send}}},
		"absent":     {{Collectives: []Collective{bar}}, {}},
		"different":  {{Collectives: []Collective{bar}}, {Collectives: []Collective{{1, 2, "bcast"}}}},
	} {
		if Check(logs) == nil {
			t.Errorf("%s: not found", name)
		}
	}
	if err := Check([]*Log{{Sends: []Message{send}, Collectives: []Collective{bar}},
		{Receives: []Message{send}, Collectives: []Collective{bar}}}); err != nil {
		t.Error(err)
	}
}

// The same job makes the same records; another seed changes irregular programs.
func TestDeterminism(t *testing.T) {
	sum := func(p *Program, seed uint64, rank int) uint64 {
		j, err := NewJob(p, Params{Ranks: 16, Steps: 20, Seed: seed, Timing: true})
		if err != nil {
			t.Fatal(err)
		}
		h := uint64(0)
		if err := j.Records(rank, func(r ring.Record) error { h = mix(h, r...); return nil }); err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, p := range Programs() {
		if sum(p, 1, 5) != sum(p, 1, 5) {
			t.Errorf("%s: differs from itself", p.Name)
		}
		if sum(p, 1, 5) == sum(p, 2, 5) {
			t.Errorf("%s: another seed gives the same times", p.Name)
		}
	}
}

// The handles written here are those of the MPI that the record about the ABI names.
func TestPredefinedHandles(t *testing.T) {
	for _, p := range predefined {
		k, ok := spec.PredefinedByName(p.name)
		if !ok {
			t.Fatal(p.name)
		}
		if got, ok := spec.MPICH.PredefinedByHandle(spec.Predefineds[k].Class, p.mpich); !ok || got != k {
			t.Errorf("%s is not %#x", p.name, p.mpich)
		}
	}
}

func TestPairing(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 64, 97, 1000} {
		alone := 0
		for rank := range n {
			r := &Rank{Params: Params{Ranks: n, Seed: 3}, Rank: rank}
			peer := r.partner(7)
			if peer == rank {
				alone++
				continue
			}
			q := &Rank{Params: r.Params, Rank: peer}
			if back := q.partner(7); back != rank {
				t.Fatalf("%d ranks: %d has %d, which has %d", n, rank, peer, back)
			}
		}
		if alone != n%2 {
			t.Errorf("%d of %d ranks are alone", alone, n)
		}
	}
	// Three pairings of four ranks: log2(3)/4 for each.
	if got, want := matchingBits(4), math.Log2(3)/4; math.Abs(got-want) > 1e-9 {
		t.Errorf("a pairing of 4 has %g bits a rank, want %g", got, want)
	}
}

func TestBalanced(t *testing.T) {
	for _, c := range []struct {
		n    int
		want []int
	}{{36, []int{6, 6}}, {12, []int{4, 3}}, {7, []int{7, 1}}, {64, []int{4, 4, 4}}, {30, []int{5, 3, 2}}, {1, []int{1}},
		{1 << 20, []int{1024, 1024}}} {
		if got := Balanced(c.n, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%d: %v, want %v", c.n, got, c.want)
		}
	}
}

func TestJobsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name   string
		params Params
	}{
		{"hub", Params{}}, {"hub", Params{Ranks: 4, Steps: -1}}, {"hub", Params{Ranks: 4, ABI: spec.MPI5}},
		{"stencil-2d", Params{Ranks: 6, Dims: []int{2, 2}}}, {"stencil-2d", Params{Ranks: 6, Dims: []int{6}}},
		{"multipartition", Params{Ranks: 8, Steps: 1}}, {"alltoallv", Params{Ranks: 1 << 20, Steps: 1}},
		{"polls", Params{Ranks: 1}},
	} {
		if _, err := NewJob(ByName(c.name), c.params); err == nil {
			t.Errorf("%s with %+v is accepted", c.name, c.params)
		}
	}
	if ByName("nothing") != nil {
		t.Error("a program without a name")
	}
}

// objects knows which number of the archive each live object has.
type objects struct {
	num  map[Object]int64
	live map[[2]int64]Object // class and number
}

// meet compares an object with what the archive has in its place.
func (o *objects) meet(want Object, v *archive.Value) error {
	if v.Kind != archive.Ref || v.Class != want.Class {
		return fmt.Errorf("%+v is %+v", want, *v)
	}
	switch {
	case want == Object{Class: want.Class}:
		if v.N != 0 {
			return fmt.Errorf("the null handle is %d", v.N)
		}
		return nil
	case want.Name != "":
		if k, _ := spec.PredefinedByName(want.Name); v.N != archive.PredefinedRef(k) {
			return fmt.Errorf("%s is %d", want.Name, v.N)
		}
		return nil
	}
	key := [2]int64{int64(v.Class), v.N}
	if n, ok := o.num[want]; ok && n != v.N {
		return fmt.Errorf("object %+v was %d and is %d", want, n, v.N)
	} else if holder, ok := o.live[key]; ok && holder != want {
		return fmt.Errorf("object %+v has the number of %+v", want, holder)
	}
	o.num[want], o.live[key] = v.N, want
	return nil
}

// end forgets an object.
func (o *objects) end(x Object) {
	if n, ok := o.num[x]; ok {
		delete(o.live, [2]int64{int64(x.Class), n})
		delete(o.num, x)
	}
}

// compare reads a stream and compares it with the log of its rank.
func compare(s *archive.Stream, log *Log, timing bool) error {
	objs := &objects{map[Object]int64{}, map[[2]int64]Object{}}
	persistent := map[Object]bool{}
	n := 0
	for got, err := range s.Iter(0) {
		if err != nil {
			return err
		}
		if n >= len(log.Calls) {
			return fmt.Errorf("a call too many: %s", got)
		}
		want := &log.Calls[n]
		if err := compareCall(got, want, objs, timing); err != nil {
			return fmt.Errorf("call %d: %s: %w", n, got, err)
		}
		forget(want, objs, persistent)
		n++
	}
	if n != len(log.Calls) || s.Calls() != uint64(n) {
		return fmt.Errorf("%d calls of %d", n, len(log.Calls))
	}
	return nil
}

func compareCall(got *archive.Call, want *Call, objs *objects, timing bool) error {
	if got.Func.Name != want.Func || got.Ret != 0 || got.Flags&^archive.Polls != 0 ||
		(got.Flags&archive.Polls != 0) != want.Idle {
		return fmt.Errorf("want %s, idle %v", want.Func, want.Idle)
	}
	if got.Timed != timing ||
		timing && (got.StartTicks != want.Start || got.EndTicks != want.End || want.End <= want.Start) {
		return fmt.Errorf("time %d..%d, want %d..%d", got.StartTicks, got.EndTicks, want.Start, want.End)
	}
	switch line := 0; {
	case got.Site == nil && want.Line == 0:
	case got.Site == nil || len(got.Site.Frames) != 1:
		return fmt.Errorf("call site %v", got.Site)
	default:
		f := got.Site.Frames[0]
		if line = f.Line; line != want.Line || f.Func != "main" ||
			!strings.HasPrefix(filepath.Base(s(got).Info["exe"])+".c", f.File) {
			return fmt.Errorf("call site %v, want line %d", f, want.Line)
		}
	}
	for i := range got.Slots {
		if want.Idle && i >= got.Func.NumIn {
			name := archive.SlotName(got.Func, &got.Func.Slots[i])
			if (name == "flag" || name == "outcount") && got.Slots[i].N != 0 {
				return fmt.Errorf("%s is not 0", name)
			}
			continue
		}
		if err := compareValue(&got.Slots[i], want.Values[i], objs); err != nil {
			return fmt.Errorf("%s: %w", archive.SlotName(got.Func, &got.Func.Slots[i]), err)
		}
	}
	return nil
}

func s(c *archive.Call) *archive.RankData { return c.Stream().Rank() }

func compareValue(got *archive.Value, want any, objs *objects) error {
	var have any
	switch w := want.(type) {
	case nil:
		if got.Kind != archive.Absent {
			return fmt.Errorf("%+v, want nothing", *got)
		}
		return nil
	case Object:
		return objs.meet(w, got)
	case []Object:
		if len(got.List) != len(w) {
			return fmt.Errorf("%d objects, want %d", len(got.List), len(w))
		}
		for i := range w {
			if err := objs.meet(w[i], &got.List[i]); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	case int64:
		have = got.N
		if got.Kind != archive.Int {
			have = got.Kind
		}
	case []int64:
		have = append([]int64{}, got.Ints...)
		if len(w) == 0 {
			want = []int64{}
		}
	case Address:
		have = Address{uint8(got.Mem), got.Seg, got.N}
		if got.Kind != archive.Addr {
			have = got.Kind
		}
	case Status:
		have = statusOf(got.Stat)
	case []Status:
		var all []Status
		for i := range got.List {
			all = append(all, statusOf(got.List[i].Stat))
		}
		have = all
	case []string:
		var all []string
		for i := range got.List {
			all = append(all, got.List[i].Str)
		}
		have = all
	default:
		return fmt.Errorf("no comparison of %T", want)
	}
	if !reflect.DeepEqual(have, want) {
		return fmt.Errorf("%v, want %v", have, want)
	}
	return nil
}

func statusOf(s archive.Status) Status {
	return Status{Source: s.Source, Tag: s.Tag, Error: s.Error, Cancelled: s.Cancelled, Bytes: s.Bytes}
}

// forget ends the objects that a call freed or completed.
func forget(c *Call, objs *objects, persistent map[Object]bool) {
	f := spec.ByName(c.Func)
	value := func(name string) any {
		for i := range f.Slots {
			if !f.Slots[i].OnError && archive.SlotName(f, &f.Slots[i]) == name {
				return c.Values[i]
			}
		}
		return nil
	}
	complete := func(x Object) {
		if !persistent[x] {
			objs.end(x)
		}
	}
	switch c.Func {
	case "MPI_Send_init", "MPI_Recv_init":
		persistent[value("request").(Object)] = true
	case "MPI_Comm_free":
		objs.end(value("comm").(Object))
	case "MPI_Type_free":
		objs.end(value("datatype").(Object))
	case "MPI_Request_free":
		objs.end(value("request").(Object))
	case "MPI_Wait":
		complete(value("request").(Object))
	case "MPI_Test":
		if !c.Idle {
			complete(value("request").(Object))
		}
	case "MPI_Waitall":
		for _, x := range value("array_of_requests").([]Object) {
			complete(x)
		}
	case "MPI_Waitsome", "MPI_Testsome":
		for _, i := range value("array_of_indices").([]int64) {
			complete(value("array_of_requests").([]Object)[i])
		}
	case "MPI_Waitany":
		complete(value("array_of_requests").([]Object)[value("index").(int64)])
	}
}

func BenchmarkRecords(b *testing.B) {
	j, err := NewJob(ByName("stencil-2d"), Params{Ranks: 1 << 20, Steps: 10})
	if err != nil {
		b.Fatal(err)
	}
	rank := 5000
	for b.Loop() {
		rank++
		if err := j.Records(rank, func(ring.Record) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRank(b *testing.B) {
	j, err := NewJob(ByName("stencil-2d"), Params{Ranks: 1 << 20, Steps: 10})
	if err != nil {
		b.Fatal(err)
	}
	rank := 5000
	for b.Loop() {
		rank++
		if _, _, _, err := j.Rank(rank, nil); err != nil {
			b.Fatal(err)
		}
	}
}
