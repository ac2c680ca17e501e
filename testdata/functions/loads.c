// Loads a library, calls it, unloads it and loads it again, while another thread is at work.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static volatile int stop;
static void *spin(void *none)
{
    while (!stop) snprintf((char[32]){0}, 32, "%d", 42);
    return none;
}

int main(void)
{
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, spin, NULL);
    for (int i = 0; i < 2; i++) {
        void *h = dlopen("./plugin.so", RTLD_NOW);
        int (*work)(int) = h ? (int (*)(int))dlsym(h, "plugin_work") : NULL;
        if (!work) return 1;
        for (int k = 0; k < 10; k++) sum += work(100);
        dlclose(h);
    }
    stop = 1;
    pthread_join(t, NULL);
    printf("%d %d\n", sum, dlopen("nowhere.so", RTLD_NOW) == NULL);
    return 0;
}
