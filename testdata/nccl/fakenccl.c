/* A stand-in for libnccl.so.2 where there is no GPU: processes of one machine that meet in shared memory, with the functions
 * and the behaviour that the tests need. Collectives work on host memory, float and double, and wait for all members: one
 * that does not come, or comes with another function, makes the others hang, as it does with GPUs. Groups are carried out
 * at their end. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MEMBERS = 64, BYTES = 1 << 16, MOST = 256 };
typedef struct { char bytes[128]; } id_t_;
typedef void *stream_t;

struct shared {
    volatile uint32_t joined, left;
    volatile uint64_t came[MEMBERS];           /* how many steps of collectives each member has done */
    volatile uint64_t sent[MEMBERS][MEMBERS], got[MEMBERS][MEMBERS];
    char slot[MEMBERS][BYTES], mail[MEMBERS][MEMBERS][256];
};
struct comm { struct shared *s; int rank, size, splits; uint64_t step; char name[64]; };
enum { ALLREDUCE, BCAST, REDUCE, ALLGATHER, REDUCESCATTER, SEND, RECV };
struct job { int what, peer, type, op; const void *in; void *out; size_t n; struct comm *c; };
static __thread struct job queue[MOST];
static __thread int queued, depth;

static size_t size_of(int type) { static const int size[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1}; return (size_t)size[type]; }
static void wait_until(volatile uint64_t *at, uint64_t value) { while (*at < value) usleep(200); }

static void all_here(struct comm *c)
{
    c->step++;
    __atomic_store_n(&c->s->came[c->rank], c->step, __ATOMIC_RELEASE);
    for (int i = 0; i < c->size; i++) wait_until(&c->s->came[i], c->step);
}

static struct comm *open_comm(const char *name, int size, int rank)
{
    struct comm *c = calloc(1, sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", name);
    int fd = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *c->s) != 0) abort();
    c->s = mmap(NULL, sizeof *c->s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    c->rank = rank, c->size = size;
    return c;
}

static void add(void *to, const void *from, size_t n, int type, int op)
{
    for (size_t i = 0; i < n; i++) {
        double a = type == 7 ? ((float *)to)[i] : ((double *)to)[i], b = type == 7 ? ((float *)from)[i] : ((double *)from)[i];
        double x = op == 1 ? a * b : op == 2 ? (a > b ? a : b) : op == 3 ? (a < b ? a : b) : a + b;
        if (type == 7) ((float *)to)[i] = (float)x;
        else ((double *)to)[i] = x;
    }
}

/* The first half: what a member gives lies there. The second: it is taken when all have given. */
static void give(struct job *j)
{
    struct comm *c = j->c;
    size_t bytes = j->n * size_of(j->type) * (j->what == REDUCESCATTER ? (size_t)c->size : 1);
    if (j->what == SEND) {
        wait_until(&c->s->got[c->rank][j->peer], c->s->sent[c->rank][j->peer]);
        memcpy(c->s->mail[c->rank][j->peer], j->in, bytes < 256 ? bytes : 256);
        c->s->sent[c->rank][j->peer]++;
    } else if (j->what != RECV && bytes <= BYTES && j->in) memcpy(c->s->slot[c->rank], j->in, bytes);
}

static void take(struct job *j)
{
    struct comm *c = j->c;
    size_t bytes = j->n * size_of(j->type);
    if (j->what == SEND) return;
    if (j->what == RECV) {
        wait_until(&c->s->sent[j->peer][c->rank], c->s->got[j->peer][c->rank] + 1);
        memcpy(j->out, c->s->mail[j->peer][c->rank], bytes < 256 ? bytes : 256);
        c->s->got[j->peer][c->rank]++;
        return;
    }
    if (bytes > BYTES) return;
    if (j->what == BCAST) memcpy(j->out, c->s->slot[j->peer], bytes);
    if (j->what == ALLGATHER) for (int i = 0; i < c->size; i++) memcpy((char *)j->out + (size_t)i * bytes, c->s->slot[i], bytes);
    if (j->what == ALLREDUCE || j->what == REDUCESCATTER || (j->what == REDUCE && j->peer == c->rank)) {
        size_t from = j->what == REDUCESCATTER ? (size_t)c->rank * bytes : 0;
        memcpy(j->out, c->s->slot[0] + from, bytes);
        for (int i = 1; i < c->size; i++) add(j->out, c->s->slot[i] + from, j->n, j->type, j->op);
    }
}

/* All members of one process come to a collective before it waits. */
static void run(void)
{
    for (int at = 0; at < queued;) {
        int n = at + 1;
        if (queue[at].what < SEND) while (n < queued && queue[n].what == queue[at].what && queue[n].c != queue[at].c) n++;
        else n = queued;
        for (int i = at; i < n; i++) give(&queue[i]);
        for (int half = 0; half < 2; half++) {
            for (int i = at; i < n; i++)
                if (queue[i].what < SEND) queue[i].c->step++, queue[i].c->s->came[queue[i].c->rank] = queue[i].c->step;
            for (int i = at; i < n; i++)
                if (queue[i].what < SEND)
                    for (int m = 0; m < queue[i].c->size; m++) wait_until(&queue[i].c->s->came[m], queue[i].c->step);
            for (int i = at; i < n && half == 0; i++) take(&queue[i]);
        }
        at = n;
    }
    queued = 0;
}

static int start(struct job j)
{
    if (queued == MOST || j.c->size > MEMBERS) return 5;
    queue[queued++] = j;
    if (!depth) run();
    return 0;
}

int ncclGetVersion(int *version) { *version = 22705; return 0; }
int ncclGetUniqueId(id_t_ *id)
{
    static int count;
    memset(id, 0, sizeof *id);
    snprintf(id->bytes, sizeof id->bytes, "/fakenccl.%d.%d", (int)getpid(), count++);
    return 0;
}
int ncclCommInitRank(struct comm **comm, int size, id_t_ id, int rank)
{
    *comm = open_comm(id.bytes, size, rank);
    if (!depth) all_here(*comm);
    return 0;
}
int ncclCommSplit(struct comm *c, int color, int key, struct comm **made, void *config)
{
    int rank = 0, size = 0, mine[2] = {color, key}, *other;
    char name[96];
    (void)config;
    memcpy(c->s->slot[c->rank], mine, sizeof mine);
    all_here(c);
    for (int i = 0; i < c->size; i++) {
        other = (int *)c->s->slot[i];
        if (other[0] != color) continue;
        size++;
        if (other[1] < key || (other[1] == key && i < c->rank)) rank++;
    }
    snprintf(name, sizeof name, "%s.%d.%d", c->name, c->splits++, color);
    *made = color < 0 ? NULL : open_comm(name, size, rank);
    all_here(c);
    return 0;
}
int ncclCommFinalize(struct comm *c) { (void)c; return 0; }
int ncclCommDestroy(struct comm *c)
{
    if (__atomic_add_fetch(&c->s->left, 1, __ATOMIC_ACQ_REL) == (uint32_t)c->size) shm_unlink(c->name);
    munmap(c->s, sizeof *c->s);
    free(c);
    return 0;
}
int ncclCommAbort(struct comm *c) { return ncclCommDestroy(c); }
int ncclCommCount(struct comm *c, int *n) { *n = c->size; return 0; }
int ncclCommUserRank(struct comm *c, int *n) { *n = c->rank; return 0; }
int ncclGroupStart(void) { depth++; return 0; }
int ncclGroupEnd(void) { if (--depth == 0) run(); return 0; }
int ncclAllReduce(const void *in, void *out, size_t n, int type, int op, struct comm *c, stream_t s)
{ (void)s; return start((struct job){ALLREDUCE, 0, type, op, in, out, n, c}); }
int ncclBroadcast(const void *in, void *out, size_t n, int type, int root, struct comm *c, stream_t s)
{ (void)s; return start((struct job){BCAST, root, type, 0, in, out, n, c}); }
int ncclBcast(void *buff, size_t n, int type, int root, struct comm *c, stream_t s)
{ (void)s; return start((struct job){BCAST, root, type, 0, buff, buff, n, c}); }
int ncclReduce(const void *in, void *out, size_t n, int type, int op, int root, struct comm *c, stream_t s)
{ (void)s; return start((struct job){REDUCE, root, type, op, in, out, n, c}); }
int ncclAllGather(const void *in, void *out, size_t n, int type, struct comm *c, stream_t s)
{ (void)s; return start((struct job){ALLGATHER, 0, type, 0, in, out, n, c}); }
int ncclReduceScatter(const void *in, void *out, size_t n, int type, int op, struct comm *c, stream_t s)
{ (void)s; return start((struct job){REDUCESCATTER, 0, type, op, in, out, n, c}); }
int ncclSend(const void *in, size_t n, int type, int peer, struct comm *c, stream_t s)
{ (void)s; return start((struct job){SEND, peer, type, 0, in, NULL, n, c}); }
int ncclRecv(void *out, size_t n, int type, int peer, struct comm *c, stream_t s)
{ (void)s; return start((struct job){RECV, peer, type, 0, NULL, out, n, c}); }
