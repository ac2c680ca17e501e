/* A token goes round the ring of all ranks, and each adds itself; then all pass something on at the same time. */
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int turn = 0; turn < 3; turn++) {
        int token = 0;
        if (rank > 0) MPI_Recv(&token, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token += rank;
        MPI_Send(&token, 1, MPI_INT, right, 7, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Recv(&token, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(token == size * (size - 1) / 2);
        }
    }
    int mine[3] = {rank, rank, rank}, theirs[3];
    MPI_Sendrecv(mine, 3, MPI_INT, right, 8, theirs, 3, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(theirs[2] == left);
    return finish("ring", 1);
}
