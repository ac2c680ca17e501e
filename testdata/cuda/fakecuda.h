/* What the programs here call of CUDA. */
#include <stddef.h>
typedef struct fake_stream *cudaStream_t;
struct dim3 { unsigned x, y, z; };
int cudaMalloc(void **at, size_t size);
int cudaFree(void *at);
int cudaStreamCreate(cudaStream_t *s);
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, cudaStream_t s);
int cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t s);
int cudaLaunchKernel(const void *f, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t s);
int cudaLaunchByDriver(const void *f, cudaStream_t s);
int cuMemcpyHtoD(unsigned to, const void *from, unsigned n);
int cuMemcpyHtoD_v2_ptds(unsigned long to, const void *from, size_t n);
int cudaStreamSynchronize(cudaStream_t s);
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   cudaStream_t s, void **args, void **extra);
