/* Events that are seen for the first time, or not for long. */
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
    uintptr_t a = (uintptr_t)site, key = tb_point_key(site) + ((uintptr_t)POINT_KEY << 60);
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

void tb_point_remember(struct tb_call *c, uintptr_t key)
{
    struct tb_thread *t = c->t;
    const struct tb_known *k = c->known;
    if (!t || !k || !t->priv || t->outer) return;
    t->outer = (uintptr_t)c | TB_BUILDING; /* signal handlers forget nothing meanwhile */
    tb_barrier();
    /* It is there as long as nothing came after it. */
    if (t->intern->last == k) *tb_again(t, (int)(uint32_t)k->id_absent, key) = (struct tb_again){key, k};
    tb_publish(t->outer, (uintptr_t)0);
}

void tb_point_slow(struct tb_thread *t, struct tb_call *c, int id, void *site, const uint64_t *values, unsigned in,
                   unsigned out)
{
    c->id_flags = (uint64_t)id;
    c->absent = c->slow = 0;
    c->t = t;
    if (!t && !(t = begin_slow(c, id, in + out))) return;
    c->w = t->at + 5;
    tb_publish(t->seg->in_call, 1u);
    uint64_t word = site ? place(t, site) : 0; /* may write records */
    t->at[3] = word;
    for (unsigned i = 0; i < in; i++) tb_put(c, values[i]);
    tb_begin(c);
    if (tb_end_at(c, t->at[1], 0, out))
        for (unsigned i = 0; i < out; i++) tb_put(c, values[in + i]);
    tb_commit(c);
    tb_point_remember(c, tb_point_key(site));
}
