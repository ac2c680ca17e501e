/* Collectives made of one-sided calls, and what only looks like them: onesided OPERATION put|get|accumulate
 * fence|lock|flush|pscw|request; onesided counter. Instead of get, fetch is an accumulate that changes nothing, and typed
 * a get of a datatype that is freed at once. Prints nothing; checks itself. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { N = 48, MOST = 32, STEPS = 3, ROOT = 1 };
static int rank, size, right = 1;
static double memory[2 * MOST * N], *out = memory, *in = memory + MOST * N; /* both are in the window */
static MPI_Win window;
static MPI_Group others;
static const char *what, *how, *by;
static int gets; /* how is get, fetch or typed */
#define WORLD MPI_COMM_WORLD
#define IS(word, text) (!strcmp(word, text))

static double element(int process, int block, int i, int step)
{
    return 1000. * process + 31.7 * block + i * i * 0.37 + 7.31 * step + 1;
}

/* Whether a process has data for another one; which block that is, and to which one it goes. */
static int moves(int from, int to, int *source, int *target)
{
    *source = *target = 0;
    if (from == to) return 0;
    if (IS(what, "broadcast") || IS(what, "spoiled") || IS(what, "changed")) return from == ROOT;
    if (IS(what, "scatter")) *source = to;
    if (IS(what, "scatter")) return from == ROOT;
    if (!IS(what, "reduce")) *target = from;
    if (IS(what, "gather") || IS(what, "reduce")) return to == ROOT;
    if (IS(what, "alltoall")) *source = to;
    if (IS(what, "halo")) return from == (to + 1) % size || to == (from + 1) % size;
    return 1; /* allgather and alltoall */
}

static void begin(void)
{
    if (IS(by, "fence")) MPI_Win_fence(0, window);
    else if (IS(by, "pscw")) MPI_Win_post(others, 0, window), MPI_Win_start(others, 0, window);
    else MPI_Barrier(WORLD);
    if (IS(by, "request")) MPI_Win_lock_all(0, window);
}

static void end(void)
{
    if (IS(by, "fence")) MPI_Win_fence(0, window);
    else if (IS(by, "pscw")) MPI_Win_complete(window), MPI_Win_wait(window);
    if (IS(by, "flush")) MPI_Win_flush_all(window);
    if (IS(by, "request")) MPI_Win_unlock_all(window);
    if (!IS(by, "fence") && !IS(by, "pscw")) MPI_Barrier(WORLD);
}

static void move(int peer, double *own, int place)
{
    if (IS(by, "lock")) MPI_Win_lock(MPI_LOCK_SHARED, peer, 0, window);
    if (IS(by, "request")) {
        MPI_Request r;
        if (IS(how, "fetch"))
            MPI_Rget_accumulate(NULL, 0, MPI_DOUBLE, own, N, MPI_DOUBLE, peer, place, N, MPI_DOUBLE, MPI_NO_OP, window, &r);
        else if (gets) MPI_Rget(own, N, MPI_DOUBLE, peer, place, N, MPI_DOUBLE, window, &r);
        else MPI_Rput(own, N, MPI_DOUBLE, peer, place, N, MPI_DOUBLE, window, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else if (IS(how, "fetch"))
        MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, own, N, MPI_DOUBLE, peer, place, N, MPI_DOUBLE, MPI_NO_OP, window);
    else if (IS(how, "typed")) {
        MPI_Datatype pairs;
        MPI_Type_vector(N / 2, 2, 2, MPI_DOUBLE, &pairs);
        MPI_Type_commit(&pairs);
        MPI_Get(own, 1, pairs, peer, place, N, MPI_DOUBLE, window);
        MPI_Type_free(&pairs);
    } else if (gets) MPI_Get(own, N, MPI_DOUBLE, peer, place, N, MPI_DOUBLE, window);
    else if (IS(how, "put")) MPI_Put(own, N, MPI_DOUBLE, peer, place, N, MPI_DOUBLE, window);
    else MPI_Accumulate(own, N, MPI_DOUBLE, peer, place, N, MPI_DOUBLE, MPI_SUM, window);
    if (IS(by, "lock")) MPI_Win_unlock(peer, window);
}

/* If it is changed, the last process comes late. */
static void moving(int late)
{
    int source, target;
    begin();
    for (int p = 0; p < size; p++) {
        if (gets ? moves(p, rank, &source, &target) : moves(rank, p, &source, &target)) {
            if (IS(what, "spoiled") && rank == ROOT) out[5] += p == size - 1;
            if (IS(what, "changed") && (rank == size - 1) != late) continue;
            if (gets) move(p, in + target * N, source * N);
            else move(p, out + source * N, MOST * N + target * N);
        }
    }
    end();
}

static void operation(int step)
{
    int source, target;
    for (int i = 0; i < MOST * N; i++) out[i] = element(rank, i / N, i % N, step), in[i] = 0;
    if (IS(what, "reduce")) memcpy(in, out, N * sizeof *in);
    moving(0);
    if (IS(what, "changed")) {
        MPI_Barrier(WORLD);
        out[5]++;
        moving(1);
    }
    for (int p = 0; p < size; p++)
        for (int i = 0; !IS(what, "reduce") && !IS(what, "spoiled") && !IS(what, "changed") && i < N && moves(p, rank, &source, &target); i++)
            right &= in[target * N + i] == element(p, source, i, step);
    for (int i = 0; IS(what, "reduce") && rank == ROOT && i < N; i++) {
        double sum = 0;
        for (int p = 0; p < size; p++) sum += element(p, 0, i, step);
        right &= in[i] > sum - 1e-6 && in[i] < sum + 1e-6;
    }
    MPI_Barrier(WORLD);
}

/* Who has time takes the next number. */
static void counter(void)
{
    double one = 1, number;
    MPI_Win_lock_all(0, window);
    for (int k = 0; k < 3 + rank; k++) {
        MPI_Fetch_and_op(&one, &number, MPI_DOUBLE, ROOT, 0, MPI_SUM, window);
        MPI_Win_flush(ROOT, window);
    }
    MPI_Win_unlock_all(window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    what = argc > 1 ? argv[1] : "", how = argc > 2 ? argv[2] : "", by = argc > 3 ? argv[3] : "";
    gets = IS(how, "get") || IS(how, "fetch") || IS(how, "typed");
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, WORLD, &window);
    MPI_Group all;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_excl(all, 1, &rank, &others);
    if (IS(by, "flush")) MPI_Win_lock_all(0, window);
    for (int step = 0; step < STEPS; step++)
        if (IS(what, "counter")) counter();
        else operation(step);
    if (IS(by, "flush")) MPI_Win_unlock_all(window);
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    MPI_Win_free(&window);
    MPI_Finalize();
    return right ? 0 : 1;
}
