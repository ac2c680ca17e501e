/* Functions that tell of their calls, as the compiler has them do (-finstrument-functions); prints how many there were. */
#include <setjmp.h>
#include <stdio.h>
#include "mpi.h"
#define N __attribute__((noinline))

static int calls;
static jmp_buf out;

N static int fib(int n) { return calls++, n < 2 ? n : fib(n - 1) + fib(n - 2); }
N static void leaf(void) { calls++; }
N static void deep(int n)
{
    calls++;
    leaf();
    if (n == 0) longjmp(out, 1);
    deep(n - 1);
}
N static void jumps(void)
{
    calls++;
    if (!setjmp(out)) deep(20);
    leaf();
}
N static void sends(int tag)
{
    int n = 0;
    calls++;
    leaf();
    MPI_Send(&n, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    calls++;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 30; i++) {
        fib(i % 10);
        jumps();
        if (i % 10 == 0) sends(i);
    }
    MPI_Finalize();
    printf("%d\n", calls);
    return 0;
}
