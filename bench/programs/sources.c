/* Loops of what is recorded beside MPI, whose cost is measured with and without recording.
 *   sources critical N   one thread enters a critical section N times: three events each
 *   sources regions N    N parallel regions of two threads, of which the first one's path has four events
 * Prints the number of events on the path of the first thread, and the nanoseconds of processor that
 * its loop took: elapsed time would be that of the collector, where it has no processor of its own. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

static volatile long x;

static long critical(long n)
{
    for (long i = 0; i < n; i++) {
#pragma omp critical
        x++;
    }
    return 3 * n;
}

static long regions(long n)
{
    for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
        x++;
    }
    return 4 * n;
}

int main(int argc, char **argv)
{
    long (*loop)(long) = argc > 1 && strcmp(argv[1], "regions") == 0 ? regions : critical;
    long n = argc > 2 ? atol(argv[2]) : 0;
    loop(1000); /* loads pages and fills tables */
    double begin = now();
    long events = loop(n);
    printf("%ld %.0f\n", events, now() - begin);
    return 0;
}
