/* How fast fingerprints are taken: bench/payload compiles it with capture/mpi/fingerprint.c. */
#include "mpi/fingerprint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may use the machine, too */
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double copied(char *to, const char *from, size_t n)
{
    memcpy(to, from, n);
    return to[n / 2];
}

int main(void)
{
    static const char *const names[] = {"bytes", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                        "float", "double"};
    enum { MOST = 64 << 20, TRIES = 5 };
    char *data = malloc(MOST), *to = malloc(MOST);
    double *reals = (double *)(void *)data, keep = 0;
    for (size_t i = 0; i < MOST / sizeof *reals; i++) reals[i] = rand() / 1e9;
    memset(to, 0, MOST);
    printf("| elements | 64 B | 64 KiB | 64 MiB |\n|---|---|---|---|\n");
    for (int e = -1; e <= TB_E_DOUBLE; e++) {
        printf("| %s ", e < 0 ? "memcpy" : names[e]);
        for (size_t n = 64; n <= MOST; n <<= 10) {
            size_t times = (size_t)MOST / 4 / n + 1;
            double best = 1e9;
            for (int k = 0; k < TRIES; k++) {
                double from = now();
                for (size_t i = 0; i < times; i++) {
                    struct tb_fingerprint f = {0};
                    if (e < 0) keep += copied(to, data, n);
                    else tb_fingerprint_add(&f, e, data, n), keep += (double)f.hash;
                }
                double took = (now() - from) / (double)times;
                if (took < best) best = took;
            }
            printf("| %.1f GB/s ", (double)n / best * 1e-9);
        }
        printf("|\n");
    }
    return keep == 1;
}
