/* What the runtime itself calls in other libraries, whose functions are seen, too, is not told: neither that call nor
 * what it leads to. All of it goes through words that the dynamic linker has filled (the global offset table of this
 * library, bound when it is loaded); these lead here instead. What is called by a pointer that was looked up is called
 * for the program, and is told. */
#if defined(__x86_64__)
#define _GNU_SOURCE
#include <link.h>
#include <sys/syscall.h>
#include "functions/stubs.h"

enum { OWN = 256 };
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* The functions that are called. */
uintptr_t tb_own_targets[OWN] __attribute__((visibility("hidden")));
extern char tb_own_entries[] __attribute__((visibility("hidden")));
enum { ENTRY = 16 };
_Static_assert(offsetof(struct tb_here, size) == 8 && offsetof(struct tb_here, own) == 48 &&
               offsetof(struct tb_here, own_size) == 56, "as below");

/* tb_own_call calls the function with the number in r11 and the arguments that it was called with. r10 and r11 are for
 * who links calls. The return address is kept where templates keep it, so that the stack is as the function expects it.
 * No call is told while own is set, see tb_stub_stack. */
#define SAVE(r) "push %" #r "\n.cfi_adjust_cfa_offset 8\n"
#define LOAD(r) "pop %" #r "\n.cfi_adjust_cfa_offset -8\n"
__asm__(
    ".text\n.p2align 6\n"
    ".hidden tb_own_entries\n"
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

static const ElfW(Dyn) *entry(const ElfW(Dyn) *d, ElfW(Sxword) tag)
{
    for (; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag) return d;
    return NULL;
}

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* What the linker has made of an address in the dynamic section. */
static uintptr_t at(ElfW(Sxword) tag)
{
    const ElfW(Dyn) *d = entry(_DYNAMIC, tag);
    uintptr_t bias = (uintptr_t)&__ehdr_start;
    return !d ? 0 : d->d_un.d_ptr < bias ? bias + d->d_un.d_ptr : d->d_un.d_ptr;
}

static size_t count(ElfW(Sxword) tag)
{
    const ElfW(Dyn) *d = entry(_DYNAMIC, tag);
    return d ? d->d_un.d_val / sizeof(ElfW(Rela)) : 0;
}

static int lead(const ElfW(Rela) *r, size_t n, int mem, unsigned used)
{
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)at(DT_SYMTAB);
    for (size_t k = 0; k < n && symbols; k++) {
        unsigned kind = ELF64_R_TYPE(r[k].r_info);
        const ElfW(Sym) *s = &symbols[ELF64_R_SYM(r[k].r_info)];
        if ((kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) || ELF64_ST_TYPE(s->st_info) != STT_FUNC)
            continue;
        uintptr_t place = (uintptr_t)&__ehdr_start + r[k].r_offset, target = *(uintptr_t *)place;
        uintptr_t to = (uintptr_t)tb_own_entries + (uintptr_t)used * ENTRY;
        if (!target || used == OWN) continue;
        tb_own_targets[used] = target;
        if (tb_kernel(SYS_pwrite64, mem, (long)&to, sizeof to, (long)place, 0, 0) == sizeof to) used++;
    }
    return (int)used;
}

void tb_own_start(int mem)
{
    static int done;
    if (done++) return;
    int used = lead((const ElfW(Rela) *)at(DT_JMPREL), count(DT_PLTRELSZ), mem, 0);
    lead((const ElfW(Rela) *)at(DT_RELA), count(DT_RELASZ), mem, (unsigned)used);
}
#endif
