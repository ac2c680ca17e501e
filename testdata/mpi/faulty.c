/* Programs with one planted fault each, which a report must name. Computation is sleep, so that it takes as
 * long as it says on a machine with fewer cores than ranks; faults are larger than what else such a machine does to times.
 * On one that is busy, FAULTY_SCALE says how many times longer everything is to be.
 *   none       20 balanced steps of a halo exchange on a ring and a sum
 *   slow       rank 2 computes six times as long as the others in every step
 *   late       rank 1 sends to its right neighbour 12 ms after it could have
 *   step       step 13 (from 0) takes rank 3 sixty times as long
 *   receiver   rank 2 receives a large message 12 ms after it was sent synchronously
 *   order      rank 0 receives in an order in which rank 1 does not send
 *   reduce     the root of a reduction comes first
 *   broadcast  the root of a broadcast comes last
 *   barrier    rank 3 comes last to a barrier
 * Functions stand where they are written, so that call sites name them. */
#include "check.h"
#include <time.h>

enum { STEPS = 20, LARGE = 1 << 16 };
static const char *fault;
static int left, right;
static double big[LARGE];

static int is(const char *name) { return !strcmp(fault, name); }

static void compute(double ms)
{
    const char *scale = getenv("FAULTY_SCALE");
    if (scale) ms *= atof(scale);
    struct timespec t = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000};
    nanosleep(&t, NULL);
}

__attribute__((noinline)) static void exchange(int step)
{
    double out[64] = {step}, in[64];
    MPI_Request r;
    MPI_Irecv(in, 64, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r);
    if (is("late") && rank == 1) compute(12);
    MPI_Send(out, 64, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in[0] == step);
}

__attribute__((noinline)) static void push(void)
{
    if (rank == 1) MPI_Ssend(big, LARGE, MPI_DOUBLE, 2, 2, MPI_COMM_WORLD);
    if (rank == 2) {
        compute(12);
        MPI_Recv(big, LARGE, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

__attribute__((noinline)) static void swapped(void)
{
    int x = 0;
    if (rank == 1) {
        MPI_Send(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        compute(12);
        MPI_Send(&x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        MPI_Recv(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

__attribute__((noinline)) static void collective(void)
{
    double x = rank, sum = 0;
    if (is("reduce")) {
        if (rank != 0) compute(12);
        MPI_Reduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    } else if (is("broadcast")) {
        if (rank == 1) compute(12);
        MPI_Bcast(&x, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        CHECK(x == 1);
    } else if (is("barrier")) {
        if (rank == 3) compute(12);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    fault = argc > 1 ? argv[1] : "none";
    CHECK(size >= 4);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int step = 0; step < STEPS; step++) {
        double ms = 2, sum = 0, one = 1;
        if (is("slow") && rank == 2) ms = 12;
        if (is("step") && rank == 3 && step == 13) ms = 120;
        compute(ms);
        exchange(step);
        if (is("receiver")) push();
        if (is("order")) swapped();
        collective();
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum == size);
    }
    return finish("faulty", size);
}
