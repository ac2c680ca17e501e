/* What C programs do with calls: recursion, calls by pointers, tail calls, all kinds of arguments, jumps out, signals. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define N __attribute__((noinline, noclone))

struct big { double a[6]; long n; };
struct pair { double x; long y; };

N long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
N int even(unsigned n);
N int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
N int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
N long down(long n, long sum) { return n == 0 ? sum : down(n - 1, sum + n); }
N double mixed(int a, double b, float c, long double d, char e, double f, double g, double h, double i, double j, double k,
               double l, int m, int n, int o, int p)
{
    return a + b + c + (double)d + e + f + g + h + i + j + k + l + m + n + o + p;
}
N double sum(int n, ...)
{
    va_list v;
    double s = 0;
    va_start(v, n);
    while (n--) s += va_arg(v, double);
    va_end(v);
    return s;
}
N struct big make(int n)
{
    struct big b = {{n, n + 1, n + 2, n + 3, n + 4, n + 5}, n};
    return b;
}
N struct pair both(double x, long y) { return (struct pair){x * 2, y * 3}; }
N long double longer(long double a) { return a / 3; }
N _Complex double turn(_Complex double z) { return z * z; }
N int nothing(void) { return 0; }
N void less(void) { __asm__ volatile(""); }
N size_t length(const char *s)
{
    const char *p = s;
    while (*p) p++;
    return (size_t)(p - s);
}
N int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
N int choose(int n)
{
    switch (n) {
    case 0: return nothing();
    case 1: return even(5);
    case 2: return odd(7);
    case 3: return (int)fib(5);
    case 4: return (int)down(4, 0);
    case 5: return compare(&n, &n);
    case 6: less(); return 6;
    default: return n;
    }
}
static jmp_buf back;
N void jump_out(int n)
{
    if (n == 0) longjmp(back, 7);
    jump_out(n - 1);
    less();
}
N int jumps(int n)
{
    int r = setjmp(back);
    if (r) return r + n;
    jump_out(n);
    return -1;
}
static volatile int handled;
N void in_handler(int n) { handled += n; }
N void handler(int s)
{
    in_handler(s);
    less();
}
static sigjmp_buf from_handler;
N void escape(int s)
{
    in_handler(s);
    siglongjmp(from_handler, s);
}
N int signals(void)
{
    static char other[1 << 16];
    struct sigaction a = {.sa_handler = handler};
    stack_t st = {.ss_sp = other, .ss_size = sizeof other};
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    sigaltstack(&st, NULL);
    a.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &a, NULL);
    raise(SIGUSR2);
    less();
    a.sa_handler = escape;
    sigaction(SIGUSR2, &a, NULL);
    if (sigsetjmp(from_handler, 1) == 0) raise(SIGUSR2);
    less();
    return handled;
}
N int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1) + (n & 1 ? nothing() : 0); }
N int (*pick(int n))(unsigned) { return n & 1 ? odd : even; }
/* A caller that compilers may let keep values in registers which the functions it calls leave alone. */
static N long small(long a) { return a ^ 3; }
static N long keeps(long a, long b, long c, long d, long e, long f)
{
    long s = 0;
    for (long i = 0; i < 5; i++) s += small(i) * a + b + c * d + e + f + i;
    return s;
}
static N void *room(int n)
{
    char *p = __builtin_alloca((size_t)n * 16);
    memset(p, n, (size_t)n * 16);
    less();
    return (void *)(long)p[n];
}

int main(int argc, char **argv)
{
    int v[] = {5, 3, 9, 1, 7, 2};
    (void)argv;
    printf("%ld %d %d %ld\n", fib(8), even(9), odd(9), down(20, 0));
    printf("%g\n", mixed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
    printf("%g %g %ld\n", sum(3, 1.5, 2.5, 3.5), make(3).a[5], make(4).n);
    printf("%g %ld %Lg %g\n", both(2, 3).x, both(2, 3).y, longer(2), __real__ turn(1.0 + 2.0i));
    qsort(v, 6, sizeof *v, compare);
    for (int i = 0; i < 9; i++) printf("%d ", choose(i));
    printf("%d %zu %d\n", v[0], length("abcdef"), pick(argc)(4));
    for (int i = 0; i < 4; i++) printf("%d ", jumps(i));
    printf("%d %d %ld %ld\n", signals(), deep(50), keeps(1, 2, 3, 4, 5, 6), (long)room(40));
    return 5;
}
