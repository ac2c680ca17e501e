/* Private to the core: the segments of one thread, and what else of its state only cold code
 * needs. */
#ifndef TABARD_CORE_INTERNAL_H
#define TABARD_CORE_INTERNAL_H
#include "core/core.h"
#include "core/point.h"

#pragma GCC visibility push(hidden)

#ifndef TB_VERSION
#define TB_VERSION "unknown"
#endif

enum { TB_RING_MAX = 256, TB_NEST_MAX = 4096, TB_SINK_WORDS = 1024 };

extern const char tb_version[] __attribute__((visibility("default")));

/* What is kept of a call whose entry part is published. */
struct tb_split { uint64_t start, site; };

struct tb_chain {
    struct tb_segment *ring[TB_RING_MAX]; /* reused in turn; ring[oldest] is the next one */
    unsigned count, oldest;
    int first;                  /* no segment file created yet */
    int given_up;               /* the collector lives, but gave nothing back for long */
    int spilled;                /* the current segment is not in the ring and will be unmapped */
    uint32_t files;             /* next k of a file name */
    uint64_t seq;               /* of the next segment */
    uint64_t lost;              /* calls since the last record */
    uint64_t retry_at;          /* CLOCK_MONOTONIC ns, when to look for room again */
    uintptr_t nest[TB_NEST_MAX]; /* outer calls of tb_thread.outer, outermost first */
    unsigned depth;
    struct tb_split splits[TB_NEST_MAX + 1]; /* by depth */
    struct tb_segment sink;     /* seg while there is no room anywhere: nobody reads it */
    uint64_t sink_words[TB_SINK_WORDS];
};

/* Everything of a thread, in one mapping. */
struct tb_thread_block {
    struct tb_thread thread;
    struct tb_thread_private priv;
    struct tb_chain chain;
};

/* chain.c */
void tb_chain_open(struct tb_thread *t);   /* gives a new or adopted thread its segment, or the sink */
/* Moves to a segment with room for the record in progress, if c, and words more;
 * 0 if there is none: the thread rests on the sink and c is marked lost. */
int tb_chain_advance(struct tb_thread *t, struct tb_call *c, uint64_t words);
void tb_chain_lost(struct tb_thread *t);   /* the call in progress is lost: counts it, rests */
void tb_chain_rest(struct tb_thread *t);   /* if on the sink: takes its room away, so that the next call tries again */
/* Makes the first words words of the record in progress a complete record. */
static inline void tb_chain_publish(struct tb_thread *t, uint64_t words)
{
    t->at += words;
    tb_publish(t->seg->pending, (uint64_t)0);
    tb_publish(t->seg->published, (uint64_t)((uintptr_t)t->at - (uintptr_t)t->base));
}

/* space.c */
int tb_space_in_memory(const char *dir);   /* its files take memory */
int tb_space_is_memory(int fd);             /* this file does */
int tb_space_for(const char *dir, uint64_t bytes); /* it, and the memory that this takes if so, can spare them */

/* intern.c */
#define TB_NO_NUMBER (~(uint64_t)0)
struct tb_intern {
    struct tb_known *last;      /* the call before */
    struct tb_known nowhere;    /* equals nothing: before the first one */
    struct tb_known **table;    /* open addressing, mask + 1 places */
    uint32_t mask, count;       /* count includes those without a number */
    uint32_t numbers;           /* given out since everything was forgotten */
    uint32_t generation;        /* counts that */
    int failed;                 /* no memory: everything is written out */
    char *chunk, *chunk_end;    /* room for more */
    unsigned at_chunk, chunks;
    size_t bytes;               /* of all chunks */
    struct { char *p; size_t size; } all[32];
    struct tb_again again[TB_AGAINS];
    int32_t fresh[TB_IDS];      /* by function: > 0 new calls, < 0 calls to leave alone; pages are touched as used */
};
struct tb_intern *tb_intern_new(void);     /* NULL: no memory */

static inline uint64_t tb_id_absent(const struct tb_call *c)
{
    return (uint32_t)c->id_flags | (uint64_t)c->absent << 32;
}

/* Whether the entry part of the record at w, with n words after its head, is that of k. */
static inline int tb_is_known(const struct tb_known *k, const struct tb_call *c, const uint64_t *w, uint64_t n)
{
    uint64_t differ = (k->words ^ n) | (k->site ^ w[3]) | (k->id_absent ^ tb_id_absent(c));
    if (tb_unlikely(differ)) return 0;
    for (uint64_t i = 0; i < n; i++) differ |= k->body[i] ^ w[5 + i];
    return !differ;
}

/* Looks for the known call that the entry part of the record in progress equals, and
 * returns it if it has a number. May write a TB_R_DEF record before the call, and so move c->w. */
const struct tb_known *tb_intern_call(struct tb_call *c);

/* threads.c */
void tb_child(void);                /* we are a forked child: from now on inert */
void tb_thread_end(void);           /* the calling thread makes no more calls; what else it makes is another thread's */
int tb_thread_pause(void);          /* the calling thread does without its state; 0: it is in a call */
struct tb_thread *tb_idle(void);    /* the calling thread, if it has state and is not in a call; else NULL */

/* lives.c: a number, and the threads that have it one after the other. */
struct tb_life {
    uint32_t number;
    uint32_t creations;         /* so many creations of a thread with this number have been recorded */
    uint32_t begun;             /* what creations was when one began that made calls */
    uint8_t used;               /* by a thread */
    uint8_t known;              /* its creation has been recorded */
    uint8_t detached, ended;    /* the C library forgets it at its end; it has ended */
    pthread_t id;               /* if known, once named */
    uint8_t named;
    void *(*start)(void *);     /* what it does */
    void *argument;
    struct tb_thread *state;    /* of the last one that made calls, for the next one; NULL: of none */
    uint64_t place;             /* in a team; 0: in none */
    uintptr_t holder;           /* with a place: who has it, with TB_LOOSE if others may take it; 0: nobody */
};
enum { TB_LOOSE = 1 };
void tb_lives_start(void);
void tb_lives_child(void);
struct tb_life *tb_life_mine(void); /* of the calling thread, with the least free number if it has none; or NULL */
struct tb_life *tb_life_queue(uint64_t which); /* of what is no thread; or NULL */
void tb_life_begins(struct tb_thread *t, struct tb_life *life); /* its first call comes now */
struct tb_thread *tb_life_resume(void); /* what the calling thread held loosely, if nobody has taken it */
/* another number for a thread whose own was that of another program's */
uint32_t tb_life_renumber(struct tb_thread *t);

/* calls.c */
void tb_call_abandon(struct tb_thread *t); /* the innermost call of the thread will never return */

/* clock.c */
void tb_clock_start(int timing);    /* chooses the clock; timing: calls get time stamps */

/* control.c */
int tb_process_start(void);         /* 1 if this process is traced; idempotent */
void tb_process_records(struct tb_thread *t); /* writes the records that open a process, once */
size_t tb_read_file(const char *path, char *to, size_t size); /* as a string; its length */

/* job.c */
int tb_job_is_another(void);        /* 1 if this process belongs to a job that cannot be recorded; may become tabard */

/* summary.c */
void tb_summary_start(void);        /* before the program can change its descriptors */
void tb_print(const char *line, size_t n); /* to standard error, if that is still what it was */
void tb_archive_wait(int print_summary); /* until the archive is written */

#pragma GCC visibility pop
#endif
