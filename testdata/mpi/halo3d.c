/* 3-D halo exchange of all six faces with subarray types; each face must carry
 * the number of the rank that it came from. */
#include "check.h"
#define N 6

static int cube[N + 2][N + 2][N + 2];

static MPI_Datatype face(int dim, int at)
{
    int sizes[3] = {N + 2, N + 2, N + 2}, sub[3] = {N, N, N}, from[3] = {1, 1, 1};
    MPI_Datatype t;
    sub[dim] = 1;
    from[dim] = at;
    MPI_Type_create_subarray(3, sizes, sub, from, MPI_ORDER_C, MPI_INT, &t);
    MPI_Type_commit(&t);
    return t;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1};
    MPI_Comm grid;
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Datatype send[6], recv[6];
    int peer[6];
    for (int d = 0; d < 3; d++) {
        MPI_Cart_shift(grid, d, 1, &peer[2 * d], &peer[2 * d + 1]);
        send[2 * d] = face(d, 1), send[2 * d + 1] = face(d, N);
        recv[2 * d] = face(d, 0), recv[2 * d + 1] = face(d, N + 1);
    }
    long sum = 0;
    for (int step = 0; step < 20; step++) {
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++)
                for (int k = 1; k <= N; k++) cube[i][j][k] = rank + 100 * step;
        MPI_Request r[12];
        for (int f = 0; f < 6; f++) MPI_Irecv(cube, 1, recv[f], peer[f], f, grid, &r[f]);
        for (int f = 0; f < 6; f++) MPI_Isend(cube, 1, send[f], peer[f], f ^ 1, grid, &r[6 + f]);
        MPI_Waitall(12, r, MPI_STATUSES_IGNORE);
        CHECK(cube[0][1][N] == peer[0] + 100 * step && cube[N + 1][2][2] == peer[1] + 100 * step);
        CHECK(cube[3][0][N] == peer[2] + 100 * step && cube[1][N + 1][2] == peer[3] + 100 * step);
        CHECK(cube[N][1][0] == peer[4] + 100 * step && cube[1][1][N + 1] == peer[5] + 100 * step);
        for (int f = 0; f < 6; f++) sum += peer[f];
    }
    for (int f = 0; f < 6; f++) MPI_Type_free(&send[f]), MPI_Type_free(&recv[f]);
    long total;
    MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, grid);
    CHECK(rank != 0 || total == 20L * 6 * size * (size - 1) / 2);
    MPI_Comm_free(&grid);
    return finish("halo3d", rank == 0 ? total : 0);
}
