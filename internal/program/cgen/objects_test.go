package cgen

import "testing"

// recordedObjects are calls with handles and constants: where a program keeps the handles, and what
// it calls them.
var recordedObjects = []recordedCall{
	{"an object of a column, which may be a predefined one",
		`MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#0
MPI_Barrier(comm=?comm#0) @ a.c:1 [main]
MPI_Barrier(comm=?MPI_COMM_WORLD) @ a.c:1 [main]`,
		`MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
for (long i = 0; i < 2; i++) MPI_Barrier((*comm_of(next(&comm_2))));`,
		`MPI_Comm_dup(MPI_COMM_WORLD, comm_at(0));
for (long i0 = 0; i0 < 2; i0++) {
MPI_Barrier(*comm_of(i0 + 2));
}`},
	{"new objects in columns",
		`MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [main] ; newcomm=?comm#0
MPI_Comm_dup(comm=MPI_COMM_WORLD) @ a.c:1 [main] ; newcomm=?comm#1
MPI_Comm_free(comm=?comm#0) @ a.c:2 [main]
MPI_Comm_free(comm=?comm#1) @ a.c:2 [main]`,
		`for (long i = 0; i < 2; i++) MPI_Comm_dup(MPI_COMM_WORLD, &(*comm_of(next(&newcomm))));
for (long i = 0; i < 2; i++) MPI_Comm_free(&(*comm_of(next(&comm_2))));`,
		`for (long i0 = 0; i0 < 2; i0++) {
MPI_Comm_dup(MPI_COMM_WORLD, comm_at(i0));
}
for (long i1 = 0; i1 < 2; i1++) {
MPI_Comm_free(comm_at(i1));
}`},
	{"each rank gives its object another number",
		`MPI_Comm_dup(comm=MPI_COMM_WORLD) ; newcomm=comm#%r
MPI_Barrier(comm=comm#%r)`,
		`MPI_Comm_dup(MPI_COMM_WORLD, &comm[rank]);
MPI_Barrier(comm[rank]);`,
		`MPI_Comm_dup(MPI_COMM_WORLD, comm_at(rank));
MPI_Barrier(*comm_at(rank));`},
	{"what MPI returns are copies, which are freed as copies",
		`MPI_Type_contiguous(count=2, oldtype=MPI_INT) ; newtype=type#0
MPI_Type_create_struct(count=2, array_of_blocklengths=[1, 1], array_of_displacements=[0, 8],
    array_of_types=[type#0, MPI_DATATYPE_NULL]) ; newtype=type#1
MPI_Type_get_contents(datatype=type#1, max_integers=3, max_addresses=2,
    max_datatypes=2) ; array_of_datatypes=[type#2, MPI_INT]
MPI_Type_free(datatype=type#2)`,
		`MPI_Type_contiguous(2, MPI_INT, &type[0]);
MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){type[0], MPI_DATATYPE_NULL},
    &type[1]);
{
MPI_Datatype *made = room(2 * sizeof *made);
MPI_Type_get_contents(type[1], 3, 2, 2, room(16), room(16), made);
type[2] = made[0];
}
MPI_Type_free(&(MPI_Datatype){type[2]});`,
		`MPI_Type_contiguous(2, MPI_INT, &type[0]);
MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){type[0], MPI_DATATYPE_NULL},
    &type[1]);
{
MPI_Datatype *made = room(3 * sizeof *made);
MPI_Type_get_contents(type[1], 3, 2, 2, room(28), room(32), made);
type[2] = made[0];
}
MPI_Type_free(&(MPI_Datatype){type[2]});`},
	{"constants in place of arrays",
		`MPI_Dist_graph_create_adjacent(comm_old=MPI_COMM_WORLD, indegree=1, sources=[%n],
    sourceweights=MPI_UNWEIGHTED, outdegree=0, destinations=[], destweights=MPI_WEIGHTS_EMPTY,
    info=MPI_INFO_NULL, reorder=0) ; comm_dist_graph=comm#0`,
		`MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (int[]){(rank + 1) % size}, MPI_UNWEIGHTED, 0,
    (int[]){0}, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
&comm[0]);`,
		`MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (int[]){(rank + 1) % size}, MPI_UNWEIGHTED, 0,
    (int[]){0}, MPI_WEIGHTS_EMPTY,
MPI_INFO_NULL, 0, &comm[0]);`},
	{"what MPI 3 removed is called by its old name",
		`MPI_Type_struct(count=2, array_of_blocklengths=[1, 1], array_of_displacements=[0, 64],
    array_of_types=[MPI_INT, MPI_UB]) ; newtype=type#0
MPI_Type_extent(datatype=type#0) ; extent=64`,
		`MPI_Type_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 64}, (MPI_Datatype[]){MPI_INT, UPPER_BOUND}, &type[0]);
MPI_Type_extent(type[0], &(MPI_Aint){0});`,
		"same"},
	{"strings that differ",
		`MPI_Info_create() ; info=info#0
MPI_Info_set(info=info#0, key="host", value="node%r")`,
		`MPI_Info_create(&info[0]);
MPI_Info_set(info[0], "host", the_value());`,
		`MPI_Info_set, value (ranks 0-3): it differs between ranks and is no number`},
	{"numbers have the names of constants, and null handles those of their class",
		`MPI_Win_create(base=heap#0, size=8, disp_unit=1, info=MPI_INFO_NULL, comm=MPI_COMM_WORLD) ; win=win#0
MPI_Win_lock(lock_type=MPI_LOCK_SHARED, rank=%n, assert=0, win=win#0)
MPI_Comm_split_type(comm=MPI_COMM_WORLD, split_type=MPI_COMM_TYPE_SHARED, key=0,
    info=MPI_INFO_NULL) ; newcomm=comm#0
MPI_Comm_split(comm=MPI_COMM_WORLD, color=MPI_UNDEFINED, key=%r) ; newcomm=MPI_COMM_NULL`,
		`MPI_Win_create(heap[0], 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]);
MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win[0]);
MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm[0]);
MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, rank, &(MPI_Comm){MPI_COMM_NULL});`,
		`MPI_Win_create(heap_at(0), 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win[0]);
MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win[0]);
MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm[0]);
MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, rank, &(MPI_Comm){MPI_COMM_NULL});`},
}

func TestObjects(t *testing.T) { checkCalls(t, recordedObjects) }
