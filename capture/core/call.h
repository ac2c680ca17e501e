/* What a generated wrapper needs. The hot path is inline, takes no lock,
 * allocates nothing and preserves errno; everything rare is a call. */
#ifndef TABARD_CALL_H
#define TABARD_CALL_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "core/ring.h"
#include "functions/functions.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "Tabard records on x86-64 and AArch64 only: frames, clock and calls of other processors are not known here"
#endif

#define TB_EXPORT __attribute__((visibility("default")))
#define TB_HIDDEN __attribute__((visibility("hidden")))
#define TB_COLD __attribute__((cold, noinline))
/* What another thread may change at any moment, and old values do no harm. */
#define tb_relaxed(v) __atomic_load_n(&(v), __ATOMIC_RELAXED)
/* Of what sanitizers call before they are ready for code that they have instrumented. */
#define TB_UNSANITIZED __attribute__((no_sanitize("address", "thread")))
#define tb_likely(x) __builtin_expect(!!(x), 1)
#define tb_unlikely(x) __builtin_expect(!!(x), 0)

#pragma GCC visibility push(hidden)

/* ---- Tables that the generator emits (mpi/gen/wrap.c) ---- */

extern void *tb_real[];                   /* real functions by id, filled lazily */
extern const char *const tb_names[];      /* by id, NULL for ids without a function */
extern const unsigned char tb_fn_flags[]; /* TB_FN_* by id, and from bit TB_FN_KIND on the kind of events */
extern const unsigned tb_num_ids;         /* entries of the three tables above */
enum { TB_FN_LIFECYCLE = 1,               /* recorded as hidden even when filtered out or off */
       TB_FN_SITELESS = 2,                /* recorded without a call site */
       TB_FN_OUTERMOST = 4,               /* recorded only outside of calls of its kind */
       TB_FN_KIND = 4 };

void *tb_resolve(int id);  /* never NULL: for a function that the library lacks it ends the
                              process with the message of an unresolved symbol */
#define TB_REAL(id) (tb_likely(tb_relaxed(tb_real[id]) != NULL) ? tb_relaxed(tb_real[id]) : tb_resolve(id))

/* One entry of a thread's cache of call sites: key is the return address
 * xor tb_site_key, which changes whenever known addresses may be stale. Where the site has callers in it, too,
 * the word is TB_SITE_CALLERS, and the rest says how to get to the next one: its frame ends at sp or fp + cfa;
 * from there on fp is saved at + fp (0: unchanged), the return address at + ra. Those of callers have a hash of
 * all return addresses as key. binding: the call is a language binding's. */
struct tb_site_entry { uintptr_t key; uint64_t word; int32_t cfa, fp, ra; int16_t by_fp, binding; };
enum { TB_SITE_CACHE = 256, TB_CALLER_CACHE = 512 };
#define TB_SITE_CALLERS (~(uint64_t)1)
extern uintptr_t tb_site_key;

struct tb_call;
struct tb_again;

/* One traced thread. Lies on pages that read as zero in a forked child. */
struct tb_thread {
    uint64_t *at;             /* where the next record starts */
    uint64_t *limit;          /* end of seg's records */
    uint64_t *base;           /* first record word of seg */
    struct tb_segment *seg;   /* current segment, never NULL in a live thread */
    uintptr_t outer;          /* innermost call in progress (struct tb_call *) | TB_BUILDING ... */
    uint64_t clock_due;       /* ticks at which the next TB_R_CLOCK is due */
    struct tb_intern *intern; /* of core/intern.c, never NULL in a live thread */
    struct tb_again *again;   /* of core/point.h, likewise */
    struct tb_thread_private *priv;
    uintptr_t held;           /* != 0: events wait to be written before the next call, see api.h */
    struct tb_site_entry sites[TB_SITE_CACHE], callers[TB_CALLER_CACHE];
};
/* Tags of tb_thread.outer. A call that arrives while its outer call is being
 * written (signal handler, helper query) is only forwarded. */
enum { TB_SPLIT = 1,      /* the entry part has been published as a TB_F_ENTER record */
       TB_BUILDING = 2 }; /* between tb_enter and tb_begin, or tb_end and tb_commit */

extern __thread struct tb_thread *tb_self __attribute__((tls_model("initial-exec")));

/* An entry part that was seen before. What follows number is the payload of the
 * TB_R_DEF record. */
struct tb_known {
    struct tb_known *next;    /* what followed last time */
    uint64_t words;           /* of body */
    uint64_t hash;
    uint64_t number;
    uint64_t id_absent;       /* low half of w0 | absent mask << 32 */
    uint64_t site;
    uint64_t body[];
};

/* A call in progress, on the wrapper's stack. */
struct tb_call {
    struct tb_thread *t;      /* NULL: not recorded (any more), only forwarded */
    uint64_t *w;              /* next word to write */
    uint64_t id_flags;        /* low 32 bits of w0 */
    uint32_t absent;
    uint32_t slow;            /* != 0: tb_commit takes the slow path (TB_SLOW_*) */
    const struct tb_known *known; /* the record refers to this, NULL: it is complete */
    uint64_t end;             /* return time, for tb_end_slow; 0: that of the entry */
};
/* Words that every room request leaves free: the fixed part of any function fits. */
enum { TB_RESERVE = 64 };
/* Values of tb_gate. */
enum { TB_GATE_OPEN = 0, TB_GATE_SKIP = 1, TB_GATE_HIDE = 2 };

/* The life of a wrapper:
 *   struct tb_call c;
 *   if (!TB_ENTER(&c, id, words)) return real(...);     -- reserves words + 5 words
 *   c.absent |= ...; tb_put_*(&c, ...) for each slot known on entry
 *   tb_begin(&c);                                       -- entry time; publishes the entry part
 *   ret = real(...);
 *   if (tb_end(&c, ret, words)) tb_put_*(...) for each slot known on return
 *   tb_commit(&c);
 * words is the fixed part only, at most TB_RESERVE; variable parts make their own room. tb_end
 * returns 0 if nothing is recorded any more; otherwise the wrapper itself
 * decides by ret (0 is success) which slots there are. c.absent may be
 * extended until tb_commit. For functions that return no error code ret is 0
 * and the value is an ordinary word. Hooks with a struct tb_call may be called
 * between tb_end and tb_commit, or after tb_commit; those without one anywhere.
 * No wrapper may return between TB_ENTER and tb_commit other than by an
 * exception or longjmp of the real function. */
TB_COLD int tb_enter_slow(struct tb_call *c, int id, unsigned words, void *return_address, void *frame);
TB_COLD int tb_end_slow(struct tb_call *c, int ret, unsigned words);
TB_COLD void tb_commit_slow(struct tb_call *c);
TB_COLD void tb_clock_tick(struct tb_thread *t);
TB_COLD uint64_t tb_now_slow(void);
TB_COLD uint64_t tb_site_miss(struct tb_call *c, void *return_address, void *frame);
uint64_t tb_site_callers(struct tb_call *c, void *return_address, void *frame);

extern unsigned char tb_gate[];  /* by id: 0 record, else TB_GATE_* (filtered out, tracing off) */
extern int tb_clock;             /* of time stamps: 1 cycle counter, 2 clock_gettime, 0 none */
extern int tb_clock_source;      /* what the clock is once it runs: without timing, from the second thread on */
extern int tb_site_mode;         /* TB_SITES_* */

static inline uint64_t tb_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
#else
    return tb_now_slow();
#endif
}

static inline uint64_t tb_now(void)
{
#ifdef TB_NO_TIMING
    return 0;
#else
    return tb_likely(tb_relaxed(tb_clock) == 1) ? tb_ticks() : tb_now_slow();
#endif
}

/* Stores that the collector, or a signal handler on this thread, must see in this order. */
#define tb_publish(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)
#define tb_barrier() __asm__ volatile("" ::: "memory")

/* A function's frame: where the caller's frame pointer is saved (tb_frame_record), and the end of
 * it all, which is the caller's stack pointer at the call (tb_frame_end). On AArch64 the one does
 * not follow from the other; the distance, a multiple of 16, is put into the bits that addresses of
 * user space do not use. */
#if defined(__aarch64__)
#define TB_FRAME() \
    ((void *)((uintptr_t)__builtin_frame_address(0) | \
              ((uintptr_t)__builtin_dwarf_cfa() - (uintptr_t)__builtin_frame_address(0)) << 44))
static inline uintptr_t tb_frame_record(void *frame) { return (uintptr_t)frame & 0xffffffffffffULL; }
static inline uintptr_t tb_frame_end(void *frame) { return tb_frame_record(frame) + ((uintptr_t)frame >> 48 << 4); }
#else
#define TB_FRAME() __builtin_frame_address(0)
static inline uintptr_t tb_frame_record(void *frame) { return (uintptr_t)frame; }
static inline uintptr_t tb_frame_end(void *frame) { return (uintptr_t)frame + 16; }
#endif

/* A function that is seen may have ended in a jump to the wrapper. */
static inline uintptr_t tb_call_return(void *ra, void *frame)
{
    return tb_function_return((uintptr_t)ra, tb_frame_end(frame) - 8);
}

static inline uint64_t tb_site(struct tb_call *c, void *ra, void *frame)
{
    uintptr_t a = tb_call_return(ra, frame), key = a ^ tb_site_key;
    struct tb_site_entry *e = &c->t->sites[(a ^ a >> 8) % TB_SITE_CACHE];
    ra = (void *)a;
    if (tb_unlikely(e->key != key)) return tb_site_miss(c, ra, frame);
    return e->word == TB_SITE_CALLERS ? tb_site_callers(c, ra, frame) : e->word;
}

/* Whether the call of a wrapper is a language binding's, or may be. */
static inline int tb_is_binding(struct tb_call *c, void *ra, void *frame)
{
    uintptr_t a = tb_call_return(ra, frame);
    const struct tb_site_entry *e = c->t ? &c->t->sites[(a ^ a >> 8) % TB_SITE_CACHE] : NULL;
    return !e || e->key != (a ^ tb_site_key) || e->binding;
}

static inline __attribute__((always_inline))
int tb_enter(struct tb_call *c, int id, unsigned words, void *ra, void *frame, int sited)
{
#ifdef TB_NOOP
    (void)id, (void)words, (void)ra, (void)frame, (void)sited;
    c->t = NULL, c->absent = 0;
    return 0;
#else
    struct tb_thread *t = tb_self;
    if (tb_unlikely((t->outer | t->held) != 0 || tb_relaxed(tb_gate[id]) != 0))
        return tb_enter_slow(c, id, words, ra, frame);
    c->t = t;
    c->id_flags = (uint64_t)id;
    c->absent = 0;
    c->slow = 0;
    t->outer = (uintptr_t)c | TB_BUILDING;
    tb_barrier(); /* a signal handler that calls MPI from here on leaves t->at alone */
    uint64_t *w = t->at;
    if (tb_unlikely((int64_t)((uintptr_t)t->limit - (uintptr_t)w) < (int64_t)(words + 5) * 8)) {
        t->outer = 0;
        return tb_enter_slow(c, id, words, ra, frame);
    }
    tb_publish(t->seg->in_call, 1u);
    c->w = w + 5;
    uint64_t site = sited ? tb_site(c, ra, frame) : 0; /* may write records and so move c->w */
    if (tb_unlikely(c->t == NULL)) return 0;
    t->at[3] = site;
    return 1;
#endif
}

#define TB_ENTER(c, id, words) tb_enter(c, id, words, __builtin_return_address(0), TB_FRAME(), 1)

void tb_begin(struct tb_call *c);

/* Where the return code lies, as the upper half of a word. */
static inline uint32_t *tb_ret(struct tb_call *c) { return (uint32_t *)&c->t->at[c->known ? 3 : 4] + 1; }

static inline __attribute__((always_inline)) int tb_end_at(struct tb_call *c, uint64_t end, int ret, unsigned words)
{
    struct tb_thread *t = c->t;
    if (tb_unlikely(t->outer != (uintptr_t)c || words > (uint64_t)(t->limit - c->w))) {
        c->end = end;
        return tb_end_slow(c, ret, words);
    }
    tb_publish(t->outer, (uintptr_t)c | TB_BUILDING);
    tb_barrier();
    if (tb_unlikely(c->w < t->at)) { /* a signal handler made calls since the test */
        tb_publish(t->outer, (uintptr_t)c | TB_SPLIT);
        c->end = end;
        return tb_end_slow(c, ret, words);
    }
    t->at[2] = end;
    *tb_ret(c) = (uint32_t)ret;
    return 1;
}
static inline __attribute__((always_inline)) int tb_end(struct tb_call *c, int ret, unsigned words)
{
    return tb_end_at(c, tb_now(), ret, words);
}

/* The record at t->at is complete up to next. */
static inline __attribute__((always_inline)) void tb_record_ends(struct tb_thread *t, uint64_t *next, uint64_t end)
{
    struct tb_segment *s = t->seg;
    tb_publish(s->pending, (uint64_t)0); /* first: pending must never point behind the record */
    tb_publish(s->published, (uint64_t)((uintptr_t)next - (uintptr_t)t->base));
    t->at = next;
    tb_publish(s->in_call, 0u);
    tb_publish(t->outer, (uintptr_t)0);
    /* The collector has read what lay here before: bring the lines back in time. */
    __builtin_prefetch((char *)next + 512, 1);
    __builtin_prefetch((char *)next + 576, 1);
    if (tb_unlikely(end >= t->clock_due)) tb_clock_tick(t);
}

static inline __attribute__((always_inline)) void tb_commit(struct tb_call *c)
{
    if (tb_unlikely(c->slow || (c->known && c->known->id_absent >> 32 != c->absent))) {
        tb_commit_slow(c);
        return;
    }
    uint64_t *w = c->t->at, *next = c->w;
    w[0] = c->id_flags | (uint64_t)(next - w) << 32;
    if (!c->known) *(uint32_t *)&w[4] = c->absent;
    tb_record_ends(c->t, next, w[2]);
}

/* In place of the function, tb_end and tb_commit, and tb_begin, too: an event without length. */
static inline __attribute__((always_inline)) void tb_instant_end(struct tb_call *c)
{
    struct tb_thread *t = c->t;
    int split = t->outer != (uintptr_t)c;
    if (tb_likely(!split)) {
        tb_publish(t->outer, (uintptr_t)c | TB_BUILDING);
        tb_barrier();
        if (tb_unlikely(split = c->w < t->at)) tb_publish(t->outer, (uintptr_t)c | TB_SPLIT); /* as in tb_end */
    }
    if (tb_unlikely(split)) { /* a signal handler made calls */
        c->end = 0;
        tb_end_slow(c, 0, 0);
    } else {
        t->at[2] = t->at[1];
        *tb_ret(c) = 0;
    }
    tb_commit(c);
}
static inline void tb_instant(struct tb_call *c)
{
    tb_begin(c);
    tb_instant_end(c);
}

/* Make room for n more words, moving the record to the next segment if need
 * be; 0 if there is none and the record is given up. A call that was given up
 * writes to a small private buffer, so that a few words after a failed tb_room do no harm. */
TB_COLD int tb_room_slow(struct tb_call *c, uint64_t n);
static inline int tb_room(struct tb_call *c, uint64_t n)
{
    return tb_likely(n + TB_RESERVE <= (uint64_t)(c->t->limit - c->w)) ? 1 : tb_room_slow(c, n);
}

/* Scalars: room has been reserved by tb_enter / tb_end. */
static inline void tb_put(struct tb_call *c, uint64_t v) { *c->w++ = v; }
static inline void tb_put_int(struct tb_call *c, int64_t v) { *c->w++ = (uint64_t)v; }
uint64_t tb_seg_word(struct tb_call *c, uintptr_t address);  /* may record TB_R_SEGALLOC before the call */
static inline void tb_put_address(struct tb_call *c, uintptr_t a)
{
    if (a + 4096 < 8192) { /* NULL and every sentinel */
        *c->w++ = a & 0x0fffffffffffffffULL;
        return;
    }
    uint64_t s = tb_seg_word(c, a); /* moves c->w */
    *c->w++ = s;
}

void tb_callback_seen(uintptr_t function);  /* the program hands it to the library */
static inline void tb_put_callback(struct tb_call *c, uintptr_t function)
{
    tb_callback_seen(function);
    tb_put_address(c, function);
}

/* Variable parts: make their own room. n < 0 counts as 0, as does a NULL array. */
void tb_put_ints(struct tb_call *c, const void *a, int64_t n, int element_bytes);
void tb_put_displacements(struct tb_call *c, const void *a, int64_t n);  /* 8-byte elements to segment words */
void tb_put_string(struct tb_call *c, const char *s);
void tb_put_strings(struct tb_call *c, char *const *a, int64_t n);       /* n < 0: NULL terminated */
void tb_put_strings2(struct tb_call *c, char **const *a, int64_t n);
#pragma GCC visibility pop
#endif
