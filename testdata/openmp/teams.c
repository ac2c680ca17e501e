/* Teams that come and go: of different sizes, one inside of another, and of two threads that each have their own. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

static long work(int teams)
{
    long sum = 0;
    for (int i = 0; i < teams; i++) {
#pragma omp parallel num_threads(1 + (i * 7) % 4) reduction(+ : sum)
        sum += 1;
    }
    return sum;
}

static void *other(void *sum)
{
    *(long *)sum = work(100);
    return NULL;
}

int main(void)
{
    long sum, mine, nested = 0;
    pthread_t t;
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    sum = work(1000);
    for (int i = 0; i < 200; i++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp parallel num_threads(2 + omp_get_thread_num())
#pragma omp atomic
            nested += 1;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
            nested += 1;
        }
    }
    pthread_create(&t, NULL, other, &mine);
    pthread_join(t, NULL);
    printf("sum %ld, nested %ld, of another thread %ld\n", sum, nested, mine);
    return 0;
}
