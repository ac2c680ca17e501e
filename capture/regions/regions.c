/* Begin and end of regions, marks and values, and the runtime's own interface for them (include/tabard.h). */
#include "core/api.h"
#include "core/ids.h"
#include "regions/regions.h"

const struct tb_api tb_region_api;

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

static inline __attribute__((always_inline))
void named(int id, const char *name, const char *from, void *ra, void *frame)
{
    struct tb_call c;
    if (!enter(&c, id, from, ra, frame)) return;
    if (!name) name = "";
    if (tb_likely(tb_begin_known(&c, name, from))) {
        tb_instant_end(&c);
        return;
    }
    put_names(&c, name, from);
    tb_instant(&c);
}

void tb_region_begin(const char *name, const char *from, void *ra, void *frame)
{
    named(TB_ID_region_begin, name, from, ra, frame);
}

/* Ends have no call site: all are the same event. */
void tb_region_end(void *ra, void *frame)
{
    struct tb_call c;
    if (!is_off(TB_ID_region_end) && tb_enter(&c, TB_ID_region_end, 0, ra, frame, 0)) tb_instant(&c);
}

void tb_region_mark(const char *name, const char *from, void *ra, void *frame)
{
    named(TB_ID_region_mark, name, from, ra, frame);
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
