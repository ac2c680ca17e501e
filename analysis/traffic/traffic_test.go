package traffic_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/analysis/selection"
	"github.com/tabard-hpc/tabard/analysis/traffic"
	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/testkit/plaintraffic"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
	"github.com/tabard-hpc/tabard/spec"
)

// pointToPoint is four ranks that send in all the ways there are.
func pointToPoint() string {
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./app\n")
	for r := range 4 {
		next, prev := fmt.Sprint((r+1)%4), fmt.Sprint((r+3)%4)
		edge := fmt.Sprint(r + 1)
		if r == 3 {
			edge = "MPI_PROC_NULL"
		}
		fmt.Fprintf(&b, `rank %d of 4 on n
clock 0 0 0
clock 1000000 2000000 2000000
MPI_Init() @ a.c:1 [main]
MPI_Type_vector(count=3, blocklength=2, stride=5, oldtype=MPI_DOUBLE) @ a.c:2 [main] ; newtype=type#0
MPI_Send(count=%d, datatype=type#0, dest=%s, tag=1, comm=MPI_COMM_WORLD) @ a.c:3 [main]
MPI_Type_free(datatype=type#0)
MPI_Type_contiguous(count=7, oldtype=MPI_CHAR) @ a.c:4 [main] ; newtype=type#0
MPI_Send(count=%[2]d, datatype=type#0, dest=%[3]s, tag=1, comm=MPI_COMM_WORLD) @ a.c:3 [main]
MPI_Comm_split(comm=MPI_COMM_WORLD, color=%[4]d, key=%[5]d) @ a.c:5 [main] ; newcomm=comm#0
MPI_Isend(count=2, datatype=MPI_INT, dest=%[6]d, tag=1, comm=comm#0) @ a.c:6 [main] ; request=request#0
MPI_Comm_free(comm=comm#0) @ a.c:7 [main]
MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:8 [main] ; newcomm=comm#0
MPI_Isend(count=2, datatype=MPI_INT, dest=%[6]d, tag=1, comm=comm#0) @ a.c:6 [main] ; request=request#0
MPI_Send_init(count=5, datatype=MPI_INT, dest=%[3]s, tag=1, comm=MPI_COMM_WORLD) @ a.c:10 [main] ; request=request#1
MPI_Ssend_init(count=6, datatype=MPI_INT, dest=%[7]s, tag=1, comm=comm#0) @ a.c:11 [main] ; request=request#2
MPI_Recv_init(count=6, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, comm=comm#0) @ a.c:12 [main] ; request=request#3
MPI_Psend_init(partitions=4, count=3, datatype=MPI_INT, dest=%[8]s, tag=1, comm=MPI_COMM_WORLD) @ a.c:13 [main] ; request=request#4
loop 20
  MPI_Start(request=request#1) @ a.c:20 [step]
  MPI_Startall(count=3, array_of_requests=[request#1, request#2, request#3]) @ a.c:21 [step]
  MPI_Start(request=request#4) @ a.c:22 [step]
  MPI_Sendrecv(sendcount=%[9]d, sendtype=MPI_DOUBLE, dest=%[3]s, sendtag=1, recvcount=99, recvtype=MPI_INT, source=%[7]s, recvtag=1, comm=comm#0) @ a.c:23 [step]
  MPI_Sendrecv_replace(count=1, datatype=MPI_INT, dest=%[8]s, sendtag=1, source=MPI_PROC_NULL, recvtag=1, comm=MPI_COMM_WORLD) @ a.c:24 [step]
  MPI_Recv(count=9, datatype=MPI_INT, source=%[7]s, tag=1, comm=MPI_COMM_WORLD) @ a.c:25 [step]
  poll 3 MPI_Test(request=request#0) @ a.c:26 [step] ; flag=0
end
`, r, 10+r, next, r/2, -r, 1-r%2, prev, edge, 100-r)
		for i := range 12 { // in columns
			fmt.Fprintf(&b, "MPI_Send(count=?%d, datatype=MPI_INT, dest=?%d, tag=2, comm=comm#0) @ a.c:30 [main]\n",
				i*i%7, (r*i)%4)
			fmt.Fprintf(&b, "MPI_Isend(count=?%d, datatype=MPI_INT, dest=%s, tag=2, comm=MPI_COMM_WORLD) @ a.c:31 "+
				"[main] ; "+
				"request=request#0\n", i+r, edge)
		}
		fmt.Fprintf(&b, `MPI_Request_free(request=request#1)
MPI_Send_init(count=50, datatype=MPI_CHAR, dest=%s, tag=1, comm=MPI_COMM_WORLD) @ a.c:40 [main] ; request=request#1
MPI_Start(request=request#1) @ a.c:20 [step]
MPI_Start(request=?request#2) @ a.c:41 [step]
MPI_Send(count=1, datatype=MPI_INT, dest=%s, tag=3, comm=MPI_COMM_WORLD) @ a.c:42 [main] ret 5
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=3, comm=comm#77) @ a.c:43 [main]
MPI_Send(count=1, datatype=type#55, dest=0, tag=3, comm=MPI_COMM_WORLD) @ a.c:44 [main]
MPI_Send(count=1, datatype=MPI_INT, dest=%s, tag=3, comm=MPI_COMM_WORLD) @ a.c:45 [main] unfinished
`, prev, next, next)
		if r == 2 { // a persistent request of another thread
			fmt.Fprintf(&b, "thread 1\nloop 4\n  MPI_Send(count=1, datatype=MPI_INT, dest=3, tag=9, "+
				"comm=MPI_COMM_SELF) @ b.c:1 "+
				"[t]\nend\n")
		}
	}
	return b.String()
}

// collectives is four ranks with all collectives, one-sided operations and file access.
func collectives() string {
	var b strings.Builder
	b.WriteString("abi mpich\ncommand ./app\n")
	for r := range 4 {
		fmt.Fprintf(&b, `rank %d of 4 on n
MPI_Init() @ a.c:1 [main]
MPI_Comm_split(comm=MPI_COMM_WORLD, color=%d, key=0) @ a.c:2 [main] ; newcomm=comm#0
MPI_Intercomm_create(local_comm=comm#0, local_leader=0, peer_comm=MPI_COMM_WORLD, remote_leader=%d, tag=1) @ a.c:3 [main] ; newintercomm=comm#1
MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=2, dims=[2, 2], periods=[1, 0], reorder=0) @ a.c:4 [main] ; comm_cart=comm#2
MPI_Dist_graph_create_adjacent(comm_old=MPI_COMM_WORLD, indegree=1, sources=[%d], sourceweights=[1], outdegree=2, destinations=[%d, 0], destweights=[1, 1], reorder=0) @ a.c:5 [main] ; comm_dist_graph=comm#3
MPI_Graph_create(comm_old=MPI_COMM_WORLD, nnodes=4, index=[1, 3, 4, 6], edges=[1, 0, 2, 3, 2, 0], reorder=0) @ a.c:6 [main] ; comm_graph=comm#4
MPI_Win_create(size=8, disp_unit=1, comm=comm#0) @ a.c:7 [main] ; win=win#0
MPI_Barrier(comm=MPI_COMM_WORLD) @ a.c:8 [main]
`, r, r/2, 2-r/2*2, (r+3)%4, (r+1)%4)
		for _, comm := range []string{"MPI_COMM_WORLD", "comm#0"} {
			inComm := map[string]int{"MPI_COMM_WORLD": 4, "comm#0": 2}[comm]
			counts := []string{}
			for i := range inComm {
				counts = append(counts, fmt.Sprint((i*3+r)%4))
			}
			v := strings.Join(counts, ", ")
			fmt.Fprintf(&b, `loop 3
  MPI_Bcast(count=5, datatype=MPI_INT, root=1, comm=%[1]s) @ a.c:10 [main]
  MPI_Scatter(sendcount=2, sendtype=MPI_INT, recvcount=2, recvtype=MPI_INT, root=0, comm=%[1]s) @ a.c:11 [main]
  MPI_Scatterv(sendcounts=[%[2]s], sendtype=MPI_INT, recvcount=2, recvtype=MPI_INT, root=1, comm=%[1]s) @ a.c:12 [main]
  MPI_Gather(sendcount=3, sendtype=MPI_INT, recvcount=3, recvtype=MPI_INT, root=1, comm=%[1]s) @ a.c:13 [main]
  MPI_Gatherv(sendcount=%[3]d, sendtype=MPI_INT, recvtype=MPI_INT, root=0, comm=%[1]s) @ a.c:14 [main]
  MPI_Reduce(count=4, datatype=MPI_DOUBLE, op=MPI_SUM, root=0, comm=%[1]s) @ a.c:15 [main]
  MPI_Allgather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, comm=%[1]s) @ a.c:16 [main]
  MPI_Allgather(sendbuf=MPI_IN_PLACE, sendcount=0, recvcount=9, recvtype=MPI_INT, comm=%[1]s) @ a.c:17 [main]
  MPI_Allgatherv(sendcount=%[3]d, sendtype=MPI_INT, recvcounts=[%[2]s], recvtype=MPI_INT, comm=%[1]s) @ a.c:18 [main]
  MPI_Allgatherv(sendbuf=MPI_IN_PLACE, recvcounts=[%[2]s], recvtype=MPI_INT, comm=%[1]s) @ a.c:19 [main]
  MPI_Alltoall(sendcount=6, sendtype=MPI_INT, recvcount=6, recvtype=MPI_INT, comm=%[1]s) @ a.c:20 [main]
  MPI_Alltoallv(sendcounts=[%[2]s], sendtype=MPI_INT, recvcounts=[%[2]s], recvtype=MPI_INT, comm=%[1]s) @ a.c:21 [main]
  MPI_Alltoallv(sendcounts=?[%[2]s], sendtype=MPI_INT, comm=%[1]s) @ a.c:22 [main]
  MPI_Allreduce(count=%[3]d, datatype=MPI_DOUBLE, op=MPI_SUM, comm=%[1]s) @ a.c:23 [main]
  MPI_Reduce_scatter(recvcounts=[%[2]s], datatype=MPI_INT, op=MPI_SUM, comm=%[1]s) @ a.c:24 [main]
  MPI_Reduce_scatter_block(recvcount=2, datatype=MPI_INT, op=MPI_SUM, comm=%[1]s) @ a.c:25 [main]
  MPI_Scan(count=%[3]d, datatype=MPI_INT, op=MPI_SUM, comm=%[1]s) @ a.c:26 [main]
  MPI_Exscan(count=2, datatype=MPI_INT, op=MPI_SUM, comm=%[1]s) @ a.c:27 [main]
  MPI_Iallreduce(count=3, datatype=MPI_INT, op=MPI_SUM, comm=%[1]s) @ a.c:28 [main] ; request=request#0
  MPI_Ibcast(count=0, datatype=MPI_INT, root=0, comm=%[1]s) @ a.c:29 [main] ; request=request#0
end
`, comm, v, r+1)
		}
		root := "MPI_PROC_NULL"
		if r == 1 {
			root = "MPI_ROOT"
		} else if r > 1 {
			root = "1"
		}
		fmt.Fprintf(&b, `MPI_Bcast(count=5, datatype=MPI_INT, root=%[1]s, comm=comm#1) @ a.c:30 [main]
MPI_Gather(sendcount=3, sendtype=MPI_INT, recvcount=3, recvtype=MPI_INT, root=%[1]s, comm=comm#1) @ a.c:31 [main]
MPI_Allreduce(count=3, datatype=MPI_INT, op=MPI_SUM, comm=comm#1) @ a.c:32 [main]
MPI_Alltoall(sendcount=2, sendtype=MPI_INT, recvcount=2, recvtype=MPI_INT, comm=comm#1) @ a.c:33 [main]
MPI_Send(count=2, datatype=MPI_INT, dest=%[2]d, tag=1, comm=comm#1) @ a.c:34 [main]
MPI_Allreduce_init(count=3, datatype=MPI_INT, op=MPI_SUM, comm=comm#0) @ a.c:35 [main] ; request=request#5
loop 5
  MPI_Start(request=request#5) @ a.c:36 [main]
  MPI_Neighbor_allgather(sendcount=2, sendtype=MPI_INT, recvcount=2, recvtype=MPI_INT, comm=comm#2) @ a.c:37 [main]
  MPI_Neighbor_alltoallv(sendcounts=[1, 2, 3, 4], sendtype=MPI_INT, comm=comm#2) @ a.c:38 [main]
  MPI_Neighbor_alltoall(sendcount=2, sendtype=MPI_INT, recvcount=2, recvtype=MPI_INT, comm=comm#3) @ a.c:39 [main]
  MPI_Neighbor_alltoallv(sendcounts=[3, 0], sendtype=MPI_INT, comm=comm#3) @ a.c:40 [main]
  MPI_Neighbor_allgather(sendcount=2, sendtype=MPI_INT, recvcount=2, recvtype=MPI_INT, comm=comm#4) @ a.c:41 [main]
  MPI_Put(origin_count=3, origin_datatype=MPI_INT, target_rank=%[2]d, win=win#0) @ a.c:42 [main]
  MPI_Get(origin_count=4, origin_datatype=MPI_INT, target_rank=%[2]d, win=win#0) @ a.c:43 [main]
  MPI_Accumulate(origin_count=5, origin_datatype=MPI_INT, target_rank=0, op=MPI_SUM, win=win#0) @ a.c:44 [main]
  MPI_Get_accumulate(origin_count=0, origin_datatype=MPI_INT, result_count=2, result_datatype=MPI_DOUBLE, target_rank=0, op=MPI_NO_OP, win=win#0) @ a.c:45 [main]
  MPI_Fetch_and_op(datatype=MPI_DOUBLE, target_rank=1, op=MPI_SUM, win=win#0) @ a.c:46 [main]
  MPI_Compare_and_swap(datatype=MPI_INT, target_rank=1, win=win#0) @ a.c:47 [main]
  MPI_Rput(origin_count=3, origin_datatype=MPI_INT, target_rank=MPI_PROC_NULL, win=win#0) @ a.c:48 [main] ; request=request#0
end
MPI_File_open(comm=comm#0, filename="x", amode=1) @ a.c:50 [main] ; fh=file#0
MPI_File_write(fh=file#0, count=7, datatype=MPI_INT) @ a.c:51 [main]
MPI_File_read_at(fh=file#0, offset=0, count=%[3]d, datatype=MPI_INT) @ a.c:52 [main]
MPI_File_write_all(fh=file#0, count=9, datatype=MPI_DOUBLE) @ a.c:53 [main]
`, root, r%2, r)
	}
	return b.String()
}

func compare(t *testing.T, a *archive.Archive, f selection.Flags) uint64 {
	t.Helper()
	n, err := plaintraffic.Compare(a, f)
	if err != nil {
		t.Errorf("%+v: %v", f, err)
	}
	return n
}

func TestTraffic(t *testing.T) {
	for name, desc := range map[string]string{"point to point": pointToPoint(), "collectives": collectives()} {
		a := archivetest.Archive(t, desc)
		for _, f := range []selection.Flags{{}, {Ranks: "1-2"}, {Functions: "MPI_Start,MPI_Startall,MPI_Allreduce"},
			{Comms: "MPI_COMM_WORLD"}, {Steps: "2-3"}} {
			if n := compare(t, a, f); n == 0 {
				t.Errorf("%s: %+v: no messages", name, f)
			}
			if t.Failed() {
				t.Fatalf("%s: %+v", name, f)
			}
		}
	}
	for _, desc := range []string{pointToPoint(), collectives()} {
		a, err := archivetest.InMemory(t, archivetest.WithRegions(desc)).Calls()
		if err != nil {
			t.Fatal(err)
		}
		all, in := compare(t, a, selection.Flags{}), compare(t, a, selection.Flags{In: "r"})
		if in == 0 || in >= all {
			t.Errorf("%d of %d messages are in the region", in, all)
		}
		compare(t, a, selection.Flags{In: "r", Comms: "MPI_COMM_WORLD", Steps: "2-3"})
	}
	a := archivetest.Archive(t, pointToPoint())
	if n := compare(t, a, selection.Flags{Time: "1us..9us"}); n == 0 {
		t.Error("no messages in the window")
	}
	compare(t, a, selection.Flags{Comms: "dup*", Ranks: "0"})
}

// The programs of the repository's other tests.
func TestTrafficFiles(t *testing.T) {
	files, _ := filepath.Glob("../../internal/archive/testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no archives")
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(b), "\n-- ")[1:] {
			name, body, _ := strings.Cut(part, " --\n")
			if !strings.Contains(body, "tabard text") {
				continue
			}
			var out bytes.Buffer
			if err := archive.ParseText(&out, strings.NewReader(body)); err != nil {
				t.Errorf("%s: %s: %v", file, name, err)
				continue
			}
			compare(t, archivetest.Open(t, out.Bytes()), selection.Flags{})
		}
	}
}

// makeJob makes the archive of a synthetic job.
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

func TestTrafficSynthetic(t *testing.T) {
	tried := 0
	for _, p := range synthetic.Programs() {
		for _, params := range []synthetic.Params{{Ranks: 9, Steps: 12, Seed: 1},
			{Ranks: 16, Steps: 5, Seed: 2, ABI: spec.OpenMPI}} {
			a := makeJob(t, p, params)
			if a == nil {
				continue
			}
			tried++
			if n := compare(t, a, selection.Flags{}); n == 0 {
				t.Errorf("%s: no messages", p.Name)
			}
			if t.Failed() {
				t.Fatalf("%s with %+v", p.Name, params)
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d jobs", tried)
	}
}

// Requests may be made by one thread and started by another: that counts if there is no doubt which
// is meant.
func TestThreads(t *testing.T) {
	desc := func(more string) string {
		return `abi mpich
rank 0 of 2 on n
MPI_Send_init(count=5, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Recv_init(count=5, datatype=MPI_INT, source=1, tag=1, comm=MPI_COMM_WORLD) ; request=request#1
` + more + `thread 1
loop 6
  MPI_Startall(count=2, array_of_requests=[request#0, request#1])
end
rank 1 of 2 on n
MPI_Init()
`
	}
	matrix := func(more string) *traffic.Matrix {
		m, err := traffic.MatrixOf(everything(t, archivetest.Archive(t, desc(more))))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := matrix(""); m.Total(traffic.PointToPoint) != (traffic.Volume{Messages: 6, Bytes: 120}) {
		t.Errorf("%+v", m.Total(traffic.PointToPoint))
	}
	m := matrix("MPI_Request_free(request=request#0)\n" +
		"MPI_Send_init(count=7, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD) ; request=request#0\n")
	if m.Total(traffic.PointToPoint).Messages != 0 || m.Nowhere[traffic.PointToPoint].Messages != 6 ||
		m.Unsized[traffic.PointToPoint] != 6 {
		t.Errorf("%+v, %+v", m.Nowhere, m.Unsized)
	}
}

// What ranks sent that were not recorded is known from receives.
func TestReceived(t *testing.T) {
	a := archivetest.Archive(t, `abi mpich
rank 1 of 4 on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=comm#0
MPI_Recv(count=9, datatype=MPI_INT, source=0, tag=1, comm=MPI_COMM_WORLD) ; status={source=0 tag=1 bytes=20}
MPI_Recv(count=9, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) ; status={source=3 tag=1 bytes=12}
MPI_Recv(count=9, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD)
MPI_Recv(count=9, datatype=MPI_INT, source=2, tag=1, comm=MPI_COMM_WORLD) ; status={source=2 tag=1 bytes=36}
MPI_Recv(count=2, datatype=MPI_DOUBLE, source=0, tag=1, comm=MPI_COMM_WORLD)
MPI_Recv_init(count=9, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=1, comm=MPI_COMM_WORLD) ; request=request#0
loop 5
  MPI_Start(request=request#0)
  MPI_Irecv(count=9, datatype=MPI_INT, source=0, tag=2, comm=MPI_COMM_WORLD) ; request=request#1
  MPI_Wait(request=request#0) ; request=request#0 ; status=?{source=3 tag=1 bytes=8}
  MPI_Wait(request=request#1) ; request=MPI_REQUEST_NULL ; status=?{source=0 tag=2 bytes=4}
end
MPI_Send(count=1, datatype=MPI_INT, dest=0, tag=1, comm=MPI_COMM_WORLD)
rank 2 of 4 on n
MPI_Send(count=9, datatype=MPI_INT, dest=1, tag=1, comm=MPI_COMM_WORLD)
`)
	m, err := traffic.MatrixOf(everything(t, a))
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.AddReceived(everything(t, a))
	if err != nil || v != (traffic.Volume{Messages: 13, Bytes: 20 + 12 + 16 + 5*8 + 5*4}) || m.Missing != 2 {
		t.Errorf("%+v, %d missing, %v", v, m.Missing, err)
	}
	got := ""
	for c := range m.Cells(traffic.PointToPoint) {
		got += fmt.Sprintf("%d>%d %d %d\n", c.From, c.To, c.Messages, c.Bytes)
	}
	if want := "0>1 7 56\n1>0 1 4\n2>1 1 36\n3>1 6 52\n"; got != want {
		t.Errorf("%swant\n%s", got, want)
	}
}

// A rank that its world has no room for sends and receives all the same.
func TestRankOutsideOfWorld(t *testing.T) {
	d := ""
	for rank := range 2 {
		d += fmt.Sprintf("rank %d of 1 on n\nMPI_Send(count=1, datatype=MPI_INT, dest=0, comm=MPI_COMM_WORLD)\n"+
			"MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD)\n", rank)
	}
	m, err := traffic.MatrixOf(everything(t, archivetest.Open(t, archivetest.Bytes(t, d))))
	if err != nil {
		t.Fatal(err)
	}
	if sent, received := m.Totals(traffic.PointToPoint, traffic.Collective); len(sent) != 2 || len(received) != 2 ||
		sent[1].Messages != 2 {
		t.Errorf("%v sent, %v received", sent, received)
	}
}

// Damaged archives give errors, or other numbers, and end.
func TestDamage(t *testing.T) {
	d, err := archivetest.NewDamager(7, archivetest.Bytes(t, pointToPoint()), archivetest.Bytes(t, collectives()))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for range 800 {
		b, _ := d.Next()
		a, err := archive.OpenReader(bytes.NewReader(b), int64(len(b)), archive.MaxSection(1<<20),
			archive.MaxWork(1<<16))
		if err != nil {
			continue
		}
		for _, f := range []selection.Flags{{}, {Steps: "1-2"}, {Comms: "0"}, {Time: "1us.."}} {
			s, err := selection.Parse(f)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Resolve(a)
			if err != nil {
				continue
			}
			if m, err := traffic.MatrixOf(r); err == nil {
				read++
				for k := range traffic.NumKinds {
					m.Total(k)
				}
			}
			if _, err := traffic.Histograms(r, traffic.GroupBy{Site: true}); err == nil {
				read++
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d results", read)
	}
}

func TestBins(t *testing.T) {
	for size, want := range map[int64]int{0: 0, 1: 1, 2: 2, 3: 2, 4: 3, 1023: 10, 1024: 11, 1<<62 + 1: 63} {
		if got := traffic.BinOf(size); got != want {
			t.Errorf("%d is in bin %d, want %d", size, got, want)
		}
		if least, most := traffic.BinRange(want); size < least || size > most {
			t.Errorf("bin %d has %d to %d, not %d", want, least, most, size)
		}
	}
}
