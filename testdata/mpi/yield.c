/* LD_PRELOAD aid: makes MPICH's UCX transport give the core away when a poll
 * found nothing, so that more ranks than cores run at a sane speed.
 *   cc -O2 -fPIC -shared -o yield.so yield.c -ldl
 * It also stands for a preload of the user's own, which Tabard must keep. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

/* Two polls: one may come just before the event it waits for. */
enum { PATIENCE = 2 };

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    static __thread int fruitless;

    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, __func__);
        if (next == NULL) return 0;
    }
    unsigned progressed = next(worker);
    fruitless = progressed ? 0 : fruitless + 1;
    if (fruitless >= PATIENCE) {
        fruitless = 0;
        sched_yield();
    }
    return progressed;
}
