/* Every way to send and to ask about what arrived: modes, buffers, cancel,
 * requests freed early, counts, elements, MPI_PROC_NULL. */
#include "check.h"

static void all_modes(int peer)
{
    int in = -1, out = rank, n;
    MPI_Request r;
    MPI_Status s;
    char buffer[4096];
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int mode = 0; mode < 8; mode++) {
        MPI_Irecv(&in, 1, MPI_INT, peer, mode, MPI_COMM_WORLD, &r);
        MPI_Barrier(MPI_COMM_WORLD); /* the receives are posted: ready mode is correct */
        MPI_Request q = MPI_REQUEST_NULL;
        switch (mode) {
        case 0: MPI_Send(&out, 1, MPI_INT, peer, mode, MPI_COMM_WORLD); break;
        case 1: MPI_Ssend(&out, 1, MPI_INT, peer, mode, MPI_COMM_WORLD); break;
        case 2: MPI_Rsend(&out, 1, MPI_INT, peer, mode, MPI_COMM_WORLD); break;
        case 3: MPI_Bsend(&out, 1, MPI_INT, peer, mode, MPI_COMM_WORLD); break;
        case 4: MPI_Isend(&out, 1, MPI_INT, peer, mode, MPI_COMM_WORLD, &q); break;
        case 5: MPI_Issend(&out, 1, MPI_INT, peer, mode, MPI_COMM_WORLD, &q); break;
        case 6: MPI_Irsend(&out, 1, MPI_INT, peer, mode, MPI_COMM_WORLD, &q); break;
        case 7: MPI_Ibsend(&out, 1, MPI_INT, peer, mode, MPI_COMM_WORLD, &q); break;
        }
        MPI_Wait(&r, &s);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        MPI_Get_count(&s, MPI_INT, &n);
        CHECK(in == peer && n == 1 && s.MPI_SOURCE == peer && s.MPI_TAG == mode);
    }
    void *old;
    MPI_Buffer_detach(&old, &n);
    CHECK(old == buffer && n == (int)sizeof buffer);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int peer = rank ^ 1, n, flag, x[4] = {rank, rank, rank, rank}, y[4] = {0};
    MPI_Status s;
    MPI_Request r;
    all_modes(peer);

    MPI_Sendrecv(x, 3, MPI_INT, peer, 0, y, 4, MPI_INT, peer, 0, MPI_COMM_WORLD, &s);
    MPI_Get_elements(&s, MPI_INT, &n);
    CHECK(n == 3 && y[2] == peer && y[3] == 0);
    MPI_Count big;
    MPI_Get_elements_x(&s, MPI_BYTE, &big);
    CHECK(big == 12);
    MPI_Sendrecv_replace(x, 4, MPI_INT, peer, 1, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(x[0] == peer && x[3] == peer);

    MPI_Send(x, 4, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
    MPI_Recv(y, 4, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &s);
    CHECK(s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG);

    MPI_Irecv(y, 4, MPI_INT, peer, 99, MPI_COMM_WORLD, &r);
    MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Cancel(&r);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &flag);
    CHECK(flag);

    MPI_Isend(x, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    CHECK(r == MPI_REQUEST_NULL);
    MPI_Recv(y, 4, MPI_INT, peer, 3, MPI_COMM_WORLD, &s);
    CHECK(y[0] == rank);

    MPI_Status_set_elements(&s, MPI_INT, 2);
    MPI_Status_set_cancelled(&s, 0);
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK(n == 2);
    MPI_Barrier(MPI_COMM_WORLD);
    return finish("modes", n);
}
