/* Programs that end badly, chosen by the first argument; the second is the
 * rank that does it. They call MPI in a loop before. */
#include "check.h"
#include <signal.h>
#include <unistd.h>

__attribute__((noinline)) static void wait_for_nobody(void)
{
    int x;
    MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* hangs here */
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "code";
    int who = argc > 2 ? atoi(argv[2]) : 0, x = 0;
    start(&argc, &argv);
    for (int i = 0; i < 100; i++) MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("dies: %s\n", how), fflush(stdout);
    usleep(50000); /* launchers drop output that they have not read when a rank dies */
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "deadlock")) wait_for_nobody();
    if (rank == who) {
        if (!strcmp(how, "abort")) abort();
        if (!strcmp(how, "segv")) raise(SIGSEGV);
        if (!strcmp(how, "null")) *(volatile int *)(size_t)(size - size) = 1;
        if (!strcmp(how, "kill")) raise(SIGKILL);
        if (!strcmp(how, "term")) raise(SIGTERM);
        if (!strcmp(how, "_exit")) _exit(3);
        if (!strcmp(how, "mpiabort")) MPI_Abort(MPI_COMM_WORLD, 7);
        if (!strcmp(how, "exit")) exit(4);
        if (!strcmp(how, "error")) MPI_Send(&x, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD); /* fatal by default */
    }
    if (!strcmp(how, "nofinalize")) return 0;
    if (strcmp(how, "code")) {
        MPI_Barrier(MPI_COMM_WORLD); /* the others are in here when it happens */
        return 0;
    }
    MPI_Finalize();
    if (rank == who) usleep(500000); /* launchers kill who is left when a rank fails: let the others end */
    return rank == who ? 9 : 0;
}
