/* Our unwinder against libgcc's, in many kinds of frames and, from a timer,
 * at whatever instruction the program happens to be. */
#define _GNU_SOURCE
#include "harness.h"
#include <alloca.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

enum { MAX = 300 };
#define FAR __attribute__((noinline, noclone))

struct trace { uintptr_t pc[MAX]; int n; };

static _Unwind_Reason_Code note(struct _Unwind_Context *c, void *arg)
{
    struct trace *t = arg;
    uintptr_t pc = _Unwind_GetIP(c);
    if (pc && t->n < MAX) t->pc[t->n++] = pc;
    return _URC_NO_REASON;
}

static int probes, deepest;

/* Frames beyond this one must be the same. */
FAR static int same(void)
{
    struct trace theirs = {.n = 0}, ours;
    ours.n = h_walk(ours.pc, MAX);
    _Unwind_Backtrace(note, &theirs);
    if (ours.n > deepest) deepest = ours.n;
    return ours.n == theirs.n && memcmp(ours.pc + 1, theirs.pc + 1, 8 * (size_t)(ours.n - 1)) == 0;
}

FAR static void probe(void)
{
    probes++;
    for (int i = 0; i < 3; i++) CHECK(same());
    if (probes % 50 == 0) h_clear_steps();
}

FAR static int plain(int n) { return n ? plain(n - 1) + n : (probe(), 0); }

FAR static int with_alloca(int n)
{
    volatile char *p = alloca((size_t)n * 13 + 1);
    p[0] = 1;
    if (n) return with_alloca(n - 1) + p[0];
    probe();
    return p[0];
}

FAR static int with_vla(int n, int m)
{
    int v[m + n];
    memset(v, n, sizeof v);
    if (n) return with_vla(n - 1, m) + v[m - 1];
    probe();
    return v[0];
}

/* Realigns its stack: the frame address is found by an expression. */
FAR static double aligned(int n)
{
    double v[8] __attribute__((aligned(64)));
    for (int i = 0; i < 8; i++) v[i] = n * i;
    __asm__ volatile("" : : "r"(v) : "memory");
    if (n) return aligned(n - 1) + v[n % 8];
    probe();
    return v[1];
}

FAR static double aligned_alloca(int n)
{
    double v[8] __attribute__((aligned(64)));
    char *p = alloca((size_t)n * 100 + 10);
    memset(p, n, 10);
    memset(v, n, sizeof v);
    __asm__ volatile("" : : "r"(v), "r"(p) : "memory");
    if (n) return aligned_alloca(n - 1) + v[n % 8] + p[3];
    probe();
    return v[1];
}

FAR static long many(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
    long x = a * b, y = c * d, z = e * f, u = g * h;
    __asm__ volatile("" : "+r"(x), "+r"(y), "+r"(z), "+r"(u));
    if (i) return many(b, c, d, e, f, g, h, a, i - 1) + x + y + z + u;
    probe();
    return x + y + z + u;
}

static int compare(const void *a, const void *b)
{
    if (*(const int *)a == 5) probe();
    return *(const int *)a - *(const int *)b;
}

FAR static void callback(void)
{
    int v[] = {5, 3, 9, 5, 1};
    qsort(v, 5, sizeof *v, compare);
}

FAR static int branches(int n)
{
    char text[64];
    if (n % 3 == 0) snprintf(text, sizeof text, "%d", n), probe();
    else if (n % 3 == 1) return memset(text, n, 64), probe(), text[3];
    else while (n > 5) n -= 3, probe();
    return n;
}

FAR static void everything(int n)
{
    plain(n), with_alloca(n), with_vla(n, 3), aligned(n), aligned_alloca(n), many(1, 2, 3, 4, 5, 6, 7, 8, n), callback(), branches(n);
}

static volatile int handled;
static void on_signal(int s) { (void)s; handled++; everything(2); }

static void *on_thread(void *arg)
{
    h_attach();
    everything(3);
    h_detach();
    return arg;
}

static ucontext_t here, there;
static void coroutine(void) { everything(4); }

/* ---- At any instruction ---- */

static volatile int samples, different, shorter, faults, comparing;
static sigjmp_buf fault;

/* The compiler's tables are wrong for an instruction or two where a function with an aligned
 * frame returns, and libgcc believes them. */
static void on_fault(int s)
{
    if (!comparing) signal(s, SIG_DFL), raise(s);
    siglongjmp(fault, 1);
}

static void on_profile(int s)
{
    (void)s;
    int saved = errno;
    struct trace theirs = {.n = 0}, ours;
    ours.n = h_walk(ours.pc, MAX);
    if (sigsetjmp(fault, 1)) {
        comparing = 0;
        faults++;
        errno = saved;
        return;
    }
    comparing = 1;
    _Unwind_Backtrace(note, &theirs);
    comparing = 0;
    samples++;
    int n = ours.n < theirs.n ? ours.n : theirs.n;
    if (ours.n > theirs.n || memcmp(ours.pc + 1, theirs.pc + 1, 8 * (size_t)(n - 1)) != 0) different++;
    else if (ours.n < theirs.n) shorter++;
    errno = saved;
}

static volatile double sink;

static int ordered(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

FAR static double work(int n)
{
    static int v[500];
    char text[100];
    for (int i = 0; i < 500; i++) v[i] = i * 7919 % 503;
    qsort(v, 500, sizeof *v, ordered);
    snprintf(text, sizeof text, "%g %d %s", sin(n), n, "x");
    double v8[8] __attribute__((aligned(64)));
    for (int i = 0; i < 8; i++) v8[i] = strtod(text, NULL) + i;
    __asm__ volatile("" : : "r"(v8) : "memory");
    return n ? work(n - 1) + v8[n % 8] : pow(v8[2], 1.1);
}

static void profile(void)
{
    struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction a = {.sa_handler = on_profile, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &a, NULL);
    signal(SIGSEGV, on_fault);
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; samples < 3000 && i < 1000000; i++) sink += work(12);
    setitimer(ITIMER_REAL, &never, NULL);
    signal(SIGSEGV, SIG_DFL);
    printf("%d samples, %d different, %d shorter, %d faults of libgcc\n", samples, different, shorter, faults);
    CHECK(samples >= 3000 && faults * 100 <= samples && different == 0 && shorter * 100 <= samples);
}

int main(void)
{
    pthread_t t;
    h_attach();
    for (int n = 0; n < 40; n++) everything(n);
    CHECK(deepest > 40);
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    static char alternate[1 << 16];
    stack_t other = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    CHECK(sigaltstack(&other, NULL) == 0 && sigaction(SIGUSR2, &a, NULL) == 0);
    raise(SIGUSR2);
    CHECK(handled == 2);
    CHECK(pthread_create(&t, NULL, on_thread, NULL) == 0 && pthread_join(t, NULL) == 0);
    getcontext(&there);
    there.uc_stack.ss_size = 1 << 18;
    there.uc_stack.ss_sp = malloc(1 << 18);
    there.uc_link = &here;
    makecontext(&there, coroutine, 0);
    swapcontext(&here, &there);
    free(there.uc_stack.ss_sp);
    profile();
    printf("%d probes, %d frames at most\n", probes, deepest);
    return 0;
}
