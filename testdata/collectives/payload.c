/* The same data in every way of sending it: as bytes, as elements, by derived datatypes, in parts; in every mode. Prints
 * nothing but whether the data arrived. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24 };
static int rank;

static void receive(void *to, int bytes, int tag) { MPI_Recv(to, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static MPI_Datatype committed(MPI_Datatype t)
{
    MPI_Type_commit(&t);
    return t;
}

static MPI_Datatype layout(int k)
{
    MPI_Datatype t, u;
    int lengths[3] = {2, 1, 5}, at[3] = {10, 0, 2}, two[2] = {4, 6}, half[2] = {4, 3}, from[2] = {0, 2};
    MPI_Aint bytes[3] = {80, 0, 16};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
    switch (k) {
    case 0: MPI_Type_contiguous(8, MPI_INT, &t); return t;
    case 1: MPI_Type_vector(4, 2, 5, MPI_INT, &t); return t;
    case 2: MPI_Type_create_hvector(4, 2, 20, MPI_INT, &t); return t;
    case 3: MPI_Type_indexed(3, lengths, at, MPI_INT, &t); return t;
    case 4: bytes[0] = 40, bytes[2] = 8; MPI_Type_create_struct(3, lengths, bytes, types, &t); return t;
    case 5: MPI_Type_create_subarray(2, two, half, from, MPI_ORDER_C, MPI_INT, &t); return t;
    case 6: MPI_Type_create_indexed_block(3, 2, at, MPI_INT, &t); return t;
    case 7: MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &t); return t;
    default:
        MPI_Type_vector(2, 1, 2, MPI_INT, &u);
        MPI_Type_create_resized(u, 0, 12, &t);
        MPI_Type_free(&u);
        MPI_Type_vector(2, 2, 3, t, &u);
        MPI_Type_free(&t);
        return u;
    }
}

int main(int argc, char **argv)
{
    int data[4 * N], got[4 * N], packed[4 * N], ok = 1, bytes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4 * N; i++) data[i] = 1000003 * i * i + 17;
    for (int k = 0; k < 9; k++) { /* tag k: as described, then as what MPI packs it to */
        MPI_Datatype t = committed(layout(k));
        int at = 0;
        MPI_Type_size(t, &bytes);
        MPI_Pack(data, 1, t, packed, sizeof packed, &at, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Send(data, 1, t, 1, k, MPI_COMM_WORLD);
            MPI_Send(packed, bytes / 4, MPI_INT, 1, k, MPI_COMM_WORLD);
            MPI_Send(packed, bytes, MPI_BYTE, 1, k, MPI_COMM_WORLD);
        } else if (rank == 1) {
            for (int i = 0; i < 3; i++) {
                receive(got, bytes, k);
                ok &= memcmp(got, packed, (size_t)bytes) == 0;
            }
        }
        MPI_Type_free(&t);
    }
    static char room[1 << 16];
    MPI_Request r[4];
    MPI_Buffer_attach(room, sizeof room);
    for (int step = 0; step < 2; step++) {
        if (rank == 0) {
            MPI_Datatype t = committed(layout(1));
            MPI_Bsend(data, N, MPI_INT, 1, 20, MPI_COMM_WORLD);
            MPI_Ssend(data, N, MPI_INT, 1, 20, MPI_COMM_WORLD);
            MPI_Isend(data, N, MPI_INT, 1, 20, MPI_COMM_WORLD, &r[0]);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
            MPI_Send_init(data, N, MPI_INT, 1, 20, MPI_COMM_WORLD, &r[0]);
            MPI_Send_init(data, 1, t, 1, 21, MPI_COMM_WORLD, &r[1]);
            MPI_Send_init(data, N, MPI_INT, MPI_PROC_NULL, 21, MPI_COMM_WORLD, &r[2]);
            MPI_Type_free(&t);
            MPI_Type_contiguous(N, MPI_INT, &t);
            MPI_Type_commit(&t);
            MPI_Send_init(data, 1, t, 1, 20, MPI_COMM_WORLD, &r[3]);
            MPI_Type_free(&t);
            for (int i = 0; i < 2; i++) {
                MPI_Startall(4, r);
                MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
            }
            MPI_Start(&r[0]);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
            for (int i = 0; i < 4; i++) MPI_Request_free(&r[i]);
            MPI_Sendrecv(data, N, MPI_INT, 1, 20, got, N, MPI_INT, 1, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            for (int i = 0; i < 3; i++) receive(got, 4 * N, 20), ok &= memcmp(got, data, 4 * N) == 0;
            for (int i = 0; i < 2; i++) receive(got, 4 * N, 20), receive(got, 32, 21), receive(got, 4 * N, 20);
            receive(got, 4 * N, 20);
            MPI_Sendrecv(data, N, MPI_INT, 0, 20, got, N, MPI_INT, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ok &= memcmp(got, data, 4 * N) == 0;
        }
    }
    int detached;
    void *was;
    MPI_Buffer_detach(&was, &detached);
    int size, *parts;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    parts = malloc(sizeof(int) * (size_t)size * 4);
    for (int i = 0; i < 4 * size; i++) parts[i] = i * i + rank;
    MPI_Bcast(data, N, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Alltoall(parts, 2, MPI_INT, got, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Scatter(parts, 2, MPI_INT, got, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, parts, size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    free(parts);
    /* Nothing is read that cannot be: these are errors of the program that do not concern the library. */
    if (rank == 0) MPI_Send((void *)64, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Send(NULL, 0, MPI_INT, 1, 30, MPI_COMM_WORLD);
    if (rank == 1) receive(got, 0, 30);
    MPI_Win win;
    MPI_Win_create(got, sizeof got, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(data, N, MPI_INT, 1, 0, N, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Get(data, N, MPI_INT, 1, 0, N, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    int all;
    MPI_Reduce(&ok, &all, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
    if (rank == 0) puts(all ? "arrived" : "WRONG");
    MPI_Finalize();
    return ok ? 0 : 1;
}
