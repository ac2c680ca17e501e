/* Programs that do to themselves what libraries do not expect. odd MODE. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { COROUTINES = 4, TURNS = 20 };
static ucontext_t scheduler, coroutine[COROUTINES];
static sigjmp_buf out;
static int total;

/* What a descriptor leads to; empty if it is closed. */
static const char *target(int fd)
{
    static char text[4096];
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    return text;
}

static void turns(int k)
{
    for (int i = 0; i < TURNS; i++) {
        int sum;
        MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        total += sum;
        swapcontext(&coroutine[k], &scheduler);
    }
}

/* Calls from stacks that are not the thread's own. */
static void coroutines(void)
{
    for (int k = 0; k < COROUTINES; k++) {
        getcontext(&coroutine[k]);
        coroutine[k].uc_stack.ss_sp = malloc(coroutine[k].uc_stack.ss_size = 1 << 18);
        coroutine[k].uc_link = &scheduler;
        makecontext(&coroutine[k], (void (*)(void))turns, 1, k);
    }
    for (int i = 0; i < TURNS; i++)
        for (int k = 0; k < COROUTINES; k++) swapcontext(&scheduler, &coroutine[k]);
}

static void on_fault(int sig)
{
    (void)sig;
    siglongjmp(out, 1);
}

/* Leaves MPI calls by a handler for the fault inside. */
static void faults(void)
{
    signal(SIGSEGV, on_fault);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(out, 1)) total++;
        else MPI_Comm_rank(MPI_COMM_WORLD, (int *)8);
    signal(SIGSEGV, SIG_DFL);
}

/* As daemons do when they start: all that leads to files is closed. */
static void close_files(void)
{
    for (int fd = 3; fd < 1024; fd++)
        if (target(fd)[0] == '/') close(fd);
}

/* A file of the program under every number that is free or leads to a file: who kept a number
 * that has been closed would write into it. */
static void take_numbers(void)
{
    char name[64];
    snprintf(name, sizeof name, "odd.%d.mine", rank);
    int mine = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    CHECK(mine >= 0 && write(mine, "mine", 4) == 4);
    for (int fd = 3; fd < 100; fd++)
        if (target(fd)[0] == 0) dup2(mine, fd);
}

static void check_numbers(void)
{
    char name[64];
    struct stat st;
    snprintf(name, sizeof name, "odd.%d.mine", rank);
    CHECK(stat(name, &st) == 0 && st.st_size == 4);
}

static void limit(int resource, rlim_t most)
{
    struct rlimit r;
    getrlimit(resource, &r);
    r.rlim_cur = most;
    CHECK(setrlimit(resource, &r) == 0);
}

static void before(const char *mode)
{
    if (strcmp(mode, "closes") == 0) close_files();
    if (strcmp(mode, "umask") == 0) umask(0777);
}

static void after(const char *mode)
{
    sigset_t all;
    if (strcmp(mode, "coroutines") == 0) coroutines();
    if (strcmp(mode, "faults") == 0) faults();
    if (strcmp(mode, "numbers") == 0) take_numbers();
    if (strcmp(mode, "clearenv") == 0) clearenv();
    if (strcmp(mode, "filesize") == 0) limit(RLIMIT_FSIZE, 4096);
    if (strcmp(mode, "descriptors") == 0) limit(RLIMIT_NOFILE, 3);
    if (strcmp(mode, "blocked") == 0) {
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    before(mode);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    after(mode);
    for (int i = 0; i < 3000; i++) {
        int x = rank, sum;
        MPI_Sendrecv_replace(&x, 1, MPI_INT, (rank + 1) % size, i, (rank + size - 1) % size, i, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        total += sum;
    }
    if (strcmp(mode, "numbers") == 0) check_numbers();
    finish("odd", total);
    return 0;
}
