// Buffers of MPI calls in the memory of a GPU, 2 ranks: each kind of memory, to nobody; what hosts can reach, to the
// neighbour. What the GPU alone can reach goes to MPI_PROC_NULL, so that any MPI will do.
// gpubuffers N: and N sends to nobody from it; prints how many, and their nanoseconds.
#include <cuda_runtime.h>
#include <mpi.h>
#include <cstdio>
#include <cstdlib>

enum { N = 4096 };

static void check(cudaError_t e)
{
    if (e == cudaSuccess) return;
    printf("CUDA: %d\n", (int)e);
    exit(3);
}

__global__ void fill(int *x, int by) { x[blockIdx.x * blockDim.x + threadIdx.x] = by; }

int main(int argc, char **argv)
{
    int rank, *gpu, *managed, *locked, *pool, *registered = (int *)aligned_alloc(4096, N * sizeof(int));
    cudaStream_t q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(cudaMalloc(&gpu, N * sizeof(int)));
    check(cudaMallocManaged(&managed, N * sizeof(int)));
    check(cudaMallocHost(&locked, N * sizeof(int)));
    check(cudaHostRegister(registered, N * sizeof(int), cudaHostRegisterDefault));
    check(cudaStreamCreate(&q));
    check(cudaMallocAsync(&pool, N * sizeof(int), q));
    check(cudaStreamSynchronize(q));
    for (int *x : {gpu, managed, locked, registered, pool}) {
        fill<<<N / 256, 256>>>(x, rank + 1);
        check(cudaDeviceSynchronize());
    }
    MPI_Send(gpu + 1, 10, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Send(pool + 2, 10, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
    for (int *x : {managed, locked, registered})
        MPI_Sendrecv_replace(x + 3, N / 2, MPI_INT, 1 - rank, 3, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    long sum = 0;
    for (int i = 0; i < N; i++) sum += managed[i] + 10 * locked[i] + 100 * registered[i];
    check(cudaFree(gpu));
    check(cudaMalloc(&gpu, 2 * N * sizeof(int)));
    MPI_Send(gpu + 4, 10, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
    long n = argc > 1 ? atol(argv[1]) : 0;
    double begin = MPI_Wtime();
    for (long i = 0; i < n; i++) MPI_Send(gpu + 4, 10, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
    double took = MPI_Wtime() - begin;
    begin = MPI_Wtime();
    for (long i = 0; i < n; i++) MPI_Send(registered, 10, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
    double heap = MPI_Wtime() - begin, all = 0;
    MPI_Allreduce(&took, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) fprintf(stderr, "ns %.1f %.1f\n", n ? 1e9 * took / n : 0, n ? 1e9 * heap / n : 0);
    if (rank == 0) printf("sum %ld\n", sum);
    MPI_Finalize();
    return 0;
}
