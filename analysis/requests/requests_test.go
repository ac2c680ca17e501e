package requests_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tabard-hpc/tabard/analysis/calls"
	"github.com/tabard-hpc/tabard/analysis/requests"
	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

func of(t *testing.T, a *archive.Archive, flags selection.Flags, o requests.Options) *requests.Result {
	t.Helper()
	p, err := calls.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	sel, err := selection.Parse(flags)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := sel.Resolve(a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := requests.Of(p, chosen, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const kinds = `abi mpich
rank 0 of 2 on n
0+10 MPI_Init()
100+10 MPI_Isend(count=5, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
150+10 MPI_Irecv(count=50, datatype=MPI_INT, source=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#1
200+50 MPI_Wait(request=request#0) ; status={source=-1 tag=-1 bytes=0}
300+100 MPI_Wait(request=request#1) ; status={source=1 tag=1 bytes=4}
400+10 MPI_Send_init(count=7, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#2
500+10 MPI_Start(request=request#2)
600+10 MPI_Wait(request=request#2) ; status={source=-1 tag=-1 bytes=0}
650+10 MPI_Isend(count=5, datatype=MPI_INT, dest=MPI_PROC_NULL, tag=1, comm=MPI_COMM_WORLD) ; request=request#3
700+10 MPI_Start(request=request#2)
800+20 MPI_Request_free(request=request#2)
900+10 MPI_Irecv(count=1, datatype=type#55, source=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
1000+10 MPI_Iallreduce(count=2, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD) ; request=request#4
1190+10 MPI_Finalize()
rank 1 of 2 on n
0+10 MPI_Init()
100+10 MPI_Irecv(count=25, datatype=MPI_INT, source=0, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
200+200 MPI_Barrier(comm=MPI_COMM_WORLD)
1190+10 MPI_Finalize()
thread 1
300+40 MPI_Wait(request=request#0) ; status={source=0 tag=1 bytes=20}
`

// A buffer is bound from the begin of the call that begins the operation to the end of the one that completes it.
func TestKinds(t *testing.T) {
	a := archivetest.Archive(t, kinds)
	r := of(t, a, selection.Flags{}, requests.Options{To: 1200, Bins: 12, Rows: 2})
	if r.Width != 100 || len(r.Rows) != 2 {
		t.Fatalf("%+v", r)
	}
	first, second := &r.Rows[0], &r.Rows[1]
	// 20 bytes from 100 to 250, 200 from 150 to 400, 28 from 500 to 610 and from 700 to 820, 32 from 1000 on.
	want := []int64{0, 220, 220, 200, 0, 28, 28, 28, 28, 0, 32, 32}
	if !slices.Equal(first.Peak, want) {
		t.Errorf("peaks %v, want %v", first.Peak, want)
	}
	mean := []float64{0, 20 + 100, 200 + 10, 200, 0, 28, 2.8, 28, 5.6, 0, 32, 32}
	for i := range mean {
		if math.Abs(first.Mean[i]-mean[i]) > 1e-9 {
			t.Errorf("bin %d: mean %g, want %g", i, first.Mean[i], mean[i])
		}
	}
	if first.Most != 220 || first.Process != 0 || first.When != 150 {
		t.Errorf("%+v", first)
	}
	if c := (requests.Count{Requests: 7, Unsized: 1, Open: 3}); first.Count != c {
		t.Errorf("%+v, want %+v", first.Count, c)
	}
	// What one thread begins, another completes.
	if want := []int64{0, 100, 100, 100, 0, 0, 0, 0, 0, 0, 0, 0}; !slices.Equal(second.Peak, want) ||
		second.Mean[3] != 40 || second.Most != 100 || second.Process != 1 {
		t.Errorf("%+v", second)
	}
	both := of(t, a, selection.Flags{}, requests.Options{From: 150, To: 210, Bins: 2, Rows: 1}).Rows[0]
	if both.First != 0 || both.Last != 1 || both.Mean[0] != 320 || both.Peak[0] != 220 || both.Process != 0 {
		t.Errorf("%+v", both)
	}
	some := of(t, a, selection.Flags{Functions: "MPI_Irecv", Ranks: "0"}, requests.Options{To: 1200, Bins: 3, Rows: 2})
	if x := some.Rows[0]; x.Requests != 2 || x.Most != 200 || some.Rows[1].Requests != 0 || some.Rows[1].Process != -1 {
		t.Errorf("%+v", some.Rows)
	}
	if none := of(t, a, selection.Flags{}, requests.Options{Bins: 3, Rows: 2}); len(none.Rows[0].Peak) != 0 {
		t.Errorf("%+v", none)
	}
}

// bound is when a buffer is bound.
type bound struct {
	from, to time.Duration
	bytes    int64
}

// plain finds the buffers of a stream's requests, call by call and by the names of parameters.
func plain(t *testing.T, s *archive.Stream) (all []bound) {
	t.Helper()
	under, made := map[int64]bound{}, map[int64]int64{}
	end := func(request int64, at time.Duration) {
		if b, ok := under[request]; ok {
			b.to = at
			all = append(all, b)
			delete(under, request)
		}
	}
	last := time.Duration(0)
	for c, err := range s.Iter(0) {
		if err != nil {
			t.Fatal(err)
		}
		number := func(name string) int64 { v, _ := c.In(name); return v.N }
		out := func(name string) int64 { v, _ := c.Out(name); return v.N }
		list := func(v archive.Value) (ns []int64) {
			for _, e := range v.List {
				ns = append(ns, e.N)
			}
			return append(ns, v.Ints...)
		}
		given, _ := c.In("array_of_requests")
		last = max(last, c.End)
		bytes := number("count") * calls.PredefinedSize(number("datatype"))
		if procNull, _ := s.Archive().Meta().ABI.Const("MPI_PROC_NULL"); number("dest")+number("source") == procNull {
			bytes = 0
		}
		switch name := c.Func.Name; name {
		case "MPI_Isend", "MPI_Irecv":
			under[out("request")] = bound{c.Start, 0, bytes}
		case "MPI_Send_init", "MPI_Recv_init":
			made[out("request")] = bytes
		case "MPI_Startall":
			for _, q := range list(given) {
				under[q] = bound{c.Start, 0, made[q]}
			}
		case "MPI_Wait":
			end(number("request"), c.End)
		case "MPI_Test":
			if out("flag") != 0 {
				end(number("request"), c.End)
			}
		case "MPI_Waitall":
			for _, q := range list(given) {
				end(q, c.End)
			}
		case "MPI_Waitany":
			end(list(given)[out("index")], c.End)
		case "MPI_Waitsome", "MPI_Testsome":
			indices, _ := c.Out("array_of_indices")
			for _, i := range list(indices) {
				end(list(given)[i], c.End)
			}
		}
	}
	for q := range under {
		end(q, last)
	}
	return all
}

func makeJob(t *testing.T, name string, ranks, steps int) *archive.Archive {
	t.Helper()
	job, err := synthetic.NewJob(synthetic.ByName(name), synthetic.Params{Ranks: ranks, Steps: steps, Seed: 1,
		Timing: true})
	if err != nil {
		t.Fatal(err)
	}
	b, err := job.Recording()
	if err != nil {
		t.Fatal(err)
	}
	return archivetest.Open(t, b)
}

// inBin is the mean and the most of what is bound at a time from begin to end.
func inBin(all []bound, begin, end time.Duration) (mean float64, most int64) {
	moments := []time.Duration{begin}
	for _, b := range all {
		mean += float64(b.bytes) * float64(max(0, min(b.to, end)-max(b.from, begin))) / float64(end-begin)
		if b.from > begin && b.from < end {
			moments = append(moments, b.from)
		}
	}
	for _, at := range moments {
		level := int64(0)
		for _, b := range all {
			if b.from <= at && at < b.to {
				level += b.bytes
			}
		}
		most = max(most, level)
	}
	return mean, most
}

// The result agrees with a plain look at each call.
func TestAgrees(t *testing.T) {
	seen := 0
	for _, name := range []string{"stencil-1d", "stencil-2d", "amr", "polls"} {
		const ranks, bins = 8, 37
		a := makeJob(t, name, ranks, 60)
		end, err := selection.Length(a)
		if err != nil {
			t.Fatal(err)
		}
		from, to := end/7, end*5/6
		r := of(t, a, selection.Flags{}, requests.Options{From: from, To: to, Bins: bins, Rows: 3})
		for _, row := range r.Rows {
			var all []bound
			mean, peak := make([]float64, len(row.Mean)), make([]int64, len(row.Mean))
			for n := row.First; n <= row.Last; n++ {
				its := plain(t, a.Stream(n))
				for k := range mean {
					begin := from + time.Duration(k)*r.Width
					bytes, most := inBin(its, begin, min(to, begin+r.Width))
					mean[k], peak[k] = mean[k]+bytes, max(peak[k], most)
				}
				all = append(all, its...)
			}
			seen += len(all)
			if row.Requests != uint64(len(all)) {
				t.Errorf("%s, row %d: %d requests, want %d", name, row.First, row.Requests, len(all))
			}
			for k := range mean {
				if math.Abs(row.Mean[k]-mean[k]) > 1e-9*mean[k] || row.Peak[k] != peak[k] {
					t.Errorf("%s, row %d, bin %d: %g and %d bytes, want %g and %d", name, row.First, k, row.Mean[k],
						row.Peak[k], mean[k], peak[k])
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("%d requests", seen)
	}
}
