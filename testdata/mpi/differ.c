/* A program whose runs differ in what was planted, which `tabard diff` must name.
 *   none       100 steps of a halo exchange on a ring and a sum
 *   count      rank 3 sends 20 numbers instead of 10
 *   late       rank 3 does so from step 7 on
 *   iteration  rank 3 leaves out the last of the 50 iterations of a loop on its own
 *   order      rank 3 sends before it posts its receive, in step 49 only
 *   deadlock   rank 3 waits in step 30 for a message that nobody sends; the others are ended after a while
 * In all of them rank 0 receives from whoever comes first, which is no difference. */
#include "check.h"
#include <signal.h>
#include <unistd.h>

enum { STEPS = 100, N = 10 };
static const char *fault;
static int left, right;

static int is(const char *name) { return rank == 3 && !strcmp(fault, name); }

static void exchange(int step)
{
    double out[2 * N] = {step}, in[2 * N];
    MPI_Request r;
    int count = is("count") || (is("late") && step >= 7) ? 2 * N : N;
    int early = is("order") && step == 49;
    for (int part = 0; part < 2; part++) {
        if ((part == 0) != early) MPI_Irecv(in, 2 * N, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r);
        else MPI_Send(out, count, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in[0] == step);
    if (!strcmp(fault, "deadlock") && step == 30) {
        signal(SIGALRM, SIG_DFL);
        alarm(5);
    }
    if (is("deadlock") && step == 30)
        MPI_Recv(in, 1, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void alone(void)
{
    for (int i = 0; i < (is("iteration") ? 49 : 50); i++) {
        double x = i, y;
        MPI_Sendrecv(&x, 1, MPI_DOUBLE, 0, 2, &y, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Reduce_local(&x, &y, 1, MPI_DOUBLE, MPI_SUM);
    }
}

static void gather(void)
{
    int x = rank;
    if (rank > 0) MPI_Send(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    fault = argc > 1 ? argv[1] : "none";
    start(NULL, NULL); /* what is planted must not show among the parameters */
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    double sum = 0, x = 1;
    for (int step = 0; step < STEPS; step++) {
        exchange(step);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    alone();
    gather();
    return finish("differ", sum);
}
