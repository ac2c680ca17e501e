/* A user's own allocator: size classes from 8 bytes on in slabs, large blocks
 * mapped one by one, no headers between blocks. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLAB = 1 << 20, HEADER = 4096 };
struct slab { size_t size; size_t large; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *free_list[20];

static void *slab_new(size_t bytes)
{
    char *p = mmap(NULL, bytes + SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    char *at = (char *)(((uintptr_t)p + SLAB - 1) & ~(uintptr_t)(SLAB - 1));
    if (at > p) munmap(p, (size_t)(at - p));
    munmap(at + bytes, (size_t)(p + SLAB - at));
    return at;
}

static void *large(size_t n)
{
    size_t bytes = (n + HEADER + 4095) & ~(size_t)4095;
    struct slab *s = n < (size_t)1 << 46 ? slab_new(bytes) : NULL;
    if (!s) return errno = ENOMEM, NULL;
    *s = (struct slab){n, bytes};
    return (char *)s + HEADER;
}

static void *take(size_t n)
{
    unsigned class = 3;
    while ((size_t)1 << class < n) class++;
    if (class > 16) return large(n);
    pthread_mutex_lock(&lock);
    if (!free_list[class]) {
        struct slab *s = slab_new(SLAB);
        s->size = (size_t)1 << class;
        for (char *p = (char *)s + SLAB - s->size; p >= (char *)s + (s->size > HEADER ? s->size : HEADER); p -= s->size)
            *(void **)p = free_list[class], free_list[class] = p;
    }
    void **p = free_list[class];
    free_list[class] = *p;
    pthread_mutex_unlock(&lock);
    return p;
}

static struct slab *slab_of(void *p) { return (struct slab *)((uintptr_t)p & ~(uintptr_t)(SLAB - 1)); }

void *malloc(size_t n) { return take(n); }

void free(void *p)
{
    if (!p) return;
    struct slab *s = slab_of(p);
    if (s->large) {
        munmap(s, s->large);
        return;
    }
    unsigned class = (unsigned)__builtin_ctzl(s->size);
    pthread_mutex_lock(&lock);
    *(void **)p = free_list[class];
    free_list[class] = p;
    pthread_mutex_unlock(&lock);
}

void *calloc(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) return errno = ENOMEM, NULL;
    void *p = take(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *realloc(void *p, size_t n)
{
    if (!p) return take(n);
    struct slab *s = slab_of(p);
    if (n <= s->size && n > s->size / 4) return p;
    void *q = take(n);
    if (!q) return NULL;
    memcpy(q, p, n < s->size ? n : s->size);
    free(p);
    return q;
}

void *memalign(size_t alignment, size_t n)
{
    size_t class = 8;
    while (class < n) class *= 2;
    return take(class < alignment ? alignment : n); /* blocks are aligned to their size up to 64 KiB */
}
void *aligned_alloc(size_t alignment, size_t n) { return memalign(alignment, n); }
int posix_memalign(void **p, size_t alignment, size_t n) { return (*p = memalign(alignment, n)) ? 0 : ENOMEM; }
