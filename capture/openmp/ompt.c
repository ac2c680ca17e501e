/* Runtimes that tell a tool what happens: those of LLVM, Intel, AMD. Callbacks call nothing of OpenMP: that may crash
 * (llvm-project issue 55073). What belongs to a region or a task is put into the word that the runtime keeps for it,
 * so that nothing is allocated.
 *
 * If there is another tool already, it is left alone, and these events are not recorded: the word is its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include "core/ids.h"
#include "core/lock.h"
#include "openmp/ompt.h"
#include "openmp/openmp.h"

/* ---- Places by number ---- */

enum { SITES = 1 << 15 };
static void *sites[SITES]; /* 0 stands for none */

static unsigned number_of(const void *site)
{
    uintptr_t a = (uintptr_t)site;
    for (unsigned i = 0; a && i < SITES; i++) {
        unsigned at = (unsigned)((a ^ a >> 15) + i) % (SITES - 1) + 1;
        void *seen = __atomic_load_n(&sites[at], __ATOMIC_ACQUIRE);
        if (!seen && __atomic_compare_exchange_n(&sites[at], &seen, (void *)a, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return at;
        if (seen == site) return at;
    }
    return 0;
}

/* ---- Regions ---- */

/* A region as a word: site 15, depth 4, parent 16, ordinal 29 bits. */
static uint64_t pack(const struct tb_omp_region *r)
{
    return (uint64_t)number_of(r->site) | (uint64_t)r->depth << 15 | (uint64_t)(r->parent & 0xffff) << 19 |
           (uint64_t)r->ordinal << 35;
}

static struct tb_omp_region unpack(uint64_t word)
{
    return (struct tb_omp_region){.site = sites[word % SITES], .depth = word >> 15 & 15, .parent = word >> 19 & 0xffff,
                                  .ordinal = (uint32_t)(word >> 35)};
}

/* The regions that the thread is in, innermost last, as words, and which of them have not ended; of those that are too
 * deep nothing is recorded. Memory of this kind is scarce: see TB_TLS. */
enum { DEPTH = 12 };
static TB_TLS uint64_t bodies[DEPTH];
static TB_TLS uint32_t open_bodies;
static TB_TLS uint32_t depth;

static void on_parallel_begin(ompt_data *task, const void *frame, ompt_data *region, unsigned threads, int flags,
                              const void *site)
{
    (void)task, (void)frame, (void)threads, (void)flags;
    struct tb_omp_region r;
    tb_omp_parallel_begin(&r, (void *)site);
    region->value = pack(&r);
}

static void on_parallel_end(ompt_data *region, ompt_data *task, int flags, const void *site)
{
    (void)region, (void)task, (void)flags, (void)site;
    tb_omp_parallel_end();
}

static void close_body(void)
{
    if (depth == 0 || depth > DEPTH || !(open_bodies >> (depth - 1) & 1)) return;
    struct tb_omp_region r = unpack(bodies[depth - 1]);
    open_bodies &= ~(1u << (depth - 1));
    tb_omp_body_end(&r);
}

static void on_implicit_task(int endpoint, ompt_data *region, ompt_data *task, unsigned threads, unsigned thread,
                             int flags)
{
    (void)task;
    if (flags & OMPT_TASK_INITIAL) return;
    if (endpoint == OMPT_END) { /* with other threads than the first, when the next region begins */
        close_body();
        if (depth > 0) depth--;
        return;
    }
    if (++depth > DEPTH) return;
    struct tb_omp_region r = unpack(bodies[depth - 1] = region ? region->value : 0);
    open_bodies |= 1u << (depth - 1);
    tb_omp_body_begin(&r, (int)thread, (int)threads);
}

/* ---- Waits ---- */

static void edge(int begins, int begin, int end, const void *site)
{
    tb_omp_event(begins ? begin : end, begins ? (void *)site : NULL);
}

/* Where all threads meet at the end of a region. Older runtimes call that an implicit barrier, as those of loops; it
 * has no site, or that of the region. */
static int is_join(int kind, const void *site)
{
    if (kind == OMPT_BARRIER_PARALLEL) return 1;
    if (kind != OMPT_BARRIER_IMPLICIT) return 0;
    return !site || (depth > 0 && depth <= DEPTH && unpack(bodies[depth - 1]).site == site);
}

static void on_sync_region(int kind, int endpoint, ompt_data *region, ompt_data *task, const void *site)
{
    (void)region, (void)task;
    int begins = endpoint == OMPT_BEGIN;
    switch (kind) {
    case OMPT_BARRIER_PARALLEL:
    case OMPT_BARRIER_IMPLICIT:
        if (is_join(kind, site)) {
            if (begins) close_body();
            return;
        } /* fall through */
    case OMPT_BARRIER_EXPLICIT:
    case OMPT_BARRIER_WORKSHARE:
        edge(begins, TB_ID_omp_barrier_begin, TB_ID_omp_barrier_end, site);
        return;
    case OMPT_TASKWAIT:
        edge(begins, TB_ID_omp_taskwait_begin, TB_ID_omp_taskwait_end, site);
    }
}

/* A group of tasks is waited for at its end. */
static void on_sync_region_wait(int kind, int endpoint, ompt_data *region, ompt_data *task, const void *site)
{
    (void)region, (void)task;
    if (kind == OMPT_TASKGROUP)
        edge(endpoint == OMPT_BEGIN, TB_ID_omp_taskwait_begin, TB_ID_omp_taskwait_end, site);
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t lock, const void *site)
{
    (void)hint, (void)implementation, (void)lock;
    tb_omp_event_of(TB_ID_omp_lock_begin, (void *)site, kind);
}

static void on_mutex_acquired(int kind, uint64_t lock, const void *site)
{
    (void)lock;
    tb_omp_event_of(TB_ID_omp_lock_acquired, (void *)site, kind);
}

static void on_mutex_released(int kind, uint64_t lock, const void *site)
{
    (void)lock;
    tb_omp_event_of(TB_ID_omp_lock_released, (void *)site, kind);
}

/* A lock that the thread has already. */
static void on_nest_lock(int endpoint, uint64_t lock, const void *site)
{
    (void)lock;
    int id = endpoint == OMPT_BEGIN ? TB_ID_omp_lock_acquired : TB_ID_omp_lock_released;
    tb_omp_event_of(id, (void *)site, TB_OMP_NEST_LOCK);
}

/* ---- Worksharing ---- */

/* Where the thread begins a loop of tasks: the runtime says that it creates them itself (llvm-project issue 92423). */
static TB_TLS const void *task_loop;

static void on_work(int kind, int endpoint, ompt_data *region, ompt_data *task, uint64_t count, const void *site)
{
    (void)region, (void)task, (void)count;
    int begins = endpoint == OMPT_BEGIN;
    if (kind >= OMPT_WORK_LOOP_FIRST && kind <= OMPT_WORK_LOOP_LAST) kind = OMPT_WORK_LOOP;
    if (kind == OMPT_WORK_EXECUTOR || kind == OMPT_WORK_OTHER) {
        if (begins) tb_omp_single((void *)site, kind == OMPT_WORK_EXECUTOR);
    } else if (kind == OMPT_WORK_LOOP || kind == OMPT_WORK_SECTIONS || kind == OMPT_WORK_TASKLOOP) {
        if (kind == OMPT_WORK_TASKLOOP) task_loop = begins ? site : NULL;
        tb_omp_event_of(begins ? TB_ID_omp_work_begin : TB_ID_omp_work_end, begins ? (void *)site : NULL, kind);
    }
}

/* ---- Tasks ---- */

/* A task as a word: where it was created, and whether it has begun. */
enum { IS_TASK = 1 << 16, HAS_BEGUN = 1 << 17 };

static void on_task_create(ompt_data *by, const void *frame, ompt_data *task, int flags, int dependences,
                           const void *site)
{
    (void)by, (void)frame, (void)dependences;
    if (!(flags & OMPT_TASK_EXPLICIT)) return;
    if (task_loop) site = task_loop;
    task->value = IS_TASK | number_of(site);
    tb_omp_event(TB_ID_omp_task_create, (void *)site);
}

static void on_task_schedule(ompt_data *prior, int status, ompt_data *next)
{
    int ends = status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL || status == OMPT_TASK_DETACH;
    if (ends && prior && prior->value & HAS_BEGUN) {
        tb_omp_task_end();
        prior->value &= ~(uint64_t)HAS_BEGUN;
    }
    if (status == OMPT_TASK_LATE_FULFILL || !next || !(next->value & IS_TASK) || next->value & HAS_BEGUN) return;
    next->value |= HAS_BEGUN;
    tb_omp_event(TB_ID_omp_task_begin, sites[next->value % SITES]);
}

/* ---- The tool ---- */

static int initialize(ompt_lookup lookup, int device, ompt_data *tool)
{
    static const struct { int event; ompt_function f; } callbacks[] = {
        {OMPT_PARALLEL_BEGIN, (ompt_function)on_parallel_begin}, {OMPT_PARALLEL_END, (ompt_function)on_parallel_end},
        {OMPT_IMPLICIT_TASK, (ompt_function)on_implicit_task}, {OMPT_SYNC_REGION, (ompt_function)on_sync_region},
        {OMPT_SYNC_REGION_WAIT, (ompt_function)on_sync_region_wait}, {OMPT_WORK, (ompt_function)on_work},
        {OMPT_MUTEX_ACQUIRE, (ompt_function)on_mutex_acquire}, {OMPT_MUTEX_ACQUIRED, (ompt_function)on_mutex_acquired},
        {OMPT_MUTEX_RELEASED, (ompt_function)on_mutex_released}, {OMPT_NEST_LOCK, (ompt_function)on_nest_lock},
        {OMPT_TASK_CREATE, (ompt_function)on_task_create}, {OMPT_TASK_SCHEDULE, (ompt_function)on_task_schedule},
    };
    (void)device, (void)tool;
    ompt_set_callback set = (ompt_set_callback)lookup("ompt_set_callback");
    for (unsigned i = 0; set && i < sizeof callbacks / sizeof *callbacks; i++) set(callbacks[i].event, callbacks[i].f);
    return set != NULL;
}

static void finalize(ompt_data *tool) { (void)tool; }

/* The runtime asks the first one of this name, and we ask the next. */
TB_EXPORT struct ompt_start_result *ompt_start_tool(unsigned omp_version, const char *runtime)
{
    static struct ompt_start_result own = {initialize, finalize, {0}};
    struct ompt_start_result *(*next)(unsigned, const char *) = dlsym(RTLD_NEXT, "ompt_start_tool");
    struct ompt_start_result *other = next ? next(omp_version, runtime) : NULL;
    if (other) return other;
    int on = tb_omp_on == TB_OMP_UNDECIDED ? tb_omp_decide() : tb_omp_on;
    return on ? &own : NULL;
}
