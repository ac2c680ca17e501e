package archive_test

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
)

// classed gives each terminal of the archive's streams a timing class of its own, so that reading
// times needs to know which terminal each call has.
func classed(t *testing.T, a *archive.Archive) *archive.Archive {
	t.Helper()
	c, err := a.Content()
	if err != nil {
		t.Fatal(err)
	}
	d := *c
	d.Classes, d.Timings = nil, append([][]byte(nil), c.Timings...)
	for i, old := range c.Classes {
		cl := *old
		cl.Timing = archive.Cases[int]{}
		for rank := range cl.Ranks.All() {
			s := a.Classes()[i].Stream(rank)
			n, err := s.Terminals()
			if err != nil {
				t.Fatal(err)
			}
			b := timing.NewLossless()
			classes := make([]uint32, n)
			for k := range classes {
				classes[k] = uint32(k)
			}
			for call, err := range s.Iter(0) {
				if err != nil {
					t.Fatal(err)
				}
				b.Append(call.StartTicks, call.EndTicks, call.Terminal)
			}
			cl.Timing.Values = append(cl.Timing.Values, len(d.Timings))
			d.Timings = append(d.Timings, b.Encode(nil, classes))
		}
		d.Classes = append(d.Classes, &cl)
	}
	return reopened(t, &d)
}

func reopened(t *testing.T, c *archive.Content) *archive.Archive {
	t.Helper()
	var out bytes.Buffer
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	a := archivetest.Open(t, out.Bytes())
	if err := archive.Validate(a); err != nil {
		t.Fatal(err)
	}
	return a
}

// pollingProgram has loops of different lengths at its ranks, and runs of polls of several lengths.
const pollingProgram = `abi openmpi
rank 0 of 2 on n
MPI_Init()
loop 700
  MPI_Irecv(source=1, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
  poll 3 MPI_Test(request=request#0) ; flag=0
  MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=0
  poll 11 MPI_Test(request=request#0) ; flag=0
  MPI_Wait(request=request#0) ; request=MPI_REQUEST_NULL ; status=?{source=1 tag=0 bytes=32}
end
MPI_Finalize()
rank 1 of 2 on n
MPI_Init()
loop 1300
  MPI_Irecv(source=1, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
  poll 3 MPI_Test(request=request#0) ; flag=0
  MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=1
  poll 11 MPI_Test(request=request#0) ; flag=0
  MPI_Wait(request=request#0) ; request=MPI_REQUEST_NULL ; status=?{source=1 tag=0 bytes=32}
end
MPI_Finalize()
`

// TestTimingFollowsTheGrammar reads times whose contexts come from a grammar with loops and runs of
// polls, forwards and in any order, and makes other modes of them.
func TestTimingFollowsTheGrammar(t *testing.T) {
	plain := archivetest.Archive(t, pollingProgram)
	exact := classed(t, plain)
	retimed := func(mode string) *archive.Archive {
		m, err := timing.ParseMode(mode)
		if err != nil {
			t.Fatal(err)
		}
		c, err := exact.Retimed(m)
		if err != nil {
			t.Fatal(err)
		}
		return reopened(t, c)
	}
	lossy, sums, hist := retimed("lossy:5%"), retimed("aggregate"), retimed("hist:10%")
	rng := rand.New(rand.NewSource(1))
	for i := range plain.NumStreams() {
		p, e, l, g := plain.Stream(i), exact.Stream(i), lossy.Stream(i), sums.Stream(i)
		var want []*archive.Call
		total := map[uint32]int64{}
		for c, err := range p.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, c.Clone())
			total[c.Terminal] += int64(c.EndTicks - c.StartTicks)
		}
		for range 200 {
			k := rng.Intn(len(want))
			got, err := e.CallAt(uint64(k))
			if err != nil || got.StartTicks != want[k].StartTicks || got.EndTicks != want[k].EndTicks ||
				got.Terminal != want[k].Terminal {
				t.Fatalf("stream %d, call %d: %v %v, want %v", i, k, got, err, want[k])
			}
		}
		k := 0
		for c, err := range l.Iter(0) {
			if err != nil {
				t.Fatal(err)
			}
			x, y := int64(want[k].EndTicks-want[k].StartTicks), int64(c.EndTicks-c.StartTicks)
			if 20*max(x-y, y-x) > x {
				t.Fatalf("stream %d, call %d: duration %d became %d", i, k, x, y)
			}
			k++
		}
		a, err := g.Aggregates()
		if err != nil || g.Timed() || a.Calls != uint64(len(want)) {
			t.Fatalf("stream %d: aggregates %v, %v", i, a, err)
		}
		if times, err := g.Timing(); times != nil || err != nil {
			t.Fatalf("stream %d: times of calls although only aggregates are stored: %v", i, err)
		}
		for terminal, sum := range total {
			if d := a.Durations(terminal); d.Sum != sum {
				t.Fatalf("stream %d, terminal %d: durations are %d, want %d", i, terminal, d.Sum, sum)
			}
		}
		for c, err := range g.Iter(0) {
			if err != nil || c.Timed {
				t.Fatalf("stream %d: %v %v", i, c, err)
			}
		}
		if m, err := hist.Stream(i).Timing(); err != nil || m.Mode().Method != "hist" ||
			m.Errors().Calls != uint64(len(want)) {
			t.Fatalf("stream %d: %v", i, err)
		}
	}
	m, _ := timing.ParseMode("lossless")
	if _, err := lossy.Retimed(m); err == nil {
		t.Error("lossy times were made lossless")
	}
}

// TestLongTimingIsCut has a timing that goes on over sections, and reads parts of it.
func TestLongTimingIsCut(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	plain := archivetest.Archive(t, "rank 0 of 1 on n\nloop 399998\n  MPI_Comm_rank(comm=MPI_COMM_WORLD) ; rank=0\n"+
		"end\n")
	c, err := plain.Content()
	if err != nil {
		t.Fatal(err)
	}
	b := timing.NewLossless()
	now := uint64(0)
	starts := make([]uint64, 399_998)
	for i := range starts {
		now += uint64(rng.Intn(1 << 20))
		starts[i] = now
		b.Append(now, now+5, 0)
		now += 5
	}
	d := *c
	cl := *c.Classes[0]
	cl.Timing = archive.Cases[int]{Values: []int{0}}
	d.Classes, d.Timings = []*archive.ClassData{&cl}, [][]byte{b.Encode(nil, nil)}
	if len(d.Timings[0]) < 3*256<<10 {
		t.Fatalf("%d bytes are not long", len(d.Timings[0]))
	}
	s := reopened(t, &d).Stream(0)
	times, err := s.Timing()
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		i := uint64(rng.Intn(len(starts)))
		if start, _ := times.At(i); start != starts[i] || times.SeekTime(start) != i {
			t.Fatalf("call %d starts at %d, want %d; at that time is call %d", i, start, starts[i],
				times.SeekTime(start))
		}
	}
	if times.Err() != nil {
		t.Fatal(times.Err())
	}
}
