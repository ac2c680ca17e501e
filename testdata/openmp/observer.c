/* A tool for runtimes with OMPT, to be named by OMP_TOOL_LIBRARIES, that only counts. Shares no code with Tabard. Prints
 * "event count" for each to the file that OBSERVED names. */
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARALLEL_BEGIN, PARALLEL_END, BODY, CREATE, BEGIN, END, SINGLE, WORK, LOCK_BEGIN, ACQUIRED, RELEASED, EXPLICIT, N };
static long n[N];
static void count(int what) { __atomic_add_fetch(&n[what], 1, __ATOMIC_RELAXED); }

static void parallel_begin(ompt_data_t *t, const ompt_frame_t *f, ompt_data_t *p, unsigned r, int flags, const void *ra)
{
    count(PARALLEL_BEGIN);
}
static void parallel_end(ompt_data_t *p, ompt_data_t *t, int flags, const void *ra) { count(PARALLEL_END); }
static void implicit(ompt_scope_endpoint_t e, ompt_data_t *p, ompt_data_t *t, unsigned a, unsigned i, int flags)
{
    if (e == ompt_scope_begin && !(flags & ompt_task_initial)) count(BODY);
}
static void create(ompt_data_t *t, const ompt_frame_t *f, ompt_data_t *task, int flags, int d, const void *ra)
{
    if (flags & ompt_task_explicit) count(CREATE);
}
static void schedule(ompt_data_t *prior, ompt_task_status_t s, ompt_data_t *next)
{
    if (s == ompt_task_complete) count(END);
}
static void work(ompt_work_t w, ompt_scope_endpoint_t e, ompt_data_t *p, ompt_data_t *t, uint64_t c, const void *ra)
{
    if (e != ompt_scope_begin) return;
    if (w == ompt_work_single_executor || w == ompt_work_single_other) count(SINGLE);
    else if (w == ompt_work_loop || w >= 10) count(WORK);
}
static void acquire(ompt_mutex_t k, unsigned h, unsigned i, ompt_wait_id_t w, const void *ra) { count(LOCK_BEGIN); }
static void acquired(ompt_mutex_t k, ompt_wait_id_t w, const void *ra) { count(ACQUIRED); }
static void released(ompt_mutex_t k, ompt_wait_id_t w, const void *ra) { count(RELEASED); }
static void nest(ompt_scope_endpoint_t e, ompt_wait_id_t w, const void *ra)
{
    count(e == ompt_scope_begin ? ACQUIRED : RELEASED);
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
    set(ompt_callback_parallel_end, (ompt_callback_t)parallel_end);
    set(ompt_callback_implicit_task, (ompt_callback_t)implicit);
    set(ompt_callback_task_create, (ompt_callback_t)create);
    set(ompt_callback_task_schedule, (ompt_callback_t)schedule);
    set(ompt_callback_work, (ompt_callback_t)work);
    set(ompt_callback_mutex_acquire, (ompt_callback_t)acquire);
    set(ompt_callback_mutex_acquired, (ompt_callback_t)acquired);
    set(ompt_callback_mutex_released, (ompt_callback_t)released);
    set(ompt_callback_nest_lock, (ompt_callback_t)nest);
    return 1;
}

static void end(ompt_data_t *tool)
{
    static const char *const names[] = {[PARALLEL_BEGIN] = "omp_parallel_begin", [PARALLEL_END] = "omp_parallel_end",
        [BODY] = "omp_body_begin", [CREATE] = "omp_task_create", [END] = "omp_task_end", [SINGLE] = "omp_single",
        [WORK] = "omp_work_begin", [LOCK_BEGIN] = "omp_lock_begin", [ACQUIRED] = "omp_lock_acquired",
        [RELEASED] = "omp_lock_released", [EXPLICIT] = NULL};
    FILE *f = fopen(getenv("OBSERVED"), "w");
    for (int i = 0; f && i < N; i++)
        if (names[i]) fprintf(f, "%s %ld\n", names[i], n[i]);
    if (f) fclose(f);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t r = {start, end, {0}};
    return &r;
}
