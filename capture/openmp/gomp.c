/* libgomp, the runtime of GCC: what compiled programs call. It has no interface for tools. Functions that it is given,
 * the bodies of regions and tasks, are replaced by ones of ours that call them.
 *
 * Not seen: loops with a static schedule, which make no call; the initial thread's end of a region as old compilers
 * call it (GOMP_parallel_start, before GCC 4.9). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include "core/ids.h"
#include "openmp/openmp.h"

/* The function that stands behind ours; it is there, or nobody could have called ours. */
static TB_COLD void *resolve(void **real, const char *name)
{
    void *p = tb_symbol_behind(name);
    if (!p) tb_unresolved(name, "a library that is loaded");
    __atomic_store_n(real, p, __ATOMIC_RELEASE);
    return p;
}

/* A runtime that tells tools everything may be called by libgomp's names, too. */
static int is_libgomp(const char *name)
{
    Dl_info own, other;
    void *here = tb_symbol_behind(name), *kmp = dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
    return here && !(kmp && dladdr(here, &own) && dladdr(kmp, &other) && own.dli_fbase == other.dli_fbase);
}

static TB_COLD int decide(const char *name)
{
    int is = is_libgomp(name);
    int on = tb_omp_on == TB_OMP_UNDECIDED ? tb_omp_decide() : tb_omp_on;
    return on && is;
}

static int gomp_on = TB_OMP_UNDECIDED;

static inline int is_on(const char *name)
{
    if (tb_unlikely(gomp_on == TB_OMP_UNDECIDED)) gomp_on = decide(name);
    return tb_unlikely(gomp_on);
}

#define REAL(name) static void *real; void *f = tb_likely(real != NULL) ? real : resolve(&real, #name)
/* Where the call was made, also where the return address was replaced to see a function of the program return. */
#define SITE                                                                                                  \
    ((void *)tb_function_return((uintptr_t)__builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa() - 8))
#define OFF(name) tb_likely(!is_on(#name))

/* ---- Parallel regions ---- */

typedef void body(void *);

struct region {
    struct tb_omp_region r;
    body *function;
    void *data;
    int work; /* what all of its body is */
};

static int thread_number(void)
{
    static void *real;
    int (*f)(void) = (int (*)(void))(real ? real : resolve(&real, "omp_get_thread_num"));
    return f();
}

static int team_size(void)
{
    static void *real;
    int (*f)(void) = (int (*)(void))(real ? real : resolve(&real, "omp_get_num_threads"));
    return f();
}

static void run_body(void *p)
{
    const struct region *r = p;
    tb_omp_body_begin(&r->r, thread_number(), team_size());
    if (r->work) tb_omp_event_of(TB_ID_omp_work_begin, r->r.site, r->work);
    r->function(r->data);
    tb_omp_body_end(&r->r);
}

/* What only the runtime reads is passed on as words, as many as there may be. */
#define REGION(type, name, kind)                                                                              \
    TB_EXPORT type name(body *function, void *data, long threads, long a, long b, long c, long d, long e)      \
    {                                                                                                         \
        REAL(name);                                                                                           \
        type (*call)(body *, void *, long, long, long, long, long, long) = f;                                 \
        if (OFF(name)) return call(function, data, threads, a, b, c, d, e);                                   \
        struct region r = {.function = function, .data = data, .work = kind};                                 \
        tb_omp_parallel_begin(&r.r, SITE);                                                                    \
        type result = call(run_body, &r, threads, a, b, c, d, e);                                             \
        tb_omp_parallel_end();                                                                            \
        return result;                                                                                        \
    }

REGION(long, GOMP_parallel, 0)
REGION(long, GOMP_parallel_reductions, 0)
REGION(long, GOMP_parallel_sections, TB_OMP_SECTIONS)
REGION(long, GOMP_parallel_loop_static, TB_OMP_LOOP)
REGION(long, GOMP_parallel_loop_dynamic, TB_OMP_LOOP)
REGION(long, GOMP_parallel_loop_guided, TB_OMP_LOOP)
REGION(long, GOMP_parallel_loop_runtime, TB_OMP_LOOP)
REGION(long, GOMP_parallel_loop_nonmonotonic_dynamic, TB_OMP_LOOP)
REGION(long, GOMP_parallel_loop_nonmonotonic_guided, TB_OMP_LOOP)
REGION(long, GOMP_parallel_loop_nonmonotonic_runtime, TB_OMP_LOOP)
REGION(long, GOMP_parallel_loop_maybe_nonmonotonic_runtime, TB_OMP_LOOP)

/* ---- Worksharing ---- */

/* The first chunk of a loop, or the first section, is asked for when it begins. */
#define BEGIN(name, kind)                                                                                     \
    TB_EXPORT long name(long a, long b, long c, long d, long e, long g, long h, long i, long j, long k)        \
    {                                                                                                         \
        REAL(name);                                                                                           \
        long (*call)(long, long, long, long, long, long, long, long, long, long) = f;                          \
        if (!OFF(name)) tb_omp_event_of(TB_ID_omp_work_begin, SITE, kind);                                     \
        return call(a, b, c, d, e, g, h, i, j, k);                                                            \
    }
#define LOOPS(name)                                                                                           \
    BEGIN(GOMP_loop_##name, TB_OMP_LOOP)                                                                      \
    BEGIN(GOMP_loop_ull_##name, TB_OMP_LOOP)

LOOPS(start)
LOOPS(static_start)
LOOPS(dynamic_start)
LOOPS(guided_start)
LOOPS(runtime_start)
LOOPS(nonmonotonic_dynamic_start)
LOOPS(nonmonotonic_guided_start)
LOOPS(nonmonotonic_runtime_start)
LOOPS(maybe_nonmonotonic_runtime_start)
LOOPS(ordered_start)
LOOPS(ordered_static_start)
LOOPS(ordered_dynamic_start)
LOOPS(ordered_guided_start)
LOOPS(ordered_runtime_start)
LOOPS(doacross_start)
LOOPS(doacross_static_start)
LOOPS(doacross_dynamic_start)
LOOPS(doacross_guided_start)
LOOPS(doacross_runtime_start)
BEGIN(GOMP_sections_start, TB_OMP_SECTIONS)
BEGIN(GOMP_sections2_start, TB_OMP_SECTIONS)

#define END(name, kind, waits)                                                                                \
    TB_EXPORT long name(void)                                                                                 \
    {                                                                                                         \
        REAL(name);                                                                                           \
        long (*call)(void) = f;                                                                               \
        if (OFF(name)) return call();                                                                         \
        if (kind) tb_omp_event_of(TB_ID_omp_work_end, NULL, kind);                                            \
        if (waits) tb_omp_event(TB_ID_omp_barrier_begin, SITE);                                               \
        long result = call();                                                                                 \
        if (waits) tb_omp_event(TB_ID_omp_barrier_end, NULL);                                                 \
        return result;                                                                                        \
    }

END(GOMP_loop_end, TB_OMP_LOOP, 1)
END(GOMP_loop_end_cancel, TB_OMP_LOOP, 1)
END(GOMP_loop_end_nowait, TB_OMP_LOOP, 0)
END(GOMP_sections_end, TB_OMP_SECTIONS, 1)
END(GOMP_sections_end_cancel, TB_OMP_SECTIONS, 1)
END(GOMP_sections_end_nowait, TB_OMP_SECTIONS, 0)
END(GOMP_barrier, 0, 1)
END(GOMP_barrier_cancel, 0, 1)

TB_EXPORT _Bool GOMP_single_start(void)
{
    REAL(GOMP_single_start);
    _Bool result = ((_Bool (*)(void))f)();
    if (!OFF(GOMP_single_start)) tb_omp_single(SITE, result);
    return result;
}

TB_EXPORT void *GOMP_single_copy_start(void)
{
    REAL(GOMP_single_copy_start);
    void *result = ((void *(*)(void))f)();
    if (!OFF(GOMP_single_copy_start)) tb_omp_single(SITE, result == NULL);
    return result;
}

/* ---- Waits ---- */

#define WAIT(name)                                                                                            \
    TB_EXPORT void name(void *argument)                                                                       \
    {                                                                                                         \
        REAL(name);                                                                                           \
        int off = OFF(name);                                                                                  \
        if (!off) tb_omp_event(TB_ID_omp_taskwait_begin, SITE);                                               \
        ((void (*)(void *))f)(argument);                                                                      \
        if (!off) tb_omp_event(TB_ID_omp_taskwait_end, NULL);                                                 \
    }

WAIT(GOMP_taskwait)
WAIT(GOMP_taskwait_depend)
WAIT(GOMP_taskgroup_end)

#define ACQUIRE(name, kind)                                                                                   \
    TB_EXPORT void name(void *lock)                                                                           \
    {                                                                                                         \
        REAL(name);                                                                                           \
        int off = OFF(name);                                                                                  \
        if (!off) tb_omp_event_of(TB_ID_omp_lock_begin, SITE, kind);                                          \
        ((void (*)(void *))f)(lock);                                                                          \
        if (!off) tb_omp_event_of(TB_ID_omp_lock_acquired, SITE, kind);                                       \
    }
#define RELEASE(name, kind)                                                                                   \
    TB_EXPORT void name(void *lock)                                                                           \
    {                                                                                                         \
        REAL(name);                                                                                           \
        ((void (*)(void *))f)(lock);                                                                          \
        if (!OFF(name)) tb_omp_event_of(TB_ID_omp_lock_released, SITE, kind);                                 \
    }
#define TRY(name, kind)                                                                                       \
    TB_EXPORT int name(void *lock)                                                                            \
    {                                                                                                         \
        REAL(name);                                                                                           \
        int off = OFF(name);                                                                                  \
        if (!off) tb_omp_event_of(TB_ID_omp_lock_begin, SITE, kind);                                          \
        int result = ((int (*)(void *))f)(lock);                                                              \
        if (!off && result) tb_omp_event_of(TB_ID_omp_lock_acquired, SITE, kind);                             \
        return result;                                                                                        \
    }

ACQUIRE(GOMP_critical_start, TB_OMP_CRITICAL)
RELEASE(GOMP_critical_end, TB_OMP_CRITICAL)
ACQUIRE(GOMP_critical_name_start, TB_OMP_CRITICAL)
RELEASE(GOMP_critical_name_end, TB_OMP_CRITICAL)
ACQUIRE(GOMP_atomic_start, TB_OMP_ATOMIC)
RELEASE(GOMP_atomic_end, TB_OMP_ATOMIC)
ACQUIRE(GOMP_ordered_start, TB_OMP_ORDERED)
RELEASE(GOMP_ordered_end, TB_OMP_ORDERED)
#define LOCKS(end)                                                                                            \
    ACQUIRE(omp_set_lock##end, TB_OMP_LOCK)                                                                   \
    RELEASE(omp_unset_lock##end, TB_OMP_LOCK)                                                                 \
    TRY(omp_test_lock##end, TB_OMP_TEST_LOCK)                                                                 \
    ACQUIRE(omp_set_nest_lock##end, TB_OMP_NEST_LOCK)                                                         \
    RELEASE(omp_unset_nest_lock##end, TB_OMP_NEST_LOCK)                                                       \
    TRY(omp_test_nest_lock##end, TB_OMP_TEST_NEST_LOCK)
LOCKS()
LOCKS(_) /* Fortran's */

/* ---- Tasks ---- */

enum { DETACH = 1 << 13 }; /* flags: GOMP_TASK_FLAG_* of GCC's gomp-constants.h */

/* What libgomp copies instead of the task's arguments: these follow at arguments. */
struct task {
    body *function;
    void (*copy)(void *, void *);
    void *site, *data;
    size_t size, arguments;
};

static void copy_task(void *to, void *from)
{
    const struct task *t = from;
    *(struct task *)to = *t;
    if (t->copy) t->copy((char *)to + t->arguments, t->data);
    else memcpy((char *)to + t->arguments, t->data, t->size);
}

static void run_task(void *p)
{
    const struct task *t = p;
    void *site = t->site;
    tb_omp_event(TB_ID_omp_task_begin, site);
    t->function((char *)p + t->arguments);
    tb_omp_task_end();
}

typedef void task_function(body *, void *, void (*)(void *, void *), long, long, long, unsigned, void **, long, void *);

TB_EXPORT void GOMP_task(body *function, void *data, void (*copy)(void *, void *), long size, long align,
    long condition,
                         unsigned flags, void **depend, long priority, void *detach)
{
    REAL(GOMP_task);
    task_function *call = (task_function *)f;
    int off = OFF(GOMP_task);
    if (!off) tb_omp_event(TB_ID_omp_task_create, SITE);
    if (off || flags & DETACH) { /* then libgomp writes to the arguments */
        call(function, data, copy, size, align, condition, flags, depend, priority, detach);
        return;
    }
    size_t unit = align > 16 ? (size_t)align : 16, before = (sizeof(struct task) + unit - 1) / unit * unit;
    struct task t = {function, copy, SITE, data, (size_t)size, before};
    call(run_task, &t, copy_task, (long)before + size, (long)unit, condition, flags, depend, priority, detach);
}

/* libgomp writes to the arguments of the tasks of a loop, so that nothing can be put in front of them. Each loop has a
 * function of its own instead, as long as there are some. */
enum { TASK_LOOPS = 64 };
static struct task_loop { body *function; void *site; } task_loops[TASK_LOOPS];

static void run_iterations(const struct task_loop *l, void *data)
{
    tb_omp_event(TB_ID_omp_task_begin, l->site);
    l->function(data);
    tb_omp_task_end();
}

#define ONE(n) static void task_loop_##n(void *data) { run_iterations(&task_loops[0##n], data); }
#define EIGHT(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7)
EIGHT(0) EIGHT(1) EIGHT(2) EIGHT(3) EIGHT(4) EIGHT(5) EIGHT(6) EIGHT(7)
#define NAMES(n) task_loop_##n##0, task_loop_##n##1, task_loop_##n##2, task_loop_##n##3, task_loop_##n##4, \
                 task_loop_##n##5, task_loop_##n##6, task_loop_##n##7
static body *const task_loop_bodies[TASK_LOOPS] = {NAMES(0), NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5),
                                                   NAMES(6), NAMES(7)};

/* Who took the place may not have written it yet. */
static void *site_of(const struct task_loop *l)
{
    void *site;
    while (!(site = __atomic_load_n(&l->site, __ATOMIC_ACQUIRE))) sched_yield();
    return site;
}

static body *task_loop_of(body *function, void *site)
{
    for (int i = 0; i < TASK_LOOPS; i++) {
        body *empty = NULL;
        struct task_loop *l = &task_loops[i];
        if (__atomic_compare_exchange_n(&l->function, &empty, function, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            __atomic_store_n(&l->site, site, __ATOMIC_RELEASE);
        else if (empty != function || site_of(l) != site) continue;
        return task_loop_bodies[i];
    }
    return function;
}

#define TASKLOOP(name)                                                                                        \
    TB_EXPORT void name(body *function, void *data, void (*copy)(void *, void *), long size, long align,      \
                        unsigned flags, unsigned long tasks, long priority, long start, long end, long step)   \
    {                                                                                                         \
        REAL(name);                                                                                           \
        void (*call)(body *, void *, void (*)(void *, void *), long, long, unsigned, unsigned long, long, long, long, \
                     long) = f;                                                                               \
        if (OFF(name)) {                                                                                      \
            call(function, data, copy, size, align, flags, tasks, priority, start, end, step);                \
            return;                                                                                           \
        }                                                                                                     \
        tb_omp_event_of(TB_ID_omp_work_begin, SITE, TB_OMP_TASKLOOP);                                         \
        call(task_loop_of(function, SITE), data, copy, size, align, flags, tasks, priority, start, end, step); \
        tb_omp_event_of(TB_ID_omp_work_end, NULL, TB_OMP_TASKLOOP);                                           \
    }

TASKLOOP(GOMP_taskloop)
TASKLOOP(GOMP_taskloop_ull)
