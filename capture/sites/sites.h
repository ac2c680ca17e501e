/* Call sites: what the core asks about return addresses (unwind.c, modules.c, jumps.c). */
#ifndef TABARD_SITES_H
#define TABARD_SITES_H
#include "core/core.h"

#pragma GCC visibility push(hidden)

#define TB_SITE_LIBRARY (~(uint64_t)0)

/* What goes into w3 for a call with this return address: a MODULE (or RAW)
 * segment word, or a stack id (>= 1), always the latter with mode TB_SITES_STACK; 0 with
 * TB_SITES_OFF; TB_SITE_LIBRARY in any mode if the caller is the traced library
 * (a callback that ended in a jump to function id is not: see tb_jump_site).
 * Called on cache misses (modes off and caller), each time with mode stack.
 * Records TB_R_MODULE and TB_R_STACK by tb_emit. */
uint64_t tb_site_word(struct tb_thread *t, int id, void *return_address, void *frame, int mode);

/* The word holds for all calls with this return address, which is the program's. (Where the callers tell, the
 * cache has that already; and what is in the library depends on more.) */
int tb_site_is_fixed(struct tb_thread *t, void *return_address, int mode);

/* Likewise for an event that no wrapper sees: the place alone, without its callers. */
uint64_t tb_site_place(struct tb_thread *t, void *return_address, int mode);

/* Stacks have numbers, places in modules are words of another class. */
static inline int tb_site_is_stack(uint64_t word) { return word && word >> 60 == TB_W_LITERAL; }

/* Whether the stack address lies in a wrapper's frame among the callers of the
 * function with this frame: 1 yes, 0 no, -1 if the walk does not get that far. */
int tb_in_wrapper(struct tb_thread *t, void *return_address, void *frame, uintptr_t address);

/* The code at this address belongs to a traced library or a plugin of it (not to a
 * language binding). Any thread, no record written. */
int tb_caller_is_library(void *return_address);
int tb_is_own(const void *address); /* it lies in this library; any thread */
void tb_own_code_resident(void);         /* all of this library is in memory from now on, if the system can do that */

/* With a return address in the library: where a callback of the program
 * ended in a jump to this function, as the place after the jump; if there are several such
 * jumps, the return address. 0 if it is the library's own call. Any thread, no record written. */
uintptr_t tb_jump_site(unsigned id, void *return_address);

void tb_sites_thread_end(struct tb_thread *t);

#pragma GCC visibility pop
#endif
