/* Persistent collectives (MPI 4). */
#include "check.h"
#define MAX 8

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int in[12][MAX], out[12][MAX], ones[MAX], displs[MAX], n = 0;
    for (int i = 0; i < MAX; i++) ones[i] = 1, displs[i] = i;
    MPI_Request r[12];
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
#define IN in[n]
#define OUT out[n]
#define R &r[n]
    MPI_Barrier_init(w, none, R), n++;
    MPI_Bcast_init(IN, 1, MPI_INT, 0, w, none, R), n++;
    MPI_Exscan_init(IN, OUT, 1, MPI_INT, MPI_SUM, w, none, R), n++;
    MPI_Alltoall_init(IN, 1, MPI_INT, OUT, 1, MPI_INT, w, none, R), n++;
    MPI_Alltoallv_init(IN, ones, displs, MPI_INT, OUT, ones, displs, MPI_INT, w, none, R), n++;
    MPI_Allreduce_init(IN, OUT, 1, MPI_INT, MPI_SUM, w, none, R), n++;
    MPI_Reduce_init(IN, OUT, 1, MPI_INT, MPI_SUM, 0, w, none, R), n++;
    MPI_Reduce_scatter_block_init(IN, OUT, 1, MPI_INT, MPI_SUM, w, none, R), n++;
    MPI_Scan_init(IN, OUT, 1, MPI_INT, MPI_SUM, w, none, R), n++;
    int active = n; /* the rest work only once in MPICH 4.0.2: made and freed */
    MPI_Gather_init(IN, 1, MPI_INT, OUT, 1, MPI_INT, 0, w, none, R), n++;
    MPI_Scatter_init(IN, 1, MPI_INT, OUT, 1, MPI_INT, 0, w, none, R), n++;
    MPI_Allgather_init(IN, 1, MPI_INT, OUT, 1, MPI_INT, w, none, R), n++;
    long sum = 0;
    for (int step = 0; step < 20; step++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < MAX; j++) in[i][j] = rank + step, out[i][j] = -1;
        if (step % 2) {
            MPI_Startall(active, r);
            MPI_Waitall(active, r, MPI_STATUSES_IGNORE);
        } else {
            for (int i = 0; i < active; i++) MPI_Start(&r[i]);
            for (int i = active - 1; i >= 0; i--) MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        }
        int all = size * (size - 1) / 2 + size * step;
        CHECK(in[1][0] == step && out[3][1] == 1 + step && out[5][0] == all && out[7][0] == all);
        sum += out[5][0];
    }
    for (int i = 0; i < n; i++) MPI_Request_free(&r[i]);
    return finish("pcollectives", sum);
}
