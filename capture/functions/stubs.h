/* Private to the half that sees calls of unmodified code. */
#ifndef TABARD_STUBS_H
#define TABARD_STUBS_H
#include "functions/functions.h"
#include "functions/planfile.h"
#if defined(__x86_64__)
#include "functions/x86_64.h"
#elif defined(__aarch64__)
#include "functions/aarch64.h"
#endif

#pragma GCC visibility push(hidden)

/* The stack that this thread is on. Stubs tell of calls as long as they come from it: size is 0 while nothing is to be
 * told, and at first. */
struct tb_here {
    uintptr_t low, size;      /* [low, low + size): where return addresses can be kept */
    uintptr_t stack_low, stack_high;
    uintptr_t muted;          /* depth of tb_function_saved */
    uintptr_t told;           /* low of the stack that tb_function_stack has told of last */
    uintptr_t own;            /* where the return address of a call lies that the runtime makes itself; 0: none */
    uintptr_t own_size;       /* size, while it is 0 for that */
};
extern __thread struct tb_here tb_here __attribute__((tls_model("initial-exec")));

/* Where the return address of a call is kept while it is replaced. What says which call it is, here and to who makes
 * events of it, is a place of the stack: 8 bytes below what the stack pointer is when the call has returned. On x86-64
 * the return address lies there. On AArch64 nobody need have put it anywhere, but as long as a function has called
 * others, its frame is between their places and its own. */
static inline uintptr_t *tb_kept(uintptr_t at) { return (uintptr_t *)(at ^ (uintptr_t)1 << 46); }

/* What templates call; see internal/functions/plan/template.go. */
extern char tb_stub_enter[], tb_stub_leave[], tb_stub_loop[];
int tb_stub_stack(uintptr_t at);              /* `at` is on another stack than before: 1 if calls can be told */
int tb_stub_is_exit(uintptr_t pc);            /* a return address inside of a template */

/* A word of code, which need not be aligned. */
static inline int tb_put_word(uint8_t *at, uint32_t word)
{
    for (int c = 0; c < 4; c++) at[c] = (uint8_t)(word >> 8 * c);
    return 1;
}

/* ---- x86_64.c, aarch64.c ---- */

/* Whether calls can be told on this processor. */
int tb_stub_possible(void);
/* f(argument) on the stack that ends at top (0: this one). On x86-64 it saves vector and floating-point registers, too:
 * all that ordinary code changes. On AArch64 they have been saved when it is called. */
void tb_stub_call(void (*f)(void *), void *argument, uintptr_t top);
/* Sets a field of code, which has so many bytes from at on, to what leads to target; 0: that is too far. */
int tb_stub_fix(uint8_t *at, size_t room, const struct tb_plan_fixup *f, uintptr_t target);
/* What leads from at, the first byte that changes at an entry, to code; 0: it is too far. */
int tb_stub_lead(uint8_t *to, const struct tb_plan_entry *e, uintptr_t at, uintptr_t code);

/* patch.c: carries out the plan with a name in the state directory, 0 if there is none; fresh: its libraries have just
 * been loaded. How many threads there are. */
int tb_plan_carry_out(const char *name, int fresh);
unsigned long tb_plan_threads(void);
void tb_loads_start(void);                    /* loads.c */
#define TB_WANTS "wants"                      /* the FIFO, see loads.c */
void tb_own_start(int mem);                   /* own.c; mem: /proc/self/mem */
void tb_frames_start(void);                   /* finds what it stands in front of */

/* Code near one image. */
struct tb_arena {
    uintptr_t low, high;
    const uint8_t *frames;    /* .eh_frame_hdr */
};
enum { TB_ARENAS = 4096 };
/* Ascending. It does not change: another one takes its place. */
struct tb_arenas { unsigned n; struct tb_arena at[]; };
extern const struct tb_arenas *tb_arenas;
const struct tb_arena *tb_arena_of(uintptr_t pc);

#pragma GCC visibility pop
#endif
