/* Blocks: the numbers of the segments, and what records say about their life. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include "memory/shadow.h"

/* ---- Number, place and life of each segment ---- */

enum { BLOCKS = 1 << 20, BUCKET_BITS = 18 };

struct tb_block *tb_blocks;
static uint64_t taken[BLOCKS / 64], full[BLOCKS / 64 / 64], fuller[BLOCKS / 64 / 64 / 64];
static uint32_t buckets[1 << BUCKET_BITS]; /* heap blocks by base, index + 1 */
static uint32_t orphans_first, orphans_last; /* freed by threads that are not traced */
TB_TLS struct tb_addr *tb_addr_self;
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
    if (tb_addr_self && tb_addr_self->live) append(&tb_addr_self->retired_first, &tb_addr_self->retired_last, index);
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

static void report_list(uint32_t first)
{
    for (uint32_t i = first; i; i = tb_blocks[i - 1].next) {
        uint64_t number = i - 1;
        tb_emit(tb_addr_self->t, TB_R_SEGFREE, &number, 1);
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

void tb_blocks_report(void)
{
    if (!tb_addr_self || !tb_addr_self->live || reporting || !(tb_addr_self->retired_first || orphans_first)) return;
    if (!tb_segments_lock()) return;
    uint32_t mine = tb_addr_self->retired_first, others = orphans_first;
    tb_addr_self->retired_first = tb_addr_self->retired_last = orphans_first = orphans_last = 0;
    tb_segments_unlock();
    int saved = errno;
    reporting = 1;
    report_list(mine);
    report_list(others);
    reporting = 0;
    errno = saved;
}

/* Outside of a traced call the end of a segment is recorded where it happens; inside,
 * the stream is in use, and it waits for this thread's next new segment. After the last call
 * there is nobody left whom it could concern. */
void tb_report_frees(void)
{
    const struct tb_thread *t = tb_addr_self ? tb_addr_self->t : NULL;
    if (t && t == tb_self && t->outer == 0 && t->priv->muted == 0 && !tb_process.closed) tb_blocks_report();
}

static TB_COLD void wait_announced(struct tb_block *b)
{
    uint64_t until = tb_monotonic() + TB_LOCK_PATIENCE_S * 1000000000ull;
    while (__atomic_load_n(&b->state, __ATOMIC_ACQUIRE) == TB_BLOCK_NEW && tb_monotonic() < until) sched_yield();
}

/* Whoever made the segment records so; others come after that. */
void tb_block_announce(struct tb_call *c, struct tb_block *b, int mine)
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

/* With the lock held: others report what the thread still has to. */
void tb_blocks_orphan(struct tb_addr *s)
{
    if (!s->retired_first) return;
    if (orphans_first) tb_blocks[orphans_last - 1].next = s->retired_first;
    else orphans_first = s->retired_first;
    orphans_last = s->retired_last;
    s->retired_first = s->retired_last = 0;
}

void tb_blocks_child(void)
{
    tb_addr_self = NULL;
    reporting = 0;
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

void tb_heap_attach(struct tb_block *b)
{
    if (!tb_segments_lock()) return;
    link_block(b);
    tb_segments_unlock();
}

void tb_heap_drop(struct tb_block *b)
{
    if (!tb_segments_lock()) return;
    tb_block_retire(b);
    tb_segments_unlock();
    tb_report_frees();
}
