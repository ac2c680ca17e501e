/* Pages and locks of the runtime: see lock.h. */
#define _GNU_SOURCE
#include "core/lock.h"
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct tb_shared *tb_shared;

void tb_shared_init(void)
{
    if (tb_shared) return;
    struct tb_shared *s = tb_map_pages(4096, 1), *none = NULL;
    if (!s) return;
    s->alive = 1;
    if (!__atomic_compare_exchange_n(&tb_shared, &none, s, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        tb_unmap_pages(s, 4096);
}

/* ---- Pages ---- */

void *tb_map_pages(size_t bytes, int wipe_on_fork)
{
    int saved = errno;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    long r = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0L);
    void *p = r == -1 ? NULL : (void *)r;
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
    if (p && wipe_on_fork) syscall(SYS_madvise, p, bytes, MADV_WIPEONFORK);
    /* Sparse by design: a huge page would make one touched byte cost 2 MiB. */
    if (p) syscall(SYS_madvise, p, bytes, MADV_NOHUGEPAGE);
    errno = saved;
    return p;
}

void tb_unmap_pages(void *p, size_t bytes)
{
    int saved = errno;
    syscall(SYS_munmap, p, bytes);
    errno = saved;
}

/* ---- Locks ---- */

static TB_TLS int inside; /* this thread holds, takes or drops a lock */

/* After TB_LOCK_PATIENCE_S somebody died with the lock, or left its critical section by a jump out
 * of a signal handler: from here on addresses are not followed any more. */
static TB_COLD int wait_for(struct tb_lock *l)
{
    int saved = errno, ok = 0;
    uint64_t until = tb_monotonic() + TB_LOCK_PATIENCE_S * 1000000000ull;
    for (unsigned i = 1; tb_shared_alive(); i++) {
        if (!__atomic_load_n(&l->held, __ATOMIC_RELAXED) && !__atomic_exchange_n(&l->held, 1, __ATOMIC_ACQUIRE)) {
            ok = 1;
            break;
        }
        if (i % 64) continue;
        if (i < 64 * 64) {
            sched_yield();
            continue;
        }
        syscall(SYS_nanosleep, &(struct timespec){0, 50000}, NULL); /* nanosleep is a cancellation point */
        if (tb_monotonic() > until) __atomic_store_n(&tb_shared->alive, 0, __ATOMIC_RELAXED);
    }
    errno = saved;
    return ok;
}

int tb_lock_take(struct tb_lock *l)
{
    if (inside || !tb_shared_alive()) return 0;
    inside = 1;
    tb_barrier();
    if (tb_likely(!__atomic_exchange_n(&l->held, 1, __ATOMIC_ACQUIRE)) || wait_for(l)) return 1;
    inside = 0;
    return 0;
}

void tb_lock_drop(struct tb_lock *l)
{
    __atomic_store_n(&l->held, 0, __ATOMIC_RELEASE);
    tb_barrier();
    inside = 0;
}

void tb_wait_flag(const uint8_t *flag)
{
    uint64_t until = tb_monotonic() + TB_LOCK_PATIENCE_S * 1000000000ull;
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) && tb_monotonic() < until) sched_yield();
}

void tb_locks_child(void) { inside = 0; }
