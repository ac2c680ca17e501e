/* What becomes of each class of address, one thing at a time. */
#define _GNU_SOURCE
#include "harness.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static int global[100];
static __thread int local[100];
static char *shared_buffer;

static void test_literals(void)
{
    CHECK(h_word(NULL) == 0);
    CHECK(h_word((void *)1) == 1);
    CHECK(h_word((void *)-1) == 0x0fffffffffffffffULL);
    CHECK(class_of(h_word((void *)0x123456789000)) == RAW);
    CHECK(offset_of(h_word((void *)0x123456789000)) == (0x123456789000ULL & 0xffffffffff));
}

static void test_numbers(void)
{
    char *a = malloc(1000), *b = malloc(2000), *c;
    uint64_t wa = h_word(a + 10), wb = h_word(b + 2000);
    CHECK(number_of(wa) == 0 && offset_of(wa) == 10 && h_kind(0) == 1 && h_bytes(0) == 1000);
    CHECK(number_of(wb) == 1 && offset_of(wb) == 2000 && h_bytes(1) == 2000);
    for (int i = 0; i < 1000; i++) { /* the same numbers in every iteration, whatever the addresses */
        free(a);
        CHECK(h_kind(0) == 0);
        c = i % 2 ? malloc(50) : NULL;
        a = malloc(1000 + (size_t)i);
        CHECK(h_word(a) == 1ULL << 60);
        CHECK(h_word(b + 1) == (1ULL << 60 | 1ULL << 40 | 1));
        free(c);
    }
    CHECK(h_count(16) == 1002 && h_count(17) == 1000);
    h_in_call(1); /* the MPI library frees it: recorded later, the number not given out before */
    free(a);
    CHECK(h_count(17) == 1000);
    h_in_call(0);
    a = malloc(10);
    CHECK(h_word(a) == 1ULL << 60 && h_count(17) == 1001);
    char *d = realloc(b, 1 << 24);
    CHECK(d != b && h_kind(1) == 0);
    CHECK(h_word(d + 77) == (1ULL << 60 | 1ULL << 40 | 77));
    CHECK(realloc(d, (size_t)1 << 62) == NULL && errno == ENOMEM);
    CHECK(h_word(d + 78) == (1ULL << 60 | 1ULL << 40 | 78));
    free(a), free(d);
}

/* A block that grows or shrinks is another segment with its new size, also if it stays where it is. */
static void test_resized(void)
{
    char *p = malloc(5000);
    uint64_t w = h_word(p + 4999);
    char *same = realloc(p, 5000);
    CHECK(same == p && h_word(p + 4999) == w);
    for (size_t n = 4000; n <= 9000; n += 5000) {
        int freed = h_count(17), made = h_count(16);
        p = realloc(p, n);
        w = h_word(p + n - 1);
        CHECK(offset_of(w) == n - 1 && h_bytes(number_of(w)) == n);
        CHECK(h_count(17) == freed + 1 && h_count(16) == made + 1);
    }
    free(p);
}

static void test_sizes(void)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 31, 32, 33, 1743, 1744, 1745, 1759, 1760, 1761, 1776, 1777, 4095, 4096, 8191,
                                   8192, 8193, 65535, 1 << 20, (1 << 20) + 1, 80 << 20, (200 << 20) + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *p = malloc(sizes[i]);
        uint64_t w = h_word(p + sizes[i] / 2);
        CHECK(class_of(w) == HEAP && offset_of(w) == sizes[i] / 2 && h_bytes(number_of(w)) == sizes[i]);
        free(p);
    }
    for (int round = 0; round < 20; round++) { /* a large block where many small ones were */
        static char *small[3000];
        for (int i = 0; i < 3000; i++) small[i] = malloc(24 + (size_t)i % 90);
        for (int i = 0; i < 3000; i++) free(small[i]);
        malloc_trim(0);
        char *p = malloc(60000);
        for (size_t at = 0; at < 60000; at += 1111) CHECK(offset_of(h_word(p + at)) == at && class_of(h_word(p + at)) == HEAP);
        free(p);
    }
}

static void test_statics(void)
{
    uint64_t bias, w = h_word(&global[3]);
    const char *build_id;
    CHECK(class_of(w) == MODULE);
    const char *path = h_module(number_of(w), &bias, &build_id);
    CHECK(strstr(path, "basics") != NULL && strlen(build_id) == 40);
    CHECK(bias + offset_of(w) == (uintptr_t)&global[3]);
    CHECK(class_of(h_word("constant")) == MODULE && class_of(h_word(stdout)) == MODULE);
    CHECK(number_of(h_word(stdout)) != number_of(w));
}

static void *other_thread(void *arg)
{
    int mine[10], *others = arg;
    h_attach();
    uint64_t w = h_word(&mine[2]);
    CHECK(class_of(w) == STACK && number_of(w) == (uint32_t)h_thread());
    CHECK(h_word(&mine[3]) == w + 4);
    w = h_word(others);
    CHECK(class_of(w) == STACK && number_of(w) == 0);
    CHECK(class_of(h_word(&local[5])) == STACK);
    CHECK(class_of(h_word(shared_buffer + 5)) == HEAP && offset_of(h_word(shared_buffer + 5)) == 5);
    h_detach();
    return NULL;
}

static void test_stacks(void)
{
    int a[10];
    uint64_t w = h_word(&a[1]);
    pthread_t t;
    CHECK(class_of(w) == STACK && number_of(w) == 0 && h_word(&a[2]) == w + 4);
    uint64_t v = h_word(&local[7]);
    CHECK(class_of(v) == HEAP && h_kind(number_of(v)) == 2 && h_word(&local[8]) == v + 4);
    shared_buffer = malloc(100);
    CHECK(pthread_create(&t, NULL, other_thread, a) == 0 && pthread_join(t, NULL) == 0);
    free(shared_buffer);
}

static void test_mappings(void)
{
    size_t page = (size_t)getpagesize();
    char *p = mmap(NULL, 10 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t w = h_word(p + 5 * page);
    uint32_t n = number_of(w);
    CHECK(class_of(w) == HEAP && offset_of(w) == 5 * page && h_kind(n) == 2 && h_bytes(n) == 10 * page);
    CHECK(munmap(p + 8 * page, 2 * page) == 0); /* its end */
    CHECK(h_word(p + page) == w - 4 * page && class_of(h_word(p + 8 * page)) == RAW);
    CHECK(munmap(p + 3 * page, page) == 0); /* a hole */
    CHECK(h_word(p + page) == w - 4 * page && class_of(h_word(p + 3 * page)) == RAW);
    w = h_word(p + 5 * page);
    CHECK(class_of(w) == HEAP && number_of(w) != n && offset_of(w) == page);
    CHECK(munmap(p, 8 * page) == 0);
    CHECK(h_kind(n) == 0 && h_kind(number_of(w)) == 0 && class_of(h_word(p)) == RAW);
    p = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    n = number_of(h_word(p));
    char *q = mremap(p, 4 * page, 1000 * page, MREMAP_MAYMOVE);
    CHECK(q != MAP_FAILED);
    w = h_word(q + 999 * page);
    CHECK(offset_of(w) == 999 * page && h_kind(number_of(w)) == 2 && h_bytes(number_of(w)) == 1000 * page);
    if (q != p) CHECK(class_of(h_word(p)) == RAW);
    CHECK(mmap(q, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == q); /* over its start */
    CHECK(offset_of(h_word(q + 5)) == 5 && h_bytes(number_of(h_word(q))) == page);
    CHECK(munmap(q, 1000 * page) == 0);
}

/* Communication libraries patch what dlsym finds: that must be the C library's own. */
static void test_patchable(void)
{
    static const char *const names[] = {"mmap", "mmap64", "munmap", "mremap", "shmat", "shmdt"};
    Dl_info of_libc, d;
    CHECK(dladdr(dlsym(RTLD_DEFAULT, "printf"), &of_libc) != 0);
    for (int i = 0; i < 6; i++) {
        CHECK(dladdr(dlsym(RTLD_DEFAULT, names[i]), &d) != 0 && d.dli_fbase == of_libc.dli_fbase);
    }
}

static void test_shared(void)
{
    int id = shmget(IPC_PRIVATE, 10000, IPC_CREAT | 0600);
    char *p = shmat(id, NULL, 0);
    uint64_t w = h_word(p + 9000);
    CHECK(class_of(w) == HEAP && offset_of(w) == 9000 && h_kind(number_of(w)) == 2);
    CHECK(shmctl(id, IPC_RMID, NULL) == 0 && shmdt(p) == 0);
    CHECK(class_of(h_word(p)) == RAW && h_kind(number_of(w)) == 0);
}

static void test_mpi_memory(void)
{
    char *p = malloc(10000);
    uint64_t outer = h_word(p + 500);
    h_mpi_memory(p + 1000, 1000);
    uint64_t w = h_word(p + 1500);
    CHECK(class_of(w) == HEAP && offset_of(w) == 500 && h_kind(number_of(w)) == 3);
    CHECK(h_word(p + 500) == outer && h_word(p + 2500) == outer + 2000);
    h_mpi_memory_free(p + 1000);
    CHECK(h_word(p + 1500) == outer + 1000 && h_kind(number_of(w)) == 0);
    free(p);
}

static void test_displacements(void)
{
    char *p = malloc(100);
    CHECK(h_displacement(0) == 0 && h_displacement(8192) == 8192 && h_displacement(1ULL << 40) == 1ULL << 40);
    CHECK(h_displacement((uint64_t)-8) == 0x0ffffffffffffff8ULL);
    CHECK(h_displacement(0x123456789000) == 0x123456789000);
    if ((uintptr_t)p >> 32) CHECK(class_of(h_displacement((uintptr_t)p + 9)) == HEAP && offset_of(h_displacement((uintptr_t)p + 9)) == 9);
    CHECK(class_of(h_displacement((uintptr_t)&p)) == STACK);
    if ((uintptr_t)global >> 32) CHECK(class_of(h_displacement((uintptr_t)global)) == MODULE);
    free(p);
}

static char *victims[2000];
static volatile int next_victim, victims_ready;
static volatile unsigned ticks;

static void on_tick(int signal)
{
    (void)signal;
    ticks++;
    if (next_victim < victims_ready) free(victims[next_victim++]); /* main allocates nothing now */
}

/* free() from a handler that interrupts the runtime anywhere. */
static void test_signals(void)
{
    enum { N = 40000 };
    static char *p[N];
    struct itimerval { struct { long s, us; } interval, value; } every = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    int setitimer();
    for (int i = 0; i < N; i++) p[i] = malloc(32);
    for (int i = 0; i < 2000; i++) victims[i] = malloc(48), h_word(victims[i]);
    victims_ready = 2000;
    signal(SIGALRM, on_tick);
    setitimer(0, &every, NULL);
    for (int i = 0; i < N || (ticks < 50 && i < 100000000); i++) {
        uint64_t w = h_word(p[i % N] + 3);
        CHECK(class_of(w) == HEAP && offset_of(w) == 3);
    }
    setitimer(0, &never, NULL);
    CHECK(ticks >= 50);
    for (int i = 0; i < N; i++) CHECK(class_of(h_word(p[i])) == HEAP), free(p[i]);
    while (next_victim < 2000) free(victims[next_victim++]);
    char *last = malloc(4);
    h_word(last);
    for (uint32_t n = 0, live = 0; n < 100000; n++) CHECK((live += h_kind(n) == 1) <= 1);
    free(last);
}

static void test_fork(void)
{
    char *p = malloc(100), *q;
    h_word(p);
    pid_t child = fork();
    if (child == 0) {
        free(p);
        for (int i = 0; i < 1000; i++) q = malloc((size_t)i), memset(q, 1, (size_t)i), free(q);
        munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
        _exit(7);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    CHECK(class_of(h_word(p + 1)) == HEAP);
    free(p);
}

static void test_semantics(void)
{
    errno = 77;
    void *p = malloc(0), *q = malloc(0);
    CHECK(p && q && p != q && errno == 77);
    h_word(p);
    free(p), free(q), free(NULL);
    CHECK(errno == 77);
    CHECK((p = realloc(NULL, 10)) != NULL && realloc(p, 0) == NULL);
    CHECK(calloc((size_t)1 << 40, (size_t)1 << 40) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(reallocarray(NULL, (size_t)1 << 40, (size_t)1 << 40) == NULL && errno == ENOMEM);
    CHECK(posix_memalign(&p, 3, 10) == EINVAL);
    for (size_t a = 16; a <= 1 << 16; a *= 2) {
        CHECK(((uintptr_t)(p = aligned_alloc(a, a)) & (a - 1)) == 0);
        CHECK(offset_of(h_word((char *)p + 1)) == 1);
        free(p);
    }
    CHECK(((uintptr_t)(p = valloc(10)) & 4095) == 0), free(p);
    CHECK(((uintptr_t)(p = pvalloc(10)) & 4095) == 0), free(p);
    CHECK(malloc_usable_size(p = malloc(24)) == 24), free(p);
    CHECK(munmap((void *)1, 4096) == -1 && errno == EINVAL);
}

int main(void)
{
#ifdef HUNGRY_DLSYM
    CHECK(h_dlsym_calls > 10);
#endif
    h_attach();
    test_literals();
    test_numbers();
    test_resized();
    test_sizes();
    test_statics();
    test_stacks();
    test_mappings();
    CHECK(h_highest_block());
#ifndef HUNGRY_DLSYM
    test_patchable();
#endif
    test_shared();
    test_mpi_memory();
    test_displacements();
    test_semantics();
    test_signals();
    test_fork();
    puts("ok");
    return 0;
}
