/* Functions that do nothing but call each other: the most that recording function calls can cost. */
#include <mpi.h>
#include <stdio.h>

#define FAR __attribute__((noinline, noclone))

FAR static int fib(int n)
{
    __asm__ volatile("");
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

FAR static int nothing(int n)
{
    __asm__ volatile("");
    return n;
}

int main(int argc, char **argv)
{
    int s = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 5000000; i++) s += nothing(i & 1);
    s += fib(32);
    MPI_Finalize();
    printf("%d\n", s);
    return 0;
}
