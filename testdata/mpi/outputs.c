/* Something of all that outputs show: messages of three kinds, waits, collectives, communicators, and regions. */
#include <mpi.h>
#include <stdio.h>
#include "../../include/tabard.h"

enum { STEPS = 30, N = 64 };

int main(int argc, char **argv)
{
    int me, np;
    double out[N] = {0}, in[2][N], sum = 0, all = 0;
    MPI_Comm half;
    MPI_Request q[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    int right = (me + 1) % np, left = (me + np - 1) % np;
    for (int step = 0; step < STEPS; step++) {
        tabard_region_begin("exchange");
        for (int i = 0; i < N; i++) out[i] = me + step;
        MPI_Irecv(in[0], N, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &q[0]);
        MPI_Irecv(in[1], N, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &q[1]);
        MPI_Isend(out, N, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &q[2]);
        MPI_Send(out, N / 2, MPI_DOUBLE, left, 2, MPI_COMM_WORLD);
        MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
        tabard_region_end();
        tabard_region_begin("reduce");
        sum += in[0][0] + in[1][0];
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, half);
        MPI_Sendrecv(out, 1, MPI_DOUBLE, right, 3, in[0], 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        tabard_region_end();
    }
    MPI_Bcast(&all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) printf("outputs on %d ranks: %g\n", np, all);
    MPI_Comm_free(&half);
    return MPI_Finalize();
}
