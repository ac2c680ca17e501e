// An error handler that throws: the exception passes the MPI call, which never
// returns, and the program goes on.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

static void raise_error(MPI_Comm *, int *code, ...) { throw std::runtime_error(std::to_string(*code)); }

int main(int argc, char **argv)
{
    int rank, size, caught = 0, x = 0;
    MPI_Errhandler h;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(raise_error, &h);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
    for (int i = 0; i < 3; i++) {
        try {
            MPI_Send(&x, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD);
        } catch (const std::exception &) {
            caught++;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Errhandler_free(&h);
    if (rank == 0) std::printf("cxxthrow: caught %d\n", caught);
    MPI_Finalize();
    return caught == 3 ? 0 : 1;
}
