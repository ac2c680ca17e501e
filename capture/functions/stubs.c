/* What the entries of functions lead to. A template of the plan calls tb_stub_enter in place of the function, calls
 * the function's moved first instructions itself, and ends in tb_stub_leave. All registers are as the caller left them,
 * since compilers know which of them a function leaves alone; vector registers are not touched. */
#if defined(__x86_64__)
#pragma GCC target("general-regs-only")
#include "functions/stubs.h"

__thread struct tb_here tb_here __attribute__((tls_model("initial-exec")));
int tb_functions_off = 1;

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

const struct tb_arena *tb_arena_of(uintptr_t pc)
{
    const struct tb_arenas *all = __atomic_load_n(&tb_arenas, __ATOMIC_ACQUIRE);
    unsigned low = 0, high = all ? all->n : 0;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (all->at[middle].high <= pc) low = middle + 1;
        else high = middle;
    }
    return all && low < all->n && pc >= all->at[low].low ? &all->at[low] : NULL;
}

int tb_stub_is_exit(uintptr_t pc) { return pc % 64 == 0 && tb_arena_of(pc) != NULL; }

uintptr_t tb_function_replaced(uintptr_t pc, uintptr_t at) { return tb_stub_is_exit(pc) ? *tb_kept(at) : pc; }
#endif
