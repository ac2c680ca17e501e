/* Events that are no calls: something has happened at a moment. In the stream each is a call that returns when it
 * begins. */
#include <errno.h>
#include "core/internal.h"
#include "sites/sites.h"

/* The cache of sites has the same place for an event and for a call. */
enum { POINT_KEY = 2 };

static TB_COLD uint64_t find_place(struct tb_thread *t, struct tb_site_entry *e, uintptr_t key, void *site)
{
    t->priv->muted++;
    uint64_t word = tb_site_place(t, site, tb_site_mode);
    t->priv->muted--;
    *e = (struct tb_site_entry){.key = key, .word = word};
    return word;
}

static inline uint64_t place(struct tb_thread *t, void *site)
{
    uintptr_t a = (uintptr_t)site, key = (a ^ tb_site_key) + ((uintptr_t)POINT_KEY << 60);
    struct tb_site_entry *e = &t->sites[(a ^ a >> 8) % TB_SITE_CACHE];
    return tb_likely(e->key == key) ? e->word : find_place(t, e, key, site);
}

/* A thread that begins, a segment that is full. */
static TB_COLD struct tb_thread *begin_slow(struct tb_call *c, int id, unsigned words)
{
    if (tb_process.state == TB_INERT || tb_gate[id]) return NULL;
    int saved = errno;
    struct tb_thread *t = tb_current();
    if (!t || t->priv->muted || t->outer || tb_gate[id]) return NULL;
    c->t = t;
    t->outer = (uintptr_t)c | TB_BUILDING;
    c->w = t->at;
    if (words + 5 > (uint64_t)(t->limit - t->at)) tb_chain_advance(t, c, words + 5);
    errno = saved;
    return t;
}

/* Records an event at a place in the program: values known in advance, which tell one kind of it from others, then
 * out values that may be different each time. Inside of a recorded call, which only a callback can be, nothing is
 * recorded. */
void tb_point(int id, void *site, const uint64_t *values, unsigned in, unsigned out)
{
    struct tb_call c;
    struct tb_thread *t = tb_self;
    c.id_flags = (uint64_t)id;
    c.absent = c.slow = 0;
    if (tb_likely(!t->outer && !tb_gate[id] && t->limit - t->at >= (int64_t)(in + out) + 5)) {
        c.t = t;
        t->outer = (uintptr_t)&c | TB_BUILDING;
        tb_barrier();
    } else if (!(t = begin_slow(&c, id, in + out))) {
        return;
    }
    c.w = t->at + 5;
    tb_publish(t->seg->in_call, 1u);
    uint64_t word = site ? place(t, site) : 0; /* may write records */
    t->at[3] = word;
    for (unsigned i = 0; i < in; i++) tb_put(&c, values[i]);
    tb_begin(&c);
    if (tb_end_at(&c, t->at[1], 0, out))
        for (unsigned i = 0; i < out; i++) tb_put(&c, values[in + i]);
    tb_commit(&c);
}
