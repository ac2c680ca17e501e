/* Names for parts of a program, which tabard records among its calls: regions, marks and values. See docs/regions.md.
 *
 *     tabard_region_begin("solve");
 *     ...
 *     tabard_region_end();               // ends the region that this thread began last
 *     tabard_region_mark("restart");     // a moment
 *     tabard_region_value("error", e);   // a number at a moment
 *
 * In C++ a region may be an object, which ends with its scope:  tabard::region r("solve");
 *
 * There is nothing to link. Without tabard each call is a test of a pointer. Names are recorded by what they say: they
 * may be in memory that changes afterwards. */
#ifndef TABARD_H
#define TABARD_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define TABARD_WEAK __attribute__((weak, noplt)) /* noplt: also where the program is linked to a fixed address */
#else
#define TABARD_WEAK __attribute__((weak))
#endif
TABARD_WEAK void tabard_begin(const char *name);
TABARD_WEAK void tabard_end(void);
TABARD_WEAK void tabard_mark(const char *name);
TABARD_WEAK void tabard_value(const char *name, double value);

static inline void tabard_region_begin(const char *name) { if (tabard_begin) tabard_begin(name); }
static inline void tabard_region_end(void) { if (tabard_end) tabard_end(); }
static inline void tabard_region_mark(const char *name) { if (tabard_mark) tabard_mark(name); }
static inline void tabard_region_value(const char *name, double value) { if (tabard_value) tabard_value(name, value); }

#ifdef __cplusplus
}

namespace tabard {
class region {
public:
    explicit region(const char *name) { tabard_region_begin(name); }
    ~region() { tabard_region_end(); }
private:
    region(const region &);
    region &operator=(const region &);
};
}
#endif
#endif
