/* A program with one planted regression, or none: regress KIND. Time steps compute, exchange ends with both neighbours in a
 * chain, and sum up. See bench/regression. Computation is sleep, so that it takes as long on a busy machine; with a second argument
 * it is operations. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 60, CELLS = 512 };

static int me, np, busy;
static const char *kind;
static double rod[4096];
static volatile double sink;

static int is(const char *name) { return strcmp(kind, name) == 0; }

static void compute(double part)
{
    int n = (int)(part * 4000000);
    if (!busy) {
        usleep((useconds_t)(part * 10000));
        return;
    }
    double x = rod[0];
    for (int i = 0; i < n; i++) x = x * 0.999999 + 1e-6;
    sink = x;
}

static void exchange(int count)
{
    MPI_Request q[4];
    int n = 0;
    if (me > 0) MPI_Irecv(rod, CELLS * 2, MPI_DOUBLE, me - 1, 1, MPI_COMM_WORLD, &q[n++]);
    if (me < np - 1) MPI_Irecv(rod + 1024, CELLS * 2, MPI_DOUBLE, me + 1, 1, MPI_COMM_WORLD, &q[n++]);
    if (me > 0) MPI_Isend(rod + 2048, count, MPI_DOUBLE, me - 1, 1, MPI_COMM_WORLD, &q[n++]);
    if (me < np - 1) MPI_Isend(rod + 3072, count, MPI_DOUBLE, me + 1, 1, MPI_COMM_WORLD, &q[n++]);
    MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
}

static void step(int i)
{
    double part = 1, sum;
    if (is("compute5")) part = 1.05;
    if (is("compute10")) part = 1.10;
    if (is("one-rank") && me == 1) part = 1.06;
    if (is("some-steps") && i % 3 == 0) part = 1.2;
    compute(part);
    if (is("late") && me == 0) usleep(800);
    for (int k = 0; k < (is("loop") ? 5 : 4); k++) exchange(is("bytes") ? CELLS * 105 / 100 : CELLS);
    if (is("barrier")) MPI_Barrier(MPI_COMM_WORLD);
    if (is("messages") && i % 10 == 0 && me == 0) MPI_Send(rod, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    if (is("messages") && i % 10 == 0 && me == 1) MPI_Recv(rod, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(rod, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (is("serial") && me > 0) MPI_Recv(rod, 1, MPI_DOUBLE, me - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (is("serial")) compute(0.06);
    if (is("serial") && me < np - 1) MPI_Send(rod, 1, MPI_DOUBLE, me + 1, 3, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    kind = argc > 1 ? argv[1] : "none";
    busy = argc > 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    for (int i = 0; i < (is("steps") ? STEPS + 3 : STEPS); i++) step(i);
    if (me == 0) printf("done\n");
    MPI_Finalize();
    return 0;
}
