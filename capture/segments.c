//go:build ignore

/* Segments: the numbered pieces of memory that MPI calls have used, and the
 * words that addresses become. */
#define _GNU_SOURCE
#include "shadow.h"
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- Pages ---- */

void *tb_map_pages(size_t bytes, int wipe_on_fork)
{
    int saved = errno;
    long r = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
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

static uint64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Somebody died with the lock, or left its critical section by a jump out of
 * a signal handler: from here on addresses are not followed any more. */
enum { LOCK_PATIENCE_S = 10 };

static TB_COLD int wait_for(struct tb_lock *l)
{
    int saved = errno, ok = 0;
    uint64_t until = monotonic_ns() + LOCK_PATIENCE_S * 1000000000ull;
    for (unsigned i = 1; tb_addr_alive(); i++) {
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
        if (monotonic_ns() > until) __atomic_store_n(&tb_shared->alive, 0, __ATOMIC_RELAXED);
    }
    errno = saved;
    return ok;
}

int tb_lock_take(struct tb_lock *l)
{
    if (inside || !tb_addr_alive()) return 0;
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

/* ---- Blocks: number, place and life of each segment ---- */

enum { BLOCKS = 1 << 20, BUCKET_BITS = 18 };

struct tb_addr_shared *tb_shared;
struct tb_block *tb_blocks;
static uint64_t taken[BLOCKS / 64], full[BLOCKS / 64 / 64], fuller[BLOCKS / 64 / 64 / 64];
static uint32_t buckets[1 << BUCKET_BITS]; /* heap blocks by base, index + 1 */
static struct tb_addr *threads;
static uint32_t orphans_first, orphans_last; /* freed by threads that are not traced */
static TB_TLS struct tb_addr *self;
static TB_TLS int reporting;

static uint32_t *bucket_of(uintptr_t base)
{
    return &buckets[(uint64_t)(base >> 4) * 0x9e3779b97f4a7c15ULL >> (64 - BUCKET_BITS)];
}

static int lowest_free(uint32_t *n)
{
    for (unsigned i = 0; i < sizeof fuller / sizeof *fuller; i++) {
        if (!~fuller[i]) continue;
        unsigned j = i * 64 + (unsigned)__builtin_ctzll(~fuller[i]);
        unsigned k = j * 64 + (unsigned)__builtin_ctzll(~full[j]);
        *n = k * 64 + (unsigned)__builtin_ctzll(~taken[k]);
        return 1;
    }
    return 0;
}

static void mark_number(uint32_t n, int used)
{
    unsigned k = n / 64, j = k / 64, i = j / 64;
    if (used) {
        taken[k] |= 1ULL << n % 64;
        if (!~taken[k]) full[j] |= 1ULL << k % 64;
        if (!~full[j]) fuller[i] |= 1ULL << j % 64;
    } else {
        taken[k] &= ~(1ULL << n % 64);
        full[j] &= ~(1ULL << k % 64);
        fuller[i] &= ~(1ULL << j % 64);
    }
}

static void link_block(struct tb_block *b)
{
    uint32_t *head = bucket_of(b->base);
    b->next = *head;
    *head = (uint32_t)(b - tb_blocks) + 1;
}

static void unlink_block(struct tb_block *b)
{
    uint32_t index = (uint32_t)(b - tb_blocks) + 1, *link = bucket_of(b->base);
    while (*link && *link != index) link = &tb_blocks[*link - 1].next;
    if (*link) *link = b->next;
    b->next = 0;
}

struct tb_block *tb_block_new(uintptr_t base, uint64_t size, int kind)
{
    uint32_t n;
    if (!tb_blocks && !(tb_blocks = tb_map_pages(BLOCKS * sizeof *tb_blocks, 0))) return NULL;
    if (!lowest_free(&n)) return NULL;
    mark_number(n, 1);
    struct tb_block *b = &tb_blocks[n];
    b->base = base;
    b->size = size;
    b->kind = (uint8_t)kind;
    b->next = 0;
    b->state = TB_BLOCK_NEW;
    if (kind == TB_MEM_HEAP) link_block(b);
    return b;
}

struct tb_block *tb_block_at(uintptr_t base)
{
    for (uint32_t i = *bucket_of(base); i; i = tb_blocks[i - 1].next)
        if (tb_blocks[i - 1].base == base) return &tb_blocks[i - 1];
    return NULL;
}

static void outdate(struct tb_block *b)
{
    __atomic_store_n(&b->stamp, b->stamp + 1, __ATOMIC_RELEASE);
}

void tb_block_resize(struct tb_block *b, uint64_t size)
{
    b->size = size;
    outdate(b);
}

static void append(uint32_t *first, uint32_t *last, uint32_t index)
{
    if (*first) tb_blocks[*last - 1].next = index;
    else *first = index;
    *last = index;
}

/* The number stays taken until the end of the segment has been recorded. */
void tb_block_retire(struct tb_block *b)
{
    uint32_t index = (uint32_t)(b - tb_blocks) + 1;
    if (b->kind == TB_MEM_HEAP) unlink_block(b);
    outdate(b);
    b->next = 0;
    b->state = TB_BLOCK_RETIRED;
    if (self && self->live) append(&self->retired_first, &self->retired_last, index);
    else append(&orphans_first, &orphans_last, index);
}

int tb_segments_lock(void)
{
    if (!tb_shared || !tb_lock_take(&tb_shared->segments)) return 0;
    if (tb_unlikely(tb_range_busy())) tb_range_catch_up();
    return 1;
}

void tb_segments_unlock(void)
{
    tb_lock_drop(&tb_shared->segments);
}

/* ---- What the records say ---- */

int tb_closed;

static void report_list(uint32_t first)
{
    for (uint32_t i = first; i; i = tb_blocks[i - 1].next) {
        uint64_t number = i - 1;
        tb_emit(self->t, TB_R_SEGFREE, &number, 1);
    }
    if (!tb_segments_lock()) return; /* the numbers are lost */
    for (uint32_t i = first, next; i; i = next) {
        struct tb_block *b = &tb_blocks[i - 1];
        next = b->next;
        b->next = 0;
        b->state = TB_BLOCK_FREE;
        mark_number(i - 1, 0);
    }
    tb_segments_unlock();
}

static void report_frees(void)
{
    if (!self || !self->live || reporting || !(self->retired_first || orphans_first)) return;
    if (!tb_segments_lock()) return;
    uint32_t mine = self->retired_first, others = orphans_first;
    self->retired_first = self->retired_last = orphans_first = orphans_last = 0;
    tb_segments_unlock();
    int saved = errno;
    reporting = 1;
    report_list(mine);
    report_list(others);
    reporting = 0;
    errno = saved;
}

/* Outside of MPI the end of a segment is recorded where it happens; inside,
 * the stream is in use, and it waits for this thread's next new segment. After MPI_Finalize
 * there is nobody left whom it could concern. */
void tb_report_frees(void)
{
    if (self && self->t->outer == 0 && self->t->priv->muted == 0 && !tb_closed) report_frees();
}

void tb_wait_flag(const uint8_t *flag)
{
    uint64_t until = monotonic_ns() + LOCK_PATIENCE_S * 1000000000ull;
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) && monotonic_ns() < until) sched_yield();
}

static TB_COLD void wait_announced(struct tb_block *b)
{
    uint64_t until = monotonic_ns() + LOCK_PATIENCE_S * 1000000000ull;
    while (__atomic_load_n(&b->state, __ATOMIC_ACQUIRE) == TB_BLOCK_NEW && monotonic_ns() < until) sched_yield();
}

/* Whoever made the segment records so; others come after that. */
static void announce(struct tb_call *c, struct tb_block *b, int mine)
{
    if (tb_likely(__atomic_load_n(&b->state, __ATOMIC_ACQUIRE) != TB_BLOCK_NEW)) return;
    if (!mine) {
        wait_announced(b);
        return;
    }
    uint64_t payload[3] = {(uint64_t)(b - tb_blocks), b->kind, b->size};
    reporting = 1;
    tb_emit_before(c, TB_R_SEGALLOC, payload, 3);
    reporting = 0;
    uint8_t was = TB_BLOCK_NEW;
    __atomic_compare_exchange_n(&b->state, &was, TB_BLOCK_LIVE, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* ---- Used heap blocks come and go ---- */

void tb_heap_freed(uintptr_t base)
{
    if (!tb_shared) return;
    if (!tb_segments_lock()) {
        tb_late_free(base);
        return;
    }
    struct tb_block *b = tb_block_at(base);
    if (b) tb_block_retire(b);
    tb_segments_unlock();
    tb_report_frees();
}

/* A block that realloc works on belongs to nobody: its address may come back
 * in another thread before the old block is known to have moved. */
struct tb_block *tb_heap_detach(uintptr_t base)
{
    struct tb_block *b;
    if (!tb_segments_lock()) {
        tb_late_free(base);
        return NULL;
    }
    if ((b = tb_block_at(base))) unlink_block(b);
    tb_segments_unlock();
    return b;
}

void tb_heap_attach(struct tb_block *b, uint64_t size)
{
    if (!tb_segments_lock()) return;
    link_block(b);
    if (size != b->size) tb_block_resize(b, size);
    tb_segments_unlock();
}

void tb_heap_drop(struct tb_block *b)
{
    if (!tb_segments_lock()) return;
    tb_block_retire(b);
    tb_segments_unlock();
    tb_report_frees();
}

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
    if (b) announce(c, b, made);
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

/* Memory of a GPU whose allocation went past us. The driver is asked each time, as nobody tells when it
 * ends, and without our lock: it has locks of its own, and holds them while it maps memory, which wants ours. */
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
    if (b) announce(c, b, made);
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
    struct tb_addr *s = self;
    struct tb_memo m = {.stamp = &constant_stamp};
    for (int i = 0; i < TB_RECENT; i++)
        if (memo_knows(&s->recent[i], a)) {
            *memo_of(s, a) = s->recent[i];
            *word = s->recent[i].base + (a - s->recent[i].low);
            return 1;
        }
    report_frees();
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
    if (tb_abi.kind && (a == tb_abi.in_place || a == tb_abi.bottom)) return literal(a);
    word = self && c->t && lookup(c, a, 0, &word) ? word : raw(a);
    errno = saved;
    return word;
}

uint64_t tb_seg_word(struct tb_call *c, uintptr_t a)
{
    struct tb_addr *s = self;
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
    if (v < 4096 || v >> TB_ADDRESS_BITS || !self || !c->t) return literal(v);
    if (memo_knows(memo_of(self, v), v)) {
        word = memo_of(self, v)->base + (v - memo_of(self, v)->low);
    } else if (on_stack(self, v)) {
        return stack_word(self, v);
    } else {
        int saved = errno;
        int known = lookup(c, v, v >> 32 ? 0 : ONLY_USED, &word);
        errno = saved;
        if (!known) return literal(v);
    }
    return word >> 60 == TB_W_MODULE && !(v >> 32) ? literal(v) : word;
}

/* ---- Memory that MPI allocated ---- */

void tb_mem_mpi_add(struct tb_call *c, void *base, int64_t bytes)
{
    (void)c;
    if (base && bytes > 0) tb_range_add((uintptr_t)base, (uint64_t)bytes, TB_MEM_MPI, 0, NULL);
}

void tb_mem_mpi_remove(struct tb_call *c, void *base)
{
    (void)c;
    if (base) tb_range_forget((uintptr_t)base, TB_MEM_MPI);
}

/* ---- Where frames may be read ---- */

static uintptr_t end_of_memory(uintptr_t a)
{
    uint8_t *mark;
    uintptr_t end = 0, start;
    struct tb_range *r;
    if (!tb_segments_lock()) return 0;
    if ((start = tb_shadow_find(a, &mark))) {
        struct tb_block *b = *mark == TB_SHADOW_USED ? tb_block_at(start) : NULL;
        uint64_t size = b ? b->size : *mark == TB_SHADOW_USED ? 0 : tb_shadow_size(mark);
        if (a - start < size) end = start + size;
    }
    if (!end && (r = tb_range_find(a, 0))) end = r->high;
    tb_segments_unlock();
    return end;
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

/* ---- Process and threads ---- */

void tb_addr_init(void)
{
    if (tb_shared) return;
    struct tb_addr_shared *s = tb_map_pages(4096, 1), *none = NULL;
    if (!s) return;
    s->alive = 1;
    if (!__atomic_compare_exchange_n(&tb_shared, &none, s, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) tb_unmap_pages(s, 4096);
}

void tb_addr_start(void)
{
    tb_addr_init();
}

static struct tb_addr *new_thread(void)
{
    struct tb_addr *s, *spare = NULL;
    if (!tb_segments_lock()) return NULL;
    for (s = threads; s; s = s->next)
        if (!s->live && !s->retired_first) spare = s;
    s = spare;
    if (!s && (s = tb_map_pages(sizeof *s, 0))) {
        s->next = threads;
        threads = s;
    }
    tb_segments_unlock();
    return s;
}

void tb_addr_thread(struct tb_thread *t)
{
    int saved = errno;
    struct tb_thread_private *p = t->priv;
    tb_addr_init();
    struct tb_addr *s = tb_shared ? new_thread() : NULL;
    if (s) {
        memset(s->memo, 0, sizeof s->memo);
        memset(s->recent, 0, sizeof s->recent);
        s->number = p->number;
        s->anchor = (uintptr_t)__builtin_frame_address(0);
        s->stack_low = p->stack_low;
        s->stack_high = p->stack_high;
        s->t = t;
        s->live = 1;
        p->addresses = s;
        self = s;
        tb_range_add_thread_storage(s->stack_low, s->stack_high);
    }
    errno = saved;
}

void tb_addr_thread_end(struct tb_thread *t)
{
    struct tb_addr *s = t->priv->addresses;
    if (s && tb_segments_lock()) {
        if (s->retired_first) {
            if (orphans_first) tb_blocks[orphans_last - 1].next = s->retired_first;
            else orphans_first = s->retired_first;
            orphans_last = s->retired_last;
            s->retired_first = s->retired_last = 0;
        }
        s->live = 0;
        tb_segments_unlock();
    }
    t->priv->addresses = NULL;
    self = NULL;
    tb_sites_thread_end(t);
}

void tb_addr_child(void)
{
    tb_mem_on = 0;
    self = NULL;
    inside = 0;
    reporting = 0;
}
