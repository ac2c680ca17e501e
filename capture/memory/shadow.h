/* The shadow of the heap: which addresses are starts of live blocks, and how
 * long those are. One byte per 16-byte granule, plain stores, no lock: a
 * block's shadow belongs to whoever owns the block, and the allocator orders
 * owners. A free block's first byte has its high bit clear.
 *
 *   0x80 + n         a block of n <= 16 bytes
 *   0x8f + g         a block of g granules (2..110); the next byte holds how
 *                    many bytes are missing to g * 16
 *   0xff             a longer block; its size, 7 bits per byte, follows
 *   TB_SHADOW_USED   a block that MPI has used: the size is in its segment
 *
 * Two levels of hints (a start may be in this 4 KiB, in this MiB) make the
 * search backwards from an interior address short. Hints are set with the
 * first start and cleared when a block covers the whole of their range. */
#ifndef TABARD_SHADOW_H
#define TABARD_SHADOW_H
#include "memory/internal.h"

#pragma GCC visibility push(hidden)

#define TB_SHADOW_LONG 0xff
#define TB_SHADOW_USED 0xfe
enum {
    TB_REGION_BITS = 26,
    TB_REGION_GRANULES = 1 << (TB_REGION_BITS - 4),
    TB_REGION_PAGES = 1 << (TB_REGION_BITS - 12),
    TB_REGION_MEGS = 1 << (TB_REGION_BITS - 20),
    TB_REGIONS = 1 << (TB_ADDRESS_BITS - TB_REGION_BITS),
};
struct tb_region {
    uint8_t start[TB_REGION_GRANULES + 16]; /* the size of a block at the very end lies behind it */
    uint8_t page[TB_REGION_PAGES];
    uint8_t meg[TB_REGION_MEGS];
};
extern struct tb_region *tb_regions[TB_REGIONS];

TB_COLD struct tb_region *tb_region_make(uintptr_t a);
TB_COLD void tb_shadow_missed_free(uintptr_t a);
void tb_shadow_clear_hints(uintptr_t a, uint64_t size);
/* Nearest block start at or below a, at most 2^40 bytes away; 0 if none. *mark is its first
 * byte. */
uintptr_t tb_shadow_find(uintptr_t a, uint8_t **mark);
uint64_t tb_shadow_size(const uint8_t *mark);

static inline uint8_t *tb_shadow_of(uintptr_t a)
{
    if (tb_unlikely((a & 15) != 0 || a >> TB_ADDRESS_BITS != 0)) return NULL;
    struct tb_region *r = __atomic_load_n(&tb_regions[a >> TB_REGION_BITS], __ATOMIC_ACQUIRE);
    return r ? &r->start[a >> 4 & (TB_REGION_GRANULES - 1)] : NULL;
}

/* Notes the size of a block; room for 8 bytes behind mark. */
static inline void tb_shadow_write(uint8_t *mark, uint64_t n)
{
    if (n <= 16) {
        __atomic_store_n(mark, (uint8_t)(0x80 + n), __ATOMIC_RELAXED);
    } else if (n <= 110 * 16) {
        uint16_t g = (uint16_t)((n + 15) >> 4), v = (uint16_t)((0x8f + g) | (g * 16 - n) << 8);
        memcpy(mark, &v, 2);
    } else {
        uint64_t v = TB_SHADOW_LONG;
        for (int i = 0; i < 7; i++) v |= (n >> 7 * i & 0x7f) << (8 * i + 8);
        memcpy(mark, &v, 8);
    }
}

/* A live block of n bytes starts at p. */
static inline void tb_shadow_add(void *p, size_t n)
{
    uintptr_t a = (uintptr_t)p;
    if (tb_unlikely((a & 15) != 0 || a >> TB_ADDRESS_BITS != 0 || a == 0 || n >> TB_ADDRESS_BITS != 0)) return;
    struct tb_region *r = __atomic_load_n(&tb_regions[a >> TB_REGION_BITS], __ATOMIC_ACQUIRE);
    if (tb_unlikely(r == NULL) && (r = tb_region_make(a)) == NULL) return;
    size_t g = a >> 4 & (TB_REGION_GRANULES - 1);
    if (tb_unlikely(r->start[g] == TB_SHADOW_USED)) tb_shadow_missed_free(a);
    tb_shadow_write(&r->start[g], n);
    if (tb_unlikely(!r->page[g >> 8])) {
        r->meg[g >> 16] = 1;
        r->page[g >> 8] = 1;
    }
    if (tb_unlikely(n >= 8192)) tb_shadow_clear_hints(a, n);
}

/* The block at a is about to be freed: takes its mark, 0 if it was not known. */
static inline uint8_t tb_shadow_take(uintptr_t a)
{
    uint8_t *mark = tb_shadow_of(a), was;
    if (tb_unlikely(mark == NULL) || (was = *mark) < 0x80) return 0;
    __atomic_store_n(mark, 0, __ATOMIC_RELAXED);
    return was;
}

#pragma GCC visibility pop
#endif
