/* Handles that look alike: several live requests that share one handle value,
 * handles used again right after they were freed, several references to one
 * group or error handler. */
#include "check.h"

static MPI_Request sends[8], recvs[8];

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int peer = rank ^ 1, out[8], in[8];
    for (int step = 0; step < 30; step++) {
        for (int i = 0; i < 8; i++) out[i] = i;
        for (int i = 0; i < 8; i++) MPI_Isend(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &sends[i]);
        for (int i = 0; i < 8; i++) MPI_Irecv(&in[i], 1, MPI_INT, i % 3 ? peer : MPI_PROC_NULL, i, MPI_COMM_WORLD, &recvs[i]);
        for (int i = 0; i < 8; i++) MPI_Wait(&recvs[(i * 5 + step) % 8], MPI_STATUS_IGNORE); /* another order each time */
        MPI_Waitall(8, sends, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 8; i++) /* what was not received yet */
            if (i % 3 == 0) MPI_Recv(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 8; i++) CHECK(in[i] == i);

        MPI_Request b[2];
        MPI_Ibarrier(MPI_COMM_SELF, &b[0]);
        MPI_Ibarrier(MPI_COMM_SELF, &b[1]);
        MPI_Waitall(2, b, MPI_STATUSES_IGNORE);

        MPI_Comm c, d;
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        MPI_Comm_free(&c);
        MPI_Comm_dup(MPI_COMM_SELF, &d);
        MPI_Comm_free(&d);
        MPI_Datatype t, u;
        MPI_Type_contiguous(step + 1, MPI_INT, &t);
        MPI_Type_free(&t);
        MPI_Type_contiguous(step + 2, MPI_DOUBLE, &u);
        MPI_Type_free(&u);
        MPI_Group g, h;
        MPI_Comm_group(MPI_COMM_WORLD, &g);
        MPI_Comm_group(MPI_COMM_WORLD, &h);
        MPI_Group_free(&g);
        int n;
        MPI_Group_size(h, &n);
        CHECK(n == size);
        MPI_Group_free(&h);
        MPI_Errhandler e, f;
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &e);
        MPI_Comm_get_errhandler(MPI_COMM_WORLD, &f);
        MPI_Errhandler_free(&e);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, f);
        MPI_Errhandler_free(&f);
    }
    /* A communicator freed while an operation on it is pending. */
    MPI_Comm c;
    MPI_Request r;
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Irecv(in, 1, MPI_INT, peer, 0, c, &r);
    MPI_Send(out, 1, MPI_INT, peer, 0, c);
    MPI_Comm_free(&c);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return finish("handles", in[7]);
}
