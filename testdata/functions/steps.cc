// Functions of a C++ program, some of which end by an exception: 100 steps, 3 calls of compute and 1 of exchange in
// each, 34 of which throw. Built as any program is; with Open MPI's C++ bindings MPI is called before main. With an
// argument each exchange takes so many microseconds at least.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

#define FAR __attribute__((noinline, noclone))

FAR static double compute(double x)
{
    if (x < 0) throw std::runtime_error("negative");
    return x * 1.5 + 1;
}

static unsigned pause_us;

FAR static double exchange(double x, int rank, int size)
{
    double got = 0;
    if (pause_us) usleep(pause_us);
    MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 0, &got, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got;
}

FAR static double step(int i, int rank, int size)
{
    double sum = compute(i) + compute(i + rank);
    try {
        sum += compute(i % 3 == 0 ? -1 : 1);
    } catch (const std::exception &) {
        sum -= 1;
    }
    return exchange(sum, rank, size);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    if (argc > 1) pause_us = (unsigned)std::atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double sum = 0, all = 0;
    for (int i = 0; i < 100; i++) sum += step(i, rank, size);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%.1f\n", all);
    MPI_Finalize();
}
