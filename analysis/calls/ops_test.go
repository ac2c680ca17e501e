package calls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive"
	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/spec"
)

// list writes down what the calls of a stream do.
func list(t *testing.T, a *archive.Archive, stream int) string {
	t.Helper()
	p, err := Open(a)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Reader(a.Stream(stream))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for {
		op, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if op == nil {
			return b.String()
		}
		if op.Kind == Other && op.Request < 0 {
			continue
		}
		fmt.Fprintf(&b, "%d %v", op.Call, op.Kind)
		if op.Calls > 1 {
			fmt.Fprintf(&b, " x%d", op.Calls)
		}
		if op.Comm != NoComm {
			fmt.Fprintf(&b, " on %d", op.Comm)
			if op.Object != 0 {
				fmt.Fprintf(&b, ".%d", op.Object)
			}
		}
		if op.Root != NoPeer {
			fmt.Fprintf(&b, " root %d", op.Root)
		}
		side := func(name string, s *Side) {
			if s.Peer != NoPeer || s.Bytes != 0 {
				fmt.Fprintf(&b, " %s %d/%d %d*%d", name, s.Peer, s.Tag, s.Count, s.Bytes)
			}
		}
		side("out", &op.Send)
		side("in", &op.Recv)
		if op.Request >= 0 {
			fmt.Fprintf(&b, " makes %d", op.Request)
		}
		if len(op.Requests) > 0 {
			fmt.Fprintf(&b, " of %v", op.Requests)
		}
		for _, d := range op.Done {
			fmt.Fprintf(&b, " done %d", d.Request)
			if d.Status {
				fmt.Fprintf(&b, "(%d/%d %d %v)", d.Source, d.Tag, d.Bytes, d.Cancelled)
			}
		}
		if op.Void {
			b.WriteString(" void")
		}
		if op.Message >= 0 {
			fmt.Fprintf(&b, " message %d", op.Message)
		}
		b.WriteByte('\n')
	}
}

var programs = []struct{ name, program, want string }{
	{"collectives", `
rank 0 of 2 on n
MPI_Bcast(count=3, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Bcast(count=3, datatype=MPI_INT, root=1, comm=MPI_COMM_WORLD)
MPI_Reduce(count=2, datatype=MPI_DOUBLE, op=MPI_SUM, root=0, comm=MPI_COMM_WORLD)
MPI_Allreduce(count=2, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD)
MPI_Gather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Gather(sendcount=1, sendtype=MPI_INT, recvcount=1, recvtype=MPI_INT, root=1, comm=MPI_COMM_WORLD)
MPI_Gatherv(sendbuf=MPI_IN_PLACE, sendcount=0, sendtype=MPI_INT, recvcounts=[3, 4], recvtype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Alltoallv(sendcounts=?[1, 2], sendtype=MPI_INT, recvcounts=[2, 2], recvtype=MPI_CHAR, comm=MPI_COMM_WORLD)
MPI_Alltoallw(sendcounts=[1, 2], sendtypes=[MPI_INT, MPI_CHAR], recvcounts=[0, 2], recvtypes=[MPI_DATATYPE_NULL, MPI_CHAR], comm=MPI_COMM_WORLD)
MPI_Reduce_scatter(recvcounts=[5, 6], datatype=MPI_CHAR, op=MPI_SUM, comm=MPI_COMM_WORLD)
MPI_Ireduce_scatter_block(recvcount=5, datatype=MPI_CHAR, op=MPI_SUM, comm=MPI_COMM_WORLD) ; request=request#3
MPI_Iallgatherv(sendcount=1, sendtype=MPI_CHAR, recvcounts=[1, 9], recvtype=MPI_CHAR, comm=MPI_COMM_WORLD) ; request=request#4
MPI_Barrier_init(comm=MPI_COMM_WORLD) ; request=request#5
MPI_Start(request=request#5)
rank 1 of 2 on n
`, `
0 collective on 0 root 0 out -1/-1 3*12
1 collective on 0 root 1 in -1/-1 3*12
2 collective on 0 root 0 out -1/-1 2*16 in -1/-1 2*16
3 collective on 0 out -1/-1 2*16 in -1/-1 2*16
4 collective on 0 root 0 out -1/-1 1*4 in -1/-1 1*8
5 collective on 0 root 1 out -1/-1 1*4
6 collective on 0 root 0 out -1/-1 0*12 in -1/-1 0*28
7 collective on 0 out -1/-1 0*12 in -1/-1 0*4
8 collective on 0 out -1/-1 0*6 in -1/-1 0*2
9 collective on 0 out -1/-1 0*11 in -1/-1 0*5
10 collective on 0 out -1/-1 0*10 in -1/-1 5*5 makes 3
11 collective on 0 out -1/-1 1*1 in -1/-1 0*10 makes 4
12 collective_init on 0 makes 5
13 start of [5]
`},
	{"an intercommunicator", `
rank 0 of 3 on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=0, key=0) ; newcomm=comm#0
MPI_Intercomm_create(local_comm=comm#0, local_leader=0, peer_comm=MPI_COMM_WORLD, remote_leader=1, tag=5) ; newintercomm=comm#1
MPI_Send(count=1, datatype=MPI_CHAR, dest=1, tag=0, comm=comm#1)
MPI_Bcast(count=1, datatype=MPI_CHAR, root=MPI_ROOT, comm=comm#1)
MPI_Bcast(count=1, datatype=MPI_CHAR, root=1, comm=comm#1)
MPI_Gather(sendcount=1, sendtype=MPI_CHAR, recvcount=3, recvtype=MPI_CHAR, root=MPI_ROOT, comm=comm#1)
rank 1 of 3 on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=1, key=0) ; newcomm=comm#0
MPI_Intercomm_create(local_comm=comm#0, local_leader=0, peer_comm=MPI_COMM_WORLD, remote_leader=0, tag=5) ; newintercomm=comm#1
rank 2 of 3 on n
MPI_Comm_split(comm=MPI_COMM_WORLD, color=1, key=0) ; newcomm=comm#0
MPI_Intercomm_create(local_comm=comm#0, local_leader=0, peer_comm=MPI_COMM_WORLD, remote_leader=0, tag=5) ; newintercomm=comm#1
`, `
0 collective on 0
1 collective on 1
2 send on 3 out 2/0 1*1
3 collective on 3 root 0 out -1/-1 1*1
4 collective on 3 root 2 in -1/-1 1*1
5 collective on 3 root 0 in -1/-1 3*6
`},
	{"types are what they are when they are used", `
rank 0 of 1 on n
MPI_Type_contiguous(count=3, oldtype=MPI_INT) ; newtype=type#0
MPI_Send(count=1, datatype=type#0, dest=0, tag=0, comm=MPI_COMM_SELF)
MPI_Type_free(datatype=type#0)
MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 2], array_of_types=[MPI_DOUBLE, MPI_CHAR]) ; newtype=type#0
MPI_Send(count=2, datatype=type#0, dest=0, tag=0, comm=MPI_COMM_SELF)
MPI_Type_create_subarray(ndims=2, array_of_sizes=[9, 9], array_of_subsizes=[2, 3], oldtype=type#0) ; newtype=type#1
MPI_Send(count=2, datatype=type#1, dest=MPI_PROC_NULL, tag=0, comm=MPI_COMM_SELF)
MPI_Send(count=2, datatype=type#7, dest=1, tag=0, comm=MPI_COMM_SELF)
`, `
1 send on 1 out 0/0 1*12
4 send on 1 out 0/0 2*20
6 send on 1 out -2/0 2*120
7 send on 1 out -4/0 2*-1
`},
	{"completion", `
rank 0 of 2 on n
MPI_Irecv(count=9, datatype=MPI_CHAR, source=MPI_ANY_SOURCE, tag=3, comm=MPI_COMM_WORLD) ; request=?request#0
poll 4 MPI_Test(request=request#0) ; flag=0
MPI_Waitsome(incount=3, array_of_requests=[request#0, MPI_REQUEST_NULL, request#2]) ; outcount=2 ; array_of_indices=?[2, 0] ; array_of_statuses=?[{source=-1 tag=-1 bytes=0}, {source=1 tag=3 bytes=5}]
MPI_Waitany(count=2, array_of_requests=[request#0, request#2]) ; index=1 ; status={source=1 tag=3 bytes=5}
MPI_Testany(count=2, array_of_requests=[request#0, request#2]) ; index=-32766 ; flag=1
MPI_Recv(count=9, datatype=MPI_CHAR, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD) ; status=?{source=1 tag=4 bytes=2}
MPI_Mprobe(source=1, tag=1, comm=MPI_COMM_WORLD) ; message=message#2 ; status={source=1 tag=1 bytes=2}
rank 1 of 2 on n
`, `
0 recv on 0 in -3/3 9*9 makes 0
1 complete x4 of [0]
5 complete of [0 -1 2] done 2(-1/-1 0 false) done 0(1/3 5 false)
6 complete of [0 2] done 2(1/3 5 false)
7 complete of [0 2]
8 recv on 0 in 1/4 9*2
9 mprobe on 0 in 1/1 0*2 message 2
`},
	{"neighbours", `
rank 0 of 2 on n
MPI_Dist_graph_create_adjacent(comm_old=MPI_COMM_WORLD, indegree=1, sources=[1], outdegree=2, destinations=[0, 1]) ; comm_dist_graph=comm#0
MPI_Neighbor_alltoall(sendcount=3, sendtype=MPI_INT, recvcount=5, recvtype=MPI_CHAR, comm=comm#0)
MPI_Neighbor_allgather(sendcount=3, sendtype=MPI_INT, recvcount=5, recvtype=MPI_CHAR, comm=comm#0)
MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=1, dims=[2], periods=[1], reorder=0) ; comm_cart=comm#1
MPI_Neighbor_alltoall(sendcount=3, sendtype=MPI_INT, recvcount=5, recvtype=MPI_CHAR, comm=comm#1)
rank 1 of 2 on n
MPI_Dist_graph_create_adjacent(comm_old=MPI_COMM_WORLD, indegree=2, sources=[0, 1], outdegree=1, destinations=[0]) ; comm_dist_graph=comm#0
MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=1, dims=[2], periods=[1], reorder=0) ; comm_cart=comm#1
`, `
0 collective on 0
1 collective on 1 out -1/-1 3*24 in -1/-1 5*5
2 collective on 1 out -1/-1 3*12 in -1/-1 5*5
3 collective on 0
4 collective on 2 out -1/-1 3*24 in -1/-1 5*10
`},
	{"windows and files", `
rank 0 of 1 on n
MPI_Win_allocate(size=8, disp_unit=1, comm=MPI_COMM_WORLD) ; win=win#0
MPI_Win_create(size=8, disp_unit=1, comm=MPI_COMM_WORLD) ; win=win#1
MPI_Put(origin_count=2, origin_datatype=MPI_INT, target_rank=0, target_count=2, target_datatype=MPI_INT, win=win#1)
MPI_Rget(origin_count=2, origin_datatype=MPI_CHAR, target_rank=0, target_count=2, target_datatype=MPI_CHAR, win=win#0) ; request=request#0
MPI_Fetch_and_op(datatype=MPI_DOUBLE, target_rank=0, op=MPI_SUM, win=win#0)
MPI_Win_fence(assert=0, win=win#1)
MPI_File_open(comm=MPI_COMM_WORLD) ; fh=file#0
MPI_File_write_at(fh=file#0, offset=0, count=4, datatype=MPI_INT) ; status={source=-1 tag=-1 bytes=16}
MPI_File_read_all(fh=file#0, count=4, datatype=MPI_INT) ; status={source=-1 tag=-1 bytes=16}
`, `
0 collective on 0
1 collective on 0
2 put on 0.2 out 0/-1 2*8 in 0/-1 0*0
3 get on 0.1 out 0/-1 0*0 in 0/-1 2*2 makes 0
4 accumulate on 0.1 out 0/-1 1*8 in 0/-1 1*8
5 collective on 0.2
6 collective on 0
7 write on 0.1 out -1/-1 4*16
8 collective on 0.1 in -1/-1 4*16
`},
}

func TestOperations(t *testing.T) {
	for _, c := range programs {
		t.Run(c.name, func(t *testing.T) {
			if got, want := list(t, archivetest.Archive(t, "abi openmpi\n"+c.program), 0),
				strings.TrimLeft(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestDarray: the parts of all ranks make up the array.
func TestDarray(t *testing.T) {
	abi := spec.OpenMPI
	c := func(name string) int64 {
		v, ok := abi.Const(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		return v
	}
	block, cyclic, none, standard := c("MPI_DISTRIBUTE_BLOCK"), c("MPI_DISTRIBUTE_CYCLIC"), c("MPI_DISTRIBUTE_NONE"),
		c("MPI_DISTRIBUTE_DFLT_DARG")
	for _, x := range []made{
		{sizes: []int64{10, 7}, dists: []int64{block, cyclic}, dargs: []int64{standard, 2}, psizes: []int64{3, 2}},
		{sizes: []int64{5, 4}, dists: []int64{none, cyclic}, dargs: []int64{standard, standard}, psizes: []int64{1, 3}},
		{sizes: []int64{11}, dists: []int64{block}, dargs: []int64{4}, psizes: []int64{4}},
		{sizes: []int64{13}, dists: []int64{cyclic}, dargs: []int64{3}, psizes: []int64{2}},
	} {
		want, total := product(x.sizes), int64(0)
		for rank := range product(x.psizes) {
			x.rank = rank
			total += x.darray(abi)
		}
		if total != want {
			t.Errorf("%+v: the parts have %d elements, the array %d", x, total, want)
		}
	}
}

// TestSizesAreKnown: every predefined datatype has a size.
func TestSizesAreKnown(t *testing.T) {
	for i, p := range spec.Predefineds {
		if p.Class == spec.Type && !p.Null && predefinedSize(int64(i)) < 0 {
			t.Errorf("the size of %s is not known", p.Name)
		}
	}
}
