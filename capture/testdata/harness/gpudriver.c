/* GPU memory whose allocation nobody saw: as with a CUDA runtime that is part of the executable. */
#define _GNU_SOURCE
#include "harness.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static char *(*device)(size_t, size_t), *(*managed)(size_t, size_t), *(*host)(size_t, size_t);
static void (*take)(char *);
static int *questions, *answer, *lie;
int cudaMalloc(void *, size_t), cudaFree(void *);

static void *load(const char *path)
{
    void *driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(driver != NULL);
    int (*get)(const char *, void *, int, uint64_t, void *) =
        (int (*)(const char *, void *, int, uint64_t, void *))dlsym(driver, "cuGetProcAddress_v2");
    CHECK(get && get("device", &device, 0, 0, NULL) == 0 && get("managed", &managed, 0, 0, NULL) == 0 && get("host", &host, 0, 0, NULL) == 0);
    CHECK(get("take", &take, 0, 0, NULL) == 0 && get("questions", &questions, 0, 0, NULL) == 0);
    CHECK(get("answer", &answer, 0, 0, NULL) == 0 && get("lie", &lie, 0, 0, NULL) == 0);
    return driver;
}

static uint32_t expect(char *p, size_t at, size_t n, int kind)
{
    uint64_t w = h_word(p + at);
    CHECK(class_of(w) == HEAP && offset_of(w) == at && h_kind(number_of(w)) == kind && h_bytes(number_of(w)) == n);
    return number_of(w);
}

/* The driver's reservation, of which it says nothing. */
static int unknown(char *p) { return class_of(h_word(p)) == HEAP && h_kind(number_of(h_word(p))) == 2 && h_bytes(number_of(h_word(p))) == 1 << 30; }

static void test_kinds(void)
{
    char *a = device(0, 1000), *b = managed(1 << 20, 5000), *c = host(2 << 20, 100);
    errno = 77;
    uint32_t n = expect(a, 0, 1000, 4);
    CHECK(errno == 77);
    CHECK(expect(a, 999, 1000, 4) == n && expect(a, 512, 1000, 4) == n);
    CHECK(unknown(a + 1000));
    expect(b, 4999, 5000, 5);
    expect(c, 50, 100, 6);
    CHECK(class_of(h_displacement((uintptr_t)a + 5)) == HEAP && number_of(h_displacement((uintptr_t)a + 5)) == n);
    take(a), take(b), take(c);
    CHECK(unknown(a) && unknown(b) && unknown(c));
}

/* Nobody tells when memory is freed. */
static void test_reuse(void)
{
    char *a = device(0, 1000), *b = device(4096, 1000);
    uint32_t na = expect(a, 1, 1000, 4), nb = expect(b, 2, 1000, 4);
    unsigned begun = h_count(16), ended = h_count(17);
    take(a);
    device(0, 1000); /* no difference to anyone */
    CHECK(expect(a, 3, 1000, 4) == na && h_count(16) == begun && h_count(17) == ended);
    take(a), take(b);
    device(0, 1 << 20); /* over both */
    CHECK(expect(a, 5000, 1 << 20, 4) != nb);
    CHECK(class_of(h_word((void *)0x123456789000)) == RAW); /* both ends are in the records by now */
    CHECK(h_count(16) == begun + 1 && h_count(17) == ended + 2);
    take(a);
    managed(0, 1 << 20);
    expect(a, 5, 1 << 20, 5);
    take(a);
    CHECK(unknown(a));
}

/* A driver that does not answer, as after a failed kernel or at the end of the process; one that
 * lies. */
static void test_no_answer(void)
{
    char *a = device(0, 1000), *b = device(4096, 1000);
    uint32_t n = expect(a, 0, 1000, 4);
    *answer = 700;
    CHECK(expect(a, 7, 1000, 4) == n && unknown(b));
    *answer = 1; /* attributes that it does not know */
    CHECK(unknown(a));
    *answer = 0;
    expect(a, 8, 1000, 4);
    expect(b, 8, 1000, 4);
    for (*lie = 2; *lie > 0; --*lie) CHECK(unknown(a)); /* too large; no range */
    take(a), take(b);
}

static void *other_stack(void *arg)
{
    char local[100];
    h_attach();
    *(char **)arg = local;
    CHECK(class_of(h_word(local)) == STACK);
    while (__atomic_load_n((char **)arg, __ATOMIC_ACQUIRE)) sched_yield();
    h_detach();
    return NULL;
}

/* The driver is asked about what nothing else explains, and about its own memory. */
static void test_questions(void)
{
    static char data[100];
    char local[100], *block = malloc(100), *there = NULL;
    char *mapping = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t t;
    CHECK(pthread_create(&t, NULL, other_stack, &there) == 0);
    while (!__atomic_load_n(&there, __ATOMIC_ACQUIRE)) sched_yield();
    *questions = 0;
    CHECK(class_of(h_word(data)) == MODULE && class_of(h_word(local)) == STACK && class_of(h_word(block)) == HEAP);
    CHECK(class_of(h_word(mapping)) == HEAP && class_of(h_word(there)) == STACK);
    h_displacement(4096), h_displacement(1 << 30);
    CHECK(*questions == 0);
    CHECK(class_of(h_word((void *)0x123456789000)) == RAW && *questions == 1);
    char *a = device(0, 1000);
    for (int i = 0; i < 5; i++) expect(a, 0, 1000, 4);
    CHECK(*questions == 6);
    __atomic_store_n(&there, NULL, __ATOMIC_RELEASE);
    CHECK(pthread_join(t, NULL) == 0);
    /* the program maps something else there: what the driver said is forgotten */
    unsigned ended = h_count(17);
    take(a);
    CHECK(mmap(a, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == a);
    CHECK(h_count(17) == ended + 2); /* and the driver's reservation got shorter */
    *questions = 0;
    uint64_t w = h_word(a + 10);
    CHECK(class_of(w) == HEAP && h_kind(number_of(w)) == 2 && h_bytes(number_of(w)) == 4096 && *questions == 0);
    a = device(1 << 20, 1000);
    expect(a, 0, 1000, 4);
    ended = h_count(17);
    take(a);
    CHECK(munmap(a - 4096, 3 * 4096) == 0 && h_count(17) >= ended + 1 && class_of(h_word(a)) == RAW);
    munmap(mapping, 8192);
    free(block);
}

/* A part of what the driver tells of was allocated through a function of ours. */
static void test_mixed(void)
{
    char *p, *space = device(0, 1);
    CHECK(cudaMalloc(&p, 10000) == 0);
    char *pool = device((size_t)(p - space), 12200);
    CHECK(pool == p);
    *questions = 0;
    uint32_t n = expect(p, 5, 10000, 4);
    CHECK(*questions == 0);
    for (int i = 0; i < 2; i++) { /* what is left of it is a segment of its own */
        uint64_t w = h_word(p + 11000);
        CHECK(class_of(w) == HEAP && offset_of(w) == 1000 && h_bytes(number_of(w)) == 2200 && number_of(w) != n);
    }
    CHECK(expect(p, 5, 10000, 4) == n && *questions == 2);
    CHECK(cudaFree(p) == 0);
    expect(p, 11000, 12200, 4); /* all of it, from now on */
    take(pool);
    CHECK(class_of(h_word(p)) == RAW);
    take(space);
}

/* Questions wait for the driver, which waits for the runtime: no lock may be held meanwhile. */
enum { THREADS = 4, PLACE = 16 << 20 };
static int stop;

static void *work(void *arg)
{
    size_t mine = (512u << 20) + (size_t)arg * PLACE;
    unsigned seed = 17 + (unsigned)(size_t)arg;
    uintptr_t rounds = 0;
    h_attach();
    for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); rounds++) {
        size_t n = 1 + (seed = seed * 1103515245 + 12345) % PLACE;
        char *p = (seed >> 20 & 1 ? device : managed)(mine, n);
        for (int i = 0; i < 3; i++) expect(p, (size_t)i * (n - 1) / 2, n, seed >> 20 & 1 ? 4 : 5);
        free(malloc(n / 100));
        take(p);
    }
    h_detach();
    return (void *)rounds;
}

static void test_threads(void)
{
    pthread_t t[THREADS];
    void *rounds;
    for (size_t i = 0; i < THREADS; i++) CHECK(pthread_create(&t[i], NULL, work, (void *)i) == 0);
    nanosleep(&(struct timespec){1, 0}, NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(t[i], &rounds) == 0 && (uintptr_t)rounds > 50);
}

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    h_attach();
    CHECK(class_of(h_word((void *)0x123456789000)) == RAW);
    void *driver = load(argv[1]);
    if (getenv("TABARD_GPU")) {
        CHECK(unknown(device(0, 1000)) && *questions == 0);
        puts("not asked");
        return 0;
    }
    test_kinds();
    test_reuse();
    test_no_answer();
    test_questions();
    test_mixed();
    test_threads();
    CHECK(dlclose(driver) == 0); /* it is asked on */
    CHECK(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL && class_of(h_word((void *)0x123456789000)) == RAW);
    puts("ok");
    return 0;
}
