/* The stack of a thread, and code beside images by address: what stubs (x86_64.c, aarch64.c) ask for. */
#pragma GCC target("general-regs-only")
#include "functions/stubs.h"

__thread struct tb_here tb_here __attribute__((tls_model("initial-exec")));
int tb_functions_off = 1;

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
