/* Several GPU runtimes in one process: each library keeps its own. */
#include "harness.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *(*get[2])(size_t);
    int (*drop[2])(void *), *live[2];
    CHECK(argc == 5);
    h_attach();
    for (int i = 0; i < 2; i++) {
        void *user = dlopen(argv[1 + 2 * i], RTLD_NOW | RTLD_LOCAL), *runtime = dlopen(argv[2 + 2 * i], RTLD_NOW | RTLD_NOLOAD);
        CHECK(user && runtime);
        get[i] = (void *(*)(size_t))dlsym(user, "user_get");
        drop[i] = (int (*)(void *))dlsym(user, "user_drop");
        live[i] = dlsym(runtime, "fakegpu_live");
        CHECK(get[i] && drop[i] && live[i]);
    }
    for (int round = 0; round < 3; round++)
        for (int i = 1; i >= 0; i--) {
            char *p = get[i](100);
            CHECK(p && *live[i] == 1 && *live[1 - i] == 0);
            uint64_t w = h_word(p + 50);
            CHECK(class_of(w) == HEAP && offset_of(w) == 50 && h_kind(number_of(w)) == 4 && h_bytes(number_of(w)) == 100);
            CHECK(drop[i](p) == 0 && *live[i] == 0 && class_of(h_word(p)) == RAW);
        }
    puts("ok");
    return 0;
}
