/* What every test program shares. A program prints one deterministic line from
 * rank 0 and exits 0, or says what is wrong and aborts with code 1. */
#ifndef CHECK_H
#define CHECK_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(x)                                                                          \
    do {                                                                                  \
        if (!(x)) {                                                                       \
            fprintf(stderr, "%s:%d: rank %d: not true: %s\n", __FILE__, __LINE__, rank, #x); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                 \
        }                                                                                 \
    } while (0)

__attribute__((unused)) static void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

__attribute__((unused)) static int finish(const char *name, double result)
{
    if (rank == 0) printf("%s on %d ranks: %.10g\n", name, size, result);
    MPI_Finalize();
    return 0;
}
#endif
