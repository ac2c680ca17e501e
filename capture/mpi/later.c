/* Contents that are read later than the program says where they lie: those of persistent requests whenever these are
 * started, and those of one-sided calls that fetch when what ends them has returned. */
#include <sched.h>
#include <stdlib.h>
#include "core/core.h"
#include "core/ids.h"
#include "mpi/gen/wrap.h"
#include "mpi/library.h"
#include "mpi/payload.h"

static char busy;
static void lock(void) { while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) sched_yield(); }
static void unlock(void) { __atomic_clear(&busy, __ATOMIC_RELEASE); }

struct data {
    const void *at;
    int64_t count;
    uintptr_t type; /* a duplicate, if own */
    int own;
};

typedef int duplicate(uintptr_t, void *), change(void *);

/* The program may free the datatype before it is needed: the runtime keeps one of its own. */
static void hold(struct data *x)
{
    struct tb_thread *t = tb_self;
    if (tb_datatype_predefined(x->type)) return;
    duplicate *dup = (duplicate *)tb_library_symbol("PMPI_Type_dup");
    uint64_t copy = 0;
    t->priv->muted++;
    if (dup && dup(x->type, &copy) == 0) x->type = tb_handle_at(&copy), x->own = 1;
    t->priv->muted--;
}

static void let_go(struct data *x)
{
    struct tb_thread *t = tb_self;
    change *type_free = x->own ? (change *)tb_library_symbol("PMPI_Type_free") : NULL;
    if (t->priv) t->priv->muted++;
    if (type_free) {
        tb_datatype_freed(&x->type);
        type_free(&x->type);
    }
    if (t->priv) t->priv->muted--;
}

/* ---- Persistent requests ---- */

struct kept {
    struct kept *next;
    uintptr_t request;
    struct data data;
    int64_t partitions;
};
static struct kept *kept[1024];
int tb_payloads_kept;

static struct kept **find(uintptr_t request)
{
    struct kept **p = &kept[(request * 0x9e3779b97f4a7c15ULL) >> 54];
    while (*p && (*p)->request != request) p = &(*p)->next;
    return p;
}

void tb_payload_forget(const void *request)
{
    if (!request) return;
    lock();
    struct kept **p = find(tb_handle_at(request)), *k = *p;
    if (k) *p = k->next, tb_payloads_kept--;
    unlock();
    if (!k) return;
    let_go(&k->data);
    free(k);
}

void tb_payload_keep(const void *request, const void *data, int64_t count, uintptr_t type, int64_t partitions)
{
    struct kept *k = request && tb_self->priv ? calloc(1, sizeof *k) : NULL;
    if (!k) return;
    tb_payload_forget(request);
    *k = (struct kept){NULL, tb_handle_at(request), {data, count, type, 0}, partitions};
    hold(&k->data);
    lock();
    struct kept **p = find(k->request);
    k->next = *p;
    *p = k;
    tb_payloads_kept++;
    unlock();
}

static int get(uintptr_t request, struct kept *k)
{
    lock();
    struct kept *found = *find(request);
    if (found) *k = *found;
    unlock();
    return found != NULL;
}

void tb_payload_start(const void *requests, int64_t n, void *ra, void *frame)
{
    struct kept k;
    for (int64_t i = 0; requests && i < n; i++)
        if (get(tb_handle_at((const char *)requests + i * tb_abi.handle_bytes), &k) && !k.partitions)
            tb_payload(k.data.at, k.data.count, k.data.type, ra, frame);
}

void tb_payload_ready(uintptr_t request, int64_t first, int64_t last, const int *list, void *ra, void *frame)
{
    struct kept k;
    struct tb_datatype d;
    if (!get(request & tb_abi.handle_mask, &k) || !tb_datatype_of(k.data.type, &d)) return;
    tb_datatype_done(&d);
    for (int64_t i = first; i <= last; i++) {
        int64_t partition = list ? list[i] : i;
        if (partition >= 0 && partition < k.partitions)
            tb_payload((const char *)k.data.at + partition * k.data.count * d.extent, k.data.count, k.data.type, ra,
                       frame);
    }
}

/* ---- One-sided calls that fetch ---- */

/* In the order of the calls. What ends one says by how many it ends at once: if there was no room for one, the number
 * is not that of the calls, and nobody takes hashes for those of others. */
struct get {
    struct get *next;
    uint64_t win, request;  /* the latter as its word in a record, 0: it has none */
    const struct tb_thread *by; /* has seen that its request is complete */
    int target;
    struct data data;
};
enum { MOST_GETS = 1 << 14 };
static struct get *gets, **last_get = &gets;
int tb_payload_gets;

void tb_payload_get(uintptr_t win, int target, const void *request, const void *data, int64_t count, uintptr_t type)
{
    struct get *g = tb_self->priv && tb_payload_gets < MOST_GETS ? calloc(1, sizeof *g) : NULL;
    if (!g) return;
    *g = (struct get){NULL, win & tb_abi.handle_mask, request ? tb_request_word(tb_handle_at(request), request) : 0, NULL,
                      target, {data, count, type, 0}};
    hold(&g->data);
    lock();
    *last_get = g;
    last_get = &g->next;
    tb_payload_gets++;
    unlock();
}

/* Takes those out that are meant: of a window and a target, or of any if that is below 0, or whose requests the thread
 * has seen complete, if win is TB_NO_HANDLE. */
static struct get *take(uint64_t win, int target, int64_t *n)
{
    struct get *taken = NULL, **end = &taken, **p = &gets, *g;
    *n = 0;
    lock();
    while ((g = *p)) {
        int meant = win == TB_NO_HANDLE ? g->by == tb_self : g->win == win && (target < 0 || g->target == target);
        if (!meant) {
            p = &g->next;
            continue;
        }
        *p = g->next, g->next = NULL, *end = g, end = &g->next;
        tb_payload_gets--, ++*n;
    }
    last_get = p;
    unlock();
    return taken;
}

static void drop(struct get *g)
{
    for (struct get *next; g; g = next) {
        next = g->next;
        let_go(&g->data);
        free(g);
    }
}

void tb_payload_got(uintptr_t win, int target, void *ra, void *frame)
{
    struct tb_call c;
    int64_t n;
    struct get *taken = take(win == TB_NO_HANDLE ? win : win & tb_abi.handle_mask, target, &n);
    if (n && tb_enter(&c, TB_ID_payload_got, 1, ra, frame, 1)) {
        tb_put_int(&c, n);
        tb_instant(&c);
        for (struct get *g = taken; g; g = g->next) tb_payload(g->data.at, g->data.count, g->data.type, ra, frame);
    }
    drop(taken);
}

/* Between tb_end and tb_commit: the entry part of the record says what the requests were. */
void tb_payload_gets_end(const struct tb_call *c, const void *requests, int64_t n, unsigned at)
{
    if (c->id_flags >> 16 & TB_F_EXIT) return; /* it is elsewhere */
    const uint64_t *was = (c->known ? c->known->body : c->t->at + 5) + at;
    lock();
    for (struct get *g = gets; g; g = g->next)
        for (int64_t i = 0; g->request && i < n; i++)
            if (was[i] == g->request &&
                tb_handle_at((const char *)requests + i * tb_abi.handle_bytes) == tb_abi.request_null)
                g->by = tb_self;
    unlock();
}

void tb_payload_window_freed(const void *win)
{
    int64_t n;
    if (win) drop(take(tb_handle_at(win), -1, &n));
}
