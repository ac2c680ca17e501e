/* Call sites: callers, bindings, stacks and their folding. */
#define _GNU_SOURCE
#include "harness.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FAR __attribute__((noinline, noclone))
enum { CALLER = 1, STACKS = 2 };

uint64_t binding_call(int mode);          /* in libbinding.so: calls h_site */
void binding_callback(void (*f)(void));
const void *binding_place(void);

static uint64_t found;
static volatile int one = 1;

FAR static void leaf(void) { found = h_site(STACKS); one += 0; }
FAR static void down(int n)
{
    if (n) down(n - one);
    else leaf();
    one += 0;
}
FAR static void even(int n);
FAR static void odd(int n)
{
    if (n) even(n - one);
    else leaf();
    one += 0;
}
FAR static void even(int n)
{
    if (n) odd(n - one);
    else leaf();
    one += 0;
}
FAR static void entry_a(void) { leaf(); one += 0; }
FAR static void entry_b(void) { leaf(); one += 0; one += 0; }

static uint64_t stack_of(void (*f)(int), int n)
{
    f(n);
    return found;
}

static void *on_thread(void *arg)
{
    h_attach();
    entry_a();
    uint64_t words[300];
    unsigned n = h_stack((uint32_t)found, words, 300);
    CHECK(n == 3); /* leaf, entry_a, on_thread: not what starts threads */
    h_detach();
    return arg;
}

FAR static uint64_t through_binding_a(void) { uint64_t w = binding_call(CALLER); one += 0; return w; }
FAR static uint64_t through_binding_b(void) { uint64_t w = binding_call(CALLER); one += 0; return w; }

static void test_stacks(void)
{
    static volatile uint64_t known[2], after[2];
    uint64_t words[300], a, b;
    entry_a(), a = found;
    entry_b(), b = found;
    CHECK(a == 1 && b == 2 && h_count(5) == 2);
    for (int i = 0; i < 100 * one; i++) {
        entry_a();
        known[0] = known[0] ? known[0] : found; /* a loop that is not peeled */
        CHECK(found == known[0]);
    }
    unsigned n = h_stack(1, words, 300);
    CHECK(n == 4); /* leaf, entry_a, test_stacks, main */
    for (unsigned i = 0; i < n; i++) CHECK(class_of(words[i]) == MODULE);
    for (int depth = 1; depth < 3000; depth += depth / 3 + 1) {
        uint64_t s = stack_of(down, depth);
        known[1] = known[1] ? known[1] : s;
        CHECK(s == known[1]);
    }
    CHECK(h_stack((uint32_t)known[1], words, 300) <= 7);
    for (int depth = 4; depth < 2000; depth++) {
        uint64_t s = stack_of(even, depth);
        after[depth % 2] = after[depth % 2] ? after[depth % 2] : s;
        CHECK(s == after[depth % 2]);
    }
    CHECK(after[0] != after[1] && h_stack((uint32_t)after[0], words, 300) <= 8);
    pthread_t t;
    CHECK(pthread_create(&t, NULL, on_thread, NULL) == 0 && pthread_join(t, NULL) == 0);
}

/* Frame k of a site with callers lies in the function; it has n frames. */
static int in_frame(uint64_t site, unsigned n, unsigned k, void *function)
{
    uint64_t words[300] = {site}, bias;
    const char *build_id;
    unsigned have = class_of(site) == MODULE ? 1 : h_stack((uint32_t)site, words, 300);
    if (have != n || class_of(words[k]) != MODULE) return 0;
    h_module(number_of(words[k]), &bias, &build_id);
    return bias + offset_of(words[k]) - (uintptr_t)function < 1000;
}

/* A function of many bytes. */
#define LARGE() do { for (int i = 0; i < one; i++) __asm__ volatile(".rept 300\n\tnop\n\t.endr"); } while (0)

static uint64_t last;
FAR static void wrapper(void) { last = h_site(CALLER); one += 0; }
FAR static void second(void) { wrapper(); one += 0; }
FAR static void large_a(void) { second(); LARGE(); }
FAR static void large_b(void) { wrapper(); LARGE(); wrapper(); }
FAR static void recursive(int n)
{
    if (n) recursive(n - one);
    last = h_site(CALLER);
    one += 0;
}
static int by_sort(const void *a, const void *b) { wrapper(); return *(const int *)a - *(const int *)b; }

static void test_wrappers(void)
{
    static volatile uint64_t seen[4];
    for (int i = 0; i < 50 * one; i++) {
        large_a();
        CHECK(in_frame(last, 3, 0, wrapper) && in_frame(last, 3, 1, second) && in_frame(last, 3, 2, large_a));
        seen[0] = seen[0] ? seen[0] : last;
        CHECK(last == seen[0]);
        large_b();
        CHECK(in_frame(last, 2, 0, wrapper) && in_frame(last, 2, 1, large_b));
        seen[1] = seen[1] ? seen[1] : last;
        CHECK(last == seen[1] && last != seen[0]);
        recursive(i % 7);
        CHECK(in_frame(last, 1, 0, recursive)); /* however deep */
        seen[2] = seen[2] ? seen[2] : last;
        CHECK(last == seen[2]);
        int numbers[3] = {2, one, 3};
        qsort(numbers, 3, sizeof numbers[0], by_sort);
        CHECK(in_frame(last, 2, 0, wrapper) && in_frame(last, 2, 1, by_sort)); /* not qsort */
    }
    CHECK(h_from_cache() > 150);
}

/* Large functions: exchange is called from one place, update, with a frame that is aligned, from two. */
FAR static void exchange(void) { wrapper(); LARGE(); }
FAR static void update(void)
{
    char buffer[64] __attribute__((aligned(64)));
    __asm__ volatile("" : : "r"(buffer) : "memory");
    exchange();
    LARGE();
    __asm__ volatile("" : : "r"(buffer) : "memory");
}
FAR static void step(void) { update(); LARGE(); }
FAR static void run(void) { step(); update(); LARGE(); }

static void test_ways(void)
{
    static volatile uint64_t seen[2];
    for (int i = 0; i < 50 * one; i++) {
        step();
        CHECK(in_frame(last, 5, 1, exchange) && in_frame(last, 5, 2, update) && in_frame(last, 5, 3, step));
        seen[0] = seen[0] ? seen[0] : last;
        CHECK(last == seen[0]);
        run();
        CHECK(in_frame(last, 4, 2, update) && in_frame(last, 4, 3, run));
        seen[1] = seen[1] ? seen[1] : last;
        CHECK(last == seen[1] && last != seen[0]);
    }
}

static void test_callers(void)
{
    uint64_t w = h_site(CALLER), bias;
    const char *build_id;
    CHECK(in_frame(w, 2, 0, test_callers));
    CHECK(h_site(CALLER) != w && h_site(0) == 0);
    w = through_binding_a();
    uint64_t words[300];
    CHECK(h_stack((uint32_t)w, words, 300) > 1);
    CHECK(strstr(h_module(number_of(words[0]), &bias, &build_id), "libbinding") != NULL);
    h_binding(binding_place());
    w = through_binding_a();
    uint64_t v = through_binding_b();
    CHECK(in_frame(w, 2, 0, through_binding_a) || in_frame(w, 3, 0, through_binding_a));
    CHECK(in_frame(v, 2, 0, through_binding_b) || in_frame(v, 3, 0, through_binding_b));
    CHECK(through_binding_a() != w && through_binding_b() != v); /* called from another line */
    binding_callback(entry_a);
    unsigned n = h_stack((uint32_t)found, words, 300);
    CHECK(n == 4); /* leaf, entry_a, test_callers, main: without the binding */
}

int main(void)
{
    h_attach();
    test_stacks();
    test_callers();
    test_wrappers();
    test_ways();
    puts("ok");
    return 0;
}
