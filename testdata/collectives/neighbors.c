/* Exchanges with neighbours, and what only looks like one: neighbors ring|grid|columns|same|sweeps|changing. The ranks
 * are a grid of two rows. Prints nothing; checks itself. */
#include <mpi.h>
#include <string.h>

enum { N = 32, STEPS = 3 };
static int rank, size, right = 1;
static double field[N][N], out[4][N], in[4][N];
#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static double element(int process, int to, int i, int step) { return 1000. * process + 31.7 * to + i * 0.37 + 7.3 * step; }

/* To above, below, left and right: rows are longer than columns are high. */
static void exchange(const int *to, int step)
{
    MPI_Request r[8];
    int n = 0, size_of[4] = {N, N, N / 2, N / 2};
    for (int k = 0; k < 4; k++) {
        if (to[k] < 0) continue;
        for (int i = 0; i < N; i++) out[k][i] = element(rank, to[k], i, step);
        MPI_Irecv(in[k], size_of[k], MPI_DOUBLE, to[k], 0, WORLD, &r[n++]);
        MPI_Isend(out[k], size_of[k], MPI_DOUBLE, to[k], 0, WORLD, &r[n++]);
    }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 4; k++)
        for (int i = 0; to[k] >= 0 && i < size_of[k]; i++) right &= in[k][i] == element(to[k], rank, i, step);
}

/* The outer columns of a field, from where they lie. */
static void columns(int left, int next, MPI_Datatype column)
{
    MPI_Sendrecv(&field[0][1], 1, column, left, 1, &field[0][N - 1], 1, column, next, 1, WORLD, IGNORE);
    MPI_Sendrecv(&field[0][N - 2], 1, column, next, 2, &field[0][0], 1, column, left, 2, WORLD, IGNORE);
}

static void same(int left, int next, int step)
{
    for (int i = 0; i < N; i++) out[0][i] = element(rank, 0, i, step);
    MPI_Sendrecv(out[0], N, MPI_DOUBLE, left, 3, in[1], N, MPI_DOUBLE, next, 3, WORLD, IGNORE);
    MPI_Sendrecv(out[0], N, MPI_DOUBLE, next, 4, in[0], N, MPI_DOUBLE, left, 4, WORLD, IGNORE);
}

/* Up and down the ranks: each waits for the one before. */
static void sweeps(int step)
{
    int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, behind = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Recv(in[0], N, MPI_DOUBLE, before, 5, WORLD, IGNORE);
    for (int i = 0; i < N; i++) out[0][i] = in[0][i] * 0.5 + i + step, out[1][i] = rank * 3. + i + step;
    MPI_Send(out[0], N, MPI_DOUBLE, behind, 5, WORLD);
    MPI_Recv(in[1], N, MPI_DOUBLE, behind, 6, WORLD, IGNORE);
    MPI_Send(out[1], N, MPI_DOUBLE, before, 6, WORLD);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    MPI_Type_vector(N, 1, N, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    int width = size / 2, left = (rank + size - 1) % size, next = (rank + 1) % size;
    int grid[] = {rank < width ? -1 : rank - width, rank < width ? rank + width : -1,
                  rank % width ? rank - 1 : -1, rank % width < width - 1 ? rank + 1 : -1};
    int ring[] = {-1, -1, left, next};
    for (int step = 0; step < STEPS; step++) {
        int by = 1 + step % 2, changing[] = {-1, -1, (rank + size - by) % size, (rank + by) % size};
        for (int i = 0; i < N * N; i++) field[i / N][i % N] = element(rank, 0, i, step);
        if (!strcmp(what, "grid")) exchange(grid, step);
        if (!strcmp(what, "ring")) exchange(ring, step);
        if (!strcmp(what, "changing")) exchange(changing, step);
        if (!strcmp(what, "columns")) columns(left, next, column);
        if (!strcmp(what, "same")) same(left, next, step);
        if (!strcmp(what, "sweeps")) sweeps(step);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return right ? 0 : 1;
}
