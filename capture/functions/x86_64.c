/* x86-64: stubs, calls of anything else with all registers saved, and what plans have of instructions. */
#if defined(__x86_64__)
#pragma GCC target("general-regs-only")
#include <cpuid.h>
#include <stddef.h>
#include "functions/stubs.h"

_Static_assert(offsetof(struct tb_here, size) == 8 && offsetof(struct tb_here, own) == 48 &&
               offsetof(struct tb_here, own_size) == 56, "as below");

/* Call frame instructions where the return address is kept, at (rsp - 8 + by) ^ 1 << 46; back is by - 8, as a byte. The
 * CFA is odd, see describe in internal/functions/plan/file.go. */
#define TB_KEPT(by, back) \
    ".cfi_escape 0x0c, 7, " #by " + 1, 0x10, 16, 7, 0x77, " #back ", 0x31, 0x08, 46, 0x24, 0x27, 0x16, 7, 2, 0x77, " #by "\n"

/* Pushes and pops of all registers that a C function may change. */
#define SAVE(r) "push %" #r "\n.cfi_adjust_cfa_offset 8\n"
#define LOAD(r) "pop %" #r "\n.cfi_adjust_cfa_offset -8\n"
#define SAVE_MOST SAVE(rcx) SAVE(rdx) SAVE(rsi) SAVE(rdi) SAVE(r8) SAVE(r9) SAVE(r10) SAVE(r11)
#define LOAD_ALL LOAD(r11) LOAD(r10) LOAD(r9) LOAD(r8) LOAD(rdi) LOAD(rsi) LOAD(rdx) LOAD(rcx) LOAD(rax)

/* On the stack: return address into the template, number of the function, return address of the call. Unwinding from
 * here leads to who made the call. With the carry flag set the template leaves the return address alone. */
__asm__(
    ".text\n.p2align 6\n"
    ".globl tb_stub_enter\n.hidden tb_stub_enter\n.type tb_stub_enter, @function\n"
    "tb_stub_enter:\n.cfi_startproc\n.cfi_def_cfa rsp, 24\n"
    "endbr64\n"
    "cmpl $0, tb_functions_off(%rip)\n"
    "jne 7f\n"
    SAVE(rax) SAVE_MOST
    "lea 88(%rsp), %rsi\n"
    "mov tb_here@gottpoff(%rip), %rax\n"
    "mov %rsi, %rcx\n"
    "sub %fs:(%rax), %rcx\n"
    "cmp %fs:8(%rax), %rcx\n"
    "jae 4f\n"
    "1: testb $63, (%rsi)\n" /* exits of templates are aligned so */
    "jz 5f\n"
    "2: mov 80(%rsp), %edi\n"
    "call tb_function_enter\n"
    "test %eax, %eax\n"
    "jz 6f\n"
    "lea 88(%rsp), %rax\n"
    "mov (%rax), %rdx\n"
    "btc $46, %rax\n"
    "mov %rdx, (%rax)\n"
    "clc\n"
    "3:\n.cfi_remember_state\n" LOAD_ALL
    "ret\n"
    ".cfi_restore_state\n"
    /* Another stack. */
    "4: mov %rsi, %rdi\n"
    "call tb_stub_stack\n"
    "lea 88(%rsp), %rsi\n"
    "test %eax, %eax\n"
    "jnz 1b\n"
    "jmp 6f\n"
    /* Whoever came by a jump returns to where the function that jumped would have: that return is seen already. */
    "5: mov (%rsi), %rdi\n"
    "call tb_stub_is_exit\n"
    "lea 88(%rsp), %rsi\n"
    "test %eax, %eax\n"
    "jz 2b\n"
    "mov 80(%rsp), %edi\n"
    "call tb_function_enter\n"
    "6: stc\n"
    "jmp 3b\n"
    ".cfi_def_cfa rsp, 24\n"
    "7: stc\n"
    "ret\n"
    ".cfi_endproc\n.size tb_stub_enter, . - tb_stub_enter\n"
    /* The same for functions that jump to their own entry: that is no call. */
    ".p2align 6\n"
    ".globl tb_stub_loop\n.hidden tb_stub_loop\n.type tb_stub_loop, @function\n"
    "tb_stub_loop:\n.cfi_startproc\n.cfi_def_cfa rsp, 24\n"
    "endbr64\n"
    SAVE(rax)
    "mov 8(%rsp), %rax\n"
    "add $12, %rax\n"
    "cmp %rax, 24(%rsp)\n"
    LOAD(rax)
    "jne tb_stub_enter\n"
    "stc\n"
    "ret\n"
    ".cfi_endproc\n.size tb_stub_loop, . - tb_stub_loop\n");

__asm__(
    ".p2align 6\n"
    ".globl tb_stub_leave\n.hidden tb_stub_leave\n.type tb_stub_leave, @function\n"
    "tb_stub_leave:\n.cfi_startproc\n" TB_KEPT(0, 0x78)
    "endbr64\n"
    "lea -8(%rsp), %rsp\n" TB_KEPT(8, 0)
    "push %rax\n" TB_KEPT(16, 8)
    "lea 8(%rsp), %rax\n"
    "btc $46, %rax\n"
    "mov (%rax), %rax\n"
    "mov %rax, 8(%rsp)\n"
    ".cfi_def_cfa rsp, 16\n.cfi_offset rip, -8\n.cfi_restore rsp\n"
    SAVE_MOST
    "lea 72(%rsp), %rdi\n"
    "mov tb_here@gottpoff(%rip), %rax\n"
    "mov %rdi, %rcx\n"
    "sub %fs:(%rax), %rcx\n"
    "cmp %fs:8(%rax), %rcx\n"
    "jae 2f\n"
    "1: call tb_function_leave\n"
    LOAD_ALL
    "ret\n"
    ".cfi_adjust_cfa_offset 72\n"
    "2: call tb_stub_stack\n"
    "lea 72(%rsp), %rdi\n"
    "jmp 1b\n"
    ".cfi_endproc\n.size tb_stub_leave, . - tb_stub_leave\n");

/* ---- Calls of anything else ---- */

/* f(argument) on the stack that ends at top (0: this one), with the state of vector and floating-point registers
 * below it: all of it that ordinary code changes, as bits of XCR0. */
__asm__(
    ".text\n.globl tb_stub_call\n.hidden tb_stub_call\n.type tb_stub_call, @function\n"
    "tb_stub_call:\n.cfi_startproc\n"
    "push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset rbp, -16\n"
    "mov %rsp, %rbp\n.cfi_def_cfa_register rbp\n"
    "push %rbx\n.cfi_offset rbx, -24\n"
    "test %rdx, %rdx\n"
    "jz 1f\n"
    "mov %rdx, %rsp\n"
    "1: mov %rdi, %rcx\n"
    "sub $3072, %rsp\n"
    "and $-64, %rsp\n"
    "mov %rsp, %rbx\n"
    "xor %eax, %eax\n"
    "mov %rax, 512(%rbx)\n mov %rax, 520(%rbx)\n mov %rax, 528(%rbx)\n mov %rax, 536(%rbx)\n"
    "mov %rax, 544(%rbx)\n mov %rax, 552(%rbx)\n mov %rax, 560(%rbx)\n mov %rax, 568(%rbx)\n"
    "mov $0xe7, %eax\n"
    "xor %edx, %edx\n"
    "xsave64 (%rbx)\n"
    "cld\n"
    "mov %rsi, %rdi\n"
    "call *%rcx\n"
    "mov $0xe7, %eax\n"
    "xor %edx, %edx\n"
    "xrstor64 (%rbx)\n"
    "mov -8(%rbp), %rbx\n.cfi_restore rbx\n"
    "leave\n.cfi_def_cfa rsp, 8\n"
    "ret\n"
    ".cfi_endproc\n.size tb_stub_call, . - tb_stub_call\n");

/* ---- Calls of the runtime itself, see own.c ---- */

/* tb_own_call calls the function with the number in r11. r10 and r11 are for who links calls. */
__asm__(
    ".text\n.p2align 6\n"
    ".globl tb_own_entries\n.hidden tb_own_entries\n"
    "tb_own_entries:\n"
    ".set i, 0\n"
    ".rept 256\n"
    ".p2align 4\n"
    "mov $i, %r11d\n"
    "jmp tb_own_call\n"
    ".set i, i + 1\n"
    ".endr\n"
    ".p2align 6\n"
    ".type tb_own_call, @function\n"
    "tb_own_call:\n.cfi_startproc\n"
    "lea tb_own_targets(%rip), %r10\n"
    "mov (%r10,%r11,8), %r11\n"
    "mov tb_here@gottpoff(%rip), %r10\n"
    "cmp %rsp, %fs:48(%r10)\n"
    "ja 3f\n" /* inside of another one */
    SAVE(rax) SAVE(rcx)
    "lea 16(%rsp), %rax\n"
    "mov %rax, %rcx\n"
    "sub %fs:(%r10), %rcx\n"
    "cmp %fs:8(%r10), %rcx\n"
    "jae 4f\n"
    "1: mov %fs:8(%r10), %rcx\n"
    "mov %rcx, %fs:56(%r10)\n"
    "mov %rax, %fs:48(%r10)\n"
    "movq $0, %fs:8(%r10)\n"
    "mov (%rax), %rcx\n"
    "btc $46, %rax\n"
    "mov %rcx, (%rax)\n"
    ".cfi_remember_state\n"
    LOAD(rcx) LOAD(rax)
    "lea 8(%rsp), %rsp\n" TB_KEPT(0, 0x78)
    "call *%r11\n"
    "lea -8(%rsp), %rsp\n" TB_KEPT(8, 0)
    "mov %rsp, %r11\n"
    "btc $46, %r11\n"
    "mov (%r11), %r11\n"
    "mov %r11, (%rsp)\n"
    ".cfi_def_cfa rsp, 8\n.cfi_offset rip, -8\n.cfi_restore rsp\n"
    "mov tb_here@gottpoff(%rip), %r10\n"
    "cmp %rsp, %fs:48(%r10)\n"
    "jne 2f\n"
    "mov %fs:56(%r10), %r11\n"
    "movq $0, %fs:48(%r10)\n"
    "mov %r11, %fs:8(%r10)\n"
    "2: ret\n"
    "3: jmp *%r11\n"
    /* Another stack, or nothing is to be told. */
    ".cfi_restore_state\n"
    "4:\n" SAVE(rdx) SAVE(rsi) SAVE(rdi) SAVE(r8) SAVE(r9) SAVE(r10) SAVE(r11)
    "mov %rax, %rdi\n"
    "call tb_stub_stack\n"
    "test %eax, %eax\n"
    LOAD(r11) LOAD(r10) LOAD(r9) LOAD(r8) LOAD(rdi) LOAD(rsi) LOAD(rdx)
    "lea 16(%rsp), %rax\n"
    "jnz 1b\n"
    LOAD(rcx) LOAD(rax)
    "jmp *%r11\n"
    ".cfi_endproc\n.size tb_own_call, . - tb_own_call\n");

/* ---- Instructions ---- */

int tb_stub_possible(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE;
}

static int put_distance(uint8_t *at, uintptr_t target, uintptr_t end)
{
    intptr_t by = (intptr_t)(target - end);
    return by == (int32_t)by && tb_put_word(at, (uint32_t)by);
}

int tb_stub_fix(uint8_t *at, size_t room, const struct tb_plan_fixup *f, uintptr_t target)
{
    if (room < 4) return 0;
    if (f->kind == TB_FIX_RELATIVE) return put_distance(at, target, (uintptr_t)at + f->to_end);
    return tb_put_word(at, (uint32_t)(f->kind == TB_FIX_HIGH ? target >> 32 : target));
}

int tb_stub_lead(uint8_t *to, const struct tb_plan_entry *e, uintptr_t at, uintptr_t code)
{
    to[0] = 0xe9;
    if (!put_distance(to + 1, code, at + TB_PLAN_JUMP)) return 0;
    if (e->is_short) {
        to[TB_PLAN_JUMP + e->entry] = 0xeb;
        to[TB_PLAN_JUMP + e->entry + 1] = (uint8_t)-(TB_PLAN_JUMP + e->entry + 2);
    }
    return 1;
}
#endif
