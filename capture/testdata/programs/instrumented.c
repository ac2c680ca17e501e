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

/* A call is left by a jump, and no other call shows it yet: what lies where it was is not the runtime's any more. */
static void jumping(void *in, void *out_, int *len, MPI_Datatype *type)
{
    (void)in, (void)out_, (void)len, (void)type;
    calls++;
    longjmp(out, 1);
}
N static int over(void)
{
    volatile unsigned char mine[8192];
    unsigned random = 1, changed = 0;
    calls++;
    for (size_t i = 0; i < sizeof mine; i++) mine[i] = 0xa5;
    for (int i = 0; i < 20000; i++) {
        random = random * 1103515245 + 12345;
        if (random & 1 << 16) leaf();
        else fib(random >> 17 & 3);
    }
    for (size_t i = 0; i < sizeof mine; i++) changed += mine[i] != 0xa5;
    return (int)changed;
}
N static int leaves(void)
{
    MPI_Op op;
    int n = 0;
    calls++;
    MPI_Op_create(jumping, 1, &op);
    if (!setjmp(out)) MPI_Allreduce(&n, &n, 1, MPI_INT, op, MPI_COMM_WORLD);
    return over();
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
    if (leaves()) return 3;
    MPI_Finalize();
    printf("%d\n", calls);
    return 0;
}
