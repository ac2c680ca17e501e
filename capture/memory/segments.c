/* Segments: the numbered pieces of memory that calls have used, and the
 * words that addresses become. */
#define _GNU_SOURCE
#include <errno.h>
#include "memory/shadow.h"
#include "sites/modules.h"

static struct tb_addr *threads;

/* ---- Addresses to words ---- */

static const uint64_t constant_stamp;

static void remember_block(struct tb_memo *m, const struct tb_block *b)
{
    m->low = b->base;
    m->size = b->size;
    m->base = (uint64_t)TB_W_HEAP << 60 | (uint64_t)(b - tb_blocks) << 40;
    m->seen = b->stamp;
    m->stamp = &b->stamp;
}

/* One past the end belongs to a block too, as in a call with an empty buffer,
 * unless that could be the start of a neighbour of less than a granule. */
static int within(uintptr_t a, uintptr_t base, uint64_t size)
{
    return a - base < size || (a - base == size && (size >= 16 || size == 0));
}

enum { ONLY_USED = 1 }; /* do not make a segment of what MPI has not used */

/* With the lock held. */
static struct tb_block *heap_block(uintptr_t a, int flags, int *made)
{
    uint8_t *mark;
    uintptr_t start = tb_shadow_find(a, &mark);
    if (!start) return NULL;
    uint8_t was = __atomic_load_n(mark, __ATOMIC_RELAXED);
    if (was < 0x80) return NULL;
    if (was == TB_SHADOW_USED) {
        struct tb_block *b = tb_block_at(start);
        return b && within(a, b->base, b->size) ? b : NULL;
    }
    uint64_t size = tb_shadow_size(mark);
    if ((flags & ONLY_USED) || !within(a, start, size) || size >> 40) return NULL;
    struct tb_block *old = tb_block_at(start); /* its end was not seen */
    if (old) tb_block_retire(old);
    struct tb_block *b = tb_block_new(start, size, TB_MEM_HEAP);
    if (!b) return NULL;
    if (!__atomic_compare_exchange_n(mark, &was, TB_SHADOW_USED, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        tb_block_retire(b); /* freed by another thread right now */
        return NULL;
    }
    *made = 1;
    return b;
}

static struct tb_block *block_of(struct tb_range *r, int flags, int *made)
{
    if (r->high - r->low > 1ULL << 40) return NULL;
    if (!r->block && !(flags & ONLY_USED)) {
        r->block = tb_block_new(r->low, r->high - r->low, r->kind);
        *made = r->block != NULL;
    }
    return r->block;
}

static struct tb_block *range_block(uintptr_t a, int overlay, int flags, int *made, int *keep)
{
    struct tb_range *r = tb_range_find(a, overlay);
    if (!r || r->asked) return NULL;
    struct tb_block *b = block_of(r, flags, made);
    if (b) *keep = !r->allocator && !tb_gpu_made(r->maker);
    return b;
}

/* The segment of an address in one of two groups: what lies before stacks and
 * modules in precedence (memory of MPI and GPUs, the heap), or mappings. */
static int find_block(struct tb_call *c, uintptr_t a, int mappings, int flags, struct tb_memo *m, uint64_t *word)
{
    int made = 0, keep = 1;
    struct tb_block *b;
    if (!tb_segments_lock()) return 0;
    if (mappings) {
        b = range_block(a, 0, flags, &made, &keep);
    } else {
        b = range_block(a, 1, flags, &made, &keep);
        if (!b) b = heap_block(a, flags, &made);
    }
    if (b) {
        remember_block(m, b);
        if (!keep || (b->kind <= TB_MEM_MAP && tb_range_overlaid(b->base, b->size))) m->size = 0;
        *word = m->base + (a - b->base);
    }
    tb_segments_unlock();
    if (b) tb_block_announce(c, b, made);
    return b != NULL;
}

static uint64_t stack_word(const struct tb_addr *s, uintptr_t a)
{
    return (uint64_t)TB_W_STACK << 60 | (uint64_t)s->number << 40 | ((a - s->anchor) & ((1ULL << 40) - 1));
}

/* On this thread's own stack. What is below the current frame is not: with an
 * unlimited stack the range may hold later mappings. */
static inline int on_stack(const struct tb_addr *s, uintptr_t a)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0), low = s->stack_low;
    if (frame - low < s->stack_high - low) low = frame;
    return a - low < s->stack_high - low;
}

/* With the lock held: the thread on whose stack this is. */
static const struct tb_addr *owner_of(uintptr_t a)
{
    const struct tb_addr *s = threads;
    while (s && !(s->live && a - s->stack_low < s->stack_high - s->stack_low)) s = s->next;
    return s;
}

static int find_stack(uintptr_t a, uint64_t *word)
{
    if (!tb_segments_lock()) return 0;
    const struct tb_addr *s = owner_of(a);
    if (s) *word = stack_word(s, a);
    tb_segments_unlock();
    return s != NULL;
}

static int asked_before(uintptr_t a)
{
    if (!tb_segments_lock()) return 0;
    const struct tb_range *r = tb_range_find(a, 1);
    int yes = r && r->asked;
    tb_segments_unlock();
    return yes;
}

static int only_driver_knows(uintptr_t a)
{
    if (!tb_segments_lock()) return 0;
    const struct tb_range *r = tb_range_find(a, 0);
    int yes = r ? tb_gpu_made(r->maker) : !owner_of(a);
    tb_segments_unlock();
    return yes;
}

/* Memory of a GPU whose allocation went past us. The driver is asked each time, as nobody tells
 * when it ends, and without our lock: it has locks of its own, and holds them while it maps memory,
 * which wants ours. */
static int find_asked(struct tb_call *c, uintptr_t a, int flags, int again, uint64_t *word)
{
    struct tb_gpu_memory m;
    int made = 0;
    if ((flags & ONLY_USED) || !tb_gpu_loaded() || !(again ? asked_before(a) : only_driver_knows(a))) return 0;
    int answer = tb_gpu_ask(a, &m);
    if (!tb_segments_lock()) return 0;
    struct tb_range *r = tb_range_asked(a, answer, &m);
    struct tb_block *b = r ? block_of(r, flags, &made) : NULL;
    if (b) *word = (uint64_t)TB_W_HEAP << 60 | (uint64_t)(b - tb_blocks) << 40 | (a - b->base);
    tb_segments_unlock();
    if (b) tb_block_announce(c, b, made);
    return b != NULL;
}

static int find_module(struct tb_call *c, uintptr_t a, struct tb_memo *mo, uint64_t *word)
{
    struct tb_module *m = tb_module_of(a);
    if (!m || !tb_module_announce(c->t, m)) return 0;
    *mo = (struct tb_memo){m->low, m->high - m->low, tb_module_word(m, m->low), m->stamp, &m->stamp};
    *word = tb_module_word(m, a);
    return 1;
}

static struct tb_memo *memo_of(struct tb_addr *s, uintptr_t a)
{
    return &s->memo[(uint64_t)(a >> 5) * 0x9e3779b97f4a7c15ULL >> 58];
}

static inline int memo_knows(const struct tb_memo *m, uintptr_t a)
{
    return a - m->low < m->size && *m->stamp == m->seen;
}

/* 1 and the word of an address in memory that is known; nothing for others. */
static int lookup(struct tb_call *c, uintptr_t a, int flags, uint64_t *word)
{
    struct tb_addr *s = tb_addr_self;
    struct tb_memo m = {.stamp = &constant_stamp};
    for (int i = 0; i < TB_RECENT; i++)
        if (memo_knows(&s->recent[i], a)) {
            *memo_of(s, a) = s->recent[i];
            *word = s->recent[i].base + (a - s->recent[i].low);
            return 1;
        }
    tb_blocks_report();
    if (find_asked(c, a, flags, 1, word)) return 1;
    if (!find_block(c, a, 0, flags, &m, word) && !find_module(c, a, &m, word) && !find_asked(c, a, flags, 0, word) &&
        !find_block(c, a, 1, flags, &m, word) && !find_stack(a, word))
        return 0;
    if (m.size) {
        *memo_of(s, a) = m;
        s->recent[s->recent_at++ % TB_RECENT] = m;
    }
    return 1;
}

static uint64_t literal(uint64_t v) { return v & ((1ULL << 60) - 1); }
static uint64_t raw(uint64_t v) { return (uint64_t)TB_W_RAW << 60 | literal(v); }

static TB_COLD uint64_t seg_word_slow(struct tb_call *c, uintptr_t a)
{
    uint64_t word;
    int saved = errno;
    word = tb_addr_self && c->t && lookup(c, a, 0, &word) ? word : raw(a);
    errno = saved;
    return word;
}

uint64_t tb_seg_word(struct tb_call *c, uintptr_t a)
{
    struct tb_addr *s = tb_addr_self;
    if (tb_unlikely(a + 4096 < 8192)) return literal(a);
    if (tb_likely(s != NULL)) {
        struct tb_memo *m = memo_of(s, a);
        if (tb_likely(memo_knows(m, a))) return m->base + (a - m->low);
        if (on_stack(s, a)) return stack_word(s, a);
    }
    return seg_word_slow(c, a);
}

/* A displacement is an address only if it falls into memory that is known.
 * Below 4 GiB, where sizes and the image of a program with fixed addresses
 * lie, only memory that MPI has seen as memory counts. */
uint64_t tb_displacement_word(struct tb_call *c, uint64_t v)
{
    uint64_t word;
    if (v < 4096 || v >> TB_ADDRESS_BITS || !tb_addr_self || !c->t) return literal(v);
    if (memo_knows(memo_of(tb_addr_self, v), v)) {
        word = memo_of(tb_addr_self, v)->base + (v - memo_of(tb_addr_self, v)->low);
    } else if (on_stack(tb_addr_self, v)) {
        return stack_word(tb_addr_self, v);
    } else {
        int saved = errno;
        int known = lookup(c, v, v >> 32 ? 0 : ONLY_USED, &word);
        errno = saved;
        if (!known) return literal(v);
    }
    return word >> 60 == TB_W_MODULE && !(v >> 32) ? literal(v) : word;
}

/* ---- Where frames may be read ---- */

/* The end of the allocator's block around a, 0: there is none. With the lock. */
static uintptr_t end_of_block(uintptr_t a)
{
    uint8_t *mark;
    uintptr_t start = tb_shadow_find(a, &mark);
    if (!start) return 0;
    struct tb_block *b = *mark == TB_SHADOW_USED ? tb_block_at(start) : NULL;
    uint64_t size = b ? b->size : *mark == TB_SHADOW_USED ? 0 : tb_shadow_size(mark);
    return a - start < size ? start + size : 0;
}

static uintptr_t end_of_memory(uintptr_t a)
{
    struct tb_range *r;
    if (!tb_segments_lock()) return 0;
    uintptr_t end = end_of_block(a);
    if (!end && (r = tb_range_find(a, 0))) end = r->high;
    tb_segments_unlock();
    return end;
}

int tb_memory_readable(struct tb_thread *t, uintptr_t a, uint64_t bytes)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), end;
    if (a > here && a < t->priv->stack_high) return bytes <= t->priv->stack_high - a;
    if (!tb_segments_lock()) return 0;
    end = end_of_block(a);
    tb_segments_unlock();
    if (end) return bytes <= end - a;
    struct tb_module *m = tb_module_of(a);
    return m && bytes <= m->high - a;
}

/* The thread's stack, or else (coroutines, alternate signal stacks) the block
 * or mapping around a. */
void tb_extent_of(struct tb_thread *t, uintptr_t a, struct tb_extent *e)
{
    struct tb_thread_private *p = t->priv;
    if (a - p->stack_low < p->stack_high - p->stack_low) {
        *e = (struct tb_extent){a, p->stack_high};
        return;
    }
    uintptr_t end = end_of_memory(a) & ~(uintptr_t)7;
    if (end > a) {
        *e = (struct tb_extent){a, end};
        return;
    }
    struct tb_module *m = tb_module_of(a);
    *e = (struct tb_extent){a, m ? m->high & ~(uintptr_t)7 : a};
}

/* ---- Threads ---- */

/* It is live before the lock is given up, so that no other thread that starts takes it, too. */
static struct tb_addr *new_thread(struct tb_thread *t, uintptr_t anchor)
{
    struct tb_thread_private *p = t->priv;
    struct tb_addr *s, *spare = NULL;
    if (!tb_segments_lock()) return NULL;
    for (s = threads; s; s = s->next)
        if (!s->live && !s->retired_first) spare = s;
    s = spare;
    if (!s && (s = tb_map_pages(sizeof *s, 0))) {
        s->next = threads;
        threads = s;
    }
    if (s) {
        memset(s->memo, 0, sizeof s->memo);
        memset(s->recent, 0, sizeof s->recent);
        s->number = p->number;
        s->anchor = anchor;
        s->stack_low = p->stack_low;
        s->stack_high = p->stack_high;
        /* Called by functions/, which has borrowed another stack. */
        if (s->anchor - s->stack_low >= s->stack_high - s->stack_low && s->stack_high) s->anchor = s->stack_high;
        s->t = t;
        s->live = 1;
    }
    tb_segments_unlock();
    return s;
}

void tb_memory_thread(struct tb_thread *t)
{
    int saved = errno;
    tb_shared_init();
    struct tb_addr *s = tb_shared ? new_thread(t, (uintptr_t)__builtin_frame_address(0)) : NULL;
    if (s) {
        tb_addr_self = s;
        tb_range_add_thread_storage(s->stack_low, s->stack_high);
    }
    errno = saved;
}

void tb_memory_thread_end(void)
{
    struct tb_addr *s = tb_addr_self;
    if (s && tb_segments_lock()) {
        tb_blocks_orphan(s);
        s->live = 0;
        tb_segments_unlock();
    }
    tb_addr_self = NULL;
}

void tb_memory_child(void)
{
    tb_mem_on = 0;
    tb_blocks_child();
}
