/* What a thread's function calls look like until they are written to its stream. It lies in a file that the collector
 * maps too, so that what was under way is known when the program is killed. internal/record/ring mirrors the first
 * half;
 * a test compares them.
 *
 * A frame is a call that has not returned. The calls that it has made since it was written lie in items, those of an
 * outer frame below those of an inner one, run lengths and all; when a frame returns, they become one item of the
 * frame around it. Such a tree of calls is a number: that of its function if it made no calls, else TBF_NODE and the
 * place of its node. Equal trees are one node. A node without function is a sequence that was repeated (TBF_GROUP), or
 * all that a recorded call of an API did inside. */
#ifndef TABARD_FUNCTIONS_STATE_H
#define TABARD_FUNCTIONS_STATE_H
#include "core/core.h"

#pragma GCC visibility push(hidden)

#define TBF_MAGIC 0x31464452414241ffULL /* "\xffABARDF1" */
enum {
    TBF_FRAMES = 1 << 18,    /* what is called deeper than that is not recorded, and counted */
    TBF_ITEMS = 1 << 16,
    TBF_NODES = 1 << 16,
    TBF_STORED = 1 << 18,    /* items of all nodes */
    TBF_FUNCTIONS = 1 << 20, /* of a process */
    TBF_HASH = 2 * TBF_NODES,
    TBF_CHILDREN = 4096,     /* a frame with more than so many items is written out */
    TBF_PERIOD = 8,          /* longest sequence whose repetition is seen */
    TBF_PAGE = 4096,
};
#define TBF_NODE 0x80000000u
#define TBF_GROUP 0x40000000u  /* in the number of a node: a sequence */
#define TBF_NONE 0x7fffffffu   /* as function: there is none */
#define TBF_INSIDE 0x7ffffffeu /* as function: all that a recorded call did inside */
#define TBF_COUNTED (1ull << 63)

struct tbf_frame { uintptr_t sp; uint32_t function, first; uint64_t start; };
struct tbf_node { uint32_t hash, function, first, count; };

struct tbf_state {
    uint64_t magic;
    uint32_t thread;
    uint32_t depth, opened;  /* frames; those that the stream has */
    uint32_t top;            /* items in use */
    uint32_t nodes, stored;  /* in use */
    uint32_t defined;        /* nodes that the stream has */
    uint32_t counts_any;     /* some functions are only counted */
    uint64_t base;           /* nodes that were forgotten: their numbers are not used again */
    uint64_t lost;           /* calls that were too deep, or too many at once */
    char fill[TBF_PAGE - 56];
    struct tbf_frame frames[TBF_FRAMES];
    uint64_t items[TBF_ITEMS];        /* number | how often in a row << 32 */
    struct tbf_node nodes_at[TBF_NODES];
    uint64_t stores[TBF_STORED];      /* items of nodes */
    uint64_t words[TBF_FUNCTIONS];    /* of functions, as segment words; 0: not seen by this thread yet */
    uint64_t counts[TBF_FUNCTIONS];   /* TBF_COUNTED | calls */
    /* What nobody else reads. */
    uint32_t hash[TBF_HASH];          /* nodes + 1 */
    uint64_t times[TBF_ITEMS][2];     /* of items, if calls have times */
};

enum { TBF_STACKS = 64, TBF_QUEUE = 1 << 12 };

struct tbf_event { uintptr_t sp; uint32_t function; /* TBF_NONE: a return */ };

/* One thread. It reads as zero in a forked child. */
struct tbf_thread {
    int ready;               /* events may be taken in; 0 as long as one is */
    uint32_t queued, room;   /* events that came meanwhile, from signal handlers */
    struct tbf_state *s;
    struct tb_thread *thread;
    uintptr_t inside;        /* the recorded call inside of which calls were seen last */
    uint32_t base;           /* frames below are of other stacks */
    uint32_t limit;          /* how many there may be: more are not recorded, see tbf_depth */
    uint32_t deep;           /* frames behind the last one, of calls that are too deep and tell of their ends */
    uint32_t stacks, tid;
    struct { uintptr_t low, high; uint32_t base; } stack[TBF_STACKS];
    uint64_t returns;        /* of calls that made calls, since nodes were forgotten last */
    struct tbf_event *queue;
};
extern __thread struct tbf_thread *tbf_self __attribute__((tls_model("initial-exec")));
extern struct tbf_thread tbf_nobody;  /* no event yet */
extern struct tbf_thread tbf_refused; /* never any */
extern int tbf_times;
/* How many levels of functions are recorded, and whether that was asked for: then TBF_INSIDE is no level. */
extern uint32_t tbf_depth, tbf_limited;
/* Of functions of the C library and of all libraries, if they are seen. */
extern struct tbf_numbers { uint32_t first, count; } tbf_libc, tbf_libraries;

/* events.c: for events that say whose return it is, and where `at` is the end of the function's frame, or, where that
 * is not known (exact: 0), a place in it. What was put in line has the frame of the function that it is in. */
extern int tbf_told; /* such events come */
int tbf_enter_near(uint32_t function, uintptr_t at, int inlined);
void tbf_leave_near(uint32_t function, uintptr_t at, int exact);
void tbf_drain(struct tbf_thread *t); /* takes in what was queued */
void tbf_pop(struct tbf_thread *t);

/* write.c: to be called by tb_function_saved, or in an ordinary place. The argument is the thread, but for begin. */
void tbf_begin(void *unused);       /* sets tbf_self */
void tbf_write(void *thread);       /* all that there is */
void tbf_close(void *thread);       /* the innermost frame returns, which the stream has */
void tbf_forget(void *thread);      /* there is no room for another node: writes all, and begins anew */
void tbf_room(void *thread);        /* for more in the queue */
struct tbf_seen { struct tbf_thread *t; uint32_t function; };
void tbf_see(void *seen);           /* the first call of a function in this thread */

/* instrument.c */
uintptr_t tbf_address(uint32_t function);
struct tb_module *tbf_module(uint32_t function, uintptr_t address);

#pragma GCC visibility pop
#endif
