/* Stands for the CUDA runtime and driver: a GPU whose work takes time and does nothing. The first call loads what
 * CUDA_INJECTION64_PATH names, as the driver does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "fakecuda.h"

struct stream { uint32_t number; uint64_t ends; };
static struct stream first = {7, 0};
static uint32_t last = 12;

static void (*tell_call)(int, int, uint32_t, const void *, int *, const char *);
static void (*tell_kernel)(uint32_t, uint64_t, uint64_t, const char *, int, int);
static void (*tell_copy)(int, int, uint32_t, uint64_t, uint64_t, uint64_t);

static void begin(void)
{
    static int begun;
    const char *path = getenv("CUDA_INJECTION64_PATH");
    if (begun++ || !path) return;
    void *library = dlopen(path, RTLD_NOW);
    int (*f)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
    if (f) f();
    void *cupti = dlopen("libcupti.so.12", RTLD_NOW | RTLD_NOLOAD);
    if (!cupti) return;
    tell_call = (void (*)(int, int, uint32_t, const void *, int *, const char *))dlsym(cupti, "fake_call");
    tell_kernel = (void (*)(uint32_t, uint64_t, uint64_t, const char *, int, int))dlsym(cupti, "fake_kernel");
    tell_copy = (void (*)(int, int, uint32_t, uint64_t, uint64_t, uint64_t))dlsym(cupti, "fake_copy");
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define CALL(domain, number, kernel, ...)                                                \
    int result = 0;                                                                      \
    begin();                                                                             \
    if (tell_call) tell_call(0, domain, number, &p, &result, kernel);                    \
    __VA_ARGS__                                                                          \
    if (tell_call) tell_call(1, domain, number, &p, &result, kernel);                    \
    return result

static struct stream *of(cudaStream_t s) { return s ? (struct stream *)s : &first; }

/* When the next work of so many ns begins on a stream, which ends with it. */
static uint64_t next(struct stream *s, uint64_t ns)
{
    uint64_t start = now() > s->ends ? now() : s->ends;
    s->ends = start + ns;
    return start;
}

static void wait_for(const struct stream *s)
{
    while (now() < s->ends) usleep(50);
}

int cudaMalloc(void **at, size_t size)
{
    struct { void **at; size_t size; } p = {at, size};
    CALL(2, 20, NULL, if (size > 1 << 30) result = 2; else *at = malloc(size););
}
int cudaFree(void *at)
{
    struct { void *at; } p = {at};
    CALL(2, 22, NULL, free(at););
}
int cudaStreamCreate(cudaStream_t *s)
{
    struct { cudaStream_t *s; } p = {s};
    CALL(2, 129, NULL, struct stream *made = calloc(1, sizeof *made); made->number = ++last; *s = (cudaStream_t)made;);
}
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, cudaStream_t s)
{
    struct { void *to; const void *from; size_t n; int kind; cudaStream_t s; } p = {to, from, n, kind, s};
    CALL(2, 41, NULL, uint64_t start = next(of(s), n);
         if (tell_copy) tell_copy(1, kind, of(s)->number, start, of(s)->ends, n););
}
int cudaMemsetAsync(void *to, int value, size_t n, cudaStream_t s)
{
    struct { void *to; int value; size_t n; cudaStream_t s; } p = {to, value, n, s};
    CALL(2, 51, NULL, uint64_t start = next(of(s), n / 4);
         if (tell_copy) tell_copy(2, 0, of(s)->number, start, of(s)->ends, n););
}
int cudaLaunchKernel(const void *f, struct dim3 grid, struct dim3 block, void **args, size_t shared, cudaStream_t s)
{
    struct { const void *f; struct dim3 grid, block; void **args; size_t shared; cudaStream_t s; } p = {f, grid, block, args,
                                                                                                        shared, s};
    const char *name = f; /* kernels of this GPU are their names */
    CALL(2, 211, name, uint64_t start = next(of(s), 100000);
         if (tell_kernel) tell_kernel(of(s)->number, start, of(s)->ends, name, (int)grid.x, (int)block.x););
}
int cudaStreamSynchronize(cudaStream_t s)
{
    struct { cudaStream_t s; } p = {s};
    CALL(2, 131, NULL, wait_for(of(s)););
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   cudaStream_t s, void **args, void **extra)
{
    struct { void *f; unsigned g[3], b[3], shared; cudaStream_t s; void **args, **extra; } p = {f, {gx, gy, gz}, {bx, by, bz},
                                                                                                shared, s, args, extra};
    const char *name = f;
    CALL(1, 307, name, uint64_t start = next(of(s), 20000);
         if (tell_kernel) tell_kernel(of(s)->number, start, of(s)->ends, name, (int)gx, (int)bx););
}
/* As the real one, it calls the driver. */
int cudaLaunchByDriver(const void *f, cudaStream_t s)
{
    struct { const void *f; struct dim3 grid, block; void **args; size_t shared; cudaStream_t s; } p = {
        f, {1, 1, 1}, {32, 1, 1}, NULL, 0, s};
    CALL(2, 214, f, result = cuLaunchKernel((void *)(uintptr_t)f, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL););
}
/* The first one is that of long ago, with sizes of 32 bits. */
int cuMemcpyHtoD(unsigned to, const void *from, unsigned n)
{
    struct { unsigned to; const void *from; unsigned n; } p = {to, from, n};
    CALL(1, 43, NULL, (void)0;);
}
int cuMemcpyHtoD_v2_ptds(unsigned long to, const void *from, size_t n)
{
    struct { unsigned long to; const void *from; size_t n; } p = {to, from, n};
    CALL(1, 397, NULL, (void)0;);
}
