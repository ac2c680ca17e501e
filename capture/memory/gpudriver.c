/* Memory of GPUs whose allocation cannot be seen. By default nvcc makes the CUDA runtime a part of
 * the executable. Such a runtime loads the driver itself and asks it for its functions one by one,
 * as Python and Julia do: no symbol is looked up that could be ours. But the driver knows about
 * every address. */
#define _GNU_SOURCE
#include "memory/internal.h"
#include "sites/modules.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

/* cuPointerGetAttributes: for an address that is not the driver's it succeeds and writes zeros. */
typedef int ask_function(unsigned n, const int *attributes, void **results, uintptr_t address);
static ask_function *ask;
static TB_TLS int asking;

/* CUpointer_attribute, CUmemorytype, CUresult */
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, RANGE_START_ADDR = 11, RANGE_SIZE = 12 };
enum { HOST = 1, DEVICE = 2, UNIFIED = 4 };
enum { INVALID_VALUE = 1 };

static const char driver[] = "libcuda.so";

static TB_COLD ask_function *function_of(const struct tb_module *m)
{
    const char *off = getenv("TABARD_GPU");
    int saved = errno;
    if (off && strcmp(off, "off") == 0) return NULL;
    void *handle = dlopen(m->name, RTLD_LAZY | RTLD_NOLOAD), *f = NULL; /* never closed: it stays where it is */
    if (handle && !(f = dlsym(handle, "cuPointerGetAttributes"))) dlclose(handle);
    errno = saved;
    return (ask_function *)f;
}

/* Looks at modules that are new since. */
int tb_gpu_loaded(void)
{
    static unsigned looked_at;
    unsigned from = __atomic_load_n(&looked_at, __ATOMIC_ACQUIRE), begin = from;
    if (tb_likely(__atomic_load_n(&ask, __ATOMIC_ACQUIRE) != NULL)) return 1;
    for (struct tb_module *m; (m = tb_module_named(driver, &from));) {
        ask_function *f = function_of(m);
        if (!f) continue;
        __atomic_store_n(&ask, f, __ATOMIC_RELEASE);
        return 1;
    }
    if (from != begin) __atomic_store_n(&looked_at, from, __ATOMIC_RELEASE);
    return 0;
}

int tb_gpu_made(uintptr_t maker)
{
    struct tb_module *m = maker && __atomic_load_n(&ask, __ATOMIC_ACQUIRE) ? tb_module_of(maker) : NULL;
    return m && strncmp(tb_module_file(m), driver, sizeof driver - 1) == 0;
}

static int kind_of(uint64_t type, int managed)
{
    if (managed || type == UNIFIED) return TB_MEM_GPU_MANAGED;
    return type == DEVICE ? TB_MEM_GPU : type == HOST ? TB_MEM_GPU_HOST : 0;
}

int tb_gpu_ask(uintptr_t a, struct tb_gpu_memory *m)
{
    static const int attributes[] = {MEMORY_TYPE, IS_MANAGED, RANGE_START_ADDR, RANGE_SIZE};
    uint64_t type = 0, managed = 0, start = 0, bytes = 0;
    void *results[] = {&type, &managed, &start, &bytes};
    if (asking) return -1; /* a signal handler of the program, in the middle of it */
    asking = 1;
    int r = ask(sizeof attributes / sizeof *attributes, attributes, results, a);
    asking = 0;
    if (r != 0) return r == INVALID_VALUE ? 0 : -1; /* an earlier failure of a kernel, the end of the process */
    int kind = kind_of((uint32_t)type, (managed & 255) != 0);
    if (!kind || a - start >= bytes || start + bytes < start || bytes >> 40) return 0;
    *m = (struct tb_gpu_memory){(uintptr_t)start, bytes, kind};
    return 1;
}
