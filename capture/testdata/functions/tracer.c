/* The oracle: runs a program one instruction at a time and writes which functions it enters, with the stack pointer,
 * for each thread and each process, in the form of rawlog.c. tracer DIR ENTRIES PROGRAM [ARGS...]; ENTRIES has a line
 * that says whether the program is position-independent, and from where to where its own code lies, and one for each
 * function: address of its entry, of its beginning and of its end, as in the file. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct function { uint64_t entry, low, high; };
static struct function *functions;
static int count;
static uint64_t base;
static const char *dir;

static uint64_t image_low, image_high; /* of the program's code */

struct thread { int tid; FILE *log; uint64_t before, sp_before; };
static struct thread threads[1024];
static int threads_n;

/* Places where the program stops: entries of functions, and where calls of libraries return to. */
static struct stop { uint64_t at; long text; } stops[1 << 16];
static int stops_n;

static struct stop *stop_at(uint64_t pc)
{
    for (int i = 0; i < stops_n; i++)
        if (stops[i].at == pc) return &stops[i];
    return NULL;
}

static void arm(int tid, struct stop *s)
{
    long text = ptrace(PTRACE_PEEKTEXT, tid, (void *)s->at, NULL);
    ptrace(PTRACE_POKETEXT, tid, (void *)s->at, (void *)((text & ~0xffL) | 0xcc));
}

static void disarm(int tid, struct stop *s)
{
    long text = ptrace(PTRACE_PEEKTEXT, tid, (void *)s->at, NULL);
    ptrace(PTRACE_POKETEXT, tid, (void *)s->at, (void *)((text & ~0xffL) | (s->text & 0xff)));
}

static struct stop *add_stop(int tid, uint64_t at)
{
    struct stop *s = stop_at(at);
    if (!s) {
        s = &stops[stops_n++];
        *s = (struct stop){at, ptrace(PTRACE_PEEKTEXT, tid, (void *)at, NULL)};
        if (s->text == -1 && errno) return NULL;
    }
    arm(tid, s);
    return s;
}

static int function_at(uint64_t pc)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (functions[middle].entry < pc) low = middle + 1;
        else high = middle;
    }
    return low < count && functions[low].entry == pc ? low : -1;
}

static struct thread *thread_of(int tid)
{
    for (int i = 0; i < threads_n; i++)
        if (threads[i].tid == tid) return &threads[i];
    struct thread *t = &threads[threads_n++];
    char name[4096];
    snprintf(name, sizeof name, "%s/log.%d", dir, tid);
    *t = (struct thread){.tid = tid, .log = fopen(name, "w")};
    return t;
}

static void find_base(int pid, const char *program, int pie)
{
    char line[8192], path[64], full[4096];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *f = fopen(path, "r");
    uint64_t first = 0;
    if (!realpath(program, full)) exit(99);
    while (f && fgets(line, sizeof line, f)) {
        uint64_t low, high;
        if (!strstr(line, full) || sscanf(line, "%" SCNx64 "-%" SCNx64, &low, &high) != 2) continue;
        if (!first) first = low;
    }
    base = pie ? first : 0;
    image_low += base;
    image_high += base;
    if (f) fclose(f);
    for (int i = 0; i < count; i++) add_stop(pid, base + functions[i].entry);
}

static void note(struct thread *t, uint64_t sp, uint64_t what)
{
    uint64_t record[2] = {sp, what};
    fwrite(record, sizeof record, 1, t->log);
}

static int is_ours(uint64_t pc) { return pc >= image_low && pc < image_high; }

/* The thread stands at an instruction that it has not executed. */
static void look(struct thread *t, const struct user_regs_struct *r)
{
    uint64_t pc = r->rip - base;
    int f = function_at(pc);
    /* A jump from a function to its own entry is a loop. */
    if (f >= 0 && !(t->before >= functions[f].entry && t->before < functions[f].high && t->sp_before == r->rsp))
        note(t, r->rsp, (uint64_t)f + 1);
    t->before = pc;
    t->sp_before = r->rsp;
}

/* Goes on from a stop with a signal, instruction by instruction in the program and at once through libraries. */
static void go_on(struct thread *t, int signal)
{
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, t->tid, NULL, &r) != 0) return;
    struct stop *s = stop_at(r.rip);
    if (!is_ours(r.rip)) {
        uint64_t back = (uint64_t)ptrace(PTRACE_PEEKDATA, t->tid, (void *)r.rsp, NULL);
        if (is_ours(back)) add_stop(t->tid, back);
        else if (t->before) note(t, r.rsp, 0); /* it went there by a jump, and does not come back */
        t->before = 0;
        ptrace(PTRACE_CONT, t->tid, NULL, signal);
        return;
    }
    if (s) disarm(t->tid, s);
    long text = ptrace(PTRACE_PEEKTEXT, t->tid, (void *)r.rip, NULL);
    if ((text & 0xff) == 0xc3 || (text & 0xffff) == 0xc3f3 || (text & 0xffff) == 0xc3f2) note(t, r.rsp, 0);
    ptrace(PTRACE_SINGLESTEP, t->tid, NULL, signal);
    if (s) {
        siginfo_t info;
        waitid(P_PID, (id_t)t->tid, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL);
        arm(t->tid, s);
    }
}

static void stopped(struct thread *t, int signal, int event)
{
    struct user_regs_struct r;
    if (signal == SIGTRAP && !event && ptrace(PTRACE_GETREGS, t->tid, NULL, &r) == 0) {
        struct stop *s = is_ours(r.rip - 1) ? stop_at(r.rip - 1) : NULL;
        long text = s ? ptrace(PTRACE_PEEKTEXT, t->tid, (void *)(r.rip - 1), NULL) : 0;
        /* Hit by running into it: by a step, the thread stands at it. */
        siginfo_t info;
        if (s && (text & 0xff) == 0xcc && ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) == 0 && info.si_code == SI_KERNEL) {
            r.rip--;
            ptrace(PTRACE_SETREGS, t->tid, NULL, &r);
            note(t, r.rsp - 8, 0); /* whatever was called there has returned */
        }
        if (is_ours(r.rip)) look(t, &r);
    }
    if (event || signal == SIGTRAP || signal == SIGSTOP) signal = 0;
    go_on(t, signal);
}

int main(int argc, char **argv)
{
    char line[256];
    FILE *f = argc > 3 ? fopen(argv[2], "r") : NULL;
    if (!f) return 99;
    functions = calloc(1 << 16, sizeof *functions);
    int pie = 0, first = 1;
    while (fgets(line, sizeof line, f)) {
        if (first) first = sscanf(line, "%d %" SCNx64 " %" SCNx64, &pie, &image_low, &image_high) != 3;
        else if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &functions[count].entry, &functions[count].low, &functions[count].high) == 3) count++;
    }
    fclose(f);
    dir = argv[1];
    int pid = fork(), status, code = 98;
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(argv[3], argv + 3);
        _exit(97);
    }
    waitpid(pid, &status, 0);
    find_base(pid, argv[3], pie);
    ptrace(PTRACE_SETOPTIONS, pid, NULL,
           PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC);
    ptrace(PTRACE_CONT, pid, NULL, 0);
    for (;;) {
        int tid = waitpid(-1, &status, __WALL);
        if (tid < 0) break;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (tid == pid) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        if (!WIFSTOPPED(status)) continue;
        int signal = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_EXEC && tid == pid) { /* another program is none of ours */
            ptrace(PTRACE_DETACH, tid, NULL, 0);
            waitpid(tid, &status, 0);
            code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            break;
        }
        if (event == PTRACE_EVENT_EXEC) {
            ptrace(PTRACE_DETACH, tid, NULL, 0);
            continue;
        }
        stopped(thread_of(tid), signal, event);
    }
    for (int i = 0; i < threads_n; i++) fclose(threads[i].log);
    return code;
}
