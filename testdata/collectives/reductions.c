/* Reductions made of messages by operations other than sums, and what only looks like them: reductions NAME OPERATION.
 * Checks itself. */
#include <mpi.h>
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, STEPS = 3 };
static int rank, size, right = 1;
#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

/* ---- Elements ---- */

static const char *operation;
static MPI_Datatype type = MPI_INT;
static int bytes = sizeof(int);
static char work[64 * N * 16], scratch[64 * N * 16], before[N * 16], packed[64 * N * 16];

static unsigned noise(unsigned x)
{
    x = (x + 1) * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return x ^ x >> 13;
}

static int number(int p, int i, int step) { return (int)(noise((unsigned)(step * 1000003 + p * 10007 + i)) >> 8); }

static int is(const char *name) { return !strcmp(operation, name); }

static void fill(int p, int n, int step)
{
    for (int i = 0; i < n; i++) {
        int v = number(p, i, step);
        if (is("prod")) ((double *)work)[i] = v % 100 / 37.0 + 0.01;
        else if (is("complex")) ((double complex *)work)[i] = v % 1000 / 7.0 + v % 77 / 3.0 * I;
        else if (is("min")) ((float *)work)[i] = (float)(v % 100000) / 9;
        else if (is("land") || is("user")) ((int *)work)[i] = v % 3;
        else ((int *)work)[i] = v - (1 << 22);
    }
}

static void combine(char *to, const char *from, int n)
{
    for (int i = 0; i < n; i++) {
        double *x = (double *)to + i, y = ((const double *)from)[i];
        float *f = (float *)to + i, g = ((const float *)from)[i];
        int *a = (int *)to + i, b = ((const int *)from)[i];
        if (is("prod")) *x *= y;
        else if (is("complex")) ((double complex *)to)[i] += ((const double complex *)from)[i];
        else if (is("min")) *f = *f < g ? *f : g;
        else if (is("land")) *a = *a && b;
        else if (is("bor")) *a |= b;
        else if (is("user")) *a = (*a + b + 2 * *a * b) % 3;  /* on 0, 1, 2 */
        else if (is("max")) *a = *a > b ? *a : b;
        else if (is("low")) *a = (rank & 1) == (*a > b) ? *a : b; /* no operation: even ranks keep the lesser */
        else if (is("weighted")) *a = *a / 2 + b;                 /* nor this */
        else if (is("shifted")) {
            int c = ((const int *)from)[(i + 1) % n];
            *a = *a > c ? *a : c;
        } else *a += b;
    }
}

/* ---- Algorithms ---- */

static void doubling(void)
{
    for (int mask = 1; mask < size; mask <<= 1) {
        MPI_Sendrecv(work, N, type, rank ^ mask, 1, scratch, N, type, rank ^ mask, 1, WORLD, IGNORE);
        combine(work, scratch, N);
    }
}

static void scan_doubling(void)
{
    for (int d = 1; d < size; d *= 2) {
        if (rank + d < size) MPI_Send(work, N, type, rank + d, 2, WORLD);
        if (rank >= d) {
            MPI_Recv(scratch, N, type, rank - d, 2, WORLD, IGNORE);
            combine(work, scratch, N);
        }
    }
}

static void exscan(int step)
{
    if (rank + 1 < size) MPI_Send(work, N, type, rank + 1, 3, WORLD);
    if (rank > 0) MPI_Recv(before, N, type, rank - 1, 3, WORLD, IGNORE);
    for (int d = 1; d < size - 1; d *= 2) {
        if (rank > 0 && rank + d < size) MPI_Send(before, N, type, rank + d, 3, WORLD);
        if (rank - d > 0) {
            MPI_Recv(scratch, N, type, rank - d, 3, WORLD, IGNORE);
            combine(before, scratch, N);
        }
    }
    for (int i = 0, want = 0; i < N && rank > 0 && is("sum"); i++, want = 0) {
        for (int p = 0; p < rank; p++) want += number(p, i, step) - (1 << 22);
        right &= ((int *)before)[i] == want;
    }
}

static void reduce_scatter(void)
{
    for (int k = 1; k < size; k++) {
        int to = (rank + k) % size, from = (rank - k + size) % size;
        MPI_Sendrecv(work + to * N * bytes, N, type, to, 4, scratch, N, type, from, 4, WORLD, IGNORE);
        combine(work + rank * N * bytes, scratch, N);
    }
}

static void alltoall_packed(int step)
{
    char *in = packed + 32 * N * bytes;
    int n = N * bytes;
    for (int i = 0; i < size; i++) memcpy(scratch + i * n, work + (rank + i) % size * n, (size_t)n);
    for (int d = 1; d < size; d *= 2) {
        int k = 0;
        for (int i = 0; i < size; i++)
            if (i & d) memcpy(packed + n * k++, scratch + i * n, (size_t)n);
        MPI_Sendrecv(packed, k * N, type, (rank + d) % size, 5, in, k * N, type, (rank - d + size) % size, 5, WORLD, IGNORE);
        k = 0;
        for (int i = 0; i < size; i++)
            if (i & d) memcpy(scratch + i * n, in + n * k++, (size_t)n);
    }
    for (int p = 0; p < size; p++) /* that of p is what came the p-th before */
        right &= *(int *)(scratch + (rank - p + size) % size * n) == number(p, rank * N, step) - (1 << 22);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    operation = argc > 2 ? argv[2] : "";
    if (is("prod")) type = MPI_DOUBLE, bytes = 8;
    if (is("min")) type = MPI_FLOAT;
    if (is("complex")) type = MPI_C_DOUBLE_COMPLEX, bytes = 16;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        fill(rank, size * N, step);
        if (!strcmp(what, "allreduce")) doubling();
        if (!strcmp(what, "scan")) scan_doubling();
        if (!strcmp(what, "exscan")) exscan(step);
        if (!strcmp(what, "reduce_scatter")) reduce_scatter();
        if (!strcmp(what, "alltoall")) alltoall_packed(step);
        MPI_Barrier(WORLD);
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
