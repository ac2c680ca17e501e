/* The ranks of the first half exchange messages with those of the second half, with pauses, for about a
 * second: long enough for the drift of a clock to show. */
#include <unistd.h>
#include "check.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int partner = (rank + size / 2) % size, token = 0;
    for (int i = 0; i < 200; i++) {
        if (rank < size / 2) {
            MPI_Send(&i, 1, MPI_INT, partner, 1, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(token == i + 1);
        } else {
            MPI_Recv(&token, 1, MPI_INT, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            token++;
            MPI_Send(&token, 1, MPI_INT, partner, 2, MPI_COMM_WORLD);
        }
        if (i % 50 == 49) MPI_Barrier(MPI_COMM_WORLD);
        usleep(5000);
    }
    return finish("pingpong", token);
}
