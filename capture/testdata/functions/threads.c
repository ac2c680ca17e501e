/* Threads, their ends of all kinds, and processes. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define N __attribute__((noinline, noclone))

static volatile int ready;
N long work(long n) { return n == 0 ? 0 : n + work(n - 1); }
N void cleaned(void *p) { *(long *)p += 100; }
N void leaves(long n)
{
    if (n == 0) pthread_exit((void *)42);
    leaves(n - 1);
    work(1);
}
N void forever(void)
{
    for (volatile int i = 0;; i++) pause();
}
N void *plain(void *p) { return (void *)work((long)p); }
N void *exits(void *p)
{
    static long seen;
    pthread_cleanup_push(cleaned, &seen);
    leaves((long)p);
    pthread_cleanup_pop(0);
    return NULL;
}
N void *cancelled(void *p)
{
    pthread_cleanup_push(cleaned, p);
    ready = 1;
    forever();
    pthread_cleanup_pop(0);
    return NULL;
}
N void destroyed(void *p) { work((long)p); }
N void *keyed(void *p)
{
    pthread_setspecific(*(pthread_key_t *)p, (void *)3);
    return NULL;
}
N int child(int n) { return (int)work(n); }

int main(void)
{
    pthread_t t;
    pthread_key_t key;
    void *r;
    long seen = 0;
    int status;
    for (long i = 1; i < 5; i++) {
        pthread_create(&t, NULL, plain, (void *)(i * 3));
        pthread_join(t, &r);
        printf("%ld ", (long)r);
    }
    pthread_create(&t, NULL, exits, (void *)3);
    pthread_join(t, &r);
    printf("%ld ", (long)r);
    pthread_create(&t, NULL, cancelled, &seen);
    while (!ready) usleep(1000);
    pthread_cancel(t);
    pthread_join(t, &r);
    printf("%d %ld\n", r == PTHREAD_CANCELED, seen);
    pthread_key_create(&key, destroyed);
    pthread_create(&t, NULL, keyed, &key);
    pthread_join(t, NULL);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) _exit(child(3));
    waitpid(pid, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
    if ((pid = vfork()) == 0) {
        execl("/bin/echo", "echo", "from vfork", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    work(2);
    printf("%d %d\n", WEXITSTATUS(status), system("exit 3") >> 8);
    return 2;
}
