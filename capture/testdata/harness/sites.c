/* Call sites: callers, bindings, stacks and their folding. */
#define _GNU_SOURCE
#include "harness.h"
#include <pthread.h>
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

static void test_callers(void)
{
    uint64_t w = h_site(CALLER), bias;
    const char *build_id;
    CHECK(class_of(w) == MODULE && strstr(h_module(number_of(w), &bias, &build_id), "sites") != NULL);
    uintptr_t here = (uintptr_t)test_callers;
    CHECK(bias + offset_of(w) - here < 200);
    CHECK(h_site(CALLER) != w && h_site(0) == 0);
    w = through_binding_a();
    CHECK(strstr(h_module(number_of(w), &bias, &build_id), "libbinding") != NULL);
    h_binding(binding_place());
    w = through_binding_a();
    uint64_t v = through_binding_b();
    CHECK(strstr(h_module(number_of(w), &bias, &build_id), "sites") != NULL);
    CHECK(bias + offset_of(w) - (uintptr_t)through_binding_a < 100);
    CHECK(bias + offset_of(v) - (uintptr_t)through_binding_b < 100);
    CHECK(through_binding_a() == w);
    uint64_t words[300];
    binding_callback(entry_a);
    unsigned n = h_stack((uint32_t)found, words, 300);
    CHECK(n == 4); /* leaf, entry_a, test_callers, main: without the binding */
}

int main(void)
{
    h_attach();
    test_stacks();
    test_callers();
    puts("ok");
    return 0;
}
