/* Private to this room: the segments that addresses become, the ranges that they lie in, the GPU
 * driver. */
#ifndef TABARD_MEMORY_INTERNAL_H
#define TABARD_MEMORY_INTERNAL_H
#include "core/lock.h"
#include "memory/memory.h"

#pragma GCC visibility push(hidden)

/* Addresses of programs are below 2^this, unless they ask mmap for others. */
#if defined(__aarch64__)
#define TB_ADDRESS_BITS 48
#else
#define TB_ADDRESS_BITS 47
#endif

/* ---- Segments: memory that a traced call has used (blocks.c, segments.c) ---- */

struct tb_block {
    uintptr_t base;
    uint64_t size;
    uint64_t stamp;      /* changes whenever what threads remember about it may be wrong */
    uint32_t next;       /* index + 1 of the next one in its list */
    uint8_t kind;        /* TB_MEM_* */
    uint8_t state;       /* TB_BLOCK_* */
};
enum { TB_BLOCK_FREE, TB_BLOCK_NEW, TB_BLOCK_LIVE, TB_BLOCK_RETIRED };

/* What a thread remembers of a lookup: addresses in [low, low + size) have
 * the word base + (address - low) as long as *stamp == seen. */
struct tb_memo {
    uintptr_t low;
    uint64_t size, base, seen;
    const uint64_t *stamp;
};
enum { TB_MEMOS = 64, TB_RECENT = 8 };

struct tb_addr {              /* one traced thread */
    struct tb_memo memo[TB_MEMOS];
    struct tb_memo recent[TB_RECENT];
    unsigned recent_at;
    uint32_t number;
    uintptr_t anchor, stack_low, stack_high;
    uint32_t retired_first, retired_last; /* segments to report as freed, index + 1 */
    struct tb_addr *next;     /* all threads */
    struct tb_thread *t;
    int live;
};

extern TB_TLS struct tb_addr *tb_addr_self; /* NULL: this thread is not traced */
extern struct tb_block *tb_blocks;

int tb_segments_lock(void);  /* 0: not to be had; then leave everything alone */
void tb_segments_unlock(void);
/* The following want that lock held. */
struct tb_block *tb_block_new(uintptr_t base, uint64_t size, int kind); /* NULL if there are too many */
struct tb_block *tb_block_at(uintptr_t base);                           /* heap blocks only */
void tb_block_retire(struct tb_block *b);                               /* gone; reported by tb_report_frees */
void tb_block_resize(struct tb_block *b, uint64_t size);

void tb_blocks_orphan(struct tb_addr *s);                               /* the thread ends */

/* Writes that there is a new segment (mine: this call made it), or waits until whoever made it
 * has. */
void tb_block_announce(struct tb_call *c, struct tb_block *b, int mine);
void tb_blocks_report(void);            /* writes which segments are gone */
void tb_report_frees(void);             /* likewise, if the state of this thread allows it */
void tb_blocks_child(void);
void tb_heap_freed(uintptr_t base);     /* a used block is about to be freed */
struct tb_block *tb_heap_detach(uintptr_t base); /* realloc works on it: then attach it again, or drop it */
void tb_heap_attach(struct tb_block *b);
void tb_heap_drop(struct tb_block *b);

/* ---- Ranges: mappings, and memory that MPI or a GPU runtime allocated (ranges.c) ---- */

struct tb_range {
    uintptr_t low, high;
    struct tb_block *block;  /* NULL: not used yet */
    uintptr_t maker;         /* of a mapping: code that made it, 0 unknown */
    uint8_t kind;            /* TB_MEM_* */
    uint8_t allocator;       /* mapped by an allocator for its blocks */
    uint8_t asked;           /* the GPU driver was asked: nobody tells when this memory ends */
};
/* See memory.h for tb_range_add and tb_range_forget. */
void tb_range_remove(uintptr_t low, uint64_t bytes);      /* mappings */
void tb_range_remove_whole(uintptr_t low);                /* the mapping that starts there */
void tb_range_extend(uintptr_t low, uint64_t before, uint64_t after); /* a mapping grows in place */
void tb_range_adopt(void);                                /* all mappings so far are the allocator's own */
void tb_range_add_thread_storage(uintptr_t stack_low, uintptr_t stack_high); /* static TLS of this thread */
/* With the lock held: */
struct tb_range *tb_range_find(uintptr_t a, int overlay); /* overlay: of MPI or a GPU, else a mapping */
int tb_range_overlaid(uintptr_t low, uint64_t bytes);     /* there is memory of MPI or a GPU inside */
struct tb_gpu_memory { uintptr_t low; uint64_t bytes; int kind; };
struct tb_range *tb_range_asked(uintptr_t a, int answer, const struct tb_gpu_memory *m); /* of tb_gpu_ask; NULL: none */
int tb_range_busy(void);                                  /* there are operations to catch up with */
void tb_range_catch_up(void);
void tb_late_free(uintptr_t base);                        /* a used heap block, freed while the lock was ours */

/* ---- The GPU driver (gpudriver.c) ---- */

int tb_gpu_loaded(void);           /* there is one that can be asked */
int tb_gpu_made(uintptr_t maker);  /* this code belongs to it */
/* What it knows of an address: 1 memory *m of its own, 0 not its memory, -1 no answer. Not with a
 * lock held. */
int tb_gpu_ask(uintptr_t a, struct tb_gpu_memory *m);

#pragma GCC visibility pop
#endif
