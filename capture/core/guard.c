/* The program survives whatever happens to the files that the runtime has mapped. Who makes such a file shorter (a
 * script that cleans up, a server that lost it), and a disk that cannot be read, turn the next access into SIGBUS. The
 * handler puts memory of the process into the place of the file, so that the access succeeds; what is written there is
 * lost, which the collector sees and says.
 *
 * The program has the signal for itself: what it installs is kept here and called for every other SIGBUS, and it is
 * told of its own action when it asks. A thread that blocks SIGBUS is ended by the kernel all the same, and so is a
 * program that has the kernel ignore the signal, or that talks to the kernel without the C library. */
#define _GNU_SOURCE
#include "core/guard.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core/core.h"

enum { RANGES = 4096 };
static struct { uintptr_t low, high; } ranges[RANGES]; /* low is 0 while free; read in the handler */
static struct tb_control control_copy; /* what the control page said at first */
static const void *control_at;

static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);
static int installed;
static struct sigaction theirs; /* the program's, while ours is installed */

/* ---- Ranges ---- */

int tb_guard_add(const void *p, size_t bytes)
{
    uintptr_t low = (uintptr_t)p, none = 0;
    for (int i = 0; i < RANGES; i++) {
        if (__atomic_load_n(&ranges[i].low, __ATOMIC_RELAXED)) continue;
        if (!__atomic_compare_exchange_n(&ranges[i].low, &none, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            none = 0;
            continue;
        }
        ranges[i].high = low + bytes;
        __atomic_store_n(&ranges[i].low, low, __ATOMIC_RELEASE);
        return 1;
    }
    return 0;
}

void tb_guard_remove(const void *p)
{
    for (int i = 0; i < RANGES; i++)
        if (__atomic_load_n(&ranges[i].low, __ATOMIC_RELAXED) == (uintptr_t)p) {
            __atomic_store_n(&ranges[i].low, 0, __ATOMIC_RELEASE);
            return;
        }
}

void tb_guard_control(const struct tb_control *control)
{
    memcpy(&control_copy, control, sizeof control_copy);
    control_copy.collector_state = TB_COLLECTOR_DONE; /* nobody is there any more */
    control_at = control;
}

/* In place of the file's: the whole range, so that it does not lie half in the file. */
static int replace(uintptr_t at)
{
    for (int i = 0; i < RANGES; i++) {
        uintptr_t low = __atomic_load_n(&ranges[i].low, __ATOMIC_ACQUIRE);
        if (low <= 1 || at < low || at >= ranges[i].high) continue;
        if (syscall(SYS_mmap, low, ranges[i].high - low, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L) == -1) return 0;
        if ((const void *)low == control_at) memcpy((void *)low, &control_copy, sizeof control_copy);
        return 1;
    }
    return 0;
}

/* ---- The signal ---- */

/* What would have happened without us. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
    struct sigaction a = theirs;
    if (a.sa_flags & SA_RESETHAND) {
        theirs.sa_handler = SIG_DFL;
        theirs.sa_flags &= ~(SA_SIGINFO | SA_RESETHAND);
    }
    if (a.sa_flags & SA_SIGINFO) {
        a.sa_sigaction(sig, info, context);
    } else if (a.sa_handler != SIG_DFL) {
        a.sa_handler(sig);
    } else {
        /* The access that faulted is made again, and the kernel ends the process; what was sent is sent again. */
        sigset_t bus;
        next_sigaction(SIGBUS, &a, NULL);
        if (info->si_code > 0) return;
        sigemptyset(&bus);
        sigaddset(&bus, SIGBUS);
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGBUS);
        pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
    }
}

static void on_bus(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    int ours = info->si_code > 0 && replace((uintptr_t)info->si_addr);
    errno = saved;
    if (!ours) pass_on(sig, info, context);
}

/* Ours, with the flags and the mask that the program wants. What a handler that is told nothing more sees of the
 * arguments is the same. */
static int install(const struct sigaction *wanted)
{
    struct sigaction a = *wanted;
    a.sa_sigaction = on_bus;
    a.sa_flags = (wanted->sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
    return next_sigaction(SIGBUS, &a, NULL);
}

__attribute__((constructor)) TB_UNSANITIZED static int find_next(void)
{
    if (!next_sigaction) {
        void *f = dlsym(RTLD_NEXT, "sigaction");
        memcpy(&next_sigaction, &f, sizeof f);
    }
    return next_sigaction != NULL;
}

void tb_guard_start(void)
{
    struct sigaction now;
    if (installed || !find_next() || next_sigaction(SIGBUS, NULL, &now) != 0) return;
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN) return; /* stays so across exec */
    theirs = now;
    if (install(&now) == 0) __atomic_store_n(&installed, 1, __ATOMIC_RELEASE);
}

__attribute__((visibility("default"))) TB_UNSANITIZED
int sigaction(int sig, const struct sigaction *set, struct sigaction *old)
{
    if (!find_next()) return errno = ENOSYS, -1;
    if (tb_likely(sig != SIGBUS) || !__atomic_load_n(&installed, __ATOMIC_ACQUIRE))
        return next_sigaction(sig, set, old);
    struct sigaction before = theirs;
    int r = 0;
    if (tb_process.pid != (int)getpid()) { /* a child, which may share our memory: its actions are its own */
        struct sigaction was;
        r = next_sigaction(sig, set, &was);
        if (r == 0 && old) *old = was.sa_flags & SA_SIGINFO && was.sa_sigaction == on_bus ? before : was;
        return r;
    }
    if (set && !(set->sa_flags & SA_SIGINFO) && set->sa_handler == SIG_IGN) {
        /* Also across exec: that is the kernel's. */
        if ((r = next_sigaction(sig, set, NULL)) == 0) __atomic_store_n(&installed, 0, __ATOMIC_RELEASE);
    } else if (set) {
        theirs = *set;
        if ((r = install(set)) != 0) theirs = before;
    }
    if (r == 0 && old) *old = before;
    return r;
}

__attribute__((visibility("default"))) __sighandler_t signal(int sig, __sighandler_t handler)
{
    static __sighandler_t (*next)(int, __sighandler_t);
    if (sig != SIGBUS || !__atomic_load_n(&installed, __ATOMIC_ACQUIRE)) {
        if (!next) {
            void *f = dlsym(RTLD_NEXT, "signal");
            memcpy(&next, &f, sizeof f);
        }
        return next ? next(sig, handler) : SIG_ERR;
    }
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigemptyset(&a.sa_mask);
    sigaddset(&a.sa_mask, sig);
    return sigaction(sig, &a, &old) == 0 ? old.sa_handler : SIG_ERR;
}
