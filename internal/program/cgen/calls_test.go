package cgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabard-hpc/tabard/internal/archive/archivetest"
)

// perRank is a recording in which each rank makes the calls in lines: %r stands for its number, %n
// for the next one around, %p for the next one on a line.
func perRank(ranks int, lines string) string {
	var b strings.Builder
	b.WriteString("abi openmpi\n")
	for r := range ranks {
		after := fmt.Sprint(r + 1)
		if r == ranks-1 {
			after = "MPI_PROC_NULL"
		}
		text := strings.NewReplacer("\n    ", " ", "%r", fmt.Sprint(r), "%n", fmt.Sprint((r+1)%ranks), "%p",
			after).Replace(lines)
		fmt.Fprintf(&b, "rank %d of %d on node\nMPI_Init(argc=0)\n%s\nMPI_Finalize()\n", r, ranks, text)
	}
	return b.String()
}

// between is what a text has after begin and before MPI_Finalize, with a space for each row of
// spaces.
func between(text, begin string) string {
	_, text, _ = strings.Cut(text, begin)
	text, _, _ = strings.Cut(text, "    MPI_Finalize();\n")
	return strings.Join(strings.Fields(text), " ")
}

// A recordedCall is calls of four ranks and what makes them: in a program for four, and in one for
// any number of ranks, or why there is none; "same" if they do not differ, empty where the calls
// say nothing of other numbers.
type recordedCall struct{ what, calls, one, any string }

// recordedCalls are calls of most kinds.
var recordedCalls = []recordedCall{
	{"a message to the next rank around",
		`MPI_Send(buf=heap#0+8, count=4, datatype=MPI_INT, dest=%n, tag=7, comm=MPI_COMM_WORLD)`,
		`MPI_Send(heap[0] + 8, 4, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);`,
		`MPI_Send(heap_at(0) + 8, 4, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);`},
	{"to the next one on a line",
		`MPI_Send(buf=stack#0, count=1, datatype=MPI_INT, dest=%p, tag=%r, comm=MPI_COMM_WORLD)`,
		`MPI_Send(stack0, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, rank, MPI_COMM_WORLD);`,
		`MPI_Send(stack0, 1, MPI_INT, the_dest(), rank, MPI_COMM_WORLD);`},
	{"a tag in a column",
		`MPI_Send(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=?%r, comm=MPI_COMM_WORLD)`,
		`MPI_Send(NULL, 0, MPI_INT, 0, next(&tag), MPI_COMM_WORLD);`,
		`MPI_Send(NULL, 0, MPI_INT, 0, rank, MPI_COMM_WORLD);`},
	{"any source, and a status that somebody reads",
		`MPI_Recv(buf=heap#0, count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG,
    comm=MPI_COMM_WORLD) ; status={source=0 tag=1 bytes=4}`,
		`MPI_Recv(heap[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status[0]);`,
		`MPI_Recv(heap_at(0), 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status[0]);`},
	{"a communicator",
		`MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
MPI_Comm_free(comm=comm#0)`,
		`MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
MPI_Comm_free(&comm[0]);`, "same"},
	{"a color that is the rank",
		`MPI_Comm_split(comm=MPI_COMM_WORLD, color=%r, key=0) ; newcomm=comm#0`,
		`MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm[0]);`, "same"},
	{"ranges of ranks",
		`MPI_Group_range_incl(group=MPI_GROUP_EMPTY, n=1, ranges=[0, 3, 1]) ; newgroup=group#0`,
		`MPI_Group_range_incl(MPI_GROUP_EMPTY, 1, (int[][3]){{0, 3, 1}}, &group[0]);`,
		`MPI_Group_range_incl(MPI_GROUP_EMPTY, 1, (int[][3]){{0, size - 1, 1}}, &group[0]);`},
	{"small arrays",
		`MPI_Cart_create(comm_old=MPI_COMM_WORLD, ndims=2, dims=[2, 2], periods=[0, 1],
    reorder=0) ; comm_cart=comm#0`,
		`MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){0, 1}, 0, &comm[0]);`,
		`MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){grid0[0], grid0[1]}, (int[]){0, 1}, 0, &comm[0]);`},
	{"arrays that an operation needs until it is complete",
		`MPI_Igatherv(sendbuf=heap#0, sendcount=1, sendtype=MPI_INT, recvbuf=heap#1, recvcounts=[%n, 2, 3, 4],
    displs=[0, 1, 3, 6], recvtype=MPI_INT, root=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Wait(request=request#0)`,
		`MPI_Igatherv(heap[0], 1, MPI_INT, heap[1], keep(0, (int[]){(rank + 1) % size, 2, 3, 4},
    4 * sizeof(int)), keep(1, (int[]){0, 1, 3, 6}, 4 * sizeof(int)), MPI_INT, 0, MPI_COMM_WORLD,
    &request[0]);
MPI_Wait(&request[0], MPI_STATUS_IGNORE);`, ""},
	{"an array that rises",
		`MPI_Group_incl(group=MPI_GROUP_EMPTY, n=6, ranks=[0, 2, 4, 6, 8, 10]) ; newgroup=group#0`,
		`MPI_Group_incl(MPI_GROUP_EMPTY, 6, ramp(6, 0, 2), &group[0]);`,
		`MPI_Group_incl(MPI_GROUP_EMPTY, 6, (int[]){0, 2, 4, 6, 8, 10}, &group[0]);`},
	{"addresses in a datatype",
		`MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 2], array_of_displacements=[heap#0+8, 16],
    array_of_types=[MPI_INT, MPI_DOUBLE]) ; newtype=type#0`,
		`MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){(MPI_Aint)(size_t)(heap[0] + 8), 16},
    (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type[0]);`,
		`MPI_Type_create_struct, array_of_displacements: it mixes addresses in several kinds of memory, or with numbers; a
    proxy for one size has them: --ranks`},
	{"addresses in a datatype, all on the heap",
		`MPI_Type_create_hindexed(count=2, array_of_blocklengths=[1, 2], array_of_displacements=[heap#0+8, heap#1],
    oldtype=MPI_INT) ; newtype=type#0`,
		`MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){(MPI_Aint)(size_t)(heap[0] + 8),
    (MPI_Aint)(size_t)(heap[1])}, MPI_INT, &type[0]);`,
		`MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){(MPI_Aint)(size_t)(heap_at(0) + 8),
    (MPI_Aint)(size_t)(heap_at(1))}, MPI_INT, &type[0]);`},
	{"a datatype with addresses of its own",
		`MPI_Type_contiguous(count=2, oldtype=MPI_INT) ; newtype=type#0
MPI_Send(buf=NULL, count=1, datatype=type#0, dest=0, tag=0, comm=MPI_COMM_WORLD)`,
		`MPI_Type_contiguous(2, MPI_INT, &type[0]);
MPI_Send(MPI_BOTTOM, 1, type[0], 0, 0, MPI_COMM_WORLD);`, "same"},
	{"requests that do not follow one another",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#2
MPI_Waitall(count=2, array_of_requests=[request#0, request#2])`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[2]);
{
int n = 2, *number = (int[]){0, 2};
MPI_Request *list = gather(n, number);
MPI_Waitall(2, list, MPI_STATUSES_IGNORE);
scatter(n, number, list);
}`,
		`for (long i0 = 0; i0 < 2; i0++) {
MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, request_at(2 * i0));
}
{
long array_of_requests_n = 2;
MPI_Request *array_of_requests = room((array_of_requests_n + 1) * sizeof *array_of_requests);
for (long e = 0; e < array_of_requests_n; e++) array_of_requests[e] = *request_at(2 * e);
MPI_Waitall(2, array_of_requests, MPI_STATUSES_IGNORE);
for (long e = 0; e < array_of_requests_n; e++) put_request(4 * e + 2, array_of_requests[e]);
}`},
	{"one of several requests",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Waitany(count=1, array_of_requests=[request#0]) ; index=0`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
{
MPI_Waitany(1, &request[0], &which, MPI_STATUS_IGNORE);
settle(&request[0], 0, which);
}`, "same"},
	{"some of several",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Waitsome(incount=1, array_of_requests=[request#0]) ; outcount=1 ; array_of_indices=[0]`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
{
int wants = 1, *want = (int[]){0};
int done = 0, *got = room((1 + 1) * sizeof *got);
do {
MPI_Waitsome(1, &request[0], &which, got + done, MPI_STATUSES_IGNORE);
if (which > 0) done += which;
} while (which != MPI_UNDEFINED && done < wants);
settle_some(&request[0], wants, want, done, got);
}`, ""},
	{"polls: the one that succeeds is repeated until it does",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Test(request=request#0) ; flag=1`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
do
MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
while (!flag);`, "same"},
	{"attribute callbacks",
		`MPI_Comm_create_keyval(comm_copy_attr_fn=module#0+0x40, comm_delete_attr_fn=module#0+0x80,
    extra_state=NULL) ; comm_keyval=keyval#0`,
		`MPI_Comm_create_keyval(copy_MPI_Comm, delete_MPI_Comm, &keyval[0], NULL);`, "same"},
	{"a reduction of the program",
		`MPI_Op_create(user_fn=module#0+0x40, commute=1) ; op=op#0`,
		`MPI_Op_create(reduce, 1, &op[0]);`, "same"},
	{"strings",
		`MPI_Info_create() ; info=info#0
MPI_Info_set(info=info#0, key="a", value="b?\"c")`,
		`MPI_Info_create(&info[0]);
MPI_Info_set(info[0], "a", "b\?\"c");`, "same"},
	{"memory that MPI makes",
		`MPI_Win_allocate(size=64, disp_unit=1, info=MPI_INFO_NULL,
    comm=MPI_COMM_WORLD) ; baseptr=heap#1 ; win=win#0`,
		`MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &heap[1], &win[0]);`,
		`MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, heap_slot(1), &win[0]);`},
	{"memory that the program makes",
		`tabard_segment(segment=0, kind=1, bytes=64)
MPI_Bcast(buffer=heap#0, count=16, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
tabard_segment_end(segment=0)`,
		`heap[0] = memory(64);
MPI_Bcast(heap[0], 16, MPI_INT, 0, MPI_COMM_WORLD);
free(heap[0]);`,
		`grow_memory(0, 64);
MPI_Bcast(heap_at(0), 16, MPI_INT, 0, MPI_COMM_WORLD);
end_memory(0);`},
	{"results that nobody reads",
		`MPI_Comm_size(comm=MPI_COMM_WORLD) ; size=2
MPI_Get_processor_name() ; name="node" ; resultlen=4`,
		`MPI_Comm_size(MPI_COMM_WORLD, &(int){0});
MPI_Get_processor_name(room(8192), &(int){0});`, "same"},
	{"a file that was there before",
		`MPI_File_open(comm=MPI_COMM_WORLD, filename="/home/me/in.dat", amode=MPI_MODE_RDONLY,
    info=MPI_INFO_NULL) ; fh=file#0
MPI_File_close(fh=file#0)`,
		`MPI_File_open(MPI_COMM_WORLD, found_file("in.dat"), MPI_MODE_RDONLY, MPI_INFO_NULL, &file[0]);
MPI_File_close(&file[0]);`, "same"},
}

// TestCalls makes calls again.
func TestCalls(t *testing.T) { checkCalls(t, recordedCalls) }

// checkCalls makes calls again, in programs of both kinds.
func checkCalls(t *testing.T, list []recordedCall) {
	for _, x := range list {
		desc := perRank(4, x.calls)
		one := strings.Join(strings.Fields(x.one), " ")
		text, _ := generate(t, archivetest.Archive(t, desc), Options{})
		if got := between(text, "static void all_ranks(void)\n{\n"); got != one {
			t.Errorf("%s: got\n%s\nwant\n%s", x.what, got, one)
		}
		if x.any == "" {
			continue
		}
		want := strings.Join(strings.Fields(x.any), " ")
		if want == "same" {
			want = one
		}
		text, _, err := anyProgram(t, desc, AnySize{})
		got := between(text, "    find_rank(1);\n")
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "another number of ranks is not possible: ")
		}
		if got != want {
			t.Errorf("%s with any number of ranks: got\n%s\nwant\n%s", x.what, got, want)
		}
	}
}
