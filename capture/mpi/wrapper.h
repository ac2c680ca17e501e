/* What the wrappers of MPI's functions need beside core/call.h: how handles and statuses look, what
 * is recorded of them, lengths that only the library knows, and what a few functions do besides. */
#ifndef TABARD_WRAPPER_H
#define TABARD_WRAPPER_H
#include "core/call.h"
#include "core/ids.h"

#pragma GCC visibility push(hidden)

/* Predefined objects: index in spec.Predefineds, and how to find the handle.
 * openmpi is the symbol whose address is the handle ("ompi_mpi_comm_world"),
 * NULL if that library has none; the other two are the handle values,
 * TB_NO_HANDLE if it is unknown there (0 is a handle: MPICH's MPI_FILE_NULL). */
#define TB_NO_HANDLE (~(uint64_t)0)
struct tb_predefined {
    uint32_t index;
    const char *openmpi;
    uint64_t mpich, mpi5;
    char nature; /* of a datatype: 'i' integer, 'u' unsigned, 'r' real, 'c' complex, 'b' another one; 0: it is none */
};
extern const struct tb_predefined tb_predefineds[];
extern const unsigned tb_num_predefineds;

/* What this process's MPI looks like; valid after the first traced call. */
struct tb_abi {
    int kind;                 /* 0 not known yet, 1 Open MPI, 2 MPICH, 3 MPI 5 */
    uint64_t handle_mask;     /* 0xffffffff for 32-bit handles */
    int handle_bytes;         /* 4 or 8, in arrays of the program */
    int status_bytes, off_source, off_tag, off_error;
    uint64_t in_place, bottom, status_ignore, statuses_ignore;
    uint64_t unweighted, weights_empty, argv_null, errcodes_ignore;
    uint64_t comm_null, request_null;
    int proc_null, root, undefined, err_in_status, any_source, any_tag;
    uint64_t done_mask, done; /* handles of requests that were complete when they were made: h & done_mask is done */
};
extern struct tb_abi tb_abi;

/* ---- Handles ---- */

static inline void tb_put_handle(struct tb_call *c, uintptr_t h) { *c->w++ = h & tb_abi.handle_mask; }
static inline uintptr_t tb_handle_at(const void *p)
{
    return tb_abi.handle_bytes == 4 ? *(const uint32_t *)p : *(const uintptr_t *)p;
}
static inline void tb_put_handle_at(struct tb_call *c, const void *p) { *c->w++ = tb_handle_at(p); }
void tb_comm_begins(uintptr_t comm);  /* the program was given a communicator */
int tb_comm_ends(uintptr_t comm);     /* it is about to free it; whether it was given */
static inline void tb_put_new_comm(struct tb_call *c, const void *p)
{
    tb_put_handle_at(c, p);
    tb_comm_begins(tb_handle_at(p));
}
static inline int tb_put_freed_comm(struct tb_call *c, const void *p)
{
    tb_put_handle_at(c, p);
    return tb_comm_ends(tb_handle_at(p));
}
void tb_put_handles(struct tb_call *c, const void *a, int64_t n);

/* ---- Requests ----
 * Those that are complete when they are made share handles. The word of such a one, TB_REQUEST_DONE, also says where
 * the program keeps it: NULL if that is not known, as where a language binding has it for a moment. */
static inline uint64_t tb_request_word(uintptr_t h, const void *at)
{
    if (tb_likely((h & tb_abi.done_mask) != tb_abi.done)) return h;
    return TB_REQUEST_DONE | (uint64_t)(h & 0xff) << 48 | ((uintptr_t)at & 0xffffffffffff);
}
static inline __attribute__((always_inline)) void tb_put_request_at(struct tb_call *c, const void *p)
{
    *c->w++ = tb_request_word(tb_handle_at(p), tb_is_binding(c, __builtin_return_address(0), TB_FRAME()) ? NULL : p);
}
static inline void tb_put_request(struct tb_call *c, uintptr_t h)
{
    *c->w++ = tb_request_word(h & tb_abi.handle_mask, NULL);
}
void tb_put_requests(struct tb_call *c, const void *a, int64_t n);
void tb_put_weights(struct tb_call *c, const void *a, int64_t n);        /* int array or MPI_UNWEIGHTED, ... */

/* ---- Statuses ---- */

void tb_put_status(struct tb_call *c, const void *status, int ret);      /* scalar: 3 reserved words */
void tb_put_statuses(struct tb_call *c, const void *statuses, int64_t n, int ret);

/* ---- Statuses that the program ignores, see TB_F_IGNORED ---- */

struct tb_status { _Alignas(16) char bytes[32]; }; /* room for one in every ABI */
extern int tb_wild;  /* how many requests of receives from any source, or with any tag, there are: see wildcards.c */
void tb_wild_begins(const void *request);
void tb_wild_freed(const void *request);             /* MPI_Request_free is about to be called */
int tb_wild_among(const void *requests, int64_t n);  /* whether one of them is such */
/* To be called after tb_end, if they were: those that are null now have completed. at is where in
 * the entry part they are. */
void tb_wild_ends(struct tb_call *c, const void *requests, int64_t n, unsigned at);
static inline int tb_is_wild(int source, int tag) { return source == tb_abi.any_source || tag == tb_abi.any_tag; }
static inline void *tb_own_status(struct tb_status *s) { return memset(s, 0, sizeof *s); }
void *tb_own_statuses(struct tb_call *c, int64_t n);  /* room for n until the call returns; NULL: there is none */
static inline void tb_put_ignored(struct tb_call *c, const void *status)
{
    c->id_flags |= (uint64_t)TB_F_IGNORED << 16;
    tb_put_status(c, status, 0);
}
static inline void tb_put_ignoreds(struct tb_call *c, const void *statuses, int64_t n)
{
    c->id_flags |= (uint64_t)TB_F_IGNORED << 16;
    tb_put_statuses(c, statuses, n, 0);
}

/* Lengths that only the library knows. They never call it with a null
 * communicator and give 0 when it fails. To be used before tb_begin or after tb_end. */
int64_t tb_local_size(uintptr_t comm);
int64_t tb_peer_size(uintptr_t comm);
int64_t tb_indegree(uintptr_t comm);
int64_t tb_outdegree(uintptr_t comm);
int64_t tb_cart_dims(uintptr_t comm);
int     tb_is_root(uintptr_t comm, int root);     /* root-only parameters are significant here */
static inline int64_t tb_sum(const int *a, int64_t n)
{
    int64_t s = 0;
    for (int64_t i = 0; i < n; i++) s += a[i];
    return s;
}
static inline int64_t tb_last(const int *a, int64_t n) { return n > 0 ? a[n - 1] : 0; }

/* Hooks called by the wrappers of a few functions (table in internal/gen). */
void tb_hook_init(struct tb_call *c, int ret);          /* after MPI_Init*, MPI_Session_init returned */
void tb_hook_finalizing(struct tb_call *c);             /* before the real MPI_Finalize; may end the record */
void tb_hook_session_end(int ret);
void tb_hook_finalize(struct tb_call *c, int ret);      /* after MPI_Finalize returned and tb_commit */
void tb_hook_pcontrol(int level);                       /* before TB_ENTER: switches tracing */
void tb_hook_info_set(const char *key, const char *value); /* before TB_ENTER */
void tb_hook_mpi_memory(struct tb_call *c, void *base, int64_t bytes);  /* memory that MPI allocated for the program;
                                                                           after tb_end, before the address is put */
void tb_hook_mpi_memory_free(struct tb_call *c, void *base);            /* memory given back: before tb_begin, after the
                                                                           address is put */

/* Spawned processes are started through the launcher, which traces them. The
 * wrapper of MPI_Comm_spawn records its own arguments, calls the hook just
 * before the real function (whether or not the call is recorded), passes the
 * real function s.command and s.argv, and ends with tb_spawn_free:
 *   struct tb_spawn s;
 *   tb_hook_spawn(&s, command, argv, info, root, comm);
 *   ret = real(s.command, s.argv, maxprocs, info, root, comm, ...);
 *   tb_spawn_free(&s);
 * MPI_Comm_spawn_multiple likewise with s.commands and s.argvs. Where nothing
 * is to be changed, s holds the arguments as they came. */
struct tb_spawn {
    char *command, **argv;             /* MPI_Comm_spawn */
    char **commands, ***argvs;         /* MPI_Comm_spawn_multiple */
    void *memory;
};
void tb_hook_spawn(struct tb_spawn *s, const char *command, char **argv, uintptr_t info, int root, uintptr_t comm);
void tb_hook_spawn_multiple(struct tb_spawn *s, int count, char **commands, char ***argvs, const void *infos, int root,
                            uintptr_t comm);
void tb_spawn_free(struct tb_spawn *s);

/* ---- What messages carry (payload.c, later.c) ---- */

/* Whether it is to be recorded for the calls of a function. */
static inline int tb_payload_wanted(int id)
{
    return tb_gate[TB_ID_payload_bytes] == TB_GATE_OPEN && tb_gate[id] == TB_GATE_OPEN;
}
/* Before the call that sends count elements; ra and frame are those of the wrapper. */
#define TB_CALLER __builtin_return_address(0), TB_FRAME()
TB_COLD void tb_payload(const void *data, int64_t count, uintptr_t type, void *ra, void *frame);
/* Before a call that sends a part to each of n: where counts, displacements and types are NULL, count, count elements
 * apart, and type. */
struct tb_parts {
    const void *data;
    int64_t n, count;
    uintptr_t type;
    const void *counts, *displacements, *types;
    int bits, displacement_bits; /* of a count, of a displacement */
    int in_bytes;       /* displacements are */
};
TB_COLD void tb_payload_parts(const struct tb_parts *p, void *ra, void *frame);
/* A persistent request, which sends this whenever it is started; partitioned, when partitions are ready. */
TB_COLD void tb_payload_keep(const void *request, const void *data, int64_t count, uintptr_t type, int64_t partitions);
TB_COLD void tb_payload_forget(const void *request);
TB_COLD void tb_payload_start(const void *requests, int64_t n, void *ra, void *frame);
TB_COLD void tb_payload_ready(uintptr_t request, int64_t first, int64_t last, const int *list, void *ra, void *frame);
/* A one-sided call that fetches, after it; and after what ends those of a window, to a target or, below 0, to any: what
 * they have brought. win is TB_NO_HANDLE for those whose requests tb_payload_gets_end has found complete, which is to be
 * called between tb_end and tb_commit; at is where in the entry part the requests are. */
TB_COLD void tb_payload_get(uintptr_t win, int target, const void *request, const void *data, int64_t count,
                            uintptr_t type);
TB_COLD void tb_payload_gets_end(const struct tb_call *c, const void *requests, int64_t n, unsigned at);
TB_COLD void tb_payload_got(uintptr_t win, int target, void *ra, void *frame);
TB_COLD void tb_payload_window_freed(const void *win);
/* How many requests, datatypes and fetching calls something is known of. */
extern int tb_payloads_kept, tb_datatypes_known, tb_payload_gets;
void tb_datatype_freed(const void *type); /* is about to be */

#pragma GCC visibility pop
#endif
