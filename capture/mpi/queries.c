/* Questions to the library: lengths that only it knows. Which communicators exist is kept here,
 * too. */
#include <sched.h>
#include "core/core.h"
#include "mpi/library.h"

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
    if (__atomic_load_n(&comms_full, __ATOMIC_ACQUIRE)) return 1;
    return (p = comm_slot(key)) && __atomic_load_n(p, __ATOMIC_ACQUIRE) == key;
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
