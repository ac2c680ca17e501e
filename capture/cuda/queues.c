/* What GPUs do, in a stream for each of their queues: kernels, copies, memory that is set. CUPTI hands over a buffer
 * of such records now and then, on a thread of its own or inside of a call. Each stream is one of a thread that there
 * is not: whoever has the lock is that thread for a moment. Its number follows from device, context and queue, so that
 * it does not depend on which queue is heard of first.
 *
 * What a queue did first may be handed over later: CUPTI has several buffers, and keeps one back as long as something
 * in it has not ended. So what has come waits for a while before it is recorded, in the order of time.
 *
 * In a queue one thing ends before the next begins. Where CUPTI says otherwise, as of kernels of a graph that run side
 * by side, what begins earlier keeps its time, and the next one begins where that ends. */
#include <signal.h>
#include <stdlib.h>
#include "core/core.h"
#include "core/ids.h"
#include "core/lock.h"
#include "cuda/cuda.h"

/* Records of CUPTI 11 to 13: what later versions added lies behind this. */
struct kernel {
    int kind;
    uint8_t settings[2];
    uint16_t registers;
    int unused[2];
    uint64_t start, end, completed;
    uint32_t device, context, queue;
    int grid[3], block[3], static_shared, dynamic_shared;
    uint32_t local[2], correlation;
    int64_t number;
    const char *name;
};
struct copy { /* also of what is set, with the value where the kind of copy is */
    int kind;
    uint8_t direction, from, to, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, queue;
};
_Static_assert(offsetof(struct kernel, start) == 16 && offsetof(struct kernel, device) == 40 &&
                   offsetof(struct kernel, grid) == 52 && offsetof(struct kernel, dynamic_shared) == 80 &&
                   offsetof(struct kernel, name) == 104 && offsetof(struct copy, start) == 16 &&
                   offsetof(struct copy, device) == 32, "as in cupti_activity.h");

/* What a record says. */
struct work {
    int id;
    uint32_t device, context, queue;
    uint64_t start, end;
    const char *kernel; /* CUPTI's for as long as the program runs */
    int grid[3], block[3], shared;
    uint16_t registers;
    uint8_t direction;
    uint64_t bytes;
};

/* ---- Queues ---- */

struct queue {
    struct queue *next;
    uint32_t device, context, number;
    struct tb_thread *t; /* NULL: there was no memory, or no number */
    int introduced;      /* what it is has been recorded, which has to wait while tracing is off */
    uint64_t ends;       /* ticks: what was recorded last has ended */
};
enum { QUEUES = 512 }; /* each has memory of its own: programs that make queues for ever are not followed for ever */
static struct queue *queues;
static unsigned count;
static uint64_t lost; /* records without a queue, until there is one */
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;

/* While it is held the thread is not itself: handlers of the program's signals, which may call what is recorded or end
 * the process, wait. */
struct hold { struct tb_cancel cancel; sigset_t signals; };
static struct hold hold(void)
{
    static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    struct hold h = {.cancel = tb_cancel_off()};
    sigset_t all;
    sigfillset(&all);
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &h.signals);
    pthread_mutex_lock(&queues_lock);
    return h;
}

static void let_go(const struct hold *h)
{
    pthread_mutex_unlock(&queues_lock);
    pthread_sigmask(SIG_SETMASK, &h->signals, NULL);
    tb_cancel_on(h->cancel);
}

/* Records one event of a queue; values are put by the caller between. */
static int begin(struct tb_call *c, struct queue *q, int id, unsigned words)
{
    tb_self = q->t;
    return tb_enter(c, id, words, NULL, NULL, 0);
}

static void end(struct tb_call *c, uint64_t start, uint64_t stop)
{
    tb_begin(c);
    if (c->t) c->t->at[1] = start;
    tb_end_at(c, stop, 0, 0);
    tb_commit(c);
}

static int introduce(struct queue *q, uint64_t at)
{
    struct tb_call c;
    if (!begin(&c, q, TB_ID_cuda_queue, 3)) return 0;
    tb_put_int(&c, q->device);
    tb_put_int(&c, q->context);
    tb_put_int(&c, q->number);
    end(&c, at, at);
    return 1;
}

static struct queue *queue_of(const struct work *w)
{
    struct queue *q = queues;
    while (q && (q->device != w->device || q->context != w->context || q->number != w->queue)) q = q->next;
    if (q || count == QUEUES || !(q = calloc(1, sizeof *q))) return q;
    count++;
    *q = (struct queue){.next = queues, .device = w->device, .context = w->context, .number = w->queue};
    q->t = tb_queue_stream((uint64_t)w->device << 48 ^ (uint64_t)w->context << 24 ^ w->queue);
    queues = q;
    return q;
}

/* ---- Times ---- */

/* The last reading of both clocks, and one of a second or two before: what lies between says how fast they go. */
static struct tb_cuda_time before, between, latest;

static uint64_t ticks_of(uint64_t cupti)
{
    int64_t clock = (int64_t)(latest.cupti - before.cupti), passed = (int64_t)(cupti - latest.cupti);
    if (clock <= 0) return latest.ticks;
    double ticks = (double)(int64_t)(latest.ticks - before.ticks) * ((double)passed / (double)clock);
    return latest.ticks + (uint64_t)(int64_t)ticks;
}

static void read_clock(struct tb_cuda_time now)
{
    enum { APART = 1000000000 };
    if (now.cupti <= latest.cupti) return; /* also where threads come in another order than they have read it */
    if (!latest.cupti) before = between = now;
    latest = now;
    if (now.cupti - between.cupti < APART) return;
    before = between;
    between = now;
}

void tb_cuda_clock(struct tb_cuda_time now)
{
    struct hold h = hold();
    read_clock(now);
    let_go(&h);
}

/* ---- Records ---- */

static int understand(const void *record, struct work *w)
{
    const struct kernel *k = record;
    const struct copy *y = record;
    switch (*(const int *)record) {
    case TB_CUDA_KERNEL:
        *w = (struct work){TB_ID_cuda_kernel, k->device, k->context, k->queue, k->start, k->end,
                           .kernel = k->name ? k->name : "", .shared = k->static_shared + k->dynamic_shared,
                           .registers = k->registers};
        memcpy(w->grid, k->grid, sizeof w->grid);
        memcpy(w->block, k->block, sizeof w->block);
        return 1;
    case TB_CUDA_COPY:
    case TB_CUDA_COPY_BETWEEN:
    case TB_CUDA_SET:
        *w = (struct work){*(const int *)record == TB_CUDA_SET ? TB_ID_cuda_set : TB_ID_cuda_copy, y->device,
                           y->context, y->queue, y->start, y->end, .direction = y->direction, .bytes = y->bytes};
        return 1;
    }
    return 0;
}

static void put_work(struct tb_call *c, const struct work *w)
{
    if (w->id == TB_ID_cuda_kernel) {
        tb_put_string(c, w->kernel);
        for (int i = 0; i < 3; i++) tb_put_int(c, w->grid[i]);
        for (int i = 0; i < 3; i++) tb_put_int(c, w->block[i]);
        tb_put_int(c, w->shared);
        tb_put_int(c, w->registers);
        return;
    }
    if (w->id == TB_ID_cuda_copy) tb_put_int(c, w->direction);
    tb_put_int(c, (int64_t)w->bytes);
}

static void record(const struct work *w)
{
    struct tb_call c;
    if (!w->end) return; /* it goes on, as the process ends */
    uint64_t start = w->start ? ticks_of(w->start) : latest.ticks, stop = ticks_of(w->end);
    struct queue *q = queue_of(w);
    if (!q || !q->t) {
        lost++;
        return;
    }
    if (start < q->ends) start = q->ends;
    if (stop < start) stop = start;
    q->ends = stop;
    if (!q->introduced && !(q->introduced = introduce(q, start))) return;
    if (!begin(&c, q, w->id, 10)) return;
    put_work(&c, w);
    end(&c, start, stop);
}

static int earlier(const void *a, const void *b)
{
    const struct work *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : (x->end > y->end) - (x->end < y->end);
}

void tb_cuda_lost(uint64_t records)
{
    struct hold h = hold();
    lost += records;
    let_go(&h);
}

/* As the thread that there is not, whatever the calling one is doing. */
static void record_all(const struct work *work, size_t n)
{
    if (tb_process.state != TB_ACTIVE || tb_process.pid != (int)getpid()) return;
    struct tb_thread *mine = tb_self;
    for (size_t i = 0; i < n; i++) record(&work[i]);
    for (struct queue *q = queues; q && lost; q = q->next) {
        if (!q->t) continue;
        tb_self = q->t;
        tb_queue_lost(q->t, lost);
        lost = 0;
    }
    tb_self = mine;
}

/* ---- The order of time ---- */

enum { WAITING = 1 << 18 /* at most, some 25 MB: then all is recorded as it has come */ };
static const uint64_t waits = TB_CUDA_WAITS * 1000000ull;
static struct work *waiting;
static size_t waiting_count, waiting_room;

/* Records what ended before a time of CUPTI's clock. */
static void release(uint64_t until)
{
    size_t n = 0;
    for (size_t i = 0; i < waiting_count; i++)
        if (waiting[i].end < until) {
            struct work due = waiting[i];
            waiting[i] = waiting[n];
            waiting[n++] = due;
        }
    if (n == 0) return;
    qsort(waiting, n, sizeof *waiting, earlier);
    record_all(waiting, n);
    memmove(waiting, waiting + n, (waiting_count - n) * sizeof *waiting);
    waiting_count -= n;
}

static void keep(const struct work *w)
{
    if (waiting_count == WAITING) release(UINT64_MAX);
    if (waiting_count == waiting_room) {
        size_t room = waiting_room ? 2 * waiting_room : 1024;
        struct work *more = realloc(waiting, room * sizeof *more);
        if (!more) {
            lost++;
            return;
        }
        waiting = more, waiting_room = room;
    }
    waiting[waiting_count++] = *w;
}

void tb_cuda_release(int all)
{
    struct hold h = hold();
    release(all ? UINT64_MAX : latest.cupti - waits);
    let_go(&h);
}

void tb_cuda_child(void)
{
    pthread_mutex_init(&queues_lock, NULL);
    queues = NULL;
    waiting_count = 0;
}

void tb_cuda_write(uint8_t *buffer, size_t bytes, tb_cuda_next *next, struct tb_cuda_time now)
{
    enum { SOME = 64 };
    struct work some[SOME];
    const void *one = NULL;
    int more = 1;
    while (more) {
        size_t n = 0; /* CUPTI is called without the lock */
        while (n < SOME && (more = next(buffer, bytes, &one) == 0)) n += (size_t)understand(one, &some[n]);
        struct hold h = hold();
        for (size_t i = 0; i < n; i++) keep(&some[i]);
        if (!more) read_clock(now);
        let_go(&h);
    }
}
