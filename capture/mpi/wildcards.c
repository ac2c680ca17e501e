/* Requests of receives from any source, or with any tag, that have not completed: the statuses of
 * calls that are given one of them are recorded even if the program ignores them (TB_F_IGNORED).
 * That is a hint. The collector knows what each request is of, and drops what is too much. What is
 * missing is lost, so where room ends all requests are believed to be such. */
#define _GNU_SOURCE
#include "core/core.h"
#include "mpi/library.h"

int tb_wild;

/* Open addressing. Keys stay: libraries use few values of handles again and again. A value may be
 * in use again before the thread that completed the request has said so; so they are counted. */
enum { SLOTS = 1 << 12, MOST = SLOTS / 4 * 3 };
static struct { uintptr_t key; int live; } table[SLOTS];
static int used, full;

static int *find(uintptr_t handle, int make)
{
    unsigned i = (unsigned)((handle * 0x9e3779b97f4a7c15ULL) >> 40) % SLOTS;
    for (int n = 0; n < SLOTS; n++, i = (i + 1) % SLOTS) {
        uintptr_t key = __atomic_load_n(&table[i].key, __ATOMIC_ACQUIRE);
        if (key == 0) {
            if (!make) return NULL;
            if (__atomic_load_n(&used, __ATOMIC_RELAXED) >= MOST) return NULL;
            if (__atomic_compare_exchange_n(&table[i].key, &key, handle, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
                __atomic_add_fetch(&used, 1, __ATOMIC_RELAXED);
                key = handle;
            }
        }
        if (key == handle) return &table[i].live;
    }
    return NULL;
}

void tb_wild_begins(const void *request)
{
    int *live = find(tb_handle_at(request), 1);
    if (live) __atomic_add_fetch(live, 1, __ATOMIC_RELEASE);
    else if (__atomic_exchange_n(&full, 1, __ATOMIC_ACQ_REL)) return;
    __atomic_add_fetch(&tb_wild, 1, __ATOMIC_RELEASE);
}

int tb_wild_among(const void *requests, int64_t n)
{
    if (__atomic_load_n(&full, __ATOMIC_ACQUIRE)) return requests != NULL && n > 0;
    for (int64_t i = 0; requests && i < n; i++) {
        const int *live = find(tb_handle_at((const char *)requests + i * tb_abi.handle_bytes), 0);
        if (live && __atomic_load_n(live, __ATOMIC_ACQUIRE) > 0) return 1;
    }
    return 0;
}

static void end(uintptr_t handle)
{
    int *live = find(handle, 0), n = live ? __atomic_load_n(live, __ATOMIC_ACQUIRE) : 0;
    while (n > 0)
        if (__atomic_compare_exchange_n(live, &n, n - 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            __atomic_sub_fetch(&tb_wild, 1, __ATOMIC_RELEASE);
            return;
        }
}

void tb_wild_freed(const void *request)
{
    if (request) end(tb_handle_at(request));
}

/* The entry part of the record says what the requests were. */
void tb_wild_ends(struct tb_call *c, const void *requests, int64_t n, unsigned at)
{
    if (c->id_flags >> 16 & TB_F_EXIT) return; /* it is elsewhere */
    const uint64_t *was = (c->known ? c->known->body : c->t->at + 5) + at;
    for (int64_t i = 0; i < n; i++)
        if (tb_handle_at((const char *)requests + i * tb_abi.handle_bytes) == tb_abi.request_null)
            end((uintptr_t)was[i]);
}
