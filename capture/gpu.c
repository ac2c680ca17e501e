//go:build ignore

/* Memory of GPU runtimes: the allocation functions of CUDA (runtime and
 * driver) and HIP, in front of the real ones. All of them return 0 for
 * success and use only words and pointers, so that no vendor header is
 * needed. Device addresses are words of the process's address space
 * (unified addressing), which no host memory overlaps. */
#define _GNU_SOURCE
#include "address.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>

enum { NOT_INITIALIZED = 3 }; /* cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED, hipErrorNotInitialized */

/* ---- The real functions ---- */

struct wanted { const char *name; void *found; };

/* A runtime that was loaded without offering its symbols to others (Python). */
static int look_into(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct wanted *w = arg;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    if (strncmp(name, "libcuda", 7) != 0 && strncmp(name, "libamdhip", 9) != 0) return 0;
    void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return 0;
    w->found = dlsym(handle, w->name);
    dlclose(handle);
    return w->found != NULL;
}

static TB_COLD void *find(const char *name)
{
    int saved = errno;
    struct wanted w = {name, dlsym(RTLD_NEXT, name)};
    if (!w.found) dl_iterate_phdr(look_into, &w);
    errno = saved;
    return w.found;
}

/* Declares `real`, the next definition of the function that we are in. */
#define REAL(function, parameters)                                        \
    static int(*real) parameters;                                         \
    if (!real && !(real = (int(*) parameters)find(#function))) return NOT_INITIALIZED

/* ---- Ranges ---- */

static int allocated(int r, const void *result, uint64_t bytes, int kind)
{
    uintptr_t base;
    if (r != 0 || !result || !tb_mem_on) return r;
    memcpy(&base, result, sizeof base);
    int saved = errno;
    if (base) tb_range_add(base, bytes, kind, 0);
    errno = saved;
    return r;
}

/* Before the call: afterwards the address may be another thread's. */
static void freeing(uintptr_t base, int kind)
{
    int saved = errno;
    if (base && tb_mem_on) tb_range_forget(base, kind);
    errno = saved;
}

/* ---- Functions ----
 * Named by what comes behind the result and the size. */

#define ALLOCATE(name, kind)                       \
    TB_EXPORT int name(void *result, size_t bytes) \
    {                                              \
        REAL(name, (void *, size_t));              \
        return allocated(real(result, bytes), result, bytes, kind); \
    }
#define ALLOCATE_FLAGS(name, kind)                                 \
    TB_EXPORT int name(void *result, size_t bytes, unsigned flags) \
    {                                                              \
        REAL(name, (void *, size_t, unsigned));                    \
        return allocated(real(result, bytes, flags), result, bytes, kind); \
    }
#define ALLOCATE_STREAM(name, kind)                              \
    TB_EXPORT int name(void *result, size_t bytes, void *stream) \
    {                                                            \
        REAL(name, (void *, size_t, void *));                    \
        return allocated(real(result, bytes, stream), result, bytes, kind); \
    }
#define ALLOCATE_POOL(name, kind)                                            \
    TB_EXPORT int name(void *result, size_t bytes, void *pool, void *stream) \
    {                                                                        \
        REAL(name, (void *, size_t, void *, void *));                        \
        return allocated(real(result, bytes, pool, stream), result, bytes, kind); \
    }
#define ALLOCATE_PITCH(name, kind)                                                 \
    TB_EXPORT int name(void *result, size_t *pitch, size_t width, size_t height)   \
    {                                                                              \
        REAL(name, (void *, size_t *, size_t, size_t));                            \
        int r = real(result, pitch, width, height);                                \
        return allocated(r, result, r == 0 && pitch ? *pitch * height : 0, kind);  \
    }
#define FREE(name, kind)              \
    TB_EXPORT int name(void *base)    \
    {                                 \
        REAL(name, (void *));         \
        freeing((uintptr_t)base, kind); \
        return real(base);            \
    }
#define FREE_STREAM(name, kind)                  \
    TB_EXPORT int name(void *base, void *stream) \
    {                                            \
        REAL(name, (void *, void *));            \
        freeing((uintptr_t)base, kind);          \
        return real(base, stream);               \
    }

ALLOCATE(cudaMalloc, TB_MEM_GPU)
ALLOCATE_FLAGS(cudaMallocManaged, TB_MEM_GPU_MANAGED)
ALLOCATE(cudaMallocHost, TB_MEM_GPU_HOST)
ALLOCATE_FLAGS(cudaHostAlloc, TB_MEM_GPU_HOST)
ALLOCATE_STREAM(cudaMallocAsync, TB_MEM_GPU)
ALLOCATE_STREAM(cudaMallocAsync_ptsz, TB_MEM_GPU)
ALLOCATE_POOL(cudaMallocFromPoolAsync, TB_MEM_GPU)
ALLOCATE_POOL(cudaMallocFromPoolAsync_ptsz, TB_MEM_GPU)
ALLOCATE_PITCH(cudaMallocPitch, TB_MEM_GPU)
FREE(cudaFree, TB_MEM_GPU)
FREE(cudaFreeHost, TB_MEM_GPU_HOST)
FREE_STREAM(cudaFreeAsync, TB_MEM_GPU)
FREE_STREAM(cudaFreeAsync_ptsz, TB_MEM_GPU)

ALLOCATE(cuMemAlloc_v2, TB_MEM_GPU)
ALLOCATE_FLAGS(cuMemAllocManaged, TB_MEM_GPU_MANAGED)
ALLOCATE(cuMemAllocHost_v2, TB_MEM_GPU_HOST)
ALLOCATE_FLAGS(cuMemHostAlloc, TB_MEM_GPU_HOST)
ALLOCATE_STREAM(cuMemAllocAsync, TB_MEM_GPU)
ALLOCATE_STREAM(cuMemAllocAsync_ptsz, TB_MEM_GPU)
ALLOCATE_POOL(cuMemAllocFromPoolAsync, TB_MEM_GPU)
ALLOCATE_POOL(cuMemAllocFromPoolAsync_ptsz, TB_MEM_GPU)
FREE(cuMemFree_v2, TB_MEM_GPU)
FREE(cuMemFreeHost, TB_MEM_GPU_HOST)
FREE_STREAM(cuMemFreeAsync, TB_MEM_GPU)
FREE_STREAM(cuMemFreeAsync_ptsz, TB_MEM_GPU)

TB_EXPORT int cuMemAllocPitch_v2(void *result, size_t *pitch, size_t width, size_t height, unsigned element)
{
    REAL(cuMemAllocPitch_v2, (void *, size_t *, size_t, size_t, unsigned));
    int r = real(result, pitch, width, height, element);
    return allocated(r, result, r == 0 && pitch ? *pitch * height : 0, TB_MEM_GPU);
}

ALLOCATE(hipMalloc, TB_MEM_GPU)
ALLOCATE_FLAGS(hipMallocManaged, TB_MEM_GPU_MANAGED)
ALLOCATE(hipMallocHost, TB_MEM_GPU_HOST)
ALLOCATE_FLAGS(hipHostMalloc, TB_MEM_GPU_HOST)
ALLOCATE_FLAGS(hipHostAlloc, TB_MEM_GPU_HOST)
ALLOCATE_STREAM(hipMallocAsync, TB_MEM_GPU)
ALLOCATE_POOL(hipMallocFromPoolAsync, TB_MEM_GPU)
ALLOCATE_PITCH(hipMallocPitch, TB_MEM_GPU)
FREE(hipFree, TB_MEM_GPU)
FREE(hipHostFree, TB_MEM_GPU_HOST)
FREE(hipFreeHost, TB_MEM_GPU_HOST)
FREE_STREAM(hipFreeAsync, TB_MEM_GPU)
