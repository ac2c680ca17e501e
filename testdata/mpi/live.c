/* Programs that are looked at while they run.
 *   hang        steps of a ring exchange; in the last one the messages to the last rank have a wrong tag
 *   phases N    N times 1000 steps; after each but the last, rank 0 waits for a file go.<phase> */
#include "check.h"
#include <unistd.h>

static void exchange(int step, int wrong)
{
    int x = rank, y, to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request q;
    MPI_Isend(&x, 1, MPI_INT, to, step + (wrong && to == size - 1), MPI_COMM_WORLD, &q);
    MPI_Recv(&y, 1, MPI_INT, from, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* hangs here */
    MPI_Wait(&q, MPI_STATUS_IGNORE);
}

static void wait_for(int phase)
{
    char name[32];
    snprintf(name, sizeof name, "go.%d", phase);
    while (access(name, F_OK) != 0) usleep(2000);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (argc > 1 && !strcmp(argv[1], "hang")) {
        if (rank == 0) printf("hangs\n"), fflush(stdout);
        for (int i = 0; i < 13; i++) {
            exchange(100 + i, i == 12);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    for (int phase = 1, phases = argc > 2 ? atoi(argv[2]) : 1; phase <= phases; phase++) {
        for (int i = 0; i < 1000; i++) exchange(i % 2, 0);
        MPI_Barrier(MPI_COMM_WORLD); /* whoever is here has made all calls before */
        if (rank == 0 && phase < phases) {
            printf("phase %d\n", phase);
            fflush(stdout);
            wait_for(phase);
        }
        MPI_Bcast(&phase, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return finish("live", argc > 2 ? atoi(argv[2]) : 0);
}
