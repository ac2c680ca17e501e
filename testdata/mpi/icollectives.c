/* Non-blocking collectives, several in flight, completed in another order. */
#include "check.h"
#define MAX 8

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int counts[MAX], displs[MAX], bytes[MAX];
    MPI_Datatype types[MAX];
    for (int i = 0; i < size; i++) counts[i] = 1, displs[i] = i, bytes[i] = 4 * i, types[i] = MPI_INT;
    int in[17][MAX], out[17][MAX];
    for (int step = 0; step < 10; step++) {
        MPI_Request r[17];
        int n = 0, root = step % size;
        for (int i = 0; i < 17; i++)
            for (int j = 0; j < MAX; j++) in[i][j] = rank + 1, out[i][j] = -1;
#define IN in[n]
#define OUT out[n]
#define R &r[n]
        MPI_Ibarrier(MPI_COMM_WORLD, R), n++;
        MPI_Ibcast(IN, 2, MPI_INT, root, MPI_COMM_WORLD, R), n++;
        MPI_Igather(IN, 1, MPI_INT, OUT, 1, MPI_INT, root, MPI_COMM_WORLD, R), n++;
        MPI_Igatherv(IN, 1, MPI_INT, OUT, counts, displs, MPI_INT, root, MPI_COMM_WORLD, R), n++;
        MPI_Iscatter(IN, 1, MPI_INT, OUT, 1, MPI_INT, root, MPI_COMM_WORLD, R), n++;
        MPI_Iscatterv(IN, counts, displs, MPI_INT, OUT, 1, MPI_INT, root, MPI_COMM_WORLD, R), n++;
        MPI_Iallgather(IN, 1, MPI_INT, OUT, 1, MPI_INT, MPI_COMM_WORLD, R), n++;
        MPI_Iallgatherv(IN, 1, MPI_INT, OUT, counts, displs, MPI_INT, MPI_COMM_WORLD, R), n++;
        MPI_Ialltoall(IN, 1, MPI_INT, OUT, 1, MPI_INT, MPI_COMM_WORLD, R), n++;
        MPI_Ialltoallv(IN, counts, displs, MPI_INT, OUT, counts, displs, MPI_INT, MPI_COMM_WORLD, R), n++;
        MPI_Ialltoallw(IN, counts, bytes, types, OUT, counts, bytes, types, MPI_COMM_WORLD, R), n++;
        MPI_Ireduce(IN, OUT, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, R), n++;
        MPI_Iallreduce(MPI_IN_PLACE, IN, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, R), n++;
        MPI_Ireduce_scatter(IN, OUT, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, R), n++;
        MPI_Ireduce_scatter_block(IN, OUT, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, R), n++;
        MPI_Iscan(IN, OUT, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, R), n++;
        MPI_Iexscan(IN, OUT, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, R), n++;
        for (int left = n; left > n - 3; left--) {
            int index;
            MPI_Waitany(n, r, &index, MPI_STATUS_IGNORE);
        }
        MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
        int all = size * (size + 1) / 2;
        CHECK(in[1][1] == root + 1 && out[4][0] == root + 1 && out[6][size - 1] == size && out[8][0] == 1);
        CHECK(in[12][0] == all && out[13][0] == all && out[14][0] == all && out[15][0] == (rank + 1) * (rank + 2) / 2);
        if (rank == root) CHECK(out[2][size - 1] == size && out[11][0] == all);
    }
    return finish("icollectives", out[15][0]);
}
