/* Clocks: what time stamps are taken from, and the records that tell what a reading means. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/internal.h"

int tb_clock, tb_clock_source;

uint64_t tb_now_slow(void)
{
    return tb_relaxed(tb_clock) == 2 ? tb_monotonic() : 0;
}

/* ---- The choice ---- */

#if defined(__x86_64__) && !defined(TB_NO_TIMING)
/* Kernels that have found the cycle counters of the processors apart, or changing their speed, fall
 * back to one of these. */
static int kernel_distrusts_counter(void)
{
    static const char *const others[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
    char name[64];
    size_t n = tb_read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name);
    while (n > 0 && name[n - 1] == '\n') name[--n] = 0;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0) return 1;
    return 0;
}
#endif

/* The cycle counter serves as a clock only if it runs at one speed through sleep states, on all
 * processors alike. */
static int choose_clock(void)
{
#ifdef TB_NO_TIMING
    return 0;
#else
#if defined(__x86_64__)
    unsigned a, b, c, d;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0x80000000u), "c"(0));
    if (a < 0x80000007u) return 2;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0x80000007u), "c"(0));
    return d >> 8 & 1 && !kernel_distrusts_counter() ? 1 : 2;
#elif defined(__aarch64__)
    return 1;
#else
    return 2;
#endif
#endif
}

/* ---- A testing aid ---- */

/* TABARD_CLOCK_SKEW is HOST:NS:PPB:SINCE, separated by commas. On host HOST all readings of
 * CLOCK_MONOTONIC and CLOCK_REALTIME that are recorded are ahead by NS nanoseconds, and by PPB
 * billionths of the time since CLOCK_MONOTONIC was SINCE nanoseconds. */
static int64_t skew[3];

static void find_skew(void)
{
    const char *p = getenv("TABARD_CLOCK_SKEW");
    char host[256] = "";
    if (!p || gethostname(host, sizeof host - 1) != 0) return;
    size_t n = strlen(host);
    while (strncmp(p, host, n) != 0 || p[n] != ':')
        if ((p = strchr(p, ',')) == NULL || *++p == 0) return;
    char *end = (char *)p + n;
    for (int i = 0; i < 3 && *end == ':'; i++) skew[i] = strtoll(end + 1, &end, 10);
}

uint64_t tb_host_clock(uint64_t mono)
{
    int64_t since = (int64_t)mono - skew[2], second = 1000000000;
    return mono + (uint64_t)(skew[0] + since / second * skew[1] + since % second * skew[1] / second);
}

void tb_clock_start(int timing)
{
    tb_clock_source = choose_clock();
    find_skew();
    tb_clock = timing ? tb_clock_source : 0;
}

void tb_clock_ordered(void) { __atomic_store_n(&tb_clock, tb_clock_source, __ATOMIC_RELAXED); }

/* ---- Records ---- */

/* Also while calls get no time stamps. */
static uint64_t read_clock(void) { return tb_clock_source == 1 ? tb_ticks() : tb_monotonic(); }

void tb_emit_clock(struct tb_thread *t)
{
    uint64_t payload[4] = {0, 0, 0, (uint64_t)tb_clock_source};
    uint64_t best = ~(uint64_t)0;
    if (!tb_clock_source) return;
    for (int i = 0; i < 4; i++) { /* the reading that was interrupted least */
        struct timespec real;
        uint64_t before = read_clock();
        clock_gettime(CLOCK_REALTIME, &real);
        uint64_t mono = tb_monotonic(), after = read_clock();
        if (after - before >= best) continue;
        best = after - before;
        payload[0] = before + best / 2;
        payload[2] = tb_host_clock(mono);
        payload[1] = (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec + (payload[2] - mono);
    }
    tb_emit(t, TB_R_CLOCK, payload, 4);
}

/* About one clock record a second and process: ticks per second come from the
 * monotonic clock, so that no calibration has to wait. */
void tb_clock_tick(struct tb_thread *t)
{
    static uint64_t last_ns, last_ticks;
    int saved = errno;
    uint64_t now = tb_now(), ns = tb_monotonic();
    uint64_t seen = __atomic_load_n(&last_ns, __ATOMIC_ACQUIRE), ticks = __atomic_load_n(&last_ticks, __ATOMIC_RELAXED);
    uint64_t per_second = 1000000000u;
    if (seen && ns > seen + 1000000 && now > ticks)
        per_second = (uint64_t)((double)(now - ticks) / (double)(ns - seen) * 1e9);
    if (ns - seen < 900000000u) {
        t->clock_due = now + per_second / 4; /* another thread has just written one */
    } else if (__atomic_compare_exchange_n(&last_ns, &seen, ns, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        __atomic_store_n(&last_ticks, now, __ATOMIC_RELAXED);
        t->priv->muted++; /* calls of functions that wait to be written are not taken apart for it */
        tb_emit_clock(t);
        t->priv->muted--;
        t->clock_due = now + per_second;
    }
    errno = saved;
}
