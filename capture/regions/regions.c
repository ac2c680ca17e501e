/* Begin and end of regions, marks and values, and the runtime's own interface for them (include/tabard.h). */
#include <errno.h>
#include "core/api.h"
#include "core/ids.h"
#include "core/point.h"
#include "regions/regions.h"

static int followed = 1; /* somebody wants to know where threads are */
static int chosen = 1;   /* recording is limited to regions, or may be */

static void start(void)
{
    tb_regions_choose();
    chosen = tb_regions_chosen();
    followed = chosen || tb_is_chosen(TB_ID_region_begin);
}

static void thread_ends(struct tb_thread *t, int for_now)
{
    if (!for_now) tb_regions_left(t);
}

const struct tb_api tb_api_regions = {.start = start, .thread_ends = thread_ends};

/* The calling thread; NULL: it need not be known where it is. */
static inline struct tb_thread *follow(void)
{
    struct tb_thread *t = tb_self;
    if (tb_unlikely(!followed || tb_process.finalized)) return NULL;
    return tb_likely(t->priv != NULL) ? t : tb_current();
}

/* Not recorded at all, which is to cost nothing, or after MPI_Finalize, when the recording may be written. */
static inline int is_off(int id) { return tb_unlikely(tb_gate[id] == TB_GATE_SKIP || tb_process.finalized); }

static inline __attribute__((always_inline))
int enter(struct tb_call *c, int id, const char *from, void *ra, void *frame)
{
    if (is_off(id) || !tb_enter(c, id, 1, ra, frame, 1)) return 0;
    if (!from) c->absent |= 2;
    return 1;
}

static void put_names(struct tb_call *c, const char *name, const char *from)
{
    tb_put_string(c, name);
    if (from) tb_put_string(c, from);
}

/* Compares a string with one that a record has at p; the next word of the record, NULL if they differ. */
static inline const uint64_t *same_string(const uint64_t *p, const uint64_t *end, const char *s)
{
    if (p >= end) return NULL;
    uint64_t n = *p & 0xffffffffffff;
    return strncmp((const char *)(p + 1), s, n) == 0 && s[n] == 0 ? p + 1 + (n + 7) / 8 : NULL;
}

/* The event is one that was there before, at this place and with these names. (Others may lie where a name lay.) */
static inline int is_known(const struct tb_call *c, const struct tb_known *k, const char *name, const char *from)
{
    if (!k || c->slow || k->site != c->t->at[3] || k->id_absent != ((uint32_t)c->id_flags | (uint64_t)c->absent << 32))
        return 0;
    const uint64_t *end = k->body + k->words, *p = same_string(k->body, end, name);
    if (p && from) p = same_string(p, end, from);
    return p == end;
}

static inline __attribute__((always_inline))
int named(int id, const char *name, const char *from, void *ra, void *frame)
{
    struct tb_call c;
    if (!enter(&c, id, from, ra, frame)) return 0;
    uintptr_t key = (uintptr_t)name ^ (uintptr_t)c.t->at[3] << 8;
    const struct tb_known *k = tb_again(c.t, id, key)->known;
    if (tb_likely(is_known(&c, k, name, from))) {
        tb_point_write(c.t, k, NULL, 0);
        return 1;
    }
    put_names(&c, name, from);
    tb_instant(&c);
    tb_point_remember(&c, key);
    return 1;
}

/* Ends have no call site: all are the same event. */
static TB_COLD void end_new(void *ra, void *frame)
{
    struct tb_call c;
    if (!tb_enter(&c, TB_ID_region_end, 0, ra, frame, 0)) return;
    tb_instant(&c);
    tb_point_remember(&c, TB_KEY_ALONE);
}

void tb_region_begin(const char *name, const char *from, void *ra, void *frame)
{
    struct tb_thread *t = follow();
    if (!name) name = "";
    if (t && tb_unlikely(chosen)) tb_region_entered(t, name);
    else if (t) t->priv->regions.depth++;
    uint64_t recorded = (uint64_t)named(TB_ID_region_begin, name, from, ra, frame);
    if (!t || t->priv->regions.depth > TB_REGION_LEVELS) return;
    uint32_t level = t->priv->regions.depth - 1;
    t->priv->regions.recorded = (t->priv->regions.recorded & ~((uint64_t)1 << level)) | recorded << level;
}

/* What has begun in the stream ends there, although tracing may be off by now. */
static TB_COLD void end_while_off(struct tb_thread *t)
{
    uint64_t now = tb_now();
    int saved = errno;
    if (!t->priv->muted && !(t->outer & TB_BUILDING)) tb_emit_event(t, TB_ID_region_end, 0, now, now, NULL, 0);
    errno = saved;
}

void tb_region_end(void *ra, void *frame)
{
    struct tb_thread *t = follow();
    uint32_t depth = t ? t->priv->regions.depth : 0;
    int known = depth && depth <= TB_REGION_LEVELS, recorded = known && t->priv->regions.recorded >> (depth - 1) & 1;
    if (is_off(TB_ID_region_end)) {
        if (recorded) end_while_off(t);
    } else if (recorded || !known) {
        if (tb_unlikely(!tb_point_again(TB_ID_region_end, TB_KEY_ALONE))) end_new(ra, frame);
    }
    if (depth && tb_unlikely(chosen)) tb_region_left(t);
    else if (depth) t->priv->regions.depth = depth - 1;
}

void tb_region_mark(const char *name, const char *from, void *ra, void *frame)
{
    named(TB_ID_region_mark, name ? name : "", from, ra, frame);
}

TB_EXPORT void tabard_begin(const char *name) { tb_region_begin(name, NULL, TB_CALLER); }
TB_EXPORT void tabard_end(void) { tb_region_end(TB_CALLER); }
TB_EXPORT void tabard_mark(const char *name) { tb_region_mark(name, NULL, TB_CALLER); }

TB_EXPORT void tabard_value(const char *name, double value)
{
    struct tb_call c;
    uint64_t bits;
    if (!enter(&c, TB_ID_region_value, NULL, TB_CALLER)) return;
    put_names(&c, name ? name : "", NULL);
    memcpy(&bits, &value, sizeof bits);
    if (tb_room(&c, 1)) tb_put(&c, bits);
    tb_instant(&c);
}
