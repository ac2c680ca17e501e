/* Functions in signal handlers that come at any moment, in threads, and in a forked child, which is not recorded. It
 * prints how often inner was called. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long hits;

long leaf(long x) { return x + 1; }
void inner(void) { hits++; }
void handler(int s) { (void)s, inner(), inner(); }
void *thread(void *a)
{
    long s = 0;
    (void)a;
    for (long i = 0; i < 100000; i++) s = leaf(s);
    return NULL;
}

int main(void)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    pthread_t p[3];
    long s = 0;
    int status;
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long i = 0; i < 5000000; i++) s = leaf(s);
    setitimer(ITIMER_REAL, &never, NULL);
    for (int i = 0; i < 3; i++) pthread_create(&p[i], NULL, thread, NULL);
    for (int i = 0; i < 3; i++) pthread_join(p[i], NULL);
    pid_t child = fork();
    if (child == 0) {
        thread(NULL);
        _exit(3);
    }
    waitpid(child, &status, 0);
    printf("%ld\n", hits);
    return WEXITSTATUS(status) != 3;
}
