/* A proxy application of Tabard: it makes the MPI calls of a recording, and nothing else.
 *
 *   recorded   ./stencil
 *   with       Open MPI v4.1.4
 *   at         2023-11-14 22:13 UTC
 *   from       stencil.tabard
 *   compile    mpicc -O2 -o stencil stencil.c
 *   run        mpirun -n 6 ./stencil
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined __GNUC__ && __GNUC__ > 10 && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* constants that are no arrays */
#endif

static long rank = -1, size = 6; /* in MPI_COMM_WORLD */
static int argument_count;
static char **arguments;
static MPI_Comm comm[1];
static MPI_Datatype type[1];
static MPI_Request request[2];
static long double stack0_[2];
static char *const stack0 = (char *)stack0_;
static char *heap[1];

static char *memory(long bytes)
{
    char *at = calloc(1, bytes);
    if (!at) {
        fprintf(stderr, "There is no memory for %ld bytes.\n", bytes);
        exit(1);
    }
    return at;
}

static void all_ranks(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Type_vector(16, 1, 18, MPI_DOUBLE, &type[0]);
    MPI_Type_commit(&type[0]);
    heap[0] = memory(2592);
    for (long i = 0; i < 100; i++) {
        MPI_Irecv(heap[0], 1, type[0], rank >= 1 ? rank - 1 : MPI_PROC_NULL, 1, comm[0], &request[0]);
        MPI_Irecv(heap[0] + 136, 1, type[0], rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 2, comm[0], &request[1]);
        MPI_Send(heap[0] + 8, 1, type[0], rank >= 1 ? rank - 1 : MPI_PROC_NULL, 2, comm[0]);
        MPI_Send(heap[0] + 128, 1, type[0], rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 1, comm[0]);
        MPI_Waitall(2, &request[0], MPI_STATUSES_IGNORE);
        MPI_Allreduce(stack0 + 16, stack0 + 24, 1, MPI_DOUBLE, MPI_SUM, comm[0]);
    }
    free(heap[0]);
    MPI_Type_free(&type[0]);
    MPI_Finalize();
}

/* What has to be there before the first call that uses it. */
static void start(void)
{
    for (int i = 0; i < 1; i++) comm[i] = MPI_COMM_NULL;
    for (int i = 0; i < 1; i++) type[i] = MPI_DATATYPE_NULL;
    for (int i = 0; i < 2; i++) request[i] = MPI_REQUEST_NULL;
}

/* The rank is what the launcher says, so that the program makes no calls but those of the recording. */
static void find_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    const char *s = getenv("OMPI_COMM_WORLD_SIZE");
    long ranks = size;
    if (!s) s = getenv("PMI_SIZE");
    if (s) ranks = atol(s);
    for (int i = 0; rank < 0 && i < 4; i++)
        if (getenv(names[i])) rank = atol(getenv(names[i]));
    if (rank < 0) {
        int r, n;
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        rank = r;
        ranks = n;
    }
    if (ranks != size) {
        if (rank == 0) fprintf(stderr, "This program needs %ld ranks, not %ld: mpirun -n %ld\n", size, ranks, size);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    MPI_Init(&argument_count, &arguments);
    find_rank();
    start();
    all_ranks();
    return 0;
}
