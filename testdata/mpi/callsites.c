/* Call sites: the same function from several places, through recursion, and
 * from a function pointer. */
#include "check.h"
#define NOINLINE __attribute__((noinline))

NOINLINE static void leaf(int tag) { MPI_Send(&tag, 1, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_SELF); __asm__ volatile(""); }
NOINLINE static void even(int n);
NOINLINE static void odd(int n) { if (n) even(n - 1); else leaf(1); __asm__ volatile(""); }
NOINLINE static void even(int n) { if (n) odd(n - 1); else leaf(2); __asm__ volatile(""); }
NOINLINE static int fib(int n)
{
    if (n < 2) {
        MPI_Barrier(MPI_COMM_SELF);
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}
NOINLINE static void twice(void (*f)(int), int x)
{
    f(x);
    f(x);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0; i < 5; i++) {
        even(10 + i);
        twice(leaf, 3);
        MPI_Barrier(MPI_COMM_SELF); MPI_Barrier(MPI_COMM_SELF); /* two calls on one line */
    }
    return finish("callsites", fib(10));
}
