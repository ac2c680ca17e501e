/* The events that both sources make, and what the core sees of OpenMP. Threads of a team are told by their number in
 * it: which thread of the process comes first differs from run to run. */
#include "core/core.h"
#include "core/ids.h"
#include "core/lock.h"
#include "core/point.h"
#include "openmp/openmp.h"

int tb_omp_on = TB_OMP_UNDECIDED;

/* How many bodies of regions the calling thread is in, whatever state it has. */
static TB_TLS uint32_t here;

/* Only if somebody wants these events does OpenMP start the recording of a process. */
int tb_omp_decide(void)
{
    tb_omp_on = tb_is_chosen(TB_ID_omp_parallel_begin) && (tb_current() || tb_process.state != TB_INERT);
    return tb_omp_on;
}

void tb_omp_event(int id, void *site) { tb_point(id, site, NULL, 0, 0); }

void tb_omp_event_of(int id, void *site, int kind)
{
    uint64_t value = (uint64_t)kind;
    tb_point(id, site, &value, 1, 0);
}

void tb_omp_parallel_begin(struct tb_omp_region *r, void *site)
{
    tb_omp_event(TB_ID_omp_parallel_begin, site);
    struct tb_thread_private *p = tb_self->priv;
    *r = (struct tb_omp_region){.site = site, .depth = here < TB_OMP_DEPTHS ? here : TB_OMP_DEPTHS - 1};
    if (!p) return;
    r->parent = p->number;
    r->ordinal = p->team.regions++ % TB_OMP_ORDINALS + 1;
    tb_lives_follow(0);
}

void tb_omp_parallel_end(void)
{
    tb_lives_follow(1);
    tb_omp_event(TB_ID_omp_parallel_end, NULL);
}

/* How many regions of its creator the thread was not in since the last one that it was in: most often none. */
static uint32_t skipped(const struct tb_omp_region *r)
{
    struct tb_thread *t = tb_current();
    if (!t) return 0;
    uint32_t last = t->priv->team.last;
    t->priv->team.last = r->ordinal;
    return (r->ordinal + TB_OMP_ORDINALS - last - 1) % TB_OMP_ORDINALS;
}

void tb_omp_body_begin(const struct tb_omp_region *r, int thread, int threads)
{
    if (!r->ordinal) return;
    if (thread > 0) tb_life_join_team(r->parent, r->depth, (uint32_t)thread, (uint32_t)threads);
    else tb_lives_follow(1);
    here++;
    uint64_t values[4] = {(uint64_t)thread, (uint64_t)threads, r->parent, thread > 0 ? skipped(r) : 0};
    tb_point(TB_ID_omp_body_begin, r->site, values, 4, 0);
}

/* Tasks may still be run while the others arrive. */
static void leave(void)
{
    if (here == 0) tb_life_leave_team();
}

void tb_omp_body_end(const struct tb_omp_region *r)
{
    if (!r->ordinal) return;
    tb_omp_event(TB_ID_omp_body_end, NULL);
    here--;
    leave();
}

void tb_omp_single(void *site, int executes)
{
    uint64_t value = (uint64_t)executes;
    tb_point(TB_ID_omp_single, site, &value, 0, 1);
}

void tb_omp_task_end(void)
{
    tb_omp_event(TB_ID_omp_task_end, NULL);
    leave();
}

const struct tb_api tb_api_openmp = {0};
