/* Functions named traced_... have templates in `arena` when this runs: the test has put them there. What the templates
 * tell is written to the output; all else must be as without them. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#define TRACED __attribute__((noinline, noclone))
void __register_frame(void *);
uint64_t frames_at = 1; /* .eh_frame of the templates; the test sets it */
__asm__(".section .arena, \"ax\"\n.p2align 12\n.globl arena\narena:\n.space 1 << 16\n.text\n");

/* ---- What templates call ---- */

static uintptr_t *kept(uintptr_t at) { return (uintptr_t *)((at - 8) ^ (uintptr_t)1 << 46); }

static char told[1 << 16];
static unsigned told_n;

/* at: the stack pointer of the caller. 1: the return is not to be seen. */
uint64_t enter(uint32_t number, uintptr_t back, uintptr_t at, uint64_t loops)
{
    extern char arena[];
    int inside = back >= (uintptr_t)arena && back < (uintptr_t)arena + (1 << 16) && back % 64 == 0;
    if (loops) return 1;
    told[told_n++] = (char)('A' + number);
    if (inside) return 1;
    *kept(at) = back;
    return 0;
}

uintptr_t leave(uintptr_t at)
{
    told[told_n++] = '.';
    return *kept(at);
}

#define SAVE "stp x0, x1, [sp, #-160]!\n stp x2, x3, [sp, #16]\n stp x4, x5, [sp, #32]\n stp x6, x7, [sp, #48]\n" \
    "stp x8, x9, [sp, #64]\n stp x10, x11, [sp, #80]\n stp x12, x13, [sp, #96]\n stp x14, x15, [sp, #112]\n" \
    "stp x18, x30, [sp, #128]\n"
#define LOAD "ldp x2, x3, [sp, #16]\n ldp x4, x5, [sp, #32]\n ldp x6, x7, [sp, #48]\n ldp x8, x9, [sp, #64]\n" \
    "ldp x10, x11, [sp, #80]\n ldp x12, x13, [sp, #96]\n ldp x14, x15, [sp, #112]\n ldp x18, x30, [sp, #128]\n" \
    "ldp x0, x1, [sp], #160\n"
__asm__(
    ".globl stub_enter\nstub_enter:\n" SAVE
    "mov x3, #0\n"
    "1: mov w0, w17\n ldr x1, [sp, #160]\n add x2, sp, #176\n bl enter\n mov x17, x0\n" LOAD "ret\n"
    ".globl stub_loop\nstub_loop:\n" SAVE
    "ldr x1, [sp, #160]\n add x3, x30, #12\n cmp x1, x3\n cset x3, eq\n b 1b\n"
    ".globl stub_leave\nstub_leave:\n" SAVE
    "add x0, sp, #160\n bl leave\n str x0, [sp, #136]\n" LOAD "ret\n");

/* ---- What is traced ---- */

TRACED unsigned traced_fib(unsigned n) { return n < 2 ? n : traced_fib(n - 1) + traced_fib(n - 2); }
TRACED double traced_sum(double a, int b, float c, long d) { return a + b + c + (double)d; }
struct big { long v[6]; };
TRACED struct big traced_big(long x) { return (struct big){{x, x + 1, x + 2, x + 3, x + 4, x + 5}}; }

#define FUNCTION(name, body) \
    long name(long); \
    __asm__(".text\n.p2align 2\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" body \
            ".size " #name ", . - " #name "\n")
FUNCTION(traced_adr, "adr x0, 1f\n ldr w0, [x0]\n ret\n 1: .word 77\n");
FUNCTION(traced_literal, "ldr x0, 1f\n ret\n nop\n 1: .quad 0x1122334455667788\n");
FUNCTION(traced_signed, "ldrsw x0, 1f\n ret\n 1: .word -5\n");
FUNCTION(traced_double, "ldr d0, 1f\n fcvtzs x0, d0\n ret\n nop\n 1: .double 42.0\n");
FUNCTION(traced_cbz, "cbz x0, 1f\n mov x0, #5\n ret\n 1: mov x0, #6\n ret\n");
FUNCTION(traced_tbz, "tbz x0, #33, 1f\n mov x0, #7\n ret\n 1: mov x0, #8\n ret\n");
FUNCTION(traced_tail, "b traced_cbz\n");
FUNCTION(traced_loops, "subs x0, x0, #1\n b.ne traced_loops\n mov x0, #9\n ret\n");
FUNCTION(traced_landing, "bti c\n paciasp\n stp x29, x30, [sp, #-16]!\n bl traced_cbz\n ldp x29, x30, [sp], #16\n"
                         "autiasp\n b traced_cbz\n");
static long word = 1234;
TRACED long traced_page(void) { return *(volatile long *)&word; }

static jmp_buf out;
TRACED void traced_jumps(int n)
{
    if (n == 0) longjmp(out, 1);
    traced_jumps(n - 1);
    word++;
}

static _Unwind_Reason_Code frame(struct _Unwind_Context *c, void *n)
{
    extern char arena[];
    uintptr_t ip = _Unwind_GetIP(c);
    if (ip < (uintptr_t)arena || ip >= (uintptr_t)arena + (1 << 16)) ++*(int *)n;
    return _URC_NO_REASON;
}
TRACED int traced_walks(int depth)
{
    int n = 0;
    if (depth) return traced_walks(depth - 1) + 0 * (int)word;
    _Unwind_Backtrace(frame, &n);
    return n;
}

int main(void)
{
    uintptr_t stack = (uintptr_t)&stack & ~(uintptr_t)0xffff, n = 1 << 18;
    mmap((void *)((stack - n) ^ (uintptr_t)1 << 46), n + (1 << 16), PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (frames_at > 1) __register_frame((void *)frames_at);
    printf("%u %g %ld\n", traced_fib(6), traced_sum(1.5, 2, 3.25f, 4), traced_big(7).v[5]);
    printf("%ld %lx %ld %ld\n", traced_adr(0), traced_literal(0), traced_signed(0), traced_double(0));
    printf("%ld %ld %ld %ld\n", traced_cbz(0), traced_cbz(1), traced_tbz(0), traced_tbz(1l << 33));
    printf("%ld %ld %ld %ld\n", traced_tail(0), traced_loops(4), traced_landing(0), traced_page());
    if (!setjmp(out)) traced_jumps(3);
    printf("%d %ld\n", traced_walks(3), word);
    if (told_n) printf("told %s\n", told);
    return 0;
}
