/* The archives of several collectors become one inside MPI_Finalize. Everything here happens
 * before the real MPI_Finalize is called, with functions of the real library, and nothing of it is recorded:
 * MPI_Finalize has returned as far as the recording is concerned.
 *
 * Whether all ranks are traced, and whether all will come, cannot be known. So nothing waits that cannot
 * stop waiting until it is certain that all ranks are here:
 *   0. whoever knows of ranks that are not traced, or that have gone on, stays away.
 *   1. a nonblocking reduction over MPI_COMM_WORLD, waited for up to merge_wait_ns. It cannot collide with
 *      the program: point-to-point messages never meet those of collectives, and whoever has come to
 *      MPI_Finalize starts no collective any more. A rank that is not traced never joins; the operation
 *      then stays open, which libraries stand (UCX prints a warning). Its result is when the ranks came: if the
 *      last may have found the first gone, nobody goes on. Libraries wait for all ranks in MPI_Finalize anyway.
 *   2. another one, of those who saw the first end in time. If it ends all of them did, and
 *      wait for nothing but the library.
 *   3. a split of MPI_COMM_WORLD: the leaders, the least rank of each collector's, get a communicator of their own.
 *      (Duplication would call the program's attribute functions.)
 *   4. along a binomial tree of leaders each measures its clock against that of its parent: short exchanges, of which
 *      the one with the least round trip counts (Cristian, Probabilistic clock synchronization, 1989). Its error is
 *      at most half of that round trip. This is done where archives stay apart, too.
 *   5. the leaders send their archives along a binomial tree, in pieces that libraries send eagerly: whoever gives up
 *      waiting, at merge_time_ns, leaves nothing behind that could hold up the real MPI_Finalize.
 *   6. the root tells them whether it has everything.
 * Where anything fails the archives stay parts, which the readers find on disk.
 *
 * Clocks are not measured in MPI_Init: whether the ranks of other nodes are traced is not known there, a collective
 * operation would meet the program's first one at ranks that are not, and a message on MPI_COMM_WORLD
 * the program's receives from anybody. Readers take the drift from the program's own messages. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "core/api.h"
#include "core/core.h"
#include "core/files.h"
#include "mpi/library.h"
#include "mpi/gen/wrap.h"

enum { PIECE = 3072, WINDOW = 64, ACK_EVERY = 16, CHILDREN = 24, FILES_MAX = 1 << 16 };
enum { TAG_FILES = 1, TAG_SIZE, TAG_DATA, TAG_ACK, TAG_VERDICT, TAG_ASK, TAG_TIME };
#define SECOND 1000000000ull
#define AGREEMENT (60 * SECOND) /* of ranks that are all here */
/* Exchanges of a measurement: at most EXCHANGES, fewer if LEAST of them took MEASURE_NS and one of
 * them no more than GOOD_NS, or in any case after five times as long. */
enum { EXCHANGES = 100, LEAST = 10, GOOD_NS = 50000 };
#define MEASURE_NS (SECOND / 50)
#define MEASURE_PATIENCE (5 * SECOND)

/* The functions of the library, with words for handles: a narrower one uses a part of its
 * register. */
static struct {
    int (*Initialized)(int *), (*Comm_rank)(uintptr_t, int *), (*Comm_size)(uintptr_t, int *);
    int (*Iallreduce)(const void *, void *, int, uintptr_t, uintptr_t, uintptr_t, void *);
    int (*Comm_split)(uintptr_t, int, int, void *), (*Comm_free)(void *);
    int (*Comm_get_errhandler)(uintptr_t, void *), (*Comm_set_errhandler)(uintptr_t, uintptr_t);
    int (*Isend)(const void *, int, uintptr_t, int, int, uintptr_t, void *);
    int (*Irecv)(void *, int, uintptr_t, int, int, uintptr_t, void *);
    int (*Test)(void *, int *, void *), (*Cancel)(void *), (*Request_free)(void *);
} mpi;

static uintptr_t world, type_byte, type_int, op_min, errors_return;

static int load(void)
{
    static const struct { void *to; const char *name; } functions[] = {
        {&mpi.Initialized, "PMPI_Initialized"}, {&mpi.Comm_rank, "PMPI_Comm_rank"}, {&mpi.Comm_size, "PMPI_Comm_size"},
        {&mpi.Iallreduce, "PMPI_Iallreduce"}, {&mpi.Comm_split, "PMPI_Comm_split"},
        {&mpi.Comm_free, "PMPI_Comm_free"}, {&mpi.Comm_get_errhandler, "PMPI_Comm_get_errhandler"},
        {&mpi.Comm_set_errhandler, "PMPI_Comm_set_errhandler"}, {&mpi.Isend, "PMPI_Isend"}, {&mpi.Irecv, "PMPI_Irecv"},
        {&mpi.Test, "PMPI_Test"}, {&mpi.Cancel, "PMPI_Cancel"}, {&mpi.Request_free, "PMPI_Request_free"}};
    static const struct { uintptr_t *to; uint32_t index; } objects[] = {
        {&world, TB_PREDEFINED_MPI_COMM_WORLD}, {&type_byte, TB_PREDEFINED_MPI_BYTE},
        {&type_int, TB_PREDEFINED_MPI_INT}, {&op_min, TB_PREDEFINED_MPI_MIN},
        {&errors_return, TB_PREDEFINED_MPI_ERRORS_RETURN}};
    for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *f = tb_library_symbol(functions[i].name);
        if (!f) return 0;
        memcpy(functions[i].to, &f, sizeof f);
    }
    for (unsigned i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        uint64_t handle = tb_predefined_handle(objects[i].index);
        if (handle == TB_NO_HANDLE) return 0;
        *objects[i].to = (uintptr_t)handle;
    }
    return 1;
}

/* ---- Waiting ---- */

/* Time that was spent waiting: a process that was stopped for a while has not waited. */
struct patience {
    uint64_t left, last;
    unsigned polls;
};

static struct patience patience(uint64_t ns) { return (struct patience){ns, tb_monotonic(), 0}; }

/* Waits a little; 0 when the patience is over. */
static int wait_more(struct patience *p)
{
    static const struct timespec pause = {0, 50000};
    if (++p->polls < 100) return 1;
    if (p->polls < 1000) sched_yield();
    else nanosleep(&pause, NULL);
    uint64_t now = tb_monotonic(), spent = now - p->last;
    if (spent > SECOND / 10) spent = SECOND / 10;
    p->last = now;
    p->left = p->left > spent ? p->left - spent : 0;
    return p->left > 0;
}

/* Whether the operation is complete; it goes on if not. */
static int complete(void *request, struct patience *p)
{
    int done = 0;
    p->polls = 0;
    do {
        if (mpi.Test(request, &done, (void *)(uintptr_t)tb_abi.status_ignore) != 0) return 0;
        if (done) return 1;
    } while (wait_more(p));
    return 0;
}

/* ---- Messages between leaders ---- */

/* What is in flight when the patience ends stays in use: it is never on the stack. */
static struct {
    uintptr_t comm;
    struct patience patience;
    uint64_t words[WINDOW][4];
    char pieces[WINDOW][PIECE];
    uintptr_t requests[WINDOW];
} x;

static int send_bytes(unsigned slot, const void *data, size_t n, int to, int tag)
{
    if (mpi.Isend(data, (int)n, type_byte, to, tag, x.comm, &x.requests[slot]) != 0) return 0;
    return complete(&x.requests[slot], &x.patience);
}

static int receive_bytes(void *data, size_t n, int from, int tag)
{
    static uintptr_t request;
    if (mpi.Irecv(data, (int)n, type_byte, from, tag, x.comm, &request) != 0) return 0;
    if (complete(&request, &x.patience)) return 1;
    mpi.Cancel(&request);
    mpi.Request_free(&request);
    return 0;
}

static int send_words(uint64_t a, uint64_t b, uint64_t c, int to, int tag)
{
    static unsigned next;
    unsigned slot = next++ % WINDOW;
    x.words[slot][0] = a, x.words[slot][1] = b, x.words[slot][2] = c;
    return send_bytes(slot, x.words[slot], sizeof x.words[slot], to, tag);
}

static int send_word(uint64_t word, int to, int tag) { return send_words(word, 0, 0, to, tag); }

static int receive_word(uint64_t *word, int from, int tag)
{
    static uint64_t in[4]; /* not x.words: what is cancelled may still arrive */
    if (!receive_bytes(in, sizeof in, from, tag)) return 0;
    *word = in[0];
    return 1;
}

/* ---- Files ---- */

enum { NAME = 64 };

static void node_file(char name[NAME], uint64_t number)
{
    snprintf(name, NAME, "node.%llu.tabard", (unsigned long long)number);
}

static int read_piece(int fd, char *to, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t k = read(fd, to + at, n - at);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return 0;
        at += (size_t)k;
    }
    return 1;
}

static int write_piece(int fd, const char *from, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t k = write(fd, from + at, n - at);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return 0;
        at += (size_t)k;
    }
    return 1;
}

static int send_file(const char *name, int to)
{
    int fd = tb_file_open(tb_process.dir, name, O_RDONLY), ok = 0;
    off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    if (size < 0 || lseek(fd, 0, SEEK_SET) != 0 || !send_word((uint64_t)size, to, TAG_SIZE)) goto out;
    uint64_t pieces = ((uint64_t)size + PIECE - 1) / PIECE, acknowledged = 0;
    for (uint64_t i = 0; i < pieces; i++) {
        size_t n = i + 1 < pieces ? PIECE : (size_t)((uint64_t)size - i * PIECE);
        if (i >= acknowledged + WINDOW && !receive_word(&acknowledged, to, TAG_ACK)) goto out;
        char *piece = x.pieces[i % WINDOW];
        if (!read_piece(fd, piece, n) || !send_bytes((unsigned)(i % WINDOW), piece, n, to, TAG_DATA)) goto out;
    }
    while (acknowledged + ACK_EVERY <= pieces)
        if (!receive_word(&acknowledged, to, TAG_ACK)) goto out;
    ok = 1;
out:
    if (fd >= 0) close(fd);
    return ok;
}

/* What is too much for the disk is received all the same. */
static int receive_file(const char *name, int from, int *stored)
{
    static char piece[PIECE];
    uint64_t size;
    if (!receive_word(&size, from, TAG_SIZE)) return 0;
    int fd = tb_file_open(tb_process.dir, name, O_WRONLY | O_CREAT | O_TRUNC), ok = 0;
    *stored = fd >= 0;
    uint64_t pieces = size / PIECE + (size % PIECE != 0);
    for (uint64_t i = 0; i < pieces; i++) {
        size_t n = i + 1 < pieces ? PIECE : (size_t)(size - i * PIECE);
        if (!receive_bytes(piece, n, from, TAG_DATA)) goto out;
        if (*stored && !write_piece(fd, piece, n)) *stored = 0;
        if ((i + 1) % ACK_EVERY == 0 && !send_word(i + 1, from, TAG_ACK)) goto out;
    }
    ok = 1;
out:
    if (fd >= 0 && close(fd) != 0) *stored = 0;
    if (!ok || !*stored) tb_file_remove(tb_process.dir, name);
    return ok;
}

/* ---- The tree ---- */

static struct {
    int rank, size;
    int children[CHILDREN], count; /* those that wait for a verdict */
    int stored[CHILDREN];          /* whether their archives are here */
    uint64_t received;             /* files */
} node;

/* ---- Clocks ---- */

static struct {
    int done, partner;   /* rank in MPI_COMM_WORLD */
    uint64_t mono, trip; /* CLOCK_MONOTONIC of this host, duration of the exchange */
    int64_t offset;      /* what the partner's clock is ahead */
} measured;

static uint64_t told[4]; /* of measurements alone */

static uint64_t host_clock(void) { return tb_host_clock(tb_monotonic()); }

/* Tells a child the time for as long as it asks. */
static void tell_time(int child, int rank)
{
    for (told[0] = 1; told[0];) {
        if (!receive_bytes(told, sizeof told, child, TAG_ASK)) return;
        uint64_t came = host_clock();
        if (!send_words(came, host_clock(), (uint64_t)rank, child, TAG_TIME)) return;
    }
}

static void ask_time(int parent)
{
    uint64_t begin = tb_monotonic();
    measured.trip = ~(uint64_t)0;
    for (int i = 1, more = 1; more; i++) {
        uint64_t time = measured.trip <= GOOD_NS ? MEASURE_NS : 5 * MEASURE_NS;
        more = i < EXCHANGES && (i < LEAST || tb_monotonic() - begin < time);
        uint64_t asked = host_clock();
        if (!send_word((uint64_t)more, parent, TAG_ASK) || !receive_bytes(told, sizeof told, parent, TAG_TIME)) return;
        uint64_t now = host_clock(), came = told[0], left = told[1], trip = now - asked - (left - came);
        if (trip >= measured.trip) continue;
        measured.trip = trip;
        measured.mono = asked + (now - asked) / 2;
        measured.offset = ((int64_t)(came - asked) + (int64_t)(left - now)) / 2;
        measured.partner = (int)told[2];
        measured.done = 1;
    }
}

/* The children of this leader are those whose archives it takes in. */
static void measure(int rank)
{
    int low = 1;
    x.patience = patience(MEASURE_PATIENCE);
    for (; low < node.size && !(node.rank & low); low <<= 1)
        if (node.rank + low < node.size) tell_time(node.rank + low, rank);
    if (node.rank > 0) ask_time(node.rank - low);
}

/* A further fact of the process. */
static void emit_measured(struct tb_thread *t)
{
    char text[160];
    if (!measured.done) return;
    measured.done = 0;
    snprintf(text, sizeof text, "clock_sync=%d %llu %lld %llu", measured.partner, (unsigned long long)measured.mono,
             (long long)measured.offset, (unsigned long long)measured.trip);
    tb_emit_fact(t, text);
}

/* ---- Archives ---- */

/* Takes in what a child has. All of its files count, or none. */
static void receive_child(int child)
{
    char name[NAME];
    uint64_t files = 0;
    int stored = 1;
    if (!receive_word(&files, child, TAG_FILES) || files == 0 || files > FILES_MAX) return;
    for (uint64_t i = 0; i < files; i++) {
        int whole = 0;
        node_file(name, node.received + i);
        if (!receive_file(name, child, &whole)) return;
        stored = stored && whole;
    }
    if (stored) node.received += files;
    node.stored[node.count] = stored;
    node.children[node.count++] = child;
}

/* Has the collector do what the request says. */
static int ask(uint32_t request)
{
    struct tb_control *ctl = tb_process.control;
    uint32_t answer;
    ctl->merge_received = node.received;
    __atomic_store_n(&ctl->merge_request, request, __ATOMIC_RELEASE);
    tb_bell();
    x.patience.polls = 100;
    while ((answer = __atomic_load_n(&ctl->merge_answer, __ATOMIC_ACQUIRE)) != request)
        if (answer == TB_MERGE_FAILED || !tb_collector_alive() || !wait_more(&x.patience)) return 0;
    return 1;
}

/* Hands what the collector united to the parent; what it did not unite, one by one. */
static int send_parent(int parent, int united)
{
    char name[NAME];
    uint64_t files = united ? 1 : node.received;
    if (!send_word(files, parent, TAG_FILES)) return 0;
    for (uint64_t i = 0; i < files; i++) {
        if (united) snprintf(name, sizeof name, "united.tabard");
        else node_file(name, i);
        if (!send_file(name, parent)) return 0;
    }
    return files > 0;
}

static void unite(void)
{
    uint64_t taken = 0;
    int low = 1;
    x.patience = patience(tb_process.control->merge_time_ns);
    for (; low < node.size && !(node.rank & low); low <<= 1)
        if (node.rank + low < node.size) receive_child(node.rank + low);
    if (node.rank == 0) {
        taken = (uint64_t)(node.received > 0 && ask(TB_MERGE_KEEP));
    } else {
        int parent = node.rank - low, united = ask(TB_MERGE_UNITE);
        if (send_parent(parent, united) && !receive_word(&taken, parent, TAG_VERDICT)) taken = 0;
        if (taken && united) {
            __atomic_store_n(&tb_process.control->merge_request, TB_MERGE_TAKEN, __ATOMIC_RELEASE);
            tb_bell();
        }
    }
    for (int i = 0; i < node.count; i++) send_word(taken && node.stored[i], node.children[i], TAG_VERDICT);
    if (taken) mpi.Comm_free(&x.comm);
}

/* ---- The agreement ---- */

static int seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int)(now.tv_sec & 0x3fffffff);
}

static int leads_node(struct tb_control *ctl, int rank)
{
    return __atomic_load_n(&ctl->leader, __ATOMIC_ACQUIRE) == (uint32_t)rank;
}

/* Whether all ranks are here; this one is the leader of its collector's if it gets a
 * communicator. */
static int assemble(int rank)
{
    static uintptr_t arrival, agreement;
    static int mine[3], least[3], ready, all;
    struct tb_control *ctl = tb_process.control;
    struct patience p = patience(ctl->merge_wait_ns);
    mine[0] = seconds();
    mine[1] = -mine[0];
    mine[2] = (int)(ctl->merge_wait_ns / SECOND);
    if (mpi.Iallreduce(mine, least, 3, type_int, op_min, world, &arrival) != 0) return 0;
    if (!complete(&arrival, &p) || -least[1] - least[0] > least[2] / 2) return 0;
    /* A script may run one program after another: what was asked once is not asked again. */
    ready = __atomic_load_n(&ctl->merge_request, __ATOMIC_ACQUIRE) == 0;
    if (mpi.Iallreduce(&ready, &all, 1, type_int, op_min, world, &agreement) != 0) return 0;
    p = patience(AGREEMENT);
    if (!complete(&agreement, &p) || !all) return 0;
    int leads = leads_node(ctl, rank);
    return mpi.Comm_split(world, leads ? 0 : tb_abi.undefined, rank, &x.comm) == 0 && leads;
}

static void step(struct tb_thread *t, int rank)
{
    uintptr_t handler = 0;
    uint32_t flags = tb_process.control->flags;
    if (mpi.Comm_get_errhandler(world, &handler) != 0) return;
    handler = tb_handle_at(&handler);
    if (mpi.Comm_set_errhandler(world, errors_return) != 0) return;
    if (assemble(rank) && mpi.Comm_rank(x.comm, &node.rank) == 0 && mpi.Comm_size(x.comm, &node.size) == 0 &&
        node.size > 1) {
        if (flags & TB_CTL_CLOCKS) measure(rank);
        if (flags & TB_CTL_MERGE) {
            emit_measured(t);
            unite();
        }
    }
    mpi.Comm_set_errhandler(world, handler);
}

/* Whether the others on this node are traced, and may still be here. */
static int arrive(struct tb_control *ctl, uint32_t rank)
{
    uint32_t least = __atomic_load_n(&ctl->leader, __ATOMIC_RELAXED);
    uint64_t first = 0, now = tb_monotonic();
    while (rank < least &&
           !__atomic_compare_exchange_n(&ctl->leader, &least, rank, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {}
    __atomic_compare_exchange_n(&ctl->arrived_ns, &first, now, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    /* Of two that come at once, the first may have looked at the clock last. */
    if (first && now > first && now - first >= ctl->merge_wait_ns) return 0;
    /* Where a script has some ranks recorded only, the others will not come. */
    return ctl->local_ranks == 0 || __atomic_load_n(&ctl->initialized, __ATOMIC_ACQUIRE) >= ctl->local_ranks;
}

void tb_hook_finalizing(struct tb_call *c)
{
    struct tb_thread *t = c->t;
    int initialized = 0, rank = -1, saved = errno, merge;
    for (const struct tb_api *const *api = tb_apis; t && !tb_process.closed && *api; api++)
        if ((*api)->ending) (*api)->ending();
    errno = saved;
    if (!t || !(tb_process.control->flags & (TB_CTL_MERGE | TB_CTL_CLOCKS)) || tb_process.closed || !load()) return;
    merge = tb_process.control->flags & TB_CTL_MERGE;
    t->priv->muted++;
    if (tb_is_spawned() || mpi.Initialized(&initialized) != 0 || !initialized || mpi.Comm_rank(world, &rank) != 0)
        rank = -1;
    t->priv->muted--;
    if (rank >= 0 && merge) {
        /* The record is complete now: it is part of what is sent. The wrapper finds that when it
         * comes back. */
        tb_end(c, 0, 0);
        tb_commit(c);
        tb_emit_clock(t);
        tb_process.closed = 1;
    }
    if (rank >= 0) {
        t->priv->muted++;
        if (arrive(tb_process.control, (uint32_t)rank)) step(t, rank);
        tb_process.leads = leads_node(tb_process.control, rank);
        t->priv->muted--;
    }
    errno = saved;
}

void tb_finalized(struct tb_thread *t) { emit_measured(t); }
