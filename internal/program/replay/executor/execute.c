//go:build ignore

/* The calls of a stream, in order, straight from its grammar. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "executor.h"

/* ---- Computation between calls ---- */

#define NO_PROGRESS UINT64_C(30000000000) /* ns */
#define TURN UINT64_C(1000000000) /* ns */
enum { CIRCLES = 16 }; /* looks at the same circle before it is believed: others may be about to go on */
enum { LONG_GAP = 1000000, WAKE_EARLY = 200000 };

/* A long gap is slept through, up to its last part, and the rest spun: who sleeps is run at once
 * when its time has come, also where others want the core. */
static void gap(struct rp_thread *t, uint64_t ns)
{
    uint64_t until = t->returned + ns, now = rp_now();
    if (t->returned == 0 || until <= now) return;
    if (until - now > LONG_GAP) {
        struct timespec at = {(time_t)((until - WAKE_EARLY) / 1000000000), (long)((until - WAKE_EARLY) % 1000000000)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {}
    }
    for (unsigned turn = 1; rp_now() < until; turn++)
        if (!rp_process.spin && turn % 256 == 0) sched_yield();
}

/* ---- One call ---- */

int rp_make(struct rp_thread *t, struct rp_call *c)
{
    t->state = RP_IN_CALL;
    return (int)rp_invoke(c->function, c->words, c->num_params, c->site);
}

static TB_COLD void move(struct rp_call *c)
{
    c->epoch = __atomic_load_n(&rp_epoch, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < c->num_params; i++)
        if (rp_param_moves(&c->params[i])) rp_param_move(c, &c->params[i]);
}

static int make_remote(struct rp_thread *t, const struct rp_call *c)
{
    uint64_t words[RP_MAX_WORDS];
    memcpy(words, c->words, c->num_params * sizeof *words);
    rp_remote_place(c, words);
    t->state = RP_IN_CALL;
    return (int)rp_invoke(c->function, words, c->num_params, c->site);
}

static TB_COLD int make_special(struct rp_thread *t, struct rp_call *c)
{
    if (c->special == RP_FINALIZE) rp_finalize_begins(t);
    if (c->special == RP_FREE_MEM && c->params[0].op == RP_OP_ADDRESS) c->words[0] =
        rp_made_address(c->params[0].a, c->params[0].b, (int64_t)c->params[0].c);
    rp_finds_file = c->special == RP_FILE_OPEN && !(c->flags & RP_CALL_FAILS);
    int ret = c->special == RP_REMOTE ? make_remote(t, c) : rp_make(t, c);
    rp_finds_file = 0;
    if (c->special == RP_WIN_DYNAMIC && ret == 0) rp_remote_attach(t, c);
    if (c->special == RP_FREE_MEM && ret == 0) rp_unbind(NULL, c->words[0]);
    if (c->special == RP_INIT && ret == 0) rp_init_done(t);
    return ret;
}

static uint64_t progress(void)
{
    uint64_t n = 0;
    for (int i = 0; i < rp_process.threads; i++)
        n += __atomic_load_n(&rp_process.thread[i]->finished, __ATOMIC_ACQUIRE);
    return n;
}

static int waits(const struct rp_thread *t)
{
    const struct rp_thread *o = t->waits_for;
    if ((t->state != RP_NEEDS_ORDER && t->state != RP_NEEDS_TURN) || !o) return 0;
    return __atomic_load_n(&o->finished, __ATOMIC_ACQUIRE) < t->waits_events && o->state != RP_ENDED;
}

/* Whether threads wait for each other in a circle in which this one is to go on: a thread that has
 * not begun (it has its number from before its first call, and the next one waits for that call),
 * else the first one. */
static int in_circle(const struct rp_thread *t)
{
    const struct rp_thread *first = t, *o = t;
    for (int i = 0; i < rp_process.threads; i++) {
        if (!waits(o)) return 0;
        o = o->waits_for;
        if (o == t) return first == t;
        int begun = o->finished > 0, first_begun = first->finished > 0;
        if (o->state == RP_NEEDS_ORDER && (begun != first_begun ? first_begun : o->number < first->number)) first = o;
    }
    return 0; /* there is one somewhere ahead */
}

/* Whether the thread has not begun, and the next one waits for that: a circle may also go through
 * other processes. */
static int holds_up(const struct rp_thread *t)
{
    for (int i = 0; t->finished == 0 && i < rp_process.threads; i++)
        if (rp_process.thread[i]->state == RP_NEEDS_TURN && rp_process.thread[i]->waits_for == t) return 1;
    return 0;
}

/* Until the other thread has finished that many events. Recorded times may be wrong by a bit, so
 * that threads wait for each other: then this ends. It also does when no thread of the process has
 * got on for long. */
static void wait_for(struct rp_thread *t, const struct rp_thread *o, uint64_t events)
{
    uint64_t seen = UINT64_MAX, until = 0, patience = rp_process.patience;
    uint64_t no_progress = patience && patience / 2 < NO_PROGRESS ? patience / 2 : NO_PROGRESS;
    unsigned circles = 0;
    t->waits_for = o, t->waits_events = events;
    for (unsigned turn = 0; __atomic_load_n(&o->finished, __ATOMIC_ACQUIRE) < events && o->state != RP_ENDED; turn++) {
        rp_pause(turn);
        if (turn % 64 != 63) continue;
        uint64_t now = rp_now(), n = progress();
        circles = n == seen && in_circle(t) ? circles + 1 : 0;
        if (n != seen) until = now + no_progress, seen = n;
        else if (circles == CIRCLES || now > until || (now + no_progress - until > TURN && holds_up(t))) return;
    }
}

/* Where several threads create and free objects: what was before in the recording is before
 * here. */
static TB_COLD void in_order(struct rp_thread *t)
{
    t->state = RP_NEEDS_ORDER;
    for (int i = 0; i < rp_process.threads; i++) {
        uint64_t events = rp_next(t);
        for (int k = 0; k < rp_process.threads; k++)
            /* Threads with larger numbers began after this one, even if a call of theirs has an
             * earlier time than its first call. */
            if (rp_process.thread[k]->number == i && rp_process.thread[k] != t && (t->finished > 0 || i < t->number))
                wait_for(t, rp_process.thread[k], events);
    }
    t->state = RP_IDLE;
}

/* The call cannot be made: it uses what was not created here. */
static TB_COLD void leave_out(struct rp_thread *t, struct rp_call *c)
{
    if (t->left_out++ == 0) t->first_left_out = c->text;
    rp_param_unmade(t, c);
}

static void call(struct rp_thread *t, struct rp_call *c, uint64_t gaps)
{
    int make = !(c->flags & RP_CALL_SKIP), there = 1, ret;
    if (tb_unlikely(c->flags & RP_CALL_ORDERED)) in_order(t);
    for (unsigned i = 0; i < c->num_before; i++) there &= rp_param_before(t, c, c->before[i], make);
    if (tb_unlikely(c->outcome != RP_OUTCOME_FREE)) rp_outcome_read(t, c);
    if (tb_unlikely(!make || !there)) {
        if (make) leave_out(t, c);
        else rp_param_unmade(t, c);
        return;
    }
    if (tb_unlikely(c->moves && c->epoch != __atomic_load_n(&rp_epoch, __ATOMIC_RELAXED))) move(c);
    if (tb_unlikely(rp_num_early > 0) && c->outcome == RP_OUTCOME_FREE) rp_settle(t, c);
    if (tb_unlikely(c->flags & RP_CALL_FAR)) rp_reach(t, c);
    rp_fails = c->flags & RP_CALL_FAILS;

    if (tb_unlikely(c->outcome != RP_OUTCOME_FREE)) ret = rp_outcome_make(t, c);
    else if (tb_unlikely(c->flags & RP_CALL_UNTIL)) ret = rp_until(t, c);
    else if (tb_unlikely(c->special != RP_PLAIN)) ret = make_special(t, c);
    else ret = rp_make(t, c);
    t->state = RP_IDLE;

    int ok = ret == 0 || (c->flags & (RP_CALL_VOIDP | RP_CALL_FLOAT)) != 0;
    for (unsigned i = 0; i < c->num_after; i++) rp_param_after(c, c->after[i], ok);
    if (tb_unlikely(c->keeps) && ok) rp_param_kept(t, c);
    if (tb_unlikely(!ok) && !(c->flags & RP_CALL_FAILS)) rp_error(t, c, ret);
    if (tb_unlikely(gaps)) t->returned = rp_now();
}

static void event(struct rp_thread *t, struct rp_call *c)
{
    uint64_t gaps = rp_process.flags & RP_FLAG_GAPS;
    if (tb_unlikely(gaps)) {
        uint64_t ns = rp_next(t);
        if (!(c->flags & RP_CALL_SKIP)) gap(t, ns);
    }
    t->current = c;
    t->calls++;
    call(t, c, gaps);
    if (tb_unlikely(rp_process.threads > 1)) __atomic_store_n(&t->finished, t->finished + 1, __ATOMIC_RELEASE);
}

/* ---- All of them ---- */

struct frame { const struct rp_rule *rule; uint64_t next, again; };

void rp_execute(struct rp_thread *t)
{
    /* Rules contain only rules that do not contain them: no deeper than there are rules. */
    struct frame *stack = rp_alloc(t, t->num_rules, sizeof *stack);
    uint64_t depth = 1;
    stack[0] = (struct frame){&t->rules[0], 0, 1};
    while (depth > 0) {
        struct frame *f = &stack[depth - 1];
        if (f->next == f->rule->n) {
            f->next = 0;
            if (--f->again == 0) depth--;
            continue;
        }
        struct rp_symbol s = f->rule->symbols[f->next++];
        if (s.id & RP_RULE) {
            stack[depth++] = (struct frame){&t->rules[s.id & ~RP_RULE], 0, s.count};
            continue;
        }
        struct rp_call *c = &t->terminals[s.id];
        for (uint64_t i = 0; i < s.count; i++) event(t, c);
    }
    free(stack);
}
