//go:build ignore

/* What the replay says, and the watchdog that makes it end. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "executor.h"

enum { MAX_TEXT = 4096 };

uint64_t rp_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void rp_pause(unsigned turn)
{
    if (turn < 64) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    } else if (turn < 4096) sched_yield();
    else usleep(50);
}

/* ---- Lines ---- */

/* One line by one write, so that those of several ranks do not mix. */
static void line(const char *format, va_list args)
{
    char text[MAX_TEXT];
    int n = snprintf(text, sizeof text, "tabard replay: ");
    int m = vsnprintf(text + n, sizeof text - (size_t)n - 1, format, args);
    n += m < 0 ? 0 : m;
    if (n > (int)sizeof text - 2) n = (int)sizeof text - 2;
    text[n++] = '\n';
    for (int at = 0; at < n;) {
        ssize_t w = write(2, text + at, (size_t)(n - at));
        if (w <= 0) return;
        at += (int)w;
    }
}

void rp_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    line(format, args);
    va_end(args);
}

/* "rank 3", or "rank 3, thread 1"; to holds 64 bytes. */
static const char *who(char *to, const struct rp_thread *t)
{
    if (rp_process.rank < 0) snprintf(to, 64, "process %d", (int)getpid());
    else if (t && rp_process.threads > 1) snprintf(to, 64, "rank %d, thread %d", rp_process.rank, t->number);
    else snprintf(to, 64, "rank %d", rp_process.rank);
    return to;
}

void rp_fail(struct rp_thread *t, int code, const char *format, ...)
{
    char name[64], text[MAX_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rp_say("%s: %s", who(name, t), text);
    _exit(code);
}

static void call_text(char *to, size_t room, const struct rp_thread *t)
{
    const struct rp_call *c = t->current;
    snprintf(to, room, "call %llu of %llu: %s", (unsigned long long)t->calls,
        (unsigned long long)t->header[RP_HEADER_CALLS], c ? c->text : "");
}

void rp_error(struct rp_thread *t, struct rp_call *c, int code)
{
    char name[64], call[MAX_TEXT / 2], text[1024] = "";
    int n = 0;
    typedef int error_string(int, char *, int *);
    error_string *get = (error_string *)rp_library_function("PMPI_Error_string");
    if (!get || get(code, text, &n) != 0) snprintf(text, sizeof text, "error %d", code);
    text[strcspn(text, "\n")] = 0;
    call_text(call, sizeof call, t);
    rp_say("%s: %s returned an error, which it did not in the recording: %s; %s", who(name, t), c->name, text, call);
    _exit(RP_STUCK);
}

/* ---- Where threads stand ---- */

static const char *doing(int state)
{
    switch (state) {
    case RP_IN_CALL: return "in";
    case RP_NEEDS_WORDS: return "waiting for its program at";
    case RP_NEEDS_OBJECT: return "waiting for another thread to create an object of";
    case RP_NEEDS_INIT: return "waiting for MPI to be initialised before";
    case RP_NEEDS_TURN: return "waiting for the first call of the thread before, before";
    case RP_NEEDS_ORDER: return "waiting for what other threads did before";
    case RP_NEEDS_THREADS: return "waiting for other threads to end before";
    default: return "computing after";
    }
}

static volatile sig_atomic_t told; /* where the threads stand */

static void where(const struct rp_thread *t, uint64_t ns)
{
    char name[64], since[64] = "";
    const struct rp_call *c = t->current;
    if (ns) snprintf(since, sizeof since, " for %llu s", (unsigned long long)((ns + 500000000) / 1000000000));
    rp_say("%s %s %s call %llu of %llu%s: %s", who(name, t), ns ? "has been" : "is", doing(t->state),
        (unsigned long long)t->calls,
           (unsigned long long)t->header[RP_HEADER_CALLS], since, c ? c->text : "");
}

/* The launcher ends the other ranks when one has given up: they, too, say where they are. */
static void ended(int number)
{
    for (int i = 0; i < rp_process.threads && !told; i++)
        if (rp_process.thread[i]->state != RP_ENDED) where(rp_process.thread[i], 0);
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- The watchdog ---- */

struct seen { uint64_t calls, since; int state; };

/* A thread that waits for others of its process is stuck if they are. */
static int stuck(const struct rp_thread *t, struct seen *s, uint64_t now)
{
    int state = t->state;
    uint64_t calls = t->calls;
    if (state != RP_IN_CALL && state != RP_NEEDS_WORDS)
        for (int i = 0; i < rp_process.threads; i++) calls += rp_process.thread[i]->calls;
    if (state == RP_IDLE || state == RP_ENDED || calls != s->calls || state != s->state)
        *s = (struct seen){calls, now, state};
    return now - s->since > rp_process.patience;
}

static void *watch(void *unused)
{
    uint64_t patience = rp_process.patience, step = patience / 16,
        grace = patience / 2 < 2000000000 ? patience / 2 : 2000000000;
    struct seen *seen = calloc((size_t)rp_process.threads, sizeof *seen);
    (void)unused;
    step = step < 1000000 ? 1000000 : step > 500000000 ? 500000000 : step;
    for (int i = 0; seen && i < rp_process.threads; i++) seen[i].since = rp_now();
    for (;;) {
        struct timespec wait = {(time_t)(step / 1000000000), (long)(step % 1000000000)};
        nanosleep(&wait, NULL);
        uint64_t now = rp_now();
        int any = 0;
        for (int i = 0; seen && i < rp_process.threads; i++) any |= stuck(rp_process.thread[i], &seen[i], now);
        if (!any) continue;
        told = 1;
        for (int i = 0; i < rp_process.threads; i++)
            if (rp_process.thread[i]->state != RP_ENDED) where(rp_process.thread[i], now - seen[i].since);
        wait = (struct timespec){(time_t)(grace / 1000000000), (long)(grace % 1000000000)};
        nanosleep(&wait, NULL); /* other ranks are likely to be stuck, too: they get to say so */
        _exit(RP_STUCK);
    }
    return NULL;
}

void rp_watch(void)
{
    pthread_t thread;
    struct sigaction act = {.sa_handler = ended, .sa_flags = SA_RESTART};
    sigaction(SIGTERM, &act, NULL);
    if (rp_process.patience == 0) return;
    sigset_t all, old; /* signals are for the threads that call MPI */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&thread, NULL, watch, NULL) != 0) rp_say("rank %d: no thread can be started that sees to "
        "hanging calls", rp_process.rank);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}
