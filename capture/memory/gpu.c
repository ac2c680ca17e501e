/* Memory of GPU runtimes: the allocation functions of CUDA (runtime and
 * driver) and HIP, in front of the real ones. All of them return 0 for
 * success and use only words and pointers, so that no vendor header is
 * needed. Device addresses are words of the process's address space
 * (unified addressing), which no host memory overlaps. */
#define _GNU_SOURCE
#include "memory/internal.h"
#include "sites/modules.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>

enum { NOT_INITIALIZED = 3 }; /* cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED, hipErrorNotInitialized */

/* ---- The real functions ----
 * Each caller gets the definition that it would have got without us: the next one in the order of
 * all objects, or, in a library that was loaded without offering its symbols to others (Python),
 * that of the runtime it depends on: there may be several. */

enum { CALLERS = 8 };
struct real {
    void *next;                                                   /* in the order of all objects */
    struct { const struct tb_module *caller; void *found; } of[CALLERS]; /* never change; caller is set last */
};

struct wanted { const char *name; void *found; };

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

static void *of_dependency(const struct tb_module *m, const char *name)
{
    void *handle = m && !m->main ? dlopen(m->name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *f = handle ? dlsym(handle, name) : NULL;
    if (handle) dlclose(handle);
    return f;
}

/* As long as the caller is loaded, so is what it depends on. */
static void remember(struct real *r, const struct tb_module *caller, void *found)
{
    for (int i = 0; i < CALLERS; i++) {
        void *none = NULL;
        if (!__atomic_compare_exchange_n(&r->of[i].found, &none, found, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        __atomic_store_n(&r->of[i].caller, caller, __ATOMIC_RELEASE);
        return;
    }
}

static TB_COLD void *look_up(struct real *r, const char *name, void *return_address)
{
    const struct tb_module *caller = tb_module_of((uintptr_t)return_address - 1);
    for (int i = 0; i < CALLERS && caller; i++)
        if (__atomic_load_n(&r->of[i].caller, __ATOMIC_ACQUIRE) == caller) return r->of[i].found;
    void *f = dlsym(RTLD_NEXT, name);
    if (f) {
        __atomic_store_n(&r->next, f, __ATOMIC_RELEASE);
        return f;
    }
    if ((f = of_dependency(caller, name))) {
        remember(r, caller, f);
        return f;
    }
    struct wanted w = {name, NULL}; /* it might be unloaded, so it is not remembered */
    dl_iterate_phdr(look_into, &w);
    return w.found;
}

static void *find(struct real *r, const char *name, void *return_address)
{
    void *f = __atomic_load_n(&r->next, __ATOMIC_ACQUIRE);
    if (tb_likely(f != NULL)) return f;
    int saved = errno;
    f = look_up(r, name, return_address);
    errno = saved;
    return f;
}

/* Declares `real`, the next definition of the function that we are in. */
#define REAL(function, parameters)                                                                              \
    static struct real known;                                                                                   \
    int(*real) parameters = (int(*) parameters)find(&known, #function, __builtin_return_address(0));             \
    if (!real) return NOT_INITIALIZED

/* ---- Ranges ---- */

static int allocated(int r, const void *result, uint64_t bytes, int kind)
{
    uintptr_t base;
    if (r != 0 || !result || !tb_mem_on) return r;
    memcpy(&base, result, sizeof base);
    int saved = errno;
    if (base) tb_range_add(base, bytes, kind, 0, NULL);
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

struct pitched { void *base; size_t pitch, width, height; };
struct extent { size_t width, height, depth; };

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
#define ALLOCATE_3D(name, kind)                                                              \
    TB_EXPORT int name(struct pitched *result, struct extent e)                              \
    {                                                                                        \
        REAL(name, (struct pitched *, struct extent));                                       \
        int r = real(result, e);                                                             \
        return allocated(r, result, r == 0 ? result->pitch * e.height * e.depth : 0, kind);  \
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
ALLOCATE_3D(cudaMalloc3D, TB_MEM_GPU)
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

#define ALLOCATE_PITCH_ELEMENT(name, kind)                                                           \
    TB_EXPORT int name(void *result, size_t *pitch, size_t width, size_t height, unsigned element)   \
    {                                                                                                \
        REAL(name, (void *, size_t *, size_t, size_t, unsigned));                                    \
        int r = real(result, pitch, width, height, element);                                         \
        return allocated(r, result, r == 0 && pitch ? *pitch * height : 0, kind);                    \
    }
ALLOCATE_PITCH_ELEMENT(cuMemAllocPitch_v2, TB_MEM_GPU)
ALLOCATE_PITCH_ELEMENT(hipMemAllocPitch, TB_MEM_GPU)

ALLOCATE(hipMalloc, TB_MEM_GPU)
ALLOCATE_FLAGS(hipMallocManaged, TB_MEM_GPU_MANAGED)
ALLOCATE(hipMallocHost, TB_MEM_GPU_HOST)
ALLOCATE_FLAGS(hipHostMalloc, TB_MEM_GPU_HOST)
ALLOCATE_FLAGS(hipHostAlloc, TB_MEM_GPU_HOST)
ALLOCATE_STREAM(hipMallocAsync, TB_MEM_GPU)
ALLOCATE_POOL(hipMallocFromPoolAsync, TB_MEM_GPU)
ALLOCATE_PITCH(hipMallocPitch, TB_MEM_GPU)
ALLOCATE_3D(hipMalloc3D, TB_MEM_GPU)
ALLOCATE_FLAGS(hipExtMallocWithFlags, TB_MEM_GPU)
ALLOCATE(hipMemAllocHost, TB_MEM_GPU_HOST)
FREE(hipFree, TB_MEM_GPU)
FREE(hipHostFree, TB_MEM_GPU_HOST)
FREE(hipFreeHost, TB_MEM_GPU_HOST)
FREE_STREAM(hipFreeAsync, TB_MEM_GPU)
