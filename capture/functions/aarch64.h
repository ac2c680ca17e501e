/* AArch64, part of stubs.h. */
#ifndef TABARD_FUNCTIONS_AARCH64_H
#define TABARD_FUNCTIONS_AARCH64_H
#include <link.h>

enum {
    TB_NUMBER_AT = 48,        /* where in a template the number of its function goes */
    TB_CODE_PAGE = 1 << 16,   /* code is put to multiples of it: the largest page that there is */
    TB_REACH = (128 << 20) - (1 << 16), /* how far code may be from its image */
    TB_GOT_CALL = R_AARCH64_JUMP_SLOT, TB_GOT_WORD = R_AARCH64_GLOB_DAT,
};

/* What these do once the registers are saved is in C; they themselves are in aarch64.c. */
#define TB_STACK tb_stub_stack_kept
#define TB_SAVED tb_function_saved_kept
int tb_stub_stack_kept(uintptr_t at) __attribute__((visibility("hidden")));
void tb_function_saved_kept(void (*f)(void *), void *argument) __attribute__((visibility("hidden")));

static inline void tb_pause(void) { __asm__ volatile("yield"); }

/* Of code that was written, all processors see it. What is written by way of the kernel is its own care. */
static inline void tb_code_written(uint8_t *from, uint8_t *to) { __builtin___clear_cache((char *)from, (char *)to); }

/* The kernel without the C library: from the middle of any function. */
static inline long tb_kernel(long n, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

#endif
