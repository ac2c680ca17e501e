/* Partitioned communication (MPI 4): partitions become ready out of order. */
#include "check.h"
#define PARTS 8
#define COUNT 16

int main(int argc, char **argv)
{
    start(&argc, &argv);
    static int data[PARTS * COUNT];
    int flag, arrived = 0;
    MPI_Request r;
    if (rank == 0)
        MPI_Psend_init(data, PARTS, COUNT, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    else
        MPI_Precv_init(data, PARTS, COUNT, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    for (int step = 0; step < 5; step++) {
        MPI_Start(&r);
        if (rank == 0) {
            for (int i = 0; i < PARTS * COUNT; i++) data[i] = step * 1000 + i;
            int list[2] = {5, 3};
            MPI_Pready(0, r);
            MPI_Pready_range(6, 7, r);
            MPI_Pready_list(2, list, r);
            MPI_Pready_range(1, 2, r);
            MPI_Pready(4, r);
        } else {
            for (int p = 0; p < PARTS; p++) {
                do MPI_Parrived(r, p, &flag);
                while (!flag);
                CHECK(data[p * COUNT + 3] == step * 1000 + p * COUNT + 3);
                arrived++;
            }
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    MPI_Bcast(&arrived, 1, MPI_INT, 1, MPI_COMM_WORLD);
    return finish("partitioned", arrived);
}
