//go:build ignore

/* Calls whose outcome is left to the machine. With RP_FLAG_FORCED the shim (force.c) makes it that
 * of the recording. Otherwise real calls are made until what the recording had is there, and what
 * completes besides is remembered: the requests that the recorded program went on with are then
 * complete here, too, so this never waits for what the recorded program did not wait for. */
#include <stdlib.h>
#include "executor.h"

/* ---- What the event says ---- */

static void read_indices(struct rp_thread *t, struct rp_forced *f)
{
    f->n = (int64_t)rp_next(t);
    for (int64_t i = 0; i < f->n; i++) {
        if ((uint64_t)i == f->room) f->indices = rp_grow(t, f->indices, f->room = f->room ? 2 * f->room : 16,
            sizeof *f->indices);
        f->indices[i] = (int64_t)rp_next(t);
    }
}

static void read_index(struct rp_thread *t, struct rp_forced *f)
{
    if (!f->indices) f->indices = rp_alloc(t, f->room = 16, sizeof *f->indices);
    f->indices[0] = (int64_t)rp_next(t);
    f->n = f->indices[0] < 0 ? 0 : 1;
}

void rp_outcome_read(struct rp_thread *t, struct rp_call *c)
{
    struct rp_forced *f = &t->forced;
    f->shim = c->shim;
    f->kind = c->outcome;
    f->flag = 1;
    f->n = 0;
    f->source = f->tag = RP_ANY;
    switch (c->outcome) {
    case RP_OUTCOME_FLAG:
        f->flag = rp_next(t) != 0;
        if (!f->flag || (c->shim != RP_SHIM_IPROBE && c->shim != RP_SHIM_IMPROBE)) break;
        /* fall through */
    case RP_OUTCOME_SOURCE:
        f->source = (int64_t)rp_next(t);
        f->tag = (int64_t)rp_next(t);
        break;
    case RP_OUTCOME_POLLS:
        f->flag = 0;
        f->n = (int64_t)rp_next(t);
        break;
    case RP_OUTCOME_INDEX:
        if (c->shim == RP_SHIM_TESTANY) f->flag = rp_next(t) != 0;
        read_index(t, f);
        break;
    default: read_indices(t, f);
    }
}

/* ---- As recorded ---- */

static int force(struct rp_thread *t, struct rp_call *c)
{
    int ret = 0;
    int64_t times = c->outcome == RP_OUTCOME_POLLS ? t->forced.n : 1;
    for (int64_t i = 0; i < times; i++) {
        t->calls += i > 0;
        rp_forced = &t->forced;
        ret = rp_make(t, c);
    }
    rp_forced = NULL;
    return ret;
}

/* ---- As it comes ---- */

static int flag_at(struct rp_call *c, unsigned param) { return *(int *)(uintptr_t)c->words[param] != 0; }

int rp_until(struct rp_thread *t, struct rp_call *c)
{
    int ret;
    for (unsigned turn = 0; (ret = rp_make(t, c)) == 0 && !flag_at(c, c->outcome_param); turn++)
        if (turn > 16) rp_pause(turn);
    return ret;
}

static struct rp_param *requests_of(struct rp_call *c)
{
    for (unsigned i = 0; i < c->num_params; i++)
        if (c->params[i].op == RP_OP_HANDLES && c->params[i].class == RP_CLASS_REQUEST) return &c->params[i];
    return NULL;
}

static unsigned char *early(struct rp_thread *t, const struct rp_param *p, int64_t i)
{
    uint64_t number = i >= 0 && (uint64_t)i < p->n ? rp_number(t, p->codes[i]) : UINT64_MAX;
    return number == UINT64_MAX ? NULL : &t->objects.early[number];
}

static void set_early(unsigned char *e, int yes)
{
    if (!e || *e == yes) return;
    *e = (unsigned char)yes;
    __atomic_add_fetch(&rp_num_early, yes ? 1 : (uint64_t)-1, __ATOMIC_RELAXED);
}

static void mark(struct rp_thread *t, const struct rp_param *p, int64_t i, int yes) { set_early(early(t, p, i), yes); }

static int is_null(const struct rp_param *p, int64_t i)
{
    return i < 0 || (uint64_t)i >= p->n || rp_load_handle(p->room + p->bytes * i,
        p->bytes) == rp_null(RP_CLASS_REQUEST);
}

static int all_complete(struct rp_thread *t, const struct rp_param *p)
{
    const struct rp_forced *f = &t->forced;
    for (int64_t i = 0; i < f->n; i++) {
        const unsigned char *e = early(t, p, f->indices[i]);
        if (!is_null(p, f->indices[i]) && !(e && *e)) return 0;
    }
    return 1;
}

/* What this call has completed; 0: the library says that no request is active. */
static int note(struct rp_thread *t, struct rp_call *c, const struct rp_param *p)
{
    int n = *(int *)(uintptr_t)c->words[2];
    if (c->shim == RP_SHIM_TESTANY && !flag_at(c, 3)) return 1;
    if (n == tb_abi.undefined) return 0;
    if (c->outcome == RP_OUTCOME_INDEX) {
        if (!is_null(p, n)) mark(t, p, n, 1);
        return 1;
    }
    const int *indices = (const int *)(uintptr_t)c->words[3];
    for (int i = 0; i < n; i++)
        if (!is_null(p, indices[i])) mark(t, p, indices[i], 1);
    return 1;
}

/* All that the recording had has completed before: the call is made, but finds no request. */
static int make_empty(struct rp_thread *t, struct rp_call *c, struct rp_param *p)
{
    char *list = rp_alloc(t, p->n, p->bytes);
    for (uint64_t i = 0; i < p->n; i++) rp_store_handle(list + p->bytes * i, p->bytes, rp_null(RP_CLASS_REQUEST));
    uint64_t old = c->words[p->word];
    c->words[p->word] = (uint64_t)(uintptr_t)list;
    int ret = rp_make(t, c);
    c->words[p->word] = old;
    free(list);
    return ret;
}

static int complete(struct rp_thread *t, struct rp_call *c)
{
    struct rp_forced *f = &t->forced;
    struct rp_param *p = requests_of(c);
    int polls = c->shim == RP_SHIM_TESTANY || c->shim == RP_SHIM_TESTSOME, ret = 0;
    if (!p || c->num_params < 4) return rp_make(t, c);
    if (polls && (!f->flag || f->n == 0)) { /* nothing was complete */
        if ((ret = rp_make(t, c)) == 0) note(t, c, p);
    } else if (all_complete(t, p)) {
        ret = make_empty(t, c, p);
    } else {
        int active = 1;
        for (unsigned turn = 0; ret == 0 && active && !all_complete(t, p); turn++) {
            if (polls && turn > 16) rp_pause(turn);
            if ((ret = rp_make(t, c)) == 0) active = note(t, c, p);
        }
    }
    for (int64_t i = 0; i < f->n; i++) mark(t, p, f->indices[i], 0);
    return ret;
}

static int poll_some(struct rp_thread *t, struct rp_call *c)
{
    int flag = rp_shim_flag(c->shim), ret = 0;
    int64_t n = t->forced.n;
    if (flag < 0 || (unsigned)flag >= c->num_params) return rp_make(t, c);
    if (c->outcome == RP_OUTCOME_FLAG && t->forced.flag) {
        c->outcome_param = (uint32_t)flag;
        return rp_until(t, c);
    }
    if (c->outcome == RP_OUTCOME_FLAG) return rp_make(t, c);
    for (int64_t i = 0; i < n && ret == 0; i++)
        if ((ret = rp_make(t, c)) == 0 && flag_at(c, (unsigned)flag)) break;
    t->calls += n > 0 ? (uint64_t)n - 1 : 0;
    return ret;
}

int rp_outcome_make(struct rp_thread *t, struct rp_call *c)
{
    if (rp_process.flags & RP_FLAG_FORCED) return force(t, c);
    switch (c->outcome) {
    case RP_OUTCOME_FLAG: case RP_OUTCOME_POLLS: return poll_some(t, c);
    case RP_OUTCOME_INDEX: case RP_OUTCOME_SOME: return complete(t, c);
    default: return rp_make(t, c);
    }
}

void rp_settle(struct rp_thread *t, struct rp_call *c)
{
    for (unsigned i = 0; i < c->num_params; i++) {
        struct rp_param *p = &c->params[i];
        if (p->class != RP_CLASS_REQUEST) continue;
        if (p->op == RP_OP_HANDLES)
            for (uint64_t k = 0; k < p->n; k++) mark(t, p, (int64_t)k, 0);
        else if (p->slot) set_early(&t->objects.early[p->slot - t->objects.tables[RP_CLASS_REQUEST]], 0);
    }
}
