// A C++ exception leaves an MPI call through the wrapper.
#include <mpi.h>
#include <cstdio>
#include <stdexcept>

static void operation(void *, void *, int *, MPI_Datatype *) { throw std::runtime_error("out of the callback"); }

int main(int argc, char **argv)
{
    int buffer = 0, rank;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(operation, 1, &op);
    try {
        MPI_Allreduce(&buffer, &buffer, 1, MPI_INT, op, MPI_COMM_WORLD);
    } catch (const std::runtime_error &e) {
        std::printf("caught: %s\n", e.what());
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return 0;
}
