/* What is known of function calls, to the thread's stream; and what a thread needs before its first one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core/api.h"
#include "core/files.h"
#include "core/guard.h"
#include "core/ids.h"
#include "core/internal.h"
#include "core/lock.h"
#include "functions/functions.h"
#include "functions/state.h"
#include "sites/modules.h"

_Static_assert(offsetof(struct tbf_state, frames) == TBF_PAGE, "the header is a page");

/* ---- Threads ---- */

/* Sparse: pages are there when they are used. If the file cannot have another one, guard.c puts memory there. */
static struct tbf_state *map_state(uint32_t thread)
{
    char name[64];
    struct tbf_state *s = MAP_FAILED;
    snprintf(name, sizeof name, "f.%d-%llu.%u", tb_process.pid, (unsigned long long)tb_process.pid_start, thread);
    int fd = tb_file_open(tb_process.dir, name, O_RDWR | O_CREAT | O_TRUNC);
    if (fd >= 0) {
        if (ftruncate(fd, sizeof *s) == 0) s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
    if (s != MAP_FAILED && !tb_guard_add(s, sizeof *s)) {
        munmap(s, sizeof *s);
        s = MAP_FAILED;
    }
    if (s == MAP_FAILED) return tb_map_pages(sizeof *s, 1); /* what is under way is lost if the program is killed */
    madvise(s, sizeof *s, MADV_DONTFORK);
    return s;
}

void tbf_begin(void *unused)
{
    (void)unused;
    if (!tb_process.dir[0] && tb_process.state == TB_NEW) return; /* too early in the process */
    int saved = errno;
    struct tb_thread *th = tb_current();
    struct tbf_thread *t = th ? th->priv->functions : NULL;
    if (th && !t && !th->priv->muted && (t = tb_map_pages(sizeof *t, 1)) != NULL) {
        t->s = map_state(th->priv->number);
        if (t->s) {
            t->s->thread = th->priv->number;
            t->s->magic = TBF_MAGIC;
            t->thread = th;
            t->limit = tbf_depth;
            th->priv->functions = t;
        }
    }
    if (t && t->s) {
        if (t->tid != th->priv->tid) { /* the state of a thread that does without it now */
            t->tid = th->priv->tid;
            t->base = t->deep = 0;
            while (t->s->depth) tbf_pop(t);
        }
        t->stack[0].low = th->priv->stack_low;
        t->stack[0].high = th->priv->stack_high;
        t->stacks = 1;
        t->base = t->deep = 0;
        tbf_self = t;
        t->ready = 1;
    } else if (!th || !th->priv->muted) {
        tbf_self = &tbf_refused;
    }
    errno = saved;
}

void tbf_room(void *thread)
{
    struct tbf_thread *t = thread;
    uint32_t room = t->room ? 2 * t->room : TBF_QUEUE;
    struct tbf_event *q = room <= 1u << 24 ? tb_map_pages(room * sizeof *q, 1) : NULL, *old = t->queue;
    if (!q) return;
    for (uint32_t i = 0; i < t->queued; i++) q[i] = old[i];
    t->queue = q;
    t->room = room;
    /* The old one is not given back: who is interrupted here may be reading it. */
}

/* ---- Names ---- */

/* As a segment word of its own class: RAW if the place is in no module. */
static uint64_t word_of(struct tb_thread *th, uint32_t function)
{
    uintptr_t a = tbf_address(function);
    struct tb_module *m = a ? tbf_module(function, a) : NULL;
    if (!m || !tb_module_announce(th, m)) return (uint64_t)TB_W_RAW << 60 | (a & 0xfffffffffffffff);
    return (uint64_t)TB_W_FUNCTION << 60 | (tb_module_word(m, a) & 0xfffffffffffffff);
}

void tbf_see(void *seen)
{
    struct tbf_seen *x = seen;
    int saved = errno;
    x->t->s->words[x->function] = word_of(x->t->thread, x->function);
    errno = saved;
}

static uint64_t number_word(const struct tbf_state *s, uint32_t number)
{
    if (!(number & TBF_NODE)) return s->words[number % TBF_FUNCTIONS];
    return (uint64_t)TB_W_TREE << 60 | (uint64_t)s->thread << 40 | (s->base + number % TBF_NODES);
}

/* ---- Records ---- */

/* The stream has all nodes up to this one. */
static void define(struct tbf_thread *t, uint32_t last)
{
    struct tbf_state *s = t->s;
    for (; s->defined <= last; s->defined++) {
        const struct tbf_node *k = &s->nodes_at[s->defined];
        uint64_t *w = tb_emit_room(t->thread, 2 + 2 * k->count);
        if (!w) continue;
        *w++ = number_word(s, TBF_NODE | s->defined);
        *w++ = k->function < TBF_INSIDE ? number_word(s, k->function) : 0;
        for (uint32_t i = 0; i < k->count; i++) {
            uint64_t item = s->stores[k->first + i];
            *w++ = number_word(s, (uint32_t)item);
            *w++ = item >> 32;
        }
        tb_emit_done(t->thread, TB_R_TREE, 2 + 2 * k->count);
    }
}

static void write_item(struct tbf_thread *t, uint32_t at, uint64_t now)
{
    struct tbf_state *s = t->s;
    uint32_t number = (uint32_t)s->items[at];
    uint64_t times = s->items[at] >> 32, start = now, end = now;
    int id = TB_ID_function_calls;
    if (number & TBF_NODE) {
        uint32_t i = number % TBF_NODES;
        if (i >= s->defined) define(t, i);
        if (s->nodes_at[i].function == TBF_INSIDE) id = TB_ID_function_inside;
    }
    if (tbf_times == TB_TIMES_ALL) start = s->times[at][0], end = s->times[at][1];
    tb_emit_event(t->thread, (uint16_t)id, number_word(s, number), start, end, &times, 1);
}

static void write_open(struct tbf_thread *t, const struct tbf_frame *f, uint64_t now)
{
    if (f->function >= TBF_INSIDE) return;
    uint64_t start = tbf_times == TB_TIMES_OFF ? now : f->start;
    tb_emit_event(t->thread, TB_ID_function_open, number_word(t->s, f->function), start, start, NULL, 0);
}

static void write_all(struct tbf_thread *t)
{
    struct tbf_state *s = t->s;
    uint32_t at = 0;
    uint64_t now = tb_now();
    t->thread->priv->muted++;
    for (uint32_t d = s->opened; d < s->depth; d++) {
        for (; at < s->frames[d].first; at++) write_item(t, at, now);
        write_open(t, &s->frames[d], now);
    }
    for (; at < s->top; at++) write_item(t, at, now);
    for (uint32_t d = s->opened; d < s->depth; d++) s->frames[d].first = 0;
    s->top = 0;
    s->opened = s->depth;
    t->thread->held = 0;
    t->thread->priv->muted--;
}

void tbf_write(void *thread)
{
    struct tbf_thread *t = thread;
    int saved = errno;
    /* What a recorded call did inside has its place behind that call, and is not taken apart. */
    if (!t->thread->outer || t->s->top == TBF_ITEMS) write_all(t);
    errno = saved;
}

void tbf_close(void *thread)
{
    struct tbf_thread *t = thread;
    struct tbf_state *s = t->s;
    int saved = errno;
    if (s->top) write_all(t);
    s->depth--;
    s->opened = s->depth;
    uint64_t now = tb_now();
    t->thread->priv->muted++;
    if (s->frames[s->depth].function == TBF_INSIDE) t->limit -= tbf_limited;
    else if (!tb_process.finalized)
        tb_emit_event(t->thread, TB_ID_function_close, 0, now, now, NULL, 0);
    t->thread->priv->muted--;
    errno = saved;
}

/* ---- When there are too many different trees ---- */

/* A tree is worth its node if it is seen again so often, on average. */
enum { WORTH = 16 };

/* The function whose calls without calls stand in most nodes is only counted from now on. */
static void count_hottest(struct tbf_thread *t)
{
    struct tbf_state *s = t->s;
    uint32_t *in = tb_map_pages(TBF_FUNCTIONS * sizeof *in, 0), best = TBF_NONE;
    if (!in) return;
    for (uint32_t i = 0; i < s->stored; i++) {
        uint32_t f = (uint32_t)s->stores[i];
        if (f >= TBF_FUNCTIONS) continue;
        in[f]++;
        if (best == TBF_NONE || in[f] > in[best]) best = f;
    }
    tb_unmap_pages(in, TBF_FUNCTIONS * sizeof *in);
    if (best == TBF_NONE || s->counts[best]) return;
    uint64_t none = 0, now = tb_now();
    s->counts[best] = TBF_COUNTED;
    s->counts_any = 1;
    tb_emit_event(t->thread, TB_ID_function_counted, number_word(s, best), now, now, &none, 1);
}

void tbf_forget(void *thread)
{
    struct tbf_thread *t = thread;
    struct tbf_state *s = t->s;
    int saved = errno;
    write_all(t);
    t->thread->priv->muted++;
    if (t->returns < (uint64_t)WORTH * TBF_NODES) count_hottest(t);
    t->thread->priv->muted--;
    t->returns = 0;
    s->base += s->nodes;
    s->nodes = s->stored = s->defined = 0;
    for (uint32_t i = 0; i < TBF_HASH; i++) s->hash[i] = 0;
    errno = saved;
}

/* ---- What the core asks for ---- */

/* A call of an API begins, which is recorded: what was before it comes first. */
static void before(struct tb_thread *th)
{
    struct tbf_thread *t = th->priv->functions;
    th->held = 0;
    if (!t || !t->s || !t->ready || th->outer) return; /* not ready: a signal handler has interrupted us */
    t->ready = 0;
    tb_barrier();
    t->inside = 0;
    struct tbf_state *s = t->s;
    uint32_t inside = 0;
    for (uint32_t d = s->opened; d < s->depth; d++)
        if (s->frames[d].function == TBF_INSIDE) {
            inside = d + 1;
            break;
        }
    while (inside && s->depth >= inside) tbf_pop(t); /* of a call that has returned */
    write_all(t);
    tb_barrier();
    tb_publish(t->ready, 1);
    if (t->queued) tbf_drain(t);
}

static void thread_ends(struct tb_thread *th, int for_now)
{
    before(th);
    if (th->priv->functions == tbf_self) tbf_self = for_now ? &tbf_nobody : &tbf_refused;
}

static void child(void) { tbf_self = &tbf_refused; }

static void loaded(void)
{
    struct tb_control *c = tb_control_look();
    if (!c) return;
    tbf_times = (int)c->function_times;
    if (c->function_depth && c->function_depth < tbf_depth) {
        tbf_depth = c->function_depth;
        tbf_limited = 1;
    }
    tb_control_looked(c);
}

const struct tb_api tb_api_functions = {.loaded = loaded, .before = before, .thread_ends = thread_ends, .child = child};
