/* One of many processes that make calls as fast as they can, with the fake MPI of the tests: what is measured is what
 * records them.
 *   producer simple CALLS     MPI_Bcast, ten distinct ones in turn
 *   producer sendrecv CALLS   MPI_Sendrecv
 *   producer irregular CALLS  MPI_Irecv, MPI_Isend and two times MPI_Wait: peers, sizes and tags at random
 *   producer seldom CALLS     MPI_Bcast, ten in a row every 10 ms
 *   producer steady CALLS     the same, a hundred in a row every millisecond
 * Prints the calls made, and of the loop alone the nanoseconds of processor, those of them in the kernel, and those
 * elapsed. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double in_kernel(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return 1e9 * (double)u.ru_stime.tv_sec + 1e3 * (double)u.ru_stime.tv_usec;
}

/* xorshift64* */
static unsigned at_random(unsigned n)
{
    static uint64_t state = 88172645463325252u;
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return (unsigned)((state * 2685821657736338717u >> 33) % n);
}

static long make(const char *mode, long calls)
{
    int x[4096] = {0}, y[4096];
    long n = 0;
    if (!strcmp(mode, "simple")) {
        while (n < calls)
            for (int i = 0; i < 10; i++, n++) MPI_Bcast(x, 1 + i, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (!strcmp(mode, "sendrecv")) {
        for (; n < calls; n++)
            MPI_Sendrecv(x, 1, MPI_INT, 1, 0, y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(mode, "seldom") || !strcmp(mode, "steady")) {
        const int often = mode[1] == 't';
        const struct timespec pause = {0, often ? 1000000 : 10000000};
        while (n < calls) {
            for (int i = 0; i < (often ? 100 : 10); i++, n++) MPI_Bcast(x, 1 + i % 10, MPI_INT, 0, MPI_COMM_WORLD);
            nanosleep(&pause, NULL);
        }
    } else if (!strcmp(mode, "irregular")) {
        for (; n < calls; n += 4) {
            MPI_Request in, out;
            int tag = (int)at_random(1000);
            MPI_Irecv(y, 1 + (int)at_random(4000), MPI_INT, (int)at_random(64), tag, MPI_COMM_WORLD, &in);
            MPI_Isend(x, 1 + (int)at_random(4000), MPI_INT, (int)at_random(64), tag, MPI_COMM_WORLD, &out);
            MPI_Wait(&in, MPI_STATUS_IGNORE);
            MPI_Wait(&out, MPI_STATUS_IGNORE);
        }
    } else {
        fprintf(stderr, "producer: what is \"%s\"?\n", mode);
        exit(2);
    }
    return n;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    MPI_Init(&argc, &argv);
    make(argv[1], argv[1][0] == 's' ? 10 : 1000); /* loads pages and fills tables: no part of the loop */
    double cpu = now(CLOCK_PROCESS_CPUTIME_ID), kernel = in_kernel(), begin = now(CLOCK_MONOTONIC);
    long n = make(argv[1], atol(argv[2]));
    double end = now(CLOCK_MONOTONIC);
    printf("%ld %.0f %.0f %.0f\n", n, now(CLOCK_PROCESS_CPUTIME_ID) - cpu, in_kernel() - kernel, end - begin);
    MPI_Finalize();
    return 0;
}
