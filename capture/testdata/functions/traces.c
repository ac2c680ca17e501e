/* Programs that look at their own stack see the same, and profiling signals come anywhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unwind.h>
#define N __attribute__((noinline, noclone))
static volatile unsigned long sink, samples, odd;
N void show(void)
{
    void *at[64];
    int n = backtrace(at, 64);
    for (int i = 0; i < n; i++) {
        Dl_info info;
        if (!dladdr(at[i], &info) || !info.dli_fname) printf("? ");
        else if (info.dli_sname) printf("%s+%lx ", info.dli_sname, (long)((char *)at[i] - (char *)info.dli_saddr));
    }
    printf("%d\n", n);
}
N void down(int n)
{
    if (n == 0) show();
    else down(n - 1);
    sink++;
}
N unsigned long busy(unsigned long n) { return n < 2 ? n : busy(n - 1) + busy(n - 2) + (sink = 1); }
static _Unwind_Reason_Code count(struct _Unwind_Context *c, void *p)
{
    (void)c;
    return ++*(int *)p > 300 ? _URC_NORMAL_STOP : _URC_NO_REASON;
}
/* From any instruction unwinding comes to an end: main is there. */
N void profile(int s, siginfo_t *info, void *context)
{
    int n = 0;
    (void)s, (void)info, (void)context;
    samples++;
    _Unwind_Backtrace(count, &n);
    if (n < 5 || n > 300) odd++;
}
int main(void)
{
    struct sigaction a = {.sa_sigaction = profile, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    down(5);
    sigaction(SIGPROF, &a, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    while (samples < 300) busy(16);
    setitimer(ITIMER_PROF, &never, NULL);
    printf("%lu odd\n", odd);
    return 0;
}
