/* What the core gives to the other rooms: the process, its threads, records of the runtime's own.
 * The wrappers' hot path is in call.h; what the core wants from a traced API is in api.h. */
#ifndef TABARD_CORE_H
#define TABARD_CORE_H
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "core/call.h"

#pragma GCC visibility push(hidden)

struct tb_process {
    int state;                     /* TB_NEW, TB_ACTIVE, TB_INERT */
    int pid;
    uint64_t pid_start;            /* field 22 of /proc/self/stat */
    uint64_t start_ns;             /* CLOCK_MONOTONIC ns when it became active */
    struct tb_control *control;    /* mapped, NULL unless active */
    char dir[1024];                /* state directory */
    char spill[1024];              /* second place for segments: when dir is full, or lies in memory and no collector
                                      drains; may be empty */
    int closed;                    /* the last call has been recorded: no records about clocks and memory any more */
    int finalized;                 /* the API has been finalized */
    int world;                     /* the API has been initialised as a whole: MPI_Init */
    int sessions;                  /* that are open */
    int had_sessions;
    int prints_summary;            /* at the end, if there is one: at most one process of a job */
    int leads;                     /* the least rank of its collector that came to MPI_Finalize, as far as it knows */
};
enum { TB_NEW = 0, TB_ACTIVE = 1, TB_INERT = 2 };
extern struct tb_process tb_process;

enum { TB_REGION_LEVELS = 64 };

/* Per thread, beside the hot part (struct tb_thread). */
struct tb_thread_private {
    uint32_t number;               /* as in segment words and file names */
    uint32_t tid;
    uintptr_t stack_low, stack_high; /* 0 if unknown */
    int muted;                     /* > 0: the runtime itself is at work, forward everything */
    void *sites;                   /* of sites/unwind.c */
    struct tb_chain *chain;        /* of core/chain.c */
    struct tbf_thread *functions;  /* of functions/write.c, mapped */
    char *statuses;                /* of mpi/statuses.c, mapped */
    size_t statuses_size;
    struct { uint32_t regions, last; } team; /* of openmp/events.c */
    struct tb_call reported;       /* a call that a library tells of when it begins and when it returns */
    /* Of regions/regions.c: how many regions the thread is in, which of them the stream has, by a bit each, and how far
     * those that recording is limited to have been entered. */
    struct { uint32_t depth; uint64_t recorded, reached[TB_REGION_LEVELS]; } regions;
    int switching;                 /* of core/control.c */
};

struct tb_thread *tb_current(void); /* this thread's state, started if need be; NULL: nothing is to be recorded */
/* Teams of threads (lives.c). The calling thread becomes the index-th, from 1, of a team of so many, which the thread
 * with a number made inside of so many others; and has done its part. */
void tb_life_join_team(uint32_t creator, uint32_t depth, uint32_t index, uint32_t size);
void tb_life_leave_team(void);
int tb_life_is_followed(void);      /* the calling thread is the process's first one, or its creation was recorded */
/* A stream that belongs to no thread, but to something that has this number among all such. Whoever writes to it sets
 * tb_self to it meanwhile, one at a time. NULL: there is no memory, or no number. */
struct tb_thread *tb_queue_stream(uint64_t which);
void tb_queue_lost(struct tb_thread *t, uint64_t calls); /* so many more are missing in it */
void tb_lives_follow(int on);       /* off: threads that the calling thread creates are members of a team */
int tb_collector_alive(void);       /* it may still free segments */
void tb_bell(void);                 /* tells it, which may be asleep, to look */
void tb_switch_tracing(int on);     /* by the program's own wish */
/* Of threads in regions that recording is limited to there is one more (1), or less (-1): it is on as long as there is
 * one. */
void tb_switch_inside(struct tb_thread *t, int more);

/* tb_call.slow */
enum { TB_SLOW_NESTED = 1, TB_SLOW_LOST = 2 };

/* ---- Records of the runtime's own ---- */

/* Writes a complete record (header and n payload words, time now) to the thread's stream: before
 * the call that is being written, if there is one. May wait for the collector; the record is
 * dropped (0) if there is no room. Not while the real function of a recorded call runs. */
void tb_emit(struct tb_thread *t, uint16_t id, const uint64_t *payload, unsigned n);
void tb_emit_fact(struct tb_thread *t, const char *text); /* a further one of the process, "key=value" */
/* A record that is written in its place: room for n payload words, NULL if there is none; then its end. */
uint64_t *tb_emit_room(struct tb_thread *t, unsigned n);
void tb_emit_done(struct tb_thread *t, uint16_t id, unsigned n);
/* As tb_emit for an event without result that has these times; a call that is running is around it. */
void tb_emit_event(struct tb_thread *t, uint16_t id, uint64_t site, uint64_t start, uint64_t end,
                   const uint64_t *payload, unsigned n);
int tb_emit_before(struct tb_call *c, uint16_t id, const uint64_t *payload, unsigned n);

/* The first word of an array, see ring.h. */
static inline uint64_t tb_count_word(int64_t n, int kind, int element_bytes)
{
    return (uint64_t)n | (uint64_t)kind << 48 | (uint64_t)element_bytes << 56;
}

/* Encodes a string as in ring.h; to must hold tb_string_words(s) words. */
static inline unsigned tb_string_words(const char *s) { return 1 + (unsigned)((strlen(s) + 7) / 8); }
static inline unsigned tb_encode_string(uint64_t *to, const char *s)
{
    size_t n = strlen(s), words = (n + 7) / 8;
    to[0] = tb_count_word((int64_t)n, TB_A_PLAIN, 1);
    if (words) to[words] = 0;
    memcpy(to + 1, s, n);
    return 1 + (unsigned)words;
}

/* Arrays in the record of a call: room for n elements after the count word, 0 if there is none or n
 * is no length at all; n plain elements. */
int tb_array_room(struct tb_call *c, int64_t n, int element_bytes);
void tb_put_bytes(struct tb_call *c, const void *a, int64_t n, int element_bytes);

/* ---- Libraries (symbols.c) ---- */

/* The library that defines a function although RTLD_NEXT does not reach it: an interpreter loaded it with
 * RTLD_LOCAL. */
void *tb_local_library(const char *function);
void *tb_symbol_behind(const char *name); /* the next definition of a name that is ours, too; NULL: there is none */
_Noreturn void tb_unresolved(const char *name, const char *library); /* the program calls what is nowhere */

/* An address in the C library: of a function that nothing here calls, since calls are led elsewhere
 * (functions/own.c). */
#define TB_LIBC_CODE ((uintptr_t)&tzset)

/* ---- Clocks ---- */

static inline uint64_t tb_monotonic(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
/* The same, whatever the program has made of the C library's clocks: to compare with what others read. */
static inline uint64_t tb_kernel_clock(void)
{
    struct timespec ts;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
void tb_clock_ordered(void); /* from now on calls have times: they are what puts those of several threads in order */
uint64_t tb_host_clock(uint64_t mono); /* what a reading of tb_monotonic is recorded as */
void tb_emit_clock(struct tb_thread *t);

#pragma GCC visibility pop
#endif
