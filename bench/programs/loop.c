/* Loops of MPI calls whose cost is measured with and without recording.
 *   loop rank CALLS        MPI_Comm_rank
 *   loop null CALLS        MPI_Send to MPI_PROC_NULL
 *   loop self CALLS        MPI_Sendrecv with itself
 *   loop body CALLS K      MPI_Send to MPI_PROC_NULL, K distinct ones in turn
 *   loop pingpong CALLS    MPI_Send and MPI_Recv between two ranks
 * Rank 0 prints the calls made by one rank, and for the loop alone the elapsed
 * nanoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    long calls = argc > 2 ? atol(argv[2]) : 0, distinct = argc > 3 ? atol(argv[3]) : 1, n = 0;
    int rank, peer, x = 0, y;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = rank ^ 1;
    /* The first calls load pages and fill tables: they are no part of the loop. */
    for (int i = 0; i < 1000; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &y);
        MPI_Sendrecv(&x, 1, MPI_INT, rank, 1, &y, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    if (!strcmp(mode, "rank")) {
        for (n = 0; n < calls; n++) MPI_Comm_rank(MPI_COMM_WORLD, &y);
    } else if (!strcmp(mode, "null")) {
        for (n = 0; n < calls; n++) MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    } else if (!strcmp(mode, "self")) {
        for (n = 0; n < calls; n++)
            MPI_Sendrecv(&x, 1, MPI_INT, rank, 0, &y, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "body")) {
        for (n = 0; n < calls;)
            for (long i = 0; i < distinct && n < calls; i++, n++) MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD);
    } else if (!strcmp(mode, "pingpong")) {
        for (n = 0; n < calls; n += 2) {
            if (rank == 0) MPI_Send(&x, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
            MPI_Recv(&y, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1) MPI_Send(&x, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        }
    } else {
        fprintf(stderr, "loop: what is \"%s\"?\n", mode);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double end = now();
    if (rank == 0) printf("%ld %.0f\n", n, end - begin);
    MPI_Finalize();
    return 0;
}
