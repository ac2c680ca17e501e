/* NVTX: its header loads what NVTX_INJECTION64_PATH names, and has it fill tables of function pointers. What begins and
 * ends by a number, perhaps in different threads (nvtxRangeStart), is no region. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include "regions/regions.h"

/* As in NVTX 3's nvToolsExt.h and nvtxTypes.h. */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type; /* 1 text, 2 wide text, 3 what register_text returned */
    const void *message;
};
struct callbacks {
    size_t size;
    int (*functions)(int module, void (****table)(void), unsigned *size);
};
enum { CORE = 1, CORE_2 = 5 };
enum { NO_TRACKING = -2 }; /* what the functions return without a tool */

/* Names that the program wants kept, once each. */
struct kept { struct kept *next; char text[]; };
static struct kept *all_kept;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *keep(const char *prefix, const char *text)
{
    struct kept *k;
    size_t n = strlen(prefix), m = strlen(text);
    pthread_mutex_lock(&kept_lock);
    for (k = all_kept; k; k = k->next)
        if (strncmp(k->text, prefix, n) == 0 && strcmp(k->text + n, text) == 0) break;
    if (!k && (k = malloc(sizeof *k + n + m + 1)) != NULL) {
        memcpy(k->text, prefix, n);
        memcpy(k->text + n, text, m + 1);
        k->next = all_kept;
        all_kept = k;
    }
    pthread_mutex_unlock(&kept_lock);
    return k ? k->text : prefix;
}

/* Wide text as UTF-8. */
enum { TEXT_MAX = 256 };
static const char *narrow(char *to, const wchar_t *s)
{
    size_t n = 0;
    for (; s && *s && n < TEXT_MAX - 4; s++) {
        uint32_t c = (uint32_t)*s;
        if (c < 0x80) to[n++] = (char)c;
        else if (c < 0x800) to[n++] = (char)(0xc0 | c >> 6), to[n++] = (char)(0x80 | (c & 63));
        else if (c < 0x10000)
            to[n++] = (char)(0xe0 | c >> 12), to[n++] = (char)(0x80 | (c >> 6 & 63)), to[n++] = (char)(0x80 | (c & 63));
        else
            to[n++] = (char)(0xf0 | (c >> 18 & 7)), to[n++] = (char)(0x80 | (c >> 12 & 63)),
            to[n++] = (char)(0x80 | (c >> 6 & 63)), to[n++] = (char)(0x80 | (c & 63));
    }
    to[n] = 0;
    return to;
}

static const char *name_of(const struct attributes *a, char *buffer)
{
    if (!a || a->size < sizeof *a || !a->message) return "";
    if (a->message_type == 2) return narrow(buffer, a->message);
    return a->message_type == 1 || a->message_type == 3 ? a->message : "";
}

static const char *from_of(const char *domain) { return domain ? domain : "nvtx"; }

static int push(const char *name) { tb_region_begin(name, "nvtx", TB_CALLER); return NO_TRACKING; }
static int pop(void) { tb_region_end(TB_CALLER); return NO_TRACKING; }
static void mark(const char *name) { tb_region_mark(name, "nvtx", TB_CALLER); }
static int push_wide(const wchar_t *name)
{
    char buffer[TEXT_MAX];
    tb_region_begin(narrow(buffer, name), "nvtx", TB_CALLER);
    return NO_TRACKING;
}
static void mark_wide(const wchar_t *name)
{
    char buffer[TEXT_MAX];
    tb_region_mark(narrow(buffer, name), "nvtx", TB_CALLER);
}
static int push_attributes(const struct attributes *a)
{
    char buffer[TEXT_MAX];
    tb_region_begin(name_of(a, buffer), "nvtx", TB_CALLER);
    return NO_TRACKING;
}
static void mark_attributes(const struct attributes *a)
{
    char buffer[TEXT_MAX];
    tb_region_mark(name_of(a, buffer), "nvtx", TB_CALLER);
}
static int domain_push(const char *domain, const struct attributes *a)
{
    char buffer[TEXT_MAX];
    tb_region_begin(name_of(a, buffer), from_of(domain), TB_CALLER);
    return NO_TRACKING;
}
static int domain_pop(const char *domain) { (void)domain; tb_region_end(TB_CALLER); return NO_TRACKING; }
static void domain_mark(const char *domain, const struct attributes *a)
{
    char buffer[TEXT_MAX];
    tb_region_mark(name_of(a, buffer), from_of(domain), TB_CALLER);
}

/* Domains and registered texts are their names. */
static const char *domain_create(const char *name) { return keep("nvtx ", name ? name : ""); }
static const char *domain_create_wide(const wchar_t *name)
{
    char buffer[TEXT_MAX];
    return keep("nvtx ", narrow(buffer, name));
}
static const char *register_text(const char *domain, const char *text)
{
    (void)domain;
    return keep("", text ? text : "");
}
static const char *register_wide(const char *domain, const wchar_t *text)
{
    char buffer[TEXT_MAX];
    (void)domain;
    return keep("", narrow(buffer, text));
}

#define ENTRY(module, id, function) {module, id, (void (*)(void))function}
static const struct { int module; unsigned id; void (*function)(void); } ours[] = {
    ENTRY(CORE, 1, mark_attributes), ENTRY(CORE, 2, mark), ENTRY(CORE, 3, mark_wide),
    ENTRY(CORE, 8, push_attributes), ENTRY(CORE, 9, push), ENTRY(CORE, 10, push_wide), ENTRY(CORE, 11, pop),
    ENTRY(CORE_2, 1, domain_mark), ENTRY(CORE_2, 4, domain_push), ENTRY(CORE_2, 5, domain_pop),
    ENTRY(CORE_2, 10, register_text), ENTRY(CORE_2, 11, register_wide),
    ENTRY(CORE_2, 12, domain_create), ENTRY(CORE_2, 13, domain_create_wide),
};

TB_EXPORT int InitializeInjectionNvtx2(const void *(*tables)(uint32_t id))
{
    const struct callbacks *c = tables(1);
    if (!c || c->size < sizeof *c) return 0;
    for (unsigned i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        void (***table)(void) = NULL;
        unsigned size = 0;
        if (!c->functions(ours[i].module, &table, &size) || !table || ours[i].id >= size || !table[ours[i].id])
            continue;
        *table[ours[i].id] = ours[i].function;
    }
    return 1;
}
