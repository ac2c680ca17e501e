/* A search in rounds, after the idea of ILCS: the threads of each rank try solutions and keep the best one of the rank
 * in a critical section, neighbours exchange theirs, and all agree on the best of all. search FAULT plants a fault at
 * rank 2 in round 71 of 100; it prints one line, or is ended by SIGALRM two seconds after that round begins, if there
 * is another argument. solve is in a library, solver.c. The line of each fault has its name at its end. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone))

enum { ROUNDS = 100, FAULTY = 71, TRIES = 4, THREADS = 3 };

int solve(int seed);

static int rank, size, best;
static const char *fault;
static MPI_Comm world;

static inline __attribute__((always_inline)) int is(const char *name, int round)
{
    return rank == 2 && round == FAULTY && strcmp(fault, name) == 0;
}

FAR static void keep(int value) { best = value > best ? value : best; }
FAR static void improve(int round) { best += round & 1; }
FAR static void restart(int round) { best -= round & 1; } /* branch */

FAR static void work(int round)
{
#pragma omp parallel num_threads(THREADS)
    {
        int mine = is("slow", round) ? usleep(1100000) : 0; /* no fault: the same, only later */
        for (int i = 0; i < TRIES; i++) mine += solve(i);
        int skip = 0;
#ifdef _OPENMP
        extern int omp_get_thread_num(void);
        skip = omp_get_thread_num() == 1 && is("race", round);
#endif
        if (skip) {
            keep(mine); /* race */
        } else {
#pragma omp critical
            keep(mine);
        }
    }
    if (is("branch", round)) restart(round);
    else improve(round);
}

FAR static void exchange(int round)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, in[2];
    MPI_Request r[2];
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, world, &r[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, right, 2, world, &r[1]);
    if (is("deadlock", round)) MPI_Recv(&best, 1, MPI_INT, left, 9, world, MPI_STATUS_IGNORE); /* deadlock */
    if (is("order", round)) {
        MPI_Send(&best, 1, MPI_INT, left, 2, world); /* order */
        MPI_Send(&best, 1, MPI_INT, right, 1, world);
    } else {
        MPI_Send(&best, 1, MPI_INT, right, 1, world);
        MPI_Send(&best, 1, MPI_INT, left, 2, world);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

FAR static void agree(int round)
{
    int value[2] = {best, 0}, most[2] = {0, 0}, all[256];
    MPI_Reduce(value, most, is("reduce-size", round) ? 2 : 1, MPI_INT, MPI_MAX, is("reduce-root", round) ? 1 : 0, world); /* reduce */
    MPI_Bcast(most, is("bcast-size", round) ? 2 : 1, MPI_INT, is("bcast-root", round) ? 1 : 0, world); /* bcast */
    MPI_Gather(value, is("gather-size", round) ? 2 : 1, MPI_INT, all, 1, MPI_INT, is("gather-root", round) ? 1 : 0, world); /* gather */
    best = most[0];
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    fault = argc > 1 ? argv[1] : "none";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    for (int round = 0; round < ROUNDS; round++) {
        if (argc > 2 && round == FAULTY) alarm(2); /* all ranks come so far, however slow the machine is */
        work(round);
        exchange(round);
        agree(round);
    }
    if (rank == 0) printf("done\n");
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
