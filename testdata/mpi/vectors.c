/* Collectives with an amount for each process, on all ranks and on two halves: random counts, displacements
 * that follow from them with and without gaps, the other side's counts, roots that change, types that
 * differ between processes. With the argument "die" rank 1 is killed in the middle. */
#include "check.h"
#include <signal.h>
#include <unistd.h>

enum { MOST = 40, STEPS = 60 };

static unsigned seed;
static int sends[64], receives[64], there[64], here[64];
static char *out, *in;

static int some(int below)
{
    seed = seed * 1103515245 + 12345;
    return (int)((seed >> 16) % (unsigned)below);
}

/* gap is what lies between two parts, and each begins at a multiple of align. */
static void follow(const int *counts, int *displs, int n, int gap, int align)
{
    for (int i = 0, at = 0; i < n; i++) {
        displs[i] = at = (at + align - 1) / align * align;
        at += counts[i] + gap;
    }
}

static void exchange(MPI_Comm comm, int n, int gap, int align, int wait)
{
    for (int i = 0; i < n; i++) sends[i] = some(MOST);
    MPI_Alltoall(sends, 1, MPI_INT, receives, 1, MPI_INT, comm);
    follow(sends, there, n, gap, align);
    follow(receives, here, n, gap, align);
    if (!wait) {
        MPI_Alltoallv(out, sends, there, MPI_CHAR, in, receives, here, MPI_CHAR, comm);
        return;
    }
    MPI_Request request;
    MPI_Ialltoallv(out, sends, there, MPI_CHAR, in, receives, here, MPI_CHAR, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void typed(MPI_Comm comm, int me, int n)
{
    static const MPI_Datatype all[3] = {MPI_CHAR, MPI_INT, MPI_DOUBLE};
    static const int bytes[3] = {1, sizeof(int), sizeof(double)};
    MPI_Datatype give[64], take[64];
    for (int i = 0; i < n; i++) sends[i] = some(MOST);
    MPI_Alltoall(sends, 1, MPI_INT, receives, 1, MPI_INT, comm);
    for (int i = 0, a = 0, b = 0; i < n; i++) {
        int type = (i + me) % 3;
        give[i] = take[i] = all[type];
        there[i] = a, here[i] = b;
        a += sends[i] * bytes[type], b += receives[i] * bytes[type];
    }
    MPI_Alltoallw(out, sends, there, give, in, receives, here, take, comm);
}

static void collect(MPI_Comm comm, int me, int n, int root)
{
    int mine = some(MOST);
    MPI_Allgather(&mine, 1, MPI_INT, receives, 1, MPI_INT, comm);
    follow(receives, here, n, 0, 1);
    MPI_Allgatherv(out, mine, MPI_CHAR, in, receives, here, MPI_CHAR, comm);
    MPI_Gatherv(out, mine, MPI_CHAR, in, receives, here, MPI_CHAR, root, comm);
    for (int i = 0; i < n; i++) sends[i] = some(MOST);
    MPI_Bcast(sends, n, MPI_INT, root, comm);
    follow(sends, there, n, 3, 1);
    MPI_Scatterv(out, sends, there, MPI_CHAR, in, sends[me], MPI_CHAR, root, comm);
    MPI_Reduce_scatter(out, in, sends, MPI_CHAR, MPI_BOR, comm);
}

static void all(MPI_Comm comm, int dies)
{
    int me, n;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    for (int step = 0; step < STEPS; step++) {
        if (dies && rank == 1 && step == STEPS / 2) {
            MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sleep(1); /* rank 0 prints: launchers end the others, too */
            raise(SIGKILL);
        }
        exchange(comm, n, 0, 1, 0);
        exchange(comm, n, 2, 1, 0);
        exchange(comm, n, 0, 16, 1);
        typed(comm, me, n);
        collect(comm, me, n, step * 7 % n);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    int dies = argc > 1 && !strcmp(argv[1], "die");
    start(&argc, &argv);
    setvbuf(stdout, NULL, _IOLBF, 0); /* what is printed is out, even if the launcher ends the rest */
    CHECK(size <= 64);
    seed = 5 + (unsigned)rank;
    out = calloc(64 * (MOST + 16), sizeof(double));
    in = calloc(64 * (MOST + 16), sizeof(double));
    all(MPI_COMM_WORLD, 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    all(half, dies);
    if (dies) {
        /* Nobody may be in MPI_Finalize when rank 1 is killed: one time in twenty Open MPI's launcher
         * then waits for ever or crashes, whatever the program is recorded with. */
        if (rank == 0) {
            puts("vectors: about to die");
            MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&half);
    free(out);
    free(in);
    return finish("vectors", rank + size);
}
