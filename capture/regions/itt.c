/* ITT: a program that is linked with Intel's static part loads what INTEL_LIBITTNOTIFY64 names, and has it fill a table
 * of function pointers. */
#include <pthread.h>
#include "regions/regions.h"

/* As in ITT's ittnotify.h and ittnotify_config.h. */
struct domain { volatile int flags; const char *name; };
struct string_handle { const char *text; };
struct id { unsigned long long d[3]; };
struct api { const char *name; void **function; void *init, *null; int group; };
struct global {
    unsigned char magic[8];
    unsigned long version[3];
    volatile long initialized, mutex_initialized, counter;
    pthread_mutex_t mutex;
    void *lib, *error_handler;
    const char **path;
    struct api *functions;
};

static const char from[] = "itt";

static void task_begin(const struct domain *domain, struct id id, struct id parent, struct string_handle *name)
{
    (void)domain, (void)id, (void)parent;
    tb_region_begin(name ? name->text : NULL, from, TB_CALLER);
}

static void task_end(const struct domain *domain) { (void)domain, tb_region_end(TB_CALLER); }

static void frame_begin(const struct domain *domain, struct id *id)
{
    (void)id;
    tb_region_begin(domain ? domain->name : NULL, "itt frame", TB_CALLER);
}

static void frame_end(const struct domain *domain, struct id *id) { (void)domain, (void)id, tb_region_end(TB_CALLER); }

static void marker(const struct domain *domain, struct id id, struct string_handle *name, int scope)
{
    (void)domain, (void)id, (void)scope;
    tb_region_mark(name ? name->text : NULL, from, TB_CALLER);
}

static const struct { const char *name; void *function; } ours[] = {
    {"__itt_task_begin", (void *)task_begin}, {"__itt_task_end", (void *)task_end},
    {"__itt_frame_begin_v3", (void *)frame_begin}, {"__itt_frame_end_v3", (void *)frame_end},
    {"__itt_marker", (void *)marker},
};

/* The others do what they do without a tool: names and domains are made by the static part. */
TB_EXPORT void __itt_api_init(struct global *g, int groups)
{
    (void)groups;
    for (struct api *a = g->functions; a->name; a++) {
        *a->function = a->null;
        for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++)
            if (strcmp(a->name, ours[i].name) == 0) *a->function = ours[i].function;
    }
}
