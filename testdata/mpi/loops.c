/* Loops: a stencil with an output every tenth step, a solver whose inner loop
 * ends when it has converged, trip counts that depend on the rank, a recursion,
 * and calls in front of a loop that are also in it. */
#include "check.h"
#define NOINLINE __attribute__((noinline))

static double halo[4][8];

NOINLINE static void exchange(void)
{
    MPI_Request request[4];
    MPI_Status status[4];
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    MPI_Irecv(halo[0], 8, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(halo[1], 8, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(halo[2], 8, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(halo[3], 8, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, status);
}

NOINLINE static void stencil(void)
{
    double in = 1, norm;
    for (int step = 1; step <= 50; step++) {
        exchange();
        MPI_Allreduce(&in, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (step % 10 == 0)
            MPI_Reduce(&in, &norm, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
}

NOINLINE static void solver(void)
{
    static const int iterations[8] = {5, 3, 7, 4, 6, 3, 9, 2};
    double in = 1, out;
    for (int system = 0; system < 8; system++) {
        MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int i = 0; i < iterations[system]; i++) {
            MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            MPI_Scan(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
    }
}

NOINLINE static void own(void)
{
    for (int i = 0; i < 20 + 5 * rank; i++) {
        MPI_Send(&i, 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_SELF);
        MPI_Barrier(MPI_COMM_SELF);
    }
}

NOINLINE static void descend(int depth)
{
    int n = depth;
    MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_SELF);
    if (depth > 1) descend(depth - 1);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    exchange();
    stencil();
    solver();
    own();
    descend(12);
    return finish("loops", rank + size);
}
