/* Private to this room: frames of the stack, and how to get from one to the next (cfi.c,
 * unwind.c). */
#ifndef TABARD_FRAMES_H
#define TABARD_FRAMES_H
#include "functions/functions.h"
#include "memory/memory.h"
#include "sites/modules.h"
#include "sites/sites.h"

#pragma GCC visibility push(hidden)

struct tb_frame {
    uintptr_t pc, sp, fp;
    int exact;                /* pc is no return address */
    int loose;                /* AArch64: sp is only a lower bound; fp says where the frame ends, by the rule for fp */
    uintptr_t link;           /* AArch64: the link register, if it is known what it holds, else 0 */
};
/* TB_STEP_AT_FP: a function that aligns its stack keeps the frame address where fp + cfa points to, and the caller's
 * frame pointer at fp + fp. */
enum { TB_STEP_STOP, TB_STEP_SP, TB_STEP_FP, TB_STEP_AT_FP, TB_STEP_FULL, TB_STEP_RECORD, TB_STEP_END };
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
    uint8_t library;          /* a frame of a traced library */
    uint8_t skip;             /* a frame of a traced library, a binding or the runtime */
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
/* The return address at a place of the stack, of the call whose frame ends at `end`. */
static inline uintptr_t tb_return_at(uintptr_t at, uintptr_t end)
{
    return tb_function_return(tb_strip(*(uintptr_t *)at), end - 8);
}
void tb_cfi_find(struct tb_step *s, struct tb_module *m, uintptr_t pc);
/* One frame the long way. */
int tb_cfi_step(struct tb_frame *f, struct tb_module *m, uintptr_t pc, struct tb_extent *e);
/* The extent of the function that pc is in; 0: unknown. */
int tb_cfi_function(const struct tb_module *m, uintptr_t pc, uintptr_t *low, uintptr_t *high);

#pragma GCC visibility pop
#endif
