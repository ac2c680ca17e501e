/* Regular programs, whose recordings should not grow with ranks or steps.
 *   patterns stencil STEPS         2-D five-point stencil on a grid of its own making, borders not periodic
 *   patterns hub STEPS             all ranks send to rank 0, which answers
 *   patterns tree STEPS            reduction up and broadcast down a binary tree
 *   patterns transpose STEPS       each rank of a square grid exchanges with its mirror image
 *   patterns multipartition STEPS  sweeps of a multi-partition code on a square grid: message sizes alternate
 *   patterns growing STEPS         messages to the neighbours in a ring, one number longer in each step
 * Rank 0 prints a number that follows from what was received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static double sum; /* of the first elements of all messages received */

static void must(int true, const char *what)
{
    if (true) return;
    fprintf(stderr, "patterns: rank %d: not true: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double *array(long n)
{
    double *a = calloc(n, sizeof *a);
    must(a != NULL, "there is memory");
    for (long i = 0; i < n; i++) a[i] = rank + 1;
    return a;
}

/* The most square grid: rows <= columns. */
static int rows(void)
{
    int p = 1;
    for (int i = 1; i * i <= size; i++)
        if (size % i == 0) p = i;
    return p;
}

static void stencil(long steps)
{
    enum { N = 1024 }; /* large enough for the library not to send at once */
    int p = rows(), q = size / p, i = rank / q, j = rank % q, n = 0, peers[4];
    if (i > 0) peers[n++] = rank - q;
    if (i < p - 1) peers[n++] = rank + q;
    if (j > 0) peers[n++] = rank - 1;
    if (j < q - 1) peers[n++] = rank + 1;
    double *in = array(4 * N), *out = array(4 * N), norm = 0, all;
    MPI_Request requests[8];
    MPI_Barrier(MPI_COMM_WORLD);
    for (long step = 0; step < steps; step++) {
        for (int k = 0; k < n; k++) MPI_Irecv(in + k * N, N, MPI_DOUBLE, peers[k], 1, MPI_COMM_WORLD, &requests[k]);
        for (int k = 0; k < n; k++) MPI_Isend(out + k * N, N, MPI_DOUBLE, peers[k], 1, MPI_COMM_WORLD, &requests[n + k]);
        MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < n; k++) sum += in[k * N];
        if (step % 10 == 9) MPI_Allreduce(&norm, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    free(in), free(out);
}

static void hub(long steps)
{
    enum { N = 8 };
    double *a = array(N);
    for (long step = 0; step < steps; step++) {
        if (rank != 0) {
            MPI_Send(a, N, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
            MPI_Recv(a, N, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += a[0];
            continue;
        }
        for (int i = 1; i < size; i++) MPI_Recv(a, N, MPI_DOUBLE, i, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), sum += a[0];
        for (int i = 1; i < size; i++) MPI_Send(a, N, MPI_DOUBLE, i, 6, MPI_COMM_WORLD);
    }
    free(a);
}

static void tree(long steps)
{
    enum { N = 4 };
    double *up = array(N), *down = array(N);
    int parent = (rank - 1) / 2, first = 2 * rank + 1, last = 2 * rank + 2 < size ? 2 * rank + 2 : size - 1;
    for (long step = 0; step < steps; step++) {
        for (int c = first; c <= last; c++) MPI_Recv(up, N, MPI_DOUBLE, c, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), sum += up[0];
        if (rank > 0) {
            MPI_Send(down, N, MPI_DOUBLE, parent, 1, MPI_COMM_WORLD);
            MPI_Recv(down, N, MPI_DOUBLE, parent, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (int c = first; c <= last; c++) MPI_Send(down, N, MPI_DOUBLE, c, 2, MPI_COMM_WORLD);
    }
    free(up), free(down);
}

static void transpose(long steps)
{
    enum { N = 64 };
    int q = rows(), peer = rank % q * q + rank / q;
    must(q * q == size, "the number of ranks is a square");
    double *in = array(N), *out = array(N);
    for (long step = 0; step < steps; step++) {
        MPI_Sendrecv(out, N, MPI_DOUBLE, peer, 7, in, N, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += in[0];
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(in), free(out);
}

/* The communication of NPB's SP and BT: faces with six neighbours, then a sweep in each dimension
 * through the cells of a rank, each cell to the successor. Cells have two sizes in turn. */
static void multipartition(long steps)
{
    enum { FACE = 200, CELL = 1000, SMALL = 100, LARGE = 115 };
    int q = rows(), row = rank / q, col = rank % q, succ[3], pred[3];
    must(q * q == size, "the number of ranks is a square");
#define AT(i, j) (((i) + q) % q * q + ((j) + q) % q)
    succ[0] = AT(row, col + 1), pred[0] = AT(row, col - 1);
    succ[1] = AT(row + 1, col), pred[1] = AT(row - 1, col);
    succ[2] = AT(row - 1, col - 1), pred[2] = AT(row + 1, col + 1);
    double *in = array(6 * FACE + CELL), *out = array(6 * FACE + CELL), all = 0;
    MPI_Request r[12];
    for (long step = 0; step < steps; step++) {
        for (int k = 0; k < 3; k++) {
            MPI_Irecv(in + 2 * k * FACE, FACE, MPI_DOUBLE, pred[k], 10 + 2 * k, MPI_COMM_WORLD, &r[2 * k]);
            MPI_Irecv(in + (2 * k + 1) * FACE, FACE, MPI_DOUBLE, succ[k], 11 + 2 * k, MPI_COMM_WORLD, &r[2 * k + 1]);
        }
        for (int k = 0; k < 3; k++) {
            MPI_Isend(out + 2 * k * FACE, FACE, MPI_DOUBLE, succ[k], 10 + 2 * k, MPI_COMM_WORLD, &r[6 + 2 * k]);
            MPI_Isend(out + (2 * k + 1) * FACE, FACE, MPI_DOUBLE, pred[k], 11 + 2 * k, MPI_COMM_WORLD, &r[7 + 2 * k]);
        }
        MPI_Waitall(12, r, MPI_STATUSES_IGNORE);
        for (int k = 0; k < 3; k++) {
            int before = k == 0 ? row : k == 1 ? (row - 1 + q) % q : (row + 1) % q; /* the predecessor's row */
            for (int c = 0; c < q; c++) {
                if (c > 0) {
                    MPI_Irecv(in + 6 * FACE, (before + c - 1) % 2 ? LARGE : SMALL, MPI_DOUBLE, pred[k], 20 + k, MPI_COMM_WORLD, &r[0]);
                    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
                    sum += in[6 * FACE];
                }
                if (c < q - 1) {
                    MPI_Isend(out + 6 * FACE, (row + c) % 2 ? LARGE : SMALL, MPI_DOUBLE, succ[k], 20 + k, MPI_COMM_WORLD, &r[1]);
                    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
                }
            }
        }
    }
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    free(in), free(out);
}

static void growing(long steps)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    double *in = array(steps + 1), *out = array(steps + 1);
    MPI_Request r, s;
    for (long k = 1; k <= steps; k++) {
        MPI_Irecv(in, k, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &r);
        MPI_Isend(out, k, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &s);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Wait(&s, MPI_STATUS_IGNORE);
        sum += in[k - 1];
    }
    free(in), free(out);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(long steps);
    } modes[] = {{"stencil", stencil}, {"hub", hub}, {"tree", tree}, {"transpose", transpose}, {"multipartition", multipartition}, {"growing", growing}};
    const char *mode = argc > 1 ? argv[1] : "";
    long steps = argc > 2 ? atol(argv[2]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int m = 0; m < (int)(sizeof modes / sizeof *modes); m++) {
        if (strcmp(mode, modes[m].name)) continue;
        modes[m].run(steps);
        if (rank == 0) printf("%s on %d ranks, %ld steps: %.0f\n", mode, size, steps, sum);
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "patterns: what is \"%s\"?\n", mode);
    MPI_Abort(MPI_COMM_WORLD, 2);
}
