/* Libraries that the program loads while it runs: when dlopen has returned, their plans are asked for, and carried out.
 * The collector makes them; what is asked is a line in a FIFO of the state directory:
 *
 *   name of the answer, a tab, paths with tabs between them
 *
 * The answer is a file like that of the program's own plan. Who does not get one goes on without. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/files.h"
#include "core/lock.h"
#include "functions/stubs.h"
#include "sites/modules.h"

enum { PATIENCE_MS = 5000, LINE = PIPE_BUF };

int tb_loads_watched __attribute__((visibility("hidden")));
static pthread_mutex_t loads_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- In front of dlopen ---- */

void *(*tb_loads_next)(const char *, int) __attribute__((visibility("hidden")));
void tb_loads_find(void) __attribute__((visibility("hidden")));
int tb_loads_any_caller(const char *file) __attribute__((visibility("hidden")));
void *tb_loads_open(const char *file, int mode) __attribute__((visibility("hidden")));

/* dlopen looks at its return address: who calls it may have a search path of its own. Where that matters it is jumped
 * to, so that it does not see us. */
#if defined(__x86_64__)
__asm__(
    ".text\n.p2align 4\n"
    ".globl dlopen\n.type dlopen, @function\n"
    "dlopen:\n.cfi_startproc\n"
    "endbr64\n"
    "cmpl $0, tb_loads_watched(%rip)\n"
    "jne 3f\n"
    "1: mov tb_loads_next(%rip), %rax\n"
    "test %rax, %rax\n"
    "jz 2f\n"
    "jmp *%rax\n"
    "2: push %rdi\n.cfi_adjust_cfa_offset 8\n"
    "push %rsi\n.cfi_adjust_cfa_offset 8\n"
    "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
    "call tb_loads_find\n"
    "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
    "pop %rsi\n.cfi_adjust_cfa_offset -8\n"
    "pop %rdi\n.cfi_adjust_cfa_offset -8\n"
    "jmp 1b\n"
    "3: push %rdi\n.cfi_adjust_cfa_offset 8\n"
    "push %rsi\n.cfi_adjust_cfa_offset 8\n"
    "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
    "call tb_loads_any_caller\n"
    "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
    "pop %rsi\n.cfi_adjust_cfa_offset -8\n"
    "pop %rdi\n.cfi_adjust_cfa_offset -8\n"
    "test %eax, %eax\n"
    "jz 1b\n"
    "jmp tb_loads_open\n"
    ".cfi_endproc\n.size dlopen, . - dlopen\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n.p2align 4\n"
    ".globl dlopen\n.type dlopen, %function\n"
    "dlopen:\n.cfi_startproc\n"
    "hint #34\n"
    "adrp x9, tb_loads_watched\n"
    "ldr w9, [x9, :lo12:tb_loads_watched]\n"
    "cbnz w9, 3f\n"
    "1: adrp x16, tb_loads_next\n"
    "ldr x16, [x16, :lo12:tb_loads_next]\n"
    "cbz x16, 2f\n"
    "br x16\n"
    "2: stp x0, x1, [sp, #-32]!\n.cfi_def_cfa_offset 32\n"
    "str x30, [sp, #16]\n.cfi_offset 30, -16\n"
    "bl tb_loads_find\n"
    "ldr x30, [sp, #16]\n"
    "ldp x0, x1, [sp], #32\n.cfi_def_cfa_offset 0\n.cfi_restore 30\n"
    "b 1b\n"
    "3: stp x0, x1, [sp, #-32]!\n.cfi_def_cfa_offset 32\n"
    "str x30, [sp, #16]\n.cfi_offset 30, -16\n"
    "bl tb_loads_any_caller\n"
    "mov w9, w0\n"
    "ldr x30, [sp, #16]\n"
    "ldp x0, x1, [sp], #32\n.cfi_def_cfa_offset 0\n.cfi_restore 30\n"
    "cbz w9, 1b\n"
    "b tb_loads_open\n"
    ".cfi_endproc\n.size dlopen, . - dlopen\n");
#endif

static void *nothing(const char *file, int mode) { return (void)file, (void)mode, NULL; }

void tb_loads_find(void)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    __atomic_store_n(&tb_loads_next, next ? next : nothing, __ATOMIC_RELEASE);
}

static int has_search_path(const struct tb_module *m)
{
    for (const ElfW(Dyn) *d = m->dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_RPATH || d->d_tag == DT_RUNPATH) return 1;
    return 0;
}

int tb_loads_any_caller(const char *file)
{
    unsigned from = 0;
    if (!file || strchr(file, '$')) return 0;
    if (strchr(file, '/')) return 1;
    for (const struct tb_module *m; (m = tb_module_named("", &from));)
        if (has_search_path(m)) return 0;
    return 1;
}

/* ---- Plans ---- */

static int ask(const char *line, size_t n)
{
    int fd = -1;
    for (int tries = 0; tries < 500 && fd < 0; tries++) { /* the collector may be about to begin */
        if (tries) nanosleep(&(struct timespec){0, 2000000}, NULL);
        fd = tb_fifo_open(tb_process.dir, TB_WANTS);
        if (fd < 0 && (errno != ENXIO || !tb_collector_alive())) break;
    }
    int asked = fd >= 0 && write(fd, line, n) == (ssize_t)n;
    if (fd >= 0) close(fd);
    return asked;
}

static void wait_for(const char *name, int fresh)
{
    struct timespec pause = {0, 100000};
    uint64_t until = tb_monotonic() + PATIENCE_MS * 1000000ull;
    while (tb_collector_alive() && tb_monotonic() < until) {
        if (tb_plan_carry_out(name, fresh)) {
            tb_file_remove(tb_process.dir, name);
            return;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 2000000) pause.tv_nsec += pause.tv_nsec / 2;
    }
}

/* What is loaded, but was not seen when it was. */
enum { UNKNOWN = 0, PLANNED = 1, OLD = 2 };
static void note_old(void)
{
    unsigned from = 0;
    tb_modules_refresh();
    for (struct tb_module *m; (m = tb_module_named("", &from));)
        if (m->planned == UNKNOWN) m->planned = OLD;
}

/* Asks for the plans of what has been loaded since. Nobody else is in a library that has just been loaded, but for
 * threads that it has started itself: it is left alone then. */
static void look(int started)
{
    static unsigned asked;
    char line[LINE], name[64];
    unsigned from = 0;
    int fresh = 1;
    snprintf(name, sizeof name, "plan.%d-%llu.%u", tb_process.pid, (unsigned long long)tb_process.pid_start, asked++);
    size_t start = strlen(strcpy(line, name)), n = start;
    for (struct tb_module *m; (m = tb_module_named("", &from));) {
        size_t more = strlen(m->path);
        if (m->planned == PLANNED || *m->path != '/' || strpbrk(m->path, "\t\n")) continue;
        if (n + more + 2 > sizeof line) break; /* the next call of dlopen asks for it */
        if (m->planned == UNKNOWN && started) {
            m->planned = PLANNED;
            continue;
        }
        fresh = fresh && m->planned == UNKNOWN;
        m->planned = PLANNED;
        line[n++] = '\t';
        n += strlen(strcpy(line + n, m->path));
    }
    line[n] = '\n';
    if (n > start && ask(line, n + 1)) wait_for(name, fresh);
}

void *tb_loads_open(const char *file, int mode)
{
    int follow = tb_process.state == TB_ACTIVE && tb_process.pid == (int)getpid(), saved = errno;
    unsigned long threads = tb_plan_threads();
    if (follow) note_old();
    errno = saved;
    void *handle = tb_loads_next(file, mode);
    saved = errno;
    if (!handle || !follow) return handle;
    struct tb_thread *t = tb_self;
    struct tb_cancel cancel = tb_cancel_off();
    if (t->priv) t->priv->muted++;
    pthread_mutex_lock(&loads_lock);
    if (tb_modules_refresh()) look(tb_plan_threads() > threads);
    pthread_mutex_unlock(&loads_lock);
    if (t->priv) t->priv->muted--;
    tb_cancel_on(cancel);
    errno = saved;
    return handle;
}

static void child(void) { tb_loads_watched = 0; }

void tb_loads_start(void)
{
    unsigned from = 0;
    tb_loads_find();
    tb_modules_refresh();
    /* These were asked for when the program was started. */
    for (struct tb_module *m; (m = tb_module_named("", &from));) m->planned = 1;
    pthread_atfork(NULL, NULL, child);
    tb_loads_watched = 1;
}
