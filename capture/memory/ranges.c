/* Ranges of memory that is not the heap: mappings of the program, and what MPI or a GPU runtime
 * allocated for it, or a GPU driver told of. Two sorted arrays under one lock. */
#define _GNU_SOURCE
#include "memory/shadow.h"
#include <errno.h>
#include <link.h>

struct set { struct tb_range *at; size_t n, room; };
static struct set mappings, overlays;

static struct set *set_of(int kind) { return kind == TB_MEM_MAP ? &mappings : &overlays; }

/* First range that ends behind a. */
static size_t first_behind(const struct set *s, uintptr_t a)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (s->at[mid].high > a) high = mid;
        else low = mid + 1;
    }
    return low;
}

struct tb_range *tb_range_find(uintptr_t a, int overlay)
{
    struct set *s = overlay ? &overlays : &mappings;
    if (s->n == 0) return NULL;
    size_t i = first_behind(s, a);
    return i < s->n && s->at[i].low <= a ? &s->at[i] : NULL;
}

int tb_range_overlaid(uintptr_t low, uint64_t bytes)
{
    if (overlays.n == 0) return 0;
    size_t i = first_behind(&overlays, low);
    return i < overlays.n && overlays.at[i].low < low + bytes;
}

static int grow(struct set *s)
{
    if (s->n < s->room) return 1;
    size_t room = s->room ? s->room * 2 : 1024;
    struct tb_range *at = tb_map_pages(room * sizeof *at, 0);
    if (!at) return 0;
    if (s->n) memcpy(at, s->at, s->n * sizeof *at);
    if (s->at) tb_unmap_pages(s->at, s->room * sizeof *at);
    s->at = at;
    s->room = room;
    return 1;
}

static void insert(struct set *s, struct tb_range r)
{
    if (!grow(s)) return;
    size_t i = first_behind(s, r.low);
    memmove(&s->at[i + 1], &s->at[i], (s->n - i) * sizeof r);
    s->at[i] = r;
    s->n++;
}

static void drop(struct set *s, size_t i)
{
    if (s->at[i].block) tb_block_retire(s->at[i].block);
    s->n--;
    memmove(&s->at[i], &s->at[i + 1], (s->n - i) * sizeof *s->at);
}

/* Nothing is at [low, high) any more. What is left of a range at its front
 * keeps its segment; what is left behind is a range that was not used yet. */
static void cut(struct set *s, uintptr_t low, uintptr_t high)
{
    for (size_t i; (i = first_behind(s, low)) < s->n && s->at[i].low < high;) {
        struct tb_range r = s->at[i], rest = r;
        if (r.low < low) {
            s->at[i].high = low;
            if (r.block) tb_block_resize(r.block, low - r.low);
        } else {
            drop(s, i);
        }
        if (r.high > high) {
            rest.low = high;
            rest.block = NULL;
            insert(s, rest);
        }
    }
}

/* Threads may remember this memory as part of something larger. */
static void uncover(uintptr_t a)
{
    uint8_t *mark;
    uintptr_t start = tb_shadow_find(a, &mark);
    struct tb_block *b = start && *mark == TB_SHADOW_USED ? tb_block_at(start) : NULL;
    if (b) tb_block_resize(b, b->size);
    struct tb_range *r = tb_range_find(a, 0);
    if (r && r->block) tb_block_resize(r->block, r->block->size);
}

/* What the driver told of memory here is over: it is unmapped, or mapped anew. */
static void drop_asked(uintptr_t low, uintptr_t high)
{
    if (overlays.n == 0) return;
    for (size_t i = first_behind(&overlays, low); i < overlays.n && overlays.at[i].low < high;)
        if (overlays.at[i].asked) drop(&overlays, i);
        else i++;
}

static void add(uintptr_t low, uint64_t bytes, int kind, int allocator, uintptr_t maker)
{
    struct set *s = set_of(kind);
    cut(s, low, low + bytes);
    insert(s, (struct tb_range){.low = low, .high = low + bytes, .maker = maker, .kind = (uint8_t)kind,
                                .allocator = (uint8_t)allocator});
    if (s == &overlays) uncover(low);
    else drop_asked(low, low + bytes);
}

static void remove_mappings(uintptr_t low, uintptr_t high)
{
    cut(&mappings, low, high);
    drop_asked(low, high);
}

/* Leaves memory alone whose allocation was seen: the driver may tell of a pool around it. */
struct tb_range *tb_range_asked(uintptr_t a, int answer, const struct tb_gpu_memory *m)
{
    size_t i = first_behind(&overlays, a), j;
    struct tb_range *r = i < overlays.n && overlays.at[i].low <= a ? &overlays.at[i] : NULL;
    if (answer < 0 || (r && !r->asked)) return r;
    if (answer == 0) {
        if (r) drop(&overlays, i);
        return NULL;
    }
    uintptr_t low = m->low, high = m->low + m->bytes;
    for (j = i; j > 0 && overlays.at[j - 1].high > low; j--)
        if (!overlays.at[j - 1].asked) low = overlays.at[j - 1].high;
    for (j = i; j < overlays.n && overlays.at[j].low < high; j++)
        if (!overlays.at[j].asked) high = overlays.at[j].low;
    if (r && r->low == low && r->high == high && r->kind == m->kind) return r;
    drop_asked(low, high);
    insert(&overlays, (struct tb_range){.low = low, .high = high, .kind = (uint8_t)m->kind, .asked = 1});
    return tb_range_find(a, 1);
}

static void forget(uintptr_t base, int kind)
{
    struct tb_range *r = tb_range_find(base, 1);
    if (r && r->low == base && (kind == TB_MEM_MPI) == (r->kind == TB_MEM_MPI))
        drop(&overlays, (size_t)(r - overlays.at));
}

static void extend(uintptr_t low, uint64_t before, uint64_t after)
{
    cut(&mappings, low + before, low + after);
    struct tb_range *r = tb_range_find(low, 0);
    if (!r || r->high != low + before) {
        add(low, after, TB_MEM_MAP, 0, 0);
        return;
    }
    r->high = low + after;
    if (r->block) tb_block_retire(r->block); /* a segment has one size */
    r->block = NULL;
}

/* ---- What could not be done because this very thread held the lock ---- */

enum { OP_NONE, OP_ADD, OP_REMOVE, OP_FORGET, OP_FREE, OP_EXTEND, OP_WHOLE };
enum { LATE = 256 };
static struct late {
    int state; /* 0 empty, 1 being written, 2 ready */
    int op, kind, allocator;
    uintptr_t low, maker;
    uint64_t bytes, before;
} late[LATE];
static int late_count;

static void apply(const struct late *l)
{
    switch (l->op) {
    case OP_ADD: add(l->low, l->bytes, l->kind, l->allocator, l->maker); break;
    case OP_REMOVE: remove_mappings(l->low, l->low + l->bytes); break;
    case OP_FORGET: forget(l->low, l->kind); break;
    case OP_EXTEND: extend(l->low, l->before, l->bytes); break;
    case OP_WHOLE: {
        struct tb_range *r = tb_range_find(l->low, 0);
        if (r && r->low == l->low) drop(&mappings, (size_t)(r - mappings.at));
        break;
    }
    case OP_FREE: {
        struct tb_block *b = tb_block_at(l->low);
        if (b) tb_block_retire(b);
        break;
    }
    }
}

int tb_range_busy(void) { return __atomic_load_n(&late_count, __ATOMIC_ACQUIRE) != 0; }

void tb_range_catch_up(void)
{
    for (int i = 0; i < LATE; i++) {
        if (__atomic_load_n(&late[i].state, __ATOMIC_ACQUIRE) != 2) continue;
        apply(&late[i]);
        __atomic_store_n(&late[i].state, 0, __ATOMIC_RELEASE);
        __atomic_fetch_sub(&late_count, 1, __ATOMIC_RELEASE);
    }
}

static void do_late(struct late l)
{
    if (!tb_shared_alive()) return;
    for (int i = 0; i < LATE; i++) {
        int empty = 0;
        if (!__atomic_compare_exchange_n(&late[i].state, &empty, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
        l.state = 1;
        late[i] = l;
        __atomic_fetch_add(&late_count, 1, __ATOMIC_RELEASE);
        __atomic_store_n(&late[i].state, 2, __ATOMIC_RELEASE);
        return;
    }
}

static void perform(struct late l)
{
    if (!tb_segments_lock()) {
        do_late(l);
        return;
    }
    apply(&l);
    tb_segments_unlock();
    tb_report_frees();
}

void tb_late_free(uintptr_t base) { do_late((struct late){.op = OP_FREE, .low = base}); }

void tb_range_add(uintptr_t low, uint64_t bytes, int kind, int allocator, const void *maker)
{
    if (bytes == 0 || low + bytes < low) return;
    tb_shared_init();
    perform((struct late){.op = OP_ADD, .low = low, .bytes = bytes, .kind = kind, .allocator = allocator,
                          .maker = (uintptr_t)maker});
}

void tb_range_remove(uintptr_t low, uint64_t bytes)
{
    if (bytes == 0 || low + bytes < low || mappings.n == 0) return;
    perform((struct late){.op = OP_REMOVE, .low = low, .bytes = bytes});
}

void tb_range_remove_whole(uintptr_t low)
{
    if (mappings.n == 0) return;
    perform((struct late){.op = OP_WHOLE, .low = low});
}

void tb_range_extend(uintptr_t low, uint64_t before, uint64_t after)
{
    perform((struct late){.op = OP_EXTEND, .low = low, .before = before, .bytes = after});
}

void tb_range_forget(uintptr_t base, int kind)
{
    if (overlays.n == 0) return;
    perform((struct late){.op = OP_FORGET, .low = base, .kind = kind});
}

void tb_range_adopt(void)
{
    if (!tb_segments_lock()) return;
    for (size_t i = 0; i < mappings.n; i++) mappings.at[i].allocator = 1;
    tb_segments_unlock();
}

/* ---- Thread-local variables of the main thread ----
 * Other threads have theirs in their stack's mapping. */

struct storage { uintptr_t pointer, low, high; };

static int add_storage(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct storage *s = arg;
    if (size < sizeof *info || !info->dlpi_tls_data) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
        uintptr_t low = (uintptr_t)info->dlpi_tls_data, high = low + info->dlpi_phdr[i].p_memsz;
        if (low - s->pointer + (1 << 20) > 2 << 20) continue; /* not static: a block of the heap */
        if (low < s->low) s->low = low;
        if (high > s->high) s->high = high;
    }
    return 0;
}

void tb_range_add_thread_storage(uintptr_t stack_low, uintptr_t stack_high)
{
    static int done;
    struct storage s = {(uintptr_t)__builtin_thread_pointer(), UINTPTR_MAX, 0};
    if (s.pointer - stack_low < stack_high - stack_low || __atomic_exchange_n(&done, 1, __ATOMIC_RELAXED)) return;
    dl_iterate_phdr(add_storage, &s);
    if (s.low < s.high) tb_range_add(s.low, s.high - s.low, TB_MEM_MAP, 0, NULL);
}
