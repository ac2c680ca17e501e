/* Calls of the program's own functions. Two halves meet here: what sees calls and returns (patched entries, or code
 * that a compiler has put in), and what makes events of them. */
#ifndef TABARD_FUNCTIONS_H
#define TABARD_FUNCTIONS_H
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* ---- What is told (events.c) ----
 *
 * All of these come in the thread that makes the call, at any place: inside the dynamic linker, before the first
 * instruction of a new thread, in a signal handler that has interrupted one of them, with any lock of the program held.
 * So they use general registers alone (their file is compiled with -mgeneral-regs-only, and they call nothing else),
 * no C library, no locks, and keep errno. What needs more goes through tb_function_saved. They need not keep any
 * register but those that every function keeps.
 *
 * sp is where the return address of the call lies, or, on AArch64, would if it were on the stack: 8 bytes below the
 * stack pointer of the caller. It grows downwards: a call at sp has left behind all calls of its
 * stack at sp or below, by a jump (longjmp, exception), or, at the same sp, by a tail call. */

/* A call of a function begins. 0: nobody wants to know of its end. tb_function_leave does not come then, unless it is
 * that of another call that was left for this one by a tail call. */
int tb_function_enter(uint32_t function, const void *sp);

/* The call at sp ends: that which was last entered there. It comes even if events have been switched off since. */
void tb_function_leave(const void *sp);

/* Before the first event on a stack other than the one before: signal stacks, coroutines, a thread's own stack at its
 * first call. Stacks do not overlap; one that is unmapped may come back as another. What is [low, high) is as much as
 * is known: coroutines inside of one allocation look like one stack. */
void tb_function_stack(uintptr_t low, uintptr_t high);

/* One image of the process and its functions. */
struct tb_function_image {
    const char *path;
    const char *build_id;     /* hexadecimal, may be empty */
    uintptr_t bias;           /* load address: what offsets are relative to */
    int library;              /* it is not the program */
    uint32_t count;
    const uint64_t *offset;   /* of function i from the load address, as symbols have it; ascending, stays readable */
};
/* Numbers the functions of an image: that of function i is the result + i, below 2^31. ~0: they cannot be recorded.
 * Outside of the paths above, before the first event of the image; any thread, one at a time. */
uint32_t tb_functions_register(const struct tb_function_image *image);

/* ---- What is given (patch.c, stubs.c, stacks.c) ---- */

/* Not 0: nothing is told. Whoever changes it adds or takes away 1, atomically: for switching by the program. */
extern int tb_functions_off;

/* Calls f(argument) with vector and floating-point registers saved and all signals blocked, while nothing that f calls
 * is told: it may call anything that may be called in the middle of any function of the program, which is not malloc
 * and nothing that takes a lock the program's thread may hold. */
void tb_function_saved(void (*f)(void *), void *argument);

/* In tb_function_saved: the bounds of the thread's own stack, which other ways to ask for allocate memory. 0, 0: it is
 * on another one. 0: not in there. */
int tb_function_bounds(uintptr_t *low, uintptr_t *high);

/* The return address of the call at `at` (as sp above), where it says pc, or said before it was replaced to see the
 * return. */
extern unsigned tb_arenas_n; /* images whose functions are seen */
uintptr_t tb_function_replaced(uintptr_t pc, uintptr_t at);
static inline uintptr_t tb_function_return(uintptr_t pc, uintptr_t at)
{
    return __builtin_expect(tb_arenas_n != 0, 0) ? tb_function_replaced(pc, at) : pc;
}

#pragma GCC visibility pop
#endif
