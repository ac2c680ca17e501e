/* Random allocation from several threads against an oracle. */
#define _GNU_SOURCE
#include "harness.h"
#include <malloc.h>
#include <pthread.h>
#include <string.h>

enum { THREADS = 6, SLOTS = 400, STEPS = 120000 };
struct slot { unsigned char *p; size_t n; int64_t number; };
static struct slot exchange[64]; /* blocks that other threads free */
static pthread_mutex_t exchange_lock = PTHREAD_MUTEX_INITIALIZER;
static int owner[1 << 20];
static int adjacent; /* the end of a block may be the start of the next */

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
    return *s;
}

static size_t size(uint64_t *s)
{
    switch (next(s) % 16) {
    case 0: return 0;
    case 1: return next(s) % 4;
    case 2: return 1000 + next(s) % 2000;
    case 3: return next(s) % (1 << 18);
    case 4: return next(s) % 64 == 0 ? next(s) % (1 << 23) : 4096;
    default: return next(s) % 200;
    }
}

static void use(struct slot *x, uint64_t *s)
{
    size_t at = x->n ? next(s) % (x->n + (x->n >= 16 && !adjacent)) : 0;
    uint64_t w = h_word(x->p + at);
    if (x->n <= 8 && (uintptr_t)x->p % 16) { /* half a granule of a foreign allocator: not followed, never taken for another */
        CHECK(class_of(w) == RAW || h_kind(number_of(w)) == 2);
        return;
    }
    CHECK(class_of(w) == HEAP);
    CHECK(offset_of(w) == at);
    if (x->number < 0) {
        x->number = number_of(w);
        CHECK(h_kind(number_of(w)) == 1 && h_bytes(number_of(w)) == x->n);
        CHECK(__atomic_exchange_n(&owner[x->number], 1, __ATOMIC_SEQ_CST) == 0);
    }
    CHECK(number_of(w) == x->number);
}

static void forget(struct slot *x)
{
    if (x->number >= 0) __atomic_store_n(&owner[x->number], 0, __ATOMIC_SEQ_CST);
    x->number = -1;
}

static void check_memory(const struct slot *x)
{
    if (x->n) CHECK(x->p[0] == (unsigned char)x->n && x->p[x->n - 1] == (unsigned char)x->n);
}

static void fill(struct slot *x)
{
    if (x->n) x->p[0] = x->p[x->n - 1] = (unsigned char)x->n;
}

static void fresh(struct slot *x, uint64_t *s)
{
    x->n = size(s);
    x->number = -1;
    switch (next(s) % 6) {
    case 0:
        x->p = calloc(x->n, 1);
        for (size_t i = 0; i < x->n; i += 97) CHECK(x->p[i] == 0);
        break;
    case 1: x->p = memalign((size_t)16 << next(s) % 8, x->n); break;
    case 2: CHECK(posix_memalign((void **)&x->p, (size_t)8 << next(s) % 9, x->n) == 0); break;
    default: x->p = malloc(x->n);
    }
    CHECK(x->p != NULL);
    fill(x);
}

static void release(struct slot *x)
{
    check_memory(x);
    forget(x);
    free(x->p);
    x->p = NULL;
}

static void resize(struct slot *x, uint64_t *s)
{
    size_t n = size(s) + 1;
    int64_t before = x->number;
    unsigned char *old = x->p;
    unsigned char first = (unsigned char)x->n;
    size_t had = x->n;
    check_memory(x);
    forget(x);
    x->p = next(s) % 2 ? realloc(x->p, n) : reallocarray(x->p, n, 1);
    CHECK(x->p != NULL);
    if (had) CHECK(x->p[0] == first);
    x->n = n;
    fill(x);
    if (x->p == old && n == had && before >= 0) { /* nothing changed: the same segment */
        CHECK(__atomic_exchange_n(&owner[before], 1, __ATOMIC_SEQ_CST) == 0);
        x->number = before;
    }
}

static void swap(struct slot *x, uint64_t *s)
{
    struct slot *y = &exchange[next(s) % 64], z;
    pthread_mutex_lock(&exchange_lock);
    z = *y, *y = *x, *x = z;
    pthread_mutex_unlock(&exchange_lock);
}

static void *storm(void *arg)
{
    uint64_t s = 88172645463325252ULL + 977 * (uintptr_t)arg;
    struct slot *slots = calloc(SLOTS, sizeof *slots);
    if ((uintptr_t)arg % 3 != 2) h_attach(); /* every third thread only allocates and frees */
    int traced = (uintptr_t)arg % 3 != 2;
    for (int i = 0; i < STEPS; i++) {
        struct slot *x = &slots[next(&s) % SLOTS];
        if (!x->p) fresh(x, &s);
        else switch (next(&s) % 8) {
            case 0: case 1: release(x); break;
            case 2: resize(x, &s); break;
            case 3: swap(x, &s); break;
            case 4:
                if (traced && next(&s) % 4 == 0) {
                    h_in_call(1);
                    release(x);
                    h_in_call(0);
                }
                break;
            default: if (traced) use(x, &s);
            }
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].p) release(&slots[i]);
    free(slots);
    if (traced) h_detach();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    adjacent = getenv("LD_PRELOAD") != NULL;
    h_attach();
    for (uintptr_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, storm, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 64; i++)
        if (exchange[i].p) release(&exchange[i]);
    void *last = malloc(100); /* makes this thread report what others left */
    CHECK(class_of(h_word(last)) == HEAP);
    unsigned live = 0;
    for (uint32_t n = 0; n < 1 << 20; n++) live += h_kind(n) == 1;
    CHECK(live == 1 && h_count(16) > 1000); /* the rest is mappings of a foreign allocator, if there is one */
    CHECK(adjacent || (number_of(h_word(last)) == 0 && h_count(17) == h_count(16) - 1));
    printf("%u segments\n", h_count(16));
    return 0;
}
