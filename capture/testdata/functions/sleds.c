/* Functions at whose entries nothing can be changed, unless the compiler has left room there. */
#include <stdio.h>
#define N __attribute__((noinline, noclone))
#define DATA __asm__ volatile("jmp 1f\n .byte 0x06, 0x07\n 1:") /* no instructions */

N void nothing(void) { __asm__ volatile(""); }
N int one(void) { return 1; }
N int skips(int n)
{
    DATA;
    return n + one();
}
/* Begins with a loop. */
N int digits(unsigned long n)
{
    int d = 0;
    do {
        nothing();
        d++;
    } while (n /= 10);
    return d;
}
N int turns(int n)
{
    do __asm__ volatile("" : "+r"(n));
    while (--n > 0);
    return n;
}
N int backwards(int n)
{
    DATA;
    return n ? backwards(n - 1) : turns(3);
}
static int (*const table[])(int) = {skips, turns, backwards};
N int choose(int n) { return table[n % 3](n); }

int main(void)
{
    int sum = digits(12345);
    for (int i = 0; i < 100; i++) {
        nothing();
        sum += choose(i) + turns(i) + one();
    }
    printf("%d\n", sum);
    return 0;
}
