/* Persistent requests of all modes: started one by one and together,
 * completed in different ways, inactive in between, and freed at the end. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int peer = rank ^ 1, out[4], in[4], index, flag, sum = 0;
    char buffer[2048];
    MPI_Request r[8];
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int i = 0; i < 4; i++) MPI_Recv_init(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &r[i]);
    MPI_Send_init(&out[0], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &r[4]);
    MPI_Ssend_init(&out[1], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &r[5]);
    MPI_Bsend_init(&out[2], 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &r[6]);
    MPI_Rsend_init(&out[3], 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &r[7]);
    for (int step = 0; step < 50; step++) {
        for (int i = 0; i < 4; i++) out[i] = 1000 * rank + 10 * step + i;
        MPI_Startall(4, r);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 4; i < 8; i++) MPI_Start(&r[i]);
        switch (step % 3) {
        case 0: MPI_Waitall(8, r, MPI_STATUSES_IGNORE); break;
        case 1:
            for (int i = 7; i >= 0; i--) MPI_Wait(&r[i], MPI_STATUS_IGNORE);
            break;
        case 2:
            for (int i = 0; i < 8; i++) {
                MPI_Waitany(8, r, &index, MPI_STATUS_IGNORE);
                CHECK(index >= 0 && index < 8 && r[index] != MPI_REQUEST_NULL);
            }
        }
        for (int i = 0; i < 4; i++) CHECK(in[i] == 1000 * peer + 10 * step + i);
        sum += in[0] + in[3];
    }
    MPI_Wait(&r[0], MPI_STATUS_IGNORE); /* inactive: returns at once */
    MPI_Testall(8, r, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag);
    MPI_Waitany(8, r, &index, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED);
    for (int i = 0; i < 8; i++) MPI_Request_free(&r[i]);
    void *old;
    MPI_Buffer_detach(&old, &index);
    int total;
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return finish("persistent", rank == 0 ? total : 0);
}
