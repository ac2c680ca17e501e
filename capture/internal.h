/* Private to the runtime: what its C files share. Wrappers see runtime.h only.
 *
 * Files: runtime.c (threads, segments, records), intern.c (calls that repeat), values.c (encoders), wild.c (requests with wildcards), abi.c
 * (real functions), kind.c (what the library looks like), control.c (control file,
 * switches, start and end of the process), finalize.c (archives of several collectors
 * become one), spawn.c; and, about addresses,
 * segments.c (addresses to words), shadow.c (the heap), ranges.c (mappings),
 * memory.c and gpu.c (allocation functions), gpudriver.c, modules.c, cfi.c, unwind.c, jumps.c. */
#ifndef TABARD_INTERNAL_H
#define TABARD_INTERNAL_H
#include <pthread.h>
#include "runtime.h"

#pragma GCC visibility push(hidden)

/* ---- Given by runtime.c, control.c, abi.c ---- */

struct tb_process {
    int state;                     /* TB_NEW, TB_ACTIVE, TB_INERT */
    int pid;
    uint64_t pid_start;            /* field 22 of /proc/self/stat */
    uint64_t start_ns;             /* CLOCK_MONOTONIC ns when it became active */
    struct tb_control *control;    /* mapped, NULL unless active */
    char dir[1024];                /* state directory */
};
enum { TB_NEW = 0, TB_ACTIVE = 1, TB_INERT = 2 };
extern struct tb_process tb_process;

/* Per thread, beside the hot part (struct tb_thread). */
struct tb_thread_private {
    uint32_t number;               /* as in segment words and file names */
    uint32_t tid;
    uintptr_t stack_low, stack_high; /* 0 if unknown */
    int muted;                     /* > 0: the runtime itself is at work, forward everything */
    void *addresses;               /* of memory.c */
    void *sites;                   /* of unwind.c */
    struct tb_chain *chain;        /* of runtime.c */
    char *statuses;                /* of values.c, mapped */
    size_t statuses_size;
};

/* Writes a complete record (header and n payload words, time now) to the
 * thread's stream: before the call that is being written, if there is one. May wait for
 * the collector; the record is dropped (0) if there is no room. Not while the real function of a recorded call runs. */
void tb_emit(struct tb_thread *t, uint16_t id, const uint64_t *payload, unsigned n);
int tb_emit_before(struct tb_call *c, uint16_t id, const uint64_t *payload, unsigned n);

/* Encodes a string as in ring.h; to must hold tb_string_words(s) words. */
static inline unsigned tb_string_words(const char *s) { return 1 + (unsigned)((strlen(s) + 7) / 8); }
static inline unsigned tb_encode_string(uint64_t *to, const char *s)
{
    size_t n = strlen(s), words = (n + 7) / 8;
    to[0] = (uint64_t)n | (uint64_t)TB_A_PLAIN << 48 | (uint64_t)1 << 56;
    if (words) to[words] = 0;
    memcpy(to + 1, s, n);
    return 1 + (unsigned)words;
}

/* A function of the real MPI library by its exported name ("PMPI_Comm_rank"),
 * NULL if the library lacks it or none is loaded. Never one of ours. */
void *tb_library_symbol(const char *name);
void *tb_library_variable(const char *name); /* likewise a variable, as the program sees it */
uintptr_t tb_predefined_comm(int self); /* MPI_COMM_WORLD or MPI_COMM_SELF */
uint64_t tb_predefined_handle(uint32_t index); /* TB_PREDEFINED_*; TB_NO_HANDLE if unknown */
const void *tb_library_address(void); /* an address in the object that defines PMPI_Init, NULL if none is loaded */

int tb_is_spawned(void);  /* this process is a child of MPI_Comm_spawn */

/* ---- Given by modules.c and unwind.c ---- */

#define TB_SITE_MPI (~(uint64_t)0)

/* What goes into w3 for a call with this return address: a MODULE (or RAW)
 * segment word, a stack id (>= 1) with mode TB_SITES_STACK, 0 with
 * TB_SITES_OFF; TB_SITE_MPI in any mode if the caller is the MPI library
 * (a callback that ended in a jump to function id is not: see tb_jump_site).
 * Called on cache misses (modes off and caller), each time with mode stack.
 * Records TB_R_MODULE and TB_R_STACK by tb_emit. */
uint64_t tb_site_word(struct tb_thread *t, int id, void *return_address, void *frame, int mode);

/* The site depends on more than the return address, which lies in the MPI library
 * or a language binding of it: not to be cached by return address. */
int tb_site_varies(void *return_address);

/* Whether the stack address lies in a wrapper's frame among the callers of the
 * function with this frame: 1 yes, 0 no, -1 if the walk does not get that far. */
int tb_in_wrapper(struct tb_thread *t, void *return_address, void *frame, uintptr_t address);

/* The code at this address belongs to an MPI library or plugin (not to a
 * language binding). Any thread, no record written. */
int tb_caller_is_mpi(void *return_address);

/* ---- Given by jumps.c ---- */

/* With a return address in the MPI library: where a callback of the program
 * ended in a jump to this function, as the place after the jump; if there are several such
 * jumps, the return address. 0 if it is the library's own call. Any thread, no record written. */
uintptr_t tb_jump_site(unsigned id, void *return_address);

/* ---- Given by memory.c ---- */

/* An element of an array of displacements: the word of an address if it falls
 * into live memory that is known, else a literal. Records and moves c->w like tb_seg_word. */
uint64_t tb_displacement_word(struct tb_call *c, uint64_t v);

extern int tb_closed; /* set when MPI_Finalize has been recorded: no records about clocks and memory any more */

void tb_mem_mpi_add(struct tb_call *c, void *base, int64_t bytes);
void tb_mem_mpi_remove(struct tb_call *c, void *base);

/* Called once when the process becomes active (before its first record), for
 * each thread when it gets its state and when it ends (its number may then go
 * to another thread), and in a forked child, where no state may be trusted or
 * freed and nothing recorded. */
void tb_addr_start(void);
void tb_addr_thread(struct tb_thread *t);
void tb_addr_thread_end(struct tb_thread *t);
void tb_addr_child(void);

#pragma GCC visibility pop
#endif
