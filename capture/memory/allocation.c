/* Allocation functions in front of the program's own: they forward to the
 * next definition (the C library's, or a preloaded allocator's) and note what
 * is live. Programs behave as without them: same results, same errno. */
#define _GNU_SOURCE
#include "memory/shadow.h"
#include "memory/memory.h"
#include "sites/modules.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

int tb_mem_on = 1;

/* ---- The next definitions ---- */

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*memalign)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*munmap)(void *, size_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    void *(*shmat)(int, const void *, int);
    int (*shmdt)(const void *);
} next;
static int next_known;
static TB_TLS int looking; /* this thread is in find_next */

static TB_COLD int find_next(void)
{
    if (looking) return 0; /* dlsym allocates */
    int saved = errno;
    looking = 1;
#define NEXT(f) next.f = (__typeof__(next.f))dlsym(RTLD_NEXT, #f)
    NEXT(calloc), NEXT(realloc), NEXT(free), NEXT(memalign), NEXT(posix_memalign);
    NEXT(aligned_alloc), NEXT(valloc), NEXT(pvalloc), NEXT(mmap), NEXT(munmap), NEXT(mremap);
    NEXT(shmat), NEXT(shmdt);
    __typeof__(next.malloc) m = (__typeof__(next.malloc))dlsym(RTLD_NEXT, "malloc");
#undef NEXT
    __atomic_store_n(&next.malloc, m, __ATOMIC_RELEASE);
    __atomic_store_n(&next_known, 1, __ATOMIC_RELEASE);
    looking = 0;
    errno = saved;
    return 1;
}
#define KNOWN() (tb_likely(__atomic_load_n(&next_known, __ATOMIC_ACQUIRE)) || find_next())

/* What dlsym gets while it looks for the allocator. Never given back. */
enum { ARENA = 1 << 16 };
static unsigned char arena[ARENA] __attribute__((aligned(64)));
static size_t arena_used;

static inline int in_arena(const void *p) { return (uintptr_t)p - (uintptr_t)arena < ARENA; }

/* Zeroed; the size of a block lies before it. */
static TB_COLD void *arena_alloc(size_t alignment, size_t n)
{
    if (n > ARENA || alignment > 4096) goto full;
    if (alignment < 16) alignment = 16;
    for (size_t used = __atomic_load_n(&arena_used, __ATOMIC_RELAXED), at;;) {
        at = (used + 16 + alignment - 1) & ~(alignment - 1);
        if (at + n > ARENA) goto full;
        if (!__atomic_compare_exchange_n(&arena_used, &used, at + n, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
        memcpy(arena + at - 8, &n, 8);
        return arena + at;
    }
full:
    errno = ENOMEM;
    return NULL;
}

static TB_COLD size_t arena_size(const void *p)
{
    size_t n;
    memcpy(&n, (const char *)p - 8, 8);
    return n;
}

/* ---- Heap ---- */

static inline void *born(void *p, size_t n)
{
    if (tb_likely(p != NULL) && tb_likely(tb_mem_on)) tb_shadow_add(p, n);
    return p;
}

static inline uint8_t dying(void *p)
{
    uint8_t was = tb_likely(tb_mem_on) ? tb_shadow_take((uintptr_t)p) : 0;
    return was;
}

TB_EXPORT void *malloc(size_t n)
{
    if (!KNOWN()) return arena_alloc(16, n);
    return born(next.malloc(n), n);
}

TB_EXPORT void free(void *p)
{
    if (tb_unlikely(p == NULL || in_arena(p))) return;
    if (!KNOWN()) return;
    if (tb_unlikely(dying(p) == TB_SHADOW_USED)) tb_heap_freed((uintptr_t)p);
    next.free(p);
}

TB_EXPORT void *calloc(size_t n, size_t size)
{
    if (!KNOWN()) {
        size_t bytes;
        return __builtin_mul_overflow(n, size, &bytes) ? NULL : arena_alloc(16, bytes);
    }
    return born(next.calloc(n, size), n * size);
}

static void *resize_arena_block(void *p, size_t n)
{
    void *q = n && KNOWN() ? born(next.malloc(n), n) : NULL;
    size_t old = arena_size(p);
    return q ? memcpy(q, p, old < n ? old : n) : NULL;
}

/* The old block counts as dead during the call: another thread may get its
 * memory before we are back. A block of another size is a new one, wherever it lies: its segment
 * has one size, and whether the allocator moves it is chance. */
static void *resize(void *p, size_t n)
{
    uint8_t was = dying(p);
    struct tb_block *b = tb_unlikely(was == TB_SHADOW_USED) ? tb_heap_detach((uintptr_t)p) : NULL;
    void *q = next.realloc(p, n);
    if (tb_unlikely(q == NULL && n != 0)) { /* nothing happened; behind the mark its size is still there */
        if (was && (b || was != TB_SHADOW_USED)) *tb_shadow_of((uintptr_t)p) = was;
        if (b) tb_heap_attach(b);
        return NULL;
    }
    born(q, n);
    if (tb_unlikely(b != NULL)) {
        if (q == p && n == b->size) {
            tb_heap_attach(b);
            *tb_shadow_of((uintptr_t)p) = TB_SHADOW_USED;
        } else {
            tb_heap_drop(b);
        }
    }
    return q;
}

TB_EXPORT void *realloc(void *p, size_t n)
{
    if (!KNOWN()) return p ? NULL : arena_alloc(16, n);
    if (p == NULL) return born(next.realloc(p, n), n);
    return tb_unlikely(in_arena(p)) ? resize_arena_block(p, n) : resize(p, n);
}

TB_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!KNOWN()) return p ? NULL : arena_alloc(16, bytes);
    if (p == NULL) return born(next.realloc(p, bytes), bytes);
    return tb_unlikely(in_arena(p)) ? resize_arena_block(p, bytes) : resize(p, bytes);
}

TB_EXPORT void *memalign(size_t alignment, size_t n)
{
    if (!KNOWN()) return arena_alloc(alignment, n);
    return born(next.memalign(alignment, n), n);
}

TB_EXPORT int posix_memalign(void **p, size_t alignment, size_t n)
{
    if (!KNOWN()) return (*p = arena_alloc(alignment, n)) ? 0 : ENOMEM;
    int r = next.posix_memalign(p, alignment, n);
    if (r == 0) born(*p, n);
    return r;
}

TB_EXPORT void *aligned_alloc(size_t alignment, size_t n)
{
    if (!KNOWN()) return arena_alloc(alignment, n);
    return born(next.aligned_alloc(alignment, n), n);
}

TB_EXPORT void *valloc(size_t n)
{
    if (!KNOWN()) return arena_alloc(4096, n);
    return born(next.valloc(n), n);
}

TB_EXPORT void *pvalloc(size_t n)
{
    if (!KNOWN()) return arena_alloc(4096, n);
    return born(next.pvalloc(n), n);
}

/* ---- Mappings ----
 * Communication libraries (UCX, Open MPI) overwrite the first instructions of
 * what dlsym says is munmap, to learn when registered memory goes away, and
 * rely on the allocator being caught by that, too. So dlsym must go on finding
 * the C library's functions, in front of which we must be all the same:
 * programs refer to a version of mmap, which ours has, too, but hidden, and a
 * hidden version is not for dlsym (libtabard.map). */

#if defined(__x86_64__)
#define VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define VERSION "GLIBC_2.17"
#endif
#define STANDS_FOR(function, name) __asm__(".symver " #function ", " #name "@" VERSION)

static uintptr_t allocator_low, allocator_high; /* the object that malloc is in, unless it is the C library */

/* Pages have 64 KiB on some AArch64 systems. */
static inline uint64_t page_rest(uint64_t v) { return v & ((uint64_t)getpagesize() - 1); }
static inline uint64_t whole_pages(uint64_t bytes) { return bytes + page_rest(-bytes); }

static void mapped(void *p, size_t bytes, void *caller)
{
    if (p == MAP_FAILED || !tb_mem_on) return;
    int saved = errno;
    tb_range_add((uintptr_t)p, whole_pages(bytes), TB_MEM_MAP,
                 looking || (uintptr_t)caller - allocator_low < allocator_high - allocator_low, caller);
    errno = saved;
}

const struct tb_file_maps *tb_file_maps;

STANDS_FOR(tb_mmap, mmap);
STANDS_FOR(tb_mmap, mmap64);
TB_EXPORT void *tb_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    struct tb_file_map m = {address, bytes, protection, flags, fd, offset, 0, __builtin_return_address(0), TB_FRAME()};
    int file = tb_unlikely(tb_file_maps != NULL) && fd >= 0 && tb_file_maps->mapping(&m);
    void *p = KNOWN() && next.mmap ? next.mmap(address, bytes, protection, flags, fd, offset)
                                   : (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
    mapped(p, bytes, __builtin_return_address(0));
    if (file) tb_file_maps->mapped(&m, p);
    return p;
}

/* The range is forgotten before the call: afterwards it may be another thread's. */
STANDS_FOR(tb_munmap, munmap);
TB_EXPORT int tb_munmap(void *p, size_t bytes)
{
    if (tb_mem_on && page_rest((uintptr_t)p) == 0 && bytes != 0) {
        int saved = errno;
        tb_range_remove((uintptr_t)p, whole_pages(bytes));
        errno = saved;
    }
    struct tb_file_map m = {.address = p, .bytes = bytes, .caller = __builtin_return_address(0), .frame = TB_FRAME()};
    int file = tb_unlikely(tb_file_maps != NULL) && tb_file_maps->unmapping(&m);
    int r = KNOWN() && next.munmap ? next.munmap(p, bytes) : (int)syscall(SYS_munmap, p, bytes);
    if (file) tb_file_maps->unmapped(&m, r != 0);
    return r;
}

static void remapped(void *old, size_t old_bytes, void *p, size_t bytes, int flags, void *caller)
{
    uintptr_t a = (uintptr_t)old;
    uint64_t before = whole_pages(old_bytes), after = whole_pages(bytes);
    int saved = errno;
    if (p == old && after <= before) {
        tb_range_remove(a + after, before - after);
    } else if (p == old) {
        tb_range_extend(a, before, after);
    } else {
        if (old_bytes && !(flags & 4 /* MREMAP_DONTUNMAP */)) tb_range_remove(a, before);
        mapped(p, bytes, caller);
    }
    errno = saved;
}

STANDS_FOR(tb_mremap, mremap);
TB_EXPORT void *tb_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    void *target = NULL;
    if (flags & MREMAP_FIXED) {
        va_list more;
        va_start(more, flags);
        target = va_arg(more, void *);
        va_end(more);
    }
    void *p = KNOWN() && next.mremap ? next.mremap(old, old_bytes, bytes, flags, target)
                                     : (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, target);
    if (p != MAP_FAILED && tb_mem_on) remapped(old, old_bytes, p, bytes, flags, __builtin_return_address(0));
    return p;
}

STANDS_FOR(tb_shmat, shmat);
TB_EXPORT void *tb_shmat(int id, const void *address, int flags)
{
    void *p = KNOWN() && next.shmat ? next.shmat(id, address, flags) : (void *)syscall(SYS_shmat, id, address, flags);
    struct shmid_ds about;
    int saved = errno;
    if (p != (void *)-1 && tb_mem_on && shmctl(id, IPC_STAT, &about) == 0) mapped(p, about.shm_segsz, NULL);
    errno = saved;
    return p;
}

STANDS_FOR(tb_shmdt, shmdt);
TB_EXPORT int tb_shmdt(const void *p)
{
    int saved = errno;
    if (tb_mem_on) tb_range_remove_whole((uintptr_t)p);
    errno = saved;
    return KNOWN() && next.shmdt ? next.shmdt(p) : (int)syscall(SYS_shmdt, p);
}

/* ---- Start ---- */

/* Mappings that a foreign allocator made for its blocks are not the program's. */
static void find_allocator(void)
{
    Dl_info of_malloc, of_libc;
    if (!dladdr((void *)next.malloc, &of_malloc)) return;
    if (dladdr((void *)TB_LIBC_CODE, &of_libc) && of_malloc.dli_fbase == of_libc.dli_fbase) return;
    struct tb_module *m = tb_module_of((uintptr_t)next.malloc);
    if (!m) return;
    allocator_low = m->low;
    allocator_high = m->high;
    tb_range_adopt();
}

__attribute__((constructor)) static void start(void)
{
    int saved = errno;
    if (getenv("TABARD_DIR") == NULL) tb_mem_on = 0;
    else if (KNOWN()) find_allocator();
    errno = saved;
}
