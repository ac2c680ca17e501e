/* Constructs of OpenMP, counted by the program itself: a line "event count" for each, the same in every run. Exit code 3
 * is what is expected. Loops with a static schedule make no call with GCC and are not counted. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static long parallel, bodies, work, singles, barriers, locks, created, ran, waits;
static void count(long *n)
{
    __atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

static long fib(int n)
{
    long a, b;
    if (n < 2) return n;
    count(&created);
#pragma omp task shared(a)
    {
        count(&ran);
        a = fib(n - 1);
    }
    count(&created);
#pragma omp task shared(b) if (n > 4)
    {
        count(&ran);
        b = fib(n - 2);
    }
    count(&waits);
#pragma omp taskwait
    return a + b;
}

static long loops(omp_lock_t *lock, omp_nest_lock_t *nest)
{
    long sum = 0;
    count(&parallel);
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
        count(&bodies);
        count(&work), count(&barriers);
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 100; i++) sum += i;
        count(&work);
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < 100; i++) sum += i;
        count(&work), count(&barriers);
#pragma omp for schedule(runtime)
        for (unsigned long i = 0; i < 100; i++) sum += (long)i;
        count(&barriers);
#pragma omp barrier
        count(&locks);
#pragma omp critical
        sum++;
        count(&locks);
#pragma omp critical(named)
        sum++;
        count(&locks);
        omp_set_lock(lock);
        omp_unset_lock(lock);
        count(&locks), count(&locks);
        omp_set_nest_lock(nest);
        omp_set_nest_lock(nest);
        omp_unset_nest_lock(nest);
        omp_unset_nest_lock(nest);
        count(&singles), count(&barriers);
#pragma omp single
        sum++;
        count(&singles);
#pragma omp single nowait
        sum++;
    }
    return sum;
}

static long teams(void)
{
    long sum = 0;
    for (int threads = 1; threads <= 5; threads++) { /* teams of changing size */
        count(&parallel);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        {
            count(&bodies);
            sum += omp_get_thread_num();
        }
    }
    for (int i = 0; i < 20; i++) { /* nested ones */
        count(&parallel);
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
            count(&bodies), count(&parallel);
#pragma omp parallel num_threads(3) reduction(+ : sum)
            {
                count(&bodies), count(&barriers);
                sum += omp_get_thread_num();
#pragma omp barrier
            }
        }
    }
    return sum;
}

static long tasks(void)
{
    long f = 0;
    int x = 0, y = 0;
    count(&parallel);
#pragma omp parallel num_threads(3)
    {
        count(&bodies), count(&singles), count(&barriers);
#pragma omp single
        {
            f = fib(9);
            for (int i = 0; i < 3; i++) count(&created);
#pragma omp task depend(out : x)
            x = 1, count(&ran);
#pragma omp task depend(in : x) depend(out : y)
            y = x + 1, count(&ran);
#pragma omp task depend(in : y) untied
            x = y + 1, count(&ran);
            count(&waits);
#pragma omp taskgroup
            {
                count(&created);
#pragma omp task firstprivate(f)
                count(&ran);
            }
        }
    }
    return f + x;
}

int main(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    omp_set_max_active_levels(2);
    omp_set_schedule(omp_sched_dynamic, 2);
    long sum = loops(&lock, &nest) + teams() + tasks();
    printf("omp_parallel_begin %ld\nomp_parallel_end %ld\nomp_body_begin %ld\nomp_body_end %ld\n", parallel, parallel,
           bodies, bodies);
    printf("omp_work_begin %ld\nomp_work_end %ld\nomp_single %ld\n", work, work, singles);
    printf("omp_barrier_begin %ld\nomp_barrier_end %ld\n", barriers, barriers);
    printf("omp_lock_begin %ld\nomp_lock_acquired %ld\nomp_lock_released %ld\n", locks, locks, locks);
    printf("omp_task_create %ld\nomp_task_begin %ld\nomp_task_end %ld\n", created, ran, ran);
    printf("omp_taskwait_begin %ld\nomp_taskwait_end %ld\n", waits, waits);
    return sum > 0 ? 3 : 1;
}
