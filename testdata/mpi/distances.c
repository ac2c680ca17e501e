/* Datatypes that lead from one block of memory into others: by absolute addresses, and by distances between blocks, near and far,
 * forwards and backwards. Blocks are freed and allocated anew, at other distances. */
#include "check.h"

static double table[16];

/* Distance in bytes, as MPI_Aint_diff gives it. */
static MPI_Aint from(const void *a, const void *b)
{
    MPI_Aint x, y;
    MPI_Get_address(a, &x);
    MPI_Get_address(b, &y);
    return y - x;
}

/* Sends both blocks to the right and receives two others from the left, all by one datatype each. */
static void exchange(int n, double *a, int m, int *b, double *c, int *d)
{
    int lengths[2] = {n, m}, right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Datatype kinds[2] = {MPI_DOUBLE, MPI_INT}, out, in;
    for (int i = 0; i < n; i++) a[i] = rank + i, c[i] = -1;
    for (int i = 0; i < m; i++) b[i] = rank - i, d[i] = -1;
    MPI_Type_create_struct(2, lengths, (MPI_Aint[]){0, from(a, b)}, kinds, &out);
    MPI_Type_create_struct(2, lengths, (MPI_Aint[]){0, from(c, d)}, kinds, &in);
    MPI_Type_commit(&out), MPI_Type_commit(&in);
    MPI_Sendrecv(a, 1, out, right, 1, c, 1, in, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&out), MPI_Type_free(&in);
    for (int i = 0; i < n; i++) CHECK(c[i] == left + i);
    for (int i = 0; i < m; i++) CHECK(d[i] == left - i);
}

/* The same by absolute addresses. */
static void bottom(int n, double *a, int m, int *b, double *c, int *d)
{
    int lengths[2] = {n, m}, right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Datatype kinds[2] = {MPI_DOUBLE, MPI_INT}, out, in;
    MPI_Aint send[2], recv[2];
    MPI_Get_address(a, &send[0]), MPI_Get_address(b, &send[1]);
    MPI_Get_address(c, &recv[0]), MPI_Get_address(d, &recv[1]);
    for (int i = 0; i < n; i++) a[i] = rank + 2 * i;
    for (int i = 0; i < m; i++) b[i] = rank - 2 * i;
    MPI_Type_create_struct(2, lengths, send, kinds, &out);
    MPI_Type_create_struct(2, lengths, recv, kinds, &in);
    MPI_Type_commit(&out), MPI_Type_commit(&in);
    MPI_Sendrecv(MPI_BOTTOM, 1, out, right, 2, MPI_BOTTOM, 1, in, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&out), MPI_Type_free(&in);
    for (int i = 0; i < n; i++) CHECK(c[i] == left + 2 * i);
    for (int i = 0; i < m; i++) CHECK(d[i] == left - 2 * i);
}

int main(int argc, char **argv)
{
    enum { LARGE = 40 << 20 }; /* always far from what is small */
    start(&argc, &argv);
    double total = 0, local[16] = {0};
    for (int step = 0; step < 40; step++) {
        int n = 100 + 37 * step, m = 50 + 11 * (step % 7);
        double *a = malloc(n * sizeof *a), *c = malloc(n * sizeof *c);
        int *hole = malloc(4096 + 512 * step), *b = malloc(m * sizeof *b);
        free(hole);
        int *d = malloc(m * sizeof *d);
        exchange(n, a, m, b, c, d);
        if (step % 4 == 0) bottom(n, a, m, b, c, d);
        total += c[n - 1] + d[m - 1];
        free(a);
        a = malloc(n / 2 * sizeof *a);
        exchange(n / 2, a, m, b, c, d);
        free(a), free(b), free(c), free(d);
    }
    for (int step = 0; step < 3; step++) {
        double *a = malloc(LARGE), *c = malloc(64 * sizeof *c);
        int *b = malloc(1000 * sizeof *b), *d = malloc(LARGE);
        exchange(64, a + 1000 * step, 100 + step, b, c, d);
        exchange(16, table, 8, b, local, d);
        exchange(16, local, 8, d + 5000, table, b);
        bottom(64, a, 100, b, c, d);
        free(a), free(b), free(c), free(d);
    }
    /* The distance of two blocks as a stride. */
    double *a = malloc(LARGE), *c = malloc(10 * sizeof *c);
    MPI_Datatype pair, twice;
    for (int i = 0; i < 10; i++) a[i] = rank + i, c[i] = rank - i;
    MPI_Type_create_hvector(2, 10, from(a, c), MPI_DOUBLE, &pair);
    MPI_Type_dup(pair, &twice);
    MPI_Type_commit(&twice);
    double all[20];
    MPI_Sendrecv(a, 1, twice, (rank + 1) % size, 3, all, 20, MPI_DOUBLE, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(all[9] == (rank + size - 1) % size + 9 && all[19] == (rank + size - 1) % size - 9);
    MPI_Type_free(&pair), MPI_Type_free(&twice);
    free(a), free(c);
    return finish("distances", total + all[19]);
}
