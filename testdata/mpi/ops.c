/* User-defined operations whose callbacks call MPI. */
#include "check.h"

static long calls;

static void add(void *in, void *inout, int *n, MPI_Datatype *t)
{
    int bytes;
    MPI_Type_size(*t, &bytes);
    CHECK(bytes == (int)sizeof(long));
    for (int i = 0; i < *n; i++) ((long *)inout)[i] += ((long *)in)[i];
    calls++;
}

static void first(void *in, void *inout, int *n, MPI_Datatype *t) /* associative, not commutative */
{
    memcpy(inout, in, *n * sizeof(long));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Op sum, left;
    int commute;
    long a[3] = {rank, 1, 2}, b[3];
    MPI_Op_create(add, 1, &sum);
    MPI_Op_create(first, 0, &left);
    MPI_Op_commutative(left, &commute);
    CHECK(!commute);
    for (int i = 0; i < 10; i++) {
        MPI_Allreduce(a, b, 3, MPI_LONG, sum, MPI_COMM_WORLD);
        CHECK(b[0] == size * (size - 1) / 2 && b[2] == 2 * size);
        MPI_Reduce_local(a, b, 3, MPI_LONG, sum);
        MPI_Scan(a, b, 3, MPI_LONG, sum, MPI_COMM_WORLD);
        CHECK(b[1] == rank + 1);
        MPI_Allreduce(a, b, 3, MPI_LONG, left, MPI_COMM_WORLD);
        CHECK(b[0] == 0);
    }
    CHECK(calls >= 10);
    MPI_Op_free(&sum);
    MPI_Op_free(&left);
    return finish("ops", b[2]);
}
