/* What the tests of the runtime trace: scenarios NAME [N]. Compiled against the fake MPI. */
#define _GNU_SOURCE
#include <mpi.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int buffer[16];
static jmp_buf escape;
static int n = 10;

static void send(int tag) { MPI_Send(buffer, 1, MPI_INT, 1, tag, MPI_COMM_WORLD); }

static void shapes(void)
{
    MPI_Status status, statuses[3];
    MPI_Request r[3];
    MPI_Comm dup;
    MPI_Datatype type, types[2] = {MPI_INT, MPI_BYTE};
    MPI_Info info;
    int rank, counts[4] = {1, 2, 3, 4}, displs[4] = {0, 1, 3, 6}, lengths[2] = {5, 6};
    MPI_Aint offsets[2] = {0, 40000};
    char *arguments[] = {"-a", "long argument", NULL};

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(buffer, 3, MPI_INT, 1, 5, MPI_COMM_WORLD);
    MPI_Recv(buffer, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(buffer, 3, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(buffer, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(buffer, 8, MPI_INT, 1, 8, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, statuses);
    for (int i = 0; i < 3; i++) MPI_Irecv(buffer, i, MPI_INT, i, 20 + i, MPI_COMM_WORLD, &r[i]);
    MPI_Waitall(3, r, statuses);
    MPI_Type_create_struct(2, lengths, offsets, types, &type);
    MPI_Type_commit(&type);
    MPI_Alltoallv(buffer, counts, displs, MPI_INT, buffer, counts, displs, type, MPI_COMM_WORLD);
    MPI_Gatherv(buffer, 1, MPI_INT, NULL, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(buffer, 1, MPI_INT, NULL, NULL, NULL, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, buffer, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "a longer value");
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_free(&dup);
    MPI_Comm_spawn("./worker", arguments, 2, info, 0, MPI_COMM_WORLD, &dup, MPI_ERRCODES_IGNORE);
    errno = 42;
    int failed = MPI_Send(buffer, 1, MPI_INT, 100, 5, MPI_COMM_WORLD);
    if (failed != MPI_ERR_RANK || errno != 42) exit(50);
    if (MPI_Wtime() != 1.5) exit(51);
}

static void large(void)
{
    int *lengths = calloc((size_t)n, sizeof *lengths);
    MPI_Aint *displs = calloc((size_t)n, sizeof *displs);
    MPI_Datatype *types = calloc((size_t)n, sizeof *types), type;
    for (int i = 0; i < n; i++) lengths[i] = i, displs[i] = i % 1000, types[i] = MPI_INT;
    send(1);
    MPI_Type_create_struct(n, lengths, displs, types, &type);
    send(2);
    MPI_Type_create_struct(n, lengths, displs, types, &type);
    send(3);
}

static void many(void)
{
    for (int i = 0; i < n; i++) send(i);
}

/* Rounds of the same calls, with calls inside calls among them. */
static void reduce(int what);
static void rounds(void)
{
    for (int round = 0; round < 4; round++) {
        many();
        reduce(0);
        MPI_Recv(buffer, 3, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* An n-byte string shifts all records that follow. */
static void boundaries(void)
{
    char text[64] = {0};
    MPI_Info info;
    memset(text, 'x', (size_t)n);
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", text);
    for (int i = 0; i < 3000; i++) {
        MPI_Request r[2];
        send(i);
        MPI_Irecv(buffer, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(buffer, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
}

static void paced(void)
{
    for (int i = 0; i < n * 100; i++) {
        send(i);
        if (i % 100 == 99) usleep(1000);
    }
}

/* ---- Calls inside calls ---- */

enum { CALL, JUMP, JUMP_INSIDE, EXIT, FORK, CLONE };
static int behaviour;

static void child_of_fork(void)
{
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* must work, must not be recorded */
    MPI_Send(buffer, 1, MPI_INT, 1, 4242, MPI_COMM_WORLD);
    if (rank != 0) _exit(60);
}

static void forked(int raw)
{
    pid_t p = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    int status;
    if (p != 0) {
        if (waitpid(p, &status, 0) != p || status != 0) exit(61);
        return;
    }
    child_of_fork();
    if (behaviour == CALL) exit(0); /* destructors and all */
}

static void operation(void *in, void *out, int *len, MPI_Datatype *type)
{
    int size;
    (void)in, (void)out, (void)len;
    MPI_Type_size(*type, &size);
    switch (behaviour) {
    case JUMP: longjmp(escape, 1);
    case JUMP_INSIDE: {
        jmp_buf here;
        jmp_buf saved;
        memcpy(saved, escape, sizeof saved);
        if (!setjmp(here)) {
            MPI_Op inner;
            memcpy(escape, here, sizeof here);
            behaviour = JUMP;
            MPI_Op_create(operation, 1, &inner);
            MPI_Allreduce(buffer, buffer, 1, MPI_INT, inner, MPI_COMM_WORLD);
        }
        memcpy(escape, saved, sizeof saved);
        behaviour = CALL;
        break;
    }
    case EXIT: exit(3);
    case FORK:
    case CLONE: {
        pid_t p = behaviour == FORK ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        int status;
        if (p == 0) {
            behaviour = CALL;
            child_of_fork();
            return; /* through the wrapper, in the child */
        }
        if (waitpid(p, &status, 0) != p || status != 0) exit(62);
    }
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &size);
}

static void reduce(int what)
{
    MPI_Op op;
    pid_t before = getpid();
    behaviour = what;
    MPI_Op_create(operation, 1, &op);
    if (!setjmp(escape)) MPI_Allreduce(buffer, buffer, 1, MPI_INT, op, MPI_COMM_WORLD);
    if (getpid() != before) {
        send(4243);
        exit(0);
    }
    send(1);
    MPI_Op_free(&op);
}

/* n operations inside each other. */
static MPI_Op deep_op;
static void deeper(void *in, void *out, int *len, MPI_Datatype *type)
{
    (void)in, (void)out, (void)len, (void)type;
    if (--n > 0) MPI_Allreduce(buffer, buffer, 1, MPI_INT, deep_op, MPI_COMM_WORLD);
}

static void deep(void)
{
    MPI_Op_create(deeper, 1, &deep_op);
    MPI_Allreduce(buffer, buffer, 1, MPI_INT, deep_op, MPI_COMM_WORLD);
    send(1);
}

static void nested(void)
{
    send(-7); /* the library calls MPI_Comm_rank of its own accord */
    reduce(CALL);
}
static void jump(void) { reduce(JUMP); }
static void jump_inside(void) { reduce(JUMP_INSIDE); }
static void exit_inside(void) { reduce(EXIT); }
static void fork_inside(void) { reduce(FORK); }
static void clone_inside(void) { reduce(CLONE); }
static void forks(void)
{
    send(1);
    forked(0);
    send(2);
    forked(1);
    send(3);
}

/* ---- Threads ---- */

static void *sender(void *first)
{
    for (int i = 0; i < n; i++) send((int)(size_t)first * 1000000 + i);
    return NULL;
}

static void threads(void)
{
    pthread_t t[8];
    for (size_t i = 0; i < 8; i++) pthread_create(&t[i], NULL, sender, (void *)(i + 1));
    for (int i = 0; i < 8; i++) pthread_join(t[i], NULL);
}

static void one_by_one(void)
{
    pthread_t t;
    for (size_t i = 0; i < 50; i++) {
        pthread_create(&t, NULL, sender, (void *)i);
        pthread_join(t, NULL);
    }
}

/* ---- Switches, ends ---- */

extern void tabard_begin(const char *name) __attribute__((weak));
extern void tabard_end(void) __attribute__((weak));
static void begin(const char *name) { if (tabard_begin) tabard_begin(name); }
static void end(void) { if (tabard_end) tabard_end(); }

/* A thread that ends in a region, which sends in none. */
static void *stays_inside(void *go)
{
    begin("in");
    pthread_barrier_wait(go);
    pthread_barrier_wait(go);
    return NULL;
}

static void regions(void)
{
    pthread_barrier_t go;
    pthread_t t;
    send(1);
    begin("out"), send(2), begin("in"), send(3), begin("deeper"), send(4), end(), end(), send(5), end();
    begin("a"), begin("b/c"), send(6), begin("d"), send(7), begin("in"), send(8);
    end(), send(9), end(), send(10), end(), end();
    begin("b/c"), begin("d"), send(11), end(), end();
    end(), begin("in"), MPI_Pcontrol(0), send(12), end(), MPI_Pcontrol(1), send(13); /* one end too many before */
    MPI_Pcontrol(0), begin("in"), send(14), MPI_Pcontrol(1), send(15), end(), send(16);
    for (int i = 0; i < 100; i++) begin("deep");
    begin("in"), send(17), end();
    for (int i = 0; i < 100; i++) end();
    begin("in"), send(18), end(), send(19);
    pthread_barrier_init(&go, NULL, 2);
    pthread_create(&t, NULL, stays_inside, &go);
    pthread_barrier_wait(&go);
    send(20);
    begin("in"), end(), send(21);
    pthread_barrier_wait(&go);
    pthread_join(t, NULL);
    send(22);
}

static void switches(void)
{
    MPI_Comm dup;
    MPI_Info info;
    send(1);
    MPI_Pcontrol(0);
    send(2);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Pcontrol(1);
    send(3);
    MPI_Info_create(&info);
    MPI_Info_set(info, "TABARD_TRACING", "off");
    send(4);
    MPI_Info_set(info, "TABARD_TRACING", "true");
    send(5);
}

static void killed(void)
{
    many();
    send(-9);
}

static volatile sig_atomic_t handled;
static void handler(int s)
{
    int saved = errno, rank;
    (void)s;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* not allowed in MPI, but it must do no harm */
    handled++;
    errno = saved;
}

static void signals(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < n || handled < 50; i++) send(i % n);
    setitimer(ITIMER_REAL, &never, NULL);
}

static void memory(void)
{
    void *p;
    MPI_Alloc_mem(1000, MPI_INFO_NULL, &p);
    MPI_Send(p, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Free_mem(p);
}

static void exec_again(void)
{
    send(1);
    MPI_Finalize();
    execl("/proc/self/exe", "scenarios", "many", "2", NULL);
    exit(63);
}

/* Calls that ignore statuses: before the first receive with wildcards that makes a request, after
 * it, and inside a callback. */
static void ignoring(int source, int tag)
{
    MPI_Request r[500];
    int flag = 0;
    MPI_Recv(buffer, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(buffer, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    if (r[0] != MPI_REQUEST_NULL) exit(67);
    MPI_Irecv(buffer, 2, MPI_INT, source, tag, MPI_COMM_WORLD, &r[0]);
    for (int i = 1; i < 500; i++) r[i] = MPI_REQUEST_NULL;
    MPI_Waitall(500, r, MPI_STATUSES_IGNORE);
    MPI_Irecv(buffer, 3, MPI_INT, source, tag, MPI_COMM_WORLD, &r[0]);
    if (MPI_Waitall(3, r, MPI_STATUSES_IGNORE) != MPI_ERR_IN_STATUS) exit(68); /* as the fake MPI does */
    MPI_Irecv(buffer, 4, MPI_INT, source, tag, MPI_COMM_WORLD, &r[0]);
    errno = 43;
    MPI_Waitall(1, r, MPI_STATUSES_IGNORE);
    if (errno != 43) exit(69);
    MPI_Iallreduce(MPI_IN_PLACE, buffer, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]); /* nobody joins */
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    if (flag) exit(70);
}

static void ignoring_inside(void *in, void *out, int *len, MPI_Datatype *type)
{
    (void)in, (void)out, (void)len, (void)type;
    ignoring(MPI_ANY_SOURCE, 9);
}

static void ignored(void)
{
    MPI_Op op;
    ignoring(1, 7);
    MPI_Recv(buffer, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ignoring(MPI_ANY_SOURCE, 8);
    MPI_Op_create(ignoring_inside, 1, &op);
    MPI_Allreduce(buffer, buffer, 1, MPI_INT, op, MPI_COMM_WORLD);
    ignoring(1, 7);
    MPI_Request r[2];
    MPI_Irecv(buffer, 5, MPI_INT, 1, 10, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(buffer, 6, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &r[1]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Irecv(buffer, 7, MPI_INT, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &r[0]);
    MPI_Request_free(&r[0]);
    for (int i = 0; i < 16; i++) MPI_Irecv(buffer, 8, MPI_INT, 1, 10, MPI_COMM_WORLD, &r[0]); /* its handle again */
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

/* Who is cancelled ends where the program lets it, not in a call that is recorded. */
static void *cancelled_sender(void *first)
{
    pthread_cancel(pthread_self());
    sender(first);
    pthread_testcancel();
    return NULL;
}

static void cancelled(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, cancelled_sender, NULL);
    pthread_join(t, &result);
    if (result != PTHREAD_CANCELED) exit(64);
    send(1);
}

static _Atomic unsigned long clock_calls;

static void *clock_reader(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;) {
        MPI_Wtime();
        clock_calls++;
    }
    return unused;
}

/* Cancelled while it waits for the collector, once it makes no calls any more. */
static void cancelled_anywhere(void)
{
    pthread_t t;
    void *result;
    unsigned long before;
    pthread_create(&t, NULL, clock_reader, NULL);
    do {
        before = clock_calls;
        usleep(200000);
    } while (before == 0 || before != clock_calls);
    pthread_cancel(t);
    pthread_join(t, &result);
    if (result != PTHREAD_CANCELED) exit(73);
    send(1);
}

/* The program has SIGBUS for itself, whatever the runtime does with it. */
static void *own_page;

static void on_bus(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    if (info->si_addr != own_page) _exit(74);
    if (mmap(own_page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != own_page) _exit(75);
}

static void plain_bus(int sig)
{
    errno = sig;
    siglongjmp(escape, 1);
}

static void bus(void)
{
    struct sigaction a = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO}, was;
    FILE *f = tmpfile();
    send(1);
    if (sigaction(SIGBUS, NULL, &was) != 0 || was.sa_handler != SIG_DFL || was.sa_flags & SA_SIGINFO) exit(76);
    own_page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0); /* the file is empty */
    if (sigaction(SIGBUS, &a, &was) != 0 || was.sa_handler != SIG_DFL) exit(77);
    if (sigaction(SIGBUS, NULL, &was) != 0 || was.sa_sigaction != on_bus) exit(78);
    *(int *)own_page = 1;
    send(2);
    if ((void *)signal(SIGBUS, plain_bus) != (void *)on_bus) exit(79);
    if (!sigsetjmp(escape, 1)) raise(SIGBUS);
    if (errno != SIGBUS || signal(SIGBUS, SIG_IGN) != plain_bus) exit(80);
    raise(SIGBUS);
    send(3);
    if (signal(SIGBUS, SIG_DFL) != SIG_IGN) exit(81);
    pid_t p = fork();
    int status;
    if (p == 0) raise(SIGBUS), _exit(82);
    if (waitpid(p, &status, 0) != p || !WIFSIGNALED(status) || WTERMSIG(status) != SIGBUS) exit(83);
    send(4);
    if (n) kill(getpid(), SIGBUS);
}

/* The next image finds a standard error that nobody reads. */
static void stderr_gone(void)
{
    int p[2];
    if (pipe(p) != 0 || dup2(p[1], 2) != 2) exit(65);
    close(p[0]);
    close(p[1]);
    exec_again();
}

/* The number of standard error is that of a file of the program. */
static void stderr_taken(void)
{
    close(2);
    if (open(getenv("SCENARIO_FILE"), O_WRONLY | O_CREAT, 0600) != 2) exit(66);
}

/* Calls with pointers that the kernel refuses, and with none where that is allowed. Code 67 says that one of them did
 * something else. */
static void wants(const char *what, int failed, int error)
{
    if (failed && errno == error) return;
    fprintf(stderr, "%s: %s\n", what, failed ? strerror(errno) : "no failure");
    exit(67);
}
#define FAILS(error, call) wants(#call, (call) < 0, error)
#define NONE(error, call) wants(#call, (call) == NULL, error)

static void refused_names(char *bad)
{
    struct stat about;
    char text[8];
    FAILS(EFAULT, open(bad, O_RDONLY));
    FAILS(EINVAL, open(bad, O_TMPFILE));
    FAILS(EFAULT, openat(AT_FDCWD, bad, O_RDONLY));
    FAILS(EFAULT, creat(bad, 0600));
    FAILS(EFAULT, truncate(bad, 0));
    FAILS(EINVAL, truncate(bad, -1));
    FAILS(EFAULT, stat(bad, &about));
    FAILS(EFAULT, fstatat(AT_FDCWD, bad, &about, 0));
    FAILS(EFAULT, access(bad, R_OK));
    FAILS(EFAULT, readlink(bad, text, sizeof text));
    FAILS(EFAULT, unlink(bad));
    FAILS(EFAULT, mkdir(bad, 0700));
    FAILS(EFAULT, rename(bad, "b"));
    FAILS(EFAULT, rename("nosuch", bad));
    FAILS(EFAULT, symlink("nosuch", bad));
    NONE(EFAULT, fopen(bad, "r"));
}

static void refused(void)
{
    volatile uintptr_t nowhere = 1, none = 0;
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fd = open(getenv("SCENARIO_FILE"), O_RDWR | O_CREAT, 0600);
    if (page == MAP_FAILED || munmap(page + 4096, 4096) != 0 || fd < 0) exit(66);
    char *last = page + 4096 - 8;
    refused_names((char *)nowhere);
    memcpy(last, "noend/xx", 8);
    refused_names(last);
    memcpy(last, "nosuch\0", 8);
    FAILS(ENOENT, unlink(last)); /* can be read to its end */
    FAILS(EFAULT, (int)writev(fd, (struct iovec *)nowhere, 1));
    FAILS(EFAULT, (int)readv(fd, (struct iovec *)nowhere, 1));
    FAILS(EFAULT, (int)write(fd, (char *)nowhere, 1));
    FAILS(EFAULT, (int)sendfile(fd, fd, (off_t *)nowhere, 1));
    FAILS(EFAULT, (int)copy_file_range(fd, NULL, fd, (off_t *)nowhere, 1, 0));
    FAILS(EINVAL, closedir((DIR *)none));
    if (fflush((FILE *)none) != 0) exit(68);
}

/* Weak, so that the program links although the fake MPI lacks it. */
__attribute__((weak)) int MPI_Bsend(const void *, int, MPI_Datatype, int, int, MPI_Comm);
static void missing(void)
{
    send(1);
    MPI_Bsend(buffer, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } scenarios[] = {
        {"shapes", shapes}, {"large", large}, {"many", many}, {"rounds", rounds}, {"boundaries", boundaries}, {"paced", paced}, {"nested", nested}, {"deep", deep}, {"jump", jump},
        {"jump_inside", jump_inside}, {"exit_inside", exit_inside}, {"fork_inside", fork_inside},
        {"clone_inside", clone_inside}, {"forks", forks}, {"threads", threads}, {"one_by_one", one_by_one},
        {"switches", switches}, {"regions", regions}, {"killed", killed}, {"signals", signals}, {"memory", memory},
        {"exec_again", exec_again}, {"cancelled", cancelled}, {"bus", bus}, {"cancelled_anywhere", cancelled_anywhere}, {"stderr_gone", stderr_gone}, {"stderr_taken", stderr_taken},
        {"missing", missing}, {"refused", refused}, {"ignored", ignored}};
    if (argc > 2) n = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        if (strcmp(argv[1], scenarios[i].name) == 0) scenarios[i].run();
    MPI_Finalize();
    return 0;
}
