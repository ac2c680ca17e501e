//go:build ignore

/* The shim: functions that stand between a tracer, or the executor, and the library. It acts on the
 * call that the executor is making (rp_forced, one per thread), and passes everything else on, the
 * library's own calls above all. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "executor.h"

__thread struct rp_forced *rp_forced __attribute__((tls_model("initial-exec")));

__thread int rp_finds_file;

enum { NO = 15 };

/* Name, number of parameters; where source and tag are, or the flag of a poll. */
#define SHIMS(X) \
    X(RECV, Recv, 7, 3, NO) X(RECV_C, Recv_c, 7, 3, NO) X(IRECV, Irecv, 7, 3, NO) X(IRECV_C, Irecv_c, 7, 3, NO) \
    X(RECV_INIT, Recv_init, 7, 3, NO) X(RECV_INIT_C, Recv_init_c, 7, 3, NO) \
    X(SENDRECV, Sendrecv, 12, 8, NO) X(SENDRECV_C, Sendrecv_c, 12, 8, NO) \
    X(SENDRECV_REPLACE, Sendrecv_replace, 9, 5, NO) X(SENDRECV_REPLACE_C, Sendrecv_replace_c, 9, 5, NO) \
    X(ISENDRECV, Isendrecv, 12, 8, NO) X(ISENDRECV_C, Isendrecv_c, 12, 8, NO) \
    X(ISENDRECV_REPLACE, Isendrecv_replace, 9, 5, NO) X(ISENDRECV_REPLACE_C, Isendrecv_replace_c, 9, 5, NO) \
    X(PROBE, Probe, 4, 0, NO) X(MPROBE, Mprobe, 5, 0, NO) X(IPROBE, Iprobe, 5, 0, 3) X(IMPROBE, Improbe, 6, 0, 3) \
    X(TEST, Test, 3, NO, 1) X(TESTALL, Testall, 4, NO, 2) X(TESTANY, Testany, 5, NO, 3) X(TESTSOME, Testsome, 5, NO, 2) \
    X(WAITANY, Waitany, 4, NO, NO) X(WAITSOME, Waitsome, 5, NO, NO) \
    X(REQUEST_GET_STATUS, Request_get_status, 3, NO, 1) X(WIN_TEST, Win_test, 2, NO, 1) X(PARRIVED, Parrived, 3, NO, 2) \
    X(COMM_GET_ERRHANDLER, Comm_get_errhandler, 2, NO, NO) X(ERRHANDLER_GET, Errhandler_get, 2, NO, NO) \
    X(FILE_OPEN, File_open, 5, NO, NO) X(FILE_DELETE, File_delete, 2, NO, NO) \
    X(INIT_THREAD, Init_thread, 4, NO, NO)

static const struct shim { const char *name; unsigned char params, source, flag; } shims[] = {
#define ROW(id, name, params, source, flag) [RP_SHIM_##id] = {"PMPI_" #name, params, source, flag},
    SHIMS(ROW)
#undef ROW
};

static void *real[RP_NUM_SHIMS]; /* of the library */
static void *wait_one, *wait_all, *win_wait;

void rp_force_init(void)
{
    for (int i = 0; i < RP_NUM_SHIMS; i++) {
        real[i] = rp_library_function(shims[i].name);
        if (!real[i]) real[i] = rp_library_function(shims[i].name + 1);
    }
    wait_one = rp_library_function("PMPI_Wait");
    wait_all = rp_library_function("PMPI_Waitall");
    win_wait = rp_library_function("PMPI_Win_wait");
}

int rp_shim_of(const char *name)
{
    for (int i = 0; i < RP_NUM_SHIMS; i++)
        if (strcmp(shims[i].name + 1, name) == 0) return i;
    return RP_NO_SHIM;
}

int rp_shim_missing(int shim) { return real[shim] == NULL; }
int rp_shim_flag(int shim) { return shim < 0 || shims[shim].flag == NO ? -1 : shims[shim].flag; }

/* ---- Asking the library ---- */

static int ask(int id, const uint64_t *w) { return (int)rp_invoke(real[id], w, shims[id].params, rp_sites); }

static int ask2(void *function, uint64_t a, uint64_t b)
{
    uint64_t w[RP_MAX_WORDS] = {a, b};
    return (int)rp_invoke(function, w, 2, rp_sites);
}

static int *number(uint64_t pointer) { return (int *)(uintptr_t)pointer; }

static int wait_for(uint64_t requests, int64_t i, uint64_t statuses, int64_t k)
{
    uint64_t status = statuses == tb_abi.statuses_ignore || statuses == tb_abi.status_ignore
        ? tb_abi.status_ignore : statuses + (uint64_t)k * (uint64_t)tb_abi.status_bytes;
    return ask2(wait_one, requests + (uint64_t)i * (uint64_t)tb_abi.handle_bytes, status);
}

/* ---- What was recorded ---- */

static void set_source(int id, const struct rp_forced *f, uint64_t *w)
{
    unsigned at = shims[id].source;
    if (at == NO) return;
    if (f->source != RP_ANY) w[at] = (uint64_t)(uint32_t)f->source;
    if (f->tag != RP_ANY) w[at + 1] = (uint64_t)(uint32_t)f->tag;
}

/* A poll that was successful waits. */
static int succeed(int id, const struct rp_forced *f, uint64_t *w)
{
    int *flag = number(w[shims[id].flag]), ret = 0;
    set_source(id, f, w);
    switch (id) {
    case RP_SHIM_TEST: ret = ask2(wait_one, w[0], w[2]); break;
    case RP_SHIM_TESTALL: {
        uint64_t all[RP_MAX_WORDS] = {w[0], w[1], w[3]};
        ret = (int)rp_invoke(wait_all, all, 3, rp_sites);
        break;
    }
    case RP_SHIM_IPROBE: {
        uint64_t probe[RP_MAX_WORDS] = {w[0], w[1], w[2], w[4]};
        ret = ask(RP_SHIM_PROBE, probe);
        break;
    }
    case RP_SHIM_IMPROBE: {
        uint64_t probe[RP_MAX_WORDS] = {w[0], w[1], w[2], w[4], w[5]};
        ret = ask(RP_SHIM_MPROBE, probe);
        break;
    }
    case RP_SHIM_WIN_TEST: ret = ask2(win_wait, w[0], 0); break;
    default:
        for (unsigned turn = 0; (ret = ask(id, w)) == 0 && !*flag; turn++) rp_pause(turn);
    }
    *flag = 1;
    return ret;
}

static int one(int id, const struct rp_forced *f, uint64_t *w)
{
    int *index = number(w[2]), *flag = id == RP_SHIM_TESTANY ? number(w[3]) : NULL, ret;
    uint64_t status = w[flag ? 4 : 3];
    if (!f->flag) {
        *index = tb_abi.undefined, *flag = 0;
        return 0;
    }
    if (f->n == 0) { /* there was no active request; should one be here, it must not be waited for */
        int some;
        uint64_t any[RP_MAX_WORDS] = {w[0], w[1], w[2], (uint64_t)(uintptr_t)(flag ? flag : &some), status};
        ret = ask(RP_SHIM_TESTANY, any);
        *index = tb_abi.undefined;
    } else {
        if (f->indices[0] >= (int)w[0]) return ask(id, w);
        ret = wait_for(w[1], f->indices[0], status, 0);
        *index = (int)f->indices[0];
    }
    if (flag) *flag = 1;
    return ret;
}

static int some(int id, const struct rp_forced *f, uint64_t *w)
{
    int *indices = number(w[3]), failed = 0;
    uint64_t statuses = w[4];
    for (int64_t k = 0; k < f->n; k++)
        if (f->indices[k] >= (int)w[0]) return ask(id, w);
    if (f->n < 0) {
        int ret = ask(RP_SHIM_TESTSOME, w);
        *number(w[2]) = tb_abi.undefined;
        return ret;
    }
    for (int64_t k = 0; k < f->n; k++) {
        int ret = wait_for(w[1], f->indices[k], statuses, k);
        indices[k] = (int)f->indices[k];
        failed |= ret != 0;
        if (statuses != tb_abi.statuses_ignore)
            *number(statuses + (uint64_t)k * (uint64_t)tb_abi.status_bytes + (uint64_t)tb_abi.off_error) = ret;
    }
    *number(w[2]) = (int)f->n;
    return failed ? tb_abi.err_in_status : 0;
}

static int act(int id, const struct rp_forced *f, uint64_t *w)
{
    switch (f->kind) {
    case RP_OUTCOME_SOURCE:
        set_source(id, f, w);
        return ask(id, w);
    case RP_OUTCOME_FLAG: case RP_OUTCOME_POLLS:
        if (shims[id].flag == NO) return ask(id, w);
        if (f->flag) return succeed(id, f, w);
        *number(w[shims[id].flag]) = 0;
        return 0;
    case RP_OUTCOME_INDEX: return id == RP_SHIM_WAITANY || id == RP_SHIM_TESTANY ? one(id, f, w) : ask(id, w);
    case RP_OUTCOME_SOME: return id == RP_SHIM_WAITSOME || id == RP_SHIM_TESTSOME ? some(id, f, w) : ask(id, w);
    default: return ask(id, w);
    }
}

/* ---- What is hidden from the program and its tracer ---- */

static uint64_t error_handler; /* of ours, on MPI_COMM_WORLD and MPI_COMM_SELF */

static void ignore_error(void) {}

void rp_watch_errors(void)
{
    typedef int create_function(void (*)(void), uint64_t *);
    create_function *create = (create_function *)rp_library_function("PMPI_Comm_create_errhandler");
    void *set = rp_library_function("PMPI_Comm_set_errhandler");
    if (!create || !set || create(ignore_error, &error_handler) != 0) return;
    ask2(set, rp_predefined(RP_CLASS_COMM, 2 * RP_COMM_WORLD + 1), error_handler);
    ask2(set, rp_predefined(RP_CLASS_COMM, 2 * RP_COMM_SELF + 1), error_handler);
}

/* The program gets a reference to the handler that it would have had; frees of it must find one. */
static int get_error_handler(int id, uint64_t *w)
{
    void *to = (void *)(uintptr_t)w[1], *set = rp_library_function("PMPI_Comm_set_errhandler"),
        *drop = rp_library_function("PMPI_Errhandler_free");
    int ret = ask(id, w);
    uint64_t reference = error_handler, fatal = rp_predefined(RP_CLASS_ERRHANDLER, 2 * RP_ERRORS_ARE_FATAL + 1);
    if (ret != 0 || !error_handler || !drop || rp_load_handle(to, rp_bytes(RP_CLASS_ERRHANDLER)) != error_handler)
        return ret;
    ask2(drop, (uint64_t)(uintptr_t)&reference, 0);
    ask2(set, w[0], fatal);
    ret = ask(id, w);
    ask2(set, w[0], error_handler);
    return ret;
}

/* The name of a file in the directory for them; files that the program only finds are made, with
 * something to read. */
static uint64_t scratch_name(char *to, size_t room, const char *name, int exists)
{
    size_t length = strlen(name);
    if (length > NAME_MAX - 1) name += length - (NAME_MAX - 1);
    int at = snprintf(to, room, "%s/", rp_process.scratch);
    snprintf(to + at, room - (size_t)at, "%s", name);
    int up = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    for (char *c = to + at; *c; c++) /* a colon would end the kind of a file system: ROMIO opens what follows it */
        if (*c == '/' || *c == ':' || up) *c = '%';
    if (exists) {
        int fd = open(to, O_CREAT | O_EXCL | O_RDWR, 0600);
        if (fd >= 0 && ftruncate(fd, 1 << 30) == 0) {}
        if (fd >= 0) close(fd);
    }
    return (uint64_t)(uintptr_t)to;
}

/* Whether this is the process that creates files in collective calls, and before others do
 * anything. */
static int is_first(uint64_t comm)
{
    int rank = -1;
    void *ask_rank = rp_library_function("PMPI_Comm_rank");
    return ask_rank && ask2(ask_rank, comm, (uint64_t)(uintptr_t)&rank) == 0 && rank == 0;
}

static int file(int id, uint64_t *w)
{
    char name[PATH_MAX + NAME_MAX];
    int at = id == RP_SHIM_FILE_OPEN;
    uint64_t create = tb_abi.kind == 3 ? 2 : 1, exclusive = tb_abi.kind == 3 ? 8 : 64, mode = at ? w[2] : create;
    int exists = !(mode & create) && rp_finds_file;
    if (!rp_process.scratch || !w[at]) return ask(id, w);
    w[at] = scratch_name(name, sizeof name, (const char *)(uintptr_t)w[at], exists);
    /* the program did so, if it is there */
    if ((mode & create) && (mode & exclusive) && rp_finds_file && is_first(w[0])) unlink(name);
    return ask(id, w);
}

/* Streams of several threads are replayed without the locks of the program. PMPI_Init itself must
 * not be exported: a tracer takes the object that has it for the MPI library. */
static int init_thread(uint64_t *w)
{
    int multiple = tb_abi.kind == 3 ? 4096 : 3, required = (int)w[2], *provided = number(w[3]);
    if (rp_process.threads > 1) w[2] = (uint64_t)multiple;
    int ret = ask(RP_SHIM_INIT_THREAD, w);
    if (*provided > required && rp_process.threads > 1) *provided = required;
    return ret;
}

/* ---- The exported functions ---- */

static TB_COLD int enter(int id, uint64_t *w)
{
    struct rp_forced *f = rp_forced;
    if (!real[id]) rp_fail(NULL, RP_BROKEN, "%s has no %s", rp_process.library_path, shims[id].name + 1);
    if (f && f->shim == id) {
        rp_forced = NULL;
        return act(id, f, w);
    }
    switch (id) {
    case RP_SHIM_COMM_GET_ERRHANDLER: case RP_SHIM_ERRHANDLER_GET: return get_error_handler(id, w);
    case RP_SHIM_FILE_OPEN: case RP_SHIM_FILE_DELETE: return file(id, w);
    case RP_SHIM_INIT_THREAD: return init_thread(w);
    default: return ask(id, w);
    }
}

#define W2 uint64_t a, uint64_t b
#define W3 W2, uint64_t c
#define W4 W3, uint64_t d
#define W5 W4, uint64_t e
#define W6 W5, uint64_t f
#define W7 W6, uint64_t g
#define W9 W7, uint64_t h, uint64_t i
#define W12 W9, uint64_t j, uint64_t k, uint64_t l
#define A2 a, b
#define A3 A2, c
#define A4 A3, d
#define A5 A4, e
#define A6 A5, f
#define A7 A6, g
#define A9 A7, h, i
#define A12 A9, j, k, l

/* Those of the last rows are never passed on unseen. */
#define EXPORT(id, name, n, source, at) \
    TB_EXPORT int MPI_##name(W##n); \
    TB_EXPORT int MPI_##name(W##n) \
    { \
        if (tb_likely(!rp_forced && real[RP_SHIM_##id] && RP_SHIM_##id < RP_SHIM_COMM_GET_ERRHANDLER)) \
            return ((int (*)(W##n))real[RP_SHIM_##id])(A##n); \
        uint64_t w[RP_MAX_WORDS] = {A##n}; \
        return enter(RP_SHIM_##id, w); \
    } \
    TB_EXPORT int PMPI_##name(W##n) __attribute__((alias("MPI_" #name)));
SHIMS(EXPORT)
