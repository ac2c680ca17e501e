package timeline_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/timeline"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

var (
	sent     = timeline.Flow{Kind: traffic.PointToPoint}
	received = timeline.Flow{Kind: traffic.PointToPoint, Received: true}
	flows    = func() (list []timeline.Flow) {
		for k := range traffic.NumKinds {
			list = append(list, timeline.Flow{Kind: k}, timeline.Flow{Kind: k, Received: true})
		}
		return list
	}()
)

func newVolumeTiler(t testing.TB, a *archive.Archive, end time.Duration) *timeline.Tiler {
	t.Helper()
	x, err := timeline.NewVolumeTiler(timeline.NewMemory(), a, selection.All, "rank", end)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// total sums up a flow over a tile.
func total(x *timeline.Tile, f timeline.Flow) (bytes float64, messages uint64) {
	for row := range x.Rows {
		for bin := range timeline.TileBins {
			bytes += x.Bytes(row, bin, f)
			messages += x.Messages(row, bin, f)
		}
	}
	return bytes, messages
}

// Each way to move data counts where and when it happens, with the bytes of the call.
func TestVolumes(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 2 on n
0+10 MPI_Init()
100+10 MPI_Send(count=3, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD)
200+10 MPI_Isend(count=5, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
300+50 MPI_Wait(request=request#0) ; status={source=-1 tag=-1 bytes=0}
400+10 MPI_Send_init(count=7, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#1
500+10 MPI_Start(request=request#1)
600+10 MPI_Start(request=request#1)
700+10 MPI_Allreduce(count=2, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD)
800+10 MPI_Send(count=9, datatype=MPI_INT, dest=MPI_PROC_NULL, tag=1, comm=MPI_COMM_WORLD)
900+10 MPI_Send(count=1, datatype=type#55, dest=1, tag=1, comm=MPI_COMM_WORLD)
rank 1 of 2 on n
0+10 MPI_Init()
100+22 MPI_Recv(count=30, datatype=MPI_INT, source=0, tag=1, comm=MPI_COMM_WORLD) ; status={source=0 tag=1 bytes=12}
200+10 MPI_Irecv(count=50, datatype=MPI_INT, source=0, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
300+84 MPI_Wait(request=request#0) ; status={source=0 tag=1 bytes=20}
700+10 MPI_Allreduce(count=2, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD)
`)
	x := newVolumeTiler(t, a, 1000)
	tile := &timeline.Tile{Level: 2, Group: 1, Rows: 2} // bins of 4 ns
	fill(t, x, tile)
	type place struct {
		row, ns int
		flow    timeline.Flow
	}
	all := timeline.Flow{Kind: traffic.Collective}
	want := map[place]float64{{0, 100, sent}: 12, {0, 200, sent}: 20, {0, 500, sent}: 28, {0, 600, sent}: 28,
		{0, 900, sent}: 0, {0, 700, all}: 16, {1, 700, all}: 16,
		{0, 709, timeline.Flow{Kind: traffic.Collective, Received: true}}: 16,
		{1, 709, timeline.Flow{Kind: traffic.Collective, Received: true}}: 16,
		{1, 121, received}: 12, {1, 383, received}: 20}
	for p, bytes := range want {
		if got, n := tile.Bytes(p.row, p.ns/4, p.flow), tile.Messages(p.row, p.ns/4, p.flow); got != bytes || n != 1 {
			t.Errorf("%+v: %g bytes in %d messages, want %g in 1", p, got, n, bytes)
		}
	}
	n := uint64(0)
	for _, f := range flows {
		_, k := total(tile, f)
		n += k
	}
	if n != uint64(len(want)) || tile.Unsized(0) != 1 || tile.Unsized(1) != 0 || !tile.Exact() {
		t.Errorf("%d messages, want %d; %d and %d of unknown size", n, len(want), tile.Unsized(0), tile.Unsized(1))
	}
}

// plainSends are the bytes of the sends of a stream by when they begin, call by call and by the names of parameters.
func plainSends(t *testing.T, s *archive.Stream) map[time.Duration]float64 {
	found := map[time.Duration]float64{}
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		if name := c.Func.Name; name != "MPI_Send" && name != "MPI_Isend" {
			continue
		}
		v := map[string]int64{}
		for i, slot := range c.Func.Slots {
			if slot.Param >= 0 {
				v[c.Func.Params[slot.Param].Name] = c.Slots[i].N
			}
		}
		found[c.Start] += float64(v["count"] * calls.PredefinedSize(v["datatype"]))
	}
	return found
}

// Tiles of random windows agree with a plain look at each call, whatever was read before; where messages are spread the
// tile says so. Bytes and messages of a bin are those of the two bins below, exactly, and those of the run are those of
// the communication matrix.
func TestVolumesConserve(t *testing.T) {
	for _, c := range []struct {
		name         string
		ranks, steps int
	}{{"stencil-2d", 4, 700}, {"amr", 4, 200}, {"stencil-2d", 2, 20_000}} {
		a := makeJob(t, c.name, c.ranks, c.steps)
		_, end := plain(t, a, selection.All)
		x := newVolumeTiler(t, a, end)
		rnd := rand.New(rand.NewPCG(7, 8))
		for try := range 8 {
			coarse, fine := zoomed(t, x, rnd, end)
			for row := range coarse.Rows {
				for bin := range timeline.TileBins {
					half, at := fine[bin/128], bin%128*2
					for _, f := range flows {
						bytes, n := 0.0, uint64(0)
						for r := 2 * row; r < min(2*row+2, half.Rows); r++ {
							bytes += half.Bytes(r, at, f) + half.Bytes(r, at+1, f)
							n += half.Messages(r, at, f) + half.Messages(r, at+1, f)
						}
						if bytes != coarse.Bytes(row, bin, f) || n != coarse.Messages(row, bin, f) {
							t.Fatalf("%s, try %d: level %d, row %d, bin %d: %+v is %g bytes in %d, its parts %g in %d",
								c.name, try, coarse.Level, row, bin, f, coarse.Bytes(row, bin, f),
								coarse.Messages(row, bin, f), bytes, n)
						}
					}
				}
			}
			for row, tile := 0, fine[0]; row < tile.Rows && tile.Exact(); row++ {
				var want [timeline.TileBins]float64
				for at, bytes := range plainSends(t, a.Stream(row)) {
					if bin := int64(at)>>tile.Level - tile.X*timeline.TileBins; bin >= 0 && bin < timeline.TileBins {
						want[bin] += bytes
					}
				}
				for bin := range want {
					if got := tile.Bytes(row, bin, sent); got != want[bin] {
						t.Fatalf("%s: level %d, row %d, bin %d: %g bytes are sent, want %g", c.name, tile.Level, row,
							bin, got, want[bin])
					}
				}
			}
		}
		whole := &timeline.Tile{Level: timeline.GridLevel(end), Group: 1, Rows: 64}
		fill(t, x, whole)
		m, err := traffic.MatrixOf(mustResolve(t, selection.All, a))
		if err != nil {
			t.Fatal(err)
		}
		want := m.Total(traffic.PointToPoint)
		for _, f := range []timeline.Flow{sent, received} {
			if bytes, n := total(whole, f); !whole.Exact() || bytes != float64(want.Bytes) || n != want.Messages ||
				n == 0 {
				t.Errorf("%s: %+v is %g bytes in %d messages, want %+v", c.name, f, bytes, n, want)
			}
		}
	}
}

// A stream of many blocks is read once for the whole run: what is coarser follows from that. When the time is up, what
// is there is kept, and asking again comes to the end.
func TestVolumesInTime(t *testing.T) {
	a := makeJob(t, "stencil-2d", 2, 30_000)
	_, end := plain(t, a, selection.All)
	x, exact := newVolumeTiler(t, a, end), newVolumeTiler(t, a, end)
	tile := func(until time.Time) *timeline.Tile {
		return &timeline.Tile{Level: timeline.GridLevel(end), Group: 1, Rows: 64, Until: until}
	}
	want := tile(time.Time{})
	fill(t, exact, want)
	tries := 0
	got := tile(time.Now())
	for fill(t, x, got); !got.Exact() && tries < 10_000; tries++ {
		got = tile(time.Now().Add(2 * time.Millisecond))
		fill(t, x, got)
	}
	if !got.Exact() || tries == 0 {
		t.Fatalf("exact: %v after %d tries", got.Exact(), tries)
	}
	for _, f := range flows {
		b, n := total(got, f)
		if bytes, messages := total(want, f); b != bytes || n != messages {
			t.Errorf("%+v: %g bytes in %d, want %g in %d", f, b, n, bytes, messages)
		}
	}
}

// Once its request is freed, a persistent send is not started any more: its number may be that of a receive.
func TestVolumesOfFreedRequests(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 0 of 2 on n
0+10 MPI_Init()
100+10 MPI_Send_init(count=7, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#1
200+10 MPI_Request_free(request=request#1)
300+10 MPI_Recv_init(count=7, datatype=MPI_INT, source=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#1
400+10 MPI_Start(request=request#1)
500+10 MPI_Wait(request=request#1) ; status={source=1 tag=1 bytes=28}
rank 1 of 2 on n
0+10 MPI_Init()
400+10 MPI_Send(count=7, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
`)
	tile := &timeline.Tile{Level: 2, Group: 2, Rows: 1}
	fill(t, newVolumeTiler(t, a, 1000), tile)
	for _, f := range []timeline.Flow{sent, received} {
		if bytes, n := total(tile, f); bytes != 28 || n != 1 {
			t.Errorf("%+v: %g bytes in %d messages, want 28 in 1", f, bytes, n)
		}
	}
}
