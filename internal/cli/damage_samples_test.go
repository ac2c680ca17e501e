package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
	"github.com/tabard-hpc/tabard/internal/codec/timing"
	"github.com/tabard-hpc/tabard/internal/testkit/synthetic"
)

// everything is two ranks that use much of what MPI has, two threads in the first one.
func everything() string {
	var b strings.Builder
	b.WriteString("abi openmpi\nmpi Open MPI v4.1.4\ntool tabard test\ncommand ./all \"a b\"\noption callsites caller\n")
	for r := range 2 {
		fmt.Fprintf(&b, `rank %d of 2 on node%[1]d
module /bin/all
clock 0 1000000 0
clock 1000000 2000000 1000000
MPI_Init_thread(argc=1, argv=["./all"], required=3) ; provided=3
MPI_Comm_dup(comm=MPI_COMM_WORLD) @ all.c:1 [main] ; newcomm=comm#0
MPI_Comm_set_name(comm=comm#0, comm_name="my \x1b[31m name")
MPI_Type_vector(count=3, blocklength=2, stride=4, oldtype=MPI_DOUBLE) @ all.c:2 [main] ; newtype=type#0
MPI_Type_commit(datatype=type#0)
MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 2], array_of_displacements=[0, 8], array_of_types=[MPI_INT, type#0]) ; newtype=type#1
MPI_Type_commit(datatype=type#1)
MPI_Win_create(base=heap#0, size=800, disp_unit=8, info=MPI_INFO_NULL, comm=comm#0) @ all.c:3 [main] ; win=win#0
MPI_Info_create() ; info=info#0
MPI_Info_set(info=info#0, key="a", value="b")
MPI_File_open(comm=comm#0, filename="/data/x", amode=5, info=info#0) @ all.c:4 [main] ; fh=file#0
MPI_Send_init(buf=heap#1, count=%[2]d, datatype=MPI_INT, dest=%[3]d, tag=1, comm=comm#0) @ all.c:5 [main] ; request=request#0
MPI_Recv_init(buf=heap#1+64, count=9, datatype=MPI_INT, source=%[3]d, tag=1, comm=comm#0) @ all.c:6 [main] ; request=request#1
loop 12
  MPI_Startall(count=2, array_of_requests=[request#0, request#1]) @ all.c:7 [step]
  poll 2 MPI_Testall(count=2, array_of_requests=[request#0, request#1]) @ all.c:8 [step] ; flag=0
  MPI_Waitall(count=2, array_of_requests=[request#0, request#1]) @ all.c:9 [step] ; array_of_statuses=[{source=-1 tag=-1 bytes=0}, {source=%[3]d tag=1 bytes=16}]
  MPI_Win_fence(assert=0, win=win#0) @ all.c:10 [step]
  MPI_Put(origin_addr=heap#2, origin_count=?%[2]d, origin_datatype=MPI_DOUBLE, target_rank=%[3]d, target_disp=?%[2]d, target_count=%[2]d, target_datatype=MPI_DOUBLE, win=win#0) @ all.c:11 [step]
  MPI_Win_fence(assert=0, win=win#0) @ all.c:12 [step]
  MPI_File_write_at(fh=file#0, offset=?%[2]d, buf=heap#3, count=5, datatype=type#1) @ all.c:13 [step] ; status={source=-1 tag=-1 bytes=40}
  MPI_Bcast(buffer=heap#4, count=?3, datatype=type#0, root=0, comm=comm#0) @ all.c:14 [step]
  MPI_Ialltoall(sendbuf=heap#4, sendcount=1, sendtype=MPI_INT, recvbuf=heap#5, recvcount=1, recvtype=MPI_INT, comm=comm#0) @ all.c:15 [step] ; request=request#2
  MPI_Wait(request=request#2) @ all.c:16 [step]
  MPI_Recv(buf=stack#0, count=4, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG, comm=comm#0) @ all.c:17 [step] ; status=?{source=%[3]d tag=7 bytes=16}
  MPI_Send(buf=stack#0, count=4, datatype=MPI_INT, dest=%[3]d, tag=7, comm=comm#0) @ all.c:18 [step]
  MPI_Allgatherv(sendbuf=heap#4, sendcount=%[2]d, sendtype=MPI_INT, recvbuf=heap#5, recvcounts=[4, 5], displs=?[0, %[2]d], recvtype=MPI_INT, comm=comm#0) @ all.c:19 [step]
end
MPI_Type_free(datatype=type#0)
MPI_Win_free(win=win#0)
MPI_File_close(fh=file#0)
MPI_Request_free(request=request#0)
MPI_Comm_free(comm=comm#0)
MPI_Finalize() @ all.c:30 [main]
`, r, 4+r, 1-r)
	}
	b.WriteString(
		"thread 1\nloop 9\nMPI_Send(buf=heap#9, count=1, datatype=MPI_INT, dest=1, tag=3, comm=MPI_COMM_SELF)\n" +
			"MPI_Iprobe(source=0, tag=3, comm=MPI_COMM_SELF) ; flag=1 ; status={source=0 tag=3 bytes=4}\nend\n",
	)
	return b.String()
}

// others is two ranks whose calls are not MPI's alone: regions, files, NCCL, functions of Python.
func others() string {
	var b strings.Builder
	b.WriteString("abi openmpi\ncommand ./others\n")
	for r := range 2 {
		fmt.Fprintf(&b, `rank %d of 2 on n
clock 0 0 0
clock 1000000 2000000 1000000
MPI_Init() @ o.c:1 [main]
region_begin(name="all", from="nvtx") @ o.c:2 [main]
ncclGetUniqueId() @ o.c:3 [main] ; uniqueId=77
ncclCommInitRank(nranks=2, commId=77, rank=%[1]d) @ o.c:4 [main] ; comm=comm#0
open(path="data.%[1]d", flags=66, mode=420) @ o.c:5 [main] ; result=fd#0
loop 12
  region_begin(name="step") @ o.c:6 [main]
  ncclAllReduce(sendbuff=heap#0, recvbuff=heap#1, count=64, datatype=ncclFloat32, op=ncclSum, comm=comm#0, stream=null) @ o.c:7 [main]
  write(fd=fd#0) @ o.c:8 [main] ; offset=?%[1]d ; count=?100 ; bytes=?100
  pread(fd=fd#0) @ o.c:9 [main] ; offset=?0 ; count=?64 ; bytes=?64
  region_mark(name="moment") @ o.c:10 [main]
  python_begin(name="solver.Grid.step", from="solver.py:7")
  MPI_Barrier(comm=MPI_COMM_WORLD) @ solver.py:9 [step]
  python_end()
  region_value(name="error", value=0.5) @ o.c:11 [main]
  MPI_Allreduce(count=1, datatype=MPI_INT, op=MPI_SUM, comm=MPI_COMM_WORLD) @ o.c:12 [main]
  region_end()
end
fopen(path="log", mode="w") @ o.c:13 [main] ; result=stream#0
fprintf(stream=stream#0) @ o.c:14 [main] ; offset=0 ; count=7 ; bytes=7
fclose(stream=stream#0) @ o.c:15 [main]
open(path="nosuch", flags=0, mode=0) @ o.c:16 [main] ret 2
close(fd=fd#0) @ o.c:17 [main]
ncclCommDestroy(comm=comm#0) @ o.c:18 [main]
region_end()
region_end()
region_begin(name="open end") @ o.c:19 [main]
MPI_Finalize() @ o.c:20 [main]
`, r)
	}
	return b.String()
}

// node is what one of two nodes wrote of a job of 4 ranks.
func node(run, partOf string, ranks ...int) string {
	d := fmt.Sprintf("abi mpich\ncommand prog\noption run %s\n", run)
	if partOf != "" {
		d += "option part_of " + partOf + "\n"
	}
	for _, r := range ranks {
		d += fmt.Sprintf("rank %d of 4 on node%d\nclock %d 5000000000 7\nloop 3\n"+
			"MPI_Send(count=2, datatype=MPI_INT, dest=%d, tag=0, comm=MPI_COMM_WORLD)\nend\n", r, r/2, 100+r, (r+1)%4)
	}
	return d
}

// damageSamples are recordings of all kinds: all sources of events, threads, columns, bundles, worlds, groups of nodes,
// regular and irregular programs, and times in all modes.
func damageSamples(t *testing.T) [][]byte {
	t.Helper()
	descs := []string{
		halo,
		everything(),
		others(),
		threads,
		around(),
		grids(),
		faultyRun(slowRank),
		loopsRun3(),
		archivetest.Varied(7),
		archivetest.Varied(12),
		node("1", "", 0, 1),
		"abi mpich\n",
	}
	descs = append(descs, archivetest.Descriptions(t, "../archive/testdata/*.txtar")...)
	var all [][]byte
	for _, d := range descs {
		all = append(all, archivetest.Bytes(t, d))
	}
	for _, name := range []string{"stencil-2d-cart", "master-worker", "alltoallv", "hub"} {
		all = append(all, jobBytes(t, name, damageJob))
	}
	for _, name := range irregularJobs {
		all = append(all, jobBytes(t, name, synthetic.Params{Ranks: 2, Steps: 3, Timing: true}))
	}
	for i, text := range []string{timing.Default, "aggregate", "hist:10%", "zfp:10us"} {
		all = append(all, retimed(t, all[(5*i+1)%len(all)], text))
	}
	return all
}

// largeSamples are recordings of programs in which infer tries so much before it gives up that few files are made of
// them.
func largeSamples(t *testing.T) (all [][]byte) {
	t.Helper()
	for _, name := range irregularJobs {
		all = append(all, jobBytes(t, name, damageJob))
	}
	return all
}

// damageJob is a small job.
var damageJob = synthetic.Params{Ranks: 4, Steps: 3, Timing: true}

var irregularJobs = []string{"amr", "polls"}

// jobBytes is the recording of a synthetic program.
func jobBytes(t *testing.T, name string, params synthetic.Params) []byte {
	t.Helper()
	job, err := synthetic.NewJob(synthetic.ByName(name), params)
	if err != nil {
		t.Fatal(err)
	}
	b, err := job.Recording()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// retimed is an archive with its times in another mode.
func retimed(t *testing.T, b []byte, mode string) []byte {
	t.Helper()
	m, err := timing.ParseMode(mode)
	if err != nil {
		t.Fatal(err)
	}
	c, err := archivetest.Open(t, b).Retimed(m)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
