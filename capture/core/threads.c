/* Threads: their state, from their first call to their end. Their numbers: lives.c. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core/api.h"
#include "core/internal.h"
#include "core/lock.h"
#include "functions/functions.h"
#include "memory/memory.h"
#include "sites/sites.h"

/* Where tb_self points in a thread without state: something is held, so that every call takes the slow path before it
 * writes anything. */
static struct tb_thread nobody = {.held = 1};
__thread struct tb_thread *tb_self __attribute__((tls_model("initial-exec"))) = &nobody;
static TB_TLS int starting; /* tb_current is at work below us */

/* A block is private memory that a forked child sees as zeros: its state can never
 * be mistaken for the parent's, whatever made the child. */
static struct tb_thread *new_block(void)
{
    size_t size = sizeof(struct tb_thread_block);
    struct tb_thread_block *b = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) return NULL;
#ifdef MADV_WIPEONFORK
    madvise(b, size, MADV_WIPEONFORK); /* refused by old kernels: tb_child clears it */
#endif
    b->thread.priv = &b->priv;
    b->priv.chain = &b->chain;
    if ((b->thread.intern = tb_intern_new()) == NULL) {
        munmap(b, size);
        return NULL;
    }
    b->thread.again = b->thread.intern->again;
    b->chain.first = 1;
    return &b->thread;
}

static void stack_bounds(struct tb_thread_private *p)
{
    pthread_attr_t attr;
    void *low;
    size_t size;
    p->stack_low = p->stack_high = 0;
    if (p->tid != (uint32_t)tb_process.pid && tb_function_bounds(&p->stack_low, &p->stack_high)) return;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) return;
    if (pthread_attr_getstack(&attr, &low, &size) == 0) {
        p->stack_low = (uintptr_t)low;
        p->stack_high = p->stack_low + size;
    }
    pthread_attr_destroy(&attr);
}

/* Takes the state that the last thread with its number left, or a new one. */
static struct tb_thread *adopt_thread(struct tb_life *life)
{
    if (!life->state && (life->state = new_block())) life->state->priv->number = life->number;
    struct tb_thread *t = life->state;
    if (!t) return NULL;
    t->priv->tid = (uint32_t)syscall(SYS_gettid);
    t->priv->muted = 1;
    if (t->priv->number > 0) tb_clock_ordered();
    t->clock_due = tb_relaxed(tb_clock) ? 0 : ~(uint64_t)0;
    stack_bounds(t->priv);
    tb_chain_open(t);
    tb_memory_thread(t);
    tb_self = t;
    return t;
}

struct tb_thread *tb_queue_stream(uint64_t which)
{
    struct tb_life *life = tb_life_queue(which);
    struct tb_thread *t = life ? new_block() : NULL;
    if (!t) return NULL;
    life->state = t;
    t->priv->number = life->number;
    t->priv->tid = (uint32_t)tb_process.pid;
    tb_clock_ordered();
    t->clock_due = ~(uint64_t)0;
    tb_chain_open(t);
    return t;
}

void tb_queue_lost(struct tb_thread *t, uint64_t calls)
{
    if (t->seg == &t->priv->chain->sink) t->priv->chain->lost += calls;
    else tb_emit(t, TB_R_LOST, &calls, 1);
}

static void tell_end(struct tb_thread *t, int for_now)
{
    for (const struct tb_api *const *api = tb_apis; *api; api++)
        if ((*api)->thread_ends) (*api)->thread_ends(t, for_now);
}

void tb_thread_end(void)
{
    struct tb_thread *t = tb_self;
    if (t != &nobody && t->priv) {
        while (t->outer) tb_call_abandon(t);
        tell_end(t, 0);
    }
    tb_self = &nobody;
    if (t != &nobody && t->priv) {
        tb_sites_thread_end(t);
    }
    tb_memory_thread_end();
}

int tb_thread_pause(void)
{
    if (tb_self != &nobody && !tb_idle()) return 0;
    if (tb_self != &nobody) tell_end(tb_self, 1);
    tb_self = &nobody;
    return 1;
}

void tb_child(void)
{
    struct tb_thread *t = tb_self;
    tb_process.state = TB_INERT;
    tb_self = &nobody;
    if (t != &nobody) memset(t, 0, sizeof *t);
    tb_lives_child();
    tb_memory_child();
    for (const struct tb_api *const *api = tb_apis; *api; api++)
        if ((*api)->child) (*api)->child();
    tb_locks_child();
}

struct tb_thread *tb_idle(void)
{
    struct tb_thread *t = tb_self;
    return t != &nobody && t->priv && !t->priv->muted && !t->outer ? t : NULL;
}

struct tb_thread *tb_current(void)
{
    struct tb_thread *t = tb_self;
#ifdef TB_NOOP
    return NULL;
#endif
    if (tb_likely(t != &nobody)) {
        if (tb_likely(t->priv != NULL)) return t;
        tb_child(); /* a fork that ran no handler */
        return NULL;
    }
    if (tb_process.state == TB_INERT || starting) return NULL;
    if ((t = tb_life_resume()) != NULL) return tb_self = t;
    starting = 1;
    struct tb_cancel cancel = tb_cancel_off();
    t = NULL;
    if (tb_process.state == TB_ACTIVE && tb_process.pid != (int)getpid()) tb_child();
    else if (tb_process_start()) {
        struct tb_life *life = tb_life_mine();
        if (life && (t = adopt_thread(life)) != NULL) {
            tb_process_records(t);
            tb_life_begins(t, life);
            t->priv->muted = 0;
        }
    }
    starting = 0;
    tb_cancel_on(cancel);
    return t;
}
