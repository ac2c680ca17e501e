/* memory/ and sites/ without the core and without MPI: compiled together with their files, in place
 * of what they ask of the core. */
#define _GNU_SOURCE
#include "sites/unwind.c"
#include "memory/shadow.h"
#include "harness.h"
#include <dlfcn.h>
#include <sys/mman.h>

struct tb_process tb_process;
uintptr_t tb_site_key = (uintptr_t)1 << 63;
static struct tb_thread nobody;
__thread struct tb_thread *tb_self = &nobody;

const struct tb_api *const tb_apis[] = {NULL};
uintptr_t tb_jump_site(unsigned id, void *return_address) { return (void)id, (void)return_address, 0; }

unsigned tb_arenas_n;
uintptr_t tb_function_replaced(uintptr_t pc, uintptr_t at) { return (void)at, pc; }

/* ---- Books ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int kind; uint64_t bytes; } segments[1 << 20];
static struct { char path[4096], build_id[100]; uint64_t bias; } modules[256];
static struct { unsigned n; uint64_t word[256]; } known_stacks[4096];
static unsigned counts[32];

static void copy_string(char *to, const uint64_t *w) { memcpy(to, w + 1, *w & 0xffff), to[*w & 0xffff] = 0; }

void tb_emit(struct tb_thread *t, uint16_t id, const uint64_t *payload, unsigned n)
{
    CHECK(t == tb_self && (t->outer == 0 || t->outer & TB_BUILDING));
    CHECK(n >= 1 && n < 2000);
    pthread_mutex_lock(&lock);
    counts[id]++;
    switch (id) {
    case TB_R_SEGALLOC:
        CHECK(n == 3 && payload[0] < 1 << 20 && segments[payload[0]].kind == 0 && payload[1] != 0);
        segments[payload[0]].kind = (int)payload[1];
        segments[payload[0]].bytes = payload[2];
        break;
    case TB_R_SEGFREE:
        CHECK(n == 1 && segments[payload[0]].kind != 0);
        segments[payload[0]].kind = 0;
        break;
    case TB_R_MODULE:
        CHECK(payload[0] < 256 && modules[payload[0]].path[0] == 0);
        modules[payload[0]].bias = payload[1];
        copy_string(modules[payload[0]].path, payload + 3);
        copy_string(modules[payload[0]].build_id, payload + 3 + tb_string_words(modules[payload[0]].path));
        break;
    case TB_R_STACK:
        CHECK(payload[0] < 4096 && known_stacks[payload[0]].n == 0);
        known_stacks[payload[0]].n = (unsigned)(payload[1] & 0xffff);
        memcpy(known_stacks[payload[0]].word, payload + 2, 8 * known_stacks[payload[0]].n);
        break;
    default: CHECK(0);
    }
    pthread_mutex_unlock(&lock);
}

int tb_emit_before(struct tb_call *c, uint16_t id, const uint64_t *payload, unsigned n)
{
    tb_emit(c->t, id, payload, n);
    return 1;
}

TB_EXPORT int h_kind(uint32_t number)
{
    pthread_mutex_lock(&lock);
    int kind = segments[number].kind;
    pthread_mutex_unlock(&lock);
    return kind;
}

TB_EXPORT uint64_t h_bytes(uint32_t number) { return segments[number].bytes; }
TB_EXPORT unsigned h_count(int record) { return counts[record]; }

TB_EXPORT const char *h_module(uint32_t number, uint64_t *bias, const char **build_id)
{
    *bias = modules[number].bias;
    *build_id = modules[number].build_id;
    return modules[number].path;
}

TB_EXPORT unsigned h_stack(uint32_t id, uint64_t *words, unsigned max)
{
    unsigned n = known_stacks[id].n < max ? known_stacks[id].n : max;
    memcpy(words, known_stacks[id].word, n * 8);
    return known_stacks[id].n;
}

/* ---- Threads and calls ---- */

TB_EXPORT void h_attach(void)
{
    static uint32_t threads;
    struct tb_thread *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    void *low;
    size_t size;
    t->priv = mmap(NULL, sizeof *t->priv, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    t->priv->number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0 && pthread_attr_getstack(&attributes, &low, &size) == 0);
    t->priv->stack_low = (uintptr_t)low;
    t->priv->stack_high = (uintptr_t)low + size;
    tb_self = t;
    tb_shared_init();
    tb_memory_thread(t);
}

TB_EXPORT void h_detach(void)
{
    tb_memory_thread_end();
    tb_sites_thread_end(tb_self);
    tb_self = &nobody;
}

TB_EXPORT int h_thread(void) { return (int)tb_self->priv->number; }
TB_EXPORT void h_in_call(int on) { tb_self->outer = on ? 4096 : 0; }

static void in_building(struct tb_call *c, int on)
{
    c->t = tb_self;
    tb_self->outer = on ? (uintptr_t)c | TB_BUILDING : 0;
}

TB_EXPORT uint64_t h_word(const void *a)
{
    struct tb_call c;
    in_building(&c, 1);
    uint64_t w = tb_seg_word(&c, (uintptr_t)a);
    in_building(&c, 0);
    return w;
}

TB_EXPORT uint64_t h_displacement(uint64_t v)
{
    struct tb_call c;
    in_building(&c, 1);
    uint64_t w = tb_displacement_word(&c, v);
    in_building(&c, 0);
    return w;
}

TB_EXPORT void h_mpi_memory(void *base, int64_t bytes) { tb_range_add((uintptr_t)base, (uint64_t)bytes, TB_MEM_MPI, 0, NULL); }
TB_EXPORT void h_mpi_memory_free(void *base) { tb_range_forget((uintptr_t)base, TB_MEM_MPI); }

static int from_cache;
TB_EXPORT int h_from_cache(void) { return from_cache; }
uint64_t tb_site_miss(struct tb_call *c, void *ra, void *frame) { return (void)c, (void)ra, (void)frame, 0; }

__attribute__((noinline)) TB_EXPORT uint64_t h_site(int mode)
{
    struct tb_call c;
    in_building(&c, 1);
    uintptr_t ra = (uintptr_t)__builtin_return_address(0);
    uint64_t w = tb_site_word(tb_self, 0, (void *)ra, TB_FRAME(), mode);
    const struct tb_site_entry *e = site_at(tb_self, ra);
    if (mode == TB_SITES_CALLER && e->key == (ra ^ tb_site_key) && e->word == TB_SITE_CALLERS) {
        CHECK(callers_known(tb_self, e, TB_FRAME()) == w); /* the short way comes to the same */
        from_cache++;
    }
    in_building(&c, 0);
    return w;
}

__attribute__((noinline)) TB_EXPORT int h_walk(uintptr_t *pcs, int max)
{
    struct walk w;
    int n = 0;
    start_walk(&w, sites_of(tb_self), tb_self, __builtin_return_address(0), TB_FRAME());
    do pcs[n++] = w.f.pc;
    while (n < max && walk_out(&w) == WALK_ON);
    return n;
}

/* Blocks are known up to the highest address that there can be, and none beyond. */
TB_EXPORT int h_highest_block(void)
{
    uintptr_t end = (uintptr_t)1 << TB_ADDRESS_BITS, a = end - 4096;
    uint8_t *mark;
    tb_shadow_add((void *)a, 100);
    tb_shadow_add((void *)end, 100);
    return tb_shadow_find(end - 1, &mark) == a && tb_shadow_size(mark) == 100 && !tb_shadow_find(end + 50, &mark) && tb_shadow_take(a) &&
           !tb_shadow_of(end) && (uintptr_t)&mark < end;
}

TB_EXPORT void h_clear_steps(void) { memset(sites_of(tb_self)->step, 0, sizeof sites_of(tb_self)->step); }
TB_EXPORT void h_binding(const void *a) { tb_module_of((uintptr_t)a)->kind = TB_MODULE_BINDING; h_clear_steps(); }

/* ---- A dlsym that allocates, as the C library's may ---- */

#ifdef HUNGRY_DLSYM
TB_EXPORT int h_dlsym_calls;
TB_EXPORT void *dlsym(void *handle, const char *name)
{
    char *p = calloc(3, 11), *q = malloc(100);
    CHECK(p && q);
    for (int i = 0; i < 33; i++) CHECK(p[i] == 0);
    memset(q, 7, 100);
    q = realloc(q, 1000);
    CHECK(q == NULL || (q[0] == 7 && q[99] == 7));
    free(p);
    free(q);
    CHECK(posix_memalign((void **)&p, 64, 10) == 0 && (uintptr_t)p % 64 == 0);
    h_dlsym_calls++;
    void *found = dlvsym(handle, name, "GLIBC_2.2.5"); /* the oldest version on x86-64; on AArch64, 2.17 */
    if (!found) found = dlvsym(handle, name, "GLIBC_2.17");
    if (!found) found = dlvsym(handle, name, "GLIBC_2.34");
    if (!found) found = dlvsym(handle, name, "GLIBC_2.16");
    return found ? found : dlvsym(handle, name, "GLIBC_2.26");
}
#endif
