/* Plays libcudart and libamdhip64: device memory is host memory nobody knows. */
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/mman.h>
#include <unistd.h>

int fakegpu_live;

static int get(void *result, size_t n)
{
    if (n == 0 || n > 1 << 30) return 2;
    *(void **)result = (void *)syscall(SYS_mmap, NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    fakegpu_live++;
    return 0;
}
static int drop(void *p) { return p ? (fakegpu_live--, 0) : 0; }

#define A(name) int name(void *r, size_t n) { return get(r, n); }
#define A1(name, t) int name(void *r, size_t n, t x) { return x == (t)7 ? get(r, n) : 1; }
#define F(name) int name(void *p) { return drop(p); }
#define F1(name) int name(void *p, void *s) { return s == (void *)7 ? drop(p) : 1; }
A(cudaMalloc) A1(cudaMallocManaged, unsigned) A(cudaMallocHost) A1(cudaHostAlloc, unsigned) A1(cudaMallocAsync, void *)
F(cudaFree) F(cudaFreeHost) F1(cudaFreeAsync)
A(cuMemAlloc_v2) A1(cuMemAllocManaged, unsigned) A(cuMemAllocHost_v2) A1(cuMemAllocAsync, void *)
F(cuMemFree_v2) F(cuMemFreeHost) F1(cuMemFreeAsync)
A(hipMalloc) A1(hipMallocManaged, unsigned) A1(hipHostMalloc, unsigned) A1(hipMallocAsync, void *)
F(hipFree) F(hipHostFree) F1(hipFreeAsync)
A(hipMemAllocHost) A1(hipExtMallocWithFlags, unsigned)
#define P(name, ...) int name(void *r, size_t *pitch, size_t w, size_t h __VA_ARGS__) { return get(r, (*pitch = (w + 511) / 512 * 512) * h); }
P(hipMallocPitch) P(cuMemAllocPitch_v2, , unsigned e __attribute__((unused))) P(hipMemAllocPitch, , unsigned e __attribute__((unused)))
struct pitched { void *p; size_t pitch, w, h; };
struct extent { size_t w, h, d; };
#define D(name) int name(struct pitched *r, struct extent e) { return get(&r->p, (r->pitch = (e.w + 511) / 512 * 512) * e.h * e.d); }
D(cudaMalloc3D) D(hipMalloc3D)
int cudaMallocPitch(void *r, size_t *pitch, size_t w, size_t h) { return get(r, (*pitch = (w + 511) / 512 * 512) * h); }
