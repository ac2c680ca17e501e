/* What of the interface for tools (OMPT: OpenMP 5.2, section 19) is used here: compilers of GCC have no omp-tools.h. */
#ifndef TABARD_OMPT_H
#define TABARD_OMPT_H
#include <stdint.h>

typedef union { uint64_t value; void *ptr; } ompt_data;
typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char *name);
typedef int (*ompt_set_callback)(int event, ompt_function callback);
struct ompt_start_result {
    int (*initialize)(ompt_lookup lookup, int device, ompt_data *tool);
    void (*finalize)(ompt_data *tool);
    ompt_data tool;
};

enum { OMPT_PARALLEL_BEGIN = 3, OMPT_PARALLEL_END = 4, OMPT_TASK_CREATE = 5, OMPT_TASK_SCHEDULE = 6,
       OMPT_IMPLICIT_TASK = 7, OMPT_SYNC_REGION_WAIT = 16, OMPT_MUTEX_RELEASED = 17, OMPT_WORK = 20,
       OMPT_SYNC_REGION = 23, OMPT_MUTEX_ACQUIRE = 26, OMPT_MUTEX_ACQUIRED = 27, OMPT_NEST_LOCK = 28 };
enum { OMPT_BEGIN = 1, OMPT_END = 2 };
enum { OMPT_TASK_INITIAL = 1, OMPT_TASK_EXPLICIT = 4 };
enum { OMPT_TASK_COMPLETE = 1, OMPT_TASK_CANCEL = 3, OMPT_TASK_DETACH = 4, OMPT_TASK_LATE_FULFILL = 6 };
/* From the second row on: of OpenMP 5.1, told apart from the others by newer runtimes. */
enum { OMPT_BARRIER = 1, OMPT_BARRIER_IMPLICIT = 2, OMPT_BARRIER_EXPLICIT = 3, OMPT_TASKWAIT = 5, OMPT_TASKGROUP = 6,
       OMPT_BARRIER_WORKSHARE = 8, OMPT_BARRIER_PARALLEL = 9, OMPT_BARRIER_TEAMS = 10 };
enum { OMPT_WORK_LOOP = 1, OMPT_WORK_SECTIONS = 2, OMPT_WORK_EXECUTOR = 3, OMPT_WORK_OTHER = 4, OMPT_WORK_TASKLOOP = 7,
       OMPT_WORK_LOOP_FIRST = 10, OMPT_WORK_LOOP_LAST = 13 };

#endif
