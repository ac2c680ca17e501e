/* A loop of MPI_Bcast and MPI_Allreduce, in which rank 2 does something else once: hangs WHAT
 *   skip: leaves a call out; other: makes another one; count, root: gives another number of elements, another root;
 *   recv: receives what nobody sends; sleep: computes; exit: ends; none */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 10, BAD_STEP = 5, BAD_RANK = 2, ALL = 40000, SOME = 1000, OTHER = 20000 };

int main(int argc, char **argv)
{
    static double a[ALL], b[ALL];
    int me;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; i < STEPS; i++) {
        const char *what = me == BAD_RANK && i == BAD_STEP && argc > 1 ? argv[1] : "";
        MPI_Bcast(a, ALL, MPI_DOUBLE, strcmp(what, "root") == 0, MPI_COMM_WORLD);
        if (strcmp(what, "sleep") == 0) sleep(100);
        if (strcmp(what, "exit") == 0) _exit(3);
        if (strcmp(what, "recv") == 0) MPI_Recv(a, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (strcmp(what, "other") == 0) MPI_Alltoall(a, SOME, MPI_DOUBLE, b, SOME, MPI_DOUBLE, MPI_COMM_WORLD);
        else if (strcmp(what, "skip") != 0)
            MPI_Allreduce(a, b, strcmp(what, "count") == 0 ? OTHER : SOME, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
