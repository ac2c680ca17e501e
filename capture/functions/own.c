/* What the runtime itself calls in other libraries, whose functions are seen, too, is not told: neither that call nor
 * what it leads to. All of it goes through words that the dynamic linker has filled (the global offset table of this
 * library, bound when it is loaded); these lead here instead. What is called by a pointer that was looked up is called
 * for the program, and is told. */
#define _GNU_SOURCE
#include <link.h>
#include <sys/syscall.h>
#include "functions/stubs.h"

/* tb_own_entries are as many entries of so many bytes (x86_64.c, aarch64.c): each calls its function with the arguments
 * that it was called with. The return address is kept where templates keep it, so that the stack is as the function
 * expects it. No call is told while own is set, see tb_stub_stack. */
enum { OWN = 256, ENTRY = 16 };
/* The functions that are called. */
uintptr_t tb_own_targets[OWN] __attribute__((visibility("hidden")));
extern char tb_own_entries[] __attribute__((visibility("hidden")));

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
        if ((kind != TB_GOT_CALL && kind != TB_GOT_WORD) || ELF64_ST_TYPE(s->st_info) != STT_FUNC)
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
