/* Every blocking collective of an intracommunicator, with MPI_IN_PLACE where
 * the standard allows it. */
#include "check.h"
#define MAX 16

static int a[MAX * 4], b[MAX * 4], counts[MAX], displs[MAX], ones[MAX];

static void fill(int v)
{
    for (int i = 0; i < MAX * 4; i++) a[i] = v, b[i] = -1;
}

static void rooted(int root)
{
    int me = rank == root;
    fill(rank);
    MPI_Bcast(a, 3, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(a[2] == root);

    fill(rank);
    MPI_Reduce(a, b, 2, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    MPI_Reduce(me ? MPI_IN_PLACE : (void *)a, me ? a : NULL, 2, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
    if (me) CHECK(b[1] == size * (size - 1) / 2 && a[1] == size - 1);

    fill(rank);
    MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, root, MPI_COMM_WORLD);
    if (me)
        for (int i = 0; i < size; i++) CHECK(b[2 * i + 1] == i);
    MPI_Scatter(b, 2, MPI_INT, me ? MPI_IN_PLACE : (void *)a, 2, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(a[0] == rank);

    fill(rank);
    MPI_Gatherv(a, rank + 1, MPI_INT, b, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
    if (me)
        for (int i = 0; i < size; i++) CHECK(b[displs[i] + i] == i);
    MPI_Scatterv(b, counts, displs, MPI_INT, a, rank + 1, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(a[rank] == rank);
}

static void all(void)
{
    fill(rank);
    MPI_Allreduce(a, b, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(a[3] == b[3] && a[3] == size * (size - 1) / 2);

    fill(rank);
    MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) CHECK(b[2 * i + 1] == i);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(a, rank + 1, MPI_INT, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) CHECK(b[displs[i]] == i);

    for (int i = 0; i < size; i++) a[i] = 100 * rank + i;
    MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) CHECK(b[i] == 100 * i + rank);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, a, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(a[size - 1] == 100 * (size - 1) + rank);

    int d[MAX], bytes[MAX];
    MPI_Datatype types[MAX];
    for (int i = 0; i < size; i++) d[i] = i, bytes[i] = 4 * i, types[i] = MPI_INT, a[i] = 100 * rank + i;
    MPI_Alltoallv(a, ones, d, MPI_INT, b, ones, d, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) CHECK(b[i] == 100 * i + rank);
    fill(-1);
    for (int i = 0; i < size; i++) a[i] = 100 * rank + i;
    MPI_Alltoallw(a, ones, bytes, types, b, ones, bytes, types, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++) CHECK(b[i] == 100 * i + rank);
}

static void reductions(void)
{
    fill(rank + 1);
    MPI_Reduce_scatter_block(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(b[0] == size * (size + 1) / 2);
    MPI_Reduce_scatter(a, b, ones, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
    MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(b[0] == (rank + 1) * (rank + 2) / 2);
    MPI_Exscan(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank) CHECK(b[0] == rank * (rank + 1) / 2);
    struct { double v; int at; } x = {rank % 3, rank}, y;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(y.v == (size > 2 ? 2 : size - 1));
    int commute;
    MPI_Op_commutative(MPI_MINLOC, &commute);
    CHECK(commute);
    MPI_Reduce_local(a, b, 1, MPI_INT, MPI_BAND);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0, at = 0; i < size; i++) counts[i] = i + 1, displs[i] = at, at += i + 1, ones[i] = 1;
    for (int step = 0; step < 10; step++) {
        rooted(step % size);
        all();
        reductions();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return finish("collectives", size);
}
