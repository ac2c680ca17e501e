/* Receives from anybody that fail, in calls that ignore statuses: what they return is the same with a tracer and without. */
#include "check.h"
static int codes[64], n;

static void code(int c)
{
    int class;
    MPI_Error_class(c, &class);
    codes[n++] = class;
}

/* A message that is too long, and, if two, one that is not. */
static void post(MPI_Request *r, int two)
{
    static int in[4];
    r[0] = r[1] = MPI_REQUEST_NULL;
    if (rank == 0) {
        MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[0]);
        if (two) MPI_Irecv(&in[1], 3, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &r[1]);
    } else if (rank == 1) {
        if (two) MPI_Send(in, 3, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(in, 3, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void done(const MPI_Request *r) { codes[n++] = r[0] == MPI_REQUEST_NULL, codes[n++] = r[1] == MPI_REQUEST_NULL; }

/* Nothing may be left for the next round. */
static void drain(MPI_Request *r)
{
    for (int i = 0; i < 2; i++)
        if (r[i] != MPI_REQUEST_NULL) MPI_Wait(&r[i], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Request r[2];
    int i, some, index[2], flag, in;
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    post(r, 0);
    if (rank == 0) code(MPI_Wait(r, MPI_STATUS_IGNORE)), done(r), drain(r);
    post(r, 0);
    if (rank == 0) code(MPI_Waitall(2, r, MPI_STATUSES_IGNORE)), done(r), drain(r);
    post(r, 1);
    if (rank == 0) code(MPI_Waitall(2, r, MPI_STATUSES_IGNORE)), done(r), drain(r);
    post(r, 0);
    if (rank == 0) code(MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE)), done(r), drain(r);
    post(r, 0);
    if (rank == 0) code(MPI_Waitsome(2, r, &some, index, MPI_STATUSES_IGNORE)), codes[n++] = some, done(r), drain(r);
    post(r, 0);
    if (rank == 0) {
        do {
            flag = 1;
            i = MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
        } while (i == MPI_SUCCESS && !flag);
        code(i), done(r), drain(r);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Send(codes, 3, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (rank == 0) code(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (rank == 0) {
        CHECK(codes[0] != MPI_SUCCESS);
        printf("ignorederrors:");
        for (i = 0; i < n; i++) printf(" %d", codes[i]);
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
