/* What generated programs have beside their calls, in parts. A program has a part if it calls its function: a line
 * with the name of the function begins each, followed by the parts that it needs. A part comes after those that it
 * needs. $LOCAL stands for __thread in programs with several threads. */

//// memory
static char *memory(long bytes)
{
    char *at = calloc(1, bytes);
    if (!at) {
        fprintf(stderr, "There is no memory for %ld bytes.\n", bytes);
        exit(1);
    }
    return at;
}

//// memory_around: memory
static char *reserve(size_t at, size_t bytes)
{
    char *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (at == 0 || (size_t)p == at) return p;
    munmap(p, bytes);
    return NULL;
}

static void unreserve(const struct around *a, int n)
{
    munmap(a->block + a->low, a->high - a->low);
    for (int i = 0; i < n; i++) munmap((void *)((size_t)a->block + a->far[2 * i + 1]), a->far[2 * i + 2] - a->far[2 * i + 1]);
}

/* A block of memory that datatypes lead out of, to where other blocks were in the recorded program. There is memory here, too: before
 * and behind the block, and in far places, of which there are far[0], given by their begins and ends. What is not used of it takes none. */
static char *memory_around(long number, long bytes, long before, long behind, const long *far)
{
    const long page = 65536, low = -((before + page - 1) / page * page), high = (bytes + behind + page - 1) / page * page;
    const size_t first = (size_t)1 << 44, step = (size_t)1 << 32;
    static $LOCAL size_t next;
    struct around a = {NULL, low, high, far};
    if (number >= 0 && before + behind == 0 && !far) return memory(bytes);
    for (int tries = 0; !a.block && tries < 4096; tries++) {
        size_t at = 0;
        if (far) { /* the lowest place first */
            at = first + next - (far[1] < low ? far[1] : low) + low;
            next = (next + step) % (first - step);
        }
        char *all = reserve(at, high - low);
        int n = 0;
        while (all && far && n < far[0] && reserve(at - low + far[2 * n + 1], far[2 * n + 2] - far[2 * n + 1])) n++;
        if (all) a.block = all - low;
        if (all && far && n < far[0]) {
            unreserve(&a, n);
            a.block = NULL;
        }
    }
    /* The block is a mapping of its own, as recorders see it. */
    if (!a.block || mmap(a.block, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
        fprintf(stderr, "There is no address space for %ld bytes and what is around them.\n", bytes);
        exit(1);
    }
    if (number >= 0) around[number] = a;
    return a.block;
}

//// free_later
/* Memory is freed some time later, as an operation that has taken the place of another may still use it: when there are 4096 more blocks,
 * or too many bytes. */
#ifdef __GLIBC__
#include <malloc.h>
#else
#define malloc_usable_size(block) ((size_t)1 << 16)
#endif
static void free_later(void *block)
{
    static $LOCAL struct { void *block; size_t bytes; } late[4096];
    static $LOCAL int first, count;
    static $LOCAL size_t total;
    if (!block) return;
    int at = (first + count++) % 4096;
    late[at].block = block;
    late[at].bytes = malloc_usable_size(block);
    total += late[at].bytes;
    while (count == 4096 || (total > (size_t)1 << 28 && count > 1)) {
        total -= late[first].bytes;
        free(late[first].block);
        first = (first + 1) % 4096;
        count--;
    }
}

//// make_remote
/* What dynamic windows take for displacements are addresses in other processes: here those of a block that each process has. */
static void make_remote(void)
{
    void *at = (void *)(size_t)REMOTE;
    if (mmap(at, 1L << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == at) return;
    fprintf(stderr, "There is no memory at %p.\n", at);
    exit(1);
}

//// release: memory_around
static void release(long number, char *block)
{
    struct around *a = &around[number];
    if (!block || a->block != block) {
        free(block);
        return;
    }
    unreserve(a, a->far ? (int)a->far[0] : 0);
    a->block = NULL;
}

//// release_later: memory_around free_later
static void release_later(long number, char *block)
{
    static $LOCAL struct around late[64];
    static $LOCAL int k;
    struct around *a = &around[number], *last = &late[k];
    if (!block || a->block != block) {
        free_later(block);
        return;
    }
    if (last->block) unreserve(last, last->far ? (int)last->far[0] : 0);
    *last = *a;
    k = (k + 1) % 64;
    a->block = NULL;
}

//// place_in
/* The index of the rank in a set: n numbers are begins and ends of intervals. */
static long place_in(const long set[], int n)
{
    long before = 0;
    for (int i = 0; i < n; i += 2) {
        if (rank < set[i + 1]) return before + rank - set[i];
        before += set[i + 1] - set[i];
    }
    return 0;
}

//// next
/* Values that follow no rule, in a compact form: n > 0 values from a first one on with a step, or -n values as they
 * are; 0 ends the sequence, which then begins again. */
struct column { const long *code, *at; long left, value, step; };
static long next(struct column *c)
{
    if (c->left == 0) {
        if (!c->at || *c->at == 0) c->at = c->code;
        if (!c->at || *c->at == 0) return 0;
        c->left = *c->at++;
        if (c->left > 0) {
            c->step = *c->at++;
            c->value = *c->at++ - c->step;
        }
    }
    if (c->left > 0) {
        c->left--;
        return c->value += c->step;
    }
    c->left++;
    return *c->at++;
}

//// room
/* Memory for arguments and results, until it is used again some calls later. */
static void *room(size_t bytes)
{
    static $LOCAL struct { void *at; size_t size; } slot[32];
    static $LOCAL int k;
    k = (k + 1) % 32;
    if (slot[k].size < bytes) {
        slot[k].at = realloc(slot[k].at, bytes + bytes / 2);
        slot[k].size = bytes + bytes / 2;
        if (!slot[k].at) exit(1);
    }
    return bytes ? memset(slot[k].at, 0, bytes) : slot[k].at ? slot[k].at : room(1);
}

//// keep
/* Arrays that operations need until they are complete, one for each place of the program. */
static void *keep(int place, const void *from, size_t bytes)
{
    static struct { void *at; size_t size; } kept[KEPT];
    if (kept[place].size < bytes + 1) {
        kept[place].at = realloc(kept[place].at, bytes + 1);
        kept[place].size = bytes + 1;
        if (!kept[place].at) exit(1);
    }
    return memcpy(kept[place].at, from, bytes);
}

//// ramp: room
/* n numbers from a first one on, with a step. */
static int *ramp(long n, long first, long step)
{
    int *v = room(n * sizeof *v);
    for (long i = 0; i < n; i++) v[i] = (int)(first + i * step);
    return v;
}

//// ramp64: room
static void *ramp64(long n, long first, long step)
{
    long *v = room(n * sizeof *v);
    for (long i = 0; i < n; i++) v[i] = first + i * step;
    return v;
}

//// ints: room
/* n numbers of a table. */
static int *ints(long n, const long *from)
{
    int *v = room(n * sizeof *v);
    for (long i = 0; i < n; i++) v[i] = (int)from[i];
    return v;
}

//// longs: room
static void *longs(long n, const long *from)
{
    long *v = room(n * sizeof *v);
    for (long i = 0; i < n; i++) v[i] = from[i];
    return v;
}

//// next_ints: next room
/* The next n values. */
static int *next_ints(long n, struct column *c)
{
    int *v = room(n * sizeof *v);
    for (long i = 0; i < n; i++) v[i] = (int)next(c);
    return v;
}

//// next_longs: next room
static void *next_longs(long n, struct column *c)
{
    long *v = room(n * sizeof *v);
    for (long i = 0; i < n; i++) v[i] = next(c);
    return v;
}

//// gather
/* The requests with these numbers as an array, and back; -1 stands for none. */
static MPI_Request *gather(int n, const int number[])
{
    static $LOCAL MPI_Request *list;
    static $LOCAL int most;
    if (n > most) list = realloc(list, (most = 2 * n) * sizeof *list);
    for (int i = 0; i < n; i++) list[i] = number[i] < 0 ? MPI_REQUEST_NULL : request[number[i]];
    return list;
}
static void scatter(int n, const int number[], const MPI_Request list[])
{
    for (int i = 0; i < n; i++)
        if (number[i] >= 0) request[number[i]] = list[i];
}

//// only_wanted
/* Persistent requests must not change places, as they are started again: a call gets those that were done in the recording,
 * once they are, and the others are put aside meanwhile. */
static $LOCAL MPI_Request *aside;
static void only_wanted(int n, MPI_Request list[], int nwant, const int want[])
{
    aside = realloc(aside, (n + 1) * sizeof *aside);
    if (!aside) exit(1);
    if (n > 0) memcpy(aside, list, n * sizeof *aside);
    if (nwant < 1 || want[0] < 0) return;
    for (int i = 0; i < n; i++) list[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < nwant; i++) {
        int done = want[i] < 0 || want[i] >= n || aside[want[i]] == MPI_REQUEST_NULL;
        while (!done) MPI_Request_get_status(aside[want[i]], &done, MPI_STATUS_IGNORE);
        if (want[i] >= 0 && want[i] < n) list[want[i]] = aside[want[i]];
    }
}
static void all_again(int n, MPI_Request list[], int nwant, const int want[])
{
    if (nwant < 1 || want[0] < 0) return;
    for (int i = 0; i < n; i++) {
        int wanted = 0;
        for (int j = 0; j < nwant; j++) wanted |= want[j] == i;
        if (!wanted) list[i] = aside[i];
    }
}


//// settle
/* In the recording request want of the list was done, now it is got: they swap places, so that the
 * numbers of requests stand for operations as in the recording. */
static void settle(MPI_Request list[], int want, int got)
{
    if (want < 0 || got < 0 || want == got) return;
    MPI_Request r = list[want];
    list[want] = list[got];
    list[got] = r;
}

//// settle_some: settle
/* The same for several: those that should not be done yet swap places with those that should. */
static void settle_some(MPI_Request list[], int nwant, const int want[], int ngot, const int got[])
{
    int k = 0;
    for (int i = 0; i < nwant; i++) {
        int found = 0;
        for (int j = 0; j < ngot; j++) found |= got[j] == want[i];
        if (found) continue;
        for (; k < ngot; k++) {
            int wanted = 0;
            for (int j = 0; j < nwant; j++) wanted |= got[k] == want[j];
            if (!wanted) break;
        }
        if (k == ngot) return;
        settle(list, want[i], got[k++]);
    }
}

//// scratch_file
/* Files are made in a folder of the program's own. */
static const char *scratch_file(const char *name)
{
    static $LOCAL char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", directory, FILES, name);
    return path;
}

//// found_file: scratch_file
/* The same for one that must be there. */
static const char *found_file(const char *name)
{
    const char *path = scratch_file(name);
    FILE *f = fopen(path, "ab");
    if (f) fclose(f);
    return path;
}

//// new_file: scratch_file
/* The same for one that was removed since it was made last. */
static const char *new_file(const char *name, int first)
{
    const char *path = scratch_file(name);
    if (first) remove(path);
    return path;
}

//// compute
/* Computes for a number of seconds. */
static void compute(double seconds)
{
    struct timespec now;
    double end = 0, t;
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
        t = now.tv_sec + now.tv_nsec * 1e-9;
        if (end == 0) end = t + seconds * COMPUTE;
    } while (t < end);
}

//// begin_thread
static void begin_thread(int number, void *(*body)(void *))
{
    if (pthread_create(&thread[number], NULL, body, NULL)) {
        fprintf(stderr, "There can be no thread %d.\n", number);
        exit(1);
    }
}

//// creation
static pthread_mutex_t creation = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t creations = PTHREAD_COND_INITIALIZER;

//// start_if_not: creation begin_thread
static void start_if_not(int n)
{
    if (stage[n] != NOT_STARTED) return;
    stage[n] = RUNS;
    begin_thread(n, thread_body[n]);
}

//// start_thread: start_if_not
static void start_thread(int n)
{
    pthread_mutex_lock(&creation);
    start_if_not(n);
    pthread_mutex_unlock(&creation);
}

//// create_thread: start_if_not
/* What threads with one number do, each after the end of the one before, is done by one. */
static void create_thread(int n)
{
    pthread_mutex_lock(&creation);
    created[n]++;
    if (thread_body[n]) start_if_not(n);
    pthread_cond_broadcast(&creations);
    pthread_mutex_unlock(&creation);
}

//// begin_life: creation
/* What follows is done by the thread with this number that is created n creations after the last one that did something. */
static void begin_life(long n)
{
    pthread_mutex_lock(&creation);
    begun[number] += n;
    pthread_cond_broadcast(&creations);
    while (created[number] < begun[number]) pthread_cond_wait(&creations, &creation);
    pthread_mutex_unlock(&creation);
}

//// end_lives: creation
static void end_lives(void)
{
    pthread_mutex_lock(&creation);
    stage[number] = ENDED;
    pthread_cond_broadcast(&creations);
    pthread_mutex_unlock(&creation);
}

//// join_thread: creation
/* Waits until the thread of the last creation is done. */
static void join_thread(int n)
{
    pthread_mutex_lock(&creation);
    while (stage[n] == RUNS && begun[n] <= created[n]) pthread_cond_wait(&creations, &creation);
    pthread_mutex_unlock(&creation);
}

//// finish_thread: start_if_not
/* Whether all threads wait for others that nobody creates: the recording lacks something. */
static int nobody_runs(void)
{
    for (unsigned i = 0; i < sizeof stage / sizeof *stage; i++)
        if (stage[i] == RUNS && created[i] >= begun[i]) return 0;
    return 1;
}

static void finish_thread(int n)
{
    pthread_mutex_lock(&creation);
    while (stage[n] != ENDED) {
        if (nobody_runs()) {
            created[n] = begun[n] + 1;
            start_if_not(n);
            pthread_cond_broadcast(&creations);
        }
        pthread_cond_wait(&creations, &creation);
    }
    pthread_mutex_unlock(&creation);
    pthread_join(thread[n], NULL);
}

//// reduce
static void reduce(void *in, void *inout, int *n, MPI_Datatype *t) { (void)in, (void)inout, (void)n, (void)t; }

//// reduce_large
static void reduce_large(void *in, void *inout, MPI_Count *n, MPI_Datatype *t) { (void)in, (void)inout, (void)n, (void)t; }

//// reserved
/* Room for addresses: of its pages only those exist that are used, however much that is with this number of ranks. Half of it
 * lies before the address if that is the midst of something. */
static char *reserved(int midst)
{
    for (size_t bytes = (size_t)1 << 36; bytes >= (size_t)1 << 24; bytes /= 2) {
        char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED) return midst ? at + bytes / 2 : at;
    }
    fprintf(stderr, "There is no room for more memory.\n");
    exit(1);
}

//// heap_slot
/* Memory that the program allocated, by its number: heap is where it is, own what is to be freed, large what is not. */
static char **heap, **own, **large;
static char **heap_slot(long n)
{
    static long heaps;
    if (n < 0 || n >= 1 << 24) {
        fprintf(stderr, "There is no memory %ld with this number of ranks.\n", n);
        exit(1);
    }
    if (n >= heaps) {
        long more = 2 * n + 16;
        heap = realloc(heap, more * sizeof *heap);
        own = realloc(own, more * sizeof *own);
        large = realloc(large, more * sizeof *large);
        if (!heap || !own || !large) exit(1);
        for (; heaps < more; heaps++) heap[heaps] = own[heaps] = large[heaps] = NULL;
    }
    return &heap[n];
}

//// heap_at: heap_slot reserved
static char *heap_at(long n)
{
    char **at = heap_slot(n);
    if (!*at && !large[n]) large[n] = reserved(0);
    if (!*at) *at = large[n];
    return *at;
}

//// begin_memory: heap_slot
static void begin_memory(long n, long bytes)
{
    *heap_slot(n) = calloc(1, bytes > 0 ? bytes : 1);
    if (!heap[n]) {
        fprintf(stderr, "There is no memory for %ld bytes.\n", bytes);
        exit(1);
    }
    own[n] = heap[n];
}

//// grow_memory: begin_memory heap_slot reserved
/* What does not follow from the number of ranks may have to be larger with more of them. */
static void grow_memory(long n, long bytes)
{
    if (size <= RANKS) {
        begin_memory(n, bytes);
        return;
    }
    heap_slot(n);
    if (!large[n]) large[n] = reserved(0);
    heap[n] = large[n];
}

//// end_memory: heap_slot
static void end_memory(long n)
{
    heap_slot(n);
    free(own[n]);
    heap[n] = own[n] = NULL;
}

//// block_at: reserved
/* Other memory by its kind and number. */
static char *block_at(long kind, long number)
{
    static struct { long kind, number; char *at; } *list;
    static long n;
    for (long i = 0; i < n; i++)
        if (list[i].kind == kind && list[i].number == number) return list[i].at;
    list = realloc(list, (n + 1) * sizeof *list);
    if (!list) exit(1);
    list[n].kind = kind;
    list[n].number = number;
    return list[n++].at = reserved(1);
}

//// other_at: block_at
static char *other_at(long address) { return block_at(-1, address >> 24) + (address & 0xffffff); }
