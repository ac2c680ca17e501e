/* What GPUs do, in a stream for each of their queues: kernels, copies, memory that is set. CUPTI hands over a buffer of
 * such records now and then, on a thread of its own or inside of a call. Each stream is one of a thread that there is
 * not: whoever has the lock is that thread for a moment. Its number follows from device, context and queue, so that it
 * does not depend on which queue is heard of first.
 *
 * In a queue one thing ends before the next begins. Where CUPTI says otherwise, as of kernels of a graph that run side by
 * side, what begins earlier keeps its time, and the next one begins where that ends. */
#include <stdlib.h>
#include "core/core.h"
#include "core/ids.h"
#include "core/lock.h"
#include "cuda/cuda.h"

/* Records of CUPTI 11 to 13: what later versions added lies behind this. */
enum { COPY = 1, SET = 2, KERNEL = 10, KERNEL_SIDE_BY_SIDE = 12 /* as the other, but does not keep kernels apart */,
       COPY_BETWEEN_DEVICES = 22 };
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
    union { const struct kernel *kernel; const struct copy *copy; };
};

/* ---- Queues ---- */

struct queue {
    struct queue *next;
    uint32_t device, context, number;
    struct tb_thread *t; /* NULL: there was no memory, or no number */
    uint64_t ends;       /* ticks: what was recorded last has ended */
};
static struct queue *queues;
static uint64_t lost; /* records without a queue, until there is one */
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;

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

static void introduce(struct queue *q, uint64_t at)
{
    struct tb_call c;
    if (!begin(&c, q, TB_ID_cuda_queue, 3)) return;
    tb_put_int(&c, q->device);
    tb_put_int(&c, q->context);
    tb_put_int(&c, q->number);
    end(&c, at, at);
}

static struct queue *queue_of(const struct work *w, uint64_t start)
{
    struct queue *q = queues;
    while (q && (q->device != w->device || q->context != w->context || q->number != w->queue)) q = q->next;
    if (q) return q;
    if (!(q = calloc(1, sizeof *q))) return NULL;
    *q = (struct queue){.next = queues, .device = w->device, .context = w->context, .number = w->queue};
    q->t = tb_queue_stream((uint64_t)w->device << 48 ^ (uint64_t)w->context << 24 ^ w->queue);
    queues = q;
    if (q->t) introduce(q, start);
    return q;
}

/* ---- Times ---- */

/* Two readings of CUPTI's clock, and of ours at the same time. */
static struct reading { uint64_t cupti, ticks; } before, latest;

static uint64_t ticks_of(uint64_t cupti)
{
    int64_t clock = (int64_t)(latest.cupti - before.cupti), passed = (int64_t)(cupti - latest.cupti);
    if (clock <= 0) return latest.ticks;
    double ticks = (double)(int64_t)(latest.ticks - before.ticks) * ((double)passed / (double)clock);
    return latest.ticks + (uint64_t)(int64_t)ticks;
}

static void read_clock(uint64_t now)
{
    enum { APART = 1000000 }; /* ns: readings that are closer say little of how fast the clocks go */
    struct reading r = {now, tb_now()};
    if (!before.cupti) before = r;
    if (now - latest.cupti < APART && latest.cupti != before.cupti) return;
    if (latest.cupti) before = latest;
    latest = r;
}

void tb_cuda_clock(uint64_t now)
{
    pthread_mutex_lock(&queues_lock);
    read_clock(now);
    pthread_mutex_unlock(&queues_lock);
}

/* ---- Records ---- */

static int understand(const void *record, struct work *w)
{
    const struct kernel *k = record;
    const struct copy *y = record;
    switch (*(const int *)record) {
    case KERNEL:
    case KERNEL_SIDE_BY_SIDE:
        *w = (struct work){TB_ID_cuda_kernel, k->device, k->context, k->queue, k->start, k->end, {.kernel = k}};
        return 1;
    case COPY:
    case COPY_BETWEEN_DEVICES:
    case SET:
        *w = (struct work){*(const int *)record == SET ? TB_ID_cuda_set : TB_ID_cuda_copy, y->device, y->context,
                           y->queue, y->start, y->end, {.copy = y}};
        return 1;
    }
    return 0;
}

static void put_kernel(struct tb_call *c, const struct kernel *k)
{
    tb_put_string(c, k->name ? k->name : "");
    for (int i = 0; i < 3; i++) tb_put_int(c, k->grid[i]);
    for (int i = 0; i < 3; i++) tb_put_int(c, k->block[i]);
    tb_put_int(c, (int64_t)k->static_shared + k->dynamic_shared);
    tb_put_int(c, k->registers);
}

static void record(const struct work *w)
{
    struct tb_call c;
    uint64_t start = ticks_of(w->start), stop = ticks_of(w->end);
    struct queue *q = queue_of(w, start);
    if (!q || !q->t) {
        lost++;
        return;
    }
    if (start < q->ends || !w->start) start = q->ends;
    if (stop < start) stop = start;
    q->ends = stop;
    if (!begin(&c, q, w->id, 10)) return;
    if (w->id == TB_ID_cuda_kernel) put_kernel(&c, w->kernel);
    if (w->id == TB_ID_cuda_copy) tb_put_int(&c, w->copy->direction);
    if (w->id != TB_ID_cuda_kernel) tb_put_int(&c, (int64_t)w->copy->bytes);
    end(&c, start, stop);
}

static int earlier(const void *a, const void *b)
{
    const struct work *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : (x->end > y->end) - (x->end < y->end);
}

void tb_cuda_lost(uint64_t records)
{
    pthread_mutex_lock(&queues_lock);
    lost += records;
    pthread_mutex_unlock(&queues_lock);
}

/* As the thread that there is not, whatever the calling one is doing. */
static void record_all(const struct work *work, size_t n)
{
    if (tb_process.state != TB_ACTIVE || tb_process.pid != (int)getpid()) return;
    struct tb_cancel cancel = tb_cancel_off();
    struct tb_thread *mine = tb_self;
    for (size_t i = 0; i < n; i++) record(&work[i]);
    for (struct queue *q = queues; q && lost; q = q->next) {
        if (!q->t) continue;
        tb_queue_lost(q->t, lost);
        lost = 0;
    }
    tb_self = mine;
    tb_cancel_on(cancel);
}

void tb_cuda_child(void)
{
    pthread_mutex_init(&queues_lock, NULL);
    queues = NULL;
}

void tb_cuda_write(uint8_t *buffer, size_t bytes, tb_cuda_next *next, uint64_t now)
{
    size_t n = 0, room = bytes / offsetof(struct copy, queue) + 1;
    struct work *work = malloc(room * sizeof *work);
    pthread_mutex_lock(&queues_lock);
    read_clock(now);
    for (const void *one = NULL; work && n < room && next(buffer, bytes, &one) == 0;)
        if (understand(one, &work[n])) n++;
    if (work) qsort(work, n, sizeof *work, earlier);
    record_all(work, n);
    pthread_mutex_unlock(&queues_lock);
    free(work);
}
