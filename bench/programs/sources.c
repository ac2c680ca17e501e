/* Loops of what is recorded beside MPI, whose cost is measured with and without recording.
 *   sources critical N   one thread enters a critical section N times: three events each
 *   sources regions N    N parallel regions of two threads, of which the first one's path has four events
 *   sources named N      N regions that the program names: two events each, one pair
 *   sources pread N      N reads of 64 bytes at one place of a file in this directory
 *   sources clock N      N readings of the clock that events have their times from: what each of them costs at least
 * Prints the number of events on the path of the first thread, and the nanoseconds of processor that
 * its loop took: elapsed time would be that of the collector, where it has no processor of its own. */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../../include/tabard.h"

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

static long named(long n)
{
    for (long i = 0; i < n; i++) {
        tabard_region_begin("solve");
        tabard_region_end();
    }
    return n;
}

static long reads(long n)
{
    static char bytes[64];
    static int file = -1;
    if (file < 0) {
        char path[] = "sources.XXXXXX";
        file = mkstemp(path);
        unlink(path);
        if (write(file, bytes, sizeof bytes) != sizeof bytes) exit(1);
    }
    for (long i = 0; i < n; i++)
        if (pread(file, bytes, sizeof bytes, 0) != sizeof bytes) exit(1);
    return n;
}

static long clock_readings(long n)
{
    for (long i = 0; i < n; i++) {
#if defined(__x86_64__)
        x = (long)__builtin_ia32_rdtsc();
#else
        unsigned long v;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
        x = (long)v;
#endif
    }
    return n;
}

static const struct { const char *name; long (*loop)(long); } loops[] = {
    {"critical", critical}, {"regions", regions}, {"named", named}, {"pread", reads},
    {"clock", clock_readings}};

int main(int argc, char **argv)
{
    long (*loop)(long) = critical;
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if (argc > 1 && strcmp(argv[1], loops[i].name) == 0) loop = loops[i].loop;
    long n = argc > 2 ? atol(argv[2]) : 0;
    loop(1000); /* loads pages and fills tables */
    double begin = now();
    long events = loop(n);
    printf("%ld %.0f\n", events, now() - begin);
    return 0;
}
