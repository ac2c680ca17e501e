/* A program that computes half of the time and communicates in the other half:
 *   halves SECONDS
 * Ranks exchange with a partner, computing between exchanges as long as one takes. Rank 0 prints the number of steps and,
 * for the loop alone, the elapsed nanoseconds and the part of them that was spent computing. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 1 << 19, TRIAL = 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

static double *in, *out;
static int peer;

static void exchange(void)
{
    MPI_Sendrecv(out, N, MPI_DOUBLE, peer, 1, in, N, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 5, computing = 0, begin, each;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    peer = (rank ^ 1) < size ? rank ^ 1 : MPI_PROC_NULL;
    in = calloc(N, sizeof *in), out = calloc(N, sizeof *out);
    for (int i = 0; i < TRIAL; i++) exchange(); /* the first ones load pages */
    begin = now();
    for (int i = 0; i < TRIAL; i++) exchange();
    each = (now() - begin) / TRIAL;
    MPI_Bcast(&each, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* all do the same steps */
    long steps = seconds * 1e9 / (2 * each) + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    for (long i = 0; i < steps; i++) {
        double from = now();
        volatile double x = 1;
        while (now() < from + each)
            for (int k = 0; k < 100; k++) x = x * 1.0000001;
        computing += now() - from;
        exchange();
    }
    double took = now() - begin;
    if (rank == 0) printf("%ld %.0f %.3f\n", steps, took, computing / took);
    MPI_Finalize();
    free(in), free(out);
    return 0;
}
