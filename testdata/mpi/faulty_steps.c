/* Steps of computation, a halo exchange and a reduction, with a fault that is planted:
   faulty_steps none|slowrank|latesender|slowstep|sizestep|unreceived|deadlock. It prints one line. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 40, LARGE = 65536 };

static int rank, size;
static const char *fault;
static char out[2][LARGE], in[2][LARGE];
static MPI_Status status[4];

static int is(const char *name) { return strcmp(fault, name) == 0; }

static void compute(int step)
{
    usleep(1500);
    if (is("slowrank") && rank == 2) usleep(4000);
    if (is("slowstep") && rank == 3 && step == 27) usleep(80000);
}

static void exchange(int step)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    int bytes = is("sizestep") && step >= 20 ? LARGE : 256;
    MPI_Request r[4];
    MPI_Irecv(in[0], bytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(in[1], bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &r[1]);
    if (is("latesender") && rank == 1) usleep(4000);
    MPI_Isend(out[0], bytes, MPI_BYTE, right, 1, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(out[1], bytes, MPI_BYTE, left, 2, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, status);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fault = argc > 1 ? argv[1] : "none";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double residual = 1, sum;
    for (int step = 0; step < STEPS; step++) {
        compute(step);
        exchange(step);
        if (is("unreceived") && rank == 0 && step % 10 == 5) MPI_Send(out[0], 64, MPI_BYTE, 1, 99, MPI_COMM_WORLD);
        if (is("deadlock") && step == 30 && rank < 2) {
            alarm(1); /* or it would hang for ever */
            MPI_Recv(in[0], 8, MPI_BYTE, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("done\n");
    MPI_Finalize();
    return 0;
}
