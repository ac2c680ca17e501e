/* Calls that repeat: what is known on entry of a call is compared with the call
 * that followed the same predecessor last time, then looked up; from the second
 * time on a record refers to it. That spares the memory that program and collector share
 * most of its traffic, and the collector the work of recognising the call. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "core/internal.h"

enum {
    MAX_WORDS = 4096,        /* longer entry parts are never remembered */
    MAX_KNOWN = 1 << 17,     /* per thread; then it begins anew */
    MAX_ARENA = 16 << 20,    /* bytes, likewise */
    FIRST_CHUNK = 32 << 10,
    FIRST_TABLE = 1 << 9,
    /* A function most of whose calls are new is left alone for a while: after
     * so many new ones, for so many calls. */
    PATIENCE = 2 * MAX_KNOWN, REST = 32 * MAX_KNOWN,
};

static void *pages(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

struct tb_intern *tb_intern_new(void)
{
    struct tb_intern *in = pages(sizeof *in);
    if (!in) return NULL;
    in->nowhere.words = ~(uint64_t)0;
    in->nowhere.next = &in->nowhere;
    in->last = &in->nowhere;
    return in;
}

static uint32_t hash(uint64_t id_absent, uint64_t site, const uint64_t *body, uint64_t n)
{
    uint64_t a = id_absent * 0x9e3779b97f4a7c15u, b = site ^ id_absent << 7;
    for (; n >= 2; n -= 2, body += 2) {
        a = (a ^ body[0]) * 0x9e3779b97f4a7c15u;
        b = (b ^ body[1]) * 0xc2b2ae3d27d4eb4fu;
        a ^= a >> 29;
        b ^= b >> 31;
    }
    if (n) a = (a ^ body[0]) * 0x9e3779b97f4a7c15u;
    a ^= b * 0x9e3779b97f4a7c15u;
    return (uint32_t)(a >> 32) ^ (uint32_t)a;
}

/* Twice the places, or the first ones. */
static int grow(struct tb_intern *in)
{
    uint32_t places = in->table ? 2 * (in->mask + 1) : FIRST_TABLE;
    struct tb_known **t = pages(places * sizeof *t);
    if (!t) return 0;
    for (uint32_t i = 0; in->table && i <= in->mask; i++) {
        struct tb_known *k = in->table[i];
        if (!k) continue;
        uint32_t at = k->hash & (places - 1);
        while (t[at]) at = (at + 1) & (places - 1);
        t[at] = k;
    }
    if (in->table) munmap(in->table, (in->mask + 1) * sizeof *t);
    in->table = t;
    in->mask = places - 1;
    return 1;
}

/* Forgets everything. Numbers are given out anew, which redefines them. */
static void forget(struct tb_intern *in)
{
    memset(in->table, 0, (in->mask + 1) * sizeof *in->table);
    memset(in->again, 0, sizeof in->again);
    in->count = in->numbers = 0;
    in->generation = (in->generation + 1) % TB_DEF_GENERATIONS;
    in->last = &in->nowhere;
    in->nowhere.next = &in->nowhere;
    in->at_chunk = 0;
    in->chunk = in->all[0].p;
    in->chunk_end = in->chunk + in->all[0].size;
}

static int next_chunk(struct tb_intern *in, size_t need)
{
    while (in->at_chunk + 1 < in->chunks) { /* made before the last forget */
        in->at_chunk++;
        in->chunk = in->all[in->at_chunk].p;
        in->chunk_end = in->chunk + in->all[in->at_chunk].size;
        if (in->chunk + need <= in->chunk_end) return 1;
    }
    size_t size = in->chunks ? in->bytes : FIRST_CHUNK;
    while (size < need) size *= 2;
    if (in->chunks == sizeof in->all / sizeof in->all[0] || in->bytes + size > MAX_ARENA) return 0;
    char *p = pages(size);
    if (!p) return 0;
    in->all[in->chunks].p = p;
    in->all[in->chunks].size = size;
    in->at_chunk = in->chunks++;
    in->bytes += size;
    in->chunk = p;
    in->chunk_end = p + size;
    return 1;
}

static struct tb_known *allot(struct tb_intern *in, uint64_t words)
{
    size_t need = sizeof(struct tb_known) + words * 8;
    if (in->count >= MAX_KNOWN) forget(in);
    if (need > (size_t)(in->chunk_end - in->chunk) && !next_chunk(in, need)) {
        if (in->count == 0) return NULL;
        forget(in);
        if (need > (size_t)(in->chunk_end - in->chunk) && !next_chunk(in, need)) return NULL;
    }
    if (2 * in->count >= in->mask && !grow(in) && in->count >= in->mask) return NULL;
    struct tb_known *k = (struct tb_known *)in->chunk;
    in->chunk += need;
    return k;
}

/* Remembers the call in progress as one that was seen once. */
static struct tb_known *remember(struct tb_intern *in, uint64_t id_absent, uint64_t site, const uint64_t *body,
                                 uint64_t n, uint32_t h)
{
    struct tb_known *k = allot(in, n);
    if (!k) return NULL;
    k->next = &in->nowhere;
    k->words = n;
    k->hash = h;
    k->number = TB_NO_NUMBER;
    k->id_absent = id_absent;
    k->site = site;
    memcpy(k->body, body, n * 8);
    uint32_t at = h & in->mask;
    while (in->table[at]) at = (at + 1) & in->mask;
    in->table[at] = k;
    in->count++;
    return k;
}

/* Gives k a number and says so in front of the call. */
static int define(struct tb_call *c, struct tb_known *k)
{
    struct tb_intern *in = c->t->intern;
    k->number = in->numbers | in->generation * TB_DEF_MAX;
    if (!tb_emit_before(c, TB_R_DEF, &k->number, (unsigned)k->words + 3)) {
        k->number = TB_NO_NUMBER;
        return 0;
    }
    in->numbers++;
    return 1;
}

const struct tb_known *tb_intern_call(struct tb_call *c)
{
    struct tb_thread *t = c->t;
    struct tb_intern *in = t->intern;
    const uint64_t *w = t->at;
    uint64_t n = (uint64_t)(c->w - w) - 5;
    unsigned id = (uint16_t)c->id_flags;
    if (in->failed || n > MAX_WORDS) return NULL;
    if (in->fresh[id] < 0) {
        in->fresh[id]++;
        return NULL;
    }
    uint64_t id_absent = tb_id_absent(c);
    uint32_t h = hash(id_absent, w[3], w + 5, n);
    struct tb_known *k = NULL;
    for (uint32_t at = h & in->mask; in->table && (k = in->table[at]) != NULL; at = (at + 1) & in->mask)
        if (k->hash == h && tb_is_known(k, c, w, n)) break;
    if (!k) {
        if (++in->fresh[id] > PATIENCE) in->fresh[id] = -REST;
        t->priv->muted++;
        int saved = errno;
        k = remember(in, id_absent, w[3], w + 5, n, h);
        errno = saved;
        t->priv->muted--;
        if (!k) {
            in->failed = !in->table || in->count == 0;
            return NULL;
        }
    } else if (k->number == TB_NO_NUMBER && !define(c, k)) {
        return NULL;
    } else if (in->fresh[id] > 0) {
        in->fresh[id]--;
    }
    in->last->next = k;
    in->last = k;
    return k->number == TB_NO_NUMBER ? NULL : k;
}
