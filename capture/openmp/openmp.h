/* Events of OpenMP programs, of what libgomp is called for (gomp.c) or of what another runtime tells a tool (ompt.c).
 * Both say the same of the same program, as far as they can know it. */
#ifndef TABARD_OPENMP_H
#define TABARD_OPENMP_H
#include "core/api.h"

#pragma GCC visibility push(hidden)

/* Kinds of worksharing and of locks: OMPT's numbers. */
enum { TB_OMP_LOOP = 1, TB_OMP_SECTIONS = 2, TB_OMP_TASKLOOP = 7 };
enum { TB_OMP_LOCK = 1, TB_OMP_TEST_LOCK = 2, TB_OMP_NEST_LOCK = 3, TB_OMP_TEST_NEST_LOCK = 4, TB_OMP_CRITICAL = 5,
       TB_OMP_ATOMIC = 6, TB_OMP_ORDERED = 7 };

/* A parallel region in progress. */
struct tb_omp_region {
    void *site;
    uint32_t parent;   /* number of the thread that began it */
    uint32_t ordinal;  /* of the regions that this thread began, from 1, and again; 0: it is not recorded */
    uint32_t depth;    /* how many it is inside of, as far as they are counted */
};
#define TB_OMP_ORDINALS ((1u << 29) - 1)
enum { TB_OMP_DEPTHS = 16 };

/* Whether events are recorded; TB_OMP_UNDECIDED until the first construct. */
enum { TB_OMP_UNDECIDED = -1 };
extern int tb_omp_on;
int tb_omp_decide(void);

void tb_omp_event(int id, void *site); /* ends have no site */
void tb_omp_event_of(int id, void *site, int kind);
void tb_omp_parallel_begin(struct tb_omp_region *r, void *site);
void tb_omp_parallel_end(void);
void tb_omp_body_begin(const struct tb_omp_region *r, int thread, int threads);
void tb_omp_body_end(const struct tb_omp_region *r);
void tb_omp_single(void *site, int executes);
void tb_omp_task_end(void);

#pragma GCC visibility pop
#endif
