/* Collectives made of messages, and what only looks like them: manual NAME. Prints nothing; checks itself. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 96, STEPS = 3 };
static int rank, size, right = 1;
static double data[N], got[64 * N], mine[64 * N];
#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static void fill(double *a, int n, double seed) { for (int i = 0; i < n; i++) a[i] = seed * 7.31 + i * i * 0.37 + 1; }
static void check(const double *a, int n, double seed)
{
    for (int i = 0; i < n; i++) right &= a[i] == seed * 7.31 + i * i * 0.37 + 1;
}

static void bcast_linear(int root)
{
    if (rank != root) MPI_Recv(data, N, MPI_DOUBLE, root, 1, WORLD, IGNORE);
    for (int p = 0; rank == root && p < size; p++)
        if (p != root) MPI_Send(data, N, MPI_DOUBLE, p, 1, WORLD);
}

/* The last one gets something else in one of the steps. */
static void bcast_spoiled(int root, int step)
{
    if (rank != root) MPI_Recv(data, N, MPI_DOUBLE, root, 1, WORLD, IGNORE);
    else fill(data, N, step);
    for (int p = 0; rank == root && p < size; p++) {
        data[5] += step == 33 && p == size - 1;
        if (p != root) MPI_Send(data, N, MPI_DOUBLE, p, 1, WORLD);
    }
}

static void bcast_tree(int root)
{
    int v = (rank - root + size) % size, mask = 1;
    for (; mask < size; mask <<= 1)
        if (v & mask) {
            MPI_Recv(data, N, MPI_DOUBLE, (v - mask + root) % size, 2, WORLD, IGNORE);
            break;
        }
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (v + mask < size) MPI_Send(data, N, MPI_DOUBLE, (v + mask + root) % size, 2, WORLD);
}

static void bcast_ring(int root, int pieces)
{
    int v = (rank - root + size) % size, n = N / pieces;
    for (int k = 0; k < pieces; k++) {
        if (v > 0) MPI_Recv(data + k * n, n, MPI_DOUBLE, (rank - 1 + size) % size, 3, WORLD, IGNORE);
        if (v < size - 1) MPI_Send(data + k * n, n, MPI_DOUBLE, (rank + 1) % size, 3, WORLD);
    }
}

static void bcast_nonblocking(int root)
{
    MPI_Request r[64];
    int n = 0;
    if (rank != root) MPI_Irecv(data, N, MPI_DOUBLE, MPI_ANY_SOURCE, 4, WORLD, &r[n++]);
    for (int p = 0; rank == root && p < size; p++)
        if (p != root) MPI_Issend(data, N, MPI_DOUBLE, p, 4, WORLD, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

/* The root starts requests to all others, and one to nobody. */
static void bcast_persistent(int root)
{
    static MPI_Request r[65];
    static int n;
    if (n == 0 && rank != root) MPI_Recv_init(data, N, MPI_DOUBLE, root, 5, WORLD, &r[n++]);
    for (int p = 0; n < size && rank == root && p < size; p++)
        MPI_Send_init(data, N, MPI_DOUBLE, p == root ? MPI_PROC_NULL : p, 5, WORLD, &r[n++]);
    MPI_Startall(n, r);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

#if MPI_VERSION >= 4
/* A ring that passes each partition on. */
static void bcast_partitioned(int root)
{
    enum { PARTS = 4 };
    static MPI_Request to = MPI_REQUEST_NULL, from = MPI_REQUEST_NULL;
    int v = (rank - root + size) % size;
    if (from == MPI_REQUEST_NULL && v > 0)
        MPI_Precv_init(data, PARTS, N / PARTS, MPI_DOUBLE, (rank - 1 + size) % size, 6, WORLD, MPI_INFO_NULL, &from);
    if (to == MPI_REQUEST_NULL && v < size - 1)
        MPI_Psend_init(data, PARTS, N / PARTS, MPI_DOUBLE, (rank + 1) % size, 6, WORLD, MPI_INFO_NULL, &to);
    if (v > 0) MPI_Start(&from), MPI_Wait(&from, IGNORE);
    if (v == size - 1) return;
    MPI_Start(&to);
    MPI_Pready_range(1, 2, to);
    MPI_Pready(0, to);
    MPI_Pready(3, to);
    MPI_Wait(&to, IGNORE);
}
#endif

static MPI_Win window = MPI_WIN_NULL;

/* By puts: to all at once, or to the next, one after the other. */
static void bcast_put(int root, int ring)
{
    int v = (rank - root + size) % size;
    if (window == MPI_WIN_NULL) MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, WORLD, &window);
    MPI_Win_fence(0, window);
    for (int k = 0; ring ? k < size - 1 : k < 1; k++) {
        if (ring && v == k) MPI_Put(data, N, MPI_DOUBLE, (rank + 1) % size, 0, N, MPI_DOUBLE, window);
        for (int p = 0; !ring && v == 0 && p < size; p++)
            if (p != root) MPI_Put(data, N, MPI_DOUBLE, p, 0, N, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
    }
}

static void broadcast(const char *how, int root, double seed)
{
    memset(data, 0, sizeof data);
    if (rank == root) fill(data, N, seed);
    if (!strcmp(how, "linear")) bcast_linear(root);
    if (!strcmp(how, "tree")) bcast_tree(root);
    if (!strcmp(how, "ring")) bcast_ring(root, 1);
    if (!strcmp(how, "pipeline")) bcast_ring(root, 4);
    if (!strcmp(how, "nonblocking")) bcast_nonblocking(root);
    if (!strcmp(how, "persistent")) bcast_persistent(root);
    if (!strcmp(how, "put")) bcast_put(root, 0);
    if (!strcmp(how, "putring")) bcast_put(root, 1);
#if MPI_VERSION >= 4
    if (!strcmp(how, "partitioned")) bcast_partitioned(root);
#endif
    check(data, N, seed);
}

static void allgather_ring(double seed)
{
    int right_of = (rank + 1) % size, left = (rank + size - 1) % size;
    fill(got + rank * N, N, seed + rank);
    for (int k = 0; k < size - 1; k++)
        MPI_Sendrecv(got + (rank - k + size) % size * N, N, MPI_DOUBLE, right_of, 5, got + (rank - k - 1 + size) % size * N, N,
                     MPI_DOUBLE, left, 5, WORLD, IGNORE);
    for (int p = 0; p < size; p++) check(got + p * N, N, seed + p);
}

static void allgather_linear(double seed)
{
    MPI_Request r[128];
    int n = 0;
    fill(mine, N, seed + rank);
    for (int p = 0; p < size; p++)
        if (p != rank) MPI_Irecv(got + p * N, N, MPI_DOUBLE, p, 6, WORLD, &r[n++]);
    for (int p = 0; p < size; p++)
        if (p != rank) MPI_Isend(mine, N, MPI_DOUBLE, p, 6, WORLD, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

static void scatter(double seed)
{
    if (rank == 2 % size) {
        fill(mine, size * N, seed);
        for (int p = 0; p < size; p++)
            if (p != rank) MPI_Send(mine + p * N, N, MPI_DOUBLE, p, 7, WORLD);
    } else MPI_Recv(got, N, MPI_DOUBLE, 2 % size, 7, WORLD, IGNORE);
}

static void gather(double seed)
{
    fill(mine, N, seed + rank);
    for (int p = 0; rank == 0 && p < size; p++)
        if (p != rank) MPI_Recv(got + p * N, N, MPI_DOUBLE, p, 8, WORLD, IGNORE);
    if (rank != 0) MPI_Send(mine, N, MPI_DOUBLE, 0, 8, WORLD);
}

static void alltoall(double seed, int n)
{
    MPI_Request r[128];
    int k = 0;
    fill(mine, size * N, seed + 100 * rank);
    for (int p = 0; p < size; p++)
        if (p != rank) MPI_Irecv(got + p * N, n, MPI_DOUBLE, p, 9, WORLD, &r[k++]);
    for (int p = 0; p < size; p++)
        if (p != rank) MPI_Send(mine + p * N, n, MPI_DOUBLE, p, 9, WORLD);
    MPI_Waitall(k, r, MPI_STATUSES_IGNORE);
}

/* ---- Reductions ---- */

static void combine(const double *in, int sum)
{
    for (int i = 0; i < N; i++) data[i] = sum ? data[i] + in[i] : data[i] > in[i] ? data[i] - in[i] : in[i] / 2;
}

static void reduce_tree(int sum)
{
    for (int mask = 1; mask < size; mask <<= 1) {
        if (rank & mask) {
            MPI_Send(data, N, MPI_DOUBLE, rank - mask, 11, WORLD);
            return;
        }
        if (rank + mask < size) {
            MPI_Recv(got, N, MPI_DOUBLE, rank + mask, 11, WORLD, IGNORE);
            combine(got, sum);
        }
    }
}

static void scan_doubling(void)
{
    for (int d = 1; d < size; d *= 2) {
        MPI_Request r = MPI_REQUEST_NULL;
        memcpy(mine, data, sizeof data);
        if (rank + d < size) MPI_Isend(mine, N, MPI_DOUBLE, rank + d, 12, WORLD, &r);
        if (rank >= d) {
            MPI_Recv(got, N, MPI_DOUBLE, rank - d, 12, WORLD, IGNORE);
            combine(got, 1);
        }
        MPI_Wait(&r, IGNORE);
    }
}

/* ---- What is none ---- */

static void halo(double seed)
{
    int left = (rank + size - 1) % size, next = (rank + 1) % size;
    fill(mine, 2 * N, seed);
    MPI_Sendrecv(mine, N, MPI_DOUBLE, left, 20, got, N, MPI_DOUBLE, next, 20, WORLD, IGNORE);
    MPI_Sendrecv(mine + N, N, MPI_DOUBLE, next, 21, got, N, MPI_DOUBLE, left, 21, WORLD, IGNORE);
}

static void zeros(void) /* to both neighbours, nothing but zeros */
{
    int left = (rank + size - 1) % size, next = (rank + 1) % size;
    memset(mine, 0, N * sizeof *mine);
    MPI_Sendrecv(mine, N, MPI_DOUBLE, left, 22, got, N, MPI_DOUBLE, next, 22, WORLD, IGNORE);
    MPI_Sendrecv(mine, N, MPI_DOUBLE, next, 22, got, N, MPI_DOUBLE, left, 22, WORLD, IGNORE);
}

static void wavefront(double seed)
{
    fill(data, N, seed);
    if (rank > 0) MPI_Recv(data, N, MPI_DOUBLE, rank - 1, 23, WORLD, IGNORE);
    for (int i = 0; i < N; i++) data[i] = data[i] * 0.5 + rank + i;
    if (rank < size - 1) MPI_Send(data, N, MPI_DOUBLE, rank + 1, 23, WORLD);
}

static void queue(void) /* equal jobs, to whoever is idle */
{
    int job[8] = {7, 7, 7, 7, 7, 7, 7, 7}, left = 3 * size, idle[8];
    MPI_Status s;
    if (rank == 0) {
        for (int ended = 0; ended < size - 1;) {
            MPI_Recv(idle, 8, MPI_INT, MPI_ANY_SOURCE, 24, WORLD, &s);
            job[0] = left-- > 0 ? 7 : 0;
            ended += job[0] == 0;
            MPI_Send(job, 8, MPI_INT, s.MPI_SOURCE, 25, WORLD);
        }
    } else do {
            MPI_Send(job, 8, MPI_INT, 0, 24, WORLD);
            MPI_Recv(job, 8, MPI_INT, 0, 25, WORLD, &s);
        } while (job[0]);
}

static void pingpong(double seed)
{
    fill(data, N, seed);
    if (rank == 0) MPI_Send(data, N, MPI_DOUBLE, 1, 26, WORLD), MPI_Recv(data, N, MPI_DOUBLE, 1, 26, WORLD, IGNORE);
    if (rank == 1) MPI_Recv(data, N, MPI_DOUBLE, 0, 26, WORLD, IGNORE), MPI_Send(data, N, MPI_DOUBLE, 0, 26, WORLD);
}

static void token(void)
{
    double t[4] = {1.5, 2.5, 3.5, 4.5};
    if (rank > 0) MPI_Recv(t, 4, MPI_DOUBLE, rank - 1, 27, WORLD, IGNORE);
    MPI_Send(t, 4, MPI_DOUBLE, (rank + 1) % size, 27, WORLD);
    if (rank == 0) MPI_Recv(t, 4, MPI_DOUBLE, size - 1, 27, WORLD, IGNORE);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "", *how = argc > 2 ? argv[2] : "";
    const int steps = argc > 3 ? atoi(argv[3]) : STEPS;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    for (int step = 0; step < steps; step++) {
        if (!strcmp(what, "broadcast")) broadcast(how, 1, step);
        if (!strcmp(what, "spoiled")) bcast_spoiled(1, step);
        if (!strcmp(what, "turns")) broadcast(how, step % size, step);
        if (!strcmp(what, "allgather")) strcmp(how, "ring") ? allgather_linear(step * size) : allgather_ring(step * size);
        if (!strcmp(what, "reduce") || !strcmp(what, "allreduce") || !strcmp(what, "scan")) fill(data, N, 8 * step + rank);
        if (!strcmp(what, "reduce")) reduce_tree(strcmp(how, "user"));
        if (!strcmp(what, "allreduce")) reduce_tree(1), bcast_tree(0);
        if (!strcmp(what, "scan")) scan_doubling();
        if (!strcmp(what, "scatter")) scatter(step);
        if (!strcmp(what, "gather")) gather(step);
        if (!strcmp(what, "alltoall")) alltoall(step, N);
        if (!strcmp(what, "barrier")) alltoall(step, 0);
        if (!strcmp(what, "halo")) halo(step * size + rank);
        if (!strcmp(what, "zeros")) zeros();
        if (!strcmp(what, "wavefront")) wavefront(step);
        if (!strcmp(what, "queue")) queue();
        if (!strcmp(what, "pingpong")) pingpong(step);
        if (!strcmp(what, "token")) token();
        MPI_Barrier(WORLD);
    }
    if (window != MPI_WIN_NULL) MPI_Win_free(&window);
    MPI_Finalize();
    return right ? 0 : 1;
}
