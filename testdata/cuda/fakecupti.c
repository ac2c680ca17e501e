/* Stands for CUPTI, with the layouts of CUPTI 12's headers: the stand-in for CUDA (fakecudart.c) tells it of calls and of
 * work, and it tells the tool that has subscribed. FAKE_CUPTI=busy: there is a tool already; full: it had no room for
 * three records. Buffers are handed over when they are full, and when the tool asks. Kernels have one, other work has
 * another, so that what a queue did first may come later: CUPTI may have a buffer for each thread of the program. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void on_call(void *own, int domain, uint32_t number, const void *about);
typedef void on_request(uint8_t **buffer, size_t *bytes, size_t *records);
typedef void on_complete(void *context, uint32_t queue, uint8_t *buffer, size_t bytes, size_t filled);

struct kernel {
    int kind;
    uint8_t cache, shared_config;
    uint16_t registers;
    int cache_asked, cache_given;
    uint64_t start, end, completed;
    uint32_t device, context, queue;
    int grid[3], block[3], static_shared, dynamic_shared;
    uint32_t local, local_total, correlation;
    int64_t number;
    const char *name;
    uint8_t rest[96];
};
struct copy {
    int kind;
    uint8_t direction, from, to, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, queue, correlation;
    uint8_t rest[48];
};
struct call {
    int where;
    const char *function;
    const void *parameters;
    void *returned;
    const char *kernel;
    void *context;
    uint32_t context_number;
    uint64_t *own;
    uint32_t correlation;
};

static const struct { int domain; uint32_t number; const char *name; } names[] = {
    {2, 20, "cudaMalloc_v3020"}, {2, 22, "cudaFree_v3020"}, {2, 41, "cudaMemcpyAsync_v3020"},
    {2, 129, "cudaStreamCreate_v3020"}, {2, 131, "cudaStreamSynchronize_v3020"}, {2, 165, "cudaDeviceSynchronize_v3020"},
    {2, 51, "cudaMemsetAsync_v3020"}, {2, 211, "cudaLaunchKernel_v7000"}, {2, 214, "cudaLaunchKernel_ptsz_v7000"},
    {2, 10, "cudaGetLastError_v3020"}, {1, 307, "cuLaunchKernel"}, {1, 43, "cuMemcpyHtoD"},
    {1, 397, "cuMemcpyHtoD_v2_ptds"},
};

static on_call *tool;
static on_request *request;
static on_complete *complete;
static uint8_t on[3][2048];
static struct buffer { uint8_t *at; size_t room, filled; } buffers[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a tool asks on a thread of its own */
static size_t dropped;
static unsigned enabled; /* kinds of records */

int cuptiSubscribe(void **subscriber, on_call *f, void *own)
{
    const char *fake = getenv("FAKE_CUPTI");
    (void)own;
    if (fake && strcmp(fake, "busy") == 0) return 39;
    if (fake && strcmp(fake, "full") == 0) dropped = 3;
    tool = f;
    *subscriber = &tool;
    return 0;
}
int cuptiUnsubscribe(void *subscriber) { (void)subscriber; tool = NULL; return 0; }
int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t number)
{
    (void)subscriber;
    on[domain][number] = (uint8_t)enable;
    return 0;
}
int cuptiGetCallbackName(int domain, uint32_t number, const char **name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].domain == domain && names[i].number == number) return *name = names[i].name, 0;
    return 1;
}
int cuptiActivityRegisterCallbacks(on_request *r, on_complete *c) { request = r, complete = c; return 0; }
int cuptiActivityEnable(int kind) { enabled |= 1u << kind; return 0; }
int cuptiGetTimestamp(uint64_t *now)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    *now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    return 0;
}

static size_t size_of(const void *record) { return *(const int *)record < 10 ? sizeof(struct copy) : sizeof(struct kernel); }

int cuptiActivityGetNextRecord(uint8_t *b, size_t bytes, const void **record)
{
    const uint8_t *next = *record ? (const uint8_t *)*record + size_of(*record) : b;
    if (next >= b + bytes) return 12;
    *record = next;
    return 0;
}
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t queue, size_t *n)
{
    (void)context, (void)queue;
    *n = dropped;
    dropped = 0;
    return 0;
}
static void hand_over(int i)
{
    pthread_mutex_lock(&lock);
    struct buffer b = buffers[i];
    buffers[i] = (struct buffer){NULL, 0, 0};
    pthread_mutex_unlock(&lock);
    if (b.at) complete(NULL, 0, b.at, b.room, b.filled);
}
int cuptiActivitySetAttribute(int attribute, size_t *bytes, void *value)
{
    (void)attribute, (void)bytes, (void)value;
    return 1; /* as a CUPTI that knows it not */
}
int cuptiActivityFlushAll(uint32_t how)
{
    (void)how;
    hand_over(1);
    hand_over(0);
    return 0;
}

/* ---- What the stand-in for CUDA calls ---- */

void fake_call(int after, int domain, uint32_t number, const void *parameters, int *returned, const char *kernel)
{
    static uint64_t own;
    struct call c = {after, "", parameters, returned, kernel, NULL, 1, &own, 0};
    if (tool && on[domain][number]) tool(NULL, domain, number, &c);
}

static void add(const void *record, size_t n)
{
    size_t records;
    int i = *(const int *)record == 10;
    if (!request || !(enabled >> *(const int *)record & 1)) return;
    if (buffers[i].at && buffers[i].room - buffers[i].filled < n) hand_over(i); /* by this thread only */
    pthread_mutex_lock(&lock);
    if (!buffers[i].at) request(&buffers[i].at, &buffers[i].room, &records);
    memcpy(buffers[i].at + buffers[i].filled, record, n);
    buffers[i].filled += n;
    pthread_mutex_unlock(&lock);
}

void fake_kernel(uint32_t queue, uint64_t start, uint64_t end, const char *name, int grid, int block)
{
    struct kernel k = {.kind = 10, .registers = 32, .start = start, .end = end, .context = 1, .queue = queue,
                       .grid = {grid, 1, 1}, .block = {block, 1, 1}, .static_shared = 16, .dynamic_shared = 64, .name = name};
    add(&k, sizeof k);
}
void fake_copy(int kind, int direction, uint32_t queue, uint64_t start, uint64_t end, uint64_t bytes)
{
    struct copy c = {.kind = kind, .direction = (uint8_t)direction, .bytes = bytes, .start = start, .end = end, .context = 1,
                     .queue = queue};
    add(&c, sizeof c);
}
