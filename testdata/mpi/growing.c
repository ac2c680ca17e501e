/* Collective calls whose counts and buffers grow with the number of ranks. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int *counts = malloc(size * sizeof *counts), *at = malloc(size * sizeof *at);
    int *one = calloc(size * 64, sizeof *one), *all = calloc(size * 64, sizeof *all);
    for (int r = 0; r < size; r++) counts[r] = 64, at[r] = 64 * r;
    for (int i = 0; i < 64 * size; i++) one[i] = rank;
    for (int step = 0; step < 10; step++) {
        MPI_Bcast(one, 16, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allgather(one, 64, MPI_INT, all, 64, MPI_INT, MPI_COMM_WORLD);
        MPI_Allgatherv(one, 64, MPI_INT, all, counts, at, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv(one, counts, at, MPI_INT, all, counts, at, MPI_INT, MPI_COMM_WORLD);
        CHECK(all[64 * size - 1] == size - 1);
        MPI_Gather(one, 5, MPI_INT, all, 5, MPI_INT, size - 1, MPI_COMM_WORLD);
    }
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Allreduce(one, all, 8, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(counts), free(at), free(one), free(all);
    return finish("growing", 1);
}
