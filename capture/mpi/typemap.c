/* Where the bytes of a datatype lie, in the order of its type map: as the program described it, asked of the library
 * (MPI_Type_get_contents). Kept until the program frees the datatype. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include "core/core.h"
#include "mpi/gen/wrap.h"
#include "mpi/library.h"
#include "mpi/payload.h"

/* A run of bytes if part is NULL, else n parts; either stride bytes apart, or where displacements say, each lengths[i]
 * (1 without lengths) times. parts are several, of a struct, and part their first. */
struct tb_layout {
    int64_t bytes, n, stride;
    struct tb_layout *part;
    int64_t part_extent;
    int64_t *at, *lengths;
    struct tb_layout **parts;
    int64_t *extents;
};

typedef int get_size(uintptr_t, long *), get_extent(uintptr_t, long *, long *);
typedef int get_envelope(uintptr_t, int *, int *, int *, int *);
typedef int get_contents(uintptr_t, int, int, int, int *, long *, void *);
typedef int change(void *);

static int combiner_of(int value)
{
    for (int i = 0; i < TB_COMBINERS; i++)
        if (tb_combiners[i][tb_abi.kind] == value) return i;
    return -1;
}

static int64_t size_of(uintptr_t type)
{
    static get_size *f;
    long n = 0;
    if (!f) f = (get_size *)tb_library_symbol("PMPI_Type_size_x");
    return f && f(type, &n) == 0 ? n : -1;
}

static int64_t extent_of(uintptr_t type)
{
    static get_extent *f;
    long low = 0, n = 0;
    if (!f) f = (get_extent *)tb_library_symbol("PMPI_Type_get_extent");
    return f && f(type, &low, &n) == 0 ? n : 0;
}

/* ---- Predefined datatypes ---- */

static int element_of(char nature, int64_t size)
{
    static const struct { char nature; int8_t size; int8_t element; } known[] = {
        {'i', 1, TB_E_INT8},   {'i', 2, TB_E_INT16},  {'i', 4, TB_E_INT32},  {'i', 8, TB_E_INT64},
        {'u', 1, TB_E_UINT8},  {'u', 2, TB_E_UINT16}, {'u', 4, TB_E_UINT32}, {'u', 8, TB_E_UINT64},
        {'r', 4, TB_E_FLOAT},  {'r', 8, TB_E_DOUBLE}, {'c', 8, TB_E_FLOAT},  {'c', 16, TB_E_DOUBLE}};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].nature == nature && known[i].size == size) return known[i].element;
    return TB_E_BYTES;
}

/* The library's handles, by their hash; written once. */
enum { HANDLES = 1 << 10 };
static struct predefined { uintptr_t handle; struct tb_datatype d; } handles[HANDLES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct predefined *slot(uintptr_t handle)
{
    unsigned i = (unsigned)((handle * 0x9e3779b97f4a7c15ULL) >> 40) % HANDLES;
    while (handles[i].handle && handles[i].handle != handle) i = (i + 1) % HANDLES;
    return &handles[i];
}

/* Their bytes lie in a row, but for those of MPI_SHORT_INT, which have a gap. */
static void find_predefined(void)
{
    for (unsigned i = 0; i < tb_num_predefineds; i++) {
        const struct tb_predefined *p = &tb_predefineds[i];
        uint64_t handle = p->nature ? tb_predefined_handle(p->index) : TB_NO_HANDLE;
        if (handle == TB_NO_HANDLE || !handle || p->index == TB_PREDEFINED_MPI_SHORT_INT) continue;
        int64_t size = size_of(handle);
        if (size < 0) continue;
        struct predefined *to = slot(handle);
        to->handle = handle;
        to->d = (struct tb_datatype){element_of(p->nature, size), size, extent_of(handle), NULL};
    }
}

static int predefined(uintptr_t handle, struct tb_datatype *d)
{
    pthread_once(&once, find_predefined);
    const struct predefined *p = slot(handle);
    if (!p->handle) return 0;
    *d = p->d;
    return 1;
}

/* ---- Others ---- */

enum { MOST = 64 << 20 }; /* bytes that descriptions take, together */
static int64_t taken;

static void *room(int64_t n, size_t width)
{
    if (n < 0 || n > MOST || taken + n * (int64_t)width > MOST) return NULL;
    taken += n * (int64_t)width;
    return calloc((size_t)n + 1, width);
}

static void release(struct tb_layout *l)
{
    if (!l) return;
    if (l->parts) for (int64_t i = 0; i < l->n; i++) release(l->parts[i]);
    else release(l->part);
    taken -= (int64_t)sizeof *l + l->n * 8 * (!!l->at + !!l->lengths + !!l->parts + !!l->extents);
    free(l->at);
    free(l->lengths);
    free(l->parts);
    free(l->extents);
    free(l);
}

static struct tb_layout *run(int64_t bytes)
{
    struct tb_layout *l = room(1, sizeof *l);
    if (l) l->bytes = bytes;
    return l;
}

/* n of them, stride bytes apart. Takes part. */
static struct tb_layout *repeated(struct tb_layout *part, int64_t n, int64_t stride)
{
    if (!part) return NULL;
    if (!part->part && !part->parts && (part->bytes == stride || n == 1)) {
        part->bytes *= n;
        return part;
    }
    struct tb_layout *l = n == 1 ? part : room(1, sizeof *l);
    if (l && n != 1) *l = (struct tb_layout){.n = n, .stride = stride, .part = part};
    if (!l) release(part);
    return l;
}

/* What MPI_Type_get_contents says. */
struct contents {
    int combiner, ni, na, nd;
    int *i;
    long *a;
    void *d;
};

enum { DEEPEST = 32 };
static struct tb_layout *build(uintptr_t handle, int *element, int depth);

static uintptr_t nth(const struct contents *c, int64_t k)
{
    return tb_handle_at((char *)c->d + k * tb_abi.handle_bytes);
}

/* Blocks of one datatype or of several. */
static struct tb_layout *blocks(const struct contents *c, int64_t n, const int *lengths, const int *at, int64_t unit,
                                const long *bytes, int *element, int depth)
{
    int several = combiner_of(c->combiner) == TB_COMBINER_STRUCT;
    struct tb_layout *l = n < 0 ? NULL : room(1, sizeof *l);
    if (!l) return NULL;
    l->n = n;
    l->at = room(n, 8), l->lengths = room(n, 8);
    if (several) l->parts = room(n, 8), l->extents = room(n, 8);
    else l->part = build(nth(c, 0), element, depth), l->part_extent = extent_of(nth(c, 0));
    int failed = !l->at || !l->lengths || (several ? !l->parts || !l->extents : !l->part);
    for (int64_t i = 0; i < n && !failed; i++) {
        l->at[i] = bytes ? bytes[i] : at[i] * unit;
        l->lengths[i] = lengths[c->ni == 2 ? 0 : i]; /* one for all, or there is one block */
        if (!several) continue;
        l->extents[i] = extent_of(nth(c, i));
        failed = !(l->parts[i] = build(nth(c, i), element, depth));
    }
    if (!failed) return l;
    release(l);
    return NULL;
}

static struct tb_layout *subarray(const struct contents *c, struct tb_layout *l, int64_t extent)
{
    int n = c->i[0], order = c->i[1 + 3 * n];
    const int *sizes = c->i + 1, *subsizes = sizes + n, *starts = subsizes + n;
    int64_t stride = extent, offset = 0;
    for (int k = 0; k < n; k++) { /* from what varies fastest */
        int at = order == tb_order_c[tb_abi.kind] ? n - 1 - k : k;
        l = repeated(l, subsizes[at], stride);
        offset += starts[at] * stride;
        stride *= sizes[at];
    }
    struct tb_layout *whole = l ? room(1, sizeof *whole) : NULL;
    if (!whole) {
        release(l);
        return NULL;
    }
    *whole = (struct tb_layout){.n = 1, .part = l, .at = room(1, 8), .lengths = room(1, 8)};
    if (!whole->at || !whole->lengths) {
        release(whole);
        return NULL;
    }
    whole->at[0] = offset;
    whole->lengths[0] = 1;
    return whole;
}

static struct tb_layout *combined(const struct contents *c, int *element, int depth)
{
    int64_t unit = c->nd ? extent_of(nth(c, 0)) : 0;
    const int *i = c->i;
#define OLD build(nth(c, 0), element, depth)
    switch (combiner_of(c->combiner)) {
    case TB_COMBINER_DUP:
    case TB_COMBINER_RESIZED: return OLD;
    case TB_COMBINER_CONTIGUOUS: return repeated(OLD, i[0], unit);
    case TB_COMBINER_VECTOR: return repeated(repeated(OLD, i[1], unit), i[0], i[2] * unit);
    case TB_COMBINER_HVECTOR: return repeated(repeated(OLD, i[1], unit), i[0], c->a[0]);
    case TB_COMBINER_INDEXED: return blocks(c, i[0], i + 1, i + 1 + i[0], unit, NULL, element, depth);
    case TB_COMBINER_HINDEXED:
    case TB_COMBINER_STRUCT: return blocks(c, i[0], i + 1, NULL, 0, c->a, element, depth);
    case TB_COMBINER_INDEXED_BLOCK: {
        struct contents one = *c; /* says that there is one length */
        one.ni = 2;
        return blocks(&one, i[0], i + 1, i + 2, unit, NULL, element, depth);
    }
    case TB_COMBINER_HINDEXED_BLOCK: return blocks(c, i[0], i + 1, NULL, 0, c->a, element, depth);
    case TB_COMBINER_SUBARRAY: return subarray(c, OLD, unit);
    }
#undef OLD
    return NULL;
}

/* Frees the datatypes that were given: derived ones are copies. */
static void free_contents(struct contents *c, int filled)
{
    static get_envelope *envelope;
    static change *type_free;
    if (!envelope) envelope = (get_envelope *)tb_library_symbol("PMPI_Type_get_envelope");
    if (!type_free) type_free = (change *)tb_library_symbol("PMPI_Type_free");
    for (int k = 0; filled && k < c->nd; k++) {
        int a, b, d, combiner;
        if (envelope(nth(c, k), &a, &b, &d, &combiner) == 0 && combiner_of(combiner) != TB_COMBINER_NAMED)
            type_free((char *)c->d + k * tb_abi.handle_bytes);
    }
    free(c->i);
    free(c->a);
    free(c->d);
}

/* Of a datatype that is made of others, or a predefined one. Every element that is met is to be the same; it is -1 at
 * first. */
static struct tb_layout *build(uintptr_t handle, int *element, int depth)
{
    struct tb_datatype d;
    struct contents c = {0};
    if (predefined(handle, &d)) {
        *element = *element < 0 || *element == d.element ? d.element : TB_E_BYTES;
        return run(d.size);
    }
    get_envelope *envelope = (get_envelope *)tb_library_symbol("PMPI_Type_get_envelope");
    get_contents *contents = (get_contents *)tb_library_symbol("PMPI_Type_get_contents");
    if (depth == DEEPEST || !envelope || !contents) return NULL;
    if (envelope(handle, &c.ni, &c.na, &c.nd, &c.combiner) != 0) return NULL;
    if (combiner_of(c.combiner) <= TB_COMBINER_NAMED) return NULL;
    c.i = room(c.ni, sizeof *c.i), c.a = room(c.na, sizeof *c.a), c.d = room(c.nd, 8);
    taken -= c.ni * (int64_t)sizeof *c.i + c.na * (int64_t)sizeof *c.a + c.nd * 8;
    int filled = c.i && c.a && c.d && contents(handle, c.ni, c.na, c.nd, c.i, c.a, c.d) == 0;
    struct tb_layout *l = filled ? combined(&c, element, depth + 1) : NULL;
    free_contents(&c, filled);
    return l;
}

/* ---- Those that are known ---- */

struct known { struct known *next; uintptr_t handle; struct tb_datatype d; int failed; };
static struct known *known[256];
static char busy;
int tb_datatypes_known;

static struct known **bucket(uintptr_t handle) { return &known[(handle * 0x9e3779b97f4a7c15ULL) >> 56]; }

static void lock(void) { while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) sched_yield(); }
static void unlock(void) { __atomic_clear(&busy, __ATOMIC_RELEASE); }

static struct known *learn(uintptr_t handle)
{
    struct known *k = calloc(1, sizeof *k);
    int element = -1;
    if (!k) return NULL;
    struct tb_layout *l = build(handle, &element, 0);
    *k = (struct known){*bucket(handle), handle,
                        {element < 0 ? TB_E_BYTES : element, size_of(handle), extent_of(handle), l}, !l};
    if (l && !l->part && !l->parts && l->bytes == k->d.size && k->d.extent == k->d.size) k->d.layout = NULL, release(l);
    *bucket(handle) = k;
    tb_datatypes_known++;
    return k;
}

int tb_datatype_predefined(uintptr_t handle)
{
    struct tb_datatype d;
    return predefined(handle, &d);
}

int tb_datatype_of(uintptr_t handle, struct tb_datatype *d)
{
    if (predefined(handle, d)) return 1;
    lock();
    struct known *k = *bucket(handle);
    while (k && k->handle != handle) k = k->next;
    if (!k) k = learn(handle);
    if (!k || k->failed) {
        unlock();
        return 0;
    }
    *d = k->d;
    if (!d->layout) unlock();
    return 1;
}

void tb_datatype_done(const struct tb_datatype *d)
{
    if (d->layout) unlock();
}

void tb_datatype_freed(const void *type)
{
    if (!type) return;
    lock();
    for (struct known **p = bucket(tb_handle_at(type)), *k; (k = *p); p = &k->next)
        if (k->handle == tb_handle_at(type)) {
            *p = k->next;
            release((struct tb_layout *)k->d.layout);
            free(k);
            tb_datatypes_known--;
            break;
        }
    unlock();
}

/* ---- Going through them ---- */

static int runs(const struct tb_layout *l, const char *data, tb_run *each, void *context)
{
    if (!l->part && !l->parts) return l->bytes == 0 || each(context, data, (size_t)l->bytes);
    for (int64_t i = 0; i < l->n; i++) {
        const struct tb_layout *part = l->parts ? l->parts[i] : l->part;
        int64_t extent = l->parts ? l->extents[i] : l->part_extent, times = l->lengths ? l->lengths[i] : 1;
        const char *p = data + (l->at ? l->at[i] : i * l->stride);
        if (!part->part && !part->parts && part->bytes == extent) {
            if (times > 0 && extent > 0 && !each(context, p, (size_t)(times * extent))) return 0;
            continue;
        }
        for (int64_t k = 0; k < times; k++)
            if (!runs(part, p + k * extent, each, context)) return 0;
    }
    return 1;
}

int tb_datatype_runs(const struct tb_datatype *d, const char *data, int64_t count, tb_run *each, void *context)
{
    if (count <= 0 || d->size <= 0) return 1;
    if (!d->layout && d->extent == d->size) return each(context, data, (size_t)(count * d->size));
    for (int64_t i = 0; i < count; i++)
        if (!(d->layout ? runs(d->layout, data + i * d->extent, each, context)
                        : each(context, data + i * d->extent, (size_t)d->size))) return 0;
    return 1;
}
