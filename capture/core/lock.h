/* Memory and locks for the runtime itself, where the program's allocator and its signal handlers
 * are in the way. */
#ifndef TABARD_LOCK_H
#define TABARD_LOCK_H
#include "core/core.h"

#pragma GCC visibility push(hidden)

/* A thread's own. It is scarce: where an auditor is loaded (LD_AUDIT) the loader sets some 1,600 bytes aside for all
 * libraries together, and does not start the program if they need more. */
#define TB_TLS __thread __attribute__((tls_model("initial-exec")))

/* Straight from the kernel, never from malloc: zeroed, NULL if there is none; keeps errno. */
void *tb_map_pages(size_t bytes, int wipe_on_fork);
void tb_unmap_pages(void *p, size_t bytes);

/* A lock that a signal handler cannot deadlock on: a thread that already holds a lock is refused,
 * as is everybody in a forked child and anyone who has waited for seconds. Keeps errno. */
struct tb_lock { int held; };
int tb_lock_take(struct tb_lock *l);
void tb_lock_drop(struct tb_lock *l);
void tb_locks_child(void);              /* in a forked child: this thread holds none */
void tb_wait_flag(const uint8_t *flag); /* until it is set by another thread, or for some seconds */
enum { TB_LOCK_PATIENCE_S = 10 };

/* From here to tb_cancel_on the thread cannot be cancelled: whoever ends in between leaves locks behind. The type is
 * deferred meanwhile, and comes back last: C libraries that find a cancellation pending when an asynchronous thread
 * enables it again end the thread without saying that it was cancelled. */
struct tb_cancel { int state, type; };
static inline struct tb_cancel tb_cancel_off(void)
{
    struct tb_cancel was;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was.state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &was.type);
    return was;
}
static inline void tb_cancel_on(struct tb_cancel was)
{
    pthread_setcancelstate(was.state, NULL);
    pthread_setcanceltype(was.type, NULL);
}

/* State that reads as zero in a forked child, where it means "off". */
struct tb_shared {
    int alive;
    struct tb_lock segments, modules, stacks;
};
extern struct tb_shared *tb_shared;
void tb_shared_init(void);
static inline int tb_shared_alive(void) { return tb_shared && __atomic_load_n(&tb_shared->alive, __ATOMIC_RELAXED); }

#pragma GCC visibility pop
#endif
