/* ROCTX, LIKWID and Caliper: their functions come here first, and then to the library that the program is linked with,
 * if there is one. What such a library calls of its own interface is no region of the program. */
#include "core/core.h"
#include "core/lock.h"
#include "regions/regions.h"

/* The library's function; NULL without one. */
static void none(void) {}
static void *behind(void **known, const char *name)
{
    void *f = __atomic_load_n(known, __ATOMIC_ACQUIRE);
    if (tb_unlikely(!f)) {
        f = tb_symbol_behind(name);
        if (!f) f = (void *)none;
        __atomic_store_n(known, f, __ATOMIC_RELEASE);
    }
    return f == (void *)none ? NULL : f;
}

static TB_TLS int below; /* a library's function is at work */
#define PASS_ON(name, type, ...) do { \
        static void *known; \
        __typeof__(type) *f = (__typeof__(type) *)behind(&known, name); \
        if (f) below++, f(__VA_ARGS__), below--; \
    } while (0)
#define PASS_ON_INT(name, type, ...) ({ \
        static void *known; \
        __typeof__(type) *f = (__typeof__(type) *)behind(&known, name); \
        int r = 0; \
        if (f) below++, r = f(__VA_ARGS__), below--; \
        r; })
#define BEGIN(name, from) do { if (!below) tb_region_begin(name, from, TB_CALLER); } while (0)
#define END() do { if (!below) tb_region_end(TB_CALLER); } while (0)

typedef int text_to_int(const char *);
typedef void text_to_nothing(const char *);

/* ROCTX. Ranges that have a number (roctxRangeStartA) are no regions, as those of NVTX. */
TB_EXPORT int roctxRangePushA(const char *name)
{
    BEGIN(name, "roctx");
    return PASS_ON_INT("roctxRangePushA", text_to_int, name);
}
TB_EXPORT int roctxRangePop(void)
{
    END();
    return PASS_ON_INT("roctxRangePop", int(void));
}
TB_EXPORT void roctxMarkA(const char *name)
{
    if (!below) tb_region_mark(name, "roctx", TB_CALLER);
    PASS_ON("roctxMarkA", text_to_nothing, name);
}

TB_EXPORT int likwid_markerStartRegion(const char *name)
{
    BEGIN(name, "likwid");
    return PASS_ON_INT("likwid_markerStartRegion", text_to_int, name);
}
TB_EXPORT int likwid_markerStopRegion(const char *name)
{
    END();
    return PASS_ON_INT("likwid_markerStopRegion", text_to_int, name);
}

/* Caliper. */
#define CALIPER(kind, from) \
    TB_EXPORT void cali_begin_##kind(const char *name) \
    { \
        BEGIN(name, from); \
        PASS_ON("cali_begin_" #kind, text_to_nothing, name); \
    } \
    TB_EXPORT void cali_end_##kind(const char *name) \
    { \
        END(); \
        PASS_ON("cali_end_" #kind, text_to_nothing, name); \
    }
CALIPER(region, "caliper")
CALIPER(phase, "caliper phase")
CALIPER(comm_region, "caliper comm")

/* Values of attributes: those that are texts are regions (loops, functions of older versions), numbers are not. An end
 * names the attribute: it is one of a region if that is what the attribute was given last. */
enum { ATTRIBUTES = 32 };
static TB_TLS struct { uint16_t id[ATTRIBUTES]; unsigned n; } attributes; /* folded: see TB_TLS */
static uint16_t folded(uint64_t id) { return (uint16_t)(id * 0x9e3779b97f4a7c15u >> 48); }

static void given(uint64_t id)
{
    if (below) return;
    if (attributes.n < ATTRIBUTES) attributes.id[attributes.n] = folded(id);
    attributes.n++;
}

static int taken(uint64_t id)
{
    unsigned n = attributes.n;
    if (below || n == 0 || (n <= ATTRIBUTES && attributes.id[n - 1] != folded(id))) return 0;
    attributes.n--;
    return 1;
}

TB_EXPORT void cali_begin_string(uint64_t attribute, const char *value)
{
    BEGIN(value, "caliper");
    given(attribute);
    PASS_ON("cali_begin_string", void(uint64_t, const char *), attribute, value);
}
TB_EXPORT void cali_end(uint64_t attribute)
{
    if (taken(attribute)) END();
    PASS_ON("cali_end", void(uint64_t), attribute);
}

/* Likewise by the names of attributes, whose numbers here have the highest bit. */
static uint64_t number_of(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; name && *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return h | (uint64_t)1 << 63;
}
TB_EXPORT void cali_begin_string_byname(const char *attribute, const char *value)
{
    BEGIN(value, "caliper");
    given(number_of(attribute));
    PASS_ON("cali_begin_string_byname", void(const char *, const char *), attribute, value);
}
TB_EXPORT void cali_end_byname(const char *attribute)
{
    if (taken(number_of(attribute))) END();
    PASS_ON("cali_end_byname", text_to_nothing, attribute);
}

/* In C++ regions are objects: cali::Function and cali::ScopeAnnotation. Their constructors and destructors have two
 * names each, for complete objects and for those that others are made of. */
#define OBJECT(name, symbol) \
    TB_EXPORT void name(void *self, const char *text) __asm__(symbol); \
    TB_EXPORT void name(void *self, const char *text) \
    { \
        BEGIN(text, "caliper"); \
        PASS_ON(symbol, void(void *, const char *), self, text); \
    }
#define OBJECT_END(name, symbol) \
    TB_EXPORT void name(void *self) __asm__(symbol); \
    TB_EXPORT void name(void *self) \
    { \
        END(); \
        PASS_ON(symbol, void(void *), self); \
    }
OBJECT(tb_cali_function_c1, "_ZN4cali8FunctionC1EPKc")
OBJECT(tb_cali_function_c2, "_ZN4cali8FunctionC2EPKc")
OBJECT_END(tb_cali_function_d1, "_ZN4cali8FunctionD1Ev")
OBJECT_END(tb_cali_function_d2, "_ZN4cali8FunctionD2Ev")
OBJECT(tb_cali_scope_c1, "_ZN4cali15ScopeAnnotationC1EPKc")
OBJECT(tb_cali_scope_c2, "_ZN4cali15ScopeAnnotationC2EPKc")
OBJECT_END(tb_cali_scope_d1, "_ZN4cali15ScopeAnnotationD1Ev")
OBJECT_END(tb_cali_scope_d2, "_ZN4cali15ScopeAnnotationD2Ev")
