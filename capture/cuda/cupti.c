/* CUPTI, NVIDIA's library for tools: it is loaded into the program only if CUDA is to be recorded, and the program
 * begins to use a GPU. The driver then loads what CUDA_INJECTION64_PATH names, which is this library, and calls it. No
 * header of NVIDIA's is needed.
 *
 * CUPTI serves one tool at a time. If there is one already, that stays, and CUDA is not recorded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "core/core.h"
#include "core/ids.h"
#include "cuda/cuda.h"

/* ---- The library ---- */

typedef void *subscriber;
typedef void on_call_function(void *own, int domain, uint32_t number, const struct tb_cuda_call *about);
typedef void request_function(uint8_t **buffer, size_t *bytes, size_t *records);
typedef void complete_function(void *context, uint32_t queue, uint8_t *buffer, size_t bytes, size_t filled);

static struct {
    int (*Subscribe)(subscriber *, on_call_function *, void *);
    int (*Unsubscribe)(subscriber);
    int (*EnableCallback)(uint32_t enable, subscriber, int domain, uint32_t number);
    int (*GetCallbackName)(int domain, uint32_t number, const char **name);
    int (*ActivityRegisterCallbacks)(request_function *, complete_function *);
    int (*ActivityEnable)(int kind);
    int (*ActivityGetNextRecord)(uint8_t *buffer, size_t bytes, const void **record);
    int (*ActivityGetNumDroppedRecords)(void *context, uint32_t queue, size_t *dropped);
    int (*ActivityFlushAll)(uint32_t how);
    int (*GetTimestamp)(uint64_t *now);
    int (*ActivitySetAttribute)(int attribute, size_t *bytes, void *value);
} cupti;

static const struct { void *to; const char *name; } functions[] = {
    {&cupti.Subscribe, "cuptiSubscribe"},
    {&cupti.Unsubscribe, "cuptiUnsubscribe"},
    {&cupti.EnableCallback, "cuptiEnableCallback"},
    {&cupti.GetCallbackName, "cuptiGetCallbackName"},
    {&cupti.ActivityRegisterCallbacks, "cuptiActivityRegisterCallbacks"},
    {&cupti.ActivityEnable, "cuptiActivityEnable"},
    {&cupti.ActivityGetNextRecord, "cuptiActivityGetNextRecord"},
    {&cupti.ActivityGetNumDroppedRecords, "cuptiActivityGetNumDroppedRecords"},
    {&cupti.ActivityFlushAll, "cuptiActivityFlushAll"},
    {&cupti.GetTimestamp, "cuptiGetTimestamp"},
    {&cupti.ActivitySetAttribute, "cuptiActivitySetAttribute"},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int load_from(void *library)
{
    if (!library) return 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        void *f = dlsym(library, functions[i].name);
        if (!f) return 0;
        memcpy(functions[i].to, &f, sizeof f);
    }
    return 1;
}

/* The one that the program has already, such as PyTorch's; the one that TABARD_CUPTI names; the one that the dynamic
 * linker finds; that of an installation of CUDA. */
static int load(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so.11.7",
                                        "libcupti.so.11.6", "libcupti.so.11.5", "libcupti.so"};
    enum { NAMES = sizeof names / sizeof *names };
    const char *own = getenv("TABARD_CUPTI"), *home = getenv("CUDA_HOME");
    char path[4096];
    if (own && *own) return load_from(dlopen(own, RTLD_NOW | RTLD_LOCAL));
    for (int i = 0; i < NAMES; i++)
        if (load_from(dlopen(names[i], RTLD_NOW | RTLD_NOLOAD))) return 1;
    for (int i = 0; i < NAMES; i++)
        if (load_from(dlopen(names[i], RTLD_NOW | RTLD_LOCAL))) return 1;
    static const char *const folders[] = {"extras/CUPTI/lib64", "lib64"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/libcupti.so", home && *home ? home : "/usr/local/cuda", folders[i]);
        if (load_from(dlopen(path, RTLD_NOW | RTLD_LOCAL))) return 1;
    }
    return 0;
}

/* ---- What it calls ---- */

enum { DRIVER = 1, RUNTIME = 2 }; /* CUpti_CallbackDomain */
enum { NUMBERS = 2048 };
static uint16_t ids[3][NUMBERS]; /* of functions, by CUPTI's numbers */
static int over;                 /* nothing is recorded any more */

static int is_over(void) { return __atomic_load_n(&over, __ATOMIC_RELAXED); }

static void on_call(void *own, int domain, uint32_t number, const struct tb_cuda_call *about)
{
    (void)own;
    int saved = errno, id = (domain == DRIVER || domain == RUNTIME) && number < NUMBERS ? ids[domain][number] : 0;
    if (!id || is_over()) return;
    if (*(const int *)about == 0) tb_cuda_enter(id, about);
    else tb_cuda_leave(id, about);
    errno = saved;
}

enum { BUFFER = 1 << 20 };

static void request(uint8_t **buffer, size_t *bytes, size_t *records)
{
    *buffer = aligned_alloc(8, BUFFER); /* NULL: CUPTI counts what it drops */
    *bytes = *buffer ? BUFFER : 0;
    *records = 0;
}

static struct tb_cuda_time read_clocks(void)
{
    struct tb_cuda_time now = {0, tb_now()};
    if (cupti.GetTimestamp(&now.cupti) != 0) return (struct tb_cuda_time){0, 0};
    now.ticks += (tb_now() - now.ticks) / 2;
    return now;
}

static void complete(void *context, uint32_t queue, uint8_t *buffer, size_t bytes, size_t filled)
{
    int saved = errno;
    size_t dropped = 0;
    (void)bytes;
    if (!is_over()) {
        if (cupti.ActivityGetNumDroppedRecords(context, queue, &dropped) == 0 && dropped) tb_cuda_lost(dropped);
        if (filled) tb_cuda_write(buffer, filled, cupti.ActivityGetNextRecord, read_clocks());
    }
    free(buffer);
    errno = saved;
}

static pthread_mutex_t flushing = PTHREAD_MUTEX_INITIALIZER;

/* CUPTI hands over what is in buffers that are not full; forced: and those with what has not ended. Not in a forked
 * child, where CUPTI's threads are not. */
static int flush_buffers(uint32_t forced)
{
    if (is_over() || !cupti.ActivityFlushAll || tb_process.state != TB_ACTIVE || tb_process.pid != (int)getpid()) return 0;
    pthread_mutex_lock(&flushing);
    int flushed = !is_over() && cupti.ActivityFlushAll(forced) == 0;
    pthread_mutex_unlock(&flushing);
    return flushed;
}

static void flush(void)
{
    if (flush_buffers(0)) tb_cuda_release(1);
}

static void stop(void) { __atomic_store_n(&over, 1, __ATOMIC_RELAXED); }

static void at_exit(void)
{
    if (flush_buffers(1)) tb_cuda_release(1);
    pthread_mutex_lock(&flushing); /* CUPTI ends after this */
    stop();
    pthread_mutex_unlock(&flushing);
}

/* CUPTI itself hands over full buffers only: of a process that is killed all that it did last would be lost. */
static void *flush_now_and_then(void *unused)
{
    const struct timespec each = {TB_CUDA_EACH / 1000, TB_CUDA_EACH % 1000 * 1000000L};
    prctl(PR_SET_NAME, "tabard-cuda");
    while (!is_over()) {
        nanosleep(&each, NULL);
        if (flush_buffers(0)) tb_cuda_release(0);
    }
    return unused;
}

/* By the C library's function: this is no thread of the program. */
static void begin_to_flush(void)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *f = dlsym(RTLD_NEXT, "pthread_create");
    sigset_t all, before;
    pthread_t id;
    if (!f) return;
    memcpy(&create, &f, sizeof f);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (create(&id, NULL, flush_now_and_then, NULL) == 0) pthread_detach(id);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void child(void)
{
    pthread_mutex_init(&flushing, NULL);
    stop();
    tb_cuda_child();
}

/* ---- Begin ---- */

static void follow(subscriber s, int domain)
{
    const char *name;
    for (uint32_t n = 1; n < NUMBERS; n++) {
        if (cupti.GetCallbackName(domain, n, &name) != 0 || !name) continue;
        ids[domain][n] = (uint16_t)tb_cuda_function(name);
        if (ids[domain][n]) cupti.EnableCallback(1, s, domain, n);
    }
}

/* What is in the way; NULL: nothing. */
static const char *begin(void)
{
    static const int kinds[] = {TB_CUDA_KERNEL, TB_CUDA_COPY, TB_CUDA_SET, TB_CUDA_COPY_BETWEEN};
    enum { OTHER_TOOL = 39, BUFFER_FOR_EACH_THREAD = 9 };
    uint8_t off = 0;
    size_t bytes = sizeof off;
    subscriber s;
    if (!load()) return "CUPTI was not found (TABARD_CUPTI=PATH says where libcupti.so is)";
    int failed = cupti.Subscribe(&s, on_call, NULL);
    if (failed) return failed == OTHER_TOOL ? "another tool uses CUPTI" : "CUPTI cannot be used here";
    tb_clock_ordered();
    struct tb_cuda_time now = read_clocks();
    cupti.ActivitySetAttribute(BUFFER_FOR_EACH_THREAD, &bytes, &off); /* from CUDA 12.3 on */
    failed = !now.cupti || cupti.ActivityRegisterCallbacks(request, complete) != 0;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds && !failed; i++)
        failed = cupti.ActivityEnable(kinds[i]) != 0;
    if (failed) {
        cupti.Unsubscribe(s);
        return "CUPTI refuses to record what GPUs do: another tool may use it";
    }
    tb_cuda_clock(now);
    follow(s, RUNTIME);
    follow(s, DRIVER);
    begin_to_flush();
    atexit(at_exit);
    return NULL;
}

/* Called by the driver, which this process begins to use. */
TB_EXPORT int InitializeInjection(void)
{
    static int called;
    int saved = errno;
    struct tb_thread *t;
    if (__atomic_exchange_n(&called, 1, __ATOMIC_RELAXED) || !tb_is_chosen(TB_ID_cudaLaunchKernel) ||
        !(t = tb_current())) return 1;
    const char *problem = begin();
    char fact[160];
    snprintf(fact, sizeof fact, "cuda_problem=%s", problem ? problem : "");
    if (problem) tb_emit_fact(t, fact);
    errno = saved;
    return 1;
}

const struct tb_api tb_api_cuda = {.ending = flush, .child = child};
