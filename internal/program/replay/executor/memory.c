//go:build ignore

/* Symbolic addresses: one range of address space, reserved at the start, with a part for each
 * segment. Only pages that are touched cost memory. Behind the part of a segment lies that of the
 * next one, so a buffer that is longer than expected overlaps others, which does no harm: contents
 * are arbitrary. Datatypes may lead further away, from the heap to a stack, say: then there is
 * memory at that distance, too, from the first call on that uses it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "executor.h"

/* archive.Mem */
enum { LITERAL = 0, HEAP = 1, STATIC = 2, STACK = 3 };

/* Parts of the range: how many segments of one kind, and how long each is, in units of which the
 * range has 2^27. Segments with large numbers are many, and therefore small; the last row
 * repeats. */
struct zone { uint64_t first, segments, units, start; };
static struct zone heaps[] = {{0, 256, 1 << 17, 0}, {256, 16384, 1 << 11, 0}, {16640, 1 << 19, 1 << 6, 0},
    {16640 + (1 << 19), 1 << 23, 1, 0}};
static struct zone modules = {0, 256, 1 << 14, 0}, stacks = {0, 4096, 1 << 10, 0}, raw = {0, 1, 1 << 22, 0};
enum { UNITS = 4 * (1 << 25) + (1 << 22) + (1 << 22) + (1 << 22), MOST_UNIT = 1 << 18, LEAST_UNIT = 1 << 4 };
enum { TAIL = 1 << 18 }; /* units before the first segment and behind the last one, for what is longer than its part */

static char *range;
static uint64_t unit;
static struct far { uint64_t low, high; } *fars; /* the range, and memory outside of it, in order */
static uint64_t num_fars, fars_room;
static unsigned char *mapped; /* by segment of the heap: told a tracer of */

uint64_t rp_epoch = 1;

/* Segments that lie where the library allocated them, by class and number: open addressing. Freed
 * ones stay with live = 0. */
struct binding { uint64_t key, base, address; const uint64_t *window; int live; };
static struct binding *bindings;
static uint64_t num_bindings, room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* There if possible, else anywhere. */
static void *reserve_at(uint64_t at, uint64_t bytes)
{
    /* Not by mmap: a tracer would take it all for one segment. */
    long p = syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == -1 ? NULL : (void *)p;
}

static void *reserve(uint64_t bytes) { return reserve_at(0, bytes); }

/* Where the range should begin: programs, heaps and libraries lie in the upper half of the address
 * space, and the distances between them have to fit in at both sides of it. */
static uint64_t middle(void)
{
    int here;
    uint64_t top = (uint64_t)(uintptr_t)&here;
    while (top & (top - 1)) top &= top - 1;
    return top / 4 * 3;
}

/* Address space of the process, in bytes: not all of what ulimit -v leaves is for us. */
uint64_t rp_address_space(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY ? (uint64_t)r.rlim_cur : UINT64_MAX;
}

void rp_memory_init(void)
{
    uint64_t space = rp_address_space();
    for (unit = MOST_UNIT; unit >= LEAST_UNIT; unit /= 2)
        if ((UNITS + 2 * TAIL) * unit <= space / 2 && (range = reserve_at(middle(), (UNITS + 2 * TAIL) * unit))) break;
    if (!range) rp_fail(NULL, RP_BROKEN, "%llu GiB of address space cannot be reserved (ulimit -v, or "
        "vm.overcommit_memory = 2)",
                        (unsigned long long)((uint64_t)UNITS * LEAST_UNIT >> 30) + 1);
    madvise(range, (UNITS + 2 * TAIL) * unit, MADV_DONTDUMP);
    madvise(range, (UNITS + 2 * TAIL) * unit, MADV_NOHUGEPAGE); /* segments are far apart: each would take 2 MiB */
    range += TAIL * unit;
    uint64_t at = 0;
    struct zone *all[] = {&heaps[0], &heaps[1], &heaps[2], &heaps[3], &modules, &stacks, &raw};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->start = at;
        at += all[i]->segments * all[i]->units;
    }
    if (space / 8 >= UINT64_C(1) << 33) mapped = reserve(UINT64_C(1) << 33);
}

/* Tells a tracer, which follows mmap, that a segment begins here. Heap segments have even numbers,
 * those of modules and stacks odd ones. */
static void map_segment(uint64_t number, char *at, uint64_t bytes)
{
    if (!mapped || bytes < 4096 || number >> 33 || __atomic_exchange_n(&mapped[number], 1, __ATOMIC_RELAXED)) return;
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
        0) == MAP_FAILED) return;
    madvise(at, bytes, MADV_DONTDUMP);
    madvise(at, bytes, MADV_NOHUGEPAGE);
}

static char *place(const struct zone *z, uint64_t segment)
{
    return range + (z->start + (segment - z->first) % z->segments * z->units) * unit;
}

static uint64_t heap(uint64_t segment, int64_t offset)
{
    const struct zone *z = heaps;
    while (z < heaps + 3 && segment >= z->first + z->segments) z++;
    char *at = place(z, segment);
    uint64_t bytes = z->units * unit, page = (uint64_t)getpagesize();
    if (bytes >= 256 * page) { /* caches dislike that all segments begin at the same set */
        uint64_t colour = segment % 61 * page;
        at += colour, bytes -= colour;
    }
    map_segment(2 * segment, at, bytes);
    return (uint64_t)(uintptr_t)at + (uint64_t)offset;
}

static uint64_t other(const struct zone *z, uint64_t segment, int64_t offset)
{
    char *at = place(z, segment);
    map_segment(4 * (segment % z->segments) + (z == &stacks ? 3 : 1), at, z->units * unit);
    return (uint64_t)(uintptr_t)at + (uint64_t)offset;
}

static uint64_t key_of(uint64_t class, uint64_t segment) { return class << 56 | (segment & ((UINT64_C(1) << 56) - 1)); }

static struct binding *find(struct binding *list, uint64_t size, uint64_t key)
{
    uint64_t i = (key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
    while (list[i].key && list[i].key != key) i = (i + 1) & (size - 1);
    return &list[i];
}

static int bound(uint64_t key, uint64_t *base, int freed)
{
    if (tb_likely(__atomic_load_n(&num_bindings, __ATOMIC_ACQUIRE) == 0)) return 0;
    pthread_mutex_lock(&lock);
    struct binding *b = find(bindings, room, key);
    *base = b->base;
    int yes = b->key == key && b->live && (freed || b->window || !(rp_process.flags & RP_FLAG_OWN));
    pthread_mutex_unlock(&lock);
    return yes;
}

uint64_t rp_made_address(uint64_t class, uint64_t segment, int64_t offset)
{
    uint64_t base;
    return class != LITERAL && class <= STACK && bound(key_of(class, segment), &base, 1) ? base + (uint64_t)offset
        : rp_address(class, segment, offset);
}

uint64_t rp_address(uint64_t class, uint64_t segment, int64_t offset)
{
    uint64_t base;
    if (class == LITERAL) return (uint64_t)offset;
    if (class <= STACK && bound(key_of(class, segment), &base, 0)) return base + (uint64_t)offset;
    switch (class) {
    case HEAP: return heap(segment, offset);
    case STATIC: return other(&modules, segment, offset);
    /* A stack grows down from the frame that offsets count from. */
    case STACK: return other(&stacks, segment, offset + (int64_t)(stacks.units * unit * 7 / 8));
    default: return (uint64_t)(uintptr_t)place(&raw, 0) + (uint64_t)offset % (raw.units * unit);
    }
}

static void grow(void)
{
    uint64_t size = room ? 2 * room : 64;
    struct binding *list = calloc(size, sizeof *list);
    if (!list) rp_fail(NULL, RP_BROKEN, "there is no memory for %llu segments", (unsigned long long)size);
    for (uint64_t i = 0; i < room; i++)
        if (bindings[i].key) *find(list, size, bindings[i].key) = bindings[i];
    free(bindings);
    bindings = list;
    room = size;
}

void rp_bind(uint64_t class, uint64_t segment, int64_t offset, uint64_t address, const uint64_t *window)
{
    if (class == LITERAL || class > STACK || address == 0) return;
    uint64_t key = key_of(class, segment);
    struct binding now = {key, address - (uint64_t)offset, address, window, 1};
    pthread_mutex_lock(&lock);
    if (2 * (num_bindings + 1) > room) grow();
    struct binding *b = find(bindings, room, key);
    int changed = b->key != key || b->base != now.base || !b->live;
    if (b->key != key) __atomic_store_n(&num_bindings, num_bindings + 1, __ATOMIC_RELEASE);
    *b = now;
    pthread_mutex_unlock(&lock);
    if (changed) __atomic_add_fetch(&rp_epoch, 1, __ATOMIC_ACQ_REL);
}

void rp_unbind(const uint64_t *window, uint64_t address)
{
    int changed = 0;
    pthread_mutex_lock(&lock);
    for (uint64_t i = 0; i < room; i++) {
        struct binding *b = &bindings[i];
        if (!b->live || (window ? b->window != window : b->window || b->address != address)) continue;
        b->live = 0;
        changed = 1;
    }
    pthread_mutex_unlock(&lock);
    if (changed) __atomic_add_fetch(&rp_epoch, 1, __ATOMIC_ACQ_REL);
}

/* ---- Distances that datatypes lead over ---- */

enum { PAGE = 1 << 16 };

static void add_far(struct rp_thread *t, uint64_t at, uint64_t low, uint64_t high)
{
    if (num_fars == fars_room) fars = rp_grow(t, fars, fars_room = fars_room ? 2 * fars_room : 16, sizeof *fars);
    memmove(&fars[at + 1], &fars[at], (num_fars - at) * sizeof *fars);
    fars[at] = (struct far){low, high};
    num_fars++;
}

/* Memory from low to high, where there is none of ours yet. */
static void make_far(struct rp_thread *t, const struct rp_call *c, uint64_t low, uint64_t high)
{
    uint64_t i = 0;
    while (i < num_fars && fars[i].high <= low) i++;
    while (low < high) {
        uint64_t end = i < num_fars && fars[i].low < high ? fars[i].low : high;
        if (low < end) {
            void *p = reserve_at(low, end - low);
            if ((uint64_t)(uintptr_t)p != low) {
                if (p) syscall(SYS_munmap, p, end - low);
                rp_fail(t, RP_BROKEN, "%s needs memory at %#llx, as far from its buffer as in the recording, and "
                    "there is none to be had", c->text, (unsigned long long)low);
            }
            madvise(p, end - low, MADV_DONTDUMP);
            add_far(t, i++, low, end);
        }
        if (i == num_fars || end == high) return;
        low = fars[i++].high;
    }
}

void rp_reach(struct rp_thread *t, const struct rp_call *c)
{
    uint64_t first = (uint64_t)(uintptr_t)range, last = first + UNITS * unit;
    if (!t->header[RP_HEADER_FAR]) return;
    const struct rp_array *list = rp_array(t, t->header[RP_HEADER_FAR] - 1);
    pthread_mutex_lock(&lock);
    if (num_fars == 0) add_far(t, 0, first - TAIL * unit, last + TAIL * unit);
    pthread_mutex_unlock(&lock);
    for (unsigned i = 0; i < c->num_params; i++) {
        uint64_t at = c->words[i];
        if (c->params[i].op != RP_OP_ADDRESS || at < first || at >= last) continue;
        pthread_mutex_lock(&lock);
        for (uint64_t k = 0; k + 1 < list->n; k += 2)
            make_far(t, c, (at + list->words[k]) & ~(uint64_t)(PAGE - 1),
                (at + list->words[k + 1] + PAGE - 1) & ~(uint64_t)(PAGE - 1));
        pthread_mutex_unlock(&lock);
    }
}
