/* Two stacks that change places, and calls that are under way on both. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#define N __attribute__((noinline, noclone))
enum { SIZE = 1 << 18 };
static ucontext_t home, away;
static int at;
N int step(int n) { return n * 2 + 1; }
N void inner(int n)
{
    at += step(n);
    swapcontext(&away, &home);
    if (n > 0) inner(n - 1);
    at += step(-n);
}
N void body(void)
{
    inner(4);
    swapcontext(&away, &home);
}
N void visit(int n)
{
    swapcontext(&home, &away);
    at += step(n);
}
int main(void)
{
    char *stack = mmap(NULL, SIZE + 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack, 4096, PROT_NONE);
    mprotect(stack + SIZE + 4096, 4096, PROT_NONE);
    getcontext(&away);
    away.uc_stack.ss_sp = stack + 4096;
    away.uc_stack.ss_size = SIZE;
    away.uc_link = &home;
    makecontext(&away, body, 0);
    for (int i = 0; i < 6; i++) visit(i);
    printf("%d\n", at);
    return 1;
}
