/* AArch64: stubs, calls of anything else with all registers saved, and what plans have of instructions. x16 and x17 may
 * change between a call and the entry of a function, as linkers have them for themselves. */
#if defined(__aarch64__)
#pragma GCC target("general-regs-only")
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "functions/stubs.h"

_Static_assert(offsetof(struct tb_here, low) == 0 && offsetof(struct tb_here, size) == 8 &&
               offsetof(struct tb_here, own) == 48 && offsetof(struct tb_here, own_size) == 56, "as below");

/* Call frame instructions where the return address is kept, at (sp - 8 + by) ^ 1 << 46, for by = 0 and by = 160. The
 * CFA is sp + by, or that + 1: see a64Rows in internal/functions/plan/aarch64_template.go. */
#define KEPT_XOR "0x31, 0x08, 46, 0x24, 0x27"
#define KEPT_CODE "0x12, 0x06, 0x12, 0x28, 1, 0, 0x13, 0x94, 4, 0x0c, 0x68, 0x11, 0x80, 0xd2, 0x2e"
#define KEPT \
    ".cfi_escape 0x0f, 25, 0x8f, 0x78, " KEPT_XOR ", " KEPT_CODE ", 0x8f, 0, 0x22\n" \
    ".cfi_escape 0x10, 30, 7, 0x8f, 0x78, " KEPT_XOR ", 0x16, 31, 2, 0x8f, 0\n"
#define KEPT_160 \
    ".cfi_escape 0x0f, 27, 0x8f, 0x98, 1, " KEPT_XOR ", " KEPT_CODE ", 0x8f, 0xa0, 1, 0x22\n" \
    ".cfi_escape 0x10, 30, 8, 0x8f, 0x98, 1, " KEPT_XOR ", 0x16, 31, 3, 0x8f, 0xa0, 1\n"

/* All registers that a C function may change, but for x0, x1 and x16: below them there is room for x17. */
#define SAVE_MOST \
    "stp x2, x3, [sp, #16]\n stp x4, x5, [sp, #32]\n stp x6, x7, [sp, #48]\n stp x8, x9, [sp, #64]\n" \
    "stp x10, x11, [sp, #80]\n stp x12, x13, [sp, #96]\n stp x14, x15, [sp, #112]\n"
#define LOAD_ALL \
    "ldp x2, x3, [sp, #16]\n ldp x4, x5, [sp, #32]\n ldp x6, x7, [sp, #48]\n ldp x8, x9, [sp, #64]\n" \
    "ldp x10, x11, [sp, #80]\n ldp x12, x13, [sp, #96]\n ldp x14, x15, [sp, #112]\n ldp x18, x30, [sp, #128]\n" \
    "ldp x0, x1, [sp], #160\n.cfi_def_cfa_offset 0\n.cfi_restore 30\n"
#define LANDING "hint #34\n" /* bti c */
/* The address of tb_here. */
#define HERE(r, with) \
    "mrs " #r ", tpidr_el0\n adrp " #with ", :gottprel:tb_here\n ldr " #with ", [" #with ", :gottprel_lo12:tb_here]\n" \
    "add " #r ", " #r ", " #with "\n"

/* On the stack: the return address of the call, and 8 bytes that nobody uses. x17 is the number of the function, and
 * then not 0 if the template leaves the return address alone. Unwinding from here leads to who made the call. */
__asm__(
    ".text\n.p2align 6\n"
    ".globl tb_stub_enter\n.hidden tb_stub_enter\n.type tb_stub_enter, %function\n"
    "tb_stub_enter:\n.cfi_startproc\n"
    LANDING
    "adrp x16, tb_functions_off\n"
    "ldr w16, [x16, :lo12:tb_functions_off]\n"
    "cbnz w16, 7f\n"
    "stp x0, x1, [sp, #-160]!\n.cfi_def_cfa_offset 160\n"
    "stp x18, x30, [sp, #128]\n.cfi_offset 30, -24\n"
    SAVE_MOST
    "str x17, [sp, #144]\n"
    "add x1, sp, #168\n"
    HERE(x2, x3)
    "ldp x3, x4, [x2]\n"
    "sub x3, x1, x3\n"
    "cmp x3, x4\n"
    "b.hs 4f\n"
    "1: ldr x0, [sp, #160]\n"
    "tst x0, #63\n" /* exits of templates are aligned so */
    "b.eq 5f\n"
    "2: ldr w0, [sp, #144]\n"
    "bl tb_function_enter\n"
    "cbz w0, 6f\n"
    "ldr x0, [sp, #160]\n"
    "add x1, sp, #168\n"
    "eor x1, x1, #0x400000000000\n"
    "str x0, [x1]\n"
    "mov x17, #0\n"
    "3:\n.cfi_remember_state\n" LOAD_ALL
    "ret\n"
    ".cfi_restore_state\n"
    /* Another stack. */
    "4: mov x0, x1\n"
    "bl tb_stub_stack\n"
    "add x1, sp, #168\n"
    "cbnz w0, 1b\n"
    "b 6f\n"
    /* Whoever came by a jump returns to where the function that jumped would have: that return is seen already. */
    "5: bl tb_stub_is_exit\n"
    "add x1, sp, #168\n"
    "cbz w0, 2b\n"
    "ldr w0, [sp, #144]\n"
    "bl tb_function_enter\n"
    "6: mov x17, #1\n"
    "b 3b\n"
    ".cfi_def_cfa_offset 0\n.cfi_restore 30\n"
    "7: mov x17, #1\n"
    "ret\n"
    ".cfi_endproc\n.size tb_stub_enter, . - tb_stub_enter\n"
    /* The same for functions that jump to their own entry: that is no call. */
    ".p2align 6\n"
    ".globl tb_stub_loop\n.hidden tb_stub_loop\n.type tb_stub_loop, %function\n"
    "tb_stub_loop:\n.cfi_startproc\n"
    LANDING
    "ldr x16, [sp]\n"
    "sub x16, x16, x30\n"
    "cmp x16, #12\n"
    "b.ne tb_stub_enter\n"
    "mov x17, #1\n"
    "ret\n"
    ".cfi_endproc\n.size tb_stub_loop, . - tb_stub_loop\n");

__asm__(
    ".p2align 6\n"
    ".globl tb_stub_leave\n.hidden tb_stub_leave\n.type tb_stub_leave, %function\n"
    "tb_stub_leave:\n.cfi_startproc\n" KEPT
    LANDING
    "stp x0, x1, [sp, #-160]!\n" KEPT_160
    "add x1, sp, #152\n"
    "eor x0, x1, #0x400000000000\n"
    "ldr x0, [x0]\n"
    "stp x18, x0, [sp, #128]\n"
    ".cfi_def_cfa sp, 160\n.cfi_offset 30, -24\n.cfi_restore 31\n"
    SAVE_MOST
    HERE(x2, x3)
    "ldp x3, x4, [x2]\n"
    "sub x3, x1, x3\n"
    "cmp x3, x4\n"
    "mov x0, x1\n"
    "b.hs 2f\n"
    "1: bl tb_function_leave\n"
    ".cfi_remember_state\n" LOAD_ALL
    "ret\n"
    ".cfi_restore_state\n"
    "2: bl tb_stub_stack\n"
    "add x0, sp, #152\n"
    "b 1b\n"
    ".cfi_endproc\n.size tb_stub_leave, . - tb_stub_leave\n");

/* ---- Calls of anything else ---- */

/* Which registers there are besides those that every processor has. */
enum { SVE = 1, SME = 2 };
uint32_t tb_stub_vectors __attribute__((visibility("hidden")));

#define EACH_OF_16 ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
#define EACH_OF_32 \
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, " \
    "28, 29, 30, 31\n"

/* Both call the function of C with all registers saved, before anything calls the kernel: that need not keep registers
 * of any length (SVE), and leaves streaming mode (SME), in which ordinary code may not be. */
__asm__(
    ".arch_extension sve\n"
    ".text\n.p2align 4\n"
    ".globl tb_function_saved\n.hidden tb_function_saved\n.type tb_function_saved, %function\n"
    ".globl tb_stub_stack\n.hidden tb_stub_stack\n.type tb_stub_stack, %function\n"
    "tb_stub_stack:\n.cfi_startproc\n"
    "adrp x9, tb_stub_stack_kept\n"
    "add x9, x9, :lo12:tb_stub_stack_kept\n"
    "b 1f\n"
    "tb_function_saved:\n"
    "adrp x9, tb_function_saved_kept\n"
    "add x9, x9, :lo12:tb_function_saved_kept\n"
    "1: stp x29, x30, [sp, #-48]!\n.cfi_def_cfa_offset 48\n.cfi_offset 29, -48\n.cfi_offset 30, -40\n"
    "mov x29, sp\n.cfi_def_cfa_register 29\n"
    "stp x19, x20, [sp, #16]\n.cfi_offset 19, -32\n.cfi_offset 20, -24\n"
    "mrs x10, fpsr\n"
    "mrs x11, fpcr\n"
    "stp x10, x11, [sp, #32]\n"
    "mov x19, #0\n"
    "adrp x20, tb_stub_vectors\n"
    "ldr w20, [x20, :lo12:tb_stub_vectors]\n"
    "tbz w20, #1, 2f\n"
    "mrs x19, s3_3_c4_c2_2\n" /* SVCR */
    "and x19, x19, #1\n"
    "cbnz x19, 4f\n"
    "2: tbnz w20, #0, 4f\n"
    "sub sp, sp, #512\n"
    EACH_OF_32
    ".set at, \\i * 16\n"
    "str q\\i, [sp, #at]\n"
    ".endr\n"
    "blr x9\n"
    EACH_OF_32
    ".set at, \\i * 16\n"
    "ldr q\\i, [sp, #at]\n"
    ".endr\n"
    "3: ldp x10, x11, [x29, #32]\n"
    "msr fpsr, x10\n"
    "msr fpcr, x11\n"
    "mov sp, x29\n"
    "ldp x19, x20, [sp, #16]\n.cfi_restore 19\n.cfi_restore 20\n"
    ".cfi_remember_state\n"
    "ldp x29, x30, [sp], #48\n.cfi_def_cfa sp, 0\n.cfi_restore 29\n.cfi_restore 30\n"
    "ret\n"
    ".cfi_restore_state\n"
    /* 32 registers, 16 predicates of an eighth of their size, and that of first faults, which streaming mode lacks */
    "4: addvl sp, sp, #-17\n"
    "addvl sp, sp, #-18\n"
    "addvl x12, sp, #31\n"
    "addvl x12, x12, #1\n"
    EACH_OF_32
    "str z\\i, [sp, #\\i, mul vl]\n"
    ".endr\n"
    EACH_OF_16
    "str p\\i, [x12, #\\i, mul vl]\n"
    ".endr\n"
    "cbnz x19, 5f\n"
    "rdffr p0.b\n"
    "str p0, [x12, #16, mul vl]\n"
    "blr x9\n"
    "addvl x12, sp, #31\n"
    "addvl x12, x12, #1\n"
    "ldr p0, [x12, #16, mul vl]\n"
    "wrffr p0.b\n"
    "b 6f\n"
    "5: .inst 0xd503427f\n" /* smstop sm */
    "blr x9\n"
    ".inst 0xd503437f\n" /* smstart sm */
    "addvl x12, sp, #31\n"
    "addvl x12, x12, #1\n"
    "6:\n"
    EACH_OF_16
    "ldr p\\i, [x12, #\\i, mul vl]\n"
    ".endr\n"
    EACH_OF_32
    "ldr z\\i, [sp, #\\i, mul vl]\n"
    ".endr\n"
    "b 3b\n"
    ".cfi_endproc\n.size tb_stub_stack, . - tb_stub_stack\n.size tb_function_saved, . - tb_function_saved\n"
    ".arch_extension nosve\n");

__asm__(
    ".text\n.globl tb_stub_call\n.hidden tb_stub_call\n.type tb_stub_call, %function\n"
    "tb_stub_call:\n.cfi_startproc\n"
    "stp x29, x30, [sp, #-16]!\n.cfi_def_cfa_offset 16\n.cfi_offset 29, -16\n.cfi_offset 30, -8\n"
    "mov x29, sp\n.cfi_def_cfa_register 29\n"
    "cbz x2, 1f\n"
    "mov sp, x2\n"
    "1: mov x9, x0\n"
    "mov x0, x1\n"
    "blr x9\n"
    "mov sp, x29\n"
    "ldp x29, x30, [sp], #16\n.cfi_def_cfa sp, 0\n.cfi_restore 29\n.cfi_restore 30\n"
    "ret\n"
    ".cfi_endproc\n.size tb_stub_call, . - tb_stub_call\n");

/* ---- Calls of the runtime itself, see own.c ---- */

/* tb_own_call calls the function with the number in x17. It may change x9 to x15, too: nobody but a compiler's caller
 * comes here. */
__asm__(
    ".text\n.p2align 6\n"
    ".globl tb_own_entries\n.hidden tb_own_entries\n"
    "tb_own_entries:\n"
    ".set i, 0\n"
    ".rept 256\n"
    ".p2align 4\n"
    LANDING
    "mov x17, #i\n"
    "b tb_own_call\n"
    ".set i, i + 1\n"
    ".endr\n"
    ".p2align 6\n"
    ".type tb_own_call, %function\n"
    "tb_own_call:\n.cfi_startproc\n"
    "adrp x16, tb_own_targets\n"
    "add x16, x16, :lo12:tb_own_targets\n"
    "ldr x17, [x16, x17, lsl #3]\n"
    HERE(x16, x9)
    "sub x11, sp, #8\n"
    "ldr x10, [x16, #48]\n"
    "cmp x10, x11\n"
    "b.hi 3f\n" /* inside of another one */
    "ldp x9, x10, [x16]\n"
    "sub x9, x11, x9\n"
    "cmp x9, x10\n"
    "b.hs 4f\n"
    "1: ldr x9, [x16, #8]\n"
    "str x9, [x16, #56]\n"
    "str x11, [x16, #48]\n"
    "str xzr, [x16, #8]\n"
    "eor x9, x11, #0x400000000000\n"
    "str x30, [x9]\n"
    ".cfi_remember_state\n" KEPT
    "blr x17\n"
    "sub x11, sp, #8\n"
    "eor x9, x11, #0x400000000000\n"
    "ldr x30, [x9]\n"
    ".cfi_restore_state\n"
    HERE(x16, x9)
    "ldr x10, [x16, #48]\n"
    "cmp x10, x11\n"
    "b.ne 2f\n"
    "ldr x10, [x16, #56]\n"
    "str xzr, [x16, #48]\n"
    "str x10, [x16, #8]\n"
    "2: ret\n"
    "3: br x17\n"
    /* Another stack, or nothing is to be told. */
    "4: stp x0, x1, [sp, #-160]!\n.cfi_def_cfa_offset 160\n"
    "stp x18, x30, [sp, #128]\n.cfi_offset 30, -24\n"
    SAVE_MOST
    "str x17, [sp, #144]\n"
    "mov x0, x11\n"
    "bl tb_stub_stack\n"
    "mov w16, w0\n"
    "ldr x17, [sp, #144]\n"
    LOAD_ALL
    "cbz w16, 3b\n"
    HERE(x16, x9)
    "sub x11, sp, #8\n"
    "b 1b\n"
    ".cfi_endproc\n.size tb_own_call, . - tb_own_call\n");

/* ---- Instructions ---- */

/* Whether there is memory where return addresses of this stack are kept: user space may have fewer than 47 bits. */
static int has_room(void)
{
    uintptr_t p = (uintptr_t)tb_kept((uintptr_t)__builtin_frame_address(0)) & ~(uintptr_t)(TB_CODE_PAGE - 1);
    long r = tb_kernel(SYS_mmap, (long)p, TB_CODE_PAGE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (r > 0) tb_kernel(SYS_munmap, r, TB_CODE_PAGE, 0, 0, 0, 0);
    return r == (long)p || r == -17; /* EEXIST */
}

int tb_stub_possible(void)
{
    if (getauxval(AT_HWCAP) & 1 << 22) tb_stub_vectors |= SVE;
    if (getauxval(AT_HWCAP2) & 1 << 23) tb_stub_vectors |= SME;
    return has_room();
}

static uint32_t word(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* A field of 26 bits: words from an instruction at `from` to the target. */
static int branch(uint8_t *at, uint32_t w, uintptr_t from, uintptr_t target)
{
    intptr_t by = (intptr_t)(target - from);
    return by % 4 == 0 && by >= -(128l << 20) && by < 128l << 20 && tb_put_word(at, w | ((uint32_t)(by / 4) & 0x3ffffff));
}

int tb_stub_fix(uint8_t *at, size_t room, const struct tb_plan_fixup *f, uintptr_t target)
{
    if (room < (f->kind == TB_FIX_ADDRESS ? 8 : 4)) return 0;
    if (f->kind == TB_FIX_BRANCH) return branch(at, word(at), (uintptr_t)at, target);
    if (f->kind == TB_FIX_ADDRESS) return tb_put_word(at, (uint32_t)target) && tb_put_word(at + 4, (uint32_t)(target >> 32));
    if (f->kind != TB_FIX_PAGE) return 0;
    intptr_t by = (intptr_t)(target >> 12) - (intptr_t)((uintptr_t)at >> 12);
    uint32_t n = (uint32_t)by;
    return by >= -(1l << 20) && by < 1l << 20 && tb_put_word(at, word(at) | (n & 3) << 29 | (n >> 2 & 0x7ffff) << 5);
}

int tb_stub_lead(uint8_t *to, const struct tb_plan_entry *e, uintptr_t at, uintptr_t code)
{
    (void)e;
    return branch(to, 0x14000000, at, code);
}
#endif
