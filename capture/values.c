//go:build ignore

/* Encoders of arrays, strings and statuses; lengths that only the library knows. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include "chain.h"

static uint64_t count_word(int64_t n, int kind, int element_bytes)
{
    return (uint64_t)n | (uint64_t)kind << 48 | (uint64_t)element_bytes << 56;
}

/* Room for an array of n elements after its count word; 0 if there is none, or
 * n is no length at all. */
static int array_room(struct tb_call *c, int64_t n, int element_bytes)
{
    uint64_t words = (uint64_t)n > (uint64_t)1 << 45 ? (uint64_t)1 << 45 : ((uint64_t)n * (uint64_t)element_bytes + 7) / 8;
    return tb_room(c, words + 1);
}

static void put_bytes(struct tb_call *c, const void *a, int64_t n, int element_bytes)
{
    if (!array_room(c, n, element_bytes)) return;
    uint64_t bytes = (uint64_t)n * (uint64_t)element_bytes, words = (bytes + 7) / 8;
    c->w[0] = count_word(n, TB_A_PLAIN, element_bytes);
    c->w[words] = words ? 0 : c->w[0];
    memcpy(c->w + 1, a, bytes);
    c->w += words + 1;
}

void tb_put_ints(struct tb_call *c, const void *a, int64_t n, int element_bytes)
{
    put_bytes(c, a, n < 0 || !a ? 0 : n, element_bytes);
}

void tb_put_handles(struct tb_call *c, const void *a, int64_t n)
{
    if (n < 0 || !a) n = 0;
    if (tb_abi.handle_bytes == 8) {
        put_bytes(c, a, n, 8);
        return;
    }
    if (!array_room(c, n, 8)) return;
    const uint32_t *h = a;
    *c->w++ = count_word(n, TB_A_PLAIN, 8);
    for (int64_t i = 0; i < n; i++) *c->w++ = h[i];
}

void tb_put_displacements(struct tb_call *c, const void *a, int64_t n)
{
    const uint64_t *d = a;
    if (n < 0 || !a) n = 0;
    if (!array_room(c, n, 8)) return;
    *c->w++ = count_word(n, TB_A_PLAIN, 8);
    for (int64_t i = 0; i < n; i++) {
        if (!tb_room(c, (uint64_t)(n - i))) return; /* tb_seg_word may have used some */
        uint64_t word = tb_displacement_word(c, d[i]); /* moves c->w */
        *c->w++ = word;
    }
}

void tb_put_weights(struct tb_call *c, const void *a, int64_t n)
{
    uint64_t w = (uint64_t)(uintptr_t)a;
    int which = !a ? 0 : w == tb_abi.unweighted ? 1 : w == tb_abi.weights_empty ? 2 : 0;
    if (!which) tb_put_ints(c, a, n, 4);
    else if (tb_room(c, 1)) *c->w++ = count_word(which, TB_A_SENTINEL, 4);
}

void tb_put_string(struct tb_call *c, const char *s)
{
    put_bytes(c, s, s ? (int64_t)strlen(s) : 0, 1);
}

static int64_t list_length(void *const *a, int64_t n)
{
    if (!a) return 0;
    if (n >= 0) return n;
    for (n = 0; a[n]; n++) {}
    return n;
}

void tb_put_strings(struct tb_call *c, char *const *a, int64_t n)
{
    n = list_length((void *const *)a, n);
    if (!tb_room(c, 1)) return;
    *c->w++ = count_word(n, TB_A_LIST, 8);
    for (int64_t i = 0; i < n; i++) tb_put_string(c, a[i]);
}

void tb_put_strings2(struct tb_call *c, char **const *a, int64_t n)
{
    n = list_length((void *const *)a, n);
    if (!tb_room(c, 1)) return;
    *c->w++ = count_word(n, TB_A_LIST, 8);
    for (int64_t i = 0; i < n; i++) tb_put_strings(c, a[i], -1);
}

/* ---- Statuses ---- */

static uint32_t field(const char *status, int offset)
{
    uint32_t v;
    memcpy(&v, status + offset, sizeof v);
    return v;
}

/* MPI 5 leaves count and cancelled to the library; MPI_BYTE is 0x207 there. */
static uint64_t ask_count(const void *status, uint32_t *cancelled)
{
    static int (*get)(const void *, void *, int64_t *);
    static int (*test)(const void *, int *);
    int64_t n = 0;
    int flag = 0;
    if (!get) get = (int (*)(const void *, void *, int64_t *))tb_library_symbol("PMPI_Get_count_c");
    if (!test) test = (int (*)(const void *, int *))tb_library_symbol("PMPI_Test_cancelled");
    tb_self->priv->muted++;
    if (!get || get(status, (void *)0x207, &n) != 0 || n < 0) n = 0;
    if (!test || test(status, &flag) != 0) flag = 0;
    tb_self->priv->muted--;
    *cancelled = flag != 0;
    return (uint64_t)n;
}

static void put_one_status(struct tb_call *c, const char *s, int ret)
{
    uint32_t cancelled, error = ret == tb_abi.err_in_status ? field(s, tb_abi.off_error) : 0;
    uint64_t bytes;
    switch (tb_abi.kind) {
    case 1: /* int source, tag, error, cancelled; size_t count */
        cancelled = field(s, 12) != 0;
        memcpy(&bytes, s + 16, sizeof bytes);
        break;
    case 2: /* int count_lo, count_hi_and_cancelled, source, tag, error */
        cancelled = field(s, 4) & 1;
        bytes = field(s, 0) | (uint64_t)(field(s, 4) >> 1) << 32;
        break;
    default:
        bytes = ask_count(s, &cancelled);
    }
    c->w[0] = field(s, tb_abi.off_source) | (uint64_t)field(s, tb_abi.off_tag) << 32;
    c->w[1] = error | (uint64_t)cancelled << 32;
    c->w[2] = bytes;
    c->w += 3;
}

void tb_put_status(struct tb_call *c, const void *status, int ret) { put_one_status(c, status, ret); }

void tb_put_statuses(struct tb_call *c, const void *statuses, int64_t n, int ret)
{
    if (n < 0 || !statuses) n = 0;
    if (!array_room(c, n, 24)) return;
    *c->w++ = count_word(n, TB_A_STATUS, 8);
    for (int64_t i = 0; i < n; i++) put_one_status(c, (const char *)statuses + i * tb_abi.status_bytes, ret);
}

/* The thread's room grows and stays. A call inside another one goes without: the library may still write
 * to that of the outer call, and how an outer call ended that a jump left is not known. */
void *tb_own_statuses(struct tb_call *c, int64_t n)
{
    enum { FIRST = 1 << 12, MOST = 1 << 30 };
    struct tb_thread_private *p = c->t->priv;
    if (n <= 0 || tb_abi.status_bytes <= 0 || n > MOST / tb_abi.status_bytes || c->slow & TB_SLOW_NESTED) return NULL;
    size_t need = (size_t)n * (size_t)tb_abi.status_bytes;
    if (tb_unlikely(need > p->statuses_size)) {
        size_t size = FIRST;
        while (size < need) size *= 2;
        int saved = errno;
        void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room != MAP_FAILED) {
            if (p->statuses) munmap(p->statuses, p->statuses_size);
            p->statuses = room;
            p->statuses_size = size;
        }
        errno = saved;
        if (room == MAP_FAILED) return NULL;
    }
    return memset(p->statuses, 0, need);
}

/* ---- Questions to the library ---- */

typedef int query1(uintptr_t, int *);
typedef int query3(uintptr_t, int *, int *, int *);
typedef int query_rank(uintptr_t, int, int *);

enum query { COMM_SIZE, COMM_RANK, TEST_INTER, REMOTE_SIZE, TOPO_TEST, CARTDIM, GRAPH_COUNT, DIST_COUNT, QUERIES };

static void *query_function(enum query q)
{
    static const char *const names[QUERIES] = {
        "PMPI_Comm_size", "PMPI_Comm_rank", "PMPI_Comm_test_inter", "PMPI_Comm_remote_size", "PMPI_Topo_test",
        "PMPI_Cartdim_get", "PMPI_Graph_neighbors_count", "PMPI_Dist_graph_neighbors_count"};
    static void *functions[QUERIES];
    if (!functions[q]) functions[q] = tb_library_symbol(names[q]);
    return functions[q];
}

/* Communicators that exist: those that the program was given and has not freed. Asking the
 * library about any other would run the program's error handler before the
 * real call does. Open addressing; a lookup takes no lock. */
enum { COMM_SLOTS = 1 << 14, COMM_EMPTY = 0, COMM_GONE = 1 };
static uintptr_t comms[COMM_SLOTS]; /* handle + 2 */
static int comms_used, comms_full, comms_busy;

static uintptr_t comm_key(uintptr_t comm) { return (comm & tb_abi.handle_mask) + 2; }

/* The slot that holds key, or else the first that may take it; NULL if there is none. */
static uintptr_t *comm_slot(uintptr_t key)
{
    unsigned i = (unsigned)((key * 0x9e3779b97f4a7c15ULL) >> 40) % COMM_SLOTS;
    uintptr_t *gone = NULL;
    for (int n = 0; n < COMM_SLOTS; n++, i = (i + 1) % COMM_SLOTS) {
        uintptr_t v = __atomic_load_n(&comms[i], __ATOMIC_ACQUIRE);
        if (v == key) return &comms[i];
        if (v == COMM_GONE && !gone) gone = &comms[i];
        if (v == COMM_EMPTY) return gone ? gone : &comms[i];
    }
    return gone;
}

void tb_comm_begins(uintptr_t comm)
{
    while (__atomic_test_and_set(&comms_busy, __ATOMIC_ACQUIRE)) sched_yield();
    uintptr_t *p = comm_slot(comm_key(comm));
    if (!p || (*p == COMM_EMPTY && ++comms_used > COMM_SLOTS / 4 * 3)) {
        __atomic_store_n(&comms_full, 1, __ATOMIC_RELEASE); /* from now on every handle is believed */
    } else {
        __atomic_store_n(p, comm_key(comm), __ATOMIC_RELEASE);
    }
    __atomic_clear(&comms_busy, __ATOMIC_RELEASE);
}

int tb_comm_ends(uintptr_t comm)
{
    uintptr_t key = comm_key(comm), *p = comm_slot(key);
    return p && __atomic_compare_exchange_n(p, &key, COMM_GONE, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static int exists(uintptr_t comm)
{
    uintptr_t key = comm_key(comm), h = comm & tb_abi.handle_mask, *p;
    if (h == tb_abi.comm_null) return 0;
    if (h == tb_predefined_comm(0) || h == tb_predefined_comm(1)) return 1;
    return __atomic_load_n(&comms_full, __ATOMIC_ACQUIRE) || ((p = comm_slot(key)) && __atomic_load_n(p, __ATOMIC_ACQUIRE) == key);
}

/* An int that the library knows about the communicator, fallback if it fails. */
static int ask(enum query q, uintptr_t comm, int fallback)
{
    query1 *f = exists(comm) ? (query1 *)query_function(q) : NULL;
    struct tb_thread *t = tb_self;
    int v = fallback;
    if (!f) return fallback;
    if (t->priv) t->priv->muted++;
    if (f(comm, &v) != 0) v = fallback;
    if (t->priv) t->priv->muted--;
    return v;
}

int64_t tb_local_size(uintptr_t comm) { return ask(COMM_SIZE, comm, 0); }

int64_t tb_peer_size(uintptr_t comm)
{
    return ask(TEST_INTER, comm, 0) ? ask(REMOTE_SIZE, comm, 0) : ask(COMM_SIZE, comm, 0);
}

enum topology { NO_TOPOLOGY, GRAPH, CART, DIST_GRAPH };

static enum topology topology(uintptr_t comm)
{
    static const int values[4][4] = {{0}, {0, 2, 1, 3}, {0, 1, 2, 3}, {0, 212, 211, 213}};
    int v = ask(TOPO_TEST, comm, tb_abi.undefined);
    for (enum topology i = GRAPH; i <= DIST_GRAPH; i++)
        if (v == values[tb_abi.kind][i]) return i;
    return NO_TOPOLOGY;
}

int64_t tb_cart_dims(uintptr_t comm) { return topology(comm) == CART ? ask(CARTDIM, comm, 0) : 0; }

static int64_t degree(uintptr_t comm, int out)
{
    int n = 0, in_out[2] = {0, 0}, weighted;
    struct tb_thread *t = tb_self;
    enum topology kind = topology(comm);
    void *f = kind == GRAPH ? query_function(GRAPH_COUNT) : kind == DIST_GRAPH ? query_function(DIST_COUNT) : NULL;
    if (kind == CART) return 2 * (int64_t)ask(CARTDIM, comm, 0);
    if (!f) return 0;
    int rank = ask(COMM_RANK, comm, 0);
    if (t->priv) t->priv->muted++;
    if (kind == GRAPH) {
        if (((query_rank *)f)(comm, rank, &n) != 0) n = 0;
    } else if (((query3 *)f)(comm, &in_out[0], &in_out[1], &weighted) == 0) {
        n = in_out[out];
    }
    if (t->priv) t->priv->muted--;
    return n;
}

int64_t tb_indegree(uintptr_t comm) { return degree(comm, 0); }
int64_t tb_outdegree(uintptr_t comm) { return degree(comm, 1); }

int tb_is_root(uintptr_t comm, int root)
{
    if (root == tb_abi.root) return 1;
    if (root < 0 || ask(TEST_INTER, comm, 0)) return 0;
    return ask(COMM_RANK, comm, -1) == root;
}
