/* Private to the files about addresses: shadow.h, segments.c, ranges.c,
 * memory.c, modules.c, cfi.c, unwind.c, gpu.c, gpudriver.c. */
#ifndef TABARD_ADDRESS_H
#define TABARD_ADDRESS_H
#include "internal.h"

#pragma GCC visibility push(hidden)

/* Addresses of programs are below 2^this, unless they ask mmap for others. */
#if defined(__aarch64__)
#define TB_ADDRESS_BITS 48
#else
#define TB_ADDRESS_BITS 47
#endif

#define TB_TLS __thread __attribute__((tls_model("initial-exec")))

/* ---- Memory for the runtime: straight from the kernel, never from malloc ---- */

void *tb_map_pages(size_t bytes, int wipe_on_fork); /* zeroed, NULL if there is none; keeps errno */
void tb_unmap_pages(void *p, size_t bytes);

/* ---- A lock that a signal handler cannot deadlock on ----
 * A thread that already holds a lock is refused, as is everybody in a forked
 * child and anyone who has waited for seconds. Keeps errno. */
struct tb_lock { int held; };
void tb_wait_flag(const uint8_t *flag); /* until it is set by another thread, or for some seconds */
int tb_lock_take(struct tb_lock *l);
void tb_lock_drop(struct tb_lock *l);

/* State that reads as zero in a forked child, where it means "off". */
struct tb_addr_shared {
    int alive;
    struct tb_lock segments, modules, stacks;
};
extern struct tb_addr_shared *tb_shared;
static inline int tb_addr_alive(void) { return tb_shared && __atomic_load_n(&tb_shared->alive, __ATOMIC_RELAXED); }

/* ---- Segments: memory that an MPI call has used (segments.c) ---- */

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

extern int tb_mem_on;  /* allocations are followed */
extern struct tb_block *tb_blocks;

void tb_addr_init(void);
int tb_segments_lock(void);  /* 0: not to be had; then leave everything alone */
void tb_segments_unlock(void);
/* The following want that lock held. */
struct tb_block *tb_block_new(uintptr_t base, uint64_t size, int kind); /* NULL if there are too many */
struct tb_block *tb_block_at(uintptr_t base);                           /* heap blocks only */
void tb_block_retire(struct tb_block *b);                               /* gone; reported by tb_report_frees */
void tb_block_resize(struct tb_block *b, uint64_t size);

void tb_report_frees(void);     /* if the state of this thread allows it */
void tb_heap_freed(uintptr_t base);     /* a used block is about to be freed */
struct tb_block *tb_heap_detach(uintptr_t base); /* realloc works on it: then attach it again, or drop it */
void tb_heap_attach(struct tb_block *b, uint64_t size);
void tb_heap_drop(struct tb_block *b);

/* ---- Ranges: mappings, and memory that MPI or a GPU runtime allocated (ranges.c) ---- */

struct tb_range {
    uintptr_t low, high;
    struct tb_block *block;  /* NULL: not used by MPI yet */
    uintptr_t maker;         /* of a mapping: code that made it, 0 unknown */
    uint8_t kind;            /* TB_MEM_* */
    uint8_t allocator;       /* mapped by an allocator for its blocks */
    uint8_t asked;           /* the GPU driver was asked: nobody tells when this memory ends */
};
/* Replaces what was there. */
void tb_range_add(uintptr_t low, uint64_t bytes, int kind, int allocator, const void *maker);
void tb_range_remove(uintptr_t low, uint64_t bytes);      /* mappings */
void tb_range_remove_whole(uintptr_t low);                /* the mapping that starts there */
void tb_range_extend(uintptr_t low, uint64_t before, uint64_t after); /* a mapping grows in place */
void tb_range_forget(uintptr_t base, int kind);           /* MPI or GPU memory that starts there */
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
/* What it knows of an address: 1 memory *m of its own, 0 not its memory, -1 no answer. Not with a lock held. */
int tb_gpu_ask(uintptr_t a, struct tb_gpu_memory *m);

/* ---- Modules: executables and shared objects (modules.c) ---- */

enum { TB_MODULE_PLAIN, TB_MODULE_MPI, TB_MODULE_BINDING, TB_MODULE_SELF };
struct tb_module {
    uintptr_t low, high;     /* address range */
    uintptr_t bias;          /* load address: what ELF addresses are relative to */
    uint64_t stamp;          /* odd: unloaded */
    const char *path, *name; /* name: as the loader has it */
    char build_id[81];
    uint8_t kind;            /* TB_MODULE_* */
    uint8_t main, libc, announced;
    uint8_t judged;          /* it is known whether this is the MPI library */
    uint32_t number;         /* + 1, 0: not used yet */
    const uint8_t *frame_header, *frame_end; /* .eh_frame_hdr, end of its segment */
    uintptr_t code, code_end; /* executable segment */
    const void *dynamic;      /* ElfW(Dyn), NULL if there is none */
};
struct tb_module *tb_module_of(uintptr_t a);              /* NULL: none */
const char *tb_module_file(const struct tb_module *m);    /* its name without directories */
/* The next loaded one, of those that are known, from place *from on, whose file has a name that begins so. */
struct tb_module *tb_module_named(const char *prefix, unsigned *from);
int tb_module_announce(struct tb_thread *t, struct tb_module *m); /* numbers it; 0: cannot */
static inline uint64_t tb_module_word(const struct tb_module *m, uintptr_t a)
{
    return (uint64_t)TB_W_MODULE << 60 | (uint64_t)(m->number - 1) << 40 | (a - m->bias);
}

/* ---- Unwinding (cfi.c, unwind.c) ---- */

struct tb_frame {
    uintptr_t pc, sp, fp;
    int exact;                /* pc is no return address */
    int loose;                /* AArch64: sp is only a lower bound; fp says where the frame ends, by the rule for fp */
    uintptr_t link;           /* AArch64: the link register, if it is known what it holds, else 0 */
};
enum { TB_STEP_STOP, TB_STEP_SP, TB_STEP_FP, TB_STEP_FULL, TB_STEP_RECORD, TB_STEP_END };
/* Without rules: x86-64 keeps the frame pointer where a frame ends, AArch64 somewhere in it. */
#if defined(__aarch64__)
#define TB_STEP_NO_RULES TB_STEP_RECORD
#else
#define TB_STEP_NO_RULES TB_STEP_FP
#endif
/* How to get from a frame to its caller. */
struct tb_step {
    uintptr_t pc;             /* key */
    struct tb_module *module;
    uint64_t seen;            /* stamp of the module */
    int32_t cfa, fp, ra;      /* frame address = sp or fp + cfa; saved at frame address + fp (0: unchanged), + ra */
    uint8_t kind;
    uint8_t signal;
    uint8_t mpi;              /* a frame of the MPI library */
    uint8_t skip;             /* a frame of the MPI library, a binding or the runtime */
};
/* A return address without the signature that a function may have put into its upper bits. */
static inline uintptr_t tb_strip(uintptr_t a)
{
#if defined(__aarch64__)
    register uintptr_t x30 __asm__("x30") = a;
    __asm__("hint #7" : "+r"(x30)); /* xpaclri; does nothing on processors that have no signatures */
    return x30;
#else
    return a;
#endif
}
/* Readable memory that holds the frames. */
struct tb_extent { uintptr_t low, high; };
void tb_cfi_find(struct tb_step *s, struct tb_module *m, uintptr_t pc);
int tb_cfi_step(struct tb_frame *f, struct tb_module *m, uintptr_t pc, struct tb_extent *e); /* one frame the long way */
int tb_cfi_function(const struct tb_module *m, uintptr_t pc, uintptr_t *low, uintptr_t *high); /* its extent; 0: unknown */
void tb_sites_thread_end(struct tb_thread *t);
void tb_extent_of(struct tb_thread *t, uintptr_t a, struct tb_extent *e); /* from a up; empty if unknown */

#pragma GCC visibility pop
#endif
