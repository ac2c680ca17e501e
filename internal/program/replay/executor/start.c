//go:build ignore

/* The process: tabard-replay DESCRIPTORS LIBRARY [FOLDER]. One stream for each descriptor
 * ("5,6,7"), the first one is that of the main thread. FOLDER is the private folder of this
 * program, which is removed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "executor.h"

struct rp_process rp_process = {.rank = -1};

/* ---- The library ---- */

void *rp_library_function(const char *name) { return dlsym(rp_process.library, name); }
void *rp_program_function(const char *name) { return dlsym(RTLD_DEFAULT, name); }

/* What capture/mpi/kind.c wants to know. */
void *tb_library_symbol(const char *name) { return rp_library_function(name); }
void *tb_library_variable(const char *name) { return rp_library_function(name); }
const void *tb_library_address(void) { return rp_library_function("PMPI_Init"); }

static void open_library(const char *path)
{
    rp_process.library_path = path;
    rp_process.library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!rp_process.library) rp_fail(NULL, RP_BROKEN, "the MPI library cannot be loaded: %s", dlerror());
    tb_abi_detect();
    if (tb_abi.kind == 0) rp_fail(NULL, RP_BROKEN, "%s is no MPI library", path);
}

/* ---- What the first stream says of the process ---- */

static int setting(const char *name)
{
    const char *v = getenv(name);
    return v ? atoi(v) : 0;
}

/* Ranks of this node, as the launchers say it. */
static int local_ranks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (setting(names[i]) > 0) return setting(names[i]);
    return 1;
}

void rp_process_begins(struct rp_thread *t)
{
    static const char *const kinds[] = {"no MPI", "Open MPI", "MPICH", "the MPI 5 ABI"};
    const uint64_t *h = t->header;
    rp_process.rank = (int)h[RP_HEADER_RANK];
    rp_process.size = (int)h[RP_HEADER_SIZE];
    rp_process.flags = h[RP_HEADER_FLAGS];
    rp_process.patience = h[RP_HEADER_PATIENCE];
    rp_process.spin = local_ranks() * rp_process.threads <= sysconf(_SC_NPROCESSORS_ONLN);
    if (rp_process.threads > 1) { /* for MPI_Init; MPI_Init_thread: see force.c */
        setenv("OMPI_MPI_THREAD_LEVEL", "3", 1);
        setenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE", 1);
    }
    if (h[RP_HEADER_SCRATCH]) rp_process.scratch = rp_string(t, h[RP_HEADER_SCRATCH] - 1);
    if (h[RP_HEADER_ABI] != (uint64_t)tb_abi.kind)
        rp_fail(t, RP_BROKEN, "its program is for %s, and %s is for %s", kinds[h[RP_HEADER_ABI] % 4],
            rp_process.library_path, kinds[tb_abi.kind]);
    if (h[RP_HEADER_THREADS] != (uint64_t)rp_process.threads)
        rp_fail(t, RP_BROKEN, "its program is for %llu threads, with %d streams",
            (unsigned long long)h[RP_HEADER_THREADS], rp_process.threads);
}

/* ---- Threads ---- */

int rp_threads_ended(const struct rp_thread *but)
{
    for (int i = 0; i < rp_process.threads; i++)
        if (rp_process.thread[i] != but && rp_process.thread[i]->state != RP_ENDED) return 0;
    return 1;
}

static int initialises(const struct rp_thread *t)
{
    for (uint64_t i = 0; i < t->num_terminals; i++)
        if (t->terminals[i].special == RP_INIT) return 1;
    return 0;
}

/* Threads that begin before MPI is initialised are numbered in the order of their first calls, which a recording of the
 * replay should do in the same way. The others are in the order in which they are created. */
static int is_under_way(const struct rp_thread *t)
{
    return t->state == RP_ENDED || __atomic_load_n(&t->finished, __ATOMIC_ACQUIRE) > 0;
}

static pthread_t *threads; /* but the first one; NULL before they are created */
static int created_in_order;

static void wait_for_turn(struct rp_thread *t)
{
    int i = 0;
    uint64_t until = 0;
    while (rp_process.thread[i] != t) i++;
    for (unsigned turn = 0; i > 0 && !initialises(t) && !__atomic_load_n(&rp_process.initialized, __ATOMIC_ACQUIRE) &&
                            rp_process.thread[0]->state != RP_ENDED; turn++) {
        t->state = RP_NEEDS_INIT;
        rp_pause(turn);
    }
    for (unsigned turn = 0; i > 0 && !created_in_order && !is_under_way(rp_process.thread[i - 1]); turn++) {
        t->waits_for = rp_process.thread[i - 1], t->waits_events = 1;
        t->state = RP_NEEDS_TURN;
        if (rp_process.thread[i - 1]->state != RP_IN_CALL) until = rp_now() + 200000000;
        else if (rp_now() > until) break; /* it has begun its first call, which takes long */
        rp_pause(turn);
    }
    t->state = RP_IDLE;
}

static void run(struct rp_thread *t)
{
    wait_for_turn(t);
    rp_execute(t);
    __atomic_store_n(&t->state, RP_ENDED, __ATOMIC_RELEASE);
}

static void say_left_out(const struct rp_thread *t)
{
    if (t->left_out)
        rp_say("rank %d%s: %llu calls were left out, because they use objects that were not created in this replay; "
            "the first one is %s", rp_process.rank,
               rp_process.threads > 1 ? " (of one thread)" : "", (unsigned long long)t->left_out, t->first_left_out);
}

static void *thread_main(void *thread)
{
    struct rp_thread *t = thread;
    rp_load(t);
    __atomic_store_n(&t->loaded, 1, __ATOMIC_RELEASE);
    run(t);
    /* A tracer gives the number of a thread that has ended to the next one. */
    for (unsigned turn = 0; !rp_threads_ended(t); turn++) rp_pause(turn);
    return NULL;
}

static void create_threads(void)
{
    threads = calloc((size_t)rp_process.threads, sizeof *threads);
    for (int i = 1; i < rp_process.threads; i++)
        if (!threads || pthread_create(&threads[i], NULL, thread_main, rp_process.thread[i]) != 0)
            rp_fail(NULL, RP_BROKEN, "thread %d of %d cannot be started", i, rp_process.threads);
    for (int i = 1; i < rp_process.threads; i++) /* the first one may have to wait for what they have done */
        for (unsigned turn = 0; !__atomic_load_n(&rp_process.thread[i]->loaded, __ATOMIC_ACQUIRE); turn++)
            rp_pause(turn);
}

static struct rp_thread *new_thread(int fd)
{
    struct rp_thread *t = calloc(1, sizeof *t);
    if (!t) rp_fail(NULL, RP_BROKEN, "there is no memory for a stream");
    t->fd = fd;
    rp_objects_of(t);
    return t;
}

static void new_threads(const char *descriptors)
{
    for (const char *s = descriptors; *s;) {
        char *end;
        long fd = strtol(s, &end, 10);
        if (end == s || fd < 0 || (*end && *end != ',')) rp_fail(NULL, RP_BROKEN, "\"%s\" is no list of descriptors",
            descriptors);
        struct rp_thread **list = realloc(rp_process.thread, (size_t)(rp_process.threads + 1) * sizeof *list);
        if (!list) rp_fail(NULL, RP_BROKEN, "there is no memory for %d streams", rp_process.threads);
        rp_process.thread = list;
        list[rp_process.threads++] = new_thread((int)fd);
        s = *end ? end + 1 : end;
    }
    if (rp_process.threads == 0) rp_fail(NULL, RP_BROKEN, "there is no stream to replay");
}

/* ---- Begin and end of MPI ---- */

static int ask_number(const char *function, uint64_t comm)
{
    typedef int get_number(uintptr_t, int *);
    get_number *get = (get_number *)rp_library_function(function);
    int n = -1;
    return get && get((uintptr_t)comm, &n) == 0 ? n : -1;
}

void rp_init_done(struct rp_thread *t)
{
    uint64_t world = rp_predefined(RP_CLASS_COMM, 2 * RP_COMM_WORLD + 1);
    int rank = ask_number("PMPI_Comm_rank", world), size = ask_number("PMPI_Comm_size", world);
    if (rp_process.size != 0 && size != rp_process.size)
        rp_fail(t, RP_BROKEN, "MPI_COMM_WORLD has %d processes, the recording needs %d", size, rp_process.size);
    if (rp_process.size != 0 && rank != rp_process.rank) rp_fail(t, RP_BROKEN, "it runs as rank %d", rank);
    rp_watch_errors();
    created_in_order = !threads; /* a tracer sees that this thread creates them */
    if (!threads) create_threads();
    __atomic_store_n(&rp_process.initialized, 1, __ATOMIC_RELEASE);
}

void rp_finalize_begins(struct rp_thread *t)
{
    for (unsigned turn = 0; !rp_threads_ended(t); turn++) {
        t->state = RP_NEEDS_THREADS;
        rp_pause(turn);
    }
    rp_process.finalized = 1;
}

static void *give_up(void *unused)
{
    (void)unused;
    sleep(rp_process.patience ? (unsigned)(rp_process.patience / 1000000000) + 2 : 30);
    _exit(RP_DONE);
}

/* A process without MPI_Finalize would end the others. A tracer does not see this one. */
static void finalize(void)
{
    typedef int finalize_function(void);
    finalize_function *f = (finalize_function *)rp_library_function("PMPI_Finalize");
    pthread_t limit;
    if (!rp_process.initialized || rp_process.finalized || !f) return;
    if (pthread_create(&limit, NULL, give_up, NULL) == 0) f();
}

/* ---- The whole ---- */

static void remove_folder(const char *path)
{
    static const char *const names[] = {"tabard-replay", "libtabardreplay.so"};
    char file[4096];
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (snprintf(file, sizeof file, "%s/%s", path, names[i]) < (int)sizeof file) unlink(file);
    rmdir(path);
}

TB_EXPORT int tabard_replay(int argc, char **argv);
TB_EXPORT int tabard_replay(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        rp_say("usage: tabard-replay DESCRIPTORS LIBRARY [FOLDER] (it is started by tabard replay)");
        return RP_BROKEN;
    }
    if (argc == 4) remove_folder(argv[3]);
    new_threads(argv[1]);
    open_library(argv[2]);
    rp_force_init();
    rp_objects_init();
    rp_memory_init();
    rp_load(rp_process.thread[0]);
    rp_watch();
    if (!initialises(rp_process.thread[0])) create_threads();
    run(rp_process.thread[0]);
    if (!threads) create_threads();
    for (int i = 1; i < rp_process.threads; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < rp_process.threads; i++) say_left_out(rp_process.thread[i]);
    finalize();
    return RP_DONE;
}
