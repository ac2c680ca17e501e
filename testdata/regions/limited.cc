// Regions in all ways of coming and going: inside one another and themselves, by exceptions and jumps, with names that
// change, and without an end; and objects of MPI that are made outside and used inside.
#include <csetjmp>
#include <cstdio>
#include <mpi.h>
#include <stdexcept>
#include "tabard.h"

#define FAR __attribute__((noinline, noclone))

static MPI_Comm made;
static MPI_Datatype pair;
static jmp_buf back;

FAR static int sum(int x)
{
    int y = 0;
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, made);
    return y;
}

FAR static void fails(int i)
{
    tabard::region r("solve/inner");
    sum(i);
    if (i % 3 == 0) throw std::runtime_error("as planned");
}

FAR static void jumps(int i)
{
    tabard_region_begin("left"); // its end is that of what is around it
    sum(i);
    std::longjmp(back, 1);
}

FAR static int recursive(int n)
{
    tabard::region r(n % 2 ? "odd" : "even");
    return n > 0 ? sum(n) + recursive(n - 1) : sum(0);
}

FAR static void step(int i, int rank)
{
    char name[32];
    int in[2], out[2] = {rank, i};
    MPI_Request r[2];
    MPI_Irecv(in, 1, pair, rank, 7, made, &r[0]);
    MPI_Isend(out, 1, pair, rank, 7, made, &r[1]);
    tabard_region_begin("solve");
    {
        tabard::region named((std::snprintf(name, sizeof name, "part %d", i % 2), name));
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE); // they began outside
        MPI_Irecv(in, 1, pair, rank, 8, made, &r[0]);
        try {
            fails(i);
        } catch (const std::runtime_error &) {
            MPI_Barrier(made);
        }
    }
    tabard_region_end();
    sum(i);
    MPI_Send(out, 1, pair, rank, 8, made);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE); // it began inside
    recursive(5);
}

int main(int argc, char **argv)
{
    int rank;
    tabard::region all("all");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < 20; i++) {
        tabard::region r("step");
        step(i, rank);
    }
    for (volatile int i = 0; i < 3; i++) {
        tabard_region_begin("around");
        if (setjmp(back) == 0) jumps(i);
        MPI_Barrier(made);
        tabard_region_end();
    }
    tabard_region_end(); // one too few for three jumps
    sum(1);
    MPI_Type_free(&pair);
    MPI_Comm_free(&made);
    std::printf("done\n");
    MPI_Finalize();
    return 0;
}
