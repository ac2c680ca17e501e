/* The process: its control file, what is recorded and what not, its start and its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core/api.h"
#include "core/files.h"
#include "core/guard.h"
#include "core/internal.h"
#include "core/lock.h"
#include "sites/sites.h"

const char tb_version[] __attribute__((used)) = TB_VERSION;

struct tb_process tb_process;
unsigned char tb_gate[TB_IDS];

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static int tracing = 1;
static int switched = 1;     /* on: the program may say so by calls of an API */
static int inside;           /* threads in regions that recording is limited to; one more if it is not */
static unsigned char gates[2][TB_IDS]; /* as long as tracing is off, and on */
static int records_written;

/* Tells the collector, which may be asleep, to look. */
void tb_bell(void)
{
    int saved = errno;
    __atomic_add_fetch(&tb_process.control->bell, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &tb_process.control->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
    errno = saved;
}

/* ---- What is recorded ---- */

static int always_recorded(const char *name)
{
    for (const struct tb_api *const *api = tb_apis; *api; api++)
        for (const char *const *a = (*api)->always; a && *a; a++)
            if (strcmp(name, *a) == 0) return 1;
    return 0;
}

/* Events of the kind are not recorded. */
static int is_off(const struct tb_control *c, int id)
{
    return c->events_off >> (tb_fn_flags[id] >> TB_FN_KIND) & 1;
}

static void find_gates(void)
{
    const struct tb_control *ctl = tb_process.control;
    for (unsigned id = 0; id < tb_num_ids; id++) {
        if (!tb_names[id]) continue;
        int filtered = ctl->flags & TB_CTL_FILTER && ctl->filter[id / 8] >> (id % 8) & 1;
        int keep = tb_fn_flags[id] & TB_FN_LIFECYCLE || always_recorded(tb_names[id]);
        int off = is_off(ctl, (int)id);
        gates[0][id] = !off && keep ? TB_GATE_HIDE : TB_GATE_SKIP;
        gates[1][id] = off || filtered ? gates[0][id] : TB_GATE_OPEN;
    }
}

static int is_wanted(void)
{
    return __atomic_load_n(&switched, __ATOMIC_ACQUIRE) && __atomic_load_n(&inside, __ATOMIC_ACQUIRE) > 0;
}

static void set_gates(void)
{
    tracing = is_wanted();
    memcpy(tb_gate, gates[tracing], tb_num_ids);
}

static void emit_control(struct tb_thread *t)
{
    uint64_t on = (uint64_t)tracing;
    tb_emit(t, TB_R_CONTROL, &on, 1);
}

/* A signal handler leaves the gates to what it has interrupted, which looks again. */
static void switch_gates(struct tb_thread *t)
{
    int saved = errno, changed = 0;
    while (!t->priv->switching && tracing != is_wanted()) {
        t->priv->switching = 1;
        pthread_mutex_lock(&process_lock);
        int was = tracing;
        set_gates();
        changed ^= tracing != was;
        pthread_mutex_unlock(&process_lock);
        t->priv->switching = 0;
    }
    if (changed && !t->priv->muted && !(t->outer & TB_BUILDING)) emit_control(t);
    errno = saved;
}

void tb_switch_tracing(int on)
{
    struct tb_thread *t = tb_current();
    if (!t || t->priv->muted || t->outer & TB_BUILDING) return;
    __atomic_store_n(&switched, on, __ATOMIC_RELEASE);
    switch_gates(t);
}

void tb_switch_inside(struct tb_thread *t, int more)
{
    __atomic_add_fetch(&inside, more, __ATOMIC_ACQ_REL);
    switch_gates(t);
}

/* ---- Start of the process ---- */

static struct tb_control *map_control(const char *dir)
{
    int fd = tb_file_open(dir, "control", O_RDWR);
    if (fd < 0) return NULL;
    struct tb_control *c = tb_file_map(fd, sizeof *c);
    close(fd);
    if (!c || (c->magic == TB_CONTROL_MAGIC && c->version == TB_RING_VERSION)) return c;
    tb_file_unmap(c, sizeof *c);
    return NULL;
}

size_t tb_read_file(const char *path, char *to, size_t size)
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
    /* Not /proc/self/stat, for which emulators have an answer of their own. */
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
    tb_read_file(path, text, sizeof text);
    char *p = strrchr(text, ')'); /* the name before may hold anything */
    for (int field = 2; p && field < 22; field++) p = strchr(p + 1, ' ');
    return p ? strtoull(p, NULL, 10) : 0;
}

int tb_is_registered(void)
{
    char name[64];
    snprintf(name, sizeof name, "rank.%d-%llu", (int)getpid(), (unsigned long long)process_start_time());
    int fd = tb_file_open(tb_process.dir, name, O_RDONLY);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static void after_fork_in_child(void)
{
    pthread_mutex_init(&process_lock, NULL);
    if (tb_process.state == TB_ACTIVE) tb_child();
}

static void remember(char *to, size_t size, const char *variable)
{
    const char *value = getenv(variable);
    if (value && !to[0] && strlen(value) < size) strcpy(to, value);
}

static void remember_places(void)
{
    remember(tb_process.dir, sizeof tb_process.dir, "TABARD_DIR");
    remember(tb_process.spill, sizeof tb_process.spill, "TABARD_SPILL");
}

struct tb_control *tb_control_look(void)
{
    if (tb_process.state == TB_INERT || tb_process.control) return tb_process.control;
    remember_places();
    return tb_process.dir[0] ? map_control(tb_process.dir) : NULL;
}

void tb_control_looked(struct tb_control *c)
{
    if (c && c != tb_process.control) tb_file_unmap(c, sizeof *c);
}

int tb_is_chosen(int id)
{
    int saved = errno;
    struct tb_control *c = tb_control_look();
    int chosen = c && !is_off(c, id);
    tb_control_looked(c);
    errno = saved;
    return chosen;
}

/* Such as a daemon that calls MPI for the first time when what started it has ended. */
static void say_late(void)
{
    char line[128];
    int n = snprintf(line, sizeof line, "tabard: process %d is not recorded: "
                     "its recording had ended before it called MPI\n", (int)getpid());
    tb_print(line, (size_t)n);
}

static void start(void)
{
    tb_process.state = TB_INERT;
    remember_places();
    if (!tb_process.dir[0]) return;
    if (!(tb_process.control = map_control(tb_process.dir))) {
        if (errno == ENOENT) say_late();
        return;
    }
    tb_process.pid = (int)getpid();
    tb_process.pid_start = process_start_time();
    tb_process.start_ns = tb_kernel_clock();
    tb_guard_control(tb_process.control);
    tb_guard_start();
    if (!tb_space_in_memory(tb_process.dir)) tb_own_code_resident(); /* it lies beside the state */
    tb_site_mode = (int)tb_process.control->callsites;
    tb_clock_start(!(tb_process.control->flags & TB_CTL_NO_TIMING));
    switched = !(tb_process.control->flags & TB_CTL_START_OFF);
    inside = !tb_process.control->in[0];
    find_gates();
    set_gates();
    tb_lives_start();
    pthread_atfork(NULL, NULL, after_fork_in_child);
    for (const struct tb_api *const *api = tb_apis; *api; api++)
        if ((*api)->start) (*api)->start();
    tb_shared_init();
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
    int saved = errno;
    remember_places();
    if (tb_process.dir[0] && tb_job_is_another()) tb_process.state = TB_INERT;
    if (tb_process.dir[0]) tb_summary_start();
    for (const struct tb_api *const *api = tb_apis; *api && tb_process.dir[0] && tb_process.state != TB_INERT; api++)
        if ((*api)->loaded) (*api)->loaded();
    errno = saved;
}

/* ---- Records about the process ---- */

void tb_fact(struct tb_facts *f, const char *key, const char *value)
{
    char text[4096 + 64];
    snprintf(text, sizeof text, "%s=%s", key, value);
    unsigned n = tb_string_words(text);
    if (f->used + n > sizeof f->words / sizeof f->words[0]) return;
    f->used += tb_encode_string(f->words + f->used, text);
    f->count++;
}

static void command_line(char *to, size_t size)
{
    size_t n = tb_read_file("/proc/self/cmdline", to, size);
    while (n > 0 && !to[n - 1]) n--;
    for (size_t i = 0; i < n; i++)
        if (!to[i]) to[i] = ' ';
}

/* As ring.ProcessID in Go. */
static void process_id(char *to, size_t size)
{
    snprintf(to, size, "%d-%llu", tb_process.pid, (unsigned long long)tb_process.pid_start);
}

static void emit_process(struct tb_thread *t)
{
    struct tb_facts *f = calloc(1, sizeof *f);
    char text[4096];
    if (!f) return;
    f->used = 1; /* the number of facts comes first */
    ssize_t n = readlink("/proc/self/exe", text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    tb_fact(f, "exe", text);
    if (gethostname(text, sizeof text) == 0) tb_fact(f, "host", text);
    for (const struct tb_api *const *api = tb_apis; *api; api++)
        if ((*api)->add_facts) (*api)->add_facts(f);
    if (getcwd(text, sizeof text)) tb_fact(f, "cwd", text);
    snprintf(text, sizeof text, "%d", tb_process.pid);
    tb_fact(f, "pid", text);
    const char *rank = getenv("TABARD_RANK"); /* the process that is the rank, of which this one may be a child */
    process_id(text, sizeof text);
    if (rank && strcmp(rank, text) != 0) tb_fact(f, "launched", rank);
    tb_fact(f, "tabard", tb_version);
    command_line(text, sizeof text);
    tb_fact(f, "cmd", text);
    f->words[0] = tb_count_word(f->count, TB_A_LIST, 8);
    tb_emit(t, TB_R_PROCESS, f->words, f->used);
    free(f);
}

void tb_emit_fact(struct tb_thread *t, const char *text)
{
    enum { LONGEST = 255 };
    char kept[LONGEST + 1];
    uint64_t words[2 + sizeof kept / 8];
    snprintf(kept, sizeof kept, "%s", text);
    words[0] = tb_count_word(1, TB_A_LIST, 8);
    tb_emit(t, TB_R_PROCESS, words, 1 + tb_encode_string(words + 1, kept));
}

void tb_process_records(struct tb_thread *t)
{
    if (__atomic_exchange_n(&records_written, 1, __ATOMIC_RELAXED)) return;
    emit_process(t);
    for (const struct tb_api *const *api = tb_apis; *api; api++)
        if ((*api)->emit_records) (*api)->emit_records(t);
    tb_emit_clock(t);
    if (!tracing) emit_control(t);
}

/* This process has made no call. If there is a library all the same, it may have been called where nothing can stand in
 * between. */
static void note_unseen(void)
{
    for (const struct tb_api *const *api = tb_apis; *api; api++) {
        if (!(*api)->hidden_library || !(*api)->hidden_library()) continue;
        struct tb_control *c = map_control(tb_process.dir);
        if (c) __atomic_add_fetch(&c->unseen, 1, __ATOMIC_RELEASE);
        return;
    }
}

/* The launcher registered it: it is no child of a process that is recorded. */
static int is_registered(void)
{
    char name[64] = "rank.";
    process_id(name + 5, sizeof name - 5);
    int fd = tb_file_open(tb_process.dir, name, O_RDONLY);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

/* The end of a process of a job in which nobody initialised MPI: that takes the place of MPI_Finalize. The last of
 * those that were launched waits for the archive. Where it is not known how many they are, nobody does. */
static void end_without_world(void)
{
    struct tb_control *ctl = tb_process.control;
    if (__atomic_load_n(&ctl->initialized, __ATOMIC_ACQUIRE) || !is_registered()) return;
    uint32_t ended = __atomic_add_fetch(&ctl->finalized, 1, __ATOMIC_ACQ_REL);
    tb_bell();
    if (ctl->local_ranks && ended >= ctl->local_ranks) tb_archive_wait(1);
}

__attribute__((destructor)) static void process_end(void)
{
    if (tb_process.state == TB_NEW && tb_process.dir[0]) note_unseen();
    if (tb_process.state != TB_ACTIVE || tb_process.pid != (int)getpid()) return;
    struct tb_thread *t = tb_current();
    if (!t || t->priv->muted) return; /* muted: a signal handler that interrupted the runtime calls exit */
    /* Sessions may be opened and closed again and again. */
    int by_sessions = !tb_process.finalized && !tb_process.world && tb_process.had_sessions && !tb_process.sessions;
    if (by_sessions) tb_process.finalized = 1;
    int no_world = !tb_process.world && !tb_process.had_sessions && !tb_process.finalized;
    uint64_t after_finalize = (uint64_t)(tb_process.finalized || no_world);
    if (!tb_process.closed) tb_emit_clock(t); /* else MPI_Finalize did, and the archive may be written */
    tb_emit(t, TB_R_END, &after_finalize, 1);
    if (by_sessions) __atomic_add_fetch(&tb_process.control->finalized, 1, __ATOMIC_RELEASE);
    tb_bell();
    if (no_world) end_without_world();
    if (tb_process.finalized && (tb_process.prints_summary || tb_process.leads))
        tb_archive_wait(tb_process.prints_summary);
}
