/* x86-64, part of stubs.h. */
#ifndef TABARD_FUNCTIONS_X86_64_H
#define TABARD_FUNCTIONS_X86_64_H
#include <link.h>
#include <limits.h>

enum {
    TB_NUMBER_AT = 1,         /* where in a template the number of its function goes */
    TB_CODE_PAGE = 4096,      /* code is put to multiples of it */
    TB_REACH = INT_MAX - (1 << 16), /* how far code may be from its image */
    TB_GOT_CALL = R_X86_64_JUMP_SLOT, TB_GOT_WORD = R_X86_64_GLOB_DAT,
};

#define TB_STACK tb_stub_stack
#define TB_SAVED tb_function_saved

static inline void tb_pause(void) { __builtin_ia32_pause(); }

/* Of code that was written: the processor sees it by itself. */
static inline void tb_code_written(uint8_t *from, uint8_t *to) { (void)from, (void)to; }

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

#endif
