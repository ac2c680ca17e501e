/* The shadow of the heap, rare parts: see shadow.h. */
#include "memory/shadow.h"

struct tb_region *tb_regions[TB_REGIONS];
static uint64_t present[TB_REGIONS / 64]; /* which regions there are, to skip wide gaps */

struct tb_region *tb_region_make(uintptr_t a)
{
    struct tb_region **at = &tb_regions[a >> TB_REGION_BITS], *none = NULL;
    struct tb_region *r = tb_map_pages(sizeof *r, 0);
    if (r == NULL) return NULL;
    if (__atomic_compare_exchange_n(at, &none, r, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        __atomic_fetch_or(&present[a >> (TB_REGION_BITS + 6)], 1ULL << (a >> TB_REGION_BITS & 63), __ATOMIC_RELEASE);
        return r;
    }
    tb_unmap_pages(r, sizeof *r); /* another thread was faster */
    return none;
}

void tb_shadow_missed_free(uintptr_t a)
{
    tb_heap_freed(a);
}

/* The owner of [a, a + size) is the only one who could have starts inside. */
void tb_shadow_clear_hints(uintptr_t a, uint64_t size)
{
    uint64_t page = (a >> 12) + 1, end = (a + size) >> 12;
    while (page < end) {
        uint64_t index = page & (TB_REGION_PAGES - 1);
        struct tb_region *r = __atomic_load_n(&tb_regions[page >> (TB_REGION_BITS - 12)], __ATOMIC_ACQUIRE);
        if (r == NULL) {
            page += TB_REGION_PAGES - index;
        } else if (!r->meg[index >> 8]) {
            page += 256 - (index & 255);
        } else if ((index & 255) == 0 && page + 256 <= end) {
            memset(&r->page[index], 0, 256);
            r->meg[index >> 8] = 0;
            page += 256;
        } else {
            r->page[index] = 0;
            page++;
        }
    }
}

uint64_t tb_shadow_size(const uint8_t *mark)
{
    uint8_t m = *mark;
    if (m <= 0x90) return m - 0x80u;
    if (m < 0xff) return (m - 0x8fu) * 16 - (mark[1] & 15);
    uint64_t n = 0;
    for (int i = 0; i < 7; i++) n |= (uint64_t)(mark[i + 1] & 0x7f) << 7 * i;
    return n;
}

/* Last byte of from[0..last] with its high bit set, -1 if none; from is 8-byte aligned. */
static long last_start(const uint8_t *from, long last)
{
    for (long word = last & ~7L; word >= 0; word -= 8) {
        uint64_t v;
        memcpy(&v, from + word, 8);
        v &= 0x8080808080808080ULL;
        if (last - word < 7) v &= (1ULL << 8 * (last - word + 1)) - 1;
        if (v) return word + (63 - __builtin_clzll(v)) / 8;
    }
    return -1;
}

/* Last hint that is set among h[0..last], -1 if none. */
static long last_hint(const uint8_t *h, long last)
{
    while (last >= 0 && !h[last]) last--;
    return last;
}

static long find_in_region(struct tb_region *r, long granule)
{
    for (;;) {
        long page = granule >> 8, meg = page >> 8;
        if (r->page[page]) {
            long at = last_start(&r->start[page << 8], granule & 255);
            if (at >= 0) return (page << 8) + at;
        }
        long before = last_hint(&r->page[meg << 8], (page & 255) - 1);
        if (before >= 0) {
            granule = ((meg << 8) + before) << 8 | 255;
            continue;
        }
        meg = last_hint(r->meg, meg - 1);
        if (meg < 0) return -1;
        granule = meg << 16 | 65535;
    }
}

/* The last region at or below n, -1 if there is none in reach. */
static long last_region(long n)
{
    for (long lowest = n - (1 << (40 - TB_REGION_BITS)); n >= 0 && n >= lowest; n = (n & ~63L) - 1) {
        uint64_t v = __atomic_load_n(&present[n / 64], __ATOMIC_ACQUIRE) << (63 - n % 64);
        if (v) return n - __builtin_clzll(v);
    }
    return -1;
}

uintptr_t tb_shadow_find(uintptr_t a, uint8_t **mark)
{
    if (a >> TB_ADDRESS_BITS) return 0;
    long granule = (long)(a >> 4 & (TB_REGION_GRANULES - 1)), first = (long)(a >> TB_REGION_BITS), n = first;
    while ((n = last_region(n)) >= 0) {
        struct tb_region *r = tb_regions[n];
        long at = find_in_region(r, n == first ? granule : TB_REGION_GRANULES - 1);
        if (at >= 0) {
            *mark = &r->start[at];
            return (uintptr_t)n << TB_REGION_BITS | (uintptr_t)at << 4;
        }
        n--;
    }
    return 0;
}
