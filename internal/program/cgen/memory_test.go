package cgen

import "testing"

// recordedMemory is calls with addresses: which block they are in, and where that comes from.
var recordedMemory = []recordedCall{
	{"a long array without a rule is a table",
		`MPI_Group_incl(group=MPI_GROUP_EMPTY, n=14, ranks=[0, 2, 1, 3, 4, 9, 8, 7, 5, 6, 10, 13, 12,
    11]) ; newgroup=group#0`,
		`MPI_Group_incl(MPI_GROUP_EMPTY, 14, ints(14, ranks_table), &group[0]);`,
		`MPI_Group_incl, ranks (ranks 0-3): its values do not follow from rank, size and iteration`},
	{"MPI_IN_PLACE, and the stack",
		`MPI_Allreduce(sendbuf=MPI_IN_PLACE, recvbuf=stack#0, count=1, datatype=MPI_INT, op=MPI_SUM,
    comm=MPI_COMM_WORLD)`,
		`MPI_Allreduce(MPI_IN_PLACE, stack0, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);`,
		"same"},
	{"a buffer that differs from call to call",
		`MPI_Bcast(buffer=?heap#0, count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ a.c:1 [main]
MPI_Bcast(buffer=?stack#1+4, count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD) @ a.c:1 [main]`,
		`for (long i = 0; i < 2; i++) MPI_Bcast(place(next(&buffer)), 1, MPI_INT, 0, MPI_COMM_WORLD);`,
		`MPI_Bcast at a.c:1 [main], buffer: its values follow no rule; a proxy for one size has them: --ranks`},
	{"another block at each rank, or another place in it",
		`MPI_Bcast(buffer=heap#%r, count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Bcast(buffer=stack#%r+8, count=1, datatype=MPI_INT, root=0, comm=MPI_COMM_WORLD)
MPI_Bcast(buffer=heap#0+%r, count=1, datatype=MPI_BYTE, root=0, comm=MPI_COMM_WORLD)`,
		`MPI_Bcast(heap[rank], 1, MPI_INT, 0, MPI_COMM_WORLD);
MPI_Bcast(the_buffer(), 1, MPI_INT, 0, MPI_COMM_WORLD);
MPI_Bcast(heap[0] + rank, 1, MPI_BYTE, 0, MPI_COMM_WORLD);`,
		`MPI_Bcast(heap_at(rank), 1, MPI_INT, 0, MPI_COMM_WORLD);
MPI_Bcast(block_at(3, rank) + 8, 1, MPI_INT, 0, MPI_COMM_WORLD);
MPI_Bcast(heap_at(0) + rank, 1, MPI_BYTE, 0, MPI_COMM_WORLD);`},
	{"addresses in columns of arrays",
		`MPI_Type_create_hindexed(count=2, array_of_blocklengths=[1, 1], array_of_displacements=?[heap#0+8, heap#1],
    oldtype=MPI_INT) @ a.c:1 [main] ; newtype=type#0
MPI_Type_create_hindexed(count=2, array_of_blocklengths=[1, 1], array_of_displacements=?[heap#1+8, heap#0],
    oldtype=MPI_INT) @ a.c:1 [main] ; newtype=type#0`,
		`for (long i = 0; i < 2; i++) {
MPI_Type_create_hindexed(2, (int[]){1, 1}, next_places(next(&array_of_displacements_count),
    &array_of_displacements), MPI_INT, &type[0]);
}`,
		`MPI_Type_create_hindexed at a.c:1 [main],
    array_of_displacements: its values follow no rule; a proxy for one size has them: --ranks`},
	{"arrays in columns",
		`MPI_Allgatherv(sendbuf=NULL, sendcount=0, sendtype=MPI_INT, recvbuf=NULL, recvcounts=?[0, 1, 2, 3],
    displs=[0, 0, 0, 0], recvtype=MPI_INT, comm=MPI_COMM_WORLD) @ a.c:1 [main]
MPI_Allgatherv(sendbuf=NULL, sendcount=0, sendtype=MPI_INT, recvbuf=NULL, recvcounts=?[3, 1, 2, 0],
    displs=[0, 0, 0, 0], recvtype=MPI_INT, comm=MPI_COMM_WORLD) @ a.c:1 [main]`,
		`for (long i = 0; i < 2; i++) {
MPI_Allgatherv(NULL, 0, MPI_INT, NULL, next_ints(next(&recvcounts_count), &recvcounts), (int[]){0, 0, 0,
    0}, MPI_INT, MPI_COMM_WORLD);
}`, ""},
	{"a window's memory comes back in another block each time",
		`MPI_Win_allocate(size=64, disp_unit=1, info=MPI_INFO_NULL,
    comm=MPI_COMM_WORLD) @ a.c:1 [main] ; baseptr=?heap#1 ; win=win#0
MPI_Win_allocate(size=64, disp_unit=1, info=MPI_INFO_NULL,
    comm=MPI_COMM_WORLD) @ a.c:1 [main] ; baseptr=?heap#2 ; win=win#0`,
		`for (long i = 0; i < 2; i++) {
{
char *block;
long code = next(&baseptr);
MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &block, &win[0]);
if (code >= 0) heap[code >> 40] = block - (code & 0xffffffffffL);
}
}`, ""},
	{"MPI gives a place in the midst of a block: the block begins before it",
		`MPI_Win_allocate(size=64, disp_unit=1, info=MPI_INFO_NULL,
    comm=MPI_COMM_WORLD) ; baseptr=heap#1+16 ; win=win#0
MPI_Alloc_mem(size=64, info=MPI_INFO_NULL) ; baseptr=heap#2
MPI_Free_mem(base=heap#2)`,
		`{
MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &heap[1], &win[0]);
heap[1] -= 16;
}
MPI_Alloc_mem(64, MPI_INFO_NULL, &heap[2]);
MPI_Free_mem(heap[2]);`,
		`{
MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, heap_slot(1), &win[0]);
*heap_slot(1) -= 16;
}
MPI_Alloc_mem(64, MPI_INFO_NULL, heap_slot(2));
MPI_Free_mem(heap_at(2));`},
	{"addresses as numbers",
		`MPI_Get_address(location=heap#0+8) ; address=5
MPI_Aint_add(base=heap#0, disp=8)
MPI_Buffer_attach(buffer=heap#1, size=1000)
MPI_Buffer_detach() ; size=1000`,
		`MPI_Get_address(heap[0] + 8, &(MPI_Aint){0});
MPI_Aint_add((MPI_Aint)(size_t)(heap[0]), 8);
MPI_Buffer_attach(heap[1], 1000);
MPI_Buffer_detach(&(void *){NULL}, &(int){0});`,
		`MPI_Get_address(heap_at(0) + 8, &(MPI_Aint){0});
MPI_Aint_add((MPI_Aint)(size_t)(heap_at(0)), 8);
MPI_Buffer_attach(heap_at(1), 1000);
MPI_Buffer_detach(&(void *){NULL}, &(int){0});`},
}

func TestMemory(t *testing.T) { checkCalls(t, recordedMemory) }
