package cgen

import "testing"

// recordedCompletions are calls whose outcome depends on the run, and what brings the recorded one
// about.
var recordedCompletions = []recordedCall{
	{"which of several requests is complete comes from a column: settle swaps the two where another one was",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#1
MPI_Waitany(count=2, array_of_requests=[request#0, request#1]) @ a.c:1 [main] ; index=?1
MPI_Waitany(count=2, array_of_requests=[request#0, request#1]) @ a.c:1 [main] ; index=?0`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
for (long i = 0; i < 2; i++) {
{
MPI_Waitany(2, &request[0], &which, MPI_STATUS_IGNORE);
settle(&request[0], (int)next(&wanted), which);
}
}`,
		`for (long i0 = 0; i0 < 2; i0++) {
MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, request_at(i0));
}
for (long i1 = 0; i1 < 2; i1++) {
{
MPI_Waitany(2, request_run(0, 2), &which, MPI_STATUS_IGNORE);
settle(request_run(0, 2), i1 == 0, which);
}
}`},
	{"a poll that succeeds is repeated until it does; those before it are not made",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
poll 3 MPI_Testany(count=1, array_of_requests=[request#0]) ; flag=0
MPI_Testany(count=1, array_of_requests=[request#0]) ; index=0 ; flag=1`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
{
do
MPI_Testany(1, &request[0], &which, &flag, MPI_STATUS_IGNORE);
while (!flag);
settle(&request[0], 0, which);
}`,
		`MPI_Testany (ranks 0-3): it was made until it succeeded, and how often that was depends on the run`},
	{"as many requests as were complete then, and the same ones",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#1
MPI_Testsome(incount=2, array_of_requests=[request#0,
    request#1]) @ a.c:1 [main] ; outcount=1 ; array_of_indices=?[1]
MPI_Testsome(incount=2, array_of_requests=[request#0,
    request#1]) @ a.c:1 [main] ; outcount=1 ; array_of_indices=?[0]`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
for (long i = 0; i < 2; i++) {
{
int wants = (int)next(&wanted_count), *want = next_ints(wants, &wanted);
int done = 0, *got = room((2 + 1) * sizeof *got);
do {
MPI_Testsome(2, &request[0], &which, got + done, MPI_STATUSES_IGNORE);
if (which > 0) done += which;
} while (which != MPI_UNDEFINED && done < wants);
settle_some(&request[0], wants, want, done, got);
}
}`,
		`MPI_Testsome at a.c:1 [main]: what it completes depends on the run`},
	{"persistent requests are started again, so that none may stand for another one: others wait aside",
		`MPI_Send_init(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Send_init(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#1
MPI_Waitsome(incount=2, array_of_requests=[request#0, request#1]) ; outcount=1 ; array_of_indices=[1]
MPI_Waitany(count=2, array_of_requests=[request#0, request#1]) ; index=0`,
		`MPI_Send_init(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
MPI_Send_init(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
{
int wants = 1, *want = (int[]){1};
int done = 0, *got = room((2 + 1) * sizeof *got);
only_wanted(2, &request[0], wants, want);
do {
MPI_Waitsome(2, &request[0], &which, got + done, MPI_STATUSES_IGNORE);
if (which > 0) done += which;
} while (which != MPI_UNDEFINED && done < wants);
all_again(2, &request[0], wants, want);
}
{
int want = 0;
only_wanted(2, &request[0], 1, &want);
MPI_Waitany(2, &request[0], &which, MPI_STATUS_IGNORE);
all_again(2, &request[0], 1, &want);
}`,
		`MPI_Waitsome: what it completes depends on the run`},
	{"a call that only asks completes nothing: nothing changes places",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Request_get_status_any(count=1, array_of_requests=[request#0]) ; index=0 ; flag=1`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
do
MPI_Request_get_status_any(1, &request[0], &which, &flag, MPI_STATUS_IGNORE);
while (!flag);`,
		`MPI_Request_get_status_any: what it completes depends on the run`},
	{"where requests may change places, what is freed may still be in use by another one",
		`tabard_segment(segment=0, kind=1, bytes=64)
MPI_Isend(buf=heap#0, count=1, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Waitany(count=1, array_of_requests=[request#0]) ; index=0
tabard_segment_end(segment=0)`,
		`heap[0] = memory(64);
MPI_Isend(heap[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
{
MPI_Waitany(1, &request[0], &which, MPI_STATUS_IGNORE);
settle(&request[0], 0, which);
}
free_later(heap[0]);`,
		`grow_memory(0, 64);
MPI_Isend(heap_at(0), 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
{
MPI_Waitany(1, &request[0], &which, MPI_STATUS_IGNORE);
settle(&request[0], 0, which);
}
end_memory(0);`},
	{"polls without success change no places: memory is freed at once",
		`tabard_segment(segment=0, kind=1, bytes=64)
MPI_Isend(buf=heap#0, count=1, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
poll 2 MPI_Testany(count=1, array_of_requests=[request#0]) ; flag=0
MPI_Wait(request=request#0)
tabard_segment_end(segment=0)`,
		`heap[0] = memory(64);
MPI_Isend(heap[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
MPI_Wait(&request[0], MPI_STATUS_IGNORE);
free(heap[0]);`,
		`MPI_Testany (ranks 0-3): it was made until it succeeded, and how often that was depends on the run`},
	{"persistent requests",
		`MPI_Send_init(buf=heap#0, count=1, datatype=MPI_INT, dest=%n, tag=0,
    comm=MPI_COMM_WORLD) ; request=request#0
MPI_Recv_init(buf=heap#0, count=1, datatype=MPI_INT, source=MPI_ANY_SOURCE, tag=0,
    comm=MPI_COMM_WORLD) ; request=request#1
loop 5
  MPI_Startall(count=2, array_of_requests=[request#0, request#1])
  MPI_Waitall(count=2, array_of_requests=[request#0, request#1])
end
MPI_Request_free(request=request#0)
MPI_Request_free(request=request#1)`,
		`MPI_Send_init(heap[0], 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request[0]);
MPI_Recv_init(heap[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request[1]);
for (long i = 0; i < 5; i++) {
MPI_Startall(2, &request[0]);
MPI_Waitall(2, &request[0], MPI_STATUSES_IGNORE);
}
MPI_Request_free(&request[0]);
MPI_Request_free(&request[1]);`,
		`MPI_Send_init(heap_at(0), 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, request_at(0));
MPI_Recv_init(heap_at(0), 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, request_at(1));
for (long i0 = 0; i0 < 5; i0++) {
MPI_Startall(2, request_run(0, 2));
MPI_Waitall(2, request_run(0, 2), MPI_STATUSES_IGNORE);
}
for (long i1 = 0; i1 < 2; i1++) {
MPI_Request_free(request_at(i1));
}`},
	{"arrays of a persistent collective are kept as long as it is started",
		`MPI_Alltoallv_init(sendbuf=heap#0, sendcounts=[1, 1, 1, 1], sdispls=[0, 1, 2, 3], sendtype=MPI_INT,
    recvbuf=heap#1, recvcounts=[1, 1, 1, 1], rdispls=[0, 1, 2, 3], recvtype=MPI_INT, comm=MPI_COMM_WORLD,
    info=MPI_INFO_NULL) ; request=request#0
MPI_Start(request=request#0)
MPI_Wait(request=request#0)`,
		`MPI_Alltoallv_init(heap[0], keep(0, (int[]){1, 1, 1, 1}, 4 * sizeof(int)), keep(1, (int[]){0, 1, 2, 3},
    4 * sizeof(int)), MPI_INT, heap[1],
keep(2, (int[]){1, 1, 1, 1}, 4 * sizeof(int)), keep(3, (int[]){0, 1, 2, 3}, 4 * sizeof(int)), MPI_INT,
    MPI_COMM_WORLD, MPI_INFO_NULL,
&request[0]);
MPI_Start(&request[0]);
MPI_Wait(&request[0], MPI_STATUS_IGNORE);`,
		`{
long sendcounts_n = size;
int *sendcounts = room((sendcounts_n + 1) * sizeof *sendcounts);
for (long e = 0; e < sendcounts_n; e++) sendcounts[e] = 1;
long sdispls_n = size;
int *sdispls = room((sdispls_n + 1) * sizeof *sdispls);
for (long e = 0; e < sdispls_n; e++) sdispls[e] = e;
long recvcounts_n = size;
int *recvcounts = room((recvcounts_n + 1) * sizeof *recvcounts);
for (long e = 0; e < recvcounts_n; e++) recvcounts[e] = 1;
long rdispls_n = size;
int *rdispls = room((rdispls_n + 1) * sizeof *rdispls);
for (long e = 0; e < rdispls_n; e++) rdispls[e] = e;
MPI_Alltoallv_init(heap_at(0), keep(0, sendcounts, size * sizeof(int)), keep(1, sdispls,
    size * sizeof(int)), MPI_INT, heap_at(1), keep(2,
recvcounts, size * sizeof(int)), keep(3, rdispls, size * sizeof(int)), MPI_INT, MPI_COMM_WORLD,
    MPI_INFO_NULL, &request[0]);
}
MPI_Start(&request[0]);
MPI_Wait(&request[0], MPI_STATUS_IGNORE);`},
	{"requests whose numbers come from columns go through an array",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#0
MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#1
MPI_Waitall(count=1, array_of_requests=?[request#1]) @ a.c:1 [main]
MPI_Waitall(count=1, array_of_requests=?[request#0]) @ a.c:1 [main]`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[0]);
MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[1]);
for (long i = 0; i < 2; i++) {
{
int n = (int)next(&array_of_requests_count), *number = next_ints(n, &array_of_requests);
MPI_Request *list = gather(n, number);
MPI_Waitall(1, list, MPI_STATUSES_IGNORE);
scatter(n, number, list);
}
}`,
		`for (long i0 = 0; i0 < 2; i0++) {
MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, request_at(i0));
}
for (long i1 = 0; i1 < 2; i1++) {
{
long array_of_requests_n = 1;
MPI_Request *array_of_requests = room((array_of_requests_n + 1) * sizeof *array_of_requests);
for (long e = 0; e < array_of_requests_n; e++) array_of_requests[e] = *request_of(-2 * i1 + 4);
MPI_Waitall(1, array_of_requests, MPI_STATUSES_IGNORE);
for (long e = 0; e < array_of_requests_n; e++) put_request(-2 * i1 + 4, array_of_requests[e]);
}
}`},
	{"requests with another number at each rank",
		`MPI_Isend(buf=NULL, count=0, datatype=MPI_INT, dest=0, tag=0, comm=MPI_COMM_WORLD) ; request=request#%r
MPI_Waitall(count=1, array_of_requests=[request#%r])`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, &request[rank]);
MPI_Waitall(1, &request[rank], MPI_STATUSES_IGNORE);`,
		`MPI_Isend(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, request_at(rank));
{
long array_of_requests_n = 1;
MPI_Request *array_of_requests = room((array_of_requests_n + 1) * sizeof *array_of_requests);
for (long e = 0; e < array_of_requests_n; e++) array_of_requests[e] = *request_at(rank);
MPI_Waitall(1, array_of_requests, MPI_STATUSES_IGNORE);
for (long e = 0; e < array_of_requests_n; e++) put_request(2 * rank + 2, array_of_requests[e]);
}`},
	{"no request",
		`MPI_Wait(request=MPI_REQUEST_NULL)
MPI_Waitall(count=0, array_of_requests=[])`,
		`MPI_Wait(&(MPI_Request){MPI_REQUEST_NULL}, MPI_STATUS_IGNORE);
{
int n = 0, *number = (int[]){0};
MPI_Request *list = gather(n, number);
MPI_Waitall(0, list, MPI_STATUSES_IGNORE);
scatter(n, number, list);
}`,
		`MPI_Wait(&(MPI_Request){MPI_REQUEST_NULL}, MPI_STATUS_IGNORE);
{
long array_of_requests_n = 0;
MPI_Request *array_of_requests = room((array_of_requests_n + 1) * sizeof *array_of_requests);
for (long e = 0; e < array_of_requests_n; e++) array_of_requests[e] = MPI_REQUEST_NULL;
MPI_Waitall(0, array_of_requests, MPI_STATUSES_IGNORE);
for (long e = 0; e < array_of_requests_n; e++) put_request(0, array_of_requests[e]);
}`},
	{"a wildcard stays one, unless the receive that follows has room for the recorded message only",
		`MPI_Mprobe(source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG,
    comm=MPI_COMM_WORLD) @ a.c:1 [main] ; message=message#0 ; status=?{source=1 tag=3 bytes=4}
MPI_Mrecv(buf=heap#0, count=?1, datatype=MPI_INT, message=message#0) @ a.c:2 [main]
MPI_Mprobe(source=MPI_ANY_SOURCE, tag=MPI_ANY_TAG,
    comm=MPI_COMM_WORLD) @ a.c:1 [main] ; message=message#0 ; status=?{source=2 tag=3 bytes=40}
MPI_Mrecv(buf=heap#0, count=?10, datatype=MPI_INT, message=message#0) @ a.c:2 [main]`,
		`for (long i = 0; i < 2; i++) {
MPI_Mprobe(next(&source), next(&tag), MPI_COMM_WORLD, &message[0], &status[0]);
MPI_Mrecv(heap[0], next(&count), MPI_INT, &message[0], MPI_STATUS_IGNORE);
}`, ""},
	{"all messages are of one length: anybody's will do",
		`MPI_Mprobe(source=MPI_ANY_SOURCE, tag=3,
    comm=MPI_COMM_WORLD) @ a.c:1 [main] ; message=message#0 ; status=?{source=1 tag=3 bytes=4}
MPI_Mprobe(source=MPI_ANY_SOURCE, tag=3,
    comm=MPI_COMM_WORLD) @ a.c:1 [main] ; message=message#0 ; status=?{source=2 tag=3 bytes=4}`,
		`for (long i = 0; i < 2; i++) MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message[0], &status[0]);`,
		`for (long i0 = 0; i0 < 2; i0++) {
MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message[0], &status[0]);
}`},
	{"statuses that somebody reads",
		`MPI_Recv(buf=heap#0, count=1, datatype=MPI_INT, source=0, tag=1,
    comm=MPI_COMM_WORLD) ; status={source=0 tag=1 bytes=4}
MPI_Get_count(status={source=0 tag=1 bytes=4}, datatype=MPI_INT) ; count=1
MPI_Waitall(count=2, array_of_requests=[MPI_REQUEST_NULL,
    MPI_REQUEST_NULL]) ; array_of_statuses=[{source=0 tag=1 bytes=4}, {source=0 tag=1 bytes=4}]`,
		`MPI_Recv(heap[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status[0]);
MPI_Get_count(&status[0], MPI_INT, &(int){0});
{
int n = 2, *number = (int[]){-1, -1};
MPI_Request *list = gather(n, number);
MPI_Waitall(2, list, status);
scatter(n, number, list);
}`,
		`MPI_Recv(heap_at(0), 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status[0]);
MPI_Get_count(&status[0], MPI_INT, &(int){0});
{
long array_of_requests_n = 2;
MPI_Request *array_of_requests = room((array_of_requests_n + 1) * sizeof *array_of_requests);
for (long e = 0; e < array_of_requests_n; e++) array_of_requests[e] = MPI_REQUEST_NULL;
MPI_Waitall(2, array_of_requests, room(3 * sizeof(MPI_Status)));
for (long e = 0; e < array_of_requests_n; e++) put_request(0, array_of_requests[e]);
}`},
}

func TestCompletions(t *testing.T) { checkCalls(t, recordedCompletions) }
