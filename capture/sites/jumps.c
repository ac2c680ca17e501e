/* Callbacks that end in a jump.
 *
 * A callback of the program whose last act is a call of MPI may be compiled to
 * a jump: the return address that the wrapper sees lies in the MPI library
 * then, as if the library had made the call. The two are told apart by what
 * both sides left in their code. Every callback that the program hands to MPI
 * is searched for such jumps, and they are what makes the library a suspect at
 * all; and the instruction before the return address must be an indirect call,
 * as that of a callback is, while the library calls functions of MPI directly
 * or through the global offset table. (Only an indirect call would not do: the
 * I/O part of MPI libraries reaches MPI_Grequest_complete by jumps of its own.)
 * A callback that jumps through a pointer is not recognised. */
#include <elf.h>
#include "core/api.h"
#include "sites/frames.h"

enum { CALLBACKS = 1 << 12, FUNCTIONS = 64 };

/* By function: the place after the jump of a callback to it, SEVERAL if there
 * are more of them. */
enum { JUMP_SEVERAL = 1 };
static uintptr_t jumps[TB_IDS];
static uintptr_t callbacks[CALLBACKS]; /* those that have been searched, with their modules */

/* ---- What jumps lead to ---- */

struct tables { const Elf64_Rela *rela[2]; size_t n[2]; const Elf64_Sym *symbols; const char *names; };

static struct tables tables_of(const struct tb_module *m)
{
    struct tables t = {{NULL, NULL}, {0, 0}, NULL, NULL};
    for (const Elf64_Dyn *d = m->dynamic; d && d->d_tag != DT_NULL; d++) {
        uintptr_t a = d->d_un.d_ptr;
        if (a < m->low) a += m->bias; /* not relocated by the loader */
        switch (d->d_tag) {
        case DT_RELA: t.rela[0] = (const void *)a; break;
        case DT_RELASZ: t.n[0] = d->d_un.d_val / sizeof(Elf64_Rela); break;
        case DT_JMPREL: t.rela[1] = (const void *)a; break;
        case DT_PLTRELSZ: t.n[1] = d->d_un.d_val / sizeof(Elf64_Rela); break;
        case DT_SYMTAB: t.symbols = (const void *)a; break;
        case DT_STRTAB: t.names = (const char *)a; break;
        }
    }
    return t;
}

/* The symbol whose address a slot of the global offset table holds, NULL if none. By
 * the relocation, not by the content: an auditor may have put its own address there. */
static const char *name_of_slot(const struct tb_module *m, uintptr_t slot)
{
    struct tables t = tables_of(m);
    if (!t.symbols || !t.names) return NULL;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; t.rela[k] && i < t.n[k]; i++)
            if (t.rela[k][i].r_offset + m->bias == slot)
                return t.names + t.symbols[ELF64_R_SYM(t.rela[k][i].r_info)].st_name;
    return NULL;
}

static int in_code(const struct tb_module *m, uintptr_t a, size_t bytes)
{
    return a - m->code < m->code_end - m->code && m->code_end - a >= bytes;
}

/* A jump out of a function: to a place, or to what a slot of the global offset table holds.
 * bytes is 0 if there is none. */
struct jump { unsigned bytes; uintptr_t to, slot; };

#if defined(__aarch64__)
#include "jumps_aarch64.h"
#else
#include "jumps_x86_64.h"
#endif

static int function_of(const char *symbol)
{
    int id = -1;
    for (const struct tb_api *const *api = tb_apis; *api && symbol && id < 0; api++)
        if ((*api)->function_named) id = (*api)->function_named(symbol);
    return id;
}

/* ---- Searching a callback ---- */

static void note(int id, uintptr_t after)
{
    uintptr_t none = 0;
    if (id < 0) return;
    if (!__atomic_compare_exchange_n(&jumps[id], &none, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && none != after)
        __atomic_store_n(&jumps[id], JUMP_SEVERAL, __ATOMIC_RELEASE);
}

/* Bytes that only look like a jump do no harm: hardly any lead to an entry of the
 * linkage table or to the start of a function. */
static void search(struct tb_module *m, uintptr_t function, int *left)
{
    uintptr_t low, high;
    if (!tb_cfi_function(m, function, &low, &high) || low != function) return;
    if (!in_code(m, low, high - low) || --*left < 0) return;
    for (uintptr_t a = low; a + JUMP_LEAST <= high; a += JUMP_STEP) {
        struct jump j = jump_at(low, high, a);
        if (j.bytes == 0) continue;
        if (j.slot) {
            note(function_of(name_of_slot(m, j.slot)), a + j.bytes);
            continue;
        }
        if (j.to - low < high - low || !in_code(m, j.to, 1)) continue;
        const char *name = name_of_stub(m, j.to);
        if (name) note(function_of(name), a + j.bytes);
        else search(m, j.to, left); /* its cold part, or what it ends in */
    }
}

void tb_callback_seen(uintptr_t function)
{
    struct tb_module *m = function < 4096 ? NULL : tb_module_of(function);
    if (!m || m->kind != TB_MODULE_PLAIN || tb_caller_is_library((void *)(function + 1))) return;
    if (name_of_stub(m, function)) return;
    uintptr_t key = function ^ (uintptr_t)m << 8; /* another function may come to lie there */
    for (unsigned i = 0; i < 8; i++) {
        uintptr_t *at = &callbacks[((function ^ function >> 12) / 8 + i) % CALLBACKS], seen = 0;
        if (__atomic_compare_exchange_n(at, &seen, key, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) break;
        if (seen == key) return;
    }
    int left = FUNCTIONS;
    search(m, function, &left);
}

/* ---- The library's side ---- */

uintptr_t tb_jump_site(unsigned id, void *return_address)
{
    uintptr_t a = (uintptr_t)return_address, after = __atomic_load_n(&jumps[id], __ATOMIC_ACQUIRE);
    if (tb_likely(after == 0)) return 0;
    struct tb_module *m = tb_module_of(a - 1);
    if (!m || m->kind != TB_MODULE_LIBRARY || !after_indirect_call(m, a)) return 0;
    return after == JUMP_SEVERAL ? a : after;
}
