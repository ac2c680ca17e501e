/* A proxy application of Tabard: it makes the MPI calls of a recording, and nothing else, with any number of ranks.
 *
 *   recorded   ./stencil
 *   with       Open MPI v4.1.4
 *   at         2023-11-14 22:13 UTC
 *   from       stencil.tabard
 *   ranks      were 6
 *   for        any number of ranks
 *   compile    mpicc -O2 -o stencil stencil.c
 *   run        mpirun -n N ./stencil
 *
 * What is assumed:
 *   what is the same at all ranks, such as sizes of messages and lengths of loops, does not depend on the number of ranks, but where that is said
 */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define RANKS 6 /* that were recorded, at least */
#if defined __GNUC__ && __GNUC__ > 10 && !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow" /* constants that are no arrays */
#endif

static long rank = -1, size; /* in MPI_COMM_WORLD */
static int argument_count;
static char **arguments;
static MPI_Comm comm[1];
static MPI_Datatype type[1];
static MPI_Request request[2];
static char *stack0;

/* Room for addresses: of its pages only those exist that are used, however much that is with this number of ranks. Half of it
 * lies before the address if that is the midst of something. */
static char *reserved(int midst)
{
    for (size_t bytes = (size_t)1 << 36; bytes >= (size_t)1 << 24; bytes /= 2) {
        char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED) return midst ? at + bytes / 2 : at;
    }
    fprintf(stderr, "There is no room for more memory.\n");
    exit(1);
}

/* Memory that the program allocated, by its number: heap is where it is, own what is to be freed, large what is not. */
static char **heap, **own, **large;
static char **heap_slot(long n)
{
    static long heaps;
    if (n < 0 || n >= 1 << 24) {
        fprintf(stderr, "There is no memory %ld with this number of ranks.\n", n);
        exit(1);
    }
    if (n >= heaps) {
        long more = 2 * n + 16;
        heap = realloc(heap, more * sizeof *heap);
        own = realloc(own, more * sizeof *own);
        large = realloc(large, more * sizeof *large);
        if (!heap || !own || !large) exit(1);
        for (; heaps < more; heaps++) heap[heaps] = own[heaps] = large[heaps] = NULL;
    }
    return &heap[n];
}

static char *heap_at(long n)
{
    char **at = heap_slot(n);
    if (!*at && !large[n]) large[n] = reserved(0);
    if (!*at) *at = large[n];
    return *at;
}

static void begin_memory(long n, long bytes)
{
    *heap_slot(n) = calloc(1, bytes > 0 ? bytes : 1);
    if (!heap[n]) {
        fprintf(stderr, "There is no memory for %ld bytes.\n", bytes);
        exit(1);
    }
    own[n] = heap[n];
}

/* What does not follow from the number of ranks may have to be larger with more of them. */
static void grow_memory(long n, long bytes)
{
    if (size <= RANKS) {
        begin_memory(n, bytes);
        return;
    }
    heap_slot(n);
    if (!large[n]) large[n] = reserved(0);
    heap[n] = large[n];
}

static void end_memory(long n)
{
    heap_slot(n);
    free(own[n]);
    heap[n] = own[n] = NULL;
}

static long the_source(void)
{
    return rank - 1 >= 0 && rank - 1 < size ? rank - 1 : MPI_PROC_NULL;
}

static long the_source_2(void)
{
    return rank + 1 >= 0 && rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
}

/* The rank is what the launcher says, so that the program makes no calls but those of the recording; else MPI is asked. */
static void find_rank(int initialised)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
    const char *s = getenv("OMPI_COMM_WORLD_SIZE");
    if (size > 0) return;
    if (!s) s = getenv("PMI_SIZE");
    for (int i = 0; s && rank < 0 && i < 4; i++)
        if (getenv(names[i])) rank = atol(getenv(names[i]));
    if (s && rank >= 0) size = atol(s);
    if (size <= 0 && !initialised) return;
    if (size <= 0) {
        int r, n;
        MPI_Comm_rank(MPI_COMM_WORLD, &r);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        rank = r;
        size = n;
    }
}

int main(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    find_rank(0);
    for (int i = 0; i < 1; i++) comm[i] = MPI_COMM_NULL;
    for (int i = 0; i < 1; i++) type[i] = MPI_DATATYPE_NULL;
    for (int i = 0; i < 2; i++) request[i] = MPI_REQUEST_NULL;
    stack0 = reserved(1);
    MPI_Init(&argument_count, &arguments);
    find_rank(1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Type_vector(16, 1, 18, MPI_DOUBLE, &type[0]);
    MPI_Type_commit(&type[0]);
    grow_memory(0, 2592);
    for (long i0 = 0; i0 < 100; i0++) {
        MPI_Irecv(heap_at(0), 1, type[0], the_source(), 1, comm[0], &request[0]);
        MPI_Irecv(heap_at(0) + 136, 1, type[0], the_source_2(), 2, comm[0], &request[1]);
        MPI_Send(heap_at(0) + 8, 1, type[0], the_source(), 2, comm[0]);
        MPI_Send(heap_at(0) + 128, 1, type[0], the_source_2(), 1, comm[0]);
        MPI_Waitall(2, &request[0], MPI_STATUSES_IGNORE);
        MPI_Allreduce(stack0 + 16, stack0 + 24, 1, MPI_DOUBLE, MPI_SUM, comm[0]);
    }
    end_memory(0);
    MPI_Type_free(&type[0]);
    MPI_Finalize();
    return 0;
}
