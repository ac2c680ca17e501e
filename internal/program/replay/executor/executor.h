/* Private to the replay executor: what its C files share.
 *
 * Files: start.c (the process: library, threads, init and finalize), stream.c (words from a pipe),
 * load.c (a program into memory), compile.c (terminals: what is known before the first call), execute.c (events),
 * params.c (what a parameter needs before and after a call), outcome.c (what is left to the machine), invoke.S (the
 * call), objects.c (handles), memory.c (addresses), remote.c (those of other processes), force.c (the shim below a
 * tracer), callback.c, report.c. */
#ifndef TABARD_REPLAY_EXECUTOR_H
#define TABARD_REPLAY_EXECUTOR_H
#include <stddef.h>
#include <stdint.h>
#include "objects.h"
#include "program.h"
#include "mpi/library.h" /* of which the executor has kind.c, and its own tb_library_* (start.c) */

#pragma GCC visibility push(hidden)

enum { RP_DONE = 0, RP_BROKEN = 2, RP_STUCK = 3 }; /* exit codes */
enum { RP_SITES = 16384, RP_MAX_WORDS = 24 };

struct rp_array { uint64_t n; uint64_t *words; };
struct rp_symbol { uint32_t id; uint64_t count; };
struct rp_rule { uint64_t n; struct rp_symbol *symbols; };

/* A parameter, prepared. What a call changes of it lies in cell or room. */
struct rp_param {
    uint8_t op, class, bytes;   /* RP_OP_*; of an element */
    uint8_t next;               /* its value comes with each event */
    uint8_t word;               /* its place among the words of the call */
    uint8_t fixed_room;         /* room is not grown */
    uint64_t a, b, c;
    uint8_t strict;             /* a call with a null request is an error */
    /* other threads see the object that is created once the call has returned, not before */
    uint8_t apart;
    uint64_t *slot;             /* of the thread's own objects, NULL: a predefined object */
    const uint64_t *codes;      /* of the handles, or the numbers */
    uint64_t **slots;           /* of the handles: where each was found */
    uint64_t slots_room;
    uint64_t n;                 /* how many */
    uint64_t *own;              /* codes that came with the event, owned */
    uint64_t own_room;
    char *room;                 /* what the call is given a pointer to */
    uint64_t room_bytes;
    uint64_t cell;
};

/* What is special about a function. */
enum { RP_PLAIN, RP_INIT, RP_FINALIZE, RP_FILE_OPEN, RP_FREE_MEM, RP_WIN_DYNAMIC, RP_REMOTE };

struct rp_call {
    void *function;
    const void *site;
    const char *name, *text;
    struct rp_param *params;
    struct rp_param **before, **after; /* those that need work at each call */
    uint16_t num_before, num_after, num_params;
    uint8_t special;
    uint8_t keeps;              /* arrays of the event stay with the request that the call creates */
    uint32_t outcome, outcome_param, flags;
    int shim;                   /* number in force.c, -1 none */
    int moves;                  /* has addresses that depend on epoch */
    uint64_t epoch;
    uint64_t words[RP_MAX_WORDS];
};

/* What a non-deterministic call is to do, for the shim; see program.h. */
struct rp_forced {
    int shim;
    uint32_t kind;
    int flag;
    int64_t source, tag;
    int64_t n;
    int64_t *indices;
    uint64_t room;
};

/* What a thread is doing, for reports. */
enum { RP_IDLE, RP_IN_CALL, RP_NEEDS_WORDS, RP_NEEDS_OBJECT, RP_NEEDS_INIT, RP_NEEDS_TURN, RP_NEEDS_ORDER,
    RP_NEEDS_THREADS, RP_ENDED };

struct rp_objects {
    uint64_t *tables[RP_NUM_CLASSES];
    uint64_t slots;             /* of each table */
    void ***kept;               /* by request: memory that it reads, a NULL-terminated array */
    unsigned char *early;       /* by request: completed before the recording says so */
};

struct rp_thread {
    const uint64_t *at, *end;   /* words that were read */
    int fd, number;             /* number: of the recorded thread */
    int loaded;                 /* the program is there */
    uint64_t header[RP_HEADER_END];
    uint64_t position;          /* of end in the stream, in words */
    size_t odd_bytes;           /* of an incomplete word behind end */

    const char **strings;
    struct rp_array *arrays;
    struct rp_call *terminals;
    struct rp_rule *rules;
    uint64_t num_strings, num_arrays, num_terminals, num_rules;

    struct rp_objects objects;

    volatile int state;
    volatile uint64_t calls;    /* begun */
    struct rp_call *volatile current;
    uint64_t finished;          /* events, if there are several threads */
    /* in states RP_NEEDS_ORDER, RP_NEEDS_TURN: another thread of the process, until */
    const struct rp_thread *volatile waits_for;
    volatile uint64_t waits_events;             /* it has finished as many */
    uint64_t left_out;          /* calls that use objects which were never created */
    const char *first_left_out;
    uint64_t returned;          /* when the last call did, ns; with RP_FLAG_GAPS */
    struct rp_forced forced;
    uint64_t buffer[4096];
};

struct rp_process {
    int threads;
    struct rp_thread **thread;  /* by descriptor */
    void *library;
    const char *library_path;
    const char *scratch;        /* directory for files, NULL none */
    uint64_t flags, patience;
    int rank, size;
    int initialized, finalized; /* the program's MPI_Init returned, MPI_Finalize was called */
    int spin;                   /* every rank of this node has a core */
};
extern struct rp_process rp_process;

/* ---- stream.c ---- */
TB_COLD uint64_t rp_refill(struct rp_thread *t);
static inline uint64_t rp_next(struct rp_thread *t) { return tb_likely(t->at < t->end) ? *t->at++ : rp_refill(t); }
uint64_t rp_words_read(const struct rp_thread *t);

/* ---- load.c, compile.c, execute.c ---- */
void rp_load(struct rp_thread *t);
void rp_compile(struct rp_thread *t, struct rp_call *c, const uint64_t *header, const uint64_t *params);
void rp_execute(struct rp_thread *t);
const char *rp_string(struct rp_thread *t, uint64_t number);
const struct rp_array *rp_array(struct rp_thread *t, uint64_t number);
void *rp_alloc(struct rp_thread *t, uint64_t n, uint64_t bytes); /* zeroed; never NULL */
void *rp_grow(struct rp_thread *t, void *p, uint64_t n, uint64_t bytes);
int rp_make(struct rp_thread *t, struct rp_call *c); /* the call as prepared; what it returned */

/* ---- params.c ---- */
void rp_param_fixed(struct rp_thread *t, struct rp_call *c, struct rp_param *p); /* what does not change */
void rp_param_apart(struct rp_call *c); /* what it creates, once all its parameters are fixed */
/* Returns 0 if an object was never created. */
int rp_param_before(struct rp_thread *t, struct rp_call *c, struct rp_param *p, int make);
void rp_param_after(struct rp_call *c, struct rp_param *p, int ok);
void rp_param_unmade(struct rp_thread *t, struct rp_call *c); /* the call is left out */
void rp_param_move(struct rp_call *c, struct rp_param *p); /* addresses have changed */
int rp_param_keep(struct rp_call *c);
void rp_param_kept(struct rp_thread *t, struct rp_call *c);
int rp_param_works_before(const struct rp_param *p);
int rp_param_works_after(const struct rp_param *p);
int rp_param_moves(const struct rp_param *p);

/* ---- outcome.c ---- */
void rp_outcome_read(struct rp_thread *t, struct rp_call *c);
int rp_outcome_make(struct rp_thread *t, struct rp_call *c);
int rp_until(struct rp_thread *t, struct rp_call *c);
TB_COLD void rp_settle(struct rp_thread *t, struct rp_call *c); /* this call uses requests that completed early */

/* ---- invoke.S ---- */
uint64_t rp_invoke(void *function, const uint64_t *words, uint64_t n, const void *site);
extern const char rp_sites[];   /* one place of 8 bytes for each call site */

/* ---- objects.c ---- */
void rp_objects_init(void);
void rp_objects_of(struct rp_thread *t); /* makes the thread's tables */
/* The slot of an object in the thread's own table; NULL for predefined ones, and none. */
uint64_t *rp_slot(struct rp_thread *t, int class, uint64_t code);
uint64_t rp_number(const struct rp_thread *t, uint64_t code);     /* of an object; UINT64_MAX if it is none */
uint64_t rp_predefined(int class, uint64_t code); /* the handle that a code without a slot stands for */
extern uint64_t rp_nulls[RP_NUM_CLASSES];
static inline uint64_t rp_null(int class) { return rp_nulls[class]; }
static inline int rp_is_live(int class, uint64_t handle) { return handle != 0 && handle != rp_nulls[class]; }
TB_COLD uint64_t *rp_missing(struct rp_thread *t, int class, uint64_t *own); /* waits for another thread to create it */
/* Where the handle of an object is that the thread has in this slot, or another one has. If it is
 * not live there it is nowhere. */
static inline uint64_t *rp_find(struct rp_thread *t, int class, uint64_t *own)
{
    return tb_likely(rp_is_live(class, __atomic_load_n(own, __ATOMIC_ACQUIRE))) ? own : rp_missing(t, class, own);
}
static inline int rp_bytes(int class) { return rp_handle_bytes[tb_abi.kind][class]; }
static inline uint64_t rp_load_handle(const void *p, int bytes)
{
    return bytes == 4 ? *(const uint32_t *)p : *(const uint64_t *)p;
}
static inline void rp_store_handle(void *p, int bytes, uint64_t h)
{
    if (bytes == 4) *(uint32_t *)p = (uint32_t)h;
    else *(uint64_t *)p = h;
}
/* An object that a program got several times (MPI_Comm_group) has one number: as many handles as
 * there are references. */
int rp_counts_references(int class);
TB_COLD void rp_push_handle(int class, uint64_t *slot); /* before the call that gives another one */
TB_COLD void rp_pop_handle(int class, uint64_t *slot);  /* the last one was freed, or not given */
/* Takes NULL-terminated blocks over, and frees what was there before. */
void rp_keep_with(struct rp_thread *t, uint64_t request, void **blocks);
void rp_status_write(char *status, const uint64_t *words); /* source, tag, bytes, error | cancelled << 32 */
extern uint64_t rp_num_early;   /* requests that completed before the recording says so */

/* ---- memory.c ---- */
uint64_t rp_address_space(void); /* bytes that this process may have, UINT64_MAX for no limit */
void rp_memory_init(void);
uint64_t rp_address(uint64_t class, uint64_t segment, int64_t offset);
/* Where the library allocated it, also with RP_FLAG_OWN. */
uint64_t rp_made_address(uint64_t class, uint64_t segment, int64_t offset);
/* window is the one that the address belongs to, or NULL. */
void rp_bind(uint64_t class, uint64_t segment, int64_t offset, uint64_t address, const uint64_t *window);
/* Sees to memory at the distances from its addresses that datatypes lead over. */
void rp_reach(struct rp_thread *t, const struct rp_call *c);
/* The window has been freed, or, if it is NULL, the memory at the address. */
void rp_unbind(const uint64_t *window, uint64_t address);
extern uint64_t rp_epoch;       /* changes with every rp_bind */

/* ---- remote.c ---- */
void rp_remote_attach(struct rp_thread *t, const struct rp_call *c); /* MPI_Win_create_dynamic has created a window */
/* An address in another process becomes one that is good here. */
void rp_remote_place(const struct rp_call *c, uint64_t *words);

/* ---- force.c ---- */
enum { RP_NO_SHIM = -1 };
extern __thread struct rp_forced *rp_forced __attribute__((tls_model("initial-exec")));
/* The thread is about to open a file with success, if it goes as it did in the recording. */
extern __thread int rp_finds_file;
void rp_force_init(void);
enum rp_shim {
    RP_SHIM_RECV, RP_SHIM_RECV_C, RP_SHIM_IRECV, RP_SHIM_IRECV_C, RP_SHIM_RECV_INIT, RP_SHIM_RECV_INIT_C,
    RP_SHIM_SENDRECV, RP_SHIM_SENDRECV_C, RP_SHIM_SENDRECV_REPLACE, RP_SHIM_SENDRECV_REPLACE_C,
    RP_SHIM_ISENDRECV, RP_SHIM_ISENDRECV_C, RP_SHIM_ISENDRECV_REPLACE, RP_SHIM_ISENDRECV_REPLACE_C,
    RP_SHIM_PROBE, RP_SHIM_MPROBE, RP_SHIM_IPROBE, RP_SHIM_IMPROBE,
    RP_SHIM_TEST, RP_SHIM_TESTALL, RP_SHIM_TESTANY, RP_SHIM_TESTSOME, RP_SHIM_WAITANY, RP_SHIM_WAITSOME,
    RP_SHIM_REQUEST_GET_STATUS, RP_SHIM_WIN_TEST, RP_SHIM_PARRIVED,
    RP_SHIM_COMM_GET_ERRHANDLER, RP_SHIM_ERRHANDLER_GET, RP_SHIM_FILE_OPEN, RP_SHIM_FILE_DELETE, RP_SHIM_INIT_THREAD,
    RP_NUM_SHIMS
};
int rp_shim_of(const char *name);
int rp_shim_flag(int shim);     /* which parameter of a poll says whether it was successful; -1 for other functions */
int rp_shim_missing(int shim);  /* the library lacks the function */
void rp_watch_errors(void);

/* ---- callback.c ---- */
/* The call in progress failed in the recording. */
extern __thread uint32_t rp_fails __attribute__((tls_model("initial-exec")));
void *rp_callback(uint64_t kind);

/* ---- start.c ---- */
void rp_process_begins(struct rp_thread *t); /* header and strings of the first stream are known */
void *rp_program_function(const char *name); /* what a program would call: of a tracer, of force.c, or of the library */
void *rp_library_function(const char *name); /* the library's own, by "PMPI_X"; NULL if it lacks it */
void rp_init_done(struct rp_thread *t);
void rp_finalize_begins(struct rp_thread *t);
int rp_threads_ended(const struct rp_thread *but);

/* ---- report.c ---- */
void rp_watch(void);            /* starts the watchdog */
void rp_pause(unsigned turn);   /* in a loop that waits */
uint64_t rp_now(void);          /* ns */
void rp_error(struct rp_thread *t, struct rp_call *c, int code) __attribute__((cold));
void rp_fail(struct rp_thread *t, int code, const char *format, ...) __attribute__((cold, noreturn,
    format(printf, 3, 4)));
void rp_say(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));

#pragma GCC visibility pop
#endif
