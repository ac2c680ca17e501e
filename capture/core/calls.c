/* Records of calls: calls inside calls, calls that never return, the slow halves of the wrapper's
 * steps, and the runtime's own records. Segments themselves are in chain.c. */
#include <errno.h>
#include "core/api.h"
#include "core/internal.h"
#include "memory/memory.h"
#include "sites/sites.h"

uintptr_t tb_site_key = (uintptr_t)1 << 63; /* never equal to a key of zeroed cache entries */
int tb_site_mode;

/* ---- Calls inside calls ---- */

static struct tb_call *call_of(uintptr_t outer) { return (struct tb_call *)(outer & ~(uintptr_t)3); }

/* Publishes what the current record holds so far as an ENTER record. */
static void publish_entry(struct tb_thread *t)
{
    uint64_t words = t->seg->pending / 8;
    if (!words) return;
    t->at[0] = (t->at[0] & 0xffffffffu) | (uint64_t)TB_F_ENTER << 16 | words << 32;
    t->at[2] = 0;
    tb_chain_publish(t, words);
}

/* The innermost call will never return: longjmp, exception, end of the thread.
 * Its tb_call is dead memory and is not touched. */
void tb_call_abandon(struct tb_thread *t)
{
    struct tb_chain *ch = t->priv->chain;
    if (!(t->outer & TB_SPLIT)) {
        if (t->seg == &ch->sink) tb_chain_lost(t);
        else publish_entry(t);
    }
    t->outer = ch->depth ? ch->nest[--ch->depth] : 0;
    if (!t->outer) tb_publish(t->seg->in_call, 0u);
}

/* Whether the innermost call may still return. A call in progress on this stack
 * lies above the frames of what it calls. One that lies below ours has been left;
 * one above it is alive if its frame is among our callers. What was called on another
 * stack (alternate signal stack, coroutine) is taken to be alive, unless we
 * are back on the thread's own. */
static int is_live(struct tb_thread *t, const struct tb_call *c, void *ra, void *frame)
{
    uintptr_t o = (uintptr_t)call_of(t->outer), here = (uintptr_t)c;
    uintptr_t low = t->priv->stack_low, high = t->priv->stack_high;
    if (o == (uintptr_t)&t->priv->reported) return 1; /* its library says when it returns */
    int o_own = o >= low && o < high, here_own = here >= low && here < high;
    if (high && o_own != here_own) return o_own;
    return o >= tb_frame_end(frame) && tb_in_wrapper(t, ra, frame, o) != 0;
}

/* The call is how the outer one does its work, whoever makes it: I/O inside MPI. */
static int is_below(unsigned id, const struct tb_call *outer)
{
    int kind = tb_fn_flags[id] >> TB_FN_KIND, around = tb_fn_flags[outer->id_flags & 0xffff] >> TB_FN_KIND;
    return kind > around || (kind == around && tb_fn_flags[id] & TB_FN_OUTERMOST);
}

/* Lets a call be recorded inside the innermost one, which is running, or has been left without our knowing: its
 * tb_call is not touched. */
static void split(struct tb_thread *t)
{
    struct tb_chain *ch = t->priv->chain;
    if (t->outer & TB_SPLIT) return;
    ch->splits[ch->depth] = (struct tb_split){
        .start = t->at[1], .site = t->at[0] >> 16 & TB_F_REF ? t->intern->last->site : t->at[3]};
    if (t->seg != &ch->sink) publish_entry(t);
    t->outer |= TB_SPLIT;
}

/* Takes the call back: it is only forwarded. */
static void drop(struct tb_call *c)
{
    struct tb_thread *t = c->t;
    struct tb_chain *ch = t->priv->chain;
    if (c->slow & TB_SLOW_LOST) tb_chain_rest(t);
    t->outer = c->slow & TB_SLOW_NESTED ? ch->nest[--ch->depth] : 0;
    if (!t->outer) tb_publish(t->seg->in_call, 0u);
    c->t = NULL;
}

/* ---- The slow halves of the wrapper's steps ---- */

static void write_held(struct tb_thread *t)
{
    t->held = 0;
    for (const struct tb_api *const *api = tb_apis; *api; api++)
        if ((*api)->before) (*api)->before(t);
}

static int enter(struct tb_call *c, int id, unsigned words, void *ra, void *frame)
{
    c->t = NULL;
    c->absent = 0;
    c->slow = 0;
    ra = (void *)tb_call_return(ra, frame);
    struct tb_thread *t = tb_current();
    if (!t || t->priv->muted || tb_gate[id] == TB_GATE_SKIP) return 0; /* the gates may have been set just now */
    if (t->held) write_held(t);
    if (t->outer && tb_caller_is_library(ra) && !tb_jump_site((unsigned)id, ra)) return 0;
    struct tb_chain *ch = t->priv->chain;
    uint64_t flags = tb_gate[id] == TB_GATE_HIDE ? TB_F_HIDDEN : 0;
    t->priv->muted++;
    while (t->outer && !is_live(t, c, ra, frame)) tb_call_abandon(t);
    t->priv->muted--;
    if (t->outer) {
        if (t->outer & TB_BUILDING || is_below((unsigned)id, call_of(t->outer))) return 0;
        if (ch->depth == TB_NEST_MAX) {
            ch->lost++; /* reported by tb_commit_slow, which each of the calls around will come to */
            return 0;
        }
        split(t);
        ch->nest[ch->depth++] = t->outer;
        c->slow |= TB_SLOW_NESTED;
        flags |= TB_F_NESTED;
    }
    c->t = t;
    c->id_flags = (uint64_t)id | flags << 16;
    t->outer = (uintptr_t)c | TB_BUILDING;
    c->w = t->at;
    if (words + 5 > (uint64_t)(t->limit - t->at)) tb_chain_advance(t, c, words + 5);
    c->w = t->at + 5;
    tb_publish(t->seg->in_call, 1u);
    uint64_t site = tb_fn_flags[id] & TB_FN_SITELESS ? 0 : tb_site(c, ra, frame);
    if (!c->t) return 0;
    t->at[3] = site;
    return 1;
}

/* The known call that followed the one before last time, if the entry part equals it. */
static inline const struct tb_known *known(struct tb_thread *t, struct tb_call *c, const uint64_t *w)
{
    struct tb_known *k = t->intern->last->next;
    if (tb_unlikely(k->number == TB_NO_NUMBER || !tb_is_known(k, c, w, (uint64_t)(c->w - w) - 5))) return NULL;
    t->intern->last = k;
    return k;
}

/* The call begins: its record, at w, refers to k, or is complete if that is NULL. */
static inline void begin_as(struct tb_call *c, uint64_t *w, const struct tb_known *k)
{
    struct tb_thread *t = c->t;
    c->known = k;
    w[2] = 0;
    if (k) {
        c->id_flags |= (uint64_t)TB_F_REF << 16;
        c->w = w + 4;
        w[3] = k->number;
    } else {
        w[4] = c->absent;
    }
    w[0] = c->id_flags;
    w[1] = tb_now();
    tb_publish(t->seg->pending, (uint64_t)((uintptr_t)c->w - (uintptr_t)w));
    tb_publish(t->outer, (uintptr_t)c);
}

void tb_begin(struct tb_call *c)
{
    struct tb_thread *t = c->t;
    uint64_t *w = t->at;
    const struct tb_known *k = known(t, c, w);
    if (tb_unlikely(!k)) {
        k = c->slow & TB_SLOW_LOST ? NULL : tb_intern_call(c);
        w = t->at;
    }
    begin_as(c, w, k);
}

int tb_enter_slow(struct tb_call *c, int id, unsigned words, void *ra, void *frame)
{
    if (tb_process.state == TB_INERT || tb_gate[id] == TB_GATE_SKIP) { /* nearly as short as the untraced call */
        c->t = NULL;
        return 0;
    }
    int saved = errno, r = enter(c, id, words, ra, frame);
    errno = saved;
    return r;
}

uint64_t tb_site_miss(struct tb_call *c, void *ra, void *frame)
{
    int saved = errno;
    struct tb_thread *t = c->t;
    uintptr_t a = (uintptr_t)ra;
    t->priv->muted++;
    uintptr_t key = a ^ tb_site_key;
    uint64_t word = tb_site_word(t, (int)(c->id_flags & 0xffff), ra, frame, tb_site_mode);
    t->priv->muted--;
    errno = saved;
    if (word == TB_SITE_LIBRARY) {
        drop(c);
        return 0;
    }
    if (tb_site_is_fixed(t, ra, tb_site_mode))
        t->sites[(a ^ a >> 8) % TB_SITE_CACHE] = (struct tb_site_entry){.key = key, .word = word};
    if (tb_site_is_stack(word)) c->id_flags |= (uint64_t)TB_F_STACK << 16;
    return word;
}

static int give_up(struct tb_call *c)
{
    c->t = NULL;
    c->slow = TB_SLOW_NESTED;
    return 0;
}

/* Pops calls that c's callees left in progress; 0 if c itself is not in progress any more. */
static int unwind_to(struct tb_thread *t, struct tb_call *c)
{
    struct tb_chain *ch = t->priv->chain;
    unsigned i = ch->depth;
    if (call_of(t->outer) == c) return 1;
    while (i > 0 && call_of(ch->nest[i - 1]) != c) i--;
    if (i == 0) return 0;
    while (call_of(t->outer) != c) tb_call_abandon(t);
    return 1;
}

static int end(struct tb_call *c, int ret, unsigned words)
{
    struct tb_thread *t = c->t;
    if (!t->priv || t != tb_self || !unwind_to(t, c)) return give_up(c); /* forked child, or taken for dead */
    int was_split = t->outer & TB_SPLIT;
    t->outer = (uintptr_t)c | TB_BUILDING;
    if (c->slow & TB_SLOW_LOST) return 0;
    if (was_split) {
        c->known = NULL;
        c->w = t->at;
        if (words + 5 > (uint64_t)(t->limit - t->at) && !tb_chain_advance(t, c, words + 5)) return 0;
        c->id_flags = (c->id_flags & ~((uint64_t)(TB_F_ENTER | TB_F_REF) << 16)) | (uint64_t)TB_F_EXIT << 16;
        t->at[0] = c->id_flags;
        const struct tb_split *entry = &t->priv->chain->splits[t->priv->chain->depth];
        t->at[1] = entry->start;
        t->at[3] = entry->site;
        t->at[4] = c->absent;
        c->w = t->at + 5;
        if (!c->end) c->end = entry->start;
    } else if (words > (uint64_t)(t->limit - c->w) && !tb_room_slow(c, words)) {
        return 0;
    }
    t->at[2] = c->end;
    *tb_ret(c) = (uint32_t)ret;
    return 1;
}

int tb_end_slow(struct tb_call *c, int ret, unsigned words)
{
    int saved = errno, r = end(c, ret, words);
    errno = saved;
    return r;
}

/* Writes a record that refers to a known call out in full: its return changed
 * which parameters are absent. */
static void write_out(struct tb_call *c)
{
    struct tb_thread *t = c->t;
    const struct tb_known *k = c->known;
    if (!tb_room(c, k->words + 1)) return;
    tb_publish(t->seg->pending, (uint64_t)0);
    uint64_t ret = t->at[3] >> 32;
    memmove(t->at + 5 + k->words, t->at + 4, (size_t)(c->w - (t->at + 4)) * 8);
    memcpy(t->at + 5, k->body, k->words * 8);
    t->at[3] = k->site;
    t->at[4] = ret << 32;
    c->w += k->words + 1;
    c->id_flags &= ~((uint64_t)TB_F_REF << 16);
    c->known = NULL;
}

/* Calls nested too deeply. (Those that found no room are reported with the next segment.) */
static TB_COLD void report_lost(struct tb_thread *t)
{
    struct tb_chain *ch = t->priv->chain;
    uint64_t n = ch->lost;
    ch->lost = 0;
    tb_emit(t, TB_R_LOST, &n, 1);
    if (t->seg == &ch->sink) ch->lost += n;
}

void tb_commit_slow(struct tb_call *c)
{
    struct tb_thread *t = c->t;
    if (!t || !t->priv) return;
    struct tb_chain *ch = t->priv->chain;
    if (c->known && c->known->id_absent >> 32 != c->absent) write_out(c);
    uint64_t end = t->at[2];
    if (c->slow & TB_SLOW_LOST) {
        tb_chain_lost(t);
        end = 0;
    } else {
        uint64_t words = (uint64_t)(c->w - t->at);
        t->at[0] = c->id_flags | words << 32;
        if (!c->known) *(uint32_t *)&t->at[4] = c->absent;
        tb_chain_publish(t, words);
    }
    uintptr_t outer = c->slow & TB_SLOW_NESTED ? ch->nest[--ch->depth] : 0;
    tb_publish(t->seg->in_call, outer != 0);
    tb_publish(t->outer, outer);
    if (tb_unlikely(ch->lost) && t->seg != &ch->sink) report_lost(t);
    if (!outer && end >= t->clock_due) tb_clock_tick(t);
}

int tb_room_slow(struct tb_call *c, uint64_t n)
{
    int saved = errno, r;
    struct tb_thread *t = c->t;
    if (c->slow & TB_SLOW_LOST) {
        c->w = t->at + 5;
        r = 0;
    } else {
        r = tb_chain_advance(t, c, n + TB_RESERVE);
    }
    errno = saved;
    return r;
}

/* ---- The runtime's own records ---- */

static void write_record(uint64_t *w, uint16_t id, const uint64_t *payload, unsigned n)
{
    w[0] = (uint64_t)id | (uint64_t)(n + 5) << 32;
    w[1] = tb_now();
    w[2] = w[1];
    w[3] = w[4] = 0;
    memcpy(w + 5, payload, n * sizeof *payload);
}

int tb_emit_before(struct tb_call *c, uint16_t id, const uint64_t *payload, unsigned n)
{
    struct tb_thread *t = c->t;
    uint64_t room = n + 5u;
    if (!t || c->slow & TB_SLOW_LOST || !tb_room(c, room)) return 0;
    struct tb_segment *s = t->seg;
    uint64_t partial = (uint64_t)(c->w - t->at), pending = s->pending;
    tb_publish(s->pending, (uint64_t)0);
    memmove(t->at + room, t->at, partial * 8);
    write_record(t->at, id, payload, n);
    tb_chain_publish(t, room);
    tb_publish(s->pending, pending);
    c->w += room;
    return 1;
}

void tb_emit(struct tb_thread *t, uint16_t id, const uint64_t *payload, unsigned n)
{
    int saved = errno;
    if (t->outer & TB_BUILDING) {
        tb_emit_before(call_of(t->outer), id, payload, n);
    } else {
        if (t->held && !t->outer && !t->priv->muted) write_held(t);
        if (t->outer) split(t);
        int fits = n + 5 <= (uint64_t)(t->limit - t->at) || tb_chain_advance(t, NULL, n + 5);
        if (fits) {
            write_record(t->at, id, payload, n);
            tb_chain_publish(t, n + 5);
        }
    }
    errno = saved;
}

uint64_t *tb_emit_room(struct tb_thread *t, unsigned n)
{
    if (t->outer & TB_BUILDING) return NULL;
    if (t->outer) split(t);
    if (n + 5 <= (uint64_t)(t->limit - t->at) || tb_chain_advance(t, NULL, n + 5)) return t->at + 5;
    return NULL;
}

void tb_emit_done(struct tb_thread *t, uint16_t id, unsigned n)
{
    uint64_t *w = t->at;
    w[0] = (uint64_t)id | (uint64_t)(n + 5) << 32;
    w[1] = w[2] = tb_now();
    w[3] = w[4] = 0;
    tb_chain_publish(t, n + 5);
}

void tb_emit_event(struct tb_thread *t, uint16_t id, uint64_t site, uint64_t start, uint64_t end,
                   const uint64_t *payload, unsigned n)
{
    uint64_t *w = tb_emit_room(t, n);
    if (!w) {
        t->priv->chain->lost++;
        return;
    }
    for (unsigned i = 0; i < n; i++) w[i] = payload[i];
    w -= 5;
    w[0] = (uint64_t)id | (uint64_t)(t->outer ? TB_F_NESTED : 0) << 16 | (uint64_t)(n + 5) << 32;
    w[1] = start;
    w[2] = end;
    w[3] = site;
    w[4] = 0;
    tb_chain_publish(t, n + 5);
}
