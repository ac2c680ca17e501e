/* Regions that recording is limited to (tabard record --in): names, separated by commas, of regions, or several names
 * with slashes between them, of regions inside one another. A name may have slashes, too, and * for anything.
 *
 * Cut at its slashes, the text is parts. A thread has a bit for each part that may come next, as what is before it has
 * been entered, and INSIDE. */
#include "core/api.h"
#include "regions/regions.h"

enum { PARTS = 63 };
#define INSIDE ((uint64_t)1 << PARTS)

static struct part { const char *text, *end; unsigned path; int last; } parts[PARTS];
static unsigned part_count;
static uint64_t first_parts;

int tb_regions_chosen(void) { return part_count != 0; }

void tb_regions_choose(void)
{
    const char *p = tb_process.control->in, *end = p + sizeof tb_process.control->in;
    unsigned path = 0, first = 1;
    while (part_count < PARTS && *p) {
        struct part *x = &parts[part_count];
        if (first) first_parts |= (uint64_t)1 << part_count;
        for (x->text = p; p < end && *p && *p != '/' && *p != ','; p++) {}
        x->end = p;
        x->path = path;
        x->last = first = p == end || *p != '/';
        path += first;
        part_count++;
        if (p == end) break;
        p += *p != 0;
    }
}

static int matches(const char *p, const char *end, const char *name)
{
    const char *star = NULL, *from = NULL;
    for (;;) {
        if (p < end && *p == '*') star = p++, from = name;
        else if (p < end && *name && *p == *name) p++, name++;
        else if (p == end && !*name) return 1;
        else if (star && *from) p = star + 1, name = ++from;
        else return 0;
    }
}

/* What a thread has entered where it enters a region. */
static uint64_t entered(uint64_t was, const char *name)
{
    uint64_t next = (was & ~INSIDE) | first_parts, now = was;
    for (unsigned i = 0; i < part_count; i++) {
        if (!(next >> i & 1)) continue;
        unsigned j = i;
        do {
            if (!matches(parts[i].text, parts[j].end, name)) continue;
            now |= parts[j].last ? INSIDE : (uint64_t)1 << (j + 1);
            if (parts[j].last)
                __atomic_or_fetch(&tb_process.control->in_entered, (uint64_t)1 << parts[j].path, __ATOMIC_RELAXED);
        } while (!parts[j++].last);
    }
    return now;
}

static uint64_t reached(const struct tb_thread *t)
{
    uint32_t depth = t->priv->regions.depth;
    return depth ? t->priv->regions.reached[depth <= TB_REGION_LEVELS ? depth - 1 : TB_REGION_LEVELS - 1] : 0;
}

void tb_region_entered(struct tb_thread *t, const char *name)
{
    uint64_t was = reached(t), now = was;
    uint32_t level = t->priv->regions.depth++;
    if (level < TB_REGION_LEVELS) {
        if (part_count) now = entered(was, name);
        t->priv->regions.reached[level] = now;
    }
    if ((now ^ was) & INSIDE) tb_switch_inside(t, 1);
}

void tb_region_left(struct tb_thread *t)
{
    uint64_t was = reached(t);
    t->priv->regions.depth--;
    if ((reached(t) ^ was) & INSIDE) tb_switch_inside(t, -1);
}

void tb_regions_left(struct tb_thread *t)
{
    while (t->priv->regions.depth) tb_region_left(t);
}
