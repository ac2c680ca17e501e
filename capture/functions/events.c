/* Calls and returns of functions, as they come: the frames of a thread, and trees of calls as numbers. Nothing here may
 * touch vector registers or call anything: see functions.h. */
#pragma GCC target("general-regs-only")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#include "functions/functions.h"
#include "functions/state.h"
#include "core/core.h"
#include "core/ids.h"

struct tbf_thread tbf_nobody, tbf_refused;
__thread struct tbf_thread *tbf_self __attribute__((tls_model("initial-exec"))) = &tbf_nobody;
int tbf_times, tbf_told;
uint32_t tbf_depth = TBF_FRAMES - 1, tbf_limited;

#define INLINE static inline __attribute__((always_inline))

/* ---- Trees of calls ---- */

INLINE uint32_t number_of(uint64_t item) { return (uint32_t)item; }
INLINE struct tbf_node *node_of(struct tbf_state *s, uint32_t number)
{
    return &s->nodes_at[number & (TBF_NODES - 1)];
}

INLINE int same_items(const uint64_t *a, const uint64_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i] != b[i]) return 0;
    return 1;
}

INLINE int is_node(struct tbf_state *s, uint32_t number, uint32_t function, const uint64_t *items, uint32_t n)
{
    const struct tbf_node *k = node_of(s, number);
    return k->function == function && k->count == n && same_items(&s->stores[k->first % TBF_STORED], items, n);
}

/* The number of the node with these items, TBF_NONE if there is no room for it. */
static uint32_t node(struct tbf_state *s, uint32_t function, const uint64_t *items, uint32_t n)
{
    uint64_t h = function * 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < n; i++) {
        h = (h ^ items[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    uint32_t hash = (uint32_t)(h >> 32), at = hash % TBF_HASH, kind = function == TBF_NONE ? TBF_GROUP : 0;
    for (; s->hash[at]; at = (at + 1) % TBF_HASH) {
        uint32_t i = s->hash[at] - 1;
        if (s->nodes_at[i % TBF_NODES].hash == hash && is_node(s, i, function, items, n)) return TBF_NODE | kind | i;
    }
    uint32_t i = s->nodes;
    if (i >= TBF_NODES || s->stored + n > TBF_STORED) return TBF_NONE;
    for (uint32_t k = 0; k < n; k++) s->stores[s->stored + k] = items[k];
    s->nodes_at[i] = (struct tbf_node){hash, function, s->stored, n};
    s->stored += n;
    tb_publish(s->nodes, i + 1);
    s->hash[at] = i + 1;
    return TBF_NODE | kind | i;
}

INLINE void take_times(struct tbf_state *s, uint32_t to, uint32_t last)
{
    if (tb_unlikely(tbf_times == TB_TIMES_ALL)) s->times[to][1] = s->times[last][1];
}

/* The items from first on are final. Finds out whether the last ones repeat what stands before them. */
static void fold(struct tbf_state *s, uint32_t first)
{
again:;
    uint64_t *end = &s->items[s->top];
    uint32_t n = s->top - first;
    for (uint32_t p = 2; p <= TBF_PERIOD && p < n; p++) {
        uint64_t *g = end - p - 1; /* a sequence of p items, and once more the same */
        if ((number_of(*g) & (TBF_NODE | TBF_GROUP)) == (TBF_NODE | TBF_GROUP) && *g >> 32 != 0xffffffffu &&
            is_node(s, number_of(*g), TBF_NONE, end - p, p)) {
            take_times(s, s->top - p - 1, s->top - 1);
            *g += 1ull << 32;
            s->top -= p;
            goto again;
        }
        if (2 * p > n || end[-1] != end[-1 - (int)p] || !same_items(end - p, end - 2 * p, p)) continue;
        uint32_t number = node(s, TBF_NONE, end - p, p);
        if (number == TBF_NONE) return;
        take_times(s, s->top - 2 * p, s->top - 1);
        end[-2 * (int)p] = number | 2ull << 32;
        s->top -= 2 * p - 1;
        goto again;
    }
}

/* A call with everything below it has come to its end: it is an item of the frame around it. */
INLINE void append(struct tbf_thread *t, uint32_t number, uint64_t start)
{
    struct tbf_state *s = t->s;
    uint32_t first = s->depth ? s->frames[s->depth - 1].first : 0, top = s->top;
    if (tb_likely(top > first && number_of(s->items[top - 1]) == number && s->items[top - 1] >> 32 != 0xffffffffu)) {
        s->items[top - 1] += 1ull << 32;
        if (tb_unlikely(tbf_times == TB_TIMES_ALL)) s->times[top - 1][1] = tb_now();
        return;
    }
    if (top - first >= 3) {
        fold(s, first);
        top = s->top;
    }
    s->items[top] = number | 1ull << 32;
    if (tb_unlikely(tbf_times == TB_TIMES_ALL)) s->times[top][0] = start, s->times[top][1] = tb_now();
    s->top = ++top;
    if (tb_unlikely(top - first > TBF_CHILDREN || top == TBF_ITEMS)) tb_function_saved(tbf_write, t);
}

/* ---- Frames ---- */

static __attribute__((noinline)) void pop_written(struct tbf_thread *t) { tb_function_saved(tbf_close, t); }

INLINE void pop(struct tbf_thread *t)
{
    struct tbf_state *s = t->s;
    uint32_t d = s->depth - 1;
    struct tbf_frame *f = &s->frames[d];
    t->deep = 0;
    if (tb_unlikely(d < s->opened)) {
        pop_written(t);
        return;
    }
    uint32_t first = f->first, n = s->top - first, function = f->function, number = function;
    if (n == 0) {
        if (tb_unlikely(s->counts_any) && function < TBF_FUNCTIONS && s->counts[function] & TBF_COUNTED) {
            s->counts[function]++;
            s->depth = d;
            return;
        }
        if (function == TBF_INSIDE) {
            t->limit -= tbf_limited;
            s->depth = d;
            return;
        }
    } else {
        uint32_t outer = d ? s->frames[d - 1].first : 0;
        if (n > 3) {
            fold(s, first);
            n = s->top - first;
        }
        t->returns++;
        number = first > outer ? number_of(s->items[first - 1]) : 0;
        if ((number & (TBF_NODE | TBF_GROUP)) != TBF_NODE || !is_node(s, number, function, &s->items[first], n))
            number = node(s, function, &s->items[first], n);
        if (tb_unlikely(number == TBF_NONE)) {
            tb_function_saved(tbf_forget, t);
            pop_written(t);
            return;
        }
    }
    if (tb_unlikely(function == TBF_INSIDE)) t->limit -= tbf_limited;
    s->top = first;
    s->depth = d;
    append(t, number, f->start);
}

void tbf_pop(struct tbf_thread *t) { pop(t); }

/* Calls at sp or below have been left. */
INLINE void correct(struct tbf_thread *t, uintptr_t sp)
{
    struct tbf_state *s = t->s;
    while (s->depth > t->base && s->frames[s->depth - 1].sp <= sp) pop(t);
}

static __attribute__((noinline)) void see(struct tbf_thread *t, uint32_t function)
{
    struct tbf_seen seen = {t, function};
    tb_function_saved(tbf_see, &seen);
}

static void push(struct tbf_state *s, uint32_t function, uintptr_t sp)
{
    uint32_t d = s->depth;
    struct tbf_frame *f = &s->frames[d];
    f->sp = sp;
    f->function = function;
    f->first = s->top;
    if (tb_unlikely(tbf_times != TB_TIMES_OFF)) f->start = tb_now();
    tb_publish(s->depth, d + 1);
}

/* What is deeper than is recorded. Nobody wants to know of its end, but for functions that tell of theirs all the same:
 * that must not be taken for the end of another call of the function. */
static __attribute__((noinline)) int too_deep(struct tbf_thread *t, uint32_t function, uintptr_t sp, uintptr_t left)
{
    struct tbf_state *s = t->s;
    s->lost += !tbf_limited;
    if (!tbf_limited || !tbf_told) return 0;
    struct tbf_frame *f = &s->frames[s->depth];
    while (s->depth + t->deep > t->base && t->deep && f[t->deep - 1].sp <= left) t->deep--;
    if (s->depth + t->deep < TBF_FRAMES) f[t->deep++] = (struct tbf_frame){sp, function, 0, 0};
    return 0;
}

/* inlined: what was entered at sp is around the function, which has been put in line there. */
INLINE int enter(struct tbf_thread *t, uint32_t function, uintptr_t sp, int inlined)
{
    struct tbf_state *s = t->s;
    uintptr_t outer = t->thread->outer;
    uintptr_t left = sp - (uintptr_t)inlined;
    if (tb_unlikely(s->depth > t->base && s->frames[s->depth - 1].sp <= left)) correct(t, left);
    if (tb_unlikely(s->depth >= t->limit)) return too_deep(t, function, sp, left);
    if (tb_unlikely(!s->words[function])) see(t, function);
    if (tb_unlikely(outer != t->inside)) {
        t->inside = outer;
        if (outer) {
            push(s, TBF_INSIDE, sp + 1);
            t->limit += tbf_limited;
        }
    }
    t->thread->held = 1;
    push(s, function, sp);
    return 1;
}

INLINE void leave(struct tbf_thread *t, uintptr_t sp)
{
    struct tbf_state *s = t->s;
    while (s->depth > t->base && s->frames[s->depth - 1].sp < sp) pop(t);
    if (s->depth > t->base && s->frames[s->depth - 1].sp == sp) pop(t);
}

/* ---- What comes while something is taken in ---- */

static int queue(struct tbf_thread *t, uint32_t function, uintptr_t sp)
{
    if (t->queued == t->room) tb_function_saved(tbf_room, t);
    if (t->queued == t->room) {
        t->s->lost += function != TBF_NONE;
        return 0;
    }
    t->queue[t->queued].function = function;
    t->queue[t->queued].sp = sp;
    tb_publish(t->queued, t->queued + 1);
    return 1;
}

void tbf_drain(struct tbf_thread *t)
{
    while (t->queued) {
        t->ready = 0;
        tb_barrier();
        /* A handler that comes now puts its own behind, and these are in order. */
        for (uint32_t i = 0; i < t->queued; i++) {
            struct tbf_event e = t->queue[i];
            if (e.function == TBF_NONE) leave(t, e.sp);
            else enter(t, e.function, e.sp, 1);
        }
        t->queued = 0;
        tb_barrier();
        tb_publish(t->ready, 1);
    }
}

INLINE void done(struct tbf_thread *t)
{
    tb_barrier();
    tb_publish(t->ready, 1);
    if (tb_unlikely(t->queued)) tbf_drain(t);
}

static int enter_now(struct tbf_thread *t, uint32_t function, uintptr_t sp)
{
    t->ready = 0;
    int r = enter(t, function, sp, 1);
    done(t);
    return r;
}

static __attribute__((noinline)) int enter_slow(struct tbf_thread *t, uint32_t function, uintptr_t sp)
{
    if (t == &tbf_refused) return 0;
    if (t == &tbf_nobody) {
        /* What the C library does before it comes to what the thread is for: it is not known yet which thread it is. */
        if (function - tbf_libc.first < tbf_libc.count) return 0;
        tb_function_saved(tbf_begin, NULL);
        t = tbf_self;
        /* Only now is it known whether tracing is on. */
        return t->ready && tb_gate[TB_ID_function_open] == TB_GATE_OPEN ? enter_now(t, function, sp) : 0;
    }
    if (!t->s) { /* a forked child */
        tbf_self = &tbf_refused;
        return 0;
    }
    if (t->ready && function - tbf_libraries.first < tbf_libraries.count && t->thread->priv->muted) return 0; /* ours */
    if (t->ready && !(t->thread->outer & TB_BUILDING)) return enter_now(t, function, sp);
    return queue(t, function, sp);
}

static __attribute__((noinline)) void leave_slow(struct tbf_thread *t, uintptr_t sp)
{
    if (t->s) queue(t, TBF_NONE, sp);
}

/* ---- What is told ---- */

/* Tracing is off: the call is not recorded, but what it shows to have been left ends. */
static __attribute__((noinline)) int enter_off(struct tbf_thread *t, uintptr_t sp)
{
    if (!t->ready || tb_process.finalized || t->thread->outer & TB_BUILDING || t->thread->priv->muted) return 0;
    t->ready = 0;
    tb_barrier();
    correct(t, sp);
    done(t);
    return 0;
}

int tb_function_enter(uint32_t function, const void *sp)
{
    struct tbf_thread *t = tbf_self;
    if (tb_unlikely(tb_gate[TB_ID_function_open] != TB_GATE_OPEN || tb_process.finalized))
        return enter_off(t, (uintptr_t)sp);
    if (tb_unlikely(!t->ready || t->thread->outer & TB_BUILDING || t->thread->priv->muted))
        return enter_slow(t, function, (uintptr_t)sp);
    t->ready = 0;
    tb_barrier();
    int r = enter(t, function, (uintptr_t)sp, 0);
    done(t);
    return r;
}

void tb_function_leave(const void *sp)
{
    struct tbf_thread *t = tbf_self;
    if (tb_unlikely(!t->ready || t->thread->outer & TB_BUILDING)) {
        leave_slow(t, (uintptr_t)sp);
        return;
    }
    t->ready = 0;
    tb_barrier();
    leave(t, (uintptr_t)sp);
    done(t);
}

/* The frame that a function whose frame is at `at` leaves, depth + 1; 0: none. It is the innermost of the function that
 * was entered there; else, where the place is not exact, the outermost below or the last one. */
INLINE uint32_t near(const struct tbf_thread *t, uint32_t function, uintptr_t at, int exact)
{
    const struct tbf_state *s = t->s;
    uint32_t found = 0, depth = s->depth + t->deep;
    for (uint32_t d = depth; d > t->base && s->frames[d - 1].sp <= at; d--) {
        if (s->frames[d - 1].function != function) continue;
        found = d;
        if (s->frames[d - 1].sp == at) break;
    }
    if (!found && !exact && depth > t->base && s->frames[depth - 1].function == function) found = depth;
    return found;
}

int tbf_enter_near(uint32_t function, uintptr_t at, int inlined)
{
    struct tbf_thread *t = tbf_self;
    if (tb_unlikely(tb_gate[TB_ID_function_open] != TB_GATE_OPEN || tb_process.finalized))
        return enter_off(t, at - (uintptr_t)inlined);
    if (tb_unlikely(!t->ready || t->thread->outer & TB_BUILDING || t->thread->priv->muted))
        return enter_slow(t, function, at);
    t->ready = 0;
    tb_barrier();
    int r = enter(t, function, at, inlined);
    done(t);
    return r;
}

void tbf_leave_near(uint32_t function, uintptr_t at, int exact)
{
    struct tbf_thread *t = tbf_self;
    if (tb_unlikely(!t->ready || t->thread->outer & TB_BUILDING)) {
        leave_slow(t, at);
        return;
    }
    t->ready = 0;
    tb_barrier();
    uint32_t d = near(t, function, at, exact);
    while (d && t->s->depth + t->deep >= d)
        if (t->deep) t->deep--;
        else pop(t);
    done(t);
}

void tb_function_stack(uintptr_t low, uintptr_t high)
{
    struct tbf_thread *t = tbf_self;
    if (!t->ready) return;
    t->ready = 0;
    tb_barrier();
    uint32_t i = t->stacks;
    while (i > 0 && (t->stack[i - 1].low >= high || t->stack[i - 1].high <= low)) i--;
    if (i > 0) { /* back to one that was left for those above it */
        uint32_t base = i < t->stacks ? t->stack[i].base : t->s->depth + t->deep;
        while (t->s->depth > base) pop(t);
        if (t->s->depth + t->deep > base) t->deep = base - t->s->depth;
        t->stacks = i;
    } else if (t->stacks < TBF_STACKS) {
        t->stack[t->stacks].low = low;
        t->stack[t->stacks].high = high;
        t->stack[t->stacks++].base = t->s->depth + t->deep;
    }
    t->base = t->stacks ? t->stack[t->stacks - 1].base : 0;
    done(t);
}
