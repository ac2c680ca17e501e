/* A signal that comes so many microseconds after the first functions are called. It prints how often leaf was called. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile long hits;
static long calls;

void leaf(void) { calls++; }
void inner(void) { hits++; }
void handler(int s) { (void)s, inner(), inner(); }

int main(int argc, char **argv)
{
    struct itimerval once = {{0, 0}, {0, argc > 1 ? atoi(argv[1]) : 20}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &once, NULL);
    do leaf(); while (!hits);
    printf("%ld\n", calls);
    return 0;
}
