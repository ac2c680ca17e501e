/* Unwinding through code beside images: exceptions, the end of threads, backtraces. Whoever unwinds asks the dynamic
 * linker what code belongs to; the answers for that code are ours. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include "core/call.h"
#include "functions/stubs.h"

/* As in dlfcn.h of later C libraries than ours may be. */
struct found {
    unsigned long long flags;
    void *low, *high;
    struct link_map *map;
    void *frames;
    unsigned long long reserved[7];
};

static int (*next_find)(void *, struct found *);
static int (*next_iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
static int (*next_backtrace)(void **, int);

/* Before anybody unwinds, with whatever locks. */
TB_UNSANITIZED void tb_frames_start(void)
{
    next_find = (int (*)(void *, struct found *))dlsym(RTLD_NEXT, "_dl_find_object");
    next_iterate = (__typeof__(next_iterate))dlsym(RTLD_NEXT, "dl_iterate_phdr");
    next_backtrace = (int (*)(void **, int))dlsym(RTLD_NEXT, "backtrace");
}

int tb_find_object(void *pc, struct found *to) __asm__("_dl_find_object");
TB_EXPORT int tb_find_object(void *pc, struct found *to)
{
    const struct tb_arena *a = tb_arenas_n ? tb_arena_of((uintptr_t)pc) : NULL;
    if (a) {
        memset(to, 0, sizeof *to);
        to->low = (void *)a->low;
        to->high = (void *)a->high;
        to->frames = (void *)(uintptr_t)a->frames;
        return 0;
    }
    if (!next_find) tb_frames_start();
    return next_find ? next_find(pc, to) : -1;
}

/* Objects that consist of code beside one image. Only unwinders are told. */
static int tell(const struct tb_arena *a, int (*f)(struct dl_phdr_info *, size_t, void *), void *argument,
                struct dl_phdr_info *o)
{
    ElfW(Phdr) p[2] = {
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_memsz = a->high - a->low, .p_filesz = a->high - a->low},
        {.p_type = PT_GNU_EH_FRAME, .p_vaddr = (uintptr_t)a->frames - a->low,
            .p_memsz = a->high - (uintptr_t)a->frames},
    };
    o->dlpi_addr = a->low;
    o->dlpi_name = "[tabard]";
    o->dlpi_phdr = p;
    o->dlpi_phnum = 2;
    o->dlpi_tls_modid = 0;
    o->dlpi_tls_data = NULL;
    return f(o, sizeof *o, argument);
}

struct passed_on { int (*f)(struct dl_phdr_info *, size_t, void *); void *argument; struct dl_phdr_info last; };

static int pass_on(struct dl_phdr_info *o, size_t size, void *argument)
{
    struct passed_on *p = argument;
    memcpy(&p->last, o, size < sizeof p->last ? size : sizeof p->last);
    return p->f(o, size, p->argument);
}

TB_UNSANITIZED TB_EXPORT int dl_iterate_phdr(int (*f)(struct dl_phdr_info *, size_t, void *), void *argument)
{
    struct passed_on p = {.f = f, .argument = argument};
    if (!next_iterate) tb_frames_start();
    if (!next_iterate) return -1;
    if (tb_likely(!tb_arenas_n)) return next_iterate(f, argument);
    int r = next_iterate(pass_on, &p);
    const struct tb_arenas *all = __atomic_load_n(&tb_arenas, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < all->n && r == 0; i++) r = tell(&all->at[i], f, argument, &p.last);
    return r;
}

/* The program's frames alone, as without us. */
enum { FRAMES = 1024 };
TB_EXPORT int backtrace(void **to, int size)
{
    void *all[FRAMES];
    int n = 0;
    if (!next_backtrace) tb_frames_start();
    if (!next_backtrace) return 0;
    if (!tb_arenas_n || size <= 0 || size > FRAMES / 2) return next_backtrace(to, size);
    int found = next_backtrace(all, 2 * size + 2 < FRAMES ? 2 * size + 2 : FRAMES);
    for (int i = 1; i < found && n < size; i++)
        if (!tb_stub_is_exit((uintptr_t)all[i])) to[n++] = all[i];
    return n;
}
