/* Events that are no calls: something has happened at a moment. In the stream each is a call that returns when it
 * begins.
 *
 * Most of them repeat one of a few that were there before. So these are remembered by what the program tells them
 * apart by, and one that is found is written without its values being put together and compared. */
#ifndef TABARD_POINT_H
#define TABARD_POINT_H
#include "core/core.h"

#pragma GCC visibility push(hidden)

/* An event that was there before: key and the id in known tell it from all others, but for values. */
struct tb_again { uintptr_t key; const struct tb_known *known; };
enum { TB_AGAINS = 256 };

/* The key of events that have neither a place nor values. Others are not 0 either. */
enum { TB_KEY_ALONE = 1 };

/* Where an event would be remembered; the ids of those that a place has follow each other. */
static inline struct tb_again *tb_again(struct tb_thread *t, int id, uintptr_t key)
{
    return &t->again[(key ^ key >> 8 ^ (uintptr_t)id << 3) % TB_AGAINS];
}

static inline int tb_is_again(const struct tb_again *e, int id, uintptr_t key)
{
    return e->key == key && e->known->id_absent == (uint64_t)id;
}

/* An event with so many words of values begins in the calling thread: NULL if it takes another way to be recorded, if
 * any. c needs to be nothing but memory on the stack. */
static inline __attribute__((always_inline))
struct tb_thread *tb_point_enter(struct tb_call *c, int id, unsigned words)
{
#ifdef TB_NOOP
    (void)c, (void)id, (void)words;
    return NULL;
#else
    struct tb_thread *t = tb_self;
    if (tb_unlikely((t->outer | t->held) != 0 || tb_relaxed(tb_gate[id]) != 0)) return NULL;
    c->t = NULL; /* a signal handler has no record to put others in front of */
    t->outer = (uintptr_t)c | TB_BUILDING;
    tb_barrier();
    if (tb_unlikely((int64_t)((uintptr_t)t->limit - (uintptr_t)t->at) < (int64_t)(words + 5) * 8)) {
        t->outer = 0;
        return NULL;
    }
    return t;
#endif
}

/* It is a known one, with values known on return. */
static inline __attribute__((always_inline))
void tb_point_write(struct tb_thread *t, const struct tb_known *k, const uint64_t *out, unsigned n)
{
    uint64_t *w = t->at;
    tb_publish(t->seg->in_call, 1u);
    uint64_t now = tb_now();
    w[0] = (uint32_t)k->id_absent | (uint64_t)TB_F_REF << 16 | (uint64_t)(n + 4) << 32;
    w[1] = w[2] = now;
    w[3] = k->number;
    for (unsigned i = 0; i < n; i++) w[4 + i] = out[i];
    tb_record_ends(t, w + 4 + n, now);
}

/* It is none; it has not begun. */
static inline void tb_point_leave(struct tb_thread *t) { tb_publish(t->outer, (uintptr_t)0); }

/* An event without place and values that was there before is recorded; 0: it was not. */
static inline __attribute__((always_inline)) int tb_point_again(int id, uintptr_t key)
{
    struct tb_call c;
    struct tb_thread *t = tb_point_enter(&c, id, 0);
    if (tb_unlikely(!t)) return 0;
    const struct tb_again *e = tb_again(t, id, key);
    if (tb_likely(tb_is_again(e, id, key))) {
        tb_point_write(t, e->known, NULL, 0);
        return 1;
    }
    tb_point_leave(t);
    return 0;
}

/* Remembers the event that has just been recorded as c, by what is known of it on entry: all of that belongs to key. */
void tb_point_remember(struct tb_call *c, uintptr_t key);

void tb_point_slow(struct tb_thread *t, struct tb_call *c, int id, void *site, const uint64_t *values, unsigned in,
                   unsigned out);

static inline uintptr_t tb_point_key(void *site) { return (uintptr_t)site ^ tb_site_key; }

/* Records an event at a place in the program: values known in advance, which tell one kind of it from others, then
 * out values that may be different each time. Inside of a recorded call, which only a callback can be, nothing is
 * recorded. */
static inline __attribute__((always_inline))
void tb_point(int id, void *site, const uint64_t *values, unsigned in, unsigned out)
{
    struct tb_call c;
    struct tb_thread *t = tb_point_enter(&c, id, in + out);
    if (tb_likely(t != NULL)) {
        uintptr_t key = tb_point_key(site);
        const struct tb_again *e = tb_again(t, id, key);
        if (tb_likely(tb_is_again(e, id, key))) {
            const struct tb_known *k = e->known;
            uint64_t differ = 0;
            for (unsigned i = 0; i < in; i++) differ |= k->body[i] ^ values[i];
            if (tb_likely(!differ)) {
                tb_point_write(t, k, values + in, out);
                return;
            }
        }
    }
    tb_point_slow(t, &c, id, site, values, in, out);
}

#pragma GCC visibility pop
#endif
