/* A program with a fault that is planted at rank 2: planted none|branch|root|order|trips|reduce|size. It prints one line. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;
static volatile int sum;
static const char *fault;

__attribute__((no_instrument_function)) static int is(const char *name, int i) { return rank == 2 && strcmp(fault, name) == 0 && i == 71; }

__attribute__((noinline)) static void smooth(int i) { sum += i; }
__attribute__((noinline)) static void refine(int i) { sum += 2 * i; }

__attribute__((noinline)) static void exchange(int i)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, out = i, in[2];
    MPI_Request r[4];
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &r[1]);
    if (is("order", i)) {
        MPI_Isend(&out, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &r[3]);
    } else {
        MPI_Isend(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &r[2]);
        MPI_Isend(&out, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &r[3]);
    }
    MPI_Status s[4];
    MPI_Waitall(4, r, s);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fault = argc > 1 ? argv[1] : "none";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm world;
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    for (int i = 0; i < 100; i++) {
        int value = i, least;
        if (is("branch", i)) refine(i);
        else smooth(i);
        if (is("branch", i)) MPI_Barrier(MPI_COMM_SELF);
        exchange(i);
        /* A root that differs moves nothing here, so that the program goes on: the call is what matters. */
        MPI_Bcast(&value, 0, MPI_INT, is("root", i) ? 1 : 0, world);
        for (int k = 0; k < (is("trips", i) ? 3 : 4); k++) smooth(k);
        MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, world);
        MPI_Reduce(&value, &least, 0, MPI_INT, MPI_MAX, is("reduce", i) ? 1 : 0, world);
        MPI_Gather(&value, 0, is("size", i) ? MPI_DOUBLE : MPI_INT, &least, 0, MPI_INT, 0, world);
    }
    if (rank == 0) printf("done\n");
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
