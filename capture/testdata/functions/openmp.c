#include <omp.h>
#include <stdio.h>
#define N __attribute__((noinline, noclone))
N long leaf(long n) { return n % 7; }
N long part(long n) { return leaf(n) + leaf(n + 1); }
int main(void)
{
    long s = 0;
#pragma omp parallel for num_threads(3) reduction(+ : s) schedule(static)
    for (long i = 0; i < 60; i++) s += part(i);
    printf("%ld\n", s);
    return 6;
}
