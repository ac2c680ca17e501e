/* Calls of the CUDA runtime and driver. CUPTI tells of each when it begins and when it returns, whether the runtime
 * is a library or a part of the program. Where one function calls another, such as the runtime the driver, the outer
 * one is recorded; inside of a call of another API, such as NCCL's, none is. */
#include "core/core.h"
#include "core/ids.h"
#include "core/lock.h"
#include "cuda/cuda.h"

/* CUpti_CallbackData of CUPTI 11 to 13. */
struct tb_cuda_call {
    int where; /* 0 before the function, 1 after it */
    const char *function;
    const char *parameters; /* a structure with them in the order of the function's header */
    const int *returned;
    const char *kernel; /* of a launch */
};

/* Values of parameters, in the order of spec/cuda/functions.json: of which kind, and where in the structure. */
enum { NONE, KERNEL, QUEUE, QUEUE_IN /* what the pointer points at, further on */, BYTES,
       AREA /* times the next word */, WORDS_4, INT, MADE /* a queue that the function made, behind the pointer */ };
enum { VALUES = 3, IN_CONFIGURATION = 32 /* the stream in cudaLaunchConfig_t and CUlaunchConfig */ };
struct function { struct { uint8_t kind, at; } value[VALUES]; };

#define F(name, ...) [TB_ID_##name - TB_ID_cudaLaunchKernel] = {{__VA_ARGS__}}
static const struct function functions[TB_ID_cuda_queue - TB_ID_cudaLaunchKernel] = {
    F(cudaLaunchKernel, {KERNEL, 0}, {QUEUE, 48}),
    F(cudaLaunchCooperativeKernel, {KERNEL, 0}, {QUEUE, 48}),
    F(cudaLaunchKernelExC, {KERNEL, 0}, {QUEUE_IN, 0}),
    F(cudaGraphLaunch, {QUEUE, 8}),
    F(cudaMemcpy, {BYTES, 16}, {INT, 24}),
    F(cudaMemcpy2D, {AREA, 32}, {INT, 48}),
    F(cudaMemcpyAsync, {BYTES, 16}, {INT, 24}, {QUEUE, 32}),
    F(cudaMemcpy2DAsync, {AREA, 32}, {INT, 48}, {QUEUE, 56}),
    F(cudaMemcpyPeer, {BYTES, 32}),
    F(cudaMemcpyPeerAsync, {BYTES, 32}, {QUEUE, 40}),
    F(cudaMemcpyToSymbol, {BYTES, 16}, {INT, 32}),
    F(cudaMemcpyFromSymbol, {BYTES, 16}, {INT, 32}),
    F(cudaMemcpyToSymbolAsync, {BYTES, 16}, {INT, 32}, {QUEUE, 40}),
    F(cudaMemcpyFromSymbolAsync, {BYTES, 16}, {INT, 32}, {QUEUE, 40}),
    F(cudaMemcpy3DAsync, {QUEUE, 8}),
    F(cudaMemset, {BYTES, 16}),
    F(cudaMemsetAsync, {BYTES, 16}, {QUEUE, 24}),
    F(cudaMemPrefetchAsync, {BYTES, 8}),
    F(cudaMalloc, {BYTES, 8}),
    F(cudaMallocManaged, {BYTES, 8}),
    F(cudaMallocHost, {BYTES, 8}),
    F(cudaHostAlloc, {BYTES, 8}),
    F(cudaMallocPitch, {AREA, 16}),
    F(cudaMallocAsync, {BYTES, 8}, {QUEUE, 16}),
    F(cudaMallocFromPoolAsync, {BYTES, 8}, {QUEUE, 24}),
    F(cudaFreeAsync, {QUEUE, 8}),
    F(cudaStreamCreate, {MADE, 0}),
    F(cudaStreamCreateWithFlags, {MADE, 0}),
    F(cudaStreamCreateWithPriority, {MADE, 0}),
    F(cudaStreamDestroy, {QUEUE, 0}),
    F(cudaStreamSynchronize, {QUEUE, 0}),
    F(cudaStreamQuery, {QUEUE, 0}),
    F(cudaEventRecord, {QUEUE, 8}),
    F(cudaEventRecordWithFlags, {QUEUE, 8}),
    F(cudaStreamWaitEvent, {QUEUE, 0}),
    F(cudaSetDevice, {INT, 0}),
    F(cuLaunchKernel, {KERNEL, 0}, {QUEUE, 40}),
    F(cuLaunchCooperativeKernel, {KERNEL, 0}, {QUEUE, 40}),
    F(cuLaunchKernelEx, {KERNEL, 0}, {QUEUE_IN, 0}),
    F(cuGraphLaunch, {QUEUE, 8}),
    F(cuMemcpy, {BYTES, 16}),
    F(cuMemcpyHtoD, {BYTES, 16}),
    F(cuMemcpyDtoH, {BYTES, 16}),
    F(cuMemcpyDtoD, {BYTES, 16}),
    F(cuMemcpyAsync, {BYTES, 16}, {QUEUE, 24}),
    F(cuMemcpyHtoDAsync, {BYTES, 16}, {QUEUE, 24}),
    F(cuMemcpyDtoHAsync, {BYTES, 16}, {QUEUE, 24}),
    F(cuMemcpyDtoDAsync, {BYTES, 16}, {QUEUE, 24}),
    F(cuMemcpy2DAsync, {QUEUE, 8}),
    F(cuMemcpy3DAsync, {QUEUE, 8}),
    F(cuMemsetD8, {BYTES, 16}),
    F(cuMemsetD32, {WORDS_4, 16}),
    F(cuMemsetD8Async, {BYTES, 16}, {QUEUE, 24}),
    F(cuMemsetD32Async, {WORDS_4, 16}, {QUEUE, 24}),
    F(cuMemAlloc, {BYTES, 8}),
    F(cuMemAllocManaged, {BYTES, 8}),
    F(cuMemAllocHost, {BYTES, 8}),
    F(cuMemHostAlloc, {BYTES, 8}),
    F(cuMemAllocPitch, {AREA, 16}),
    F(cuMemAllocAsync, {BYTES, 8}, {QUEUE, 16}),
    F(cuMemAllocFromPoolAsync, {BYTES, 8}, {QUEUE, 24}),
    F(cuMemFreeAsync, {QUEUE, 8}),
    F(cuStreamCreate, {MADE, 0}),
    F(cuStreamCreateWithPriority, {MADE, 0}),
    F(cuStreamDestroy, {QUEUE, 0}),
    F(cuStreamSynchronize, {QUEUE, 0}),
    F(cuStreamQuery, {QUEUE, 0}),
    F(cuEventRecord, {QUEUE, 8}),
    F(cuEventRecordWithFlags, {QUEUE, 8}),
    F(cuStreamWaitEvent, {QUEUE, 0}),
};

/* ---- Names ---- */

static size_t without(const char *name, size_t n, const char *ending)
{
    size_t m = strlen(ending);
    return n > m && strncmp(name + n - m, ending, m) == 0 ? n - m : n;
}

static size_t without_version(const char *name, size_t n)
{
    size_t digits = n;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') digits--;
    return digits < n && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_' ? digits - 2 : n;
}

/* cudaMemcpy_ptds_v7000, cuMemcpyHtoD_v2_ptds: which structure has the parameters, and which stream is the default. */
static size_t plain_length(const char *name)
{
    size_t n = without_version(name, strlen(name));
    return without_version(name, without(name, without(name, n, "_ptsz"), "_ptds"));
}

/* Functions of the driver of before CUDA 3.2, whose sizes have 32 bits: those that have a version are other ones. */
static int is_narrow(const char *name)
{
    static const char *const narrow[] = {
        "cuMemAlloc", "cuMemAllocHost", "cuMemAllocPitch", "cuMemcpyHtoD", "cuMemcpyDtoH", "cuMemcpyDtoD",
        "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync", "cuMemsetD8", "cuMemsetD32",
    };
    for (unsigned i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (strcmp(name, narrow[i]) == 0) return 1;
    return 0;
}

int tb_cuda_function(const char *name)
{
    size_t n = plain_length(name);
    for (int id = TB_ID_cudaLaunchKernel; id < TB_ID_cuda_queue && !is_narrow(name); id++)
        if (strncmp(tb_names[id], name, n) == 0 && !tb_names[id][n]) return id;
    return 0;
}

/* ---- Calls ---- */

static TB_TLS struct tb_call *call; /* in progress; NULL: it is not recorded */
static TB_TLS unsigned depth;

static uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static void put(const struct tb_cuda_call *about, int kind, const char *at)
{
    int number;
    switch (kind) {
    case KERNEL:
        tb_put_string(call, about->kernel ? about->kernel : "");
        break;
    case QUEUE_IN:
        at = (const char *)(uintptr_t)word_at(at);
        tb_put(call, at ? word_at(at + IN_CONFIGURATION) : 0);
        break;
    case QUEUE:
    case BYTES:
        tb_put(call, word_at(at));
        break;
    case AREA:
        tb_put(call, word_at(at) * word_at(at + 8));
        break;
    case WORDS_4:
        tb_put(call, word_at(at) * 4);
        break;
    case INT:
        memcpy(&number, at, sizeof number);
        tb_put_int(call, number);
    }
}

void tb_cuda_enter(int id, const struct tb_cuda_call *about)
{
    if (depth++ > 0) return;
    struct tb_thread *t = tb_current();
    if (!t || t->priv->muted || t->outer || !tb_enter(&t->priv->reported, id, VALUES, NULL, NULL, 0)) return;
    call = &t->priv->reported;
    const struct function *f = &functions[id - TB_ID_cudaLaunchKernel];
    for (int i = 0; i < VALUES; i++) put(about, f->value[i].kind, about->parameters + f->value[i].at);
    tb_begin(call);
}

void tb_cuda_leave(int id, const struct tb_cuda_call *about)
{
    if (depth == 0 || --depth > 0 || !call) return;
    const struct function *f = &functions[id - TB_ID_cudaLaunchKernel];
    int result = *about->returned;
    if (tb_end(call, result, 1) && result == 0 && f->value[0].kind == MADE) {
        const char *place = (const char *)(uintptr_t)word_at(about->parameters + f->value[0].at);
        tb_put(call, place ? word_at(place) : 0);
    }
    tb_commit(call);
    call = NULL;
}
