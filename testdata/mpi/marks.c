/* Marks and values in and outside of regions: values that differ and one that does not. */
#include "../../include/tabard.h"
#include <mpi.h>

int main(void)
{
    int rank;
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tabard_region_mark("start");
    double error = 1.0 + rank;
    for (int i = 0; i < 40; i++) {
        tabard_region_begin("step");
        if (i % 10 == 5) tabard_region_mark("restart");
        MPI_Barrier(MPI_COMM_WORLD);
        tabard_region_value("error", error);
        tabard_region_value("particles", 125);
        error *= -0.75;
        tabard_region_end();
    }
    return MPI_Finalize();
}
