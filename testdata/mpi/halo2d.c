/* 2-D Jacobi on a Cartesian grid: columns by a vector type, rows contiguous,
 * exchanged by Sendrecv with MPI_PROC_NULL at the border. */
#include "check.h"
#define N 16

static double u[N + 2][N + 2], v[N + 2][N + 2];

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int dims[2] = {0, 0}, periods[2] = {0, 0}, up, down, left, right;
    MPI_Comm grid;
    MPI_Datatype column;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) u[i][j] = 1;
    double change = 0, all = 0, before = 1e300;
    for (int step = 0; step < 100; step++) {
        MPI_Sendrecv(&u[1][1], N, MPI_DOUBLE, up, 1, &u[N + 1][1], N, MPI_DOUBLE, down, 1, grid, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[N][1], N, MPI_DOUBLE, down, 2, &u[0][1], N, MPI_DOUBLE, up, 2, grid, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[1][1], 1, column, left, 3, &u[1][N + 1], 1, column, right, 3, grid, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[1][N], 1, column, right, 4, &u[1][0], 1, column, left, 4, grid, MPI_STATUS_IGNORE);
        change = 0;
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++) {
                v[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4;
                double d = v[i][j] - u[i][j];
                change += d * d;
            }
        for (int i = 1; i <= N; i++) memcpy(&u[i][1], &v[i][1], N * sizeof(double));
        if (step % 10 == 9) {
            MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
            CHECK(all < before);
            before = all;
        }
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    return finish("halo2d", (int)(all * 1e6));
}
