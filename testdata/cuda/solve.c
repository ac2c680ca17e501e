/* Ten steps of a solver on a GPU: solve [kill]. A copy to it, two kernels on two queues, a kernel by the driver, a copy
 * back, and a sum over all ranks. Copies of many sizes after that. With kill, rank 0 ends by a signal after the steps. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "fakecuda.h"

enum { STEPS = 10, BYTES = 4096, SIZES = 40 };

int main(int argc, char **argv)
{
    static char host[BYTES];
    void *device, *never;
    cudaStream_t side;
    double x = 1, sum = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int failed = cudaMalloc(&device, BYTES) || cudaStreamCreate(&side) || cudaMalloc(&never, (size_t)1 << 40) != 2;
    for (int i = 0; i < STEPS; i++) {
        cudaMemcpyAsync(device, host, BYTES, 1, NULL);
        cudaMemsetAsync(device, 0, BYTES, side);
        cudaLaunchKernel("_Z5sweepPdi", (struct dim3){64, 1, 1}, (struct dim3){256, 1, 1}, NULL, 0, NULL);
        cudaLaunchKernel("_Z4normPd", (struct dim3){8, 1, 1}, (struct dim3){128, 1, 1}, NULL, 0, side);
        cudaLaunchByDriver("scale", NULL);
        cudaStreamSynchronize(side);
        cudaMemcpyAsync(host, device, BYTES / 2, 2, NULL);
        cudaStreamSynchronize(NULL);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 1; i <= SIZES; i++) cudaMemcpyAsync(device, host, (size_t)i * 16, 1, NULL);
    cuMemcpyHtoD(0, host, 16);
    cuMemcpyHtoD_v2_ptds(0, host, 32);
    cudaFree(device);
    if (rank == 0) printf("%g %d\n", sum, failed);
    fflush(stdout);
    if (rank == 0 && argc > 1 && strcmp(argv[1], "kill") == 0) raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
