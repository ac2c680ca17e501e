/* Heat in a ring of rods, one rod a rank: 30 steps of computing, exchanging ends and summing up.
 *     mpicc -g -o heat heat.c
 *     mpirun -n 4 ./heat [good|slow|tag|half|root]
 * Computing is sleeping, so that it takes as long on a laptop with fewer cores than ranks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CELLS = 1000, STEPS = 30 };
static int rank, size, left, right;
static double rod[CELLS];

static void compute(int ms)
{
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, NULL);
    for (int i = 1; i < CELLS - 1; i++) rod[i] += 0.1 * (rod[i - 1] - 2 * rod[i] + rod[i + 1]);
}

static void exchange(int count, int tag)
{
    MPI_Request requests[2];
    MPI_Irecv(rod, 10, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(rod + CELLS - 10, count, MPI_DOUBLE, right, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void parameters(int step)
{
    double values[8] = {step + 0.5, step / 3.0, 0.1, 1 / 7.0};
    for (int to = 1; rank == 0 && to < size; to++) MPI_Send(values, 8, MPI_DOUBLE, to, 9, MPI_COMM_WORLD);
    if (rank != 0) MPI_Recv(values, 8, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *fault = argc > 1 ? argv[1] : "good";
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    rod[0] = rank;
    for (int step = 0; step < STEPS; step++) {
        int ms = 5, count = 10, tag = 1;
        if (!strcmp(fault, "slow") && rank == 2) ms = 25;
        if (!strcmp(fault, "tag") && rank == 1 && step == 20) tag = 2;
        if (!strcmp(fault, "half") && rank == 3 && step >= 7) count = 5;
        if (!strcmp(fault, "root")) parameters(step);
        compute(ms);
        exchange(count, tag);
        double heat = rod[0], sum;
        MPI_Allreduce(&heat, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%d steps on %d ranks\n", STEPS, size);
    MPI_Finalize();
    return 0;
}
