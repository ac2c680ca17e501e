/* Plays libcuda as far as it matters to an observer: it reserves address space by mmap, gives out
 * pieces of it through functions that are found by pointer only, maps and unmaps memory with its
 * lock held, and answers questions under the same lock. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PIECES = 1024, HOST = 1, DEVICE = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { uintptr_t low; size_t bytes; int type, managed; } pieces[PIECES];
static int questions, answer, lie;
static char *space;
enum { SPACE = 1 << 30 };

int cuPointerGetAttributes(unsigned n, int *attributes, void **results, uintptr_t a)
{
    pthread_mutex_lock(&lock);
    questions++;
    errno = ENOTTY;
    free(malloc(100));
    int r = answer, i = 0;
    while (i < PIECES && a - pieces[i].low >= pieces[i].bytes) i++;
    for (unsigned k = 0; k < n && r == 0; k++) {
        uint64_t bytes = i == PIECES || lie == 1 ? 0 : lie == 2 ? 1ull << 40 : pieces[i].bytes;
        uint64_t low = i == PIECES || lie == 1 ? 0 : pieces[i].low;
        unsigned type = i == PIECES ? 0 : (unsigned)pieces[i].type, managed = i == PIECES ? 0 : (unsigned)pieces[i].managed;
        switch (attributes[k]) {
        case 2: memcpy(results[k], &type, 4); break;
        case 8: memcpy(results[k], &managed, 4); break;
        case 11: memcpy(results[k], &low, 8); break;
        case 12: memcpy(results[k], &bytes, 8); break;
        default: r = 1;
        }
    }
    pthread_mutex_unlock(&lock);
    return r;
}

/* A piece at a place in the reserved space; it replaces whatever was there. */
static char *give(size_t at, size_t n, int type, int managed)
{
    pthread_mutex_lock(&lock);
    if (!space) space = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *chunk = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int i = 0;
    while (i < PIECES && pieces[i].bytes) i++;
    if (i == PIECES || space == MAP_FAILED) abort();
    pieces[i].low = (uintptr_t)space + at;
    pieces[i].bytes = n;
    pieces[i].type = type;
    pieces[i].managed = managed;
    munmap(chunk, 8192);
    pthread_mutex_unlock(&lock);
    return space + at;
}

static char *give_device(size_t at, size_t n) { return give(at, n, DEVICE, 0); }
static char *give_managed(size_t at, size_t n) { return give(at, n, DEVICE, 1); }
static char *give_host(size_t at, size_t n) { return give(at, n, HOST, 0); }

static void take(char *p)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PIECES; i++)
        if (pieces[i].low == (uintptr_t)p) pieces[i].bytes = 0;
    pthread_mutex_unlock(&lock);
}

int cuGetProcAddress_v2(const char *name, void **f, int version, uint64_t flags, void *status)
{
    static const struct { const char *name; void *f; } table[] = {
        {"device", (void *)give_device}, {"managed", (void *)give_managed}, {"host", (void *)give_host},
        {"take", (void *)take}, {"questions", &questions}, {"answer", &answer}, {"lie", &lie},
    };
    (void)version, (void)flags, (void)status;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0) return *f = table[i].f, 0;
    return 1;
}
