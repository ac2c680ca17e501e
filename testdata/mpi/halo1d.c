/* 1-D heat equation, halo exchange by Isend/Irecv/Waitall. The sum of the
 * temperatures is conserved on the ring. */
#include "check.h"
#define N 64
#define STEPS 200

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double a[2][N + 2] = {{0}}, sum = 0, total;
    for (int i = 1; i <= N; i++) a[0][i] = rank * N + i;
    for (int step = 0; step < STEPS; step++) {
        double *u = a[step % 2], *v = a[1 - step % 2];
        MPI_Request r[4];
        MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&u[N + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &r[1]);
        MPI_Isend(&u[N], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &r[3]);
        MPI_Waitall(4, r, step % 3 ? MPI_STATUSES_IGNORE : (MPI_Status[4]){{0}});
        for (int i = 1; i <= N; i++) v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
    }
    for (int i = 1; i <= N; i++) sum += a[STEPS % 2][i];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double n = (double)size * N, want = n * (n + 1) / 2;
    CHECK(total > want - 1e-6 && total < want + 1e-6);
    return finish("halo1d", total);
}
