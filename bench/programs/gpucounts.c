/* What GPUs do as NVIDIA's own headers have it, to compare recordings with: CUDA's driver loads this library by
 * CUDA_INJECTION64_PATH. It writes a line for each kernel, copy and memory that is set to the file GPU_COUNTS.
 *
 * GPU_COUNTS_CALLS has CUPTI tell of calls, too, which costs what it costs every tool: r those of the runtime, d those
 * of the driver; b: with one buffer for all threads. */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel;
typedef CUpti_ActivityMemcpy6 copy;
typedef CUpti_ActivityMemset4 set;
#else
typedef CUpti_ActivityKernel9 kernel;
typedef CUpti_ActivityMemcpy5 copy;
typedef CUpti_ActivityMemset4 set;
#endif

static FILE *out;

static void CUPTIAPI on_call(void *own, CUpti_CallbackDomain domain, CUpti_CallbackId number, const void *about)
{
    (void)own, (void)domain, (void)number, (void)about;
}

static void CUPTIAPI request(uint8_t **buffer, size_t *bytes, size_t *records)
{
    *bytes = 4 << 20, *records = 0;
    *buffer = aligned_alloc(8, *bytes);
}

static void CUPTIAPI complete(CUcontext context, uint32_t queue, uint8_t *buffer, size_t bytes, size_t filled)
{
    CUpti_Activity *one = NULL;
    (void)context, (void)queue, (void)bytes;
    while (cuptiActivityGetNextRecord(buffer, filled, &one) == CUPTI_SUCCESS) {
        if (one->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            kernel *k = (kernel *)one;
            fprintf(out, "%llu cuda_kernel %d %d %d %d %d %d %d %d %s\n", (unsigned long long)(k->end - k->start), k->gridX,
                    k->gridY, k->gridZ, k->blockX, k->blockY, k->blockZ, k->staticSharedMemory + k->dynamicSharedMemory,
                    k->registersPerThread, k->name);
        } else if (one->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            copy *c = (copy *)one;
            fprintf(out, "%llu cuda_copy %d %llu\n", (unsigned long long)(c->end - c->start), c->copyKind,
                    (unsigned long long)c->bytes);
        } else if (one->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
            set *s = (set *)one;
            fprintf(out, "%llu cuda_set %llu\n", (unsigned long long)(s->end - s->start), (unsigned long long)s->bytes);
        }
    }
    free(buffer);
}

static void at_exit(void)
{
    cuptiActivityFlushAll(1);
    fclose(out);
}

int InitializeInjection(void)
{
    const char *file = getenv("GPU_COUNTS");
    if (out || !file || !(out = fopen(file, "w"))) return 1;
    const char *calls = getenv("GPU_COUNTS_CALLS");
    uint8_t off = 0;
    size_t bytes = sizeof off;
#if CUPTI_API_VERSION >= 22 /* CUDA 12.3 */
    if (calls && strchr(calls, 'b')) cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &off);
#endif
    cuptiActivityRegisterCallbacks(request, complete);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET);
    CUpti_SubscriberHandle subscriber;
    if (calls && cuptiSubscribe(&subscriber, on_call, NULL) == CUPTI_SUCCESS) {
        if (strchr(calls, 'r')) cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
        if (strchr(calls, 'd')) cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
    }
    atexit(at_exit);
    return 1;
}
