//go:build ignore

/* The process: its control file, what is recorded and what not, its start and its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "chain.h"

enum { GATE_SIZE = 4096, PRINT_MS = 1000 };
_Static_assert(sizeof ((struct tb_control *)0)->filter * 8 == GATE_SIZE, "one gate per filter bit");

struct tb_process tb_process;
unsigned char tb_gate[GATE_SIZE];

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static int tracing = 1;      /* switched on, by MPI_Pcontrol and the like */
static int records_written;
static int finalized;        /* MPI_Finalize has returned */
static int prints_summary;   /* rank 0, not spawned */
/* Where standard error went when the process began: the program may have closed
 * it and have a file of its own under the number. */
static struct stat first_stderr;

/* ---- What is recorded ---- */

/* Functions with hooks, recorded as hidden whatever the filter says. */
static int always_recorded(const char *name)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init",
                                        "MPI_Session_finalize", "MPI_Alloc_mem", "MPI_Free_mem"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

static void set_gates(void)
{
    const struct tb_control *ctl = tb_process.control;
    for (unsigned id = 0; id < tb_num_ids && id < GATE_SIZE; id++) {
        if (!tb_names[id]) continue;
        int closed = !tracing || (ctl->flags & TB_CTL_FILTER && ctl->filter[id / 8] >> (id % 8) & 1);
        int keep = tb_fn_flags[id] & TB_FN_LIFECYCLE || always_recorded(tb_names[id]);
        tb_gate[id] = !closed ? TB_GATE_OPEN : keep ? TB_GATE_HIDE : TB_GATE_SKIP;
    }
}

static void emit_control(struct tb_thread *t)
{
    uint64_t on = (uint64_t)tracing;
    tb_emit(t, TB_R_CONTROL, &on, 1);
}

static void switch_tracing(int on)
{
    struct tb_thread *t = tb_current();
    if (!t || t->priv->muted || t->outer & TB_BUILDING) return;
    int saved = errno;
    pthread_mutex_lock(&process_lock);
    int changed = tracing != on;
    tracing = on;
    if (changed) set_gates();
    pthread_mutex_unlock(&process_lock);
    if (changed) emit_control(t);
    errno = saved;
}

void tb_hook_pcontrol(int level)
{
    if (level >= 0) switch_tracing(level > 0);
}

void tb_hook_info_set(const char *key, const char *value)
{
    static const char *const off[] = {"off", "0", "false"}, *const on[] = {"on", "1", "true"};
    if (!key || !value || strcmp(key, "TABARD_TRACING") != 0) return;
    for (int i = 0; i < 3; i++) {
        if (strcasecmp(value, off[i]) == 0) switch_tracing(0);
        if (strcasecmp(value, on[i]) == 0) switch_tracing(1);
    }
}

/* ---- Start of the process ---- */

static struct tb_control *map_control(const char *dir)
{
    char path[1100];
    struct stat st;
    snprintf(path, sizeof path, "%s/control", dir);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return NULL;
    void *p = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(struct tb_control))
        p = mmap(NULL, sizeof(struct tb_control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p == MAP_FAILED) return NULL;
    struct tb_control *c = p;
    if (c->magic == TB_CONTROL_MAGIC && c->version == TB_RING_VERSION) return c;
    munmap(p, sizeof *c);
    return NULL;
}

static size_t read_file(const char *path, char *to, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);
    if (fd >= 0) close(fd);
    to[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

static uint64_t process_start_time(void)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid()); /* for /proc/self/stat emulators have their own answer */
    read_file(path, text, sizeof text);
    char *p = strrchr(text, ')'); /* the name before may hold anything */
    for (int field = 2; p && field < 22; field++) p = strchr(p + 1, ' ');
    return p ? strtoull(p, NULL, 10) : 0;
}

#if defined(__x86_64__) && !defined(TB_NO_TIMING)
/* Kernels that have found the cycle counters of the processors apart, or changing their speed, fall
 * back to one of these. */
static int kernel_distrusts_counter(void)
{
    static const char *const others[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
    char name[64];
    size_t n = read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name);
    while (n > 0 && name[n - 1] == '\n') name[--n] = 0;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0) return 1;
    return 0;
}
#endif

/* TABARD_CLOCK_SKEW, a testing aid: HOST:NS:PPB:SINCE, separated by commas. On host HOST all readings of CLOCK_MONOTONIC
 * and CLOCK_REALTIME that are recorded are ahead by NS nanoseconds, and by PPB billionths of the time since
 * CLOCK_MONOTONIC was SINCE nanoseconds. */
static int64_t skew[3];

static void find_skew(void)
{
    const char *p = getenv("TABARD_CLOCK_SKEW");
    char host[256] = "";
    if (!p || gethostname(host, sizeof host - 1) != 0) return;
    size_t n = strlen(host);
    while (strncmp(p, host, n) != 0 || p[n] != ':')
        if ((p = strchr(p, ',')) == NULL || *++p == 0) return;
    char *end = (char *)p + n;
    for (int i = 0; i < 3 && *end == ':'; i++) skew[i] = strtoll(end + 1, &end, 10);
}

uint64_t tb_host_clock(uint64_t mono)
{
    int64_t since = (int64_t)mono - skew[2], second = 1000000000;
    return mono + (uint64_t)(skew[0] + since / second * skew[1] + since % second * skew[1] / second);
}

/* The cycle counter serves as a clock only if it runs at one speed through sleep states, on all processors alike. */
static int choose_clock(void)
{
#ifdef TB_NO_TIMING
    return 0;
#else
#if defined(__x86_64__)
    unsigned a, b, c, d;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0x80000000u), "c"(0));
    if (a < 0x80000007u) return 2;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0x80000007u), "c"(0));
    return d >> 8 & 1 && !kernel_distrusts_counter() ? 1 : 2;
#elif defined(__aarch64__)
    return 1;
#else
    return 2;
#endif
#endif
}

static void after_fork_in_child(void)
{
    pthread_mutex_init(&process_lock, NULL);
    if (tb_process.state == TB_ACTIVE) tb_child();
}

static void start(void)
{
    const char *dir = tb_process.dir[0] ? tb_process.dir : getenv("TABARD_DIR");
    tb_process.state = TB_INERT;
    if (!dir || !dir[0] || strlen(dir) >= sizeof tb_process.dir) return;
    if (!(tb_process.control = map_control(dir))) return;
    if (dir != tb_process.dir) strcpy(tb_process.dir, dir);
    tb_process.pid = (int)getpid();
    tb_process.pid_start = process_start_time();
    tb_process.start_ns = tb_monotonic();
    tb_site_mode = (int)tb_process.control->callsites;
    tb_clock_source = choose_clock();
    find_skew();
    tb_clock = tb_process.control->flags & TB_CTL_NO_TIMING ? 0 : tb_clock_source;
    tracing = !(tb_process.control->flags & TB_CTL_START_OFF);
    set_gates();
    tb_threads_start();
    pthread_atfork(NULL, NULL, after_fork_in_child);
    tb_abi_detect();
    tb_addr_start();
    __atomic_store_n(&tb_process.state, TB_ACTIVE, __ATOMIC_RELEASE);
}

int tb_process_start(void)
{
    if (__atomic_load_n(&tb_process.state, __ATOMIC_ACQUIRE) == TB_ACTIVE) return 1;
    pthread_mutex_lock(&process_lock);
    if (tb_process.state == TB_NEW) start();
    pthread_mutex_unlock(&process_lock);
    return tb_process.state == TB_ACTIVE;
}

/* Before the program can change its environment and descriptors. */
__attribute__((constructor)) static void remember_start(void)
{
    const char *dir = getenv("TABARD_DIR");
    if (dir && !tb_process.dir[0] && strlen(dir) < sizeof tb_process.dir) strcpy(tb_process.dir, dir);
    int saved = errno;
    if (dir && fstat(2, &first_stderr) != 0) first_stderr.st_ino = 0;
    errno = saved;
}

/* ---- Records about the process ---- */

struct text_list {
    uint64_t words[2048];
    unsigned used, count;
};

static void add_text(struct text_list *l, const char *key, const char *value)
{
    char text[4096 + 64];
    snprintf(text, sizeof text, "%s=%s", key, value);
    unsigned n = tb_string_words(text);
    if (l->used + n > sizeof l->words / sizeof l->words[0]) return;
    l->used += tb_encode_string(l->words + l->used, text);
    l->count++;
}

static void command_line(char *to, size_t size)
{
    size_t n = read_file("/proc/self/cmdline", to, size);
    while (n > 0 && !to[n - 1]) n--;
    for (size_t i = 0; i < n; i++)
        if (!to[i]) to[i] = ' ';
}

static void emit_process(struct tb_thread *t)
{
    struct text_list *l = calloc(1, sizeof *l);
    char text[4096];
    if (!l) return;
    l->used = 1;
    ssize_t n = readlink("/proc/self/exe", text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    add_text(l, "exe", text);
    if (gethostname(text, sizeof text) == 0) add_text(l, "host", text);
    add_text(l, "lib", tb_library_version());
    add_text(l, "libpath", tb_library_path());
    add_text(l, "mpi", (const char *const[]){"unknown", "Open MPI", "MPICH", "MPI 5"}[tb_abi.kind]);
    if (getcwd(text, sizeof text)) add_text(l, "cwd", text);
    snprintf(text, sizeof text, "%d", tb_process.pid);
    add_text(l, "pid", text);
    add_text(l, "tabard", tb_version);
    command_line(text, sizeof text);
    add_text(l, "cmd", text);
    l->words[0] = (uint64_t)l->count | (uint64_t)TB_A_LIST << 48 | (uint64_t)8 << 56;
    tb_emit(t, TB_R_PROCESS, l->words, l->used);
    free(l);
}

void tb_process_records(struct tb_thread *t)
{
    if (__atomic_exchange_n(&records_written, 1, __ATOMIC_RELAXED)) return;
    emit_process(t);
    tb_emit_abi(t);
    tb_emit_clock(t);
    if (!tracing) emit_control(t);
}

/* ---- Initialisation and end ---- */

int tb_is_spawned(void)
{
    int (*get_parent)(void *) = (int (*)(void *))tb_library_symbol("PMPI_Comm_get_parent");
    uint64_t parent = 0;
    if (!get_parent || get_parent(&parent) != 0) return 0;
    return (parent & tb_abi.handle_mask) != tb_abi.comm_null;
}

static void emit_world(struct tb_thread *t)
{
    int (*get_rank)(uintptr_t, int *) = (int (*)(uintptr_t, int *))tb_library_symbol("PMPI_Comm_rank");
    int (*get_size)(uintptr_t, int *) = (int (*)(uintptr_t, int *))tb_library_symbol("PMPI_Comm_size");
    int rank, size;
    if (!tb_predefined_comm(0) || !get_rank || !get_size) return;
    t->priv->muted++;
    int failed = get_rank(tb_predefined_comm(0), &rank) != 0 || get_size(tb_predefined_comm(0), &size) != 0;
    /* Where a summary is there already, this is a later program of the same script. */
    prints_summary = !failed && rank == 0 && !tb_is_spawned() && tb_process.control->summary_len == 0;
    t->priv->muted--;
    if (failed) return;
    uint64_t payload[2] = {(uint64_t)rank, (uint64_t)size};
    tb_emit(t, TB_R_WORLD, payload, 2);
    if (!tb_is_spawned()) __atomic_add_fetch(&tb_process.control->initialized, 1, __ATOMIC_RELEASE);
}

void tb_hook_init(struct tb_call *c, int ret)
{
    struct tb_thread *t = tb_current();
    if (!t || ret != 0) return;
    int saved = errno;
    if (strcmp(tb_names[c->id_flags & 0xffff], "MPI_Session_init") != 0) emit_world(t);
    tb_emit_clock(t);
    errno = saved;
}

void tb_hook_finalize(struct tb_call *c, int ret)
{
    struct tb_thread *t = tb_current();
    (void)c;
    if (!t || ret != 0 || __atomic_exchange_n(&finalized, 1, __ATOMIC_RELAXED)) return;
    if (!tb_closed) tb_emit_clock(t);
    tb_closed = 1;
    tb_finalized(t);
    __atomic_add_fetch(&tb_process.control->finalized, 1, __ATOMIC_RELEASE);
}

void tb_hook_mpi_memory(struct tb_call *c, void *base, int64_t bytes)
{
    if (c->t && base && bytes > 0) tb_mem_mpi_add(c, base, bytes);
}

void tb_hook_mpi_memory_free(struct tb_call *c, void *base)
{
    if (c->t && base) tb_mem_mpi_remove(c, base);
}

static int can_print(void)
{
    struct stat now;
    struct pollfd p = {2, POLLOUT, 0};
    return fstat(2, &now) == 0 && first_stderr.st_ino != 0 && now.st_ino == first_stderr.st_ino &&
           now.st_dev == first_stderr.st_dev && poll(&p, 1, PRINT_MS) == 1 && p.revents == POLLOUT;
}

/* Neither a reader that has gone away nor a terminal that stops background
 * output may end or stop a process that would have come to its end without us. */
static void print(const char *line, size_t n)
{
    static const struct timespec at_once;
    sigset_t ours, before, pending;
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGTTOU);
    if (!can_print() || pthread_sigmask(SIG_BLOCK, &ours, &before) != 0) return;
    sigpending(&pending);
    if (write(2, line, n) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE)) {
        sigdelset(&ours, SIGTTOU);
        sigtimedwait(&ours, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void print_summary(void)
{
    struct tb_control *ctl = tb_process.control;
    struct timespec pause = {0, 1000000};
    uint64_t until = tb_monotonic() + ctl->summary_wait_ns;
    uint32_t n;
    while (!(n = __atomic_load_n(&ctl->summary_len, __ATOMIC_ACQUIRE)) && tb_collector_alive() && tb_monotonic() < until)
        nanosleep(&pause, NULL);
    if (n == 0 || n >= sizeof ctl->summary) return;
    char line[sizeof ctl->summary + 1];
    memcpy(line, ctl->summary, n);
    if (line[n - 1] != '\n') line[n++] = '\n';
    print(line, n);
}

__attribute__((destructor)) static void process_end(void)
{
    if (tb_process.state != TB_ACTIVE || tb_process.pid != (int)getpid()) return;
    struct tb_thread *t = tb_current();
    if (!t || t->priv->muted) return; /* muted: a signal handler that interrupted the runtime calls exit */
    uint64_t after_finalize = (uint64_t)finalized;
    if (!(tb_closed && tb_process.control->flags & TB_CTL_MERGE)) tb_emit_clock(t);
    tb_emit(t, TB_R_END, &after_finalize, 1);
    if (finalized && prints_summary && !(tb_process.control->flags & TB_CTL_QUIET)) print_summary();
}
