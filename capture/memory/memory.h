/* Memory of the program: what other rooms ask of it and tell it. Wrappers find tb_seg_word in
 * core/call.h. */
#ifndef TABARD_MEMORY_H
#define TABARD_MEMORY_H
#include "core/core.h"

#pragma GCC visibility push(hidden)

extern int tb_mem_on;  /* allocations are followed */

/* Called for each thread when it gets its state and when it ends (its number may then go
 * to another thread), and in a forked child, where no state may be trusted or
 * freed and nothing recorded. */
void tb_memory_thread(struct tb_thread *t);
void tb_memory_thread_end(void); /* of the calling thread */
void tb_memory_child(void);

/* An element of an array of displacements: the word of an address if it falls
 * into live memory that is known, else a literal. Records and moves c->w like tb_seg_word. */
uint64_t tb_displacement_word(struct tb_call *c, uint64_t v);

/* Memory that somebody else than the allocator or mmap gave to the program (TB_MEM_*): it replaces
 * what was there. allocator: mapped by an allocator for its blocks; maker: code that made the
 * mapping, NULL unknown. */
void tb_range_add(uintptr_t low, uint64_t bytes, int kind, int allocator, const void *maker);
void tb_range_forget(uintptr_t base, int kind); /* that starts there */

/* Who records mappings of files: NULL if nobody does. mapping and unmapping say, before the call, whether it is one
 * that is recorded; mapped and unmapped record it afterwards. They keep errno. */
struct tb_file_map {
    void *address;
    size_t bytes;
    int protection, flags, fd;
    long offset;
    uint64_t start;
    void *caller, *frame;
};
struct tb_file_maps {
    int (*mapping)(struct tb_file_map *m);
    void (*mapped)(const struct tb_file_map *m, void *p);
    int (*unmapping)(struct tb_file_map *m);
    void (*unmapped)(const struct tb_file_map *m, int failed);
};
extern const struct tb_file_maps *tb_file_maps;

/* Readable memory around a, from a up, that frames may be read from; empty if unknown. */
struct tb_extent { uintptr_t low, high; };
void tb_extent_of(struct tb_thread *t, uintptr_t a, struct tb_extent *e);

/* Memory of the allocator, of the thread's stack, or of a module: it can be read. 0: who knows. */
int tb_memory_readable(struct tb_thread *t, uintptr_t a, uint64_t bytes);

#pragma GCC visibility pop
#endif
