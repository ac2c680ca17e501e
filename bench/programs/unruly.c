/* Programs that do not repeat themselves, each of about CALLS calls in all ranks together.
 *   unruly random CALLS SEED    operations, peers, sizes and tags at random, the same at all ranks
 *   unruly graph CALLS SEED     a search by messages to random ranks, polled for with MPI_Testany
 *   unruly polling CALLS SEED   requests polled with MPI_Test and MPI_Iprobe any number of times
 *   unruly types CALLS SEED     datatypes made, used and freed in any order
 *   unruly persist CALLS SEED   persistent requests made, started in groups and freed in any order
 *   unruly rma CALLS SEED       one-sided operations on random ranks and places
 *   unruly comms CALLS SEED     communicators made, used and freed in any order
 *   unruly probe CALLS SEED     messages of unknown source, tag and size
 * The last rounds are those that reach CALLS. Rank 0 prints a sum of what it received. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 14, POOL = 64, OPEN = 16 };

static int rank, size;
static uint64_t common, own; /* random states: of all ranks, of this one */
static long calls, sum;
static double in[ROOM], out[ROOM];

/* Each call of a loop body goes through this. */
#define C(call) (calls++, (void)(call))

static int next(uint64_t *state, int n)
{
    uint64_t h = *state += 0x9e3779b97f4a7c15;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9;
    h = (h ^ h >> 27) * 0x94d049bb133111eb;
    return (int)((h ^ h >> 31) >> 33) % n;
}

static int both(int n) { return next(&common, n); }
static int mine(int n) { return next(&own, n); }

static void operation(void)
{
    MPI_Request r[2];
    int shift = 1 + both(size - 1), count = 1 + both(500), tag = both(100), root = both(size), other = both(size);
    int to = (rank + shift) % size, from = (rank - shift + size) % size;
    switch (both(9)) {
    case 0:
        C(MPI_Sendrecv(out, count, MPI_DOUBLE, to, tag, in, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        return;
    case 1: C(MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)); return;
    case 2: C(MPI_Bcast(out, count, MPI_DOUBLE, root, MPI_COMM_WORLD)); return;
    case 3:
        C(MPI_Irecv(in, count, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &r[0]));
        C(MPI_Isend(out, count, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &r[1]));
        C(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        return;
    case 4: C(MPI_Barrier(MPI_COMM_WORLD)); return;
    case 5: C(MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD)); return;
    case 6: C(MPI_Gather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, root, MPI_COMM_WORLD)); return;
    default: /* one rank sends to another one */
        if (root == other) return;
        if (rank == root) C(MPI_Send(out, count, MPI_DOUBLE, other, tag, MPI_COMM_WORLD));
        if (rank == other) C(MPI_Recv(in, count, MPI_DOUBLE, root, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

static void random_round(void)
{
    for (int i = 0; i < 256; i++) operation();
}

/* A level of a search: messages to random ranks, and one of tag 1 to each rank when all are sent. */
static void graph_round(void)
{
    static int buffers[OPEN][4096];
    MPI_Request sends[OPEN], recv;
    MPI_Status s;
    int left = 200 + mine(400), ended = 0, told = 0, flag, i, got;
    for (i = 0; i < OPEN; i++) sends[i] = MPI_REQUEST_NULL;
    C(MPI_Irecv(in, 4096, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &recv));
    while (ended < size || told < size) {
        C(MPI_Testany(1, &recv, &i, &flag, &s));
        if (flag && i != MPI_UNDEFINED) {
            C(MPI_Get_count(&s, MPI_INT, &got));
            sum += got;
            ended += s.MPI_TAG == 1;
            if (ended < size) C(MPI_Irecv(in, 4096, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &recv));
        }
        int free = -1;
        for (int k = 0; k < OPEN; k++)
            if (sends[k] == MPI_REQUEST_NULL) free = k;
        if (free < 0) {
            C(MPI_Testany(OPEN, sends, &free, &flag, MPI_STATUS_IGNORE));
            if (!flag || free == MPI_UNDEFINED) continue;
        }
        if (left > 0) {
            left--;
            C(MPI_Isend(buffers[free], 1 + mine(1000), MPI_INT, mine(size), 0, MPI_COMM_WORLD, &sends[free]));
        } else if (told < size) {
            C(MPI_Isend(buffers[free], 0, MPI_INT, told++, 1, MPI_COMM_WORLD, &sends[free]));
        }
    }
    C(MPI_Waitall(OPEN, sends, MPI_STATUSES_IGNORE));
}

static void polling_round(void)
{
    MPI_Request r[4];
    MPI_Status s;
    int flag;
    for (int k = 0; k < 4; k++) {
        int shift = 1 + both(size - 1), count = 1 + both(300), tag = both(50);
        C(MPI_Irecv(in + 512 * k, 300, MPI_DOUBLE, (rank - shift + size) % size, tag, MPI_COMM_WORLD, &r[k]));
        C(MPI_Iprobe(MPI_ANY_SOURCE, 51 + mine(3), MPI_COMM_WORLD, &flag, &s));
        C(MPI_Send(out, count, MPI_DOUBLE, (rank + shift) % size, tag, MPI_COMM_WORLD));
    }
    for (int k = 0; k < 4; k++) {
        for (int i = mine(8); i > 0; i--) C(MPI_Iprobe(MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &flag, &s));
        flag = 0;
        while (!flag) C(MPI_Test(&r[k], &flag, &s));
    }
}

static MPI_Datatype make_type(void)
{
    MPI_Datatype t;
    int blocks = 1 + mine(8), length = 1 + mine(4), displs[8], lengths[8];
    for (int i = 0; i < 8; i++) displs[i] = 8 * i + mine(4), lengths[i] = 1 + mine(4);
    switch (mine(4)) {
    case 0: C(MPI_Type_vector(blocks, length, 8, MPI_DOUBLE, &t)); break;
    case 1: C(MPI_Type_contiguous(blocks, MPI_DOUBLE, &t)); break;
    case 2: C(MPI_Type_indexed(blocks, lengths, displs, MPI_DOUBLE, &t)); break;
    default: C(MPI_Type_create_indexed_block(blocks, length, displs, MPI_DOUBLE, &t));
    }
    C(MPI_Type_commit(&t));
    return t;
}

static void types_round(void)
{
    static MPI_Datatype pool[POOL];
    static int known;
    for (; known < POOL; known++) pool[known] = make_type();
    for (int i = 0; i < 64; i++) {
        int k = mine(POOL), bytes;
        if (mine(3) == 0) {
            C(MPI_Type_free(&pool[k]));
            pool[k] = make_type();
        }
        C(MPI_Type_size(pool[k], &bytes));
        C(MPI_Sendrecv(out, 1, pool[k], (rank + 1) % size, 0, in, ROOM, MPI_BYTE, (rank + size - 1) % size, 0,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        sum += bytes;
    }
}

static void persist_round(void)
{
    static MPI_Request pool[2 * POOL];
    static int known;
    MPI_Status s[2 * POOL];
    int done, indices[2 * POOL];
    /* Both ends make and start the same requests, as what they are follows from the common state. */
    for (int k = 0; k < POOL; k++) {
        if (known && both(16)) continue;
        int shift = 1 + both(size - 1), count = 1 + both(64);
        if (known) {
            C(MPI_Request_free(&pool[k]));
            C(MPI_Request_free(&pool[POOL + k]));
        }
        C(MPI_Recv_init(in + 64 * k, count, MPI_DOUBLE, (rank - shift + size) % size, k, MPI_COMM_WORLD, &pool[k]));
        C(MPI_Send_init(out + 64 * k, count, MPI_DOUBLE, (rank + shift) % size, k, MPI_COMM_WORLD, &pool[POOL + k]));
    }
    known = 1;
    for (int i = 0; i < 8; i++) {
        int first = both(POOL), n = 1 + both(POOL - first);
        C(MPI_Startall(n, pool + first));
        C(MPI_Startall(n, pool + POOL + first));
        for (int left = n; left > 0; left -= done) C(MPI_Waitsome(n, pool + first, &done, indices, s));
        C(MPI_Waitall(n, pool + POOL + first, MPI_STATUSES_IGNORE));
    }
}

static void rma_round(void)
{
    static MPI_Win win;
    static double memory[ROOM];
    if (!win) C(MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    C(MPI_Win_lock_all(0, win));
    for (int i = 0; i < 256; i++) {
        int target = mine(size), count = 1 + mine(64), at = mine(ROOM - 64);
        /* Few of those take the lock of a target: where ranks exceed cores, they wait milliseconds for it. */
        switch (mine(32)) {
        case 0: C(MPI_Accumulate(out, count, MPI_DOUBLE, target, at, count, MPI_DOUBLE, MPI_SUM, win)); break;
        case 1: C(MPI_Fetch_and_op(out, in, MPI_DOUBLE, target, at, MPI_SUM, win)); break;
        case 2:
        case 3: C(MPI_Win_flush(target, win)); break;
        default:
            if (mine(2)) C(MPI_Put(out, count, MPI_DOUBLE, target, at, count, MPI_DOUBLE, win));
            else C(MPI_Get(in, count, MPI_DOUBLE, target, at, count, MPI_DOUBLE, win));
        }
    }
    C(MPI_Win_unlock_all(win));
    if (both(4) == 0) {
        C(MPI_Win_fence(0, win));
        C(MPI_Put(out, 1, MPI_DOUBLE, mine(size), mine(ROOM), 1, MPI_DOUBLE, win));
        C(MPI_Win_fence(0, win));
    }
}

static void comms_round(void)
{
    static MPI_Comm pool[POOL];
    static int known[POOL];
    for (int i = 0; i < 32; i++) {
        int k = both(POOL), n, x = 1, y;
        if (known[k] && both(3) == 0) {
            C(MPI_Comm_free(&pool[k]));
            known[k] = 0;
        }
        if (!known[k]) {
            int shift = both(size), colors = 1 + both(2);
            if (both(2)) C(MPI_Comm_split(MPI_COMM_WORLD, (rank + shift) % colors, rank, &pool[k]));
            else C(MPI_Comm_dup(MPI_COMM_WORLD, &pool[k]));
            known[k] = 1;
        }
        C(MPI_Comm_size(pool[k], &n));
        C(MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, pool[k]));
        sum += y;
    }
}

static void probe_round(void)
{
    MPI_Request r[POOL];
    MPI_Message m;
    MPI_Status s;
    int to[POOL], expected = 0, n, all[POOL];
    for (int from = 0; from < size; from++)
        for (int k = 0; k < 32; k++) {
            all[k] = both(size);
            if (all[k] == rank) expected++;
            if (from == rank) to[k] = all[k];
        }
    for (int k = 0; k < 32; k++) C(MPI_Isend(out, mine(400), MPI_DOUBLE, to[k], mine(20), MPI_COMM_WORLD, &r[k]));
    for (; expected > 0; expected--) {
        if (mine(2)) {
            C(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s));
            C(MPI_Get_count(&s, MPI_DOUBLE, &n));
            C(MPI_Mrecv(in, n, MPI_DOUBLE, &m, MPI_STATUS_IGNORE));
        } else {
            C(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s));
            C(MPI_Get_count(&s, MPI_DOUBLE, &n));
            C(MPI_Recv(in, n, MPI_DOUBLE, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        sum += n;
    }
    C(MPI_Waitall(32, r, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*round)(void);
    } modes[] = {{"random", random_round}, {"graph", graph_round}, {"polling", polling_round}, {"types", types_round},
                 {"persist", persist_round}, {"rma", rma_round}, {"comms", comms_round}, {"probe", probe_round}};
    const char *mode = argc > 1 ? argv[1] : "";
    long wanted = argc > 2 ? atol(argv[2]) : 1000, all = 0;
    common = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    own = common * 1000003 + rank + 1;
    void (*round)(void) = NULL;
    for (int m = 0; m < (int)(sizeof modes / sizeof *modes); m++)
        if (strcmp(mode, modes[m].name) == 0) round = modes[m].round;
    if (!round || size < 2) {
        fprintf(stderr, "unruly: a mode and at least 2 ranks: see the source\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (; all < wanted; C(MPI_Allreduce(&calls, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD))) round();
    if (rank == 0) printf("unruly %s: %ld\n", mode, sum);
    MPI_Finalize();
    return 0;
}
