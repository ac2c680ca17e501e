/* Private to the half that sees calls of unmodified code. */
#ifndef TABARD_STUBS_H
#define TABARD_STUBS_H
#include "functions/functions.h"

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

/* Where the return address that belongs at a place of a stack is kept while it is replaced. */
static inline uintptr_t *tb_kept(uintptr_t at) { return (uintptr_t *)(at ^ (uintptr_t)1 << 46); }

/* Call frame instructions where the return address is kept, at (rsp - 8 + by) ^ 1 << 46; back is by - 8, as a byte. The
 * CFA is odd, see describe in internal/functions/plan/file.go. */
#define TB_KEPT(by, back) \
    ".cfi_escape 0x0c, 7, " #by " + 1, 0x10, 16, 7, 0x77, " #back ", 0x31, 0x08, 46, 0x24, 0x27, 0x16, 7, 2, 0x77, " #by "\n"

/* What templates call; see internal/functions/plan/template.go. */
extern char tb_stub_enter[], tb_stub_leave[], tb_stub_loop[];
int tb_stub_stack(uintptr_t at);              /* `at` is on another stack than before: 1 if calls can be told */
int tb_stub_is_exit(uintptr_t pc);            /* a return address inside of a template */

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

/* The kernel without the C library: from the middle of any function. */
static inline long tb_kernel(long n, long a, long b, long c, long d, long e, long f)
{
    long r;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}

#pragma GCC visibility pop
#endif
